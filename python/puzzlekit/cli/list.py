"""`puzzlekit list`: which puzzles there are."""

from __future__ import annotations

import dataclasses

import typer

from puzzlekit.cli.options import JsonOption
from puzzlekit.cli.output import Settings, print_json, print_table


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
    rows = [(puzzle_id, _parameters(kind), _summary(kind)) for puzzle_id, kind in types.items()]
    if as_json:
        puzzles = [{"id": puzzle_id, "parameters": names, "summary": summary} for puzzle_id, names, summary in rows]
        print_json({"schema": "puzzlekit.list/1", "puzzles": puzzles})
    else:
        print_table(("puzzle", "parameters", "summary"), [(a, ", ".join(b), c) for a, b, c in rows])


def _parameters(kind: type) -> list[str]:
    return [f"{field.name}={field.default}" for field in dataclasses.fields(kind)]


def _summary(kind: type) -> str:
    return (kind.__doc__ or "").strip().partition("\n")[0]
