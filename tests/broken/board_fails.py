"""A picture that cannot be drawn."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = "board fails with IndexError: string index out of range (board_fails.py, line"


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        moves = [swap(cell, cell + 1).named(cell) for cell in range(3)]
        return Rules(symbols="abcd", start="abcd", goal="abcd", moves=moves)

    def board(self, state, moves=()):
        return state[9]
