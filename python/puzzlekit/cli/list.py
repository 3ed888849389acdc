"""`puzzlekit list`: which puzzles there are."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlekit.cli.options import JsonOption
from puzzlekit.cli.output import Settings, print_json, print_table
from puzzlekit.puzzle.declaration import summary

if TYPE_CHECKING:
    from puzzlekit.puzzle.puzzle import Puzzle


def run(
    context: typer.Context,
    of_gallery: Annotated[
        bool, typer.Option("--gallery", help="List the puzzles of the gallery, which come with puzzlekit.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the puzzles that are installed, with their parameters. With --gallery, those that come with puzzlekit.

    Examples:
        puzzlekit list
        puzzlekit list --gallery  # puzzles in one file each, to play and to copy
        puzzlekit list --json  # for programs
    """
    settings: Settings = context.obj
    types = _gallery(settings) if of_gallery else settings.plugins().puzzle_types()
    rows = [(puzzle_id, _parameters(kind), summary(kind)) for puzzle_id, kind in types.items()]
    if as_json:
        puzzles = [{"id": puzzle_id, "parameters": names, "summary": about} for puzzle_id, names, about in rows]
        print_json({"schema": "puzzlekit.list/1", "puzzles": puzzles})
    else:
        print_table(("puzzle", "parameters", "summary"), [(a, ", ".join(b), c) for a, b, c in rows])


def _gallery(settings: Settings) -> dict[str, type[Puzzle]]:
    """The puzzles of the gallery by id."""
    from puzzlekit.plugins import gallery

    plugins = settings.plugins()
    return {puzzle_id: type(plugins.parse(puzzle_id)) for puzzle_id in gallery.ids()}


def _parameters(kind: type) -> list[str]:
    return [f"{field.name}={field.default}" for field in dataclasses.fields(kind)]
