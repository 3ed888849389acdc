"""A reason why nothing solves a state that can be solved."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = "that its parity is odd, and 2 moves solve it; mend it"


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        moves = [swap(cell, cell + 1).named(cell) for cell in range(3)]
        return Rules(symbols="abcd", start="abcd", goal="abcd", moves=moves)

    def why_unsolvable(self, state):
        return None if self.is_solved(state) else "its parity is odd"
