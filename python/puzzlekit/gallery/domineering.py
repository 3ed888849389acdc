"""Domineering.

Two players lay dominoes on a board, one of them upright, the other one across. Who cannot lay one loses. On squares of
2 to 8 the player who begins wins, but on 5 by 5 the other one does (D. M. Breuker, J. W. H. M. Uiterwijk and H. J. van
den Herik, 2000).

What follows does not depend on whose a domino is, so both take the same symbol, and there are fewer states. A turn of a
square board by a quarter exchanges the players.
"""

from dataclasses import dataclass

from puzzlekit import Grid, Look, Move, Puzzle, Rules, parameter


@dataclass(frozen=True)
class Domineering(Puzzle):
    """One player lays dominoes upright, the other across; who cannot lay one loses."""

    id = "domineering"
    rows: int = parameter(4, 1, 8, "rows")
    columns: int = parameter(4, 1, 8, "columns")

    def rules(self):
        grid = Grid(self.rows, self.columns)
        lies = {"upright": False, "lying": True}
        moves = [
            Move({cell: "#", other: "#"}).when({cell: ".", other: "."}).by(player).named(f"{cell} {other}")
            for player, lying in lies.items()
            for cell in grid
            for other in grid.neighbours(cell)
            if other > cell and (grid.place(other)[0] == grid.place(cell)[0]) == lying
        ]
        start = "." * grid.cells
        return Rules(".#", start, moves, players=list(lies), stuck="loss", symmetries="auto", board=grid)

    def view(self):
        return super().view().changed(looks={"#": Look("tile", "", "blue", "half of a domino")})
