"""A rectangular board, perhaps with holes: its cells by row and column, its blocks, lines and steps, its symmetries."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from puzzlekit.describe.patterns import MOST_CELLS
from puzzlekit.describe.places import Moved, Place, generators, lengths
from puzzlekit.describe.rules import Symmetry
from puzzlekit.errors import RulesError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MOST_PLACES = 2**20
"""The most places of a board, cells and holes together. The limit keeps a mistyped size from taking all memory."""

STEPS = {(-1, 0): "up", (1, 0): "down", (0, 1): "right", (0, -1): "left"}

ROTATIONS: list[tuple[str, Moved]] = [
    ("quarter turn", lambda row, column: (column, -row)),
    ("half turn", lambda row, column: (-row, -column)),
]
REFLECTIONS: list[tuple[str, Moved]] = [
    ("top to bottom", lambda row, column: (-row, column)),
    ("left to right", lambda row, column: (row, -column)),
    ("transposition", lambda row, column: (column, row)),
    ("other transposition", lambda row, column: (-column, -row)),
]


@dataclass(frozen=True)
class Grid:
    """The cells of a board, numbered from 0, row by row from the top left.

    >>> grid = Grid(2, 3)
    >>> list(grid)
    [0, 1, 2, 3, 4, 5]
    >>> grid.cell(1, 2)
    5

    A hole is no cell, so only the other places are numbered:

    >>> ring = Grid(3, 3, holes=[(1, 1)])
    >>> ring.cells, ring.place(4), ring.neighbours(0)
    (8, (1, 2), [1, 3])

    Args:
        rows: How many rows there are.
        columns: How many columns there are.
        holes: The row and the column of each hole.
        hole_marks: The characters that stand for a hole in a drawing, as far as they are no symbols.
    """

    rows: int
    columns: int
    holes: Iterable[Place] = ()
    hole_marks: str = field(default=" #", repr=False, compare=False)

    def __post_init__(self) -> None:
        for size in (self.rows, self.columns):
            if isinstance(size, bool) or not isinstance(size, int):
                raise RulesError(f"a grid has {size!r} rows or columns; give a whole number")
        if self.rows < 1 or self.columns < 1:
            raise RulesError(
                f"a grid of {self.rows} rows and {self.columns} columns has no cells; give at least 1 of each"
            )
        if self.rows * self.columns > MOST_PLACES:
            raise RulesError(
                f"{self._size()} has more than {MOST_PLACES:,} places; a state has {MOST_CELLS:,} cells at most"
            )
        holes = tuple(sorted(set(self.holes)))
        object.__setattr__(self, "holes", holes)
        for row, column in holes:
            if not (0 <= row < self.rows and 0 <= column < self.columns):
                raise RulesError(f"there is no place for a hole in row {row}, column {column} of {self._size()}")
        if not self._places:
            raise RulesError(f"all places of {self._size()} are holes; leave at least one cell")

    @classmethod
    def drawn(cls, picture: str, *, holes: str = " #") -> Grid:
        """Makes the board that a picture shows: each character is a cell, except those that stand for a hole.

        Rows are lines, or are joined by `/`. Empty lines around the picture and an indentation that all lines share are
        ignored.

        >>> plus = Grid.drawn('''
        ...      o
        ...     ooo
        ...      o
        ... ''')
        >>> plus.rows, plus.columns, plus.cells, plus.neighbours(2)
        (3, 3, 5, [0, 1, 3, 4])

        Args:
            picture: The picture.
            holes: The characters that are holes.
        """
        if not isinstance(picture, str):
            raise RulesError(f"a grid is drawn as {picture!r}; give a text of lines")
        lines = textwrap.dedent(picture.expandtabs()).splitlines() if "\n" in picture else picture.split("/")
        while lines and not lines[0].strip():
            del lines[0]
        while lines and not lines[-1].strip():
            del lines[-1]
        columns = max(map(len, lines), default=0)
        if not columns:
            raise RulesError("a grid is drawn without a cell; draw at least one")
        places = ((row, column) for row in range(len(lines)) for column in range(columns))
        gaps = [(row, column) for row, column in places if (lines[row].ljust(columns)[column] in holes + " ")]
        return cls(len(lines), columns, gaps, holes)

    @cached_property
    def _places(self) -> list[Place]:
        """The row and the column of each cell, by the number of the cell."""
        holes = set(self.holes)
        places = ((row, column) for row in range(self.rows) for column in range(self.columns))
        return [place for place in places if place not in holes]

    @cached_property
    def _cells(self) -> dict[Place, int]:
        """The number of the cell at each row and column."""
        return {place: cell for cell, place in enumerate(self._places)}

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.cells))

    @property
    def cells(self) -> int:
        """The number of cells."""
        return len(self._places)

    @property
    def row_lengths(self) -> tuple[int, ...]:
        """The number of cells in each row. Rows without a cell are left out."""
        return lengths(row for row, _ in self._places)

    def picture(self, names: Sequence[str]) -> str:
        """The board as a text with a name in each cell, for people to look at.

        >>> print(Grid(2, 2, holes=[(0, 0)]).picture("abc"))
          a
        b c
        """
        blank = " " * len(names[0])
        line = [[blank] * self.columns for _ in range(self.rows)]
        for (row, column), name in zip(self._places, names, strict=True):
            line[row][column] = name
        return "\n".join(" ".join(row).rstrip() for row in line)

    def cell(self, row: int, column: int) -> int:
        """The number of the cell in a row and a column, both counted from 0.

        Raises:
            RulesError: There is no such cell.
        """
        if (row, column) not in self._cells:
            hole = "a hole" if (row, column) in set(self.holes) else "no cell"
            raise RulesError(f"there is {hole} in row {row}, column {column} of {self._size()}")
        return self._cells[row, column]

    def _size(self) -> str:
        return f"a grid of {self.rows} rows and {self.columns} columns, numbered from 0"

    def place(self, cell: int) -> tuple[int, int]:
        """The row and the column of a cell.

        Raises:
            RulesError: There is no such cell.
        """
        if not 0 <= cell < self.cells:
            raise RulesError(f"there is no cell {cell} in {self._size()}")
        return self._places[cell]

    def corners(self, rows: int = 2, columns: int = 2) -> list[int]:
        """The top left cell of each block of `rows` by `columns` cells whose rim has no hole.

        >>> Grid(3, 3).corners(2, 2)
        [0, 1, 3, 4]
        """
        corners = [
            (row, column)
            for row in range(self.rows - rows + 1)
            for column in range(self.columns - columns + 1)
            if not self.holes or all(place in self._cells for place in _rim(row, column, rows, columns))
        ]
        return [self.cell(row, column) for row, column in corners]

    def block(self, corner: int, rows: int = 2, columns: int = 2) -> list[int]:
        """The cells of the rim of a block, clockwise from its top left cell `corner`. `cycle` makes a turn of them.

        >>> Grid(3, 3).block(4)
        [4, 5, 8, 7]
        >>> len(Grid(3, 3).block(0, 3, 3))
        8
        """
        top, left = self.place(corner)
        rim = _rim(top, left, rows, columns) if rows > 0 and columns > 0 else []
        if not rim or not all(place in self._cells for place in rim):
            raise RulesError(f"no block of {rows} by {columns} begins at cell {corner} of {self._size()}; see corners")
        return [self.cell(row, column) for row, column in rim]

    def neighbours(self, cell: int, *, diagonal: bool = False) -> list[int]:
        """The cells that share a side with a cell; with `diagonal`, also those that share a corner; in ascending order.

        >>> Grid(3, 3).neighbours(0)
        [1, 3]
        >>> Grid(3, 3).neighbours(0, diagonal=True)
        [1, 3, 4]
        """
        row, column = self.place(cell)
        return [
            self._cells[r, c]
            for r in (row - 1, row, row + 1)
            for c in (column - 1, column, column + 1)
            if (r, c) in self._cells and (r, c) != (row, column) and (diagonal or r == row or c == column)
        ]

    def neighbourhood(self, cell: int) -> list[int]:
        """A cell with all its neighbours: the 3 by 3 square around it, without what lies outside or is a hole.

        >>> Grid(4, 4).neighbourhood(0)
        [0, 1, 4, 5]
        """
        return sorted([cell, *self.neighbours(cell, diagonal=True)])

    def lines(self, length: int) -> list[tuple[int, ...]]:
        """Each straight line of `length` cells: along rows, columns and both diagonals. No line crosses a hole.

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
                line = [(row + down * i, column + right * i) for i in range(length)]
                if line[-1] in self._cells and all(place in self._cells for place in line):
                    lines.append(tuple(self._cells[place] for place in line))
        return lines

    def steps(self) -> list[tuple[int, int, str]]:
        """All pairs of neighbouring cells, in both orders, each with the direction from the first to the second.

        >>> Grid(1, 2).steps()
        [(0, 1, 'right'), (1, 0, 'left')]
        """
        pairs = [(cell, other) for cell in self for other in self.neighbours(cell)]
        return [(cell, other, STEPS[self._offset(cell, other)]) for cell, other in pairs]

    def _offset(self, cell: int, other: int) -> Place:
        (row, column), (to_row, to_column) = self._places[cell], self._places[other]
        return to_row - row, to_column - column

    def rotations(self) -> list[Symmetry]:
        """A generator of the rotations of the board: a quarter turn if it is square, otherwise a half turn.

        With holes, only rotations that carry the board onto itself are used; there may be none.

        >>> [symmetry.name for symmetry in Grid(3, 3, holes=[(0, 0), (2, 2)]).rotations()]
        ['half turn']
        """
        if self.holes:
            return generators(self._places, ROTATIONS)
        rows, columns = self.rows, self.columns
        if rows == columns:
            cells = [self.cell(column, rows - 1 - row) for row, column in map(self.place, self)]
            return [Symmetry(tuple(cells), name="quarter turn")]
        return [Symmetry(tuple(reversed(range(self.cells))), name="half turn")]

    def symmetries(self) -> list[Symmetry]:
        """Generators of all symmetries of the board: 8 if it is square, 4 otherwise.

        With holes, only symmetries that carry the board onto itself are used.

        >>> [symmetry.name for symmetry in Grid(3, 3).symmetries()]
        ['top to bottom', 'left to right', 'transposition']
        >>> [symmetry.name for symmetry in Grid(3, 3, holes=[(0, 0)]).symmetries()]
        ['transposition']
        """
        if self.holes:
            return generators(self._places, REFLECTIONS + ROTATIONS)
        places = [self.place(cell) for cell in self]
        found = [
            Symmetry(tuple(self.cell(self.rows - 1 - row, column) for row, column in places), name="top to bottom"),
            Symmetry(tuple(self.cell(row, self.columns - 1 - column) for row, column in places), name="left to right"),
        ]
        if self.rows == self.columns:
            cells = tuple(self.cell(column, row) for row, column in places)
            found.append(Symmetry(cells, name="transposition"))
        return found


def _rim(top: int, left: int, rows: int, columns: int) -> list[Place]:
    """The places on the rim of a block, clockwise from the top left one."""
    bottom, right = top + rows - 1, left + columns - 1
    rim = [(top, column) for column in range(left, right + 1)]
    rim += [(row, right) for row in range(top + 1, bottom + 1)]
    if rows > 1:
        rim += [(bottom, column) for column in range(right - 1, left - 1, -1)]
    if columns > 1:
        rim += [(row, left) for row in range(bottom - 1, top, -1)]
    return rim
