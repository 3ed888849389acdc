"""A guard that does not hold at the start."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = "broken has no move at the start ab; check the guards of the moves"


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        return Rules(symbols="ab", start="ab", moves=[swap(0, 1).when({0: "b"})])
