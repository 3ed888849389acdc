"""A symmetry that the rules do not declare."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, toggle

SENTENCE = "24 symmetries were found, and 1 is declared"


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        return Rules(symbols="ab", start="aaaa", goal="bbbb", moves=[toggle(cell) for cell in range(4)], columns=2)
