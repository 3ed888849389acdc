"""An id that cannot stand on a command line."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = "Broken has the id 'My puzzle'; give a short name of small letters, digits, - and _, such as \"my-puzzle\""


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "My puzzle"

    def rules(self):
        return Rules(symbols="ab", start="ab", goal="ba", moves=[swap(0, 1).named("swap")])
