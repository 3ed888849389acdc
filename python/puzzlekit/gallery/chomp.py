"""Chomp.

Two players eat a bar of chocolate. A bite takes a piece and all that lie below it, to the right of it, or both. The
piece at the top left is poisoned: who eats it loses. Play on a bar of 4 by 5 reaches 250
states. The first player wins on every bar but the single piece.

A bite writes more cells than its guard names: those that were eaten before stay empty.
"""

from dataclasses import dataclass

from puzzlekit import Grid, Look, Move, Puzzle, Rules, parameter


@dataclass(frozen=True)
class Chomp(Puzzle):
    """Bites from a bar of chocolate; who eats the poisoned piece loses."""

    id = "chomp"
    rows: int = parameter(4, 1, 10, "rows")
    columns: int = parameter(5, 1, 10, "columns")

    def rules(self):
        grid = Grid(self.rows, self.columns)
        bites = []
        for piece in grid:
            top, left = grid.place(piece)
            eaten = [cell for cell in grid if cell // self.columns >= top and cell % self.columns >= left]
            bites.append(Move(dict.fromkeys(eaten, ".")).when({piece: "#"}))
        # Who cannot bite is not the one who ate the poisoned piece.
        start = "#" * grid.cells
        return Rules(".#", start, bites, players=["first", "second"], stuck="win", columns=self.columns)

    def view(self):
        return super().view().changed(looks={"#": Look("tile", "", "#6b3e26", "chocolate")})
