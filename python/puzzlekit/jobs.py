"""Jobs: enumerations that are kept in a folder, and go on from there after anything."""

from __future__ import annotations

from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from puzzlekit.engine import job_status
from puzzlekit.plugins import load

if TYPE_CHECKING:
    from collections.abc import Callable

    from puzzlekit.engine import Watch
    from puzzlekit.puzzle import Puzzle
    from puzzlekit.report import Report


def status(folder: str | PathLike[str]) -> dict[str, Any]:
    """What a folder says of its job: the puzzle, the store, the depths that are done, and whether it is complete.

    Raises:
        JobError: The folder holds no job, or one in the form of another version.
        CorruptError: The manifest is not what was written.
    """
    return job_status(fspath(folder))


def resume(  # noqa: PLR0913 - each is an option of a run
    folder: str | PathLike[str],
    *,
    max_depth: int | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    disk: int | str | None = None,
    checkpoint: float | None = None,
    watch: Watch | None = None,
    parse: Callable[[str], Puzzle] = load,
) -> Report:
    """Goes on with a job, and returns the report of all its depths.

    What counts is in the folder: the puzzle, the store, whether symmetries are used. The files come out the same as if
    the job had never been interrupted.

    Args:
        folder: The folder that `Puzzle.enumerate` was given as `out`.
        max_depth: The last depth to count; what the job was begun with where it is `None`.
        threads: How many threads to use; one a core where it is `None`.
        memory: How many bytes the process may take; as in `Puzzle.enumerate`.
        disk: How many bytes the files may take; as in `Puzzle.enumerate`.
        checkpoint: How often a part of a depth is kept; as in `Puzzle.enumerate`.
        watch: As in `Puzzle.enumerate`.
        parse: Makes the puzzle of a text id; that of the plugins that are installed, by default.

    Raises:
        JobError: The folder holds no job, another process works on it, or the puzzle's rules are not those that it was
            begun with.
        CorruptError: A file is not what was written.
        DiskError: A file cannot be written; the depths before are kept.
    """
    subject = job_status(fspath(folder))["subject"]
    puzzle = parse(subject["puzzle"])
    keep, backward = puzzle.keep(folder, resume=True), subject["backward"]
    return puzzle.engine.enumerate(
        str(puzzle),
        max_depth,
        True,
        threads,
        watch,
        memory=memory,
        keep=keep,
        backward=backward,
        disk=disk,
        checkpoint=checkpoint,
    )


def verify(
    folder: str | PathLike[str],
    *,
    memory: int | str | None = None,
    watch: Watch | None = None,
    parse: Callable[[str], Puzzle] = load,
) -> dict[str, Any]:
    """Checks a job, and returns what `status` returns.

    Every file is held against its checksum. Every state must be in order, the smallest of its images, of the kind that
    its file says and in no other depth; and the counts must be those of the states.

    Raises:
        CorruptError: Anything is otherwise.
        JobError: The folder holds no job, or another process works on it.
        LimitError: The watch stopped the check.
    """
    subject = job_status(fspath(folder))["subject"]
    puzzle = parse(subject["puzzle"])
    keep = puzzle.keep(folder, resume=True)
    return puzzle.engine.verify_job(keep, memory, watch, backward=subject["backward"])
