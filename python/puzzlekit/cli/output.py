"""The parts that all verbs share: settings, messages on stderr, JSON and tables on stdout, with safe characters."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from puzzlekit.cli.terminal import plain
from puzzlekit.run.columns import in_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from puzzlekit.plugins.loader import Plugins


GAP = 3
"""The number of spaces between two columns of a table."""

MARKS = {"error:": "1;31", "warning:": "33"}
"""The words at the beginning of messages that are coloured on a terminal, each with the code of its colour."""


@dataclass(eq=False, repr=False)  # every command needs it, and it is defined in a fifth of the time
class Settings:
    """The global options."""

    no_plugins: bool
    strict: bool

    def plugins(self) -> Plugins:
        """The plugins that the options allow. A plugin that fails is one line of warning on stderr."""
        from puzzlekit.plugins.loader import Plugins

        if self.no_plugins:
            return Plugins(())
        return Plugins.discover(strict=self.strict, warn=lambda message: say(f"warning: {message}"), tell=say)

    def patient_plugins(self) -> Plugins:
        """The plugins that the options allow, without errors and warnings, for verbs that report on plugins."""
        from puzzlekit.plugins.loader import Plugins

        return Plugins(()) if self.no_plugins else Plugins.discover(warn=lambda _: None, tell=say)


MOST_OF_A_MESSAGE = 2000
"""The most characters of a message, of which the middle is left out if it is longer: it may quote what a user gave."""


def say(message: str) -> None:
    """Prints a message of one line on stderr."""
    if len(message) > MOST_OF_A_MESSAGE:  # the remedy stands at the end
        message = f"{message[: MOST_OF_A_MESSAGE // 2]} ... {message[-MOST_OF_A_MESSAGE // 2 :]}"
    text = plain(" ".join(line.strip() for line in message.split(chr(10))))
    # The engine adds the number of a system error to its text. The number would not help the reader.
    text = re.sub(r" \(os error \d+\)", "", text)
    mark, space, rest = text.partition(" ")
    if mark in MARKS and _has_colours():
        text = f"\x1b[{MARKS[mark]}m{mark}\x1b[0m{space}{rest}"
    write_error(f"puzzlekit: {text}")


def _has_colours() -> bool:
    """Returns `True` if stderr is a terminal with colours, and if the user has not switched them off."""
    if sys.stderr is None or not sys.stderr.isatty() or os.environ.get("NO_COLOR"):
        return False
    return os.environ.get("TERM", "dumb") != "dumb"


def write_error(text: str) -> None:
    """Writes text, already escaped, to stderr. If that fails, the text is lost, and the command goes on."""
    if sys.stderr is None:
        return
    try:
        print(text, file=sys.stderr, flush=True)  # noqa: T201
    except OSError:  # a full disk, or a pipe that nobody reads
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def say_lines(text: str) -> None:
    """Prints several lines for people on stderr, such as a board."""
    for line in text.splitlines():
        write_error(plain(line))


def size(number: int) -> str:
    """A number of bytes as a text for people.

    >>> size(900), size(192_115_356), size(25_276_502_016)
    ('900 bytes', '183.2 MiB', '23.5 GiB')
    """
    for power, unit in ((40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")):
        if number >= 2**power:
            return f"{number / 2**power:,.1f} {unit}"
    return f"{number:,} bytes"


def duration(seconds: float) -> str:
    """A time for people: in seconds below two minutes, then in minutes, then in hours.

    >>> duration(0.25), duration(600), duration(36000)
    ('0.2 s', '10.0 min', '10.0 hours')
    """
    if seconds < 120:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} min" if seconds < 7200 else f"{seconds / 3600:,.1f} hours"


def print_json(data: dict[str, Any], *, flush: bool = False) -> None:
    """Prints a result for programs on stdout. JSON escapes all characters that are not ASCII by itself."""
    print(json.dumps(data), flush=flush)  # noqa: T201


def print_line(line: str = "", *, flush: bool = False) -> None:
    """Prints a line of the result, on stdout."""
    print(plain(line), flush=flush)  # noqa: T201


def print_table(headers: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int] = ()) -> None:
    """Prints a table on stdout, with rich if stdout is a terminal. Columns of `numbers` are aligned right.

    If a terminal is too narrow, long texts are broken into several lines, but only between words.
    """
    headers, rows = tuple(map(plain, headers)), [tuple(map(plain, row)) for row in rows]
    columns = list(zip(headers, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    if sys.stdout.isatty():
        words = [
            widths[at] if at in numbers else max(len(word) for text in column for word in text.split(" "))
            for at, column in enumerate(columns)
        ]
        if fitting := fit(widths, words, shutil.get_terminal_size().columns - GAP * len(widths)):
            _print_rich_table(headers, rows, numbers, fitting)
            return
    for line in in_columns(headers, rows, numbers):
        print_line(line)


def fit(widths: Sequence[int], least: Sequence[int], room: int) -> list[int] | None:
    """Makes the widest columns narrower until all fit into `room`; `None` if even their `least` widths do not fit.

    >>> fit([6, 20, 90], [6, 10, 12], 80)
    [6, 20, 54]
    >>> fit([6, 20, 90], [6, 10, 12], 40)
    [6, 17, 17]
    >>> fit([6, 20, 90], [6, 10, 12], 20) is None
    True
    """
    found = list(widths)
    while sum(found) > room:
        wide = [at for at in range(len(found)) if found[at] > least[at]]
        if not wide:
            return None
        widest = max(wide, key=lambda at: found[at])
        found[widest] -= 1
    return found


def _print_rich_table(
    headers: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int], widths: Sequence[int]
) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for at, header in enumerate(headers):
        table.add_column(header, justify="right" if at in numbers else "left", width=widths[at])
    for row in rows:
        table.add_row(*map(Text, row))
    # The size is passed, because rich assumes 80 columns for every terminal without colours.
    columns, lines = shutil.get_terminal_size()
    Console(width=columns, height=lines).print(table)
