"""Connect four.

Two players drop disks into columns, and who has four in a line first wins. On 4 by 4 play can reach 161,029 boards, and
on 5 rows and 4 columns 1,706,255. On 4 by 4 best play is a draw.

A disk falls onto the disks below it, so the guard of a move names all cells of the column up to its own.
"""

from dataclasses import dataclass

from puzzlekit import Grid, Look, Puzzle, Rules, anything_but, parameter, put, win


@dataclass(frozen=True)
class ConnectFour(Puzzle):
    """Disks fall into columns; four in a line win."""

    id = "connect_four"
    rows: int = parameter(4, 1, 8, "rows")
    columns: int = parameter(4, 1, 9, "columns")
    win: int = parameter(4, 2, 9, "disks in a line that win")

    def rules(self):
        grid = Grid(self.rows, self.columns)
        mirror = [symmetry for symmetry in grid.symmetries() if symmetry.name == "left to right"]
        return Rules(
            symbols=".XO",
            start="." * grid.cells,
            players="XO",
            moves=[
                put(cell, disk)
                .when(
                    {cell: "."}
                    | {below: anything_but(".") for below in range(cell + self.columns, grid.cells, self.columns)}
                )
                .named(cell % self.columns + 1)
                .by(disk)
                for disk in "XO"
                for cell in grid
            ],
            ends=[win(disk, dict.fromkeys(line, disk)) for disk in "XO" for line in grid.lines(self.win)],
            symmetries=mirror,
            columns=self.columns,
        )

    def view(self):
        disks = {"X": Look("disk", "", "#d55e00", "red"), "O": Look("disk", "•", "#f0c419", "yellow")}
        return super().view().changed(looks=disks, frame="#1d5fa8")
