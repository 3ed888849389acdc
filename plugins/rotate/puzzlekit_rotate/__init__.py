"""Rotate: letters in alphabetical order, mixed by clockwise turns of blocks of 2 by 2."""

from collections.abc import Callable
from dataclasses import dataclass

from puzzlekit import Grid, Puzzle, Rules, Solver, cycle, hookimpl, optimal, parameter
from puzzlekit_rotate.lists import board2str, create, game_loop, rotate, scramble, solved, valid_rotation
from puzzlekit_rotate.reduction import reduction

__all__ = [
    "Rotate",
    "board2str",
    "create",
    "game_loop",
    "reduction",
    "rotate",
    "scramble",
    "solved",
    "valid_rotation",
]

# The most cells for which the fewest turns are found at once: 10! arrangements.
MOST_OPTIMAL = 10


@dataclass(frozen=True)
class Rotate(Puzzle):
    """Letters on a board; a move turns the block of four whose top left position it names clockwise."""

    id = "rotate"
    rows: int = parameter(3, 2, 5, "rows of the board")
    columns: int = parameter(3, 2, 5, "columns of the board")

    def rules(self) -> Rules:
        """A turn for each position, numbered from 1, that is the top left one of a block."""
        grid = Grid(self.rows, self.columns)
        letters = "abcdefghijklmnopqrstuvwxy"[: grid.cells]
        return Rules(
            symbols=letters,
            start=letters,
            goal=letters,
            moves=[cycle(*grid.block(corner)).named(corner + 1) for corner in grid.corners()],
            symmetries=[turn.fixing(letters) for turn in grid.rotations()],
            columns=self.columns,
        )

    def default_solver(self) -> Solver:
        """The fewest turns on small boards, the reduction on large ones."""
        return optimal if self.rows * self.columns <= MOST_OPTIMAL else reduction


@hookimpl
def puzzlekit_register_puzzles(register: Callable[[type[Puzzle]], None]) -> None:
    """Brings the one puzzle."""
    register(Rotate)


@hookimpl
def puzzlekit_register_solvers(register: Callable[[str, str, Solver], None]) -> None:
    """Brings the solver for large boards."""
    register("rotate", "reduction", reduction)
