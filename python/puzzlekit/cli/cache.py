"""`puzzlekit cache`: the tables that are kept for the next run."""

from __future__ import annotations

import typer

from puzzlekit.cli.help import group
from puzzlekit.cli.options import JsonOption
from puzzlekit.cli.output import print_json, print_line, print_table


def build() -> typer.Typer:
    """The verbs `cache list` and `cache clear`."""
    return group("Look after the tables that are kept.", list=show, clear=clear)


def show(as_json: JsonOption = False) -> None:
    """List the tables that are kept, those used last first, and the folder.

    Examples:
        puzzlekit cache list
    """
    from datetime import UTC, datetime

    from puzzlekit.run.table_cache import folder, kept, most_bytes

    found, limit = kept(), most_bytes()
    if as_json:
        print_json(
            {
                "schema": "puzzlekit.cache/1",
                "folder": str(folder()),
                "bytes": sum(one.bytes for one in found),
                "most_bytes": limit,
                "tables": [{"name": one.name, "bytes": one.bytes, "used": one.used} for one in found],
            }
        )
        return
    if found:
        rows = [
            (one.name[:16], f"{one.bytes:,}", f"{datetime.fromtimestamp(one.used, UTC):%Y-%m-%d %H:%M} UTC")
            for one in found
        ]
        print_table(("table", "bytes", "last used"), rows, numbers=(1,))
    total = sum(one.bytes for one in found)
    print_line(f"{len(found)} tables, {total:,} of {limit:,} bytes, in {folder()}")


def clear(as_json: JsonOption = False) -> None:
    """Remove all tables that are kept. They are made again when they are needed.

    Examples:
        puzzlekit cache clear
    """
    from puzzlekit.run.table_cache import clear, folder

    removed = clear()
    freed = sum(one.bytes for one in removed)
    if as_json:
        data = {"schema": "puzzlekit.cache/1", "folder": str(folder()), "removed": len(removed), "freed_bytes": freed}
        print_json(data)
    else:
        print_line(f"removed {len(removed)} tables, {freed:,} bytes, from {folder()}")
