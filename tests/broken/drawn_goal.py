"""A goal that is drawn in rows."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = "broken: a goal is drawn as 'ba\\nab'; leave the line breaks out, and give columns=2"


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        return Rules(symbols="ab", start="abba", goal="ba\nab", moves=[swap(0, 1)], columns=2)
