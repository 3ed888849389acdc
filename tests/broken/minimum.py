"""A parameter whose minimum leaves no board."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, parameter, put

SENTENCE = "broken with size=0, the minimum that parameter allows, fails: broken:size=0: the start has 0 cells; "
FULL = True


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"
    size: int = parameter(3, 0, 9)

    def rules(self):
        moves = [put(cell, "b") for cell in range(self.size)]
        return Rules(symbols="ab", start="a" * self.size, goal="b" * self.size, moves=moves)
