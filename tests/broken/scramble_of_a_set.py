"""A scramble that depends on the order of a set."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, ScrambleReport, swap

SENTENCE = "draw from puzzlekit.Random alone, and go through no set"
FULL = True


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        moves = [swap(cell, cell + 1).named(cell) for cell in range(3)]
        return Rules(symbols="abcd", start="abcd", goal="abcd", moves=moves)

    def scramble(self, seed=None, *, moves=None, scrambler=None):
        return ScrambleReport(str(self), min({"bacd", "abdc", "acbd", "bcad"}, key=hash), seed or "", None, "by hand")
