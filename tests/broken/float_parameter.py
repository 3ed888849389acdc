"""A parameter that is no whole number."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = "Broken has the field share of type float; use int, bool or str, such as a whole number of hundredths"


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"
    share: float = 0.5

    def rules(self):
        return Rules(symbols="ab", start="ab", goal="ba", moves=[swap(0, 1).named("swap")])
