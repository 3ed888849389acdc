"""A symbol with which a state looks like an option."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = 'a state may begin with "-" as an option does, and has to be given after --; another symbol would not'


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        return Rules(symbols="-b", start="-b", goal="b-", moves=[swap(0, 1)])
