"""The 3x3x3 cube.

Of its states 18 are one turn away, 243 two turns, and 3,240 three, if a half turn counts as one turn; up to the 48
symmetries of the cube that is 2, 9 and 75. All of them are too many to list, but the first depths take no time.

A cell is a sticker: a point in space, one coordinate of which is 2 or -2 and says on which face it is. A turn moves the
points of a layer as a turn of space does, and so do the symmetries, which also change the colours.
"""

from dataclasses import dataclass
from itertools import product

from puzzlekit import Copy, Look, Move, Puzzle, Rules, Symmetry, View

FACES = {"R": (0, 2), "L": (0, -2), "U": (1, 2), "D": (1, -2), "F": (2, 2), "B": (2, -2)}
STICKERS: list[tuple[int, ...]] = [
    point
    for axis, side in FACES.values()
    for point in product((-2, -1, 0, 1, 2), repeat=3)
    if point[axis] == side and sum(abs(at) == 2 for at in point) == 1
]
SOLVED = "".join(face * 9 for face in FACES)
COLOURS = {"R": "red", "L": "orange", "U": "white", "D": "yellow", "F": "green", "B": "blue"}


def turned(point, axis, side):
    """The point to which a quarter turn clockwise, seen from one side of an axis, takes a point."""
    x, y, z = (point[(axis + i) % 3] for i in range(3))
    return tuple(((x, z, -y) if side > 0 else (x, -z, y))[(i - axis) % 3] for i in range(3))


def turn(axis, side):
    """A quarter turn of a face, clockwise."""
    layer = [point for point in STICKERS if point[axis] * side > 0]
    return Move({STICKERS.index(turned(point, axis, side)): Copy(STICKERS.index(point)) for point in layer})


@dataclass(frozen=True)
class Cube3(Puzzle):
    """Turn the faces until each has one colour."""

    id = "cube3"
    half_turns: bool = True

    def rules(self):
        turns = {face: turn(*place) for face, place in FACES.items()}
        moves = [turn.named(face) for face, turn in turns.items()]
        moves += [(~turn).named(f"{face}'") for face, turn in turns.items()]
        moves += [(turn**2).named(f"{face}2") for face, turn in turns.items() if self.half_turns]
        images = [[turned(point, axis, 1) for point in STICKERS] for axis in range(3)]
        images.append([(-x, y, z) for x, y, z in STICKERS])
        symmetries = [Symmetry(tuple(map(STICKERS.index, image))).fixing(SOLVED) for image in images]
        return Rules("RLUDFB", SOLVED, moves, goal=SOLVED, symmetries=symmetries, columns=9)

    def view(self):
        def place(face, x, y, z):
            return {"L": z - 3, "R": 3 - z, "B": 6 - x}.get(face, x), {"U": z - 3, "D": 3 - z}.get(face, -y)

        view = View.of(self.rules(), places=[place(SOLVED[i], *at) for i, at in enumerate(STICKERS)])
        return view.changed(looks={face: Look("tile", face, hue, hue) for face, hue in COLOURS.items()}, fold=3)
