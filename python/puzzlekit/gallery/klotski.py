"""Klotski, or Huarong Dao.

Blocks of four shapes slide on a board of 5 by 4 with two empty cells, and the large one is to get to the middle of the
lower edge. Blocks of one shape are alike. Play reaches 25,955 states. Counted by steps of one cell, the solution takes
116 moves, and the farthest state that play reaches 126; with `slides`, any way of one block is a single move, and the
solution takes 81.

A block of several cells has a symbol for each of its parts, so a cell tells which block it belongs to, and where in it.
"""

from dataclasses import dataclass, replace

from puzzlekit import Grid, Move, Puzzle, Rules

BOARD = "^12^/v34v/^<>^/voov/o..o"
BLOCKS = ["o", "<>", "^ v", "12 34"]
MIRRORED = dict(zip("<>1234", "><2143", strict=True))


def ways(block, slides):
    """The moves of a block from each place to the places beside it, and with `slides` on to those beside these."""
    grid, rows = Grid(5, 4), block.split()
    corners = grid.corners(len(rows), len(rows[0]))
    parts = {at: {at + 4 * r + c: rows[r][c] for r in range(len(rows)) for c in range(len(rows[0]))} for at in corners}
    beside = {at: [other for other in grid.neighbours(at) if other in corners] for at in corners}
    walks = [(a, b) for a in corners for b in beside[a]]
    walks += [(a, b, c) for a, b in walks for c in beside[b] if slides and c != a]
    for walk in walks:
        old, new = parts[walk[0]], parts[walk[-1]]
        free = {cell: "." for at in walk for cell in parts[at] if cell not in old}
        yield Move(dict.fromkeys(old, ".") | new).when(old | free).named(f"{walk[0]}-{walk[-1]}")


@dataclass(frozen=True)
class Klotski(Puzzle):
    """Blocks of four shapes slide, until the large one is at the exit."""

    id = "klotski"
    slides: bool = False

    def rules(self):
        mirror = next(symmetry for symmetry in Grid(5, 4).symmetries() if symmetry.name == "left to right")
        return Rules(
            symbols=".o<>^v1234",
            start=BOARD,
            moves=[move for block in BLOCKS for move in ways(block, self.slides)],
            goal={13: "1", 14: "2", 17: "3", 18: "4"},
            symmetries=[replace(mirror, symbols=MIRRORED)],
        )

    def view(self):
        return super().view().changed(labels={17: "exit"})
