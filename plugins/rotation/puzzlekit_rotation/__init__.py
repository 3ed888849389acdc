"""Rotation: the numbers 1 to 9, sorted by clockwise turns of the four blocks of 2 by 2.

The moves A and B turn the four numbers at the top left and at the top right clockwise, C and D those at the bottom
left and at the bottom right. It is solved when the numbers 1 to 9 are in order, row by row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from puzzlekit import Grid, Puzzle, Rules, cycle, hookimpl
from puzzlekit_rotation.staged import MATRICES, staged, stages

if TYPE_CHECKING:
    from collections.abc import Callable

    from puzzlekit import Answer, View

__all__ = ["Rotation", "staged", "stages"]


@dataclass(frozen=True)
class Rotation(Puzzle):
    """Numbers on three rows of three; A, B, C and D turn a block of four clockwise."""

    id = "rotation"

    def rules(self) -> Rules:
        """Four turns: A at the top left, B at the top right, C at the bottom left, D at the bottom right."""
        grid, numbers = Grid(3, 3), "123456789"
        return Rules(
            symbols=numbers,
            start=numbers,
            goal=numbers,
            moves=[cycle(*grid.block(corner)).named(name) for name, corner in zip("ABCD", grid.corners(), strict=True)],
            symmetries=[turn.fixing(numbers) for turn in grid.rotations()],
            columns=3,
        )

    def view(self) -> View:
        """The view of the rules, with words for the stages of the staged solver, which the page offers first."""
        return (
            super().view().changed(stages={number: f"the {number} is placed" for number in MATRICES}, solver="staged")
        )


@hookimpl
def puzzlekit_register_puzzles(register: Callable[[type[Puzzle]], None]) -> None:
    """Brings the one puzzle."""
    register(Rotation)


@hookimpl
def puzzlekit_register_solvers(register: Callable[[str, str, Callable[..., Answer]], None]) -> None:
    """Brings the solver that places one number after another."""
    register("rotation", "staged", staged)
