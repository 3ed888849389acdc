"""Othello, or Reversi.

Discs that stand in a line between the new one and another of its colour turn over. Who cannot turn any over passes, and
if nobody can, play is over, and the discs are counted. On 4 by 4 the second player wins by 8.

In each line from the new disc some discs turn over, or none. A move is a choice for each line: the discs that turn over
are there in its guard. In a line where none does, `unless` excludes every pattern in which one would.
"""

from dataclasses import dataclass
from itertools import product

from puzzlekit import Grid, Move, Puzzle, Rules, Score, parameter


@dataclass(frozen=True)
class Othello(Puzzle):
    """Put a disc so that others stand between it and one of yours: they turn over. Most discs win."""

    id = "othello"
    rows: int = parameter(4, 2, 6, "rows")
    columns: int = parameter(4, 2, 6, "columns")

    def rules(self):
        grid = Grid(self.rows, self.columns)
        middle = grid.block(grid.cell((self.rows - 1) // 2, (self.columns - 1) // 2))
        start = [dict(zip(middle, "OXOX", strict=True)).get(cell, ".") for cell in grid]
        moves = [move for cell in grid for own, other in ("XO", "OX") for move in self.moves(cell, own, other)]
        score = Score("X", {"X": 1}) + Score("O", {"O": 1})
        return Rules(".XO", start, moves, "XO", stuck="pass", score=score, symmetries="auto", board=grid)

    def moves(self, cell, own, other):
        """The moves that put a disc into a cell: a choice for each line of what turns over there."""
        for chosen in product(*(self.turned(line, own, other) for line in self.lines(cell))):
            turned = [at for discs, _ in chosen for at in discs]
            wanted = {at: held for discs, looks in chosen if discs for at, held in looks[0].items()}
            move = Move(dict.fromkeys([cell, *turned], own)).when({cell: "."} | wanted).named(str(cell)).by(own)
            for look in (look for discs, looks in chosen if not discs for look in looks):
                move = move.unless(look)
            if turned:
                yield move

    def turned(self, line, own, other):
        """The ways to turn discs of a line: some, if it has this look; or none, if it has none of these looks."""
        looks = [dict.fromkeys(line[:length], other) | {line[length]: own} for length in range(1, len(line))]
        return [([], looks), *((line[: len(look) - 1], [look]) for look in looks)]

    def lines(self, cell):
        """The cells in each direction, from the nearest on, if there are at least two."""
        row, column = divmod(cell, self.columns)
        for down, right in product((-1, 0, 1), repeat=2):
            steps = range(1, max(self.rows, self.columns))
            places = [(row + down * step, column + right * step) for step in steps if (down, right) != (0, 0)]
            line = [r * self.columns + c for r, c in places if 0 <= r < self.rows and 0 <= c < self.columns]
            if len(line) > 1:
                yield line
