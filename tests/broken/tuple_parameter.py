"""A parameter that no command line can give."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = (
    'Broken has the field shape of type tuple[int, int]; use int, bool or str, such as a text "3-5" that '
    "rules takes apart"
)


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"
    shape: tuple[int, int] = (3, 4)

    def rules(self):
        return Rules(symbols="ab", start="ab", goal="ba", moves=[swap(0, 1).named("swap")])
