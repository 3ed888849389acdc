"""`puzzlekit verify`: checks an enumeration that is kept in a folder."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import Annotated

import typer

from puzzlekit.cli.output import Settings, print_json, print_line
from puzzlekit.cli.status import summary


def run(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder that enumerate --out made.")],
    memory: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Use at most so much memory, such as 4GiB.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check every file of an enumeration: checksums, order, that no state comes twice, and the counts.

    Exit code 4 means that something is damaged.
    """
    from puzzlekit import jobs

    settings: Settings = context.obj
    data = jobs.verify(folder, memory=memory, parse=settings.plugins().parse)
    found = summary(folder, data)
    if as_json:
        print_json({**found, "schema": "puzzlekit.verify/1", "verified": True})
        return
    print_line(f"{found['puzzle']}: {found['states']:,} states to depth {found['max_depth']}, all as they should be")
