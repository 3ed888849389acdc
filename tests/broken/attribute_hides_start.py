"""The start as an attribute of the class."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = "Broken has an attribute start, which hides what every puzzle has there; give the start to Rules(start=...)"


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"
    start = "ab"

    def rules(self):
        return Rules(symbols="ab", start="ab", goal="ba", moves=[swap(0, 1).named("swap")])
