"""Parameters that leave the program when they are checked."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap

SENTENCE = "Broken cannot be made with its defaults: SystemExit: 0 (exit_in_post_init.py, line 17)"


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def __post_init__(self):
        raise SystemExit(0)

    def rules(self):
        return Rules(symbols="ab", start="ab", goal="ba", moves=[swap(0, 1).named("swap")])
