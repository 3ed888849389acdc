"""A move beyond the edge of the board."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = 'broken: the move "go" names cell 2, which is out of range; cells go from 0 to 1'


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        return Rules(symbols="ab", start="ab", moves=[swap(1, 2).named("go")])
