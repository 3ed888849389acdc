"""The text of a state: one line that a person can read and type, and from which the same state is read back.

Rows are joined by `/`. If a symbol is longer than a character, cells are joined by `,` instead. In a game, `:` and the
player to move follow: `X.O/.../...:X`.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Protocol

from puzzlekit.errors import StateError

if TYPE_CHECKING:
    from puzzlekit.describe.rules import Rules


class Reader(Protocol):
    """Reads and writes the texts of states. The compiled engine does, so that only one program knows the notation."""

    def read(self, text: str) -> tuple[bytes, int]:
        """Reads a text: for each cell a byte, the place of its symbol in the rules' list; and the player to move."""

    def write(self, cells: bytes, player: int) -> str:
        """Writes the text of a state."""


class Notation:
    """The text of the states of one set of rules.

    Args:
        rules: The rules.
        reader: The object that reads and writes the texts.
    """

    def __init__(self, rules: Rules, reader: Reader) -> None:
        self._reader = reader
        self.symbols: tuple[str, ...] = tuple(map(str, rules.symbols))
        players = tuple(map(str, rules.players))
        self.players: tuple[str, ...] = players if len(players) == 2 else ()
        self.cells: int = rules.cells
        self._start = bytes(map(self.symbols.index, map(str, rules.start)))
        self.row_lengths: tuple[int, ...] = rules.row_lengths
        self._board = rules.board
        self._holes = len(tuple(getattr(rules.board, "holes", ())))
        marks = set(rules.board.hole_marks if rules.board else "") - set("".join(self.symbols)) - set(" /,:")
        self._hole_marks = str.maketrans(dict.fromkeys(marks, ""))

    def write(self, cells: bytes, player: int) -> str:
        """The text of a state.

        Raises:
            StateError: A number in `cells` is no symbol, or `player` is no player.
        """
        return self._reader.write(cells, player)

    def board(self, text: str) -> str:
        """A state as a board of rows and columns for people to look at."""
        cells, _ = self.read(text)
        names = [self.symbols[code] for code in cells]
        width = max(map(len, self.symbols))
        padded = [name.rjust(width) for name in names]
        if self._board is not None:
            return self._board.picture(padded)
        rest = iter(padded)
        return "\n".join(" ".join(islice(rest, length)) for length in self.row_lengths)

    def read(self, text: str) -> tuple[bytes, int]:
        """Reads a state's text: the symbols of the cells, and the player to move.

        White space, `/` and `,` may stand between any two cells, and the holes of a board may be marked as in its
        drawing. If the text of a game does not say who is to move, this follows from the number of moves made, if the
        cells determine that number. Otherwise, it is the first player.

        Raises:
            StateError: The text is no state; the message says why.
        """
        if not isinstance(text, str):
            raise StateError(f"a state is a text, not {text!r}; {self._example}")
        try:
            return self._reader.read(self._without_holes(text))
        except UnicodeEncodeError:
            raise StateError(f"the state {text!r} has half a character; {self._example}") from None

    def _without_holes(self, text: str) -> str:
        """The text without marks for holes. If it has more marks than the board has holes, it is returned unchanged."""
        if not self._holes or not self._hole_marks:
            return text
        board, colon, mover = text.partition(":") if self.players else (text, "", "")
        bare = board.translate(self._hole_marks)
        return f"{bare}{colon}{mover}" if len(board) - len(bare) <= self._holes else text

    @property
    def _example(self) -> str:
        return f"give one like {self.write(self._start, 0)}"
