"""Teeko, by J. Scarne.

Two players put stones on a board in turn. When all are on it, a move takes one of one's own stones to an empty
neighbour, in any of eight directions. Four stones in a line win, and so do four that make a small square. Play can go
round for ever, and with best play it does: on 4 by 4, too, the value is a draw. G. L. Steele found that of the whole
game, on 5 by 5, by computer.

Whether all stones are on the board follows from their number, so no cell keeps the stones that are still to come.
"""

from dataclasses import dataclass

from puzzlekit import Grid, Move, Puzzle, Rules, count, parameter, swap, win


@dataclass(frozen=True)
class Teeko(Puzzle):
    """Four stones each, put and then moved: a line or a small square of them wins."""

    id = "teeko"
    size: int = parameter(4, 3, 5, "rows and columns")
    stones: int = parameter(4, 2, 4, "stones of each player")

    def rules(self):
        grid = Grid(self.size, self.size)
        shapes = grid.lines(self.stones)
        if self.stones == 4:
            shapes += [grid.block(corner) for corner in grid.corners()]
        return Rules(
            symbols=".XO",
            start="." * grid.cells,
            players="XO",
            moves=[move.by(player) for player in "XO" for move in self.moves(grid, player)],
            ends=[win(player, dict.fromkeys(shape, player)) for player in "XO" for shape in shapes],
            stuck="draw",
            symmetries="auto",
            board=grid,
        )

    def moves(self, grid, own):
        """The moves of one player: stones are put until all are on the board, and then moved."""
        some_left, all_put = count(own, at_most=self.stones - 1), count(own, at_least=self.stones)
        for cell in grid:
            yield Move({cell: own}).when(some_left & {cell: "."}).named(cell)
            for other in grid.neighbours(cell, diagonal=True):
                yield swap(cell, other).when(all_put & {cell: own, other: "."}).named(f"{cell} {other}")
