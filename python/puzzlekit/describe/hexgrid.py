"""A board of hexagons: its cells by row and column, its lines and steps, and its symmetries."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from puzzlekit.describe.patterns import MOST_CELLS
from puzzlekit.describe.places import Moved, Place, generators, lengths
from puzzlekit.errors import RulesError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from puzzlekit.describe.rules import Symmetry

STEPS = {
    (-1, 0): "up left",
    (-1, 1): "up right",
    (0, -1): "left",
    (0, 1): "right",
    (1, -1): "down left",
    (1, 0): "down right",
}


def _turned(sixths: int) -> Moved:
    def turned(row: int, column: int) -> Place:
        for _ in range(sixths):
            row, column = row + column, -row
        return row, column

    return turned


def _reflected(sixths: int) -> Moved:
    return lambda row, column: _turned(sixths)(column, row)


ROTATIONS: list[tuple[str, Moved]] = [(f"turn by {60 * sixths} degrees", _turned(sixths)) for sixths in (1, 2, 3)]
REFLECTIONS: list[tuple[str, Moved]] = [(f"reflection {sixths + 1}", _reflected(sixths)) for sixths in range(6)]


@dataclass(frozen=True)
class HexGrid:
    """The cells of a board of hexagons, numbered from 0, row by row from the top left.

    `HexGrid.hexagon`, `HexGrid.triangle` and `HexGrid.rhombus` make the usual boards. For any other board, list its
    places. Each row lies half a cell to the right of the row above it. So the neighbours of the place (row, column) are
    (row, column - 1) and (row, column + 1) beside it, (row - 1, column) and (row - 1, column + 1) above it, and (row +
    1, column - 1) and (row + 1, column) below it.

    >>> board = HexGrid.hexagon(2)
    >>> board.cells, board.neighbours(3)
    (7, [0, 1, 2, 4, 5, 6])
    >>> print(board.picture("abcdefg"))
     a b
    c d e
     f g

    Args:
        places: The row and the column of each cell, in any order.
    """

    places: Iterable[Place]

    def __post_init__(self) -> None:
        places = tuple(sorted(set(self.places)))
        if not places:
            raise RulesError("a board of hexagons has no places; give at least one")
        object.__setattr__(self, "places", places)

    @classmethod
    def hexagon(cls, side: int) -> HexGrid:
        """The board of the shape of a hexagon, with the given number of cells on each side.

        >>> HexGrid.hexagon(3).row_lengths
        (3, 4, 5, 4, 3)
        """
        most = _size(side, "hexagon") - 1
        places = ((row, column) for row in range(-most, most + 1) for column in range(-most, most + 1))
        return cls((row, column) for row, column in places if abs(row + column) <= most)

    @classmethod
    def triangle(cls, side: int) -> HexGrid:
        """The board of the shape of a triangle that stands on one of its sides.

        >>> HexGrid.triangle(3).row_lengths
        (1, 2, 3)
        """
        return cls((row, column) for row in range(_size(side, "triangle")) for column in range(-row, 1))

    @classmethod
    def rhombus(cls, rows: int, columns: int) -> HexGrid:
        """The board of rows of equal length, each half a cell to the right of the one above it.

        >>> HexGrid.rhombus(2, 3).row_lengths
        (3, 3)
        """
        return cls(
            (row, column) for row in range(_size(rows, "rhombus")) for column in range(_size(columns, "rhombus"))
        )

    @property
    def _places(self) -> tuple[Place, ...]:
        return self.places  # type: ignore[return-value]

    @cached_property
    def _cells(self) -> dict[Place, int]:
        return {place: cell for cell, place in enumerate(self._places)}

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.cells))

    @property
    def cells(self) -> int:
        """The number of cells."""
        return len(self._places)

    @property
    def row_lengths(self) -> tuple[int, ...]:
        """The number of cells in each row."""
        return lengths(row for row, _ in self._places)

    @property
    def hole_marks(self) -> str:
        """The characters that stand for no cell in a drawing."""
        return " "

    def cell(self, row: int, column: int) -> int:
        """The number of the cell in a row and a column.

        Raises:
            RulesError: There is no such cell.
        """
        if (row, column) not in self._cells:
            raise RulesError(
                f"there is no cell in row {row}, column {column} of this board; place tells where cells are"
            )
        return self._cells[row, column]

    def place(self, cell: int) -> Place:
        """The row and the column of a cell.

        Raises:
            RulesError: There is no such cell.
        """
        if not 0 <= cell < self.cells:
            raise RulesError(f"there is no cell {cell} on this board; cells go from 0 to {self.cells - 1}")
        return self._places[cell]

    def picture(self, names: Sequence[str]) -> str:
        """The board as a text with a name in each cell, for people to look at."""
        width = len(names[0]) + 1 + (len(names[0]) + 1) % 2  # even, so that half of it is a whole number
        left = min(2 * column + row for row, column in self._places)
        lines: dict[int, str] = {}
        for (row, column), name in zip(self._places, names, strict=True):
            indent = (2 * column + row - left) * width // 2
            lines[row] = lines.get(row, "").ljust(indent) + name
        return "\n".join(lines[row] for row in sorted(lines))

    def neighbours(self, cell: int) -> list[int]:
        """The cells that share a side with a cell, up to six, in ascending order."""
        return [other for other, _ in self._beside(cell)]

    def neighbourhood(self, cell: int) -> list[int]:
        """A cell with all its neighbours."""
        return sorted([cell, *self.neighbours(cell)])

    def steps(self) -> list[tuple[int, int, str]]:
        """All pairs of neighbouring cells, in both orders, each with the direction from the first to the second.

        >>> HexGrid.rhombus(1, 2).steps()
        [(0, 1, 'right'), (1, 0, 'left')]
        """
        return [(cell, other, name) for cell in self for other, name in self._beside(cell)]

    def _beside(self, cell: int) -> list[tuple[int, str]]:
        row, column = self.place(cell)
        near = ((self._cells.get((row + down, column + right)), name) for (down, right), name in STEPS.items())
        return [(other, name) for other, name in near if other is not None]

    def lines(self, length: int) -> list[tuple[int, ...]]:
        """Each straight line of `length` cells, in all three directions.

        >>> HexGrid.triangle(2).lines(2)
        [(0, 2), (0, 1), (1, 2)]
        """
        if length < 1:
            raise RulesError(f"a line of {length} cells is none; give at least 1")
        found = []
        for row, column in self._places:
            for down, right in ((0, 1), (1, 0), (1, -1)) if length > 1 else ((0, 1),):
                line = [self._cells.get((row + down * i, column + right * i)) for i in range(length)]
                if None not in line:
                    found.append(tuple(cell for cell in line if cell is not None))
        return found

    def rotations(self) -> list[Symmetry]:
        """Generators of the rotations that carry the board onto itself.

        >>> [symmetry.name for symmetry in HexGrid.triangle(3).rotations()]
        ['turn by 120 degrees']
        """
        return generators(self._places, ROTATIONS)

    def symmetries(self) -> list[Symmetry]:
        """Generators of all symmetries of the board: 12 for a hexagon, 6 for a triangle, 4 for a rhombus.

        >>> [symmetry.name for symmetry in HexGrid.hexagon(3).symmetries()]
        ['turn by 60 degrees', 'reflection 1']
        """
        return generators(self._places, ROTATIONS + REFLECTIONS)


def _size(number: int, what: str) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= MOST_CELLS:
        raise RulesError(f"a {what} has {number!r} cells on a side; give a whole number from 1 to {MOST_CELLS}")
    return number
