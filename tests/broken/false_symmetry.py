"""A symmetry that moves the start."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, Symmetry, swap

SENTENCE = (
    'broken: the symmetry "turn" does not carry the start onto itself; remove it, or let it change symbols as well'
)


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        turn = Symmetry((1, 2, 0), name="turn")
        moves = [swap(0, 1), swap(1, 2), swap(2, 0)]
        return Rules(symbols="abc", start="abc", goal="abc", moves=moves, symmetries=[turn])
