"""A move that no command line hands over."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = 'the move "-s" begins as an option does; give it a name that a person can type'


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        return Rules(symbols="ab", start="ab", goal="ba", moves=[swap(0, 1).named("-s")])
