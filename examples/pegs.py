"""English peg solitaire.

A peg jumps over a neighbour into a hole, and the neighbour is taken away. From a board with one hole in the middle, a
single peg is to be left there, after 31 jumps. Play can reach 23,475,688 boards up to symmetry, of which 2 have the 31
jumps behind them.

The corners outside the cross are walls, which no move touches. The solved board is a goal that names every cell.
"""

from dataclasses import dataclass

from puzzlekit import Grid, Move, Puzzle, Rules

BOARD = """
##ooo##
##ooo##
ooooooo
ooo.ooo
ooooooo
##ooo##
##ooo##
"""


@dataclass(frozen=True)
class Pegs(Puzzle):
    """English peg solitaire on the cross of 33 holes."""

    id = "pegs"

    def rules(self):
        grid = Grid(7, 7)
        start = "".join(BOARD.split())
        jumps = [
            Move({a: ".", b: ".", c: "o"}).when({a: "o", b: "o", c: "."}).named(f"{a}-{c}")
            for line in grid.lines(3)
            if line[1] - line[0] in (1, 7) and all(start[cell] != "#" for cell in line)
            for a, b, c in (line, line[::-1])
        ]
        solved = start.translate({ord("o"): ".", ord("."): "o"})
        return Rules("#.o", start, jumps, goal=solved, symmetries=grid.symmetries(), columns=7)
