"""Rules that are not the same each time."""

import itertools
from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = "rules() of broken differs from call to call; make it depend on the fields alone"


STARTS = itertools.cycle(["ab", "aa"])


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        start = next(STARTS)
        return Rules(symbols="ab", start=start, goal="ba", moves=[swap(0, 1)])
