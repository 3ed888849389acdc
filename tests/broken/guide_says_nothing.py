"""A guide that returns nothing."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = "guide of broken returns None; let it return a text"


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        moves = [swap(cell, cell + 1).named(cell) for cell in range(3)]
        return Rules(symbols="abcd", start="abcd", goal="abcd", moves=moves)

    def guide(self):
        print("Sort the letters.")
