"""Prints boards on a terminal: with colours if the terminal has them, otherwise plainly."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlekit.cli.output import print_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text

    from puzzlekit.view.characters import Glyph

Plain = Annotated[bool, typer.Option("--plain", help="Use no colours, and write line by line.")]
"""The option of verbs that draw on a terminal."""

ASCII = str.maketrans(
    {
        "─": "-",
        "│": "|",
        **dict.fromkeys("┘┐┤└┌├┴┬┼", "+"),
        **dict.fromkeys("╵╷╴╶·", "."),
        **dict.fromkeys("█▉▊▋▌▍▎▏", "#"),
        "▓": "=",
        "▒": "-",
        "░": ".",
        "●": "*",
        "○": "o",
        "…": "~",
    }
)
"""The replacements for characters that the output cannot write."""


def is_plain(wanted: bool) -> bool:
    """Returns `True` if output has no colours and no cursor: on request, through a pipe, or on a dumb terminal."""
    if wanted or not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return True
    # A terminal counts as dumb if TERM does not name its kind. On Windows, TERM is usually not set.
    return os.environ.get("TERM", "" if os.name == "nt" else "dumb") == "dumb"


def writable(text: str) -> str:
    """The text, with characters that stdout cannot write replaced by others. Few terminals lack any."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(ASCII).encode(encoding, "replace").decode(encoding)
    return text


def print_glyphs(lines: Sequence[Sequence[Glyph]], *, plain: bool) -> None:
    """Prints a board."""
    if plain:
        from puzzlekit.view.characters import plain as without_colours

        for row in without_colours(lines).splitlines():
            print_line(writable(row))
        return
    from rich.console import Console

    # The width is passed, because rich cuts long lines if it cannot find out the size of the terminal.
    console = Console(highlight=False, width=max(map(length, lines), default=0) + 1)
    for line in lines:
        console.print(coloured(line), no_wrap=True, crop=False)


def length(line: Sequence[Glyph]) -> int:
    """The number of columns that a line of a board takes."""
    from puzzlekit.view.characters import width

    return sum(width(glyph.text) for glyph in line)


def coloured(line: Sequence[Glyph]) -> Text:
    """A line of a board as a text of rich, with its colours."""
    from rich.style import Style
    from rich.text import Text

    return Text.assemble(
        *((writable(glyph.text), Style(color=glyph.ink or None, bgcolor=glyph.paper or None)) for glyph in line)
    )


def beside(boards: Sequence[Sequence[Sequence[Glyph]]], gap: int, columns: int) -> list[list[Glyph]]:
    """Several boards side by side, as many in each row as fit into the given columns."""
    from puzzlekit.view.characters import Glyph

    wide = max(length(line) for board in boards for line in board)
    high = max(map(len, boards))
    across = max(1, (columns + gap) // (wide + gap))
    found: list[list[Glyph]] = []
    for first in range(0, len(boards), across):
        if first:
            found.append([])
        row = boards[first : first + across]
        for at in range(high):
            line: list[Glyph] = []
            for board in row:
                own = board[at] if at < len(board) else []
                line += [*own, Glyph(" " * (wide - length(own) + gap))]
            found.append(line)
    return found
