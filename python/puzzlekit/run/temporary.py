"""Temporary folders, for jobs that nobody keeps. If one is full, the message says so."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from puzzlekit.errors import DiskError

if TYPE_CHECKING:
    from collections.abc import Iterator

REMEDY = "set TMPDIR to a folder with room, or keep the states in a folder of yours (--out)"


@contextmanager
def temporary_folder() -> Iterator[str]:
    """Inside a `with`, there is a new folder, whose path it gives.

    Raises:
        DiskError: The folder cannot be made, or a file in it cannot be written. Nothing is kept then, whatever the
            message of the job says that was in it.
    """
    from tempfile import TemporaryDirectory

    try:
        made = TemporaryDirectory(prefix="puzzlekit-")
    except OSError as error:
        raise DiskError(f"no temporary folder can be made: {error.strerror or error}; {REMEDY}") from None
    with made as folder:
        try:
            yield folder
        except DiskError as error:
            what = str(error).rpartition(";")[0] or str(error)
            raise DiskError(f"{what}; that folder is temporary, so nothing is kept: {REMEDY}") from error
