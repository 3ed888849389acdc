"""A board of cells in a ring, perhaps with a cell in the middle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from puzzlekit.describe.patterns import MOST_CELLS
from puzzlekit.describe.rules import Symmetry
from puzzlekit.errors import RulesError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LEAST = 3


@dataclass(frozen=True)
class Ring:
    """Cells in a ring, numbered from 0 clockwise. A centre is one more cell, which is a neighbour of all others.

    >>> list(Ring(4)), Ring(4).neighbours(0)
    ([0, 1, 2, 3], [1, 3])
    >>> Ring(4, centre=True).neighbours(0)
    [1, 3, 4]

    Args:
        length: How many cells are in the ring, at least 3.
        centre: Whether there is a cell in the middle. Its number comes after all others.
    """

    length: int
    centre: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.length, bool) or not isinstance(self.length, int) or not LEAST <= self.length <= MOST_CELLS:
            raise RulesError(f"a ring has {self.length!r} cells; give a whole number from {LEAST} to {MOST_CELLS}")

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.cells))

    @property
    def cells(self) -> int:
        """The number of cells, including the centre."""
        return self.length + bool(self.centre)

    @property
    def row_lengths(self) -> tuple[int, ...]:
        """The number of cells in each row of a state's text: the ring, and then the centre."""
        return (self.length, 1) if self.centre else (self.length,)

    @property
    def hole_marks(self) -> str:
        """The characters that stand for no cell in a drawing."""
        return " "

    def picture(self, names: Sequence[str]) -> str:
        """A text for people to look at: the ring as a row, and below it the centre.

        >>> print(Ring(4, centre=True).picture("abcdo"))
        a b c d
        o
        """
        return "\n".join(" ".join(row) for row in (names[: self.length], names[self.length :]) if row)

    def arc(self, cell: int, length: int) -> list[int]:
        """The given number of neighbouring cells of the ring, clockwise from a cell.

        >>> Ring(5).arc(3, 4)
        [3, 4, 0, 1]

        Raises:
            RulesError: There is no such cell in the ring, or the arc is longer than the ring.
        """
        self._check(cell)
        if not 0 < length <= self.length:
            raise RulesError(f"an arc of {length} cells is none of a ring of {self.length}; give 1 to {self.length}")
        return [(cell + step) % self.length for step in range(length)]

    def _check(self, cell: int) -> None:
        if not 0 <= cell < self.length:
            raise RulesError(f"there is no cell {cell} in a ring of {self.length} cells, numbered from 0")

    def neighbours(self, cell: int) -> list[int]:
        """The neighbours of a cell, in ascending order."""
        if self.centre and cell == self.length:
            return list(range(self.length))
        self._check(cell)
        return sorted({(cell - 1) % self.length, (cell + 1) % self.length}) + [self.length] * bool(self.centre)

    def steps(self) -> list[tuple[int, int, str]]:
        """All pairs of neighbouring cells, in both orders, each with the direction from the first to the second.

        >>> Ring(3).steps()[:2]
        [(0, 1, 'clockwise'), (0, 2, 'anticlockwise')]
        """
        steps = []
        for cell in range(self.length):
            steps.append((cell, (cell + 1) % self.length, "clockwise"))
            steps.append((cell, (cell - 1) % self.length, "anticlockwise"))
            if self.centre:
                steps += [(cell, self.length, "in"), (self.length, cell, f"out to {cell}")]
        return steps

    def lines(self, length: int) -> list[tuple[int, ...]]:
        """All lines of `length` cells: arcs of the ring, and for length 3 also lines across the centre.

        >>> Ring(4, centre=True).lines(3)
        [(0, 1, 2), (1, 2, 3), (2, 3, 0), (3, 0, 1), (0, 4, 2), (1, 4, 3)]
        """
        if length < 1:
            raise RulesError(f"a line of {length} cells is none; give at least 1")
        # A line of all cells of the ring is listed once, since it is the same wherever it begins.
        begins = {self.length: 1}.get(length, self.length) if length <= self.length else 0
        lines = [tuple(self.arc(cell, length)) for cell in range(begins)]
        if self.centre and length == 1:
            lines.append((self.length,))
        if self.centre and length == LEAST and self.length % 2 == 0:
            half = self.length // 2
            lines += [(cell, self.length, cell + half) for cell in range(half)]
        return lines

    def rotations(self) -> list[Symmetry]:
        """A generator of the rotations of the ring: the turn by one cell."""
        return [self._symmetry([(cell + 1) % self.length for cell in range(self.length)], "turn by one")]

    def symmetries(self) -> list[Symmetry]:
        """Generators of all symmetries of the ring, of which there are two for each of its cells.

        >>> [symmetry.cells for symmetry in Ring(4).symmetries()]
        [(1, 2, 3, 0), (0, 3, 2, 1)]
        """
        mirror = self._symmetry([-cell % self.length for cell in range(self.length)], "reflection")
        return [*self.rotations(), mirror]

    def _symmetry(self, ring: list[int], name: str) -> Symmetry:
        return Symmetry((*ring, *range(self.length, self.cells)), name=name)
