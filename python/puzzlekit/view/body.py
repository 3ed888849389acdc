"""A body whose surface is the board, such as a cube beside its net: a flat facet in space for each cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from puzzlekit.errors import RulesError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from puzzlekit.view.layout import Spot

SIDES = 6
"""The number of faces of a cube."""


@dataclass(frozen=True)
class Vector:
    """A point or a direction in space: how far to the right, how far up, and how far towards the viewer."""

    x: float
    y: float
    z: float

    def __add__(self, other: Vector) -> Vector:
        return Vector(self.x + other.x, self.y + other.y, self.z + other.z)

    def __mul__(self, factor: float) -> Vector:
        return Vector(self.x * factor, self.y * factor, self.z * factor)


@dataclass(frozen=True)
class Facet:
    """The part of a body's surface that is one cell.

    Attributes:
        corners: Its corners, clockwise as seen from outside the body.
    """

    corners: tuple[Vector, ...]


@dataclass(frozen=True)
class _Face:
    """A face of a cube: the directions in space that are right, down and outwards for this part of the net."""

    right: Vector
    down: Vector
    out: Vector

    def beside(self, across: int, down: int) -> _Face:
        """The face one step away in the net, once it is folded: to the right if `across` is 1, below if `down` is 1."""
        if across:
            return _Face(self.out * -across, self.down, self.right * across)
        return _Face(self.right, self.out * -down, self.down * down)


def folded(spots: Sequence[Spot], side: float) -> tuple[Facet, ...]:
    """The facets of a cube whose net the cells are.

    >>> from puzzlekit.view.layout import Spot
    >>> cross = [(1.5, 0.5), (0.5, 1.5), (1.5, 1.5), (2.5, 1.5), (3.5, 1.5), (1.5, 2.5)]
    >>> folded([Spot(cell, *at) for cell, at in enumerate(cross)], 1)[2].corners[0]
    Vector(x=-0.5, y=0.5, z=0.5)

    Args:
        spots: Where the cells lie.
        side: The side of a face, in cells.

    Raises:
        RulesError: The cells are no net of a cube with such faces.
    """
    blocks = {(int(spot.x / side), int(spot.y / side)) for spot in spots} if side > 0 else set()

    def neighbours(block: tuple[int, int]) -> list[tuple[int, int]]:
        return [way for way in ((1, 0), (-1, 0), (0, 1), (0, -1)) if (block[0] + way[0], block[1] + way[1]) in blocks]

    faces: dict[tuple[int, int], _Face] = {}
    pending = [max(sorted(blocks), key=lambda block: len(neighbours(block)))] if len(blocks) == SIDES else []
    for block in pending:
        faces.setdefault(block, _Face(Vector(1, 0, 0), Vector(0, -1, 0), Vector(0, 0, 1)))
        for across, down in neighbours(block):
            other = block[0] + across, block[1] + down
            if other not in faces:
                faces[other] = faces[block].beside(across, down)
                pending.append(other)
    if len({face.out for face in faces.values()}) < SIDES:
        raise RulesError(f"the view is folded with faces of {side} cells, and is no net of a cube; leave fold out")
    return tuple(_facet(spot, side, faces[int(spot.x / side), int(spot.y / side)]) for spot in spots)


def _facet(spot: Spot, side: float, face: _Face) -> Facet:
    across, down, half = spot.x % side - side / 2, spot.y % side - side / 2, spot.size / 2
    middle = face.out * (side / 2)
    around = ((-half, -half), (half, -half), (half, half), (-half, half))
    return Facet(tuple(middle + face.right * (across + x) + face.down * (down + y) for x, y in around))
