"""A solver that does not solve."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = "which is not solved; report it"


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        moves = [swap(cell, cell + 1).named(cell) for cell in range(3)]
        return Rules(symbols="abcd", start="abcd", goal="abcd", moves=moves)

    def default_solver(self):
        return lambda puzzle, state: []
