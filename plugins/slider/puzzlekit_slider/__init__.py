"""Slider: numbers on a board, put in order by sliding them into the free cell, which is the number 0.

A number beside the free cell slides into it. The board is solved when the free cell is at the top left and the numbers
follow it in order, row by row.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import puzzlekit
from puzzlekit import (
    Grid,
    Puzzle,
    Rules,
    hookimpl,
    parameter,
    swap,
)
from puzzlekit_slider.parity import is_solvable, rotate_keeps_solvable
from puzzlekit_slider.reduction import reduction

if TYPE_CHECKING:
    from collections.abc import Callable

    from puzzlekit import ScrambleReport, Solver
    from puzzlekit_slider.lists import (
        generate,
        get_board_size,
        is_solved,
        is_valid,
        move,
        move_down,
        move_left,
        move_random,
        move_right,
        move_up,
        play,
        play_interactive,
        print_board,
        reset,
        rotate,
        shuffle,
    )

__all__ = [
    "Slider",
    "generate",
    "get_board_size",
    "is_solvable",
    "is_solved",
    "is_valid",
    "move",
    "move_down",
    "move_left",
    "move_random",
    "move_right",
    "move_up",
    "play",
    "play_interactive",
    "print_board",
    "reduction",
    "reset",
    "rotate",
    "rotate_keeps_solvable",
    "shuffle",
]


def __getattr__(name: str) -> object:
    """A function on boards as lists, imported when it is first asked for: most commands need none of these."""
    if name in __all__:
        from puzzlekit_slider import lists

        return getattr(lists, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@dataclass(frozen=True)
class Slider(Puzzle):
    """Tiles slide into the gap, until they are in order with the gap at the top left."""

    id = "slider"
    rows: int = parameter(3, 2, 10, "rows of the board")
    columns: int = parameter(3, 2, 10, "columns of the board")

    def rules(self) -> Rules:
        """The gap, 0, changes places with a neighbour: R with the one to its right, and L, U and D likewise."""
        numbers = range(self.rows * self.columns)
        steps = Grid(self.rows, self.columns).steps()
        return Rules(
            symbols=numbers,
            start=numbers,
            goal=[numbers],
            moves=[swap(a, b).when({a: 0}).named(direction[0].upper()) for a, b, direction in steps],
            columns=self.columns,
        )

    def scramble(
        self, seed: str | None = None, *, moves: int | None = None, scrambler: Callable[..., Any] | None = None
    ) -> ScrambleReport:
        """A random state; with `moves`, a state after that many random moves.

        Without `moves`, all states that can be solved are equally likely. The numbers are shuffled (Fisher and Yates).
        If the parity is wrong, two of them are exchanged.
        """
        if moves is not None or scrambler is not None:
            return super().scramble(seed, moves=moves, scrambler=scrambler)
        if seed is None:
            import secrets  # imported here, because most commands do not need it

            seed = secrets.token_hex(8)
        random, cells = puzzlekit.Random(f"{self}/{seed}"), list(range(self.rows * self.columns))
        solved = cells.copy()
        while cells == solved:
            for last in range(len(cells) - 1, 0, -1):
                other = random.below(last + 1)
                cells[last], cells[other] = cells[other], cells[last]
            if not is_solvable(cells, self.columns):
                first, second = (at for at, number in enumerate(cells) if number in (1, 2))
                cells[first], cells[second] = cells[second], cells[first]
        return puzzlekit.ScrambleReport(
            str(self), self.read(",".join(map(str, cells))), seed, None, "each solvable state equally likely"
        )

    def count_reachable(self) -> int:
        """Half of all arrangements: those of even parity (Wilson 1974)."""
        return math.factorial(self.rows * self.columns) // 2

    def why_unsolvable(self, state: str) -> str | None:
        """A sentence, if the parity is odd. It is told before any search, for every size."""
        if is_solvable(self.numbers(state), self.columns):
            return None
        return "its parity is odd, and no move changes that"

    def numbers(self, state: str) -> list[int]:
        """The numbers of a state, row by row."""
        return list(bytes(self.arrays.encode([state])))


@hookimpl
def puzzlekit_register_puzzles(register: Callable[[type[Puzzle]], None]) -> None:
    """Brings the one puzzle."""
    register(Slider)


@hookimpl
def puzzlekit_register_solvers(register: Callable[[str, str, Solver], None]) -> None:
    """Brings the solver for large boards."""
    register("slider", "reduction", reduction)
