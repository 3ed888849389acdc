"""Rules that cannot be made."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = "broken: rules() failed with ZeroDivisionError: integer division or modulo by zero (rules_fail.py, line"


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        return Rules(symbols="ab", start="ab", goal="ba", moves=[swap(0, 1 // 0)])
