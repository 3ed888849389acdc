"""The places of a state's cells in a picture: from the board, or from the rows of the text."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from puzzlekit.describe.beside import Beside
from puzzlekit.describe.grid import Grid
from puzzlekit.describe.hexgrid import HexGrid
from puzzlekit.describe.places import at_corner
from puzzlekit.describe.ring import Ring

if TYPE_CHECKING:
    from puzzlekit.describe.drawing import Board

MOST_IN_A_ROW = 16
"""The most cells that are drawn as one row if the rules have no rows."""

THICK = 0.5
"""The height of a piece in a pile, in cells."""

LINES = ("across", "down")
"""The shapes of cells that are lines: from left to right, and from the top downwards."""

THIN = 0.17
"""The width of a cell that is a line, in cells."""

DOT = 0.08
"""The radius of the dots at the ends of a cell that is a line, in cells."""

ABOUT = 0.01
"""A cell counts as lying in a row or a column if its middle is no farther from it than this, in cells."""


FARTHEST = 10_000
"""The farthest that a cell may lie from the corner of the board, in cells."""


@dataclass(frozen=True)
class Spot:
    """The place of a cell. Lengths are in cells: a square cell has sides of 1.

    Attributes:
        cell: The cell's number.
        x: How far the middle of the cell lies from the left edge of the picture.
        y: How far the middle of the cell lies from the upper edge.
        shape: `"square"`, `"hexagon"` (that stands on a corner), `"disk"`; `"across"` or `"down"` for a line between
            two dots; or `"stack"` for a piece whose symbol is the pile that it lies on.
        size: The width of the cell; the length of a line.
        label: A short text in the corner of the cell, such as a number by which people call it; empty for none.
        name: What the cell is called aloud, such as `row 2, column 3`.
    """

    cell: int
    x: float
    y: float
    shape: str = "square"
    size: float = 1.0
    label: str = ""
    name: str = ""


def spots(cells: int, board: Board | None, row_lengths: Sequence[int]) -> tuple[Spot, ...]:
    """The places of cells, for rules with a board or with rows.

    >>> [(spot.x, spot.y) for spot in spots(4, None, [2, 2])]
    [(0.5, 0.5), (1.5, 0.5), (0.5, 1.5), (1.5, 1.5)]
    >>> spots(7, HexGrid.hexagon(2), ())[3].shape
    'hexagon'

    Args:
        cells: How many cells there are.
        board: The board, if the rules have one.
        row_lengths: How many cells each row of a state's text has.
    """
    if isinstance(board, Grid):
        places = at_corner([board.place(cell) for cell in board])  # rows and columns of holes at the edges are left out
        return tuple(
            Spot(cell, column + 0.5, row + 0.5, name=_named(row, column)) for cell, (row, column) in enumerate(places)
        )
    if isinstance(board, HexGrid):
        return _hexagons(board)
    if isinstance(board, Ring):
        return _ring(board)
    if isinstance(board, Beside):
        return _beside(board)
    drawn = _drawn(board, cells) if board is not None else None
    return drawn or _rows(cells, row_lengths)


def _named(row: int, column: int) -> str:
    return f"row {row + 1}, column {column + 1}"


def _hexagons(board: HexGrid) -> tuple[Spot, ...]:
    """Rows of hexagons, each row half a cell to the right of the one above it."""
    found = [
        Spot(cell, column + row / 2, row * math.sqrt(3) / 2, "hexagon", 1.0, name=_named(row, column))
        for cell, (row, column) in enumerate(map(board.place, board))
    ]
    top = min(row for row, _ in map(board.place, board))
    first = {row: min(c for r, c in map(board.place, board) if r == row) for row, _ in map(board.place, board)}
    # In the names, rows are counted, and the cells of a row from its left end, as people see them. The board's own
    # columns are slanted.
    named = [
        replace(spot, name=_named(row - top, column - first[row]))
        for spot, (row, column) in zip(found, map(board.place, board), strict=True)
    ]
    return moved(named)


def _ring(board: Ring) -> tuple[Spot, ...]:
    """Cells around a circle, clockwise from the top, and maybe one in the middle."""
    least = 1.25 if board.centre else 0.5
    radius = max(least, 0.56 / math.sin(math.pi / board.length))
    turns = [2 * math.pi * cell / board.length for cell in range(board.length)]
    found = [
        Spot(cell, radius * math.sin(turn), -radius * math.cos(turn), "disk", 1.0, name=f"place {cell + 1} of the ring")
        for cell, turn in enumerate(turns)
    ]
    if board.centre:
        found.append(Spot(board.length, 0.0, 0.0, "disk", 1.0, name="the middle"))
    return moved(found)


def _beside(board: Beside) -> tuple[Spot, ...]:
    """The places of a board's cells and, half a cell below the board, a row of the cells beside it."""
    inside = spots(board.board.cells, board.board, board.board.row_lengths)
    below = max(spot.y + half_height(spot) for spot in inside) + 0.5
    extra = [
        Spot(cell, at + 0.5, below + 0.5, name=f"place {at + 1} beside the board")
        for at, cell in enumerate(board.extra)
    ]
    return moved([*inside, *extra])


