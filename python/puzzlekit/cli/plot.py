"""`--plot`: a result as a plot, in characters on stdout, or as an SVG or PNG file."""

from __future__ import annotations

import shutil
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlekit.cli.output import print_line
from puzzlekit.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from puzzlekit.draw.plot import Bars
    from puzzlekit.view.characters import Glyph

ON_STDOUT = "-"

Plot = Annotated[
    str | None,
    typer.Option(
        "--plot", metavar="[FILE]", help="Plot the result, in characters or to a file that ends in .svg or .png."
    ),
]
"""The option of verbs that count states by depth."""


def check_plot(plot: str | None, *, as_json: bool) -> None:
    """Checks the option `--plot` before anything is counted.

    Raises:
        UsageError: The file is no SVG or PNG, or both a plot and JSON are to go to stdout.
    """
    if plot == ON_STDOUT and as_json:
        raise UsageError("--plot and --json both write to stdout; give a file to plot to, as in --plot states.svg")
    if plot not in (None, ON_STDOUT) and not str(plot).lower().endswith((".svg", ".png")):
        raise UsageError(f"--plot is {plot}; give a file that ends in .svg or .png, or none to plot on the terminal")
    if plot not in (None, ON_STDOUT):
        from puzzlekit.draw.svg import check_file

        check_file(str(plot))


def show_plot(made: Callable[[], Bars], plot: str | None, *, as_json: bool) -> None:
    """Makes and shows a plot if one is asked for, and says which file it was written to."""
    if plot is None:
        return
    bars = made()
    if plot != ON_STDOUT:
        bars.picture().save(plot)
        if not as_json:
            print_line(f"{plot}: {bars.title}")
        return
    from puzzlekit.cli.screen import is_plain, print_glyphs

    print_line()
    lines = [_in_colours(line) for line in bars.lines(shutil.get_terminal_size().columns)]
    print_glyphs(lines, plain=is_plain(False))


def _in_colours(line: str) -> list[Glyph]:
    """A line of a plot, with its bars in the colours of the SVG."""
    from puzzlekit.cli.terminal import plain
    from puzzlekit.draw.plot import BLOCKS, COLOURS, EIGHTHS
    from puzzlekit.view.characters import Glyph

    inks = {**dict.fromkeys(EIGHTHS, COLOURS[0]), **dict(zip(BLOCKS, COLOURS, strict=False))}
    return [Glyph("".join(run), ink) for ink, run in groupby(plain(line), lambda character: inks.get(character, ""))]
