"""Chomp in three dimensions.

Two players eat a block of chocolate. A bite takes a piece and all that lie behind it, below it, to the right of it, or
more of these. The first piece is poisoned: who eats it loses. What is left of the block is a plane partition in a box,
and P. A. MacMahon's formula counts 980 of these in a box of 3 by 3 by 3. The first player wins on every block but the
single piece, as on a flat bar.

The layers lie side by side on one board, with a column of holes between them. So pictures and texts show each.
"""

from dataclasses import dataclass
from itertools import product

from puzzlekit import Grid, Look, Move, Puzzle, Rules, parameter


@dataclass(frozen=True)
class Chomp3D(Puzzle):
    """Bites from a block of chocolate; who eats the poisoned piece loses."""

    id = "chomp3d"
    layers: int = parameter(3, 1, 5, "layers")
    rows: int = parameter(3, 1, 5, "rows")
    columns: int = parameter(3, 1, 5, "columns")

    def rules(self):
        width = self.layers * (self.columns + 1) - 1
        gaps = range(self.columns, width, self.columns + 1)
        grid = Grid(self.rows, width, holes=[(row, gap) for row in range(self.rows) for gap in gaps])
        pieces = {
            (layer, row, column): grid.cell(row, layer * (self.columns + 1) + column)
            for layer, row, column in product(range(self.layers), range(self.rows), range(self.columns))
        }
        bites = [
            Move({pieces[other]: "." for other in pieces if all(a >= b for a, b in zip(other, piece, strict=True))})
            .when({cell: "#"})
            .named(" ".join(str(number + 1) for number in piece))
            for piece, cell in pieces.items()
        ]
        # Who cannot bite is not the one who ate the poisoned piece.
        players = ["first", "second"]
        return Rules(".#", "#" * grid.cells, bites, players, stuck="win", symmetries="auto", board=grid)

    def view(self):
        return super().view().changed(looks={"#": Look("tile", "", "#6b3e26", "chocolate")}, labels={0: "!"})
