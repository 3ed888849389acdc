"""A number of a state that leads to another one."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, ScrambleReport, swap

SENTENCE = "abcd has the number 7, which numbered takes for bacd; mend either"


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        moves = [swap(cell, cell + 1).named(cell) for cell in range(3)]
        return Rules(symbols="abcd", start="abcd", goal="abcd", moves=moves)

    def number(self, state):
        return 7

    def numbered(self, number):
        return ScrambleReport(str(self), "bacd", "", None, "by number", number)
