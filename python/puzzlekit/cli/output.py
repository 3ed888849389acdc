"""Parts that all verbs share: global settings, messages on stderr, JSON and tables on stdout; text is escaped here."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from puzzlekit.cli.terminal import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from puzzlekit.plugins.loader import Plugins


@dataclass(frozen=True)
class Settings:
    """The global options."""

    no_plugins: bool
    strict: bool

    def plugins(self) -> Plugins:
        """The plugins that may be used; a warning is a line on stderr."""
        from puzzlekit.plugins.loader import Plugins

        if self.no_plugins:
            return Plugins(())
        return Plugins.discover(strict=self.strict, warn=lambda message: say(f"warning: {message}"), tell=say)

    def patient_plugins(self) -> Plugins:
        """The plugins that may be used, for verbs that report on plugins: a failing one is no error and no warning."""
        from puzzlekit.plugins.loader import Plugins

        return Plugins(()) if self.no_plugins else Plugins.discover(warn=lambda _: None, tell=say)


def say(message: str) -> None:
    """Prints a line for people on stderr."""
    write_error(f"puzzlekit: {plain(' '.join(line.strip() for line in message.split(chr(10))))}")


def write_error(text: str) -> None:
    """Writes escaped lines to stderr. If stderr cannot be written, they are lost, and the command goes on."""
    if sys.stderr is None:
        return
    try:
        print(text, file=sys.stderr, flush=True)  # noqa: T201
    except OSError:  # a full disk, or a pipe that nobody reads
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def say_lines(text: str) -> None:
    """Prints lines for people, such as a board, on stderr."""
    for line in text.splitlines():
        write_error(plain(line))


def print_json(data: dict[str, Any], *, flush: bool = False) -> None:
    """Prints a result for programs on stdout. JSON itself escapes everything that is not ASCII."""
    print(json.dumps(data), flush=flush)  # noqa: T201


def print_line(line: str = "", *, flush: bool = False) -> None:
    """Prints a line of the result, on stdout."""
    print(plain(line), flush=flush)  # noqa: T201


def print_table(headers: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int] = ()) -> None:
    """Prints a table on stdout: with rich on a terminal, plainly elsewhere. Columns of `numbers` are aligned right."""
    headers, rows = tuple(map(plain, headers)), [tuple(map(plain, row)) for row in rows]
    widths = [max(len(row[at]) for row in (headers, *rows)) for at in range(len(headers))]
    # If the terminal is too narrow for the table, rich would cut numbers off. Then the table is printed plainly.
    if sys.stdout.isatty() and sum(widths) + 3 * len(widths) <= shutil.get_terminal_size().columns:
        _print_rich_table(headers, rows, numbers)
        return
    for row in (headers, *rows):
        cells = (
            text.rjust(width) if at in numbers else text.ljust(width)
            for at, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        print_line("  ".join(cells).rstrip())


def _print_rich_table(headers: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for at, header in enumerate(headers):
        table.add_column(header, justify="right" if at in numbers else "left")
    for row in rows:
        table.add_row(*map(Text, row))
    # The size is given, because rich takes every terminal without colours for one of 80 columns.
    columns, lines = shutil.get_terminal_size()
    Console(width=columns, height=lines).print(table)
