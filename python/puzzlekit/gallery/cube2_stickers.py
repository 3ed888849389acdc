"""The 2x2x2 cube by its stickers.

The corner at the lower left of the back is held, and the upper, right and front faces are turned. 24 stickers in six
colours can look 3,674,160 ways. The farthest take 11 turns if a half turn counts as one turn, and 14 if it counts as
two.

          0  1
          2  3
    4  5  8  9 12 13 16 17
    6  7 10 11 14 15 18 19
         20 21
         22 23

The cells are numbered on this net of the cube. A turn is three cycles of four stickers; `** 2` makes it twice, and `~`
the other way.
"""

from dataclasses import dataclass

from puzzlekit import Look, Puzzle, Rules, View, cycle

COLOURS = {"U": "white", "L": "orange", "F": "green", "R": "red", "B": "blue", "D": "yellow"}
SOLVED = "UUUU/LLLL/FFFF/RRRR/BBBB/DDDD"
NET = ((2, 0), (0, 2), (2, 2), (4, 2), (6, 2), (2, 4))  # where each face begins
TURNS = {
    "U": cycle([0, 1, 3, 2], [8, 4, 16, 12], [9, 5, 17, 13]),
    "R": cycle([12, 13, 15, 14], [9, 1, 18, 21], [11, 3, 16, 23]),
    "F": cycle([8, 9, 11, 10], [2, 12, 21, 7], [3, 14, 20, 5]),
}


@dataclass(frozen=True)
class Cube2Stickers(Puzzle):
    """Turn the faces until each has one colour."""

    id = "cube2_stickers"
    half_turns: bool = True

    def rules(self):
        moves = [turn.named(face) for face, turn in TURNS.items()]
        moves += [(~turn).named(f"{face}'") for face, turn in TURNS.items()]
        if self.half_turns:
            moves += [(turn**2).named(f"{face}2") for face, turn in TURNS.items()]
        return Rules(symbols="ULFRBD", start=SOLVED, moves=moves, goal=SOLVED)

    def view(self):
        faces = [range(4 * face, 4 * face + 4) for face in range(6)]
        places = [(x + at % 2, y + at // 2) for x, y in NET for at in range(4)]
        looks = {face: Look("tile", face, colour, colour) for face, colour in COLOURS.items()}
        return View.of(self.rules(), places=places).changed(looks=looks, regions=faces, fold=2)
