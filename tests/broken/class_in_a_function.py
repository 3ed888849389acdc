"""A class that another process does not find."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = "another process does not find the class, since it is defined inside a function; define it in a module"
FULL = True


def make():
    @dataclass(frozen=True)
    class Broken(Puzzle):
        """A puzzle with one fault."""

        id = "broken"

        def rules(self):
            return Rules(symbols="ab", start="ab", goal="ba", moves=[swap(0, 1).named("swap")])

    return Broken


Broken = make()
