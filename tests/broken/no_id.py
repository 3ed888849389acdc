"""A class without an id."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = 'BrokenThing has no id; write id = "broken-thing" in the class'


@dataclass(frozen=True)
class BrokenThing(Puzzle):
    """A puzzle with one fault."""

    def rules(self):
        return Rules(symbols="ab", start="ab", goal="ba", moves=[swap(0, 1).named("swap")])
