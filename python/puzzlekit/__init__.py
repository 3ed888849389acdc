"""Describe a puzzle or board game as data; enumerate it exactly, up to symmetry, at Rust speed."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from puzzlekit import jobs
    from puzzlekit.describe.beside import Beside
    from puzzlekit.describe.gestures import Gesture
    from puzzlekit.describe.grid import Grid
    from puzzlekit.describe.hexgrid import HexGrid
    from puzzlekit.describe.layout import Spot
    from puzzlekit.describe.looks import Look
    from puzzlekit.describe.moves import Copy, Move, cycle, put, swap, toggle
    from puzzlekit.describe.parameters import parameter
    from puzzlekit.describe.patterns import anything_but
    from puzzlekit.describe.puzzle import Puzzle
    from puzzlekit.describe.ring import Ring
    from puzzlekit.describe.rules import End, Goal, Rules, Symmetry, count, win
    from puzzlekit.describe.solving import optimal, shorten
    from puzzlekit.describe.view import Region, View
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
    from puzzlekit.plugins.loader import executor, hookimpl, load, open_job, puzzles, resume, scramblers, solvers
    from puzzlekit.run.answers import ScrambleReport, SolveReport, Stage
    from puzzlekit.run.engine import __version__
    from puzzlekit.run.random import Random
    from puzzlekit.run.report import Depth, Progress, Report, RunPlan, Watch
    from puzzlekit.run.scrambler import Scrambler
    from puzzlekit.run.shards.executor import Executor, Message, ShardSetup, Workers
    from puzzlekit.run.shards.plan import PlannedDepth, PlannedTotal, ShardPlan
    from puzzlekit.run.shards.worker import ShardWorker
    from puzzlekit.run.solver import Answer, Budget, Interrupted, Solver
    from puzzlekit.run.survey import Lengths, PhaseLengths, Sample, StageLengths, SurveyReport
    from puzzlekit.run.symmetries import SymmetryReport, symmetries

# Where each public name is defined. A name is imported when it is first used, so commands that need few names start in
# half the time.
_HOMES = {
    "describe.beside": ("Beside",),
    "describe.gestures": ("Gesture",),
    "describe.grid": ("Grid",),
    "describe.hexgrid": ("HexGrid",),
    "describe.layout": ("Spot",),
    "describe.looks": ("Look",),
    "describe.moves": ("Copy", "Move", "cycle", "put", "swap", "toggle"),
    "describe.parameters": ("parameter",),
    "describe.patterns": ("anything_but",),
    "describe.puzzle": ("Puzzle",),
    "describe.solving": ("optimal", "shorten"),
    "describe.ring": ("Ring",),
    "describe.rules": ("End", "Goal", "Rules", "Symmetry", "count", "win"),
    "describe.view": ("Region", "View"),
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
    "plugins.loader": ("executor", "hookimpl", "load", "open_job", "puzzles", "resume", "scramblers", "solvers"),
    "run.engine": ("__version__",),
    "run.answers": ("ScrambleReport", "SolveReport", "Stage"),
    "run.report": ("Depth", "Progress", "Report", "RunPlan", "Watch"),
    "run.scrambler": ("Scrambler",),
    "run.shards.executor": ("Executor", "Message", "ShardSetup", "Workers"),
    "run.shards.plan": ("PlannedDepth", "PlannedTotal", "ShardPlan"),
    "run.shards.worker": ("ShardWorker",),
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
    "Executor",
    "Gesture",
    "Goal",
    "Grid",
    "HexGrid",
    "Interrupted",
    "JobError",
    "Lengths",
    "LimitError",
    "Look",
    "Message",
    "Move",
    "MoveError",
    "PhaseLengths",
    "Picture",
    "PlannedDepth",
    "PlannedTotal",
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
    "ShardPlan",
    "ShardSetup",
    "ShardWorker",
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
    "Workers",
    "__version__",
    "anything_but",
    "count",
    "cycle",
    "executor",
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

    if name == "jobs":
        return import_module("puzzlekit.jobs")
    for home, names in _HOMES.items():
        if name in names:
            return globals().setdefault(name, getattr(import_module(f"puzzlekit.{home}"), name))
    raise AttributeError(f"module 'puzzlekit' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
