"""`puzzlekit export`: the states of a job as a file for other programs, or the deepest states as text."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlekit.cli import completion
from puzzlekit.cli.enumerate import print_hardest, stopping, watching
from puzzlekit.cli.options import AllThreadsOption, FileOption, JsonOption, QuietOption
from puzzlekit.cli.output import Settings, print_json, print_line, say
from puzzlekit.errors import PuzzlekitError, UsageError
from puzzlekit.run.checks import check_number
from puzzlekit.run.temporary import temporary_folder

if TYPE_CHECKING:
    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.job_parts import HardState


MOST_STATES = 2_000_000
"""A puzzle that is counted only for an export may have at most this many states."""


def run(
    context: typer.Context,
    folder: Annotated[
        str,
        typer.Argument(
            metavar="DIR|ID",
            help="The folder that enumerate --out made; or a small puzzle, which is counted first.",
            autocompletion=completion.folders,
        ),
    ],
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="parquet, csv or npy; for --edges json, dot and graphml, too; by the file's name if left out.",
            autocompletion=completion.one_of("parquet", "csv", "npy", "json", "dot", "graphml"),
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="The new file; named after the folder if left out.", autocompletion=completion.files
        ),
    ] = None,
    first_depth: Annotated[int | None, typer.Option(metavar="N", help="Leave out depths before N.")] = None,
    last_depth: Annotated[int | None, typer.Option(metavar="N", help="Leave out depths after N.")] = None,
    text: Annotated[bool, typer.Option("--text", help="Add a column with the states as text.")] = False,
    hardest: Annotated[
        int | None, typer.Option(metavar="N", help="Write no file; list the N deepest states as text.")
    ] = None,
    edges: Annotated[bool, typer.Option("--edges", help="Write the moves between the states, not the states.")] = False,
    file: FileOption = None,
    threads: AllThreadsOption = None,  # noqa: ARG001 - handled by its callback
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write the states of an enumeration to a file: depth, packed state, orbit size, outcome.

    With --hardest, list the deepest states: those with the most moves from the start, or, of a run with --backward, to
    the goal.

    With --edges, write the moves between the states: as csv and npy a row for each, with the rows of its states in the
    table of states, counted from 0; as json, dot, graphml and parquet with the texts of the states.

    A puzzle in place of a folder is counted for the moment, symmetric states apart, if it has no more than 2,000,000.

    Examples:
        puzzlekit export counted --to states.csv
        puzzlekit export counted --hardest 3  # the deepest states, as text
        puzzlekit export slider:2,3 --edges --to slider.graphml  # a graph, with no folder
    """
    from puzzlekit.jobs.job import form_of
    from puzzlekit.jobs.kept import MOST_HARDEST

    settings: Settings = context.obj
    puzzle = None if file is not None or _is_meant_as_job(folder) else _puzzle(settings, folder)
    if puzzle is None:
        job = settings.plugins().open_job(folder, file)
        job.compile()  # while Ctrl-C still ends the command at once
    else:
        from puzzlekit.jobs.whole import counted_for_now

        place = context.with_resource(temporary_folder())
        with watching(quiet=quiet) as (watch, interrupt), stopping(interrupt):
            job = counted_for_now(puzzle, place, symmetry=False, most=MOST_STATES, watch=watch)
    status = job.status()
    subject = status["subject"]
    if hardest is not None:
        check_number("--hardest", hardest, 1, MOST_HARDEST)
        if form or to or text or edges or first_depth is not None or last_depth is not None:
            raise UsageError(
                f"--hardest {hardest} lists states; leave out --format, --to, --text, --edges and the depths"
            )
        with watching(quiet=quiet) as (watch, interrupt), stopping(interrupt):
            found = job.hardest(hardest, watch=watch)
        _print_hardest(subject, found, as_json=as_json)
        if not status["complete"]:
            say("the count is not complete: deeper states may follow")
        return
    if edges and (text or first_depth is not None or last_depth is not None):
        raise UsageError("--edges writes the moves between all states; leave out --text and the depths")
    if to is None:
        name = Path(folder).resolve().name if puzzle is None else re.sub(r"\W+", "-", folder)
        to = f"{name}-edges.{form or 'csv'}" if edges else f"{name}.{form or 'parquet'}"
    if edges:
        with watching(quiet=quiet) as (watch, interrupt), stopping(interrupt):
            count = job.export_edges(to, form, watch=watch)
        _print_edges(subject["puzzle"], folder, to, form or form_of(to), count, as_json=as_json)
        return
    with watching(quiet=quiet) as (watch, interrupt), stopping(interrupt):
        count = job.export(to, form, first_depth=first_depth, last_depth=last_depth, text=text, watch=watch)
    if as_json:
        print_json(
            {
                "schema": "puzzlekit.export/1",
                "puzzle": subject["puzzle"],
                "folder": folder,
                "file": to,
                "format": form or form_of(to),
                "states": count,
            }
        )
        return
    print_line(f"{to}: {count:,} states of {subject['puzzle']}")


def _is_meant_as_job(text: str) -> bool:
    """Returns `True` if the name is taken by something that is no file: a folder, or a link that leads nowhere."""
    return os.path.lexists(text) and not os.path.isfile(text)


def _puzzle(settings: Settings, text: str) -> Puzzle | None:
    """The puzzle that a text id or a file names; `None` if there is none, so that the text must name a folder.

    Raises:
        PuzzlekitError: The text is clearly meant as a puzzle, since it names a file or has parameters, but it is wrong.
    """
    try:
        return settings.plugins().parse(text)
    except PuzzlekitError:
        if ":" in text or os.path.isfile(text):
            raise
        return None


def _print_edges(puzzle: str, folder: str, to: str, form: str, count: int, *, as_json: bool) -> None:
    if as_json:
        data = {"puzzle": puzzle, "folder": folder, "file": to, "format": form, "edges": count}
        print_json({"schema": "puzzlekit.edges/1", **data})
        return
    print_line(f"{to}: {count:,} moves between states of {puzzle}")


def _print_hardest(subject: dict[str, str], found: list[HardState], *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "schema": "puzzlekit.hardest/1",
                "puzzle": subject["puzzle"],
                "backward": subject["backward"],
                "states": [vars(state) for state in found],
            }
        )
        return
    print_hardest(subject["puzzle"], found, backward=bool(subject["backward"]))
