"""Moves in the order of a set, which is another one in each process."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = (
    "the moves of broken differ from process to process, as the order of a set does; go through sorted(...) or a list"
)
FULL = True


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        moves = [swap(0, cell).named(name) for cell, name in enumerate({"left", "up", "right", "down"}, 1)]
        return Rules(symbols="abcde", start="abcde", goal="abcde", moves=moves)
