"""Dots and boxes.

Players draw lines between dots in turn. Who draws the last side of a box owns it, and draws again. When all lines are
drawn, most boxes win. On 2 by 2 boxes the player who begins wins by 2.

A line borders one or two boxes, and may complete any of them: each case is a move of its own.
"""

from dataclasses import dataclass
from itertools import product

from puzzlekit import Grid, Look, Move, Puzzle, Rules, Score, Spot, View, parameter


@dataclass(frozen=True)
class DotsAndBoxes(Puzzle):
    """Draw lines; the last side of a box wins the box and another turn. Most boxes win."""

    id = "dots_and_boxes"
    rows: int = parameter(2, 1, 3, "rows of boxes")
    columns: int = parameter(2, 1, 3, "columns of boxes")

    def rules(self):
        places = [*product(range(2 * self.rows + 1), range(2 * self.columns + 1))]
        dots = [(row, column) for row, column in places if row % 2 == column % 2 == 0]
        board = Grid(2 * self.rows + 1, 2 * self.columns + 1, dots)
        boxes = [board.cell(row, column) for row, column in places if row % 2 == column % 2 == 1]
        sides = {box: board.neighbours(box) for box in boxes}
        lines = [cell for cell in board if cell not in boxes]
        return Rules(
            symbols=".#AB",
            start="." * board.cells,
            players="AB",
            moves=[move for line in lines for own in "AB" for move in self.moves(line, sides, own)],
            score=Score("A", {"A": 1}, boxes) + Score("B", {"B": 1}, boxes),
            symmetries="auto",
            board=board,
        )

    def moves(self, line, sides, own):
        """The moves of one player that draw a line: one for each choice of boxes of which it is the last side."""
        beside = {box: {side: "#" for side in sides[box] if side != line} for box in sides if line in sides[box]}
        for taken in product((True, False), repeat=len(beside)):
            wins = dict(zip(beside, taken, strict=True))
            drawn = {side: "#" for box, rest in beside.items() if wins[box] for side in rest}
            won = {box: own for box in beside if wins[box]}
            move = Move({line: "#", **won}).when({line: ".", **drawn, **dict.fromkeys(won, ".")})
            for box, rest in beside.items():
                move = move if wins[box] else move.unless(rest)
            yield (move.again() if won else move).named(line).by(own)

    def view(self):
        rules, shapes = self.rules(), {(0, 1): ("across", 1), (1, 0): ("down", 1), (1, 1): ("square", 0.72)}
        places = [(rules.board.place(cell), cell) for cell in rules.board]
        spots = [Spot(cell, x / 2, y / 2, *shapes[y % 2, x % 2]) for (y, x), cell in places]
        return View.of(rules, places=spots).changed(looks={"#": Look("tile", "", "blue", "line")})
