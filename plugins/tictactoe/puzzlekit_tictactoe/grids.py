"""Grids as lists, row by row: the flips and the rotation of the handout that the puzzle comes from, in place."""

from __future__ import annotations

from typing import Any

from puzzlekit import UsageError


def horizontal_flip(lines: int, columns: int, grid: list[Any]) -> None:
    """Exchanges the rows, top to bottom.

    >>> grid = [0, 1, 2, 3, 4, 5]
    >>> horizontal_flip(2, 3, grid)
    >>> grid
    [3, 4, 5, 0, 1, 2]
    """
    _check(lines, columns, grid)
    grid[:] = [grid[(lines - 1 - row) * columns + column] for row in range(lines) for column in range(columns)]


def vertical_flip(lines: int, columns: int, grid: list[Any]) -> None:
    """Exchanges the columns, left to right.

    >>> grid = [0, 1, 2, 3, 4, 5]
    >>> vertical_flip(2, 3, grid)
    >>> grid
    [2, 1, 0, 5, 4, 3]
    """
    _check(lines, columns, grid)
    grid[:] = [grid[row * columns + columns - 1 - column] for row in range(lines) for column in range(columns)]


def rotate(lines: int, columns: int, grid: list[Any]) -> None:
    """Turns a square grid clockwise by 90 degrees.

    >>> grid = [0, 1, 2, 3]
    >>> rotate(2, 2, grid)
    >>> grid
    [2, 0, 3, 1]

    Raises:
        UsageError: The grid is not square, so it would not fit after the turn.
    """
    _check(lines, columns, grid)
    if lines != columns:
        raise UsageError(f"a grid of {lines} lines and {columns} columns cannot be turned in place; give a square one")
    grid[:] = [grid[(lines - 1 - column) * columns + row] for row in range(lines) for column in range(columns)]


def _check(lines: int, columns: int, grid: list[Any]) -> None:
    for name, size in (("lines", lines), ("columns", columns)):
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise UsageError(f"{name} is {size!r}; give a whole number from 1")
    if not isinstance(grid, list) or len(grid) != lines * columns:
        given = f"{len(grid)} elements" if isinstance(grid, list) else repr(grid)
        raise UsageError(f"the grid has {given}; give a list of {lines * columns}")
