"""Writes the page of the puzzles in this repository from the puzzles themselves; `make docs` calls it."""

from __future__ import annotations

import dataclasses
import sys

import puzzlekit
from tests import golden

HEAD = """# The puzzles

This page is generated from the puzzles themselves by `make docs`. Each is a plugin in a folder of its own; `pip install
"puzzlekit-core[puzzles]"` brings them all. The figures are those of the default size, as `puzzlekit enumerate`
counts them; `puzzlekit info` tells more.
"""


def row(puzzle_id: str) -> str:
    """What the tables say of a puzzle."""
    puzzle = puzzlekit.load(puzzle_id)
    report = puzzle.enumerate()
    fields = ", ".join(f"`{field.name}` = {field.default}" for field in dataclasses.fields(puzzle))
    solvers = ", ".join(f"`{name}`" for name in puzzlekit.solvers(puzzle))
    figures = f"{report.raw_states:,} | {report.states:,} | {report.symmetry_order} | {report.max_depth}"
    return f"| [`{puzzle_id}`](../plugins/{puzzle_id}/README.md) | {fields} | {figures} | {solvers} |"


def page() -> str:
    """The whole page."""
    here = {text_id.partition(":")[0] for text_id in golden.read()}
    kinds = {puzzle_id: kind for puzzle_id, kind in puzzlekit.puzzles().items() if puzzle_id in here}
    about = [f"- `{puzzle_id}`: {(kind.__doc__ or '').splitlines()[0]}" for puzzle_id, kind in kinds.items()]
    head = "| puzzle | parameters | states | up to symmetry | symmetries | most moves from the start | solvers |"
    rule = "|---|---|---|---|---|---|---|"
    return "\n".join([HEAD, *about, "", head, rule, *map(row, kinds), ""])


if __name__ == "__main__":
    sys.stdout.write(page())
