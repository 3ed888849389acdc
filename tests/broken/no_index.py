"""A move that keeps the states from being numbered."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, put, swap

SENTENCE = '7 of 8 moves only permute cells, but the move "b" writes the symbol "b" into cell 0'


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        moves = [swap(cell, cell + 1).named(cell) for cell in range(7)]
        return Rules(
            symbols="abcdefgh", start="abcdefgh", moves=[*moves, put(0, "b").when({0: "a", 1: "b"}).named("b")]
        )
