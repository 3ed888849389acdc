"""A puzzle that says nothing of its rules."""

from dataclasses import dataclass

from puzzlekit import Puzzle

SENTENCE = "Broken has no rules; define rules(self)"


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"
