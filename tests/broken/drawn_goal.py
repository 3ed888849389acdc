"""A goal that is drawn in other rows than the board has."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = (
    "broken: the goal is drawn in rows of 1, 3 cells, and the board has rows of 2, 2; "
    "draw each row whole, or all cells in one"
)


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        return Rules(symbols="ab", start="abba", goal="b\naab", moves=[swap(0, 1)], columns=2)
