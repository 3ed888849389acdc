"""The 2x2x2 cube by its pieces.

One corner is held, and the three faces away from it are turned: so 7 corners change places and are twisted. They lie
in 3,674,160 ways. The farthest take 11 turns if a half turn counts as one turn, and 14 if it counts as two.

A symbol is a corner with its twist: `a` as it should be, `a+` twisted clockwise, `a-` the other way. The cells are the
places: a to d in the upper layer, clockwise from the front right, and e to g below the first three of them.
"""

from dataclasses import dataclass

from puzzlekit import Copy, Move, Puzzle, Rules

TWISTS = ["", "+", "-"]
CORNERS = "abcdefg"
# The four corners of a face, clockwise, and the twist of each on its way to the next.
FACES = {"U": ("abcd", (0, 0, 0, 0)), "R": ("eadg", (2, 1, 2, 1)), "F": ("baef", (1, 2, 1, 2))}


def turn(face, times):
    """One to three quarter turns of a face, clockwise."""
    places, twists = FACES[face]
    then = {}
    for at, place in enumerate(places):
        by = sum(twists[(at + step) % 4] for step in range(times))
        twisted = {corner + TWISTS[t]: corner + TWISTS[(t + by) % 3] for corner in CORNERS for t in range(3)}
        then[CORNERS.index(places[(at + times) % 4])] = Copy(CORNERS.index(place), twisted)
    return Move(then).named(face + ["", "2", "'"][times - 1])


@dataclass(frozen=True)
class Cube2Pieces(Puzzle):
    """The 2x2x2 cube as seven corners that change places and are twisted."""

    id = "cube2_pieces"
    half_turns: bool = True

    def rules(self):
        moves = [turn(face, times) for face in FACES for times in ([1, 2, 3] if self.half_turns else [1, 3])]
        symbols = [corner + twist for corner in CORNERS for twist in TWISTS]
        return Rules(symbols=symbols, start=CORNERS, moves=moves, goal=[CORNERS])
