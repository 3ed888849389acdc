"""A number that only some states have."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = "the part states fails with KeyError: "


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        moves = [swap(cell, cell + 1).named(cell) for cell in range(3)]
        return Rules(symbols="abcd", start="abcd", goal="abcd", moves=moves)

    def number(self, state):
        return {"abcd": None}[state]
