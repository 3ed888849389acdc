"""Which boards can be solved, told by parity without a search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from puzzlekit import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence


def is_solvable(numbers: Sequence[int], columns: int) -> bool:
    """Whether moves lead from a board, given row by row, to the one in order with 0 at the top left.

    Each move exchanges 0 with a neighbour: it changes the parity of the arrangement, and that of the distance of 0
    from the top left. So the two parities are the same on every board that can be solved. That this is enough was
    proved by W. E. Story ("Notes on the 15 puzzle", American Journal of Mathematics 2, 1879).

    >>> is_solvable([1, 0, 2, 3], 2), is_solvable([0, 2, 1, 3], 2)
    (True, False)
    """
    whole = isinstance(numbers, list | tuple | bytes) and all(isinstance(number, int) for number in numbers)
    if not whole or not numbers or sorted(numbers) != list(range(len(numbers))):
        raise UsageError(f"the numbers are {numbers!r}; give a list with each number from 0 once, row by row")
    seen, cycles = set(), 0
    for first in range(len(numbers)):
        cycles += first not in seen
        at = first
        while at not in seen:
            seen.add(at)
            at = numbers[at]
    odd = (len(numbers) - cycles) % 2
    row, column = divmod(list(numbers).index(0), columns)
    return odd == (row + column) % 2
