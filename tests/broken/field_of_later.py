"""A parameter with a name that puzzlekit will need."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = "Broken has a field named hint, a name that puzzlekit keeps for itself; rename the field"


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"
    hint: int = 3

    def rules(self):
        return Rules(symbols="ab", start="ab", goal="ba", moves=[swap(0, 1).named("swap")])
