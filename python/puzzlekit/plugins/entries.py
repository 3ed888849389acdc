"""Finds entry points as `importlib.metadata` does, but faster: it reads the files in the folders of `sys.path`.

An entry point is a line `name = module:attribute` that an installed package, called a distribution, has in its file
`entry_points.txt`. Every command that needs a puzzle reads these lines. To import `importlib.metadata` would take a
third of the time that `puzzlekit list` needs beyond the start of Python and typer.
"""

from __future__ import annotations

import os
import sys
from functools import cached_property, reduce
from importlib import import_module
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from importlib.metadata import Distribution


class Entry(Protocol):
    """The part of an entry point that puzzlekit uses. `importlib.metadata.EntryPoint` has it too."""

    @property
    def name(self) -> str:
        """The name of the entry point: the left side of its line."""

    @property
    def module(self) -> str:
        """The name of the module on the right side of its line."""

    @property
    def dist(self) -> Distribution | None:
        """The distribution, that is, the installed package, that declares it."""

    def load(self) -> object:
        """Imports the module, and returns it, or the attribute of it that the line names."""


class FolderEntry:
    """An entry point that was read from a file `entry_points.txt`: a line `name = module:attribute`.

    Args:
        name: What stands on the left of `=`.
        value: What stands on the right: a module, perhaps with an attribute, and perhaps with extras in brackets.
        folder: The folder that holds the file, such as `.../site-packages/puzzlekit_switch-1.0.0.dist-info`.
    """

    def __init__(self, name: str, value: str, folder: str) -> None:
        self.name = name
        module, _, attribute = value.partition("[")[0].partition(":")
        self.module = module.strip()
        self._attributes = [part for part in attribute.strip().split(".") if part]
        self._folder = folder

    @cached_property
    def dist(self) -> Distribution:
        """The distribution that declares it."""
        from importlib.metadata import Distribution  # here, because most commands ask for none

        return Distribution.at(self._folder)

    @property
    def named(self) -> str:
        """The name and the version of the distribution, read from its file; empty if they are not there as usual.

        A job notes them, and `importlib.metadata` would take a tenth of a short command to import.
        """
        for file in ("METADATA", "PKG-INFO"):
            try:
                with open(os.path.join(self._folder, file), encoding="utf-8") as lines:
                    return _name_and_version(lines)
            except (OSError, UnicodeDecodeError):
                continue
        return ""

    def load(self) -> object:
        """Imports the module, and returns it, or the attribute of it that the line names."""
        return reduce(getattr, self._attributes, import_module(self.module))


def _name_and_version(lines: Iterable[str]) -> str:
    """The name and the version that the first lines of a file `METADATA` tell, up to an empty line."""
    found: dict[str, str] = {}
    for line in lines:
        if not line.strip() or len(found) == 2:
            break
        key, _, value = line.partition(":")
        if key.lower() in ("name", "version"):
            found.setdefault(key.lower(), value.strip())
    return " ".join([found["name"], found["version"]]) if found.get("name") and found.get("version") else ""


def find(group: str) -> Iterable[Entry]:
    """The entry points of a group, from all installed distributions. Nothing is imported.

    If two folders hold distributions of one name, the one in the folder that comes first in `sys.path` counts, as for
    imports.
    """
    if not _only_folders():
        from importlib.metadata import entry_points

        return entry_points(group=group)
    return [entry for folder in _distributions() for entry in _entries(folder, group)]


def _only_folders() -> bool:
    """Returns `True` if all distributions lie in plain folders, not in archives or places that other finders read."""
    finders = [finder for finder in sys.meta_path if hasattr(finder, "find_distributions")]
    return finders == [PathFinder] and not any(os.path.isfile(path) or path.endswith(".egg") for path in sys.path)


def _distributions() -> Iterator[str]:
    """The folders that describe the distributions (`….dist-info`), one for each name."""
    seen = set()
    for path in sys.path:
        try:
            children = os.listdir(path or ".")
        except OSError:  # a folder of `sys.path` that does not exist, or may not be read, has no distributions
            continue
        for child in children:
            stem, _, kind = child.lower().rpartition(".")
            # Names are the same if they differ only in case and in runs of dashes, underscores and dots (PEP 503).
            name = "_".join(part for part in stem.partition("-")[0].replace(".", "_").split("_") if part)
            if kind in ("dist-info", "egg-info") and name not in seen:
                seen.add(name)
                yield os.path.join(path, child)


def _entries(folder: str, group: str) -> Iterator[FolderEntry]:
    try:
        with open(os.path.join(folder, "entry_points.txt"), encoding="utf-8", errors="replace") as file:
            lines = [line.strip() for line in file]
    except OSError:  # most distributions have no such file
        return
    section = ""
    for line in lines:
        if line.startswith("["):
            section = line.strip("[]").strip()
        elif section == group and "=" in line and not line.startswith("#"):
            name, _, value = line.partition("=")
            yield FolderEntry(name.strip(), value.strip(), folder)
