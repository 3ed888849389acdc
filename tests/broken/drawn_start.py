"""A start that is drawn in rows of different lengths."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = (
    "broken: the start is drawn in rows of 2, 1 cells; draw rows of one length, or give the board, such as "
    "board=Grid.drawn(...)"
)


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        return Rules(symbols="ab", start="ab/b", goal="bab", moves=[swap(0, 1)])
