"""The solver for large boards. It places rows and columns until 3 by 3 cells are left, and solves these optimally.

Rows are placed from the bottom and columns from the right, because the free cell ends at the top left. The solver never
fails on a board that can be solved.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import puzzlekit
from puzzlekit import Grid, LimitError

if TYPE_CHECKING:
    from puzzlekit import Answer, Budget, Watch
    from puzzlekit_slider import Slider

LAST = 3

LETTERS = {"up": "U", "down": "D", "left": "L", "right": "R"}


class Reduction:
    """One board being solved.

    Args:
        rows: The rows of the board.
        columns: The columns of the board.
        numbers: The number in each cell. A number is also the number of the cell where it belongs.
        budget: The limits of the search at the end.
        watch: Called after each move.
    """

    def __init__(self, rows: int, columns: int, numbers: list[int], budget: Budget, watch: Watch) -> None:
        self._budget = budget
        self._watch = watch
        self.grid = Grid(rows, columns)
        self.numbers = numbers
        self.moves: list[str] = []
        self._placed: set[int] = set()
        self._next: dict[int, list[int]] = {cell: self.grid.neighbours(cell) for cell in self.grid}
        self._letter = {(a, b): LETTERS[direction] for a, b, direction in self.grid.steps()}

    def solve(self) -> list[str]:
        """The moves, in order.

        Raises:
            LimitError: The watch says so, or the budget is not enough for the search at the end.
        """
        bottom, right = self.grid.rows - 1, self.grid.columns - 1
        while bottom >= LAST:
            inside = [self.grid.cell(bottom - 1, column) for column in range(right, -1, -1)]
            self._place_line([cell + self.grid.columns for cell in inside], inside)
            bottom -= 1
        while right >= LAST:
            inside = [self.grid.cell(row, right - 1) for row in range(bottom, -1, -1)]
            self._place_line([cell + 1 for cell in inside], inside)
            right -= 1
        self._solve_last(bottom + 1, right + 1)
        return self.moves

    def _place_line(self, cells: list[int], inside: list[int]) -> None:
        """Places the numbers of a row or column.

        Args:
            cells: The cells of the line.
            inside: The cells of the line beside it, towards the inside of the board.
        """
        for cell in cells[:-2]:
            self._bring(cell, cell)
        before, corner = cells[-2:]
        if self.numbers[before] == before and self.numbers[corner] == corner:
            self._placed.update((before, corner))
            return
        # The last two numbers are placed together: the last but one waits in the corner, the last one on the inside of
        # the corner, and both then move on by one cell.
        self._bring(before, corner)
        if self._bring(corner, inside[-1]):
            self._route(before)
            self._slide(corner)
            self._slide(inside[-1])
            self._placed -= {inside[-1]}
        else:
            self._untangle(before, corner, inside[-2], inside[-1])
        self._placed.update((before, corner))

    def _untangle(self, before: int, corner: int, beside: int, inner: int) -> None:
        """Places the last two numbers of a line, if one is caught behind the other, by a search on 2 by 3 cells."""
        self._placed.discard(corner)
        inward = beside - before
        window = {before, corner, beside, inner, beside + inward, inner + inward}
        if self.numbers.index(0) not in window:
            self._route(beside)
        begin = tuple(self.numbers.index(number) for number in (0, before, corner))
        came: dict[tuple[int, ...], tuple[int, ...] | None] = {begin: None}
        pending = deque([begin])
        while True:
            at = pending.popleft()
            if at[1:] == (before, corner):
                break
            for to in self._next[at[0]]:
                after = (to, *(at[0] if place == to else place for place in at[1:]))
                if to in window and after not in came:
                    came[after] = at
                    pending.append(after)
        way, step = [], at
        while (earlier := came[step]) is not None:
            way.append(step[0])
            step = earlier
        for to in reversed(way):
            self._slide(to)

    def _bring(self, number: int, cell: int) -> bool:
        """Brings a number to a cell without moving held numbers, and holds it there. Returns `False` if it cannot."""
        begin = (self.numbers.index(0), self.numbers.index(number))
        came: dict[tuple[int, int], tuple[int, int] | None] = {begin: None}
        pending = deque([begin])
        found = begin if begin[1] == cell else None
        while found is None:
            if not pending:
                return False
            blank, at = pending.popleft()
            for to in self._next[blank]:
                after = (to, blank if to == at else at)
                if to not in self._placed and after not in came:
                    came[after] = (blank, at)
                    pending.append(after)
                    if after[1] == cell:
                        found = after
                        break
        way = []
        step: tuple[int, int] | None = found
        while step is not None:
            way.append(step[0])
            step = came[step]
        for to in reversed(way[:-1]):
            self._slide(to)
        self._placed.add(cell)
        return True

    def _route(self, cell: int) -> None:
        """Takes the free cell to a cell without moving held numbers."""
        begin = self.numbers.index(0)
        came: dict[int, int | None] = {begin: None}
        pending = deque([begin])
        while cell not in came:
            blank = pending.popleft()
            for to in self._next[blank]:
                if to not in self._placed and to not in came:
                    came[to] = blank
                    pending.append(to)
        way, step = [], cell
        while (before := came[step]) is not None:
            way.append(step)
            step = before
        for to in reversed(way):
            self._slide(to)

    def _slide(self, to: int) -> None:
        from puzzlekit import Progress  # imported here, because most commands solve nothing and start sooner without it

        blank = self.numbers.index(0)
        self.moves.append(self._letter[blank, to])
        self.numbers[blank], self.numbers[to] = self.numbers[to], 0
        if self._watch(Progress(states=len(self.moves))):
            raise LimitError(f"stopped after {len(self.moves):,} moves, which do not solve the board yet")

    def _solve_last(self, rows: int, columns: int) -> None:
        cells = [self.grid.cell(row, column) for row in range(rows) for column in range(columns)]
        small = puzzlekit.load(f"slider:{rows},{columns}")
        state = ",".join(str(cells.index(self.numbers[cell])) for cell in cells)
        for letter in puzzlekit.optimal(small, state, budget=self._budget, watch=self._watch).moves:
            blank = self.numbers.index(0)
            self._slide(next(to for to in self._next[blank] if self._letter[blank, to] == letter))


def reduction(puzzle: Slider, state: str, *, budget: Budget, watch: Watch) -> Answer:
    """Moves that solve a state of a board of any size. On boards of at most 3 by 3, these are the fewest.

    Raises:
        LimitError: The watch says so, or the budget is not enough for the search of the last 3 by 3.
    """
    if max(puzzle.rows, puzzle.columns) <= LAST:
        return puzzlekit.optimal(puzzle, state, budget=budget, watch=watch)
    board = Reduction(puzzle.rows, puzzle.columns, puzzle.numbers(state), budget, watch)
    return puzzlekit.Answer(tuple(board.solve()))
