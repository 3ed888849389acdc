"""The source of a puzzle's rules, as a job notes it: its text id, and the plugin or the file that defines it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from puzzlekit.run.checks import read_path
from puzzlekit.run.options import JobFolder

if TYPE_CHECKING:
    from os import PathLike

    from puzzlekit.puzzle.asked import Sourced


def job_folder(
    puzzle: Sourced,
    folder: str | PathLike[str],
    *,
    resume: bool = False,
    drop_partial: bool = False,
    local: str | PathLike[str] | None = None,
) -> JobFolder:
    """The folder of a job of a puzzle, with all that is noted there about the source of the rules."""
    plugin, _, version = str(puzzle.distribution).partition(" ")
    return JobFolder(
        read_path("the folder", folder),
        str(puzzle),
        plugin,
        version,
        locator="" if plugin else _locator(type(puzzle)),
        resume=resume,
        drop_partial=drop_partial,
        local="" if local is None else read_path("the local folder", local),
    )


def _locator(kind: type) -> str:
    """The place of a class: its file, a colon, and its name; empty if a job could not find it there again."""
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return "" if file is None or "." in kind.__qualname__ else f"{os.path.realpath(file)}:{kind.__qualname__}"
