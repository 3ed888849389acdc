"""The folder in which tables of solvers are kept for the next run: where it is, what it has, and how to empty it."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from puzzlekit.errors import UsageError
from puzzlekit.run.memory import read_bytes

FOLDER = "PUZZLEKIT_CACHE"
"""The environment variable with the path of the folder, to use another one than usual."""

BYTES = "PUZZLEKIT_CACHE_BYTES"
"""The environment variable with the most bytes that the folder may hold."""

MOST_BYTES = 2**31
"""The most bytes that the folder may hold, if the environment variable does not say."""

SUFFIXES = (".table", ".partial")
"""The endings of the names of files that puzzlekit writes. Other files in the folder are left alone."""


@dataclass(frozen=True)
class Kept:
    """A table in the folder, or a part of one: a file.

    Attributes:
        name: The file's name: a digest of all that the table depends on.
        bytes: The file's size.
        used: When the table was last used, in seconds since 1970.
    """

    name: str
    bytes: int
    used: float


def folder() -> Path:
    """The path of the folder, which need not exist yet.

    >>> import os
    >>> os.environ["PUZZLEKIT_CACHE"] = "tables"
    >>> folder().name
    'tables'
    >>> del os.environ["PUZZLEKIT_CACHE"]
    """
    named = os.environ.get(FOLDER)
    if named:
        return Path(named)
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "puzzlekit"


def most_bytes() -> int:
    """The most bytes that the folder may hold.

    Raises:
        UsageError: The environment variable is no size.
    """
    given = os.environ.get(BYTES)
    return MOST_BYTES if not given else read_bytes(given, BYTES)


def place(wanted: bool) -> tuple[Path, int] | None:
    """The folder and its most bytes, for the engine; `None` if tables are not kept, or if there is no home."""
    if not wanted:
        return None
    try:
        return folder(), most_bytes()
    except RuntimeError:  # no home can be found
        return None


def kept() -> list[Kept]:
    """The tables in the folder, the one that was used most recently first.

    Raises:
        UsageError: The folder cannot be read.
    """
    found = []
    try:
        for path in folder().iterdir():
            # Another process may have removed the file since the folder was listed.
            with suppress(FileNotFoundError):
                if path.suffix in SUFFIXES and path.is_file():
                    about = path.stat()
                    found.append(Kept(path.name, about.st_size, about.st_mtime))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UsageError(f"the cache folder {folder()} cannot be read: {error.strerror}; set {FOLDER}") from None
    return sorted(found, key=lambda one: (-one.used, one.name))


def clear() -> list[Kept]:
    """Removes the files of puzzlekit from the folder, and returns them.

    Raises:
        UsageError: One of them cannot be removed.
    """
    found = kept()
    for one in found:
        try:
            (folder() / one.name).unlink(missing_ok=True)
        except OSError as error:
            path = folder() / one.name
            raise UsageError(f"{path} cannot be removed: {error.strerror}; remove it by hand") from None
    return found
