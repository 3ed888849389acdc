"""Hexapawn, a small game with captures.

Pawns stand on two sides of a board. A pawn goes one step forward to an empty cell, or captures one step diagonally
forward. Who gets a pawn to the other side wins, and so does who leaves the other player without a move. Martin Gardner
taught it to matchboxes in 1962. On 3 by 3 the second player wins.

A capture is a move whose guard wants the other player's mark in the cell that it goes to.
"""

from dataclasses import dataclass

from puzzlekit import Grid, Move, Puzzle, Rules, parameter, win


@dataclass(frozen=True)
class Hexapawn(Puzzle):
    """Pawns that step and capture; the first on the other side wins."""

    id = "hexapawn"
    rows: int = parameter(3, 3, 6, "rows")
    columns: int = parameter(3, 1, 6, "columns, and pawns of each player")

    def rules(self):
        grid, n = Grid(self.rows, self.columns), self.columns
        moves = [
            Move({at: ".", to: own}).when({at: own, to: "." if to - at == way else other}).named(f"{at}-{to}").by(own)
            for own, other, way in (("X", "O", -n), ("O", "X", n))
            for at in grid
            for to in grid.neighbours(at, diagonal=True)
            if to // n == (at + way) // n
        ]
        goals = [("X", range(n)), ("O", range(grid.cells - n, grid.cells))]
        return Rules(
            symbols=".XO",
            start="/".join(["O" * n, *["." * n] * (self.rows - 2), "X" * n]),
            players="XO",
            moves=moves,
            ends=[win(player, {cell: player}) for player, cells in goals for cell in cells],
            stuck="loss",
            symmetries=[mirror for mirror in grid.symmetries() if mirror.name == "left to right"],
        )
