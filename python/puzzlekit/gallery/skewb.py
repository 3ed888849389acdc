"""The Skewb, a cube that turns around its corners, by its stickers.

It looks 3,149,280 ways, 131,391 up to its symmetries, and each is solved in at most 11 turns. Four corners turn and
stay in place, the others travel, and so do the six centres: the engine finds that these pieces are of different kinds.

A sticker is a point in space, as in `cube3.py`. A turn moves the half of the cube around a corner.
"""

from dataclasses import dataclass
from itertools import product

from puzzlekit import Copy, Move, Puzzle, Rules, Symmetry, View

FACES = {"R": (0, 2), "L": (0, -2), "U": (1, 2), "D": (1, -2), "F": (2, 2), "B": (2, -2)}
STICKERS = [
    point
    for axis, side in FACES.values()
    for point in product((-2, -1, 0, 1, 2), repeat=3)
    if point[axis] == side and sorted(map(abs, point)) in ([0, 0, 2], [1, 1, 2])
]
SOLVED = "".join(face * 5 for face in FACES)
CORNERS = {"R": (1, 1, 1), "L": (-1, 1, -1), "F": (-1, -1, 1), "B": (1, -1, -1)}


def turned(point, corner):
    """The point to which a third of a turn around a corner takes a point."""
    x, y, z = (at * sign for at, sign in zip(point, corner, strict=True))
    return tuple(at * sign for at, sign in zip((z, x, y), corner, strict=True))


def turn(corner):
    """A third of a turn of the half of the cube that a corner is in."""

    def side(point):
        return sum((at * sign > 0) - (at * sign < 0) for at, sign in zip(point, corner, strict=True))

    half = [point for point in STICKERS if side(point) > 0]
    return Move({STICKERS.index(turned(point, corner)): Copy(STICKERS.index(point)) for point in half})


@dataclass(frozen=True)
class Skewb(Puzzle):
    """Turn halves of the cube around its corners until each face has one colour."""

    id = "skewb"

    def rules(self):
        turns = {name: turn(corner) for name, corner in CORNERS.items()}
        moves = [turn.named(name) for name, turn in turns.items()]
        moves += [(~turn).named(f"{name}'") for name, turn in turns.items()]
        images = [[turned(point, corner) for point in STICKERS] for corner in CORNERS.values()]
        images.append([(y, x, z) for x, y, z in STICKERS])
        symmetries = [Symmetry(tuple(map(STICKERS.index, image))).fixing(SOLVED) for image in images]
        return Rules("RLUDFB", SOLVED, moves, goal=SOLVED, symmetries=symmetries, columns=5)

    def view(self):
        def place(face, x, y, z):
            return {"L": z - 3, "R": 3 - z, "B": 6 - x}.get(face, x), {"U": z - 3, "D": 3 - z}.get(face, -y)

        return View.of(self.rules(), places=[place(SOLVED[i], *at) for i, at in enumerate(STICKERS)]).changed(fold=3)
