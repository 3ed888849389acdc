"""A default that the range does not allow."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, parameter, swap

SENTENCE = "Broken has the field size with the default 9; give a whole number from 1 to 5"


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"
    size: int = parameter(9, 1, 5)

    def rules(self):
        return Rules(symbols="ab", start="ab", goal="ba", moves=[swap(0, 1).named("swap")])
