"""A symmetry that the rules do not declare."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, toggle

SENTENCE = 'the symmetries hold and are not declared: "top to bottom", "left to right", "transposition"'


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        return Rules(symbols="ab", start="aaaa", goal="bbbb", moves=[toggle(cell) for cell in range(4)], columns=2)
