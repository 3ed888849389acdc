"""Describe a puzzle or board game as data; enumerate it exactly, up to symmetry, at Rust speed."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from puzzlekit.engine import __version__
    from puzzlekit.errors import (
        CorruptError,
        DiskError,
        JobError,
        LimitError,
        MoveError,
        PluginError,
        PluginWarning,
        PuzzlekitError,
        RulesError,
        StateError,
        UnsolvableError,
        UsageError,
    )
    from puzzlekit.grid import Grid
    from puzzlekit.jobs import resume
    from puzzlekit.parameters import parameter
    from puzzlekit.plugins import hookimpl, load, puzzles, solvers
    from puzzlekit.puzzle import Puzzle
    from puzzlekit.random import Random
    from puzzlekit.report import Depth, Progress, Report, RunPlan, ScrambleReport, SolveReport
    from puzzlekit.rules import Copy, End, Move, Rules, Symmetry, cycle, put, swap, toggle, win

__all__ = [
    "Copy",
    "CorruptError",
    "Depth",
    "DiskError",
    "End",
    "Grid",
    "JobError",
    "LimitError",
    "Move",
    "MoveError",
    "PluginError",
    "PluginWarning",
    "Progress",
    "Puzzle",
    "PuzzlekitError",
    "Random",
    "Report",
    "Rules",
    "RulesError",
    "RunPlan",
    "ScrambleReport",
    "SolveReport",
    "StateError",
    "Symmetry",
    "UnsolvableError",
    "UsageError",
    "__version__",
    "cycle",
    "hookimpl",
    "load",
    "parameter",
    "put",
    "puzzles",
    "resume",
    "solvers",
    "swap",
    "toggle",
    "win",
]

# Where the names above are, in the order in which these modules need each other.
_MODULES = (
    "errors",
    "rules",
    "grid",
    "parameters",
    "memory",
    "report",
    "table",
    "engine",
    "random",
    "states",
    "puzzle",
    "plugins",
    "jobs",
)


def __getattr__(name: str) -> object:
    """A public name, imported when it is first used: commands that need none start in half the time."""
    from importlib import import_module

    if name in __all__:
        for module in map(import_module, (f"puzzlekit.{module}" for module in _MODULES)):
            if hasattr(module, name):
                return globals().setdefault(name, getattr(module, name))
    raise AttributeError(f"module 'puzzlekit' has no attribute {name!r}")
