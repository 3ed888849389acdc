"""An id that is a parameter by mistake."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = "Broken annotates id, which makes it a parameter; write id = 'broken' without a type"


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id: str = "broken"

    def rules(self):
        return Rules(symbols="ab", start="ab", goal="ba", moves=[swap(0, 1).named("swap")])
