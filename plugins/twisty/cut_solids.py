"""Makes twisty puzzles from their geometry: a regular solid, and the planes that cut it, as a `.tws` text.

The faces of a solid have the distance 1 from its middle. `c f 1/3` is a cube (c) with cuts parallel to its faces (f),
each a third of the way out: the 3x3x3. Cuts may stand across the lines to vertices (v) and edges (e), too. The other
solids are the tetrahedron (t), the octahedron (o), the dodecahedron (d) and the icosahedron (i).

A line through the middle has slabs between its cuts, and each slab turns by itself. Of an odd number, the middle one
stays where it is. With `blocks`, a slab turns together with those outside of it. `without 1 2` leaves out the pieces
with one sticker or two.

The program twsearch has such puzzles among its samples. These here are made from nothing but the numbers.
"""

from __future__ import annotations

import math
import string
from fractions import Fraction
from itertools import combinations, product

Point = tuple[float, ...]

GOLDEN = (1 + math.sqrt(5)) / 2
NEAR = 1e-6
CUBE = [tuple(float(sign * (axis == place)) for place in range(3)) for axis in range(3) for sign in (1, -1)]
CORNERS = [tuple(map(float, signs)) for signs in product((1, -1), repeat=3)]
DIRECTIONS: dict[str, list[Point]] = {
    "t": [corner for corner in CORNERS if math.prod(corner) > 0],
    "c": CUBE,
    "o": CORNERS,
    "d": [turned for a, b in product((1, -1), repeat=2) for turned in [
        (0.0, a, b * GOLDEN), (a, b * GOLDEN, 0.0), (b * GOLDEN, 0.0, a)]],
    "i": CORNERS + [turned for a, b in product((1, -1), repeat=2) for turned in [
        (0.0, a / GOLDEN, b * GOLDEN), (a / GOLDEN, b * GOLDEN, 0.0), (b * GOLDEN, 0.0, a / GOLDEN)]],
}  # fmt: skip
"""The lines from the middle to the faces of each solid."""


def dot(a: Point, b: Point) -> float:
    """The scalar product: how far one point goes along another one of length 1."""
    return sum(x * y for x, y in zip(a, b, strict=True))


