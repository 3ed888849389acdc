"""Rules that are made and not returned."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = "broken: rules() returned NoneType; return a puzzlekit.Rules"


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        Rules(symbols="ab", start="ab", goal="ba", moves=[swap(0, 1)])
