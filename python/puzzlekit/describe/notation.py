"""The text of a state: one line that a person can read and type, and that is read back to the same state.

Rows are joined by `/`, or cells by `,` where a symbol is longer than a character. In a game, `:` and the player to move
follow: `X.O/.../...:X`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from puzzlekit.errors import StateError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from puzzlekit.describe.rules import Rules


class Notation:
    """Reads and writes the states of some rules.

    Args:
        rules: The rules.
        guess_player: Tells from the symbols of a game's state who is to move, where the text does not.
        conserved: For each symbol, how many cells hold it in every state that play reaches, where no move changes that.
    """

    def __init__(
        self, rules: Rules, guess_player: Callable[[bytes], int], conserved: Sequence[int | None] = ()
    ) -> None:
        self._conserved = conserved
        self.symbols = tuple(map(str, rules.symbols))
        players = tuple(map(str, rules.players))
        self.players = players if len(players) == 2 else ()
        self.cells = rules.cells
        self.columns = rules.columns or self.cells
        self._codes = {symbol: code for code, symbol in enumerate(self.symbols)}
        self._single = all(len(symbol) == 1 for symbol in self.symbols)
        self._guess_player = guess_player

    def write(self, cells: bytes, player: int) -> str:
        """The text of a state."""
        names = [self.symbols[code] for code in cells]
        if self._single:
            text = "/".join("".join(names[at : at + self.columns]) for at in range(0, len(names), self.columns))
        else:
            text = ",".join(names)
        return f"{text}:{self.players[player]}" if self.players else text

    def board(self, text: str) -> str:
        """A state's text as a board of rows and columns for people to look at."""
        cells, _ = self.read(text)
        names = [self.symbols[code] for code in cells]
        width = max(map(len, self.symbols))
        padded = [name.rjust(width) for name in names]
        rows = (padded[at : at + self.columns] for at in range(0, len(padded), self.columns))
        return "\n".join(" ".join(row) for row in rows)

    def read(self, text: str) -> tuple[bytes, int]:
        """The symbols and the player to move of a state's text. White space, `/` and `,` may stand between any cells.

        Where the text of a game does not say who is to move, it is the player whose turn it must be by the number of
        moves made, or else the first player.

        Raises:
            StateError: The text is no state; the message says why.
        """
        if not isinstance(text, str):
            raise StateError(f"a state is a text, not {text!r}; give one like {self.write(bytes(self.cells), 0)}")
        board, colon, player_name = text.partition(":") if self.players else (text, "", "")
        names = list(re.sub(r"[\s/,]", "", board)) if self._single else re.split(r"[\s/,]+", board.strip(" \t\r\n/,"))
        for cell, name in enumerate(names):
            if name not in self._codes:
                raise StateError(
                    f'the state "{text}" has "{name}" in cell {cell}, which is no symbol; '
                    f"the symbols are {' '.join(self.symbols)}"
                )
        if len(names) != self.cells:
            raise StateError(f'the state "{text}" has {len(names)} cells; give {self.cells}')
        cells = bytes(self._codes[name] for name in names)
        for code, expected in enumerate(self._conserved):
            if expected is not None and cells.count(code) != expected:
                given, name = cells.count(code), self.symbols[code]
                raise StateError(
                    f'the state "{text}" has "{name}" {given} times, where it is always there {expected} times'
                )
        if not self.players:
            return cells, 0
        if not colon:
            return cells, self._guess_player(cells)
        if player_name.strip() not in self.players:
            raise StateError(
                f'the state "{text}" has "{player_name.strip()}" to move; the players are {" and ".join(self.players)}'
            )
        return cells, self.players.index(player_name.strip())
