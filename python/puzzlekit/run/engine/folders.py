"""The folders of jobs, as the engine reads them: their manifests and definitions, and whether a process works there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from puzzlekit import _core

if TYPE_CHECKING:
    from puzzlekit.run.job_parts import JobFolder


def job_status(folder: str) -> dict[str, Any]:
    """The manifest of the job in a folder."""
    data: dict[str, Any] = json.loads(_core.job_status(folder))
    return data


def job_definition(folder: str) -> str:
    """The definition of the puzzle of a job, as JSON: its rules, and how its states are written and drawn."""
    return _core.job_definition(folder)


def job_is_running(folder: str) -> bool | None:
    """`True` if a process works on the job in a folder; `None` if the system cannot find that out."""
    return _core.job_is_running(folder)


def folder_of_core(folder: JobFolder) -> _core.JobFolder:
    """The folder of a job as the compiled engine takes it."""
    return _core.JobFolder(
        folder.folder,
        folder.puzzle,
        folder.plugin,
        folder.plugin_version,
        shown=folder.shown,
        resume=folder.resume,
        drop_partial=folder.drop_partial,
    )
