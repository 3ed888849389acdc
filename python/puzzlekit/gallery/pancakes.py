"""Pancakes.

A stack of pancakes of different sizes is to be sorted. A move puts a spatula under one of them and flips all that lie
above. 8 pancakes can lie in 40,320 ways and take up to 9 flips; 10 take up to 11.

Every move permutes the cells, whatever they hold, so it needs no guard, and states are counted in a perfect index.
"""

from dataclasses import dataclass
from string import ascii_letters

from puzzlekit import Copy, Move, Puzzle, Rules, parameter


@dataclass(frozen=True)
class Pancakes(Puzzle):
    """Pancakes of different sizes, sorted by flipping the top of the stack."""

    id = "pancakes"
    pancakes: int = parameter(7, 2, 52, "pancakes in the stack")

    def rules(self):
        stack = ascii_letters[: self.pancakes]
        flips = [
            Move({cell: Copy(size - 1 - cell) for cell in range(size)}).named(size)
            for size in range(2, self.pancakes + 1)
        ]
        return Rules(symbols=stack, start=stack, moves=flips, goal=stack)
