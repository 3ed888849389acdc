"""Describe a puzzle or board game as data; enumerate it exactly, up to symmetry, at Rust speed."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from puzzlekit import jobs
    from puzzlekit.describe.beside import Beside
    from puzzlekit.describe.grid import Grid
    from puzzlekit.describe.hexgrid import HexGrid
    from puzzlekit.describe.moves import Copy, Move, cycle, put, swap, toggle
    from puzzlekit.describe.parameters import parameter
    from puzzlekit.describe.patterns import anything_but
    from puzzlekit.describe.ring import Ring
    from puzzlekit.describe.rules import End, Goal, Rules, Symmetry, count, win
    from puzzlekit.draw.svg import Picture
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
    from puzzlekit.plugins.loader import hookimpl, load, open_job, puzzles, resume, scramblers, solvers
    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.puzzle.solving import optimal, shorten
    from puzzlekit.run.answers import ScrambleReport, SolveReport, Stage
    from puzzlekit.run.engine import __version__
    from puzzlekit.run.random import Random
    from puzzlekit.run.report import Depth, Progress, Report, RunPlan, Watch
    from puzzlekit.run.scrambler import Scrambler
    from puzzlekit.run.solver import Answer, Budget, Interrupted, Solver
    from puzzlekit.run.survey import Lengths, PhaseLengths, Sample, StageLengths, SurveyReport
    from puzzlekit.run.symmetries import SymmetryReport, symmetries
    from puzzlekit.view.gestures import Gesture
    from puzzlekit.view.layout import Spot
    from puzzlekit.view.looks import Look
    from puzzlekit.view.view import Region, View

# Where each public name is defined. A name is imported when it is first used, so commands that need few names start in
# half the time.
_HOMES = {
    "describe.beside": ("Beside",),
    "view.gestures": ("Gesture",),
    "describe.grid": ("Grid",),
    "describe.hexgrid": ("HexGrid",),
    "view.layout": ("Spot",),
    "view.looks": ("Look",),
    "describe.moves": ("Copy", "Move", "cycle", "put", "swap", "toggle"),
    "describe.parameters": ("parameter",),
    "describe.patterns": ("anything_but",),
    "puzzle.puzzle": ("Puzzle",),
    "puzzle.solving": ("optimal", "shorten"),
    "describe.ring": ("Ring",),
    "describe.rules": ("End", "Goal", "Rules", "Symmetry", "count", "win"),
    "view.view": ("Region", "View"),
    "draw.svg": ("Picture",),
    "errors": (
        "CorruptError",
        "DiskError",
        "JobError",
        "LimitError",
        "MoveError",
        "PluginError",
        "PluginWarning",
        "PuzzlekitError",
        "RulesError",
        "StateError",
        "UnsolvableError",
        "UsageError",
    ),
    "run.random": ("Random",),
    "plugins.loader": ("hookimpl", "load", "open_job", "puzzles", "resume", "scramblers", "solvers"),
    "run.engine": ("__version__",),
    "run.answers": ("ScrambleReport", "SolveReport", "Stage"),
    "run.report": ("Depth", "Progress", "Report", "RunPlan", "Watch"),
    "run.scrambler": ("Scrambler",),
    "run.solver": ("Answer", "Budget", "Interrupted", "Solver"),
    "run.survey": ("Lengths", "PhaseLengths", "Sample", "StageLengths", "SurveyReport"),
    "run.symmetries": ("SymmetryReport", "symmetries"),
}

__all__ = [
    "Answer",
    "Beside",
    "Budget",
    "Copy",
    "CorruptError",
    "Depth",
    "DiskError",
    "End",
    "Gesture",
    "Goal",
    "Grid",
    "HexGrid",
    "Interrupted",
    "JobError",
    "Lengths",
    "LimitError",
    "Look",
    "Move",
    "MoveError",
    "PhaseLengths",
    "Picture",
    "PluginError",
    "PluginWarning",
    "Progress",
    "Puzzle",
    "PuzzlekitError",
    "Random",
    "Region",
    "Report",
    "Ring",
    "Rules",
    "RulesError",
    "RunPlan",
    "Sample",
    "ScrambleReport",
    "Scrambler",
    "SolveReport",
    "Solver",
    "Spot",
    "Stage",
    "StageLengths",
    "StateError",
    "SurveyReport",
    "Symmetry",
    "SymmetryReport",
    "UnsolvableError",
    "UsageError",
    "View",
    "Watch",
    "__version__",
    "anything_but",
    "count",
    "cycle",
    "hookimpl",
    "jobs",
    "load",
    "open_job",
    "optimal",
    "parameter",
    "put",
    "puzzles",
    "resume",
    "scramblers",
    "shards",
    "shorten",
    "solvers",
    "swap",
    "symmetries",
    "toggle",
    "win",
]


def __getattr__(name: str) -> object:
    """A public name, imported when it is first used."""
    from importlib import import_module

    if name in ("jobs", "shards"):
        return import_module(f"puzzlekit.{name}")
    for home, names in _HOMES.items():
        if name in names:
            return globals().setdefault(name, getattr(import_module(f"puzzlekit.{home}"), name))
    raise AttributeError(f"module 'puzzlekit' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
