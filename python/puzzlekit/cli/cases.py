"""`puzzlekit survey --cases`: the cases of a phase as text, as a CSV file or as a page of pictures."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puzzlekit.cli import completion
from puzzlekit.cli.enumerate import stopping, watching
from puzzlekit.cli.output import print_json, print_line, say
from puzzlekit.cli.progress import clock
from puzzlekit.errors import PuzzlekitError, UsageError, code_of_stop
from puzzlekit.run.memory import held_bytes
from puzzlekit.run.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from puzzlekit.cli.enumerate import Interrupt
    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.cases import CasesReport

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

LimitOption = Annotated[
    int | None,
    typer.Option(
        "--limit", metavar="N", help="With --cases, list N of them, those with the fewest moves; 1000 if left out."
    ),
]


def check_cases(to: str | None, phases: list[str] | None, limit: int | None) -> None:
    """Refuses a file of another kind, cases without a phase, and a limit without cases.

    Raises:
        UsageError: The file is of another kind, or no phase is given.
    """
    if limit is not None and to is None:
        raise UsageError("--limit is for --cases; give both, or leave it out")
    if to not in (None, "-") and not str(to).lower().endswith(SHEETS):
        raise UsageError(f"--cases is {to}; give a file that ends in .csv or .html, or none")
    if to is not None and not phases:
        raise UsageError("--cases lists the cases of a phase; give --phase, such as the goal itself")
    if to not in (None, "-"):
        from puzzlekit.draw.svg import check_file

        check_file(str(to))


def list_cases(
    puzzle: Puzzle, phases: Sequence[str], to: str, limits: Mapping[str, Any], *, quiet: bool, as_json: bool
) -> int:
    """Finds the cases, prints them or writes them to a file, and returns the exit code.

    Raises:
        PuzzlekitError: The file cannot be written, or a limit was reached first.
    """
    from puzzlekit.puzzle.cases import cases

    told = "interrupted before all cases were found and written; nothing is kept"
    with (
        watching(tell=describe, limit=limits["seconds"], quiet=quiet) as (watch, interrupt),
        stopping(interrupt, told),
    ):
        report = cases(puzzle, phases, **limits, watch=watch)
    if to != "-" and interrupt.signal is None:
        interrupt = _write(report, to, quiet=quiet)
    if interrupt.signal is not None:
        say(told)
        return code_of_stop(interrupt.signal)
    _show(report, to, as_json=as_json)
    return 0


def describe(progress: Progress, begun_before: float) -> str:
    """The progress in one line: first the states that were found, then how many of them were grouped into cases."""
    held = held_bytes()
    memory = f", {held / 2**20:,.0f} MiB" if held else ""
    if not progress.frontier:
        return f"{progress.states:,} states found{memory}"
    left = ""
    if progress.expanded and begun_before > 0:
        left = f", {clock((progress.frontier - progress.expanded) * begun_before / progress.expanded)} left"
    done = f"{progress.expanded:,} of {progress.frontier:,}"
    what = f"{done} states put to their cases" if progress.states else f"{done} cases written"
    return f"{what}{left}{memory}"


def _write(report: CasesReport, to: str, *, quiet: bool) -> Interrupt:
    """Writes the cases to a file. If a signal stops this, there is no file, and the interrupt returned has the signal.

    Raises:
        PuzzlekitError: The file cannot be written.
    """
    parts = [report.csv()] if to.lower().endswith(".csv") else report.parts_of_page()
    place = os.path.realpath(to)  # a link stays, and the file that it leads to is replaced
    aside = Path(f"{place}.{os.getpid()}.part")
    try:
        with (
            watching(tell=describe, quiet=quiet) as (watch, interrupt),
            aside.open("x", encoding="utf-8", newline="") as file,
        ):
            for done, part in enumerate(parts):
                if watch(Progress(frontier=len(report.cases), expanded=min(done, len(report.cases)))):
                    break
                file.write(part)
        if interrupt.signal is None:
            aside.replace(place)
        else:
            aside.unlink()
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise PuzzlekitError(f"{to} cannot be written: {error.strerror or error}; give another file") from None
    return interrupt


def _show(report: CasesReport, to: str, *, as_json: bool) -> None:
    if as_json:
        print_json(report.to_data())
    elif to == "-":
        for line in str(report).splitlines():
            print_line(line)
    else:
        print_line(f"{to}: {report.title}")
    if report.left_out:
        say(f"--limit {report.total} lists all cases{_size_of_all(report, to)}")


def _size_of_all(report: CasesReport, to: str) -> str:
    """Says about how large a file with all cases would be."""
    if to == "-":
        return ""
    size = Path(to).stat().st_size * report.total / len(report.cases)
    return f", and {to} takes some {size / 1e6:,.1f} MB then"
