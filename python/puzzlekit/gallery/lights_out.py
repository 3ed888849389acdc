"""Lights Out, with any number of colours.

A press of a lamp changes it and the lamps beside it to the next colour. All lamps are to be dark. With two colours on
5 by 5, 8,388,608 states can be reached, which is every fourth, and the worst take 15 presses. With three colours on
3 by 3, all 19,683 states can be reached.

Moves that only add to cells, whatever these hold, commute. The engine knows, and solves them by algebra.
"""

from dataclasses import dataclass

from puzzlekit import Grid, Puzzle, Rules, parameter, toggle


@dataclass(frozen=True)
class LightsOut(Puzzle):
    """Lamps in a square; each press changes a lamp and the lamps beside it."""

    id = "lights_out"
    size: int = parameter(3, 1, 11, "rows and columns")
    colours: int = parameter(2, 2, 10, "colours of a lamp, dark included")

    def rules(self):
        grid = Grid(self.size, self.size)
        dark = "0" * grid.cells
        presses = [toggle(cell, *grid.neighbours(cell)) for cell in grid]
        return Rules(range(self.colours), dark, presses, goal=dark, symmetries=grid.symmetries(), columns=self.size)
