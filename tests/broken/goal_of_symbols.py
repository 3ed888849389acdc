"""A goal that lists too few symbols for a state."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = "broken: goal lists 1 symbols, and a state has 2 cells; give a symbol for each, or a list of states"


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        start, goal = ["red", "blue"], ["blue"]
        return Rules(symbols=start, start=start, goal=goal, moves=[swap(0, 1)])
