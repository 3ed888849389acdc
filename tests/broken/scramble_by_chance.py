"""A scramble that is another one each time."""

import itertools
from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, ScrambleReport, swap

SENTENCE = "the seed 0 gives bacd and then another state; draw from puzzlekit.Random alone"


STATES = itertools.cycle(["bacd", "abdc"])


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        moves = [swap(cell, cell + 1).named(cell) for cell in range(3)]
        return Rules(symbols="abcd", start="abcd", goal="abcd", moves=moves)

    def scramble(self, seed=None, *, moves=None, scrambler=None):
        return ScrambleReport(str(self), next(STATES), seed or "", None, "by hand")
