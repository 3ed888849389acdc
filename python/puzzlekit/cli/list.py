"""`puzzlekit list`: which puzzles there are."""

from __future__ import annotations

import dataclasses

import typer

from puzzlekit.cli.options import JsonOption
from puzzlekit.cli.output import Settings, print_json, print_table
from puzzlekit.puzzle.declaration import summary


def run(
    context: typer.Context,
    as_json: JsonOption = False,
) -> None:
    """List the puzzles that are installed, with their parameters.

    Examples:
        puzzlekit list
        puzzlekit list --json  # for programs
    """
    settings: Settings = context.obj
    types = settings.plugins().puzzle_types()
    rows = [(puzzle_id, _parameters(kind), summary(kind)) for puzzle_id, kind in types.items()]
    if as_json:
        puzzles = [{"id": puzzle_id, "parameters": names, "summary": about} for puzzle_id, names, about in rows]
        print_json({"schema": "puzzlekit.list/1", "puzzles": puzzles})
    else:
        print_table(("puzzle", "parameters", "summary"), [(a, ", ".join(b), c) for a, b, c in rows])


def _parameters(kind: type) -> list[str]:
    return [f"{field.name}={field.default}" for field in dataclasses.fields(kind)]
