"""The hooks, which are functions that a plugin may define: their signatures, with a sentence for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from collections.abc import Callable

    from puzzlekit.jobs.shards.executor import Executor
    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.scrambler import ScramblerFunction
    from puzzlekit.run.solver import SolverFunction

hookspec = pluggy.HookspecMarker("puzzlekit")


@hookspec
def puzzlekit_register_puzzles(register: Callable[[type[Puzzle]], None]) -> None:
    """Call `register` once with each puzzle type that the plugin brings."""


@hookspec
def puzzlekit_register_scramblers(register: Callable[[str, str, ScramblerFunction], None]) -> None:
    """Call `register(puzzle_id, name, scrambler)` once with each scrambler; the puzzle may be somebody else's."""


@hookspec
def puzzlekit_register_solvers(register: Callable[[str, str, SolverFunction], None]) -> None:
    """Call `register(puzzle_id, name, solver)` once with each solver; the puzzle may be somebody else's."""


@hookspec
def puzzlekit_register_executors(register: Callable[[str, Callable[[str, int | None], Executor]], None]) -> None:
    """Call `register(name, make)` once with each executor; `make(text, shards)` gets what follows `name:` in `--on`."""
