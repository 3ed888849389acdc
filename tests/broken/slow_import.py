"""A table that is computed when the file is imported."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = "seconds; import such packages, and compute such tables, in the method that needs them"
FULL = True


TABLE = [sum(range(number % 1000)) for number in range(100_000)]


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        return Rules(symbols="ab", start="ab", goal="ba", moves=[swap(0, 1).named("swap")])
