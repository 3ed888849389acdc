"""A parameter without a type, which is none."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = "Broken has size = 3 without a type, which is no parameter; write size: int = ... to make it one, or SIZE"


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"
    LEAST = 2
    size = 3

    def rules(self):
        tiles = range(max(self.LEAST, self.size))
        return Rules(
            symbols=tiles, start=tiles, goal=[tiles], moves=[swap(0, 1).named("swap"), swap(1, 2).named("other")]
        )
