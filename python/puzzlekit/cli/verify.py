"""`puzzlekit verify`: checks an enumeration that is kept in a folder."""

from __future__ import annotations

from typing import Annotated

import typer

from puzzlekit.cli.options import AllThreadsOption, FileOption, JobArgument, JsonOption, MemoryOption
from puzzlekit.cli.output import Settings, print_json, print_line, print_table
from puzzlekit.cli.status import summary

COLUMNS = ("depth", "states", "raw_states", "hash")
"""The fields that the JSON has for each depth, as far as they are known."""


def run(
    context: typer.Context,
    folder: JobArgument,
    memory: MemoryOption = None,
    hashes: Annotated[
        bool, typer.Option("--hash", help="Add a number to each depth that tells sets of states apart.")
    ] = False,
    proof: Annotated[
        bool, typer.Option("--proof", help="Prove every count and value anew, by a program apart from the engine.")
    ] = False,
    plain: Annotated[
        bool, typer.Option("--plain", help="Prove them by 490 lines of plain Python instead, which anyone can read.")
    ] = False,
    file: FileOption = None,
    threads: AllThreadsOption = None,  # noqa: ARG001 - handled by its callback
    as_json: JsonOption = False,
) -> None:
    """Check every file of an enumeration: checksums, order, that no state comes twice, and the counts.

    Exit code 4 means that something is damaged.

    Examples:
        puzzlekit verify counted
        puzzlekit verify counted --proof          # all of it follows from the rules
        puzzlekit verify counted --proof --plain  # by a short program in Python, which is slow
    """
    settings: Settings = context.obj
    job = settings.plugins().open_job(folder, file)
    data = job.verify(memory=memory, hashes=hashes)
    proven = job.prove(plain=plain, memory=memory) if proof or plain else None
    found = summary(folder, data, running=job.is_running())
    if as_json:
        depths = [{name: depth[name] for name in COLUMNS if name in depth} for depth in data["depths"]]
        more = {} if proven is None else {"proof": vars(proven)}
        print_json({**found, "schema": "puzzlekit.verify/1", "verified": True, **more, "depths": depths})
        return
    if found["max_depth"] is None:
        print_line(f"{found['puzzle']}: no depth is kept yet, so there is nothing to check")
    else:
        print_line(
            f"{found['puzzle']}: {found['states']:,} states to depth {found['max_depth']}, all as they should be"
        )
    if proven is not None:
        values = f", and {proven.values:,} values" if proven.values else ""
        print_line(f"proven from the rules: {proven.states:,} states, {proven.moves:,} moves between them{values}")
    if hashes:
        print_line()
        rows = [(str(depth["depth"]), f"{depth['states']:,}", depth["hash"]) for depth in data["depths"]]
        print_table(("depth", "states", "hash"), rows, numbers=(0, 1))
