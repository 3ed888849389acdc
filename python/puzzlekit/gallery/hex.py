"""Hex.

Two players put stones on a rhombus of hexagons. One joins the upper side to the lower one, the other the left side to
the right one; who does so first wins. A full board always has one path, so there is no draw, and the first player wins
(J. Nash, 1949).

The end is a path, `connected`, which the engine finds by a flood. The mirror that exchanges the sides also exchanges
the players.
"""

from dataclasses import dataclass

from puzzlekit import HexGrid, Puzzle, Rules, connected, parameter, put, win


@dataclass(frozen=True)
class Hex(Puzzle):
    """Join your two sides of the board by a path of your stones."""

    id = "hex"
    size: int = parameter(3, 2, 5, "rows and columns")

    def rules(self):
        board = HexGrid.rhombus(self.size, self.size)
        rows = [[*range(row * self.size, (row + 1) * self.size)] for row in range(self.size)]
        columns = [*zip(*rows, strict=True)]
        return Rules(
            symbols=".XO",
            start="." * board.cells,
            moves=[
                put(cell, mark).when({cell: "."}).by(mark).named(cell) for mark in "XO" for cell in range(board.cells)
            ],
            players="XO",
            ends=[
                win("X", connected("X", rows[0], rows[-1], board)),
                win("O", connected("O", columns[0], columns[-1], board)),
            ],
            symmetries="auto",
            board=board,
        )
