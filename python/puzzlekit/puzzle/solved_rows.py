"""Finds the rows of an array of states that satisfy the goal, all at once if the goals are patterns."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from puzzlekit.puzzle.puzzle import Puzzle

    Array = Any  # of NumPy, which is imported only if it is needed


class Goals:
    """The goals of a puzzle.

    A pattern is tested for all rows at once. If a goal has other conditions, too, such as a count, the rows that
    satisfy its pattern are tested one at a time.

    Args:
        puzzle: The puzzle.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        self._puzzle = puzzle
        data = json.loads(puzzle.engine.rules_json)
        symbols = [str(symbol) for symbol in data["symbols"]]
        self._patterns = [_pattern(goal, symbols) for goal in data["goal"]]

    def hold(self, rows: Array) -> Array:
        """For each row, whether it satisfies a goal."""
        import numpy as np

        solved = np.zeros(len(rows), bool)
        for cells, more in self._patterns:
            left = np.flatnonzero(~solved)
            for cell, allowed in cells:
                left = left[allowed[rows[left, cell]]]
                if not len(left):
                    break
            if more and len(left):
                texts = self._puzzle.arrays.decode(rows[left])
                left = left[np.fromiter(map(self._puzzle.is_solved, texts), bool, len(left))]
            solved[left] = True
        return solved


def _pattern(goal: Any, symbols: list[str]) -> tuple[list[tuple[int, Array]], bool]:  # noqa: ANN401 - rules as data
    """Two parts of a goal: for each cell of its pattern, the allowed symbols; and whether it has other conditions."""
    import numpy as np

    listed = goal.get("when", []) if isinstance(goal, dict) else goal
    cells = [(cell, np.isin(symbols, [str(each) for each in held])) for cell, held in listed]
    more = isinstance(goal, dict) and any(value for name, value in goal.items() if name != "when")
    return cells, more
