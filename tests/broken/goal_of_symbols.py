"""A goal that lists the symbols of one state."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = (
    "broken: goal lists 2 symbols, and each would be a state of its own; put the state into a list: "
    "goal=[['blue', 'red']]"
)


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        start, goal = ["red", "blue"], ["blue", "red"]
        return Rules(symbols=start, start=start, goal=goal, moves=[swap(0, 1)])
