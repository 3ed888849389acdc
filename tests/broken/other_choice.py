"""A choice that was never tried."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = 'broken with backwards=true fails: broken:backwards=true: the move "0" names the unknown symbol "z"'
FULL = True


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"
    backwards: bool = False

    def rules(self):
        moves = [swap(0, 1).when({0: "z" if self.backwards else "a"})]
        return Rules(symbols="ab", start="ab", goal="ba", moves=moves)