def cross(a: Point, b: Point) -> Point:
    """The vector product: a line across both."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def middle(points: list[Point]) -> Point:
    """The middle of some points."""
    return tuple(sum(column) / len(points) for column in zip(*points, strict=True))


def unit(a: Point) -> Point:
    """A point on the same line, with the distance 1 from the middle."""
    return tuple(x / math.sqrt(dot(a, a)) for x in a)


def turned(point: Point, axis: Point, angle: float) -> Point:
    """A point after a turn around an axis of length 1 (O. Rodrigues)."""
    side, along = cross(axis, point), dot(axis, point) * (1 - math.cos(angle))
    return tuple(
        x * math.cos(angle) + y * math.sin(angle) + z * along for x, y, z in zip(point, side, axis, strict=True)
    )


def around(points: list[Point], axis: Point) -> list[Point]:
    """Points in their order around an axis."""
    first = unit(cross(axis, unit((0.31, 0.57, 0.76))))
    second = cross(axis, first)
    return sorted(points, key=lambda point: math.atan2(dot(point, second), dot(point, first)))


def split(polygon: list[Point], axis: Point, distance: float) -> list[list[Point]]:
    """The parts of a polygon on both sides of a plane; the polygon alone if it lies on one side."""
    heights = [dot(point, axis) - distance for point in polygon]
    if min(heights) > -NEAR or max(heights) < NEAR:
        return [polygon]
    parts: list[list[Point]] = [[], []]
    for place, (point, height) in enumerate(zip(polygon, heights, strict=True)):
        after, next_height = polygon[(place + 1) % len(polygon)], heights[(place + 1) % len(polygon)]
        for part, sign in zip(parts, (1, -1), strict=True):
            if sign * height > -NEAR:
                part.append(point)
        if height * next_height < 0 and min(abs(height), abs(next_height)) > NEAR:
            share = height / (height - next_height)
            crossing = tuple(a + share * (b - a) for a, b in zip(point, after, strict=True))
            for part in parts:
                part.append(crossing)
    return parts


def key(point: Point) -> tuple[int, ...]:
    """Whole numbers that are the same for points that differ by errors of rounding alone."""
    return tuple(math.floor(x * 10_000 + 0.377) for x in point)


class Cut:
    """A solid that is cut, as stickers: the parts of its faces."""

    def __init__(self, description: str) -> None:
        solid, *words = description.split()
        self.blocks = "blocks" in words
        words = [word for word in words if word != "blocks"]
        self.without = {int(word) for word in words[words.index("without") + 1 :]} if "without" in words else set()
        words = words[: words.index("without")] if "without" in words else words
        faces = [unit(direction) for direction in DIRECTIONS[solid]]
        corners = self._corners(faces)
        polygons = [around([each for each in corners if dot(each, face) > 1 - NEAR], face) for face in faces]
        edges = {
            key(middle([a, b])): middle([a, b])
            for polygon in polygons
            for a, b in zip(polygon, polygon[1:] + polygon[:1], strict=True)
        }
        lines = {"f": faces, "v": list(map(unit, corners)), "e": list(map(unit, edges.values()))}
        shared = sum(dot(corners[0], face) > 1 - NEAR for face in faces)
        orders = {"f": len(polygons[0]), "v": shared, "e": 2}
        self.axes: list[tuple[Point, int, list[float]]] = []
        for kind, number in zip(words[::2], words[1::2], strict=True):
            for direction in lines[kind]:
                self._cut(direction, orders[kind], float(Fraction(number)))
        stickers = [(number, polygon) for number, polygon in enumerate(polygons)]
        for axis, _, distances in self.axes:
            for distance in distances:
                stickers = [(face, part) for face, whole in stickers for part in split(whole, axis, distance)]
        self.colours = [face for face, _ in stickers]
        self.points = [middle(polygon) for _, polygon in stickers]

    @staticmethod
    def _corners(faces: list[Point]) -> list[Point]:
        """The points where three faces or more meet, and that no face cuts off."""
        found: dict[tuple[int, ...], Point] = {}
        for a, b, c in combinations(faces, 3):
            volume = dot(a, cross(b, c))
            if abs(volume) > NEAR:
                sides = [cross(b, c), cross(c, a), cross(a, b)]
                point = tuple(sum(column) / volume for column in zip(*sides, strict=True))
                if all(dot(point, face) < 1 + NEAR for face in faces):
                    found.setdefault(key(point), point)
        return list(found.values())

    def _cut(self, direction: Point, order: int, distance: float) -> None:
        for axis, _, distances in self.axes:
            along = dot(axis, direction)
            if abs(along) > 1 - NEAR:
                if all(abs(known - along * distance) > NEAR for known in distances):
                    distances.append(along * distance)
                return
        self.axes.append((direction, order, [distance]))

    def pieces(self) -> list[list[int]]:
        """The stickers of each piece that moves turn, in their order around it."""
        found: dict[tuple[bool, ...], list[int]] = {}
        for sticker in sorted({sticker for goes in self.moves().values() for sticker in goes}):
            point = self.points[sticker]
            sides = tuple(dot(point, axis) > distance for axis, _, distances in self.axes for distance in distances)
            found.setdefault(sides, []).append(sticker)
        pieces = []
        for stickers in found.values():
            if len(stickers) not in self.without:
                points = [self.points[sticker] for sticker in stickers]
                in_order = around(points, unit(middle(points)))
                pieces.append([stickers[points.index(point)] for point in in_order])
        return pieces

    def moves(self) -> dict[str, dict[int, int]]:
        """For each move the stickers that it turns, and where each goes."""
        where = {key(point): sticker for sticker, point in enumerate(self.points)}
        found = {}
        names = ("".join(letters) for letters in product(string.ascii_uppercase, repeat=2))
        for axis, order, distances in self.axes:
            bounds = [-9.0, *sorted(distances), 9.0]
            for slab in range(len(bounds) - 1):
                low, high = bounds[slab], bounds[slab + 1]
                if 2 * slab == len(bounds) - 2:
                    continue
                if self.blocks:
                    low, high = (low, 9.0) if 2 * slab > len(bounds) - 2 else (-9.0, high)
                found[next(names)] = {
                    sticker: where[key(turned(point, axis, math.tau / order))]
                    for sticker, point in enumerate(self.points)
                    if low < dot(point, axis) < high
                }
        return found


def tws(description: str) -> str:
    """The puzzle of a description, as a `.tws` text in the older of the two conventions."""
    cut = Cut(description)
    pieces, moves = cut.pieces(), cut.moves()
    place = {sticker: (number, turn) for number, piece in enumerate(pieces) for turn, sticker in enumerate(piece)}
    sets: list[set[int]] = []
    for number in range(len(pieces)):
        if not any(number in known for known in sets):
            reached, new = {number}, [number]
            for here in new:
                after = {place[goes.get(pieces[here][0], pieces[here][0])][0] for goes in moves.values()}
                new += after - reached
                reached |= after
            sets.append(reached)
    lines = [f"Name {description}"]
    orders = [sorted(each) for each in sets]
    for number, order in enumerate(orders):
        lines.append(f"Set S{number} {len(order)} {len(pieces[order[0]])}")
    lines.append("Solved")
    for number, order in enumerate(orders):
        # Pieces of the same colours, in the same order around, are alike. The least of these orders stands for them.
        colours = [[cut.colours[sticker] for sticker in pieces[each]] for each in order]
        least = [min((each[turn:] + each[:turn], turn) for turn in range(len(each))) for each in colours]
        kinds = sorted({tuple(kind) for kind, _ in least})
        lines += [f"S{number}", " ".join(str(1 + kinds.index(tuple(kind))) for kind, _ in least)]
        lines.append(" ".join(str(turn) for _, turn in least))
    lines.append("End")
    for name, goes in moves.items():
        lines.append(f"Move {name}")
        for number, order in enumerate(orders):
            targets = [place[goes.get(pieces[each][0], pieces[each][0])] for each in order]
            sources = {target: source for source, (target, _) in enumerate(targets)}
            lines += [f"S{number}", " ".join(str(1 + sources[each]) for each in order)]
            lines.append(" ".join(str(twist) for _, twist in targets))
        lines.append("End")
    return "\n".join(lines) + "\n"
