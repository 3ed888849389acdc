"""English peg solitaire.

A peg jumps over a neighbour into a hole, and the neighbour is taken away. From a board with one hole in the middle, a
single peg is to be left there, after 31 jumps. Play can reach 23,475,688 boards up to symmetry, of which 2 have the 31
jumps behind them.

The board is drawn, and what is blank in the drawing is no cell. The start is the same drawing, and so is the goal.
"""

from dataclasses import dataclass

from puzzlekit import Grid, Move, Puzzle, Rules

BOARD = """
  ooo
  ooo
ooooooo
ooo.ooo
ooooooo
  ooo
  ooo
"""


@dataclass(frozen=True)
class Pegs(Puzzle):
    """Jump over pegs to take them away, until only one is left, in the middle."""

    id = "pegs"

    def rules(self):
        grid = Grid.drawn(BOARD)
        jumps = [
            Move({a: ".", b: ".", c: "o"}).when({a: "o", b: "o", c: "."}).named(f"{a}-{c}")
            for line in grid.lines(3)
            if line[1] in grid.neighbours(line[0])
            for a, b, c in (line, line[::-1])
        ]
        solved = BOARD.translate(str.maketrans("o.", ".o"))
        return Rules(".o", BOARD, jumps, goal=solved, symmetries=grid.symmetries(), board=grid)
