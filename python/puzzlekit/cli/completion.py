"""The completions that a shell offers on Tab: ids and files of puzzles, folders, and the values of options.

A function returns the texts that begin with what is typed, or pairs of a text and its meaning. The shell shows the
meaning if it can.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from puzzlekit.cli.streams import ASKED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from puzzlekit.plugins.loader import Plugins

Offer = tuple[str, str]

INSTALL = {"--install-completion", "--show-completion"}
"""The options that typer adds to the command."""


def asked_by_shell(arguments: Iterable[str]) -> bool:
    """Returns `True` if a shell asks what it can offer, or if a user asks for the script that the shell needs."""
    return ASKED in os.environ or bool(INSTALL & set(arguments))


def puzzles(incomplete: str) -> list[Offer]:
    """The ids of puzzles that are installed or in the gallery; if a path is typed, files that may define puzzles."""
    if "/" in incomplete or incomplete.startswith("."):
        endings = (".py", *_plugins().formats.endings)
        return _paths(incomplete, lambda path: path.is_dir() or path.name.endswith(endings))
    from puzzlekit.plugins import gallery
    from puzzlekit.puzzle.declaration import summary

    found = {name: summary(kind) for name, kind in _plugins().puzzle_types().items()}
    found |= dict.fromkeys((name for name in gallery.ids() if name not in found), "of the gallery")
    return [(name, about) for name, about in found.items() if name.startswith(incomplete)]


def folders(incomplete: str) -> list[Offer]:
    """The folders whose paths begin with what is typed."""
    return _paths(incomplete, Path.is_dir)


def files(incomplete: str) -> list[Offer]:
    """The files and folders whose paths begin with what is typed."""
    return _paths(incomplete, lambda _: True)


def solvers(context: typer.Context, incomplete: str) -> list[str]:
    """The names of the solvers for the puzzle that stands earlier in the command."""
    return _of_puzzle(context, incomplete, lambda plugins, puzzle: plugins.solvers(puzzle))


def scramblers(context: typer.Context, incomplete: str) -> list[str]:
    """The names of the scramblers for the puzzle that stands earlier in the command."""
    return _of_puzzle(context, incomplete, lambda plugins, puzzle: plugins.scramblers(puzzle))


def one_of(*values: str) -> Callable[[str], list[str]]:
    """Offers the values of an option that has only a few.

    >>> one_of("auto", "dense", "sparse")("a")
    ['auto']
    """

    def offer(incomplete: str) -> list[str]:
        return [value for value in values if value.startswith(incomplete)]

    return offer


def _plugins() -> Plugins:
    """The plugins, without warnings about those that fail: a shell would show them in the middle of the line."""
    from puzzlekit.plugins.loader import Plugins

    return Plugins.discover(warn=lambda _: None)


def _of_puzzle(context: typer.Context, incomplete: str, named: Callable[[Plugins, Any], Iterable[str]]) -> list[str]:
    from puzzlekit.errors import PuzzlekitError

    # As long as an option lacks its value, typer parses nothing, and all words are in `args`.
    plugins, text = _plugins(), context.params.get("puzzle_id") or next(iter(context.args), "")
    try:
        return [name for name in named(plugins, plugins.parse(text)) if name.startswith(incomplete)]
    except PuzzlekitError:  # there is no such puzzle yet
        return []


def _paths(incomplete: str, wanted: Callable[[Path], bool]) -> list[Offer]:
    """The paths that begin with a text, with a slash after folders. Hidden ones are offered only if the dot is typed.

    If nothing is offered, bash and zsh complete paths themselves. Unlike offers, their paths of folders get no space.
    """
    if os.environ.get(ASKED, "").endswith(("bash", "zsh")):
        return []
    folder, slash, begun = incomplete.rpartition("/")
    try:
        inside = sorted(Path(f"{folder}{slash}" or ".").expanduser().iterdir())
    except OSError:
        return []
    return [
        (f"{folder}{slash}{path.name}{'/' * path.is_dir()}", "")
        for path in inside
        if path.name.startswith(begun) and (begun or path.name[0] != ".") and wanted(path)
    ]
