"""Moves of one name that one state allows both."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = (
    'broken: two moves are named "go" and some state may allow both, such as abc, which play may never reach; '
    "narrow their guards so that they exclude each other (a slide needs what stops it), or give them different names"
)


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        return Rules(symbols="abc", start="abc", goal="abc", moves=[swap(0, 1).named("go"), swap(1, 2).named("go")])
