"""Reads states as people draw them: in one line with `/` between rows, or row under row."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from puzzlekit.errors import RulesError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


MOST_DRAWN = 2**20
"""The most characters of a drawing. It is far more than is needed for 2048 cells, the most that rules can have."""


@runtime_checkable
class Board(Protocol):
    """A board, which says where the cells of a state are in a drawing: `Grid`, `HexGrid`, `Ring` or `Beside`."""

    @property
    def cells(self) -> int:
        """The number of cells."""

    @property
    def row_lengths(self) -> tuple[int, ...]:
        """The number of cells in each row of a state's text."""

    @property
    def hole_marks(self) -> str:
        """The characters that stand for a hole, and so for no cell, in a drawing."""

    def picture(self, names: Sequence[str]) -> str:
        """The board as a text with a name in each cell. All names must have the same width."""


def read_drawing(text: str, symbols: Sequence[str], board: Board | None) -> list[list[str]]:
    """The symbols of a drawn state, row by row.

    White space, slashes and commas separate cells, unless they are symbols themselves. A symbol of several characters
    must stand between separators. There is one exception: if the whole text is one such symbol, but all its characters
    are symbols, too, then it is read character by character. Marks for the holes of a board are no cells.

    >>> read_drawing("X.O/...", "XO.", None)
    [['X', '.', 'O'], ['.', '.', '.']]
    >>> read_drawing("10 2, 3", ["2", "3", "10"], None)
    [['10', '2', '3']]
    """
    if len(text) > MOST_DRAWN:
        raise RulesError(f"a state is drawn with more than {MOST_DRAWN:,} characters; draw at most 2048 cells")
    known = set(symbols)
    between = {mark for mark in "/, \t\n\r" if mark not in known}
    holes = set(board.hole_marks) - known if board else set()
    spaced = "".join(" " if mark in between and mark not in "/\n" else mark for mark in text)
    lines = re.split("|".join(map(re.escape, between & {"/", "\n"})) or "(?!)", spaced)
    words = [line.split(" ") for line in lines]
    # A text that is a single word is read character by character if all its characters are symbols. For example, with
    # the symbols 0, 1 and 10, the text `10` has two cells.
    alone = sum(map(len, words)) == 1 and known.issuperset(text)

    def cells(word: str) -> list[str]:
        whole = word in known and not alone
        return [word] if whole else [mark for mark in word if mark not in holes]

    rows = [[cell for word in line for cell in cells(word)] for line in words]
    return [row for row in rows if row]


def check_rows(rows: Sequence[Sequence[str]], lengths: Iterable[int], place: str) -> None:
    """Raises an error for a drawing of several rows if the rows do not have the lengths of the board's rows."""
    drawn, wanted = [len(row) for row in rows], list(lengths)
    if len(drawn) > 1 and drawn != wanted:
        raise RulesError(
            f"{place} is drawn in rows of {_listed(drawn)} cells, and the board has rows of {_listed(wanted)}; draw "
            "each row whole, or all cells in one"
        )


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
