"""The solver for large boards. It places rows and columns until 3 by 3 cells are left, and solves these optimally.

It never fails. A letter, or the last two of a row or column together, can be brought to its place by turns that move no
letter placed before. And the turns of 3 by 3 make every arrangement.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import puzzlekit
from puzzlekit import Grid, LimitError

if TYPE_CHECKING:
    from puzzlekit import Answer, Budget, Watch
    from puzzlekit_rotate import Rotate

LAST = 3


class Reduction:
    """One board being solved.

    Args:
        rows: The rows of the board, at least 3.
        columns: The columns of the board, at least 3.
        letters: The letter of each cell, as its place in the alphabet. This is also the cell where the letter belongs.
        budget: The limits of the search at the end.
        watch: Called after each turn.
    """

    def __init__(self, rows: int, columns: int, letters: list[int], budget: Budget, watch: Watch) -> None:
        self._budget = budget
        self._watch = watch
        self.grid = Grid(rows, columns)
        self.letters = letters
        self.turns: list[int] = []
        self._blocks = {corner: self.grid.block(corner) for corner in self.grid.corners()}
        self._placed: set[int] = set()

    def solve(self) -> list[int]:
        """The corners of the blocks that are turned, in order.

        Raises:
            LimitError: The watch says so, or the budget is not enough for the search at the end.
        """
        top = left = 0
        while self.grid.rows - top > LAST:
            cells = [self.grid.cell(top, column) for column in range(self.grid.columns)]
            self._place_line(cells)
            top += 1
        while self.grid.columns - left > LAST:
            self._place_line([self.grid.cell(row, left) for row in range(top, self.grid.rows)])
            left += 1
        self._solve_last(top, left)
        return self.turns

    def _place_line(self, cells: list[int]) -> None:
        for cell in cells[:-2]:
            self._place((cell,))
        # The last letter of a line could not be placed alone without moving the one before it.
        self._place(tuple(cells[-2:]))

    def _place(self, cells: tuple[int, ...]) -> None:
        """Brings the letters that belong in the given cells there, by the fewest turns that move no placed letter."""
        blocks = [(corner, block) for corner, block in self._blocks.items() if not self._placed & set(block)]
        begin = tuple(self.letters.index(cell) for cell in cells)
        came: dict[tuple[int, ...], tuple[tuple[int, ...], int] | None] = {begin: None}
        pending = deque([begin])
        while cells not in came:
            places = pending.popleft()
            for corner, block in blocks:
                after = tuple(block[(block.index(at) + 1) % 4] if at in block else at for at in places)
                if after not in came:
                    came[after] = (places, corner)
                    pending.append(after)
        turned, places = [], cells
        while (step := came[places]) is not None:
            places, corner = step
            turned.append(corner)
        for corner in reversed(turned):
            self._turn(corner)
        self._placed.update(cells)

    def _solve_last(self, top: int, left: int) -> None:
        cells = [self.grid.cell(top + row, left + column) for row in range(LAST) for column in range(LAST)]
        names = dict(zip(cells, "abcdefghi", strict=True))
        state = "".join(names[self.letters[cell]] for cell in cells)
        small = puzzlekit.load("rotate:3,3")
        for move in puzzlekit.optimal(small, state, budget=self._budget, watch=self._watch).moves:
            self._turn(cells[int(move) - 1])

    def _turn(self, corner: int) -> None:
        from puzzlekit import Progress  # imported here, because most commands solve nothing and start sooner without it

        block = self._blocks[corner]
        moved = [self.letters[cell] for cell in block]
        for at, letter in enumerate(moved):
            self.letters[block[(at + 1) % 4]] = letter
        self.turns.append(corner)
        if self._watch(Progress(states=len(self.turns))):
            raise LimitError(f"stopped after {len(self.turns)} turns, which do not solve the board yet")


def reduction(puzzle: Rotate, state: str, *, budget: Budget, watch: Watch) -> Answer:
    """The turns that solve a state of a board. On boards with a side of 2, and on 3 by 3, these are the fewest.

    Raises:
        LimitError: The watch says so, or the budget is not enough for a search.
    """
    if min(puzzle.rows, puzzle.columns) < LAST or puzzle.rows == puzzle.columns == LAST:
        return puzzlekit.optimal(puzzle, state, budget=budget, watch=watch)
    letters = list(bytes(puzzle.arrays.encode([state])))
    corners = Reduction(puzzle.rows, puzzle.columns, letters, budget, watch).solve()
    return puzzlekit.Answer(tuple(str(corner + 1) for corner in corners))
