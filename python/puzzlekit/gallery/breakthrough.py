"""Breakthrough, in which nobody can go back.

Each player has two rows of pawns. A pawn goes one step straight or diagonally forward to an empty cell, or takes a pawn
diagonally forward. Whoever reaches the other side wins. Dan Troyka invented it. The second player wins on 4 by
3, on 5 by 3 and on 5 by 4.

A capture lets one board come after different numbers of moves. But each move leads forward, so play never comes back to
a state. The engine proves that with weights of cells and symbols, and `info` says so.
"""

from dataclasses import dataclass

from puzzlekit import Grid, Move, Puzzle, Rules, parameter, win


@dataclass(frozen=True)
class Breakthrough(Puzzle):
    """Pawns step forward and take diagonally; the first on the other side wins."""

    id = "breakthrough"
    rows: int = parameter(4, 3, 8, "rows")
    columns: int = parameter(3, 2, 8, "columns")
    deep: int = parameter(2, 1, 2, "rows of pawns of each player, on at most half of the board")

    def rules(self):
        grid, n = Grid(self.rows, self.columns), self.columns
        deep = min(self.deep, self.rows // 2)
        moves = [
            Move({at: ".", to: own}).when({at: own, to: free if to - at == way else aside}).named(f"{at}-{to}").by(own)
            for own, way, free, aside in (("X", -n, ".", {".", "O"}), ("O", n, ".", {".", "X"}))
            for at in grid
            for to in grid.neighbours(at, diagonal=True)
            if to // n == (at + way) // n
        ]
        goals = [("X", range(n)), ("O", range(grid.cells - n, grid.cells))]
        return Rules(
            symbols=".XO",
            start="/".join(["O" * n] * deep + ["." * n] * (self.rows - 2 * deep) + ["X" * n] * deep),
            players="XO",
            moves=moves,
            ends=[win(player, {cell: player}) for player, cells in goals for cell in cells],
            stuck="loss",
            symmetries=[mirror for mirror in grid.symmetries() if mirror.name == "left to right"],
        )
