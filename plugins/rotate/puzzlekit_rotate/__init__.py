"""Rotate: letters in alphabetical order, mixed by clockwise turns of blocks of 2 by 2.

A move turns a block of four letters clockwise by a quarter. The board is solved when the letters are in alphabetical
order, row by row. No move turns a block back; the same block turned four times is as it was.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from puzzlekit import (
    Grid,
    Puzzle,
    Rules,
    UsageError,
    cycle,
    hookimpl,
    parameter,
)
from puzzlekit_rotate.reduction import reduction

if TYPE_CHECKING:
    from collections.abc import Callable

    from puzzlekit import Random, ScrambleReport, Solver
    from puzzlekit_rotate.lists import (
        Board,
        Position,
        board2str,
        create,
        game_loop,
        rotate,
        scramble,
        solved,
        unsolvable,
        valid_rotation,
    )

__all__ = [
    "Board",
    "Position",
    "Rotate",
    "board2str",
    "create",
    "game_loop",
    "reduction",
    "rotate",
    "scramble",
    "solved",
    "unsolvable",
    "valid_rotation",
]


def __getattr__(name: str) -> object:
    """A function on boards as lists, imported when it is first asked for: most commands need none of these."""
    if name in __all__:
        from puzzlekit_rotate import lists

        return getattr(lists, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# The number of turns by which the report scrambles a board.
TURNS = 100


@dataclass(frozen=True)
class Rotate(Puzzle):
    """Blocks of four letters turn clockwise, until all letters are in order."""

    id = "rotate"
    rows: int = parameter(3, 2, 5, "rows of the board")
    columns: int = parameter(3, 2, 5, "columns of the board")

    def rules(self) -> Rules:
        """A turn for each position that is the top left one of a block. Positions are numbered from 1."""
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

    def scramble(
        self, seed: str | None = None, *, moves: int | None = None, scrambler: Callable[..., Any] | None = None
    ) -> ScrambleReport:
        """A random state that is not solved; with `moves`, a state after that many random turns.

        Raises:
            UsageError: That many turns always lead back to the start: no turns do, and on 2 by 2 each multiple of 4
                does.
        """
        _check_turns(self, moves)
        return super().scramble(seed, moves=moves, scrambler=scrambler)

    def why_unsolvable(self, state: str) -> str | None:
        """A sentence, if turns cannot make the arrangement. That happens on 2 by 2, 2 by 3 and 3 by 2."""
        reachable = self.count_reachable()
        if reachable == math.factorial(self.rows * self.columns) or self.read(state) in _arrangements(self):
            return None
        return f"the moves make {reachable:,} of all arrangements, and this is none of them"


def _check_turns(puzzle: Rotate, moves: int | None) -> None:
    """Raises an error for a number of turns that always lead back to the start."""
    if puzzle.rows == puzzle.columns == 2 and isinstance(moves, int) and moves > 0 and moves % 4 == 0:
        raise UsageError(
            f"{moves} turns of the one block of 2 by 2 lead back to the solved board, as every multiple of 4 does; "
            "give a number that is none"
        )


@cache
def _arrangements(puzzle: Rotate) -> frozenset[str]:
    """All states that turns can make of the start, which are also all that can be solved: 4 or 120 states."""
    found = {puzzle.start}
    pending = [puzzle.start]
    while pending:
        state = pending.pop()
        new = {puzzle.apply(state, move) for move in puzzle.legal_moves(state)} - found
        found |= new
        pending += new
    return frozenset(found)


def walk(puzzle: Rotate, random: Random, *, moves: int | None = None) -> list[str]:
    """Random turns as the report makes them, which may undo each other: 100, or as many as are asked for.

    A walk that ends solved is replaced by another. On 2 by 2, 100 turns always end solved, so 97, 98 or 99 are made.
    """
    _check_turns(puzzle, moves)
    positions = puzzle.legal_moves(puzzle.start)
    turns = moves or (TURNS if len(positions) > 1 else TURNS - 1 - random.below(3))
    while True:
        state, names = puzzle.start, [random.choose(positions) for _ in range(turns)]
        for name in names:
            state = puzzle.apply(state, name)
        if not puzzle.is_solved(state):
            return names


@hookimpl
def puzzlekit_register_puzzles(register: Callable[[type[Puzzle]], None]) -> None:
    """Brings the one puzzle."""
    register(Rotate)


@hookimpl
def puzzlekit_register_solvers(register: Callable[[str, str, Solver], None]) -> None:
    """Brings the solver for large boards."""
    register("rotate", "reduction", reduction)


@hookimpl
def puzzlekit_register_scramblers(register: Callable[[str, str, Callable[..., list[str]]], None]) -> None:
    """Registers the report's random walk as a scrambler."""
    register("rotate", "walk", walk)
