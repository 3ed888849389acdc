"""The parity of boards: it shows without a search which can be solved, and what turning a board changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from puzzlekit import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence


def is_solvable(board: Sequence[int] | Sequence[Sequence[int]], columns: int | None = None) -> bool:
    """Returns `True` if moves lead from a board to the board in order, with 0 at the top left.

    Each move exchanges 0 with a neighbour. So it changes the parity of the arrangement, and the parity of the distance
    of 0 from the top left. Hence both parities are the same on every board that can be solved. W. E. Story proved that
    this is enough, for boards of at least two rows and two columns ("Notes on the 15 puzzle", American Journal of
    Mathematics 2, 1879).

    >>> is_solvable([[1, 0], [2, 3]]), is_solvable([0, 2, 1, 3], columns=2)
    (True, False)

    Args:
        board: The rows of the board as lists, or all its numbers, row by row.
        columns: The number of columns. Not needed if the rows are given.

    Raises:
        UsageError: `board` is no board of at least two rows and two columns with each number from 0 exactly once.
    """
    numbers, columns = _read(board, columns)
    seen, cycles = set(), 0
    for first in range(len(numbers)):
        cycles += first not in seen
        at = first
        while at not in seen:
            seen.add(at)
            at = numbers[at]
    odd = (len(numbers) - cycles) % 2
    row, column = divmod(numbers.index(0), columns)
    return odd == (row + column) % 2


def rotate_keeps_solvable(rows: int, columns: int) -> bool:
    """Returns `True` if `rotate` keeps boards solvable that have the given rows and columns and can be solved.

    The shape alone decides: either all of them can still be solved, or none can.

    >>> rotate_keeps_solvable(3, 3), rotate_keeps_solvable(4, 4)
    (True, False)
    """
    # Proof, for R rows and C columns. The board can be solved if and only if the parity of its numbers, read row by
    # row, is that of the distance of 0 from the top left (`is_solvable`). `rotate` takes the number in row r, column c
    # to row c, column R - 1 - r, and does two things to these parities.
    # 1. It rearranges the cells. Of two cells in one row, the left one stays before the right one. Of two cells in
    #    different rows, r < s, in the columns c and d, the first comes to stand behind the second if and only if
    #    c >= d. There are R (R - 1) / 2 pairs of rows, and C (C + 1) / 2 pairs of columns c >= d for each. So the
    #    parity of the numbers changes if and only if R (R - 1) / 2 * C (C + 1) / 2 is odd.
    # 2. The distance of 0 was r + c, and is c + R - 1 - r, so its parity changes if and only if R - 1 is odd.
    # The board can be solved again if and only if both parities change or neither does: if
    #    R (R - 1) / 2 * C (C + 1) / 2 + R - 1 is even.
    # R = 1 modulo 4: R (R - 1) / 2 and R - 1 are even: always. R = 0: R (R - 1) / 2 is even, R - 1 is odd: never.
    # R = 2: both are odd, so C (C + 1) / 2 has to be odd: C = 1 or 2 modulo 4. R = 3: R (R - 1) / 2 is odd, R - 1 is
    # even, so C (C + 1) / 2 has to be even: C = 0 or 3 modulo 4.
    return columns % 4 in {0: (), 1: (0, 1, 2, 3), 2: (1, 2), 3: (0, 3)}[rows % 4]


def _read(board: Sequence[int] | Sequence[Sequence[int]], columns: int | None) -> tuple[list[int], int]:
    """The numbers of a board, row by row, and its columns."""
    numbers: list[object] = list(board) if isinstance(board, list | tuple | bytes) else []
    if numbers and all(isinstance(row, list | tuple) for row in numbers):
        widths = {len(row) for row in numbers}  # type: ignore[arg-type]
        if len(widths) > 1 or columns not in (None, *widths):
            raise UsageError(f"the board is {board!r}, columns {columns!r}; give rows of equal length and no columns")
        (columns,) = widths
        numbers = [number for row in numbers for number in row]  # type: ignore[attr-defined]
    whole = [number for number in numbers if isinstance(number, int) and not isinstance(number, bool)]
    if not numbers or len(whole) < len(numbers) or sorted(whole) != list(range(len(whole))):
        raise UsageError(f"the board is {board!r}; give one with each number from 0 once, as rows or row by row")
    if isinstance(columns, bool) or not isinstance(columns, int) or columns < 2 or len(whole) % columns:
        raise UsageError(f"columns is {columns!r} for {len(whole)} numbers; give a whole number from 2 that divides it")
    if len(whole) == columns:
        raise UsageError(f"the board {board!r} has one row; give one of at least two rows")
    return whole, columns
