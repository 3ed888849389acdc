"""The arguments and options that several verbs share, each declared once, so that its help is the same everywhere."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlekit.cli import completion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from puzzlekit.plugins.loader import Plugins

THREADS_VARIABLE = "RAYON_NUM_THREADS"
"""The environment variable that says how many threads Rayon, the engine's library for threads, starts."""

PuzzleArgument = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="A puzzle of puzzlekit list, such as tictactoe:4,4,2, or a file: ./mine.py.",
        autocompletion=completion.puzzles,
    ),
]
"""The puzzle that a verb is about."""

PuzzlesArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[ID]...",
        help="Puzzles, such as tictactoe:4,4,2, or files: ./mine.py.",
        autocompletion=completion.puzzles,
    ),
]
GalleryOption = Annotated[
    bool, typer.Option("--gallery", help="Also the puzzles of the gallery, which come with puzzlekit.")
]
"""The puzzles that a page shows."""


def shown_puzzles(plugins: Plugins, puzzle_ids: Sequence[str] | None, *, of_gallery: bool) -> list[str]:
    """The puzzles that a page is asked to show; none if it is to show those that are installed, and no others."""
    named = list(puzzle_ids or [])
    if not of_gallery:
        return named
    from puzzlekit.plugins import gallery

    return list(dict.fromkeys([*(named or plugins.puzzle_types()), *gallery.ids()]))


FileOption = Annotated[
    str | None,
    typer.Option(
        "--file",
        metavar="FILE",
        help="Take the puzzle from FILE, not the data in the folder.",
        autocompletion=completion.files,
    ),
]
"""The option of verbs that read a job: a file with its puzzle."""

MaxDepthOption = Annotated[int | None, typer.Option(metavar="N", help="Stop after N moves from the start.")]

NoSymmetryOption = Annotated[bool, typer.Option("--no-symmetry", help="Count symmetric states apart.")]

StoreOption = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="How states are held: auto, dense (bits) or sparse (words).",
        autocompletion=completion.one_of("auto", "dense", "sparse"),
    ),
]

ThreadsOption = Annotated[int | None, typer.Option(metavar="N", help="Use N threads; one a core if left out.")]


def _use_threads(threads: int | None) -> int | None:
    """Sets the number of threads of the engine, for all calls in this command that do not choose their own."""
    if threads is not None:
        from puzzlekit.run.checks import check_number
        from puzzlekit.run.options import MAX_THREADS

        check_number("threads", threads, 1, MAX_THREADS)
        os.environ[THREADS_VARIABLE] = str(threads)
    return threads


# The option of verbs that pass no number of threads to the engine. It sets the number for the whole command.
AllThreadsOption = Annotated[
    int | None,
    typer.Option("--threads", metavar="N", help="Use N threads; one a core if left out.", callback=_use_threads),
]

MemoryOption = Annotated[str | None, typer.Option(metavar="SIZE", help="Use at most so much memory, such as 4GiB.")]

DiskOption = Annotated[
    str | None, typer.Option(metavar="SIZE", help="Let the folder's files take at most so much, such as 1TiB.")
]

CheckpointOption = Annotated[
    float | None, typer.Option(metavar="SECONDS", help="Within a depth, keep what there is so often.")
]

JobArgument = Annotated[
    str, typer.Argument(metavar="DIR", help="The folder that enumerate --out made.", autocompletion=completion.folders)
]
"""The argument of verbs that work on a job."""

SecondsOption = Annotated[float | None, typer.Option(metavar="S", help="Take at most S seconds.")]

SliceOption = Annotated[
    float | None,
    typer.Option("--seconds", metavar="S", help="Stop after S seconds, as soon as there is something new to keep."),
]

ShardsOption = Annotated[
    int | None, typer.Option(metavar="N", help="With --on, into how many parts the states are divided.")
]
LocalOption = Annotated[
    str | None,
    typer.Option(metavar="DIR", help="With --on, keep the states in DIR on the disks of the machines."),
]
OnOption = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="WHERE",
        help="Count in several processes, such as processes:2.",
        autocompletion=completion.one_of("processes:2", "processes:4", "processes:8"),
    ),
]
"""The option of verbs that count states."""

QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress and no forecast.")]
"""The option of verbs that show their progress."""

VerboseOption = Annotated[
    bool, typer.Option("--verbose", "-v", help="Tell what was chosen: engine, store, threads, tables, files.")
]
"""The option of verbs that choose an engine, a store or tables."""

LibraryOption = Annotated[
    list[str] | None,
    typer.Option(
        "--library",
        metavar="PLACE",
        help="Look states up in a library first: a folder or an address.",
        autocompletion=completion.folders,
    ),
]
"""The option of verbs that look states up before they search. It may be given several times."""

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
