"""Describe a puzzle or board game as data; enumerate it exactly, up to symmetry, at Rust speed."""

# The public names, by the module that defines each. A name is imported when it is first used, so commands that need few
# names start in half the time. `make docs` writes __init__.pyi from this table, for type checkers.
_HOMES = {
    "describe.beside": "Beside",
    "describe.conditions": "Goal connected count unless",
    "describe.grid": "Grid",
    "describe.hexgrid": "HexGrid",
    "describe.moves": "Copy Move cycle put swap toggle",
    "describe.parameters": "parameter",
    "describe.patterns": "anything_but",
    "describe.ring": "Ring",
    "describe.rules": "End Rules Symmetry over win",
    "describe.score": "Score",
    "draw.svg": "Picture",
    "errors": "CorruptError DiskError JobError LibraryError LibraryWarning LimitError MoveError PluginError"
    " PluginWarning PuzzlekitError RulesError StateError UnsolvableError UsageError",
    "jobs.job": "Job",
    "jobs.library.library": "Library",
    "jobs.transitions": "Transitions",
    "jobs.whole": "transitions",
    "plugins.installed": "load open_job puzzles resume scramblers solvers",
    "plugins.plugin": "hookimpl",
    "proof.claims": "Proven",
    "puzzle.arrays": "Arrays",
    "puzzle.cases": "cases",
    "puzzle.evenness": "EvennessReport evenness",
    "puzzle.images": "Image images",
    "puzzle.needing": "scramble_needing",
    "puzzle.puzzle": "Puzzle",
    "puzzle.solving": "optimal shorten",
    "puzzle.strip": "strip",
    "puzzle.surveying": "survey",
    "run.answers": "ScrambleReport SolveReport Stage",
    "run.cases": "Case CasesReport",
    "run.engine.machine": "__version__",
    "run.job_parts": "HardState",
    "run.options": "RunOptions",
    "run.plans": "RunPlan",
    "run.progress": "Progress",
    "run.random": "Random",
    "run.report": "Depth Report",
    "run.scrambler": "Scrambler",
    "run.solver": "Answer Budget Interrupted Solver",
    "run.survey": "Lengths PhaseLengths Sample StageLengths SurveyReport",
    "run.symmetries": "SymmetryReport symmetries",
    "run.values": "StateValue ValuesReport",
    "run.watch": "Watch",
    "view.captions": "Caption",
    "view.gestures": "Gesture",
    "view.layout": "Spot",
    "view.looks": "Look",
    "view.view": "Region View",
}
_MODULES = ("jobs", "shards")
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = sorted((*_HOME, *_MODULES))  # noqa: PLE0605 - __init__.pyi has the list for those who cannot compute it


def __getattr__(name: str) -> object:
    """A public name, imported when it is first used."""
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"puzzlekit.{name}")
    if name in _HOME:
        return globals().setdefault(name, getattr(import_module(f"puzzlekit.{_HOME[name]}"), name))
    raise AttributeError(f"module 'puzzlekit' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names."""
    return __all__