def _drawn(board: Board, cells: int) -> tuple[Spot, ...] | None:
    """The places of a board's cells among the characters of its drawing; `None` if some are missing.

    A cell is as wide as the smallest distance of two cells in a line of the drawing.
    """
    names = [chr(0xE000 + cell) for cell in range(cells)]  # characters for private use, which no picture has otherwise
    lines = board.picture(names).splitlines()
    at = {name: (row, column) for row, line in enumerate(lines) for column, name in enumerate(line)}
    if not set(names) <= set(at):
        return None
    rows: dict[int, list[int]] = {}
    for row, column in (at[name] for name in names):
        rows.setdefault(row, []).append(column)
    gaps = [b - a for columns in map(sorted, rows.values()) for a, b in pairwise(columns)]
    wide = min(gaps, default=1)
    found = [Spot(cell, at[name][1] / wide, at[name][0]) for cell, name in enumerate(names)]
    return moved(named(found))


def _rows(cells: int, row_lengths: Sequence[int]) -> tuple[Spot, ...]:
    """Rows as in a state's text. A long text without rows is cut into about a square: 20 cells make four rows of 5."""
    lengths = list(row_lengths)
    if len(lengths) == 1 and cells > MOST_IN_A_ROW:
        columns = math.ceil(math.sqrt(cells))
        lengths = [columns] * (cells // columns) + [cells % columns] * bool(cells % columns)
    places = [(row, column) for row, length in enumerate(lengths) for column in range(length)]
    one = len(lengths) == 1
    return tuple(
        Spot(cell, column + 0.5, row + 0.5, name=f"place {column + 1}" if one else _named(row, column))
        for cell, (row, column) in enumerate(places)
    )


def named(found: Sequence[Spot]) -> tuple[Spot, ...]:
    """Gives names to the spots that have none: row and column, if all spots lie in rows and columns; else the number.

    >>> [spot.name for spot in named([Spot(0, 2.5, 1.0), Spot(1, 1.5, 2.0)])]
    ['row 1, column 2', 'row 2, column 1']
    >>> [spot.name for spot in named([Spot(0, 0.0, 0.0), Spot(1, 0.7, 0.7)])]
    ['cell 0', 'cell 1']
    """
    if any(spot.shape in LINES for spot in found):
        return _with_lines(found)
    left, top = min(spot.x for spot in found), min(spot.y for spot in found)
    places = [(spot.y - top, spot.x - left) for spot in found]
    in_rows = all(abs(at - round(at)) < ABOUT for place in places for at in place)
    return tuple(
        replace(spot, name=spot.name or (_named(round(row), round(column)) if in_rows else f"cell {spot.cell}"))
        for spot, (row, column) in zip(found, places, strict=True)
    )


def _with_lines(found: Sequence[Spot]) -> tuple[Spot, ...]:
    """Gives names to the cells of a board with lines: rows and columns are counted among those of one shape.

    >>> [spot.name for spot in named([Spot(0, 0.5, 0, "across"), Spot(1, 0, 0.5, "down"), Spot(2, 0.5, 0.5)])]
    ['line across, row 1, column 1', 'line down, row 1, column 1', 'row 1, column 1']
    """
    rows: dict[str, set[float]] = defaultdict(set)
    columns: dict[str, set[float]] = defaultdict(set)
    for spot in found:
        rows[spot.shape].add(round(spot.y, 3))
        columns[spot.shape].add(round(spot.x, 3))

    def name(spot: Spot) -> str:
        row = sorted(rows[spot.shape]).index(round(spot.y, 3))
        column = sorted(columns[spot.shape]).index(round(spot.x, 3))
        return (f"line {spot.shape}, " if spot.shape in LINES else "") + _named(row, column)

    return tuple(replace(spot, name=spot.name or name(spot)) for spot in found)


def moved(found: Sequence[Spot]) -> tuple[Spot, ...]:
    """The spots, all shifted by the same distance, so that the leftmost and the uppermost touch the picture's edges."""
    left = min(spot.x - half_width(spot) for spot in found)
    top = min(spot.y - half_height(spot) for spot in found)
    return tuple(replace(spot, x=round(spot.x - left, 4), y=round(spot.y - top, 4)) for spot in found)


def piled(spots: Sequence[Spot], symbols: Sequence[str], cells: Sequence[str], width: float) -> Sequence[Spot]:
    """The places of the cells in a state. In a puzzle of piles, cells are pieces.

    The symbol of such a cell is the pile that it lies on. In a pile, cells with larger numbers lie farther down.

    >>> disks = [Spot(0, 0.5, 0.5, "stack", 1), Spot(1, 0.5, 0.5, "stack", 2)]
    >>> [(spot.x, spot.y) for spot in piled(disks, "AB", "AA", 4)], [spot.x for spot in piled(disks, "AB", "AB", 4)]
    ([(1.0, 0.75), (1.0, 1.25)], [1.0, 3.0])

    Args:
        spots: Where the cells lie.
        symbols: The symbols of the rules, one for each pile.
        cells: The symbol of each cell.
        width: The width of the board.
    """
    if any(spot.shape != "stack" for spot in spots):
        return spots
    each, floor = width / len(symbols), THICK * (len(spots) + 1)
    found = []
    for spot in spots:
        below = cells[spot.cell :].count(cells[spot.cell])
        x = (symbols.index(cells[spot.cell]) + 0.5) * each
        found.append(replace(spot, x=round(x, 4), y=round(floor - (below - 0.5) * THICK, 4)))
    return found


def is_place(where: object) -> bool:
    """Returns `True` if this is a place on a board that can be drawn: two lengths, none of them too large."""
    numbers = tuple(where) if isinstance(where, Sequence) and not isinstance(where, str | bytes) else ()
    # NaN is not at most anything.
    return len(numbers) == 2 and all(isinstance(one, int | float) and abs(one) <= FARTHEST for one in numbers)


def half_width(spot: Spot) -> float:
    """Half of the width of a spot. If the spot is a line, the dots at its ends are included."""
    if spot.shape == "down":
        return DOT
    return spot.size / 2 + (DOT if spot.shape == "across" else 0.0)


def half_height(spot: Spot) -> float:
    """Half of the height of a spot. A hexagon, which stands on a corner, is higher than it is wide."""
    if spot.shape == "across":
        return DOT
    if spot.shape == "down":
        return spot.size / 2 + DOT
    return spot.size / math.sqrt(3) if spot.shape == "hexagon" else spot.size / 2
