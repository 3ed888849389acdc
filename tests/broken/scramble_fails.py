"""A scramble that fails."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = "the part scrambles fails with IndexError: string index out of range (scramble_fails.py, line"


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        moves = [swap(cell, cell + 1).named(cell) for cell in range(3)]
        return Rules(symbols="abcd", start="abcd", goal="abcd", moves=moves)

    def scramble(self, seed=None, *, moves=None, scrambler=None):
        return super().scramble(seed[9], moves=moves, scrambler=scrambler)
