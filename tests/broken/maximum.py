"""A parameter whose maximum makes too large a board."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, parameter, swap

SENTENCE = (
    "broken with size=3000, the maximum that parameter allows, fails: broken:size=3000: the start has "
    "3000 cells; give between 1 and 2048"
)
FULL = True


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"
    size: int = parameter(3, 2, 3000)

    def rules(self):
        moves = [swap(cell, cell + 1) for cell in range(self.size - 1)]
        return Rules(symbols="ab", start="a" * (self.size - 1) + "b", goal="b" + "a" * (self.size - 1), moves=moves)
