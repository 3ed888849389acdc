"""Two cycles in one move that share a cell."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, cycle

SENTENCE = "cycle names cell 1 twice; for one cycle after another write cycle(...) * cycle(...)"


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        return Rules(symbols="abc", start="abc", goal="bca", moves=[cycle([0, 1], [1, 2])])
