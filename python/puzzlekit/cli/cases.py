"""`puzzlekit survey --cases`: the cases of a phase as text, as a CSV file or as a page of pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puzzlekit.cli import completion
from puzzlekit.cli.enumerate import Interrupt
from puzzlekit.cli.output import print_json, print_line, say
from puzzlekit.cli.progress import ProgressLine
from puzzlekit.errors import LimitError, PuzzlekitError, UsageError, code_of_stop

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.cases import CasesReport
    from puzzlekit.run.report import Progress

SHEETS = (".csv", ".html")
"""The endings of the files into which cases can be written."""

CasesOption = Annotated[
    str | None,
    typer.Option(
        "--cases",
        metavar="[FILE]",
        help="List the cases of the last phase, each with its shortest way; as .csv or .html to a file.",
        autocompletion=completion.files,
    ),
]


def check_cases(to: str | None, phases: list[str] | None) -> None:
    """Checks `--cases`: its file must be of a kind that can be written, and there must be a phase.

    Raises:
        UsageError: The file is of another kind, or no phase is given.
    """
    if to not in (None, "-") and not str(to).lower().endswith(SHEETS):
        raise UsageError(f"--cases is {to}; give a file that ends in .csv or .html, or none")
    if to is not None and not phases:
        raise UsageError("--cases lists the cases of a phase; give --phase, such as the goal itself")


def list_cases(
    puzzle: Puzzle, phases: Sequence[str], to: str, limits: Mapping[str, Any], *, quiet: bool, as_json: bool
) -> int:
    """Finds the cases, prints them or writes them to a file, and returns the exit code.

    Raises:
        PuzzlekitError: The file cannot be written, or a limit was reached first.
    """
    from puzzlekit.puzzle.cases import cases

    interrupt = Interrupt()
    with ProgressLine(quiet=quiet, limit=limits["seconds"]) as line, interrupt:

        def watch(progress: Progress) -> bool:
            line.show(progress)
            return interrupt.signal is not None

        try:
            report = cases(puzzle, phases, **limits, watch=watch)
        except LimitError:
            if interrupt.signal is None:
                raise
            report = None
    if report is None:
        say("interrupted before all states were found; no case is known yet")
        return code_of_stop(interrupt.signal)
    _show(report, to, as_json=as_json)
    return 0


def _show(report: CasesReport, to: str, *, as_json: bool) -> None:
    if to != "-":
        try:
            Path(to).write_text(report.csv() if to.lower().endswith(".csv") else report.page(), encoding="utf-8")
        except OSError as error:
            raise PuzzlekitError(f"{to} cannot be written: {error.strerror or error}; give another file") from None
    if as_json:
        print_json(report.to_data())
    elif to == "-":
        for line in str(report).splitlines():
            print_line(line)
    else:
        print_line(f"{to}: {report.title}")
