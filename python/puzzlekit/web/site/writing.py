"""Writes a site into a folder, whole or not at all. A folder with other files is left as it is."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from puzzlekit.errors import DiskError, UsageError
from puzzlekit.run.engine.machine import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

MARK = "puzzlekit-site.json"
"""The file that marks a folder as a site which puzzlekit has written. It lists all files of the site."""


def check_place(folder: Path) -> None:
    """Checks that a site may be written to a place: nothing is there, an empty folder, or an older site.

    Raises:
        UsageError: Something else is there.
    """
    if not os.path.lexists(folder):  # also for a name that is too long for the system
        return
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder; give a new one with --to")
    there = {
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()
    }
    if not there:
        return
    if MARK not in there:
        raise UsageError(f"{folder} holds other files, such as {min(there)}; give a new or an empty folder with --to")
    try:
        listed = set(json.loads((folder / MARK).read_text(encoding="utf-8"))["files"])
    except (OSError, ValueError, KeyError, TypeError):
        raise UsageError(
            f"{folder / MARK} cannot be read as the list of a site; give another folder with --to"
        ) from None
    if others := there - listed - {MARK}:
        raise UsageError(
            f"{folder} holds a site, and {min(others)} besides, which would be lost; move that away, or give another "
            "folder with --to"
        )


def write_site(folder: Path, found: Mapping[str, bytes], pages: Mapping[str, str]) -> None:
    """Writes a site into a temporary folder, and moves it to its place when it is whole. An older site is replaced.

    Args:
        folder: The place.
        found: The contents of the files by their paths.
        pages: For each puzzle's text id, the name of its files.

    Raises:
        UsageError: Something else is there.
        DiskError: A file cannot be written. Nothing has changed.
    """
    check_place(folder)
    folder = folder.resolve()  # a link to a folder stays
    mark = {"schema": "puzzlekit.site/1", "version": __version__, "pages": dict(pages), "files": sorted(found)}
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise DiskError(f"{folder} cannot be made: {error.strerror or error}; give another place with --to") from None
    try:
        for path, content in {**found, MARK: json.dumps(mark, indent=1).encode()}.items():
            (made / path).parent.mkdir(parents=True, exist_ok=True)
            (made / path).write_bytes(content)
        made.chmod(0o755)  # a temporary folder is open only to its owner
        _put(made, folder)
    except OSError as error:
        raise DiskError(
            f"the site cannot be written to {folder}: {error.strerror or error}; free some space, or give another place"
        ) from None
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _put(made: Path, folder: Path) -> None:
    """Puts a folder in the place of an older one."""
    if not folder.exists():
        made.rename(folder)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    os.rmdir(old)
    folder.rename(old)
    try:
        made.rename(folder)
    except OSError:
        with suppress(OSError):
            old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)
