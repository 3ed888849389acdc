"""The folder of a new job, and what it keeps of the puzzle beside its rules: its plugin, texts and view."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from puzzlekit.describe.kept_rules import board_data
from puzzlekit.errors import plugin_code
from puzzlekit.puzzle.declaration import summary
from puzzlekit.run.checks import read_path
from puzzlekit.run.job_parts import JobFolder

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    from puzzlekit.puzzle.protocols import Sourced

MOST_MOVES = 10_000
"""A job of a puzzle with more moves than this keeps no view. Making one takes seconds, and it can be made from the
rules later."""


def job_folder(
    puzzle: Sourced,
    folder: str | PathLike[str],
    *,
    resume: bool = False,
    local: str | PathLike[str] | None = None,
) -> JobFolder:
    """Describes the folder of a job of a puzzle, and for a new job also the puzzle's plugin, texts and view."""
    plugin, _, version = str(puzzle.distribution).partition(" ")
    return JobFolder(
        read_path("the folder", folder),
        str(puzzle),
        plugin,
        version,
        shown="" if resume else shown_text(puzzle),
        resume=resume,
        local="" if local is None else read_path("the local folder", local),
    )


def shown_text(puzzle: Sourced) -> str:
    """The data with which the states of a puzzle are written and drawn, with its summary and its guide, as JSON.

    If a method of the puzzle fails, null stands for what it should have returned, since a job can do without.
    """
    from puzzlekit.view.view_data import view_data

    with plugin_code():
        rules = puzzle.rules()
        few = len(tuple(rules.moves)) <= MOST_MOVES
        return json.dumps(
            {
                "summary": summary(type(puzzle)),
                "guide": _without_fault(puzzle.guide),
                "board": _without_fault(lambda: board_data(rules)),
                "columns": rules.columns,
                "view": _without_fault(lambda: view_data(puzzle.view())) if few else None,
            }
        )


def _without_fault(made: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever a puzzle makes, if it is plain data
    try:
        found = made()
        json.dumps(found)
    except Exception:  # methods of a puzzle may fail in any way
        return None
    return found
