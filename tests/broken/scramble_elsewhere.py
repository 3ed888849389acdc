"""A scramble that play does not reach."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, ScrambleReport, cycle

SENTENCE = "the seed 0 gives bac, which play does not reach; scramble by moves from the start"


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        moves = [cycle(0, 1, 2).named("turn")]
        return Rules(symbols="abc", start="abc", goal="abc", moves=moves)

    def scramble(self, seed=None, *, moves=None, scrambler=None):
        return ScrambleReport(str(self), "bac", seed or "", None, "by hand")
