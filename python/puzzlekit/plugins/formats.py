"""Files of other programs that define puzzles: plugins read them, and say by entry points how their names end.

An entry point of the group `puzzlekit.formats` has as its name the ending without its dot, such as `tws`. It names a
function that reads the text of such a file. So the endings are known before any plugin is imported. docs/plugins.md has
an example.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from puzzlekit.errors import PluginError, PuzzlekitError, UsageError, one_line
from puzzlekit.plugins.entries import find as find_entries
from puzzlekit.plugins.guard import attempt
from puzzlekit.plugins.plugin import Distribution
from puzzlekit.puzzle.puzzle import Puzzle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from puzzlekit.plugins.entries import Entry

GROUP = "puzzlekit.formats"
"""The group that these entry points are in."""

MOST_BYTES = 64 * 2**20
"""Larger files are not read."""


@dataclass(eq=False, repr=False)
class Format:
    """One kind of files, and the function that reads them.

    Attributes:
        ending: How the names of the files end, such as `.tws`.
        source: The distribution, that is, the installed package, that reads them.
        rivals: Other distributions that also read them.
    """

    ending: str
    entry: Entry
    source: Distribution
    rivals: list[Distribution] = field(default_factory=list)

    def __str__(self) -> str:
        return f"the reader of {self.ending} files of {self.source}"

    def reader(self, tell: Callable[[str], None] | None = None) -> Callable[[str, str], type[Puzzle]]:
        """The function that reads such files: it makes a type of puzzles from a file's text and the file's name.

        Raises:
            PluginError: It cannot be imported, or two distributions have such a function.
        """
        if self.rivals:
            raise PluginError(f"{self} has a rival, {self.rivals[0]}; uninstall one of the two")
        found: list[object] = []
        fault = attempt(lambda: found.append(self.entry.load()), self, tell)
        if fault is not None:
            raise PluginError(f"{self} cannot be loaded: {one_line(fault)}") from fault
        if not callable(found[0]):
            raise PluginError(f"{self} is {found[0]!r}; name a function of the text and the name of a file")
        return found[0]

    def fault(self) -> str | None:
        """Says why files of this kind cannot be read; `None` if they can."""
        try:
            self.reader()
        except PluginError as error:
            return str(error)
        return None

    def read(self, path: str, tell: Callable[[str], None] | None = None) -> type[Puzzle]:
        """The type of the puzzle that a file defines.

        Raises:
            UsageError: The file cannot be read, or the plugin's function finds something wrong in it.
            PluginError: The plugin's function fails, or returns something else than a type of puzzles.
        """
        reader, text = self.reader(tell), _text(path)
        name = os.path.basename(path)[: -len(self.ending)]
        made: list[object] = []
        fault = attempt(lambda: made.append(reader(text, name)), self, tell)
        if isinstance(fault, UsageError):
            raise type(fault)(f"{path}, {fault}") from fault
        if fault is not None:
            raise PluginError(f"{self} fails with {path}: {one_line(fault)}") from fault
        kind = made[0]
        if not (isinstance(kind, type) and issubclass(kind, Puzzle)):
            raise PluginError(f"{self} returned {kind!r}; return a subclass of puzzlekit.Puzzle")
        return kind


def as_python(kind: type[Puzzle]) -> str:
    """The text of a Python file that defines the same puzzle as a file of another program.

    Raises:
        UsageError: The plugin that reads such files cannot write them as Python.
        PluginError: The plugin fails.
    """
    write = getattr(kind, "as_python", None)
    if write is None:
        raise UsageError(f"the plugin that reads {kind.id} cannot write it as Python; use the file itself")
    made: list[object] = []
    fault = attempt(lambda: made.append(write()), f"the writer of {kind.id}")
    if isinstance(fault, PuzzlekitError):
        raise fault
    if fault is not None or not isinstance(made[0], str):
        what = f"returned {made[0]!r}" if fault is None else f"failed: {one_line(fault)}"
        raise PluginError(f"as_python of {kind.id} {what}; report it")
    return made[0]


class Formats:
    """The kinds of files that plugins read.

    Args:
        entries: Returns the entry points. It is called when they are first needed.
    """

    def __init__(self, entries: Callable[[], Iterable[Entry]]) -> None:
        self._entries = entries

    @classmethod
    def discover(cls) -> Formats:
        """The kinds of files that all installed distributions read. Nothing is imported."""
        return cls(lambda: find_entries(GROUP))

    @cached_property
    def _by_ending(self) -> dict[str, Format]:
        found: dict[str, Format] = {}
        for entry in self._entries():
            made = Format(f".{entry.name.lstrip('.')}", entry, Distribution(entry))
            if made.ending in found:
                found[made.ending].rivals.append(made.source)
            else:
                found[made.ending] = made
        return dict(sorted(found.items()))

    @property
    def endings(self) -> list[str]:
        """The endings of all kinds."""
        return list(self._by_ending)

    def all(self) -> list[Format]:
        """All kinds of files."""
        return list(self._by_ending.values())

    def of(self, path: str) -> Format | None:
        """The kind of a file; `None` if no plugin reads it. If several endings fit, the longest counts."""
        fitting = [ending for ending in self.endings if path.endswith(ending)]
        return self._by_ending[max(fitting, key=len)] if fitting else None


NO_FORMATS = Formats(lambda: ())
"""For places where no plugin may be used: no kinds of files."""


def _text(path: str) -> str:
    try:
        if not os.path.isfile(path):  # a pipe would be read for ever
            what = f"{path} is no file" if os.path.exists(path) else f"there is no file {path}"
            raise UsageError(f"{what}; give the path of a file that defines a puzzle")
        if os.path.getsize(path) > MOST_BYTES:
            raise UsageError(f"{path} has more than {MOST_BYTES // 2**20} MiB; no definition is as long")
        with open(path, encoding="utf-8-sig") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the file {path} cannot be read: {error}; give a text file") from None
