"""A rectangular board: its cells by row and column, and the blocks, lines, steps and symmetries of moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from puzzlekit.describe.rules import Symmetry
from puzzlekit.errors import RulesError

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Grid:
    """The cells of a board, numbered from 0, row by row from the top left.

    >>> grid = Grid(2, 3)
    >>> list(grid)
    [0, 1, 2, 3, 4, 5]
    >>> grid.cell(1, 2)
    5
    """

    rows: int
    columns: int

    def __post_init__(self) -> None:
        for size in (self.rows, self.columns):
            if isinstance(size, bool) or not isinstance(size, int):
                raise RulesError(f"a grid has {size!r} rows or columns; give a whole number")
        if self.rows < 1 or self.columns < 1:
            raise RulesError(
                f"a grid of {self.rows} rows and {self.columns} columns has no cells; give at least 1 of each"
            )

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.cells))

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return self.rows * self.columns

    def cell(self, row: int, column: int) -> int:
        """The cell in a row and a column, both from 0.

        Raises:
            RulesError: There is no such cell.
        """
        if not (0 <= row < self.rows and 0 <= column < self.columns):
            raise RulesError(f"there is no cell in row {row}, column {column} of {self._size()}")
        return row * self.columns + column

    def _size(self) -> str:
        return f"a grid of {self.rows} rows and {self.columns} columns, numbered from 0"

    def place(self, cell: int) -> tuple[int, int]:
        """The row and the column of a cell.

        Raises:
            RulesError: There is no such cell.
        """
        if not 0 <= cell < self.cells:
            raise RulesError(f"there is no cell {cell} in {self._size()}")
        return divmod(cell, self.columns)

    def corners(self, rows: int = 2, columns: int = 2) -> list[int]:
        """The top left cell of each block that has the given rows and columns.

        >>> Grid(3, 3).corners(2, 2)
        [0, 1, 3, 4]
        """
        return [
            self.cell(row, column)
            for row in range(self.rows - rows + 1)
            for column in range(self.columns - columns + 1)
        ]

    def block(self, corner: int, rows: int = 2, columns: int = 2) -> list[int]:
        """The rim of the block whose top left cell is `corner`, clockwise from there. `cycle` makes a turn of it.

        >>> Grid(3, 3).block(4)
        [4, 5, 8, 7]
        >>> len(Grid(3, 3).block(0, 3, 3))
        8
        """
        top, left = self.place(corner)
        if not (0 < rows <= self.rows - top and 0 < columns <= self.columns - left):
            raise RulesError(f"no block of {rows} by {columns} begins at cell {corner} of {self._size()}; see corners")
        bottom, right = top + rows - 1, left + columns - 1
        rim = [(top, column) for column in range(left, right + 1)]
        rim += [(row, right) for row in range(top + 1, bottom + 1)]
        if rows > 1:
            rim += [(bottom, column) for column in range(right - 1, left - 1, -1)]
        if columns > 1:
            rim += [(row, left) for row in range(bottom - 1, top, -1)]
        return [self.cell(row, column) for row, column in rim]

    def neighbours(self, cell: int, *, diagonal: bool = False) -> list[int]:
        """The cells that share a side with a cell; with `diagonal`, also those that share a corner. In ascending order.

        >>> Grid(3, 3).neighbours(0)
        [1, 3]
        >>> Grid(3, 3).neighbours(0, diagonal=True)
        [1, 3, 4]
        """
        row, column = self.place(cell)
        return [
            self.cell(r, c)
            for r in range(max(row - 1, 0), min(row + 2, self.rows))
            for c in range(max(column - 1, 0), min(column + 2, self.columns))
            if (r, c) != (row, column) and (diagonal or r == row or c == column)
        ]

    def neighbourhood(self, cell: int) -> list[int]:
        """A cell and all its neighbours: the 3 by 3 square around it, cut off at the edges.

        >>> Grid(4, 4).neighbourhood(0)
        [0, 1, 4, 5]
        """
        return sorted([cell, *self.neighbours(cell, diagonal=True)])

    def lines(self, length: int) -> list[tuple[int, ...]]:
        """Each straight line of `length` cells: along rows, columns and both diagonals.

        >>> len(Grid(3, 3).lines(3))
        8
        >>> Grid(2, 2).lines(3)
        []
        """
        if length < 1:
            raise RulesError(f"a line of {length} cells is none; give at least 1")
        directions = ((0, 1), (1, 0), (1, 1), (1, -1)) if length > 1 else ((0, 1),)
        lines = []
        for cell in self:
            row, column = self.place(cell)
            for down, right in directions:
                end_row, end_column = row + down * (length - 1), column + right * (length - 1)
                if 0 <= end_row < self.rows and 0 <= end_column < self.columns:
                    lines.append(tuple(self.cell(row + down * i, column + right * i) for i in range(length)))
        return lines

    def steps(self) -> list[tuple[int, int, str]]:
        """Each cell with each cell beside it, and the direction from the first to the second.

        >>> Grid(1, 2).steps()
        [(0, 1, 'right'), (1, 0, 'left')]
        """
        names = {-self.columns: "up", self.columns: "down", 1: "right", -1: "left"}
        if self.columns == 1:
            names = {-1: "up", 1: "down"}
        return [(cell, other, names[other - cell]) for cell in self for other in self.neighbours(cell)]

    def rotations(self) -> list[Symmetry]:
        """A generator of the rotations of the board: by a quarter if it is square, by a half otherwise."""
        rows, columns = self.rows, self.columns
        if rows == columns:
            cells = [self.cell(column, rows - 1 - row) for row, column in map(self.place, self)]
            return [Symmetry(tuple(cells), name="quarter turn")]
        return [Symmetry(tuple(reversed(range(self.cells))), name="half turn")]

    def symmetries(self) -> list[Symmetry]:
        """Generators of all symmetries of the board: 8 if it is square, 4 otherwise.

        >>> [symmetry.name for symmetry in Grid(3, 3).symmetries()]
        ['top to bottom', 'left to right', 'transposition']
        """
        places = [self.place(cell) for cell in self]
        generators = [
            Symmetry(tuple(self.cell(self.rows - 1 - row, column) for row, column in places), name="top to bottom"),
            Symmetry(tuple(self.cell(row, self.columns - 1 - column) for row, column in places), name="left to right"),
        ]
        if self.rows == self.columns:
            cells = tuple(self.cell(column, row) for row, column in places)
            generators.append(Symmetry(cells, name="transposition"))
        return generators
