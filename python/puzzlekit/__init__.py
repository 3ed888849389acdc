"""Describe a puzzle or board game as data; enumerate it exactly, up to symmetry, at Rust speed."""

from puzzlekit.engine import __version__
from puzzlekit.errors import (
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
from puzzlekit.parameters import parameter
from puzzlekit.plugins import hookimpl, load, puzzles
from puzzlekit.puzzle import Puzzle
from puzzlekit.random import Random
from puzzlekit.report import Depth, Progress, Report, ScrambleReport, SolveReport
from puzzlekit.rules import Copy, End, Move, Rules, Symmetry, cycle, put, swap, toggle, win

__all__ = [
    "Copy",
    "Depth",
    "End",
    "Grid",
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
    "swap",
    "toggle",
    "win",
]
