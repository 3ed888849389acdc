"""The sides of a board that a player joins by a path, as lines along the edges of cells."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from math import cos, hypot, pi, sin, sqrt
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from puzzlekit.view.layout import Spot

CORNERS = {"hexagon": (6, 1 / sqrt(3)), "square": (4, 1 / sqrt(2))}
"""For each shape, the number of its corners, and how far they lie from the middle of a cell of width 1."""

OUTWARDS = 0.5
"""An edge of a cell belongs to a side of the board if both face about the same direction: the cosine of the angle
between the directions is larger than this.
"""

ABOUT = 0.1
"""Two middles this close to each other, in cells, are those of one cell."""


@dataclass(frozen=True)
class Line:
    """A straight line between two points of the board, in cells from the upper left corner."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True)
class Side:
    """A side of the board that belongs to a symbol.

    Attributes:
        symbol: The symbol. Paths of it begin or end at the side, and the side has its colour.
        lines: The edges of cells of which the side consists.
    """

    symbol: str
    lines: tuple[Line, ...]

    def moved(self, across: float, down: float) -> Side:
        """The side, moved to the right and downwards."""
        each = (Line(line.x1 + across, line.y1 + down, line.x2 + across, line.y2 + down) for line in self.lines)
        return Side(self.symbol, tuple(each))


def sides(ends: Sequence[Mapping[str, Any]], spots: Sequence[Spot]) -> tuple[Side, ...]:
    """The sides of the board that a path of one symbol has to join to end the game.

    >>> from puzzlekit.view.layout import Spot
    >>> row = [Spot(cell, cell + 0.5, 0.5) for cell in range(3)]
    >>> path = {"symbols": ["X"], "from": [0], "to": [2], "edges": [(0, 1), (1, 2)]}
    >>> [side.lines for side in sides([{"connected": [path]}], row)]
    [(Line(x1=0.0, y1=0.0, x2=0.0, y2=1.0),), (Line(x1=3.0, y1=0.0, x2=3.0, y2=1.0),)]

    Args:
        ends: The ends, as `Rules.to_data` has them.
        spots: Where the cells lie.
    """
    found = []
    for path in (path for end in ends for path in end.get("connected", ()) if len(path["symbols"]) == 1):
        for own, other in (("from", "to"), ("to", "from")):
            lines = tuple(_along([spots[cell] for cell in path[own]], [spots[cell] for cell in path[other]], spots))
            if lines:
                found.append(Side(path["symbols"][0], lines))
    owners: dict[Line, set[str]] = defaultdict(set)
    for side in found:
        for line in side.lines:
            owners[line].add(side.symbol)
    # At a corner, the sides of two symbols may share an edge. Then it belongs to neither.
    return tuple(Side(side.symbol, tuple(line for line in side.lines if len(owners[line]) == 1)) for side in found)


def _along(own: Sequence[Spot], other: Sequence[Spot], spots: Sequence[Spot]) -> Iterator[Line]:
    """The edges of cells of one side that look away from the other side, and have no cell behind them."""
    out_x, out_y = _outwards(own, other)
    for spot in own:
        count, far = CORNERS.get(spot.shape, (0, 0.0))
        for at in range(count):
            turn = 2 * pi / count
            angle = at * turn
            across, down = cos(angle), sin(angle)
            behind = (spot.x + across * spot.size, spot.y + down * spot.size)
            is_free = all(hypot(each.x - behind[0], each.y - behind[1]) > ABOUT for each in spots)
            if is_free and across * out_x + down * out_y > OUTWARDS:
                reach = far * spot.size
                corners = [
                    (round(spot.x + reach * cos(end), 3) + 0.0, round(spot.y + reach * sin(end), 3) + 0.0)
                    for end in (angle - turn / 2, angle + turn / 2)
                ]
                first, last = sorted(corners)
                yield Line(*first, *last)


def _outwards(own: Sequence[Spot], other: Sequence[Spot]) -> tuple[float, float]:
    """The direction that a side faces, of length 1: at right angles to its row of cells, away from the other side."""
    away = [sum(getattr(spot, axis) for spot in own) / len(own) for axis in "xy"]
    away = [at - sum(getattr(spot, axis) for spot in other) / len(other) for at, axis in zip(away, "xy", strict=True)]
    first, last = own[0], own[-1]
    across, down = (last.y - first.y, first.x - last.x) if len(own) > 1 else (away[0], away[1])
    long = hypot(across, down) or 1.0
    sign = -1.0 if across * away[0] + down * away[1] < 0 else 1.0
    return sign * across / long, sign * down / long
