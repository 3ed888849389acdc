"""A table that is computed when the file is imported."""

import time
from dataclasses import dataclass
from itertools import count, takewhile

from puzzlekit import Puzzle, Rules, swap

SENTENCE = "seconds; import such packages, and compute such tables, in the method that needs them"
FULL = True


END = time.process_time() + 0.25  # on any machine
TABLE = list(takewhile(lambda _: time.process_time() < END, count()))


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        return Rules(symbols="ab", start="ab", goal="ba", moves=[swap(0, 1).named("swap")])
