"""A solver that says that its moves are the fewest, although fewer would do."""

from dataclasses import dataclass

import puzzlekit
from puzzlekit import Puzzle, Rules, swap

SENTENCE = "says that 2 moves are the fewest from abcd, and 0 are enough; say that only if it is proven"


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        moves = [swap(cell, cell + 1).named(cell) for cell in range(3)]
        return Rules(symbols="abcd", start="abcd", goal="abcd", moves=moves)

    def default_solver(self):
        def twice(puzzle, state):
            moves = puzzlekit.optimal(puzzle, state).moves
            return puzzlekit.Answer((*moves, "0", "0"), optimal=True)

        return twice
