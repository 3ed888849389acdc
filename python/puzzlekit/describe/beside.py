"""A board with more cells beside it, such as for the stones that players have in their hands."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from puzzlekit.describe.drawing import Board
from puzzlekit.describe.patterns import MOST_CELLS
from puzzlekit.errors import RulesError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from puzzlekit.describe.grid import Grid
    from puzzlekit.describe.hexgrid import HexGrid
    from puzzlekit.describe.ring import Ring
    from puzzlekit.describe.rules import Symmetry


@dataclass(frozen=True)
class Beside:
    """A board with a row of cells beside it. The cells of the row are numbered after those of the board.

    Give it to the rules as their `board`. Then the inner board says where its own cells are drawn, and the others are
    drawn in a row below it, in texts and in pictures:

    >>> from puzzlekit import Grid
    >>> table = Beside(Grid(2, 2), 2)
    >>> table.cells, table.extra
    (6, (4, 5))
    >>> print(table.picture("XO..31"))
    X O
    . .
    <BLANKLINE>
    3 1

    Args:
        board: The board.
        count: How many cells are beside it.
    """

    board: Grid | HexGrid | Ring
    count: int

    def __post_init__(self) -> None:
        if not isinstance(self.board, Board) or isinstance(self.board, Beside):
            raise RulesError(f"cells are beside {self.board!r}; give a Grid, a HexGrid or a Ring")
        if isinstance(self.count, bool) or not isinstance(self.count, int) or not 1 <= self.count <= MOST_CELLS:
            raise RulesError(
                f"there are {self.count!r} cells beside the board; give a whole number from 1 to {MOST_CELLS}"
            )

    @property
    def cells(self) -> int:
        """The number of cells, including those beside the board."""
        return self.board.cells + self.count

    @property
    def extra(self) -> tuple[int, ...]:
        """The cells beside the board."""
        return tuple(range(self.board.cells, self.cells))

    @property
    def row_lengths(self) -> tuple[int, ...]:
        """The number of cells in each row of a state's text: the rows of the board, and then the cells beside it."""
        return (*self.board.row_lengths, self.count)

    @property
    def hole_marks(self) -> str:
        """The characters that stand for a hole, and so for no cell, in a drawing."""
        return self.board.hole_marks

    @property
    def holes(self) -> tuple[tuple[int, int], ...]:
        """The holes of the board."""
        return tuple(getattr(self.board, "holes", ()))

    def picture(self, names: Sequence[str]) -> str:
        """A text for people to look at: the board, an empty line, and the cells beside it."""
        inside = self.board.cells
        return f"{self.board.picture(names[:inside])}\n\n{' '.join(names[inside:])}"

    def rotations(self) -> list[Symmetry]:
        """Generators of the rotations of the board. The cells beside it stay as they are.

        >>> from puzzlekit import Ring
        >>> Beside(Ring(3), 1).rotations()[0].cells
        (1, 2, 0, 3)
        """
        return self._staying(self.board.rotations())

    def symmetries(self) -> list[Symmetry]:
        """Generators of all symmetries of the board. The cells beside it stay as they are."""
        return self._staying(self.board.symmetries())

    def _staying(self, symmetries: list[Symmetry]) -> list[Symmetry]:
        return [replace(symmetry, cells=(*symmetry.cells, *self.extra)) for symmetry in symmetries]
