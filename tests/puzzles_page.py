"""Writes the page of the puzzles in this repository from the puzzles themselves; `make docs` calls it."""

from __future__ import annotations

import dataclasses
import sys
import textwrap

import puzzlekit
from tests import golden

HEAD = """# The puzzles

This page is generated from the puzzles themselves by `make docs`. Each is a plugin in a folder of its own;
`pip install "puzzlekit-core[puzzles]"` brings them all.
"""

TABLE = """
The figures are those of the default size, as `puzzlekit enumerate` counts them: all states, states up to symmetry, the
number of symmetries, and the most moves that a state is away from the start. `puzzlekit info` tells more.

| puzzle | parameters | states | up to symmetry | symmetries | most moves | solvers |
|---|---|---|---|---|---|---|"""


def about(puzzle_id: str, kind: type[puzzlekit.Puzzle]) -> str:
    """A puzzle in a sentence, with a link to its page."""
    sentence = (kind.__doc__ or "").splitlines()[0]
    line = f"- [{puzzle_id}](../plugins/{puzzle_id}/README.md): {sentence}"
    return textwrap.fill(line, 118, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def row(puzzle_id: str) -> str:
    """The row of the table about a puzzle."""
    puzzle = puzzlekit.load(puzzle_id)
    report = puzzle.enumerate()
    fields = ", ".join(f"{field.name} = {field.default}" for field in dataclasses.fields(puzzle)) or "none"
    solvers = ", ".join(puzzlekit.solvers(puzzle))
    figures = f"{report.raw_states:,} | {report.states:,} | {report.symmetry_order} | {report.max_depth}"
    return f"| {puzzle_id} | {fields} | {figures} | {solvers} |"


def page() -> str:
    """The whole page."""
    here = {text_id.partition(":")[0] for text_id in golden.read()}
    kinds = {puzzle_id: kind for puzzle_id, kind in puzzlekit.puzzles().items() if puzzle_id in here}
    return "\n".join([HEAD, *(about(*each) for each in kinds.items()), TABLE, *map(row, kinds), ""])


if __name__ == "__main__":
    sys.stdout.write(page())
