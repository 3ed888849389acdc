"""`puzzlekit library`: a folder of finished jobs, in which other commands look states up before they search."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puzzlekit.cli import completion
from puzzlekit.cli.help import group
from puzzlekit.cli.options import AllThreadsOption, JobArgument, JsonOption, QuietOption
from puzzlekit.cli.output import print_json, print_line, print_table, say, size
from puzzlekit.cli.progress import ProgressLine
from puzzlekit.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from puzzlekit.jobs.library.library import Libraries, Library
    from puzzlekit.jobs.library.work import Work
    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.solver import SolverFunction

VARIABLE = "PUZZLEKIT_LIBRARY"
"""The environment variable that names a library: a folder or an address."""

PlaceArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[PLACE]",
        help=f"The library: a folder or an address; what {VARIABLE} names if left out.",
        autocompletion=completion.folders,
    ),
]

FolderOption = Annotated[
    str | None,
    typer.Option(
        "--library",
        metavar="DIR",
        help=f"The library; what {VARIABLE} names if left out.",
        autocompletion=completion.folders,
    ),
]


def build() -> typer.Typer:
    """The verbs below `library`."""
    return group("Keep finished work, to look states up in.", add=add, list=show, verify=verify, remove=remove)


def add(
    folder: JobArgument,
    library: FolderOption = None,
    threads: AllThreadsOption = None,  # noqa: ARG001 - handled by its callback
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Add a finished job to a library: one with the values of all states, or with all distances to the goal.

    The library is a folder; it is made if it is not there. The job stays as it is, and is not needed any more.

    Examples:
        puzzlekit values tictactoe --out valued
        puzzlekit library add valued --library works
    """
    with ProgressLine(quiet=quiet) as line:
        work = _named(library).add(folder, watch=line.show)
    if as_json:
        print_json({"schema": "puzzlekit.library.add/1", **vars(work)})
        return
    print_line(f"{work.puzzle}: {_told(work)}")


def show(place: PlaceArgument = None, as_json: JsonOption = False) -> None:
    """List the works of a library: of which puzzle each is, what it has, and how many states.

    Examples:
        puzzlekit library list works
        puzzlekit library list https://example.org/works
    """
    library = _named(place)
    _show(library, library.works(), "list", as_json=as_json)


def verify(
    place: PlaceArgument = None,
    threads: AllThreadsOption = None,  # noqa: ARG001 - handled by its callback
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Read every file of a library, and check the checksums, the order of all states, the counts and the rules.

    Exit code 4 means that something is damaged, and 1 that it cannot be read.

    Examples:
        puzzlekit library verify works
    """
    library = _named(place)
    with ProgressLine(quiet=quiet) as line:
        works = library.verify(watch=line.show)
    _show(library, works, "verify", as_json=as_json)
    if not as_json:
        print_line("all as it should be")


def remove(
    work: Annotated[str, typer.Argument(metavar="ID", help="The puzzle, or its fingerprint, as library list has it.")],
    library: FolderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remove a work from a library.

    Examples:
        puzzlekit library remove tictactoe --library works
    """
    removed = _named(library).remove(work)
    if as_json:
        print_json({"schema": "puzzlekit.library.remove/1", **vars(removed)})
        return
    print_line(f"removed {removed.puzzle}: {_told(removed)}")


def libraries_first(
    puzzle: Puzzle, solver: SolverFunction | None, places: Sequence[str] | None
) -> SolverFunction | None:
    """A solver that looks a state up in each library in turn, and then asks `solver`, or the puzzle's own without one.

    If neither places nor a solver are given, the library is the one that the environment variable names. Without any
    library, `solver` itself is returned.
    """
    found = libraries(places, asked=solver is not None)
    return found.before(puzzle, solver) if found else solver


def libraries(places: Sequence[str] | None, *, asked: bool = False) -> Libraries:
    """The libraries that the option `--library` names; without the option, the one that the environment variable names.

    Args:
        places: The values of the option.
        asked: Whether the user asked for a solver or another source of answers. Then the variable has no effect.
    """
    from puzzlekit.jobs.library.library import Libraries, Library

    named = os.environ.get(VARIABLE)
    given = places or ([named] if named and not asked else [])
    return Libraries(Library(place, warn=lambda message: say(f"warning: {message}")) for place in given)


def _named(place: str | None) -> Library:
    """The library at a place; if no place is given, the one that the environment variable names.

    Raises:
        UsageError: No place is given, and the variable is not set.
    """
    found = libraries([place] if place else None)
    if not found:
        raise UsageError(f"no library is named; give its folder, or set {VARIABLE}")
    return found[0]


def _told(work: Work) -> str:
    return f"{work.kind} of {work.states:,} state{'' if work.states == 1 else 's'}, {size(work.bytes)}"


def _show(library: Library, works: Sequence[Work], verb: str, *, as_json: bool) -> None:
    if as_json:
        data: dict[str, Any] = {"schema": f"puzzlekit.library.{verb}/1", "library": library.place}
        if verb == "verify":
            data["verified"] = True
        print_json({**data, "works": [vars(work) for work in works]})
        return
    if works:
        rows = [(work.puzzle, work.kind, f"{work.states:,}", size(work.bytes), work.rules) for work in works]
        print_table(("puzzle", "kind", "states", "size", "rules"), rows, numbers=(2, 3))
    print_line(f"{len(works)} work{'' if len(works) == 1 else 's'} in {library.place}")
