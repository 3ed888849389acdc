"""A scramble whose moves lead to another state."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, ScrambleReport, swap

SENTENCE = "the seed 0 gives bacd with moves that lead to acbd; give those that lead there, or None"


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        moves = [swap(cell, cell + 1).named(cell) for cell in range(3)]
        return Rules(symbols="abcd", start="abcd", goal="abcd", moves=moves)

    def scramble(self, seed=None, *, moves=None, scrambler=None):
        return ScrambleReport(str(self), "bacd", seed or "", ("1",), "by hand")
