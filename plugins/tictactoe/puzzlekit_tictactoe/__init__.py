"""Tic-tac-toe: k in a row on an m by n board.

X and O put a mark into an empty cell in turn, X first. Whoever has as many marks in a line as the board asks for, in a
row, a column or a diagonal, wins. If the board is full before that, it is a draw.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from puzzlekit import Grid, Puzzle, Rules, hookimpl, parameter, put, win

if TYPE_CHECKING:
    from collections.abc import Callable

    from puzzlekit_tictactoe.game import TicTacToeGame, generate_all_unique_games
    from puzzlekit_tictactoe.grids import horizontal_flip, rotate, vertical_flip

__all__ = [
    "TicTacToe",
    "TicTacToeGame",
    "generate_all_unique_games",
    "horizontal_flip",
    "rotate",
    "vertical_flip",
]


def __getattr__(name: str) -> object:
    """A name of `game.py` or `grids.py`, imported when it is first asked for: most commands need none of these."""
    if name in __all__:
        from puzzlekit_tictactoe import game

        return getattr(game, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@dataclass(frozen=True)
class TicTacToe(Puzzle):
    """Marks in a row on a board: whoever has enough of them in a line wins."""

    id = "tictactoe"
    rows: int = parameter(3, 1, 10, "rows of the board")
    columns: int = parameter(3, 1, 10, "columns of the board")
    win: int = parameter(3, 1, 10, "how many marks in a row win")

    def rules(self) -> Rules:
        """Each move puts the mover's mark on an empty cell; a full line ends the game, a full board draws it."""
        grid = Grid(self.rows, self.columns)
        return Rules(
            symbols=".XO",
            start="." * grid.cells,
            players="XO",
            moves=[put(cell, mark).when({cell: "."}).by(mark) for mark in "XO" for cell in grid],
            ends=[win(mark, dict.fromkeys(line, mark)) for mark in "XO" for line in grid.lines(self.win)],
            stuck="draw",
            symmetries=grid.symmetries(),
            columns=self.columns,
        )


@hookimpl
def puzzlekit_register_puzzles(register: Callable[[type[Puzzle]], None]) -> None:
    """Brings the one puzzle."""
    register(TicTacToe)
