"""Othello, or Reversi.

Discs that stand in a line between the new one and another of its colour turn over. Who cannot turn any over passes, and
if nobody can, play is over, and the discs are counted. On 4 by 4 the second player wins by 8.

Each line from the new disc has a few cases that exclude each other: which discs turn over there, and what tells it. A
move is one case of each line.
"""

from dataclasses import dataclass
from itertools import product

from puzzlekit import Grid, Move, Puzzle, Rules, Score, parameter


@dataclass(frozen=True)
class Othello(Puzzle):
    """Put a disc so that others stand between it and one of yours: they turn over. Most discs win."""

    id = "othello"
    rows: int = parameter(4, 2, 4, "rows")
    columns: int = parameter(4, 2, 5, "columns")

    def rules(self):
        grid = Grid(self.rows, self.columns)
        middle = grid.block(grid.cell((self.rows - 1) // 2, (self.columns - 1) // 2))
        start = [dict(zip(middle, "OXOX", strict=True)).get(cell, ".") for cell in grid]
        moves = [
            Move(dict.fromkeys([cell, *turned], own)).when({cell: "."} | wanted).named(str(cell)).by(own)
            for cell in grid
            for own, other in ("XO", "OX")
            for turned, wanted in self.cases(cell, own, other)
            if turned
        ]
        score = Score("X", {"X": 1}) + Score("O", {"O": 1})
        return Rules(".XO", start, moves, "XO", stuck="pass", score=score, symmetries="auto", board=grid)

    def cases(self, cell, own, other):
        """For each way in which the lines from a cell may look: the discs that turn over, and the look."""
        for lines in product(*(self.line_cases(line, own, other) for line in self.lines(cell))):
            yield [at for turned, _ in lines for at in turned], {at: held for _, wanted in lines for at, held in wanted}

    def line_cases(self, line, own, other):
        """The cases of one line: after some discs of the other player comes an own one, or anything else."""
        for length, last in enumerate(line):
            others = [(at, other) for at in line[:length]]
            yield line[:length], [*others, (last, own)]
            yield [], [*others, (last, ".")]
        yield [], [(at, other) for at in line]

    def lines(self, cell):
        """The cells in each direction, from the nearest on, if there are at least two."""
        row, column = divmod(cell, self.columns)
        for down, right in product((-1, 0, 1), repeat=2):
            steps = range(1, max(self.rows, self.columns))
            places = [(row + down * step, column + right * step) for step in steps if (down, right) != (0, 0)]
            line = [r * self.columns + c for r, c in places if 0 <= r < self.rows and 0 <= c < self.columns]
            if len(line) > 1:
                yield line
