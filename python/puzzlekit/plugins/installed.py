"""Public functions about the installed plugins, such as `puzzlekit.load`; each calls a method in `loader.py`."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Unpack

from puzzlekit.plugins.loader import Plugins
from puzzlekit.run.checks import check_is_puzzle

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    from puzzlekit.jobs.job import Job
    from puzzlekit.jobs.shards.executor import Executor
    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.options import RunKeywords, RunOptions
    from puzzlekit.run.report import Report
    from puzzlekit.run.scrambler import Scrambler
    from puzzlekit.run.solver import Solver
    from puzzlekit.run.watch import Watch


@cache
def _installed() -> Plugins:
    return Plugins.discover()


def load(text: str) -> Puzzle:
    """The puzzle that a text id such as `tictactoe:4,4,2` names.

    >>> load("tictactoe:4,4,2").enumerate().states
    20100

    Raises:
        UsageError: There is no such puzzle, or a parameter makes no sense.
        PluginError: The plugin that has the puzzle cannot be loaded.
    """
    return _installed().parse(text)


def open_job(
    folder: str | PathLike[str],
    find: Callable[[str], Puzzle] | None = None,
    *,
    file: str | PathLike[str] | None = None,
) -> Job:
    """The job in a folder, which `Puzzle.enumerate` was given as `out`.

    The folder holds the puzzle as data. Code that the folder names is not run.

    Args:
        folder: The folder.
        find: Makes the puzzle from the job's text id, if its code is to be used. Its rules must be those of the job.
        file: Instead of `find`, a file that defines the puzzle. A colon and a class may follow.

    Raises:
        JobError: The folder holds no job, or the job has other rules than the given puzzle.
        CorruptError: The manifest, which describes the job, was changed after it was written.
    """
    if find is None:
        return _installed().open_job(folder, file)
    from puzzlekit.jobs.job import Job

    return Job(folder, find)


def resume(
    folder: str | PathLike[str],
    run: RunOptions | None = None,
    *,
    on: Executor | None = None,
    watch: Watch | None = None,
    drop_partial: bool = False,
    **options: Unpack[RunKeywords],
) -> Report:
    """Goes on with the job in a folder: `open_job(folder).resume(...)`. The report has all depths of the job."""
    return open_job(folder).resume(run, on=on, watch=watch, drop_partial=drop_partial, **options)


def executor(text: str, shards: int | None = None) -> Executor:
    """An executor, which lets `Puzzle.enumerate` use several processes: `processes:3`, or one that a plugin brings.

    >>> executor("processes:3").shards
    3

    Args:
        text: The name of the executor, and after a colon what it needs to know.
        shards: The number of shards, or parts, that a new job is divided into, if the text does not say it.

    Raises:
        UsageError: There is no such executor, or what follows its name makes no sense.
    """
    return _installed().executor(text, shards)


def solvers(puzzle: Puzzle) -> dict[str, Solver]:
    """The solvers of a puzzle, by name: the engine's own, `optimal`, and those of installed plugins.

    >>> list(solvers(load("tictactoe")))
    ['optimal']
    """
    check_is_puzzle(puzzle)
    return _installed().solvers(puzzle)


def scramblers(puzzle: Puzzle) -> dict[str, Scrambler]:
    """The scramblers of a puzzle, by name: the engine's own, `random`, and those of installed plugins.

    >>> list(scramblers(load("tictactoe")))
    ['random']
    """
    check_is_puzzle(puzzle)
    return _installed().scramblers(puzzle)


def puzzles() -> dict[str, type[Puzzle]]:
    """All puzzles that are installed, by id.

    >>> "tictactoe" in puzzles()
    True
    """
    return _installed().puzzle_types()
