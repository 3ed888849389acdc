"""A scramble that does not take what it is given."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = (
    "scramble of Broken does not take scrambler; let it take what that of every puzzle does: "
    "self, seed, moves, scrambler"
)


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        moves = [swap(cell, cell + 1).named(cell) for cell in range(3)]
        return Rules(symbols="abcd", start="abcd", goal="abcd", moves=moves)

    def scramble(self, seed=None, *, moves=None):
        return super().scramble(seed, moves=moves or 3)
