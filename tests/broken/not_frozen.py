"""A dataclass whose fields can be changed."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = "Broken is no frozen dataclass; put @dataclass(frozen=True) above it"


@dataclass
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"
    size: int = 3

    def rules(self):
        return Rules(symbols="ab", start="ab", goal="ba", moves=[swap(0, 1).named("swap")])
