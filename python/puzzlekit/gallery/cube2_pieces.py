"""The 2x2x2 cube by its pieces.

One corner is held, and the three faces away from it are turned: so 7 corners change places and are twisted. They lie
in 3,674,160 ways. The farthest take 11 turns if a half turn counts as one turn, and 14 if it counts as two.

A symbol is a corner with its twist: `a` as it should be, `a+` twisted clockwise, `a-` the other way. The cells are the
places: a to d in the upper layer, clockwise from the front right, then e below a, f below b, and g below d. `** 2`
makes a turn twice, and `~` the other way; twists are added up on the way.
"""

from dataclasses import dataclass

from puzzlekit import Copy, Move, Puzzle, Rules

TWISTS = ["", "+", "-"]
CORNERS = "abcdefg"
# The corners of a face clockwise, and the twist of each on its way to the next.
FACES = {"U": ("abcd", (0, 0, 0, 0)), "R": ("eadg", (2, 1, 2, 1)), "F": ("baef", (1, 2, 1, 2))}


def turn(corners, twists):
    """A quarter turn clockwise."""
    places = [CORNERS.index(corner) for corner in corners]
    then = {}
    for at, to, by in zip(places, places[1:] + places[:1], twists, strict=True):
        then[to] = Copy(at, {corner + TWISTS[t]: corner + TWISTS[(t + by) % 3] for corner in CORNERS for t in range(3)})
    return Move(then)


@dataclass(frozen=True)
class Cube2Pieces(Puzzle):
    """Turn the faces until all seven corners are in their places, and untwisted."""

    id = "cube2_pieces"
    half_turns: bool = True

    def rules(self):
        turns = {face: turn(*about) for face, about in FACES.items()}
        moves = [turn.named(face) for face, turn in turns.items()]
        moves += [(~turn).named(f"{face}'") for face, turn in turns.items()]
        if self.half_turns:
            moves += [(turn**2).named(f"{face}2") for face, turn in turns.items()]
        symbols = [corner + twist for corner in CORNERS for twist in TWISTS]
        return Rules(symbols=symbols, start=CORNERS, moves=moves, goal=[CORNERS])
