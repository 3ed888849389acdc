"""A puzzle that writes its text id its own way."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = "the text id 'Broken!' is read back as Broken(); do not override __str__"


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        moves = [swap(cell, cell + 1).named(cell) for cell in range(3)]
        return Rules(symbols="abcd", start="abcd", goal="abcd", moves=moves)

    def __str__(self):
        return "Broken!"
