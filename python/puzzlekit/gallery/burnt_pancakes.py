"""Burnt pancakes.

Pancakes of different sizes, each burnt on one side, are to be sorted, with the burnt sides down. A move flips all
pancakes above a place, so each of them is turned over as well. 5 pancakes can lie in 3,840 ways and take up to 10
flips, and 8 in 10,321,920 ways with up to 15 flips.

A capital letter is a pancake with its burnt side up. A copy through a map changes the letter on the way.
"""

from dataclasses import dataclass

from puzzlekit import Copy, Move, Puzzle, Rules, parameter


@dataclass(frozen=True)
class BurntPancakes(Puzzle):
    """Pancakes burnt on one side, sorted by flipping the top of the stack."""

    id = "burnt_pancakes"
    pancakes: int = parameter(5, 1, 16, "pancakes in the stack")

    def rules(self):
        stack = "abcdefghijklmnop"[: self.pancakes]
        over = {a: b for letter in stack for a, b in [(letter, letter.upper()), (letter.upper(), letter)]}
        flips = [
            Move({cell: Copy(size - 1 - cell, over) for cell in range(size)}).named(size)
            for size in range(1, self.pancakes + 1)
        ]
        return Rules(symbols=over, start=stack, moves=flips, goal=stack)
