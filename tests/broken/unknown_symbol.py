"""A move that writes a symbol that is none."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, put

SENTENCE = 'broken: the move "go" names the unknown symbol "z"; the symbols are a b'


@dataclass(frozen=True)
class Broken(Puzzle):
    """A puzzle with one fault."""

    id = "broken"

    def rules(self):
        return Rules(symbols="ab", start="ab", moves=[put(0, "z").named("go")])
