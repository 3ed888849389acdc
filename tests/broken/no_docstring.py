"""A puzzle that nobody describes."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = "Broken has no docstring; its first line is what `puzzlekit list` shows"


@dataclass(frozen=True)
class Broken(Puzzle):
    id = "broken"

    def rules(self):
        return Rules(symbols="ab", start="ab", goal="ba", moves=[swap(0, 1).named("swap")])
