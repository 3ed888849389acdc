"""A number of states that is not that of the search."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = "count_reachable of broken says 12, and play reaches 24 states; mend it"


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        moves = [swap(cell, cell + 1).named(cell) for cell in range(3)]
        return Rules(symbols="abcd", start="abcd", goal="abcd", moves=moves)

    def count_reachable(self):
        return 12
