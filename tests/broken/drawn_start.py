"""A start that is drawn in rows."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = "broken: the start is drawn as 'ab/ba'; leave the / out, and give columns=2"


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        return Rules(symbols="ab", start="ab/ba", goal="baab", moves=[swap(0, 1)])
