"""The lines that describe a puzzle before its first move: its own guide, or its summary and its aim, from the rules."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from puzzlekit.describe.aims import aims
from puzzlekit.puzzle.declaration import summary
from puzzlekit.run import overridable

if TYPE_CHECKING:
    from puzzlekit.puzzle.puzzle import Puzzle


def introduction(puzzle: Puzzle) -> list[str]:
    """The lines that `play` shows first.

    >>> from puzzlekit import load
    >>> introduction(load("rotation"))
    ['Numbers on three rows of three; A, B, C and D turn a block of four clockwise.', 'Goal: 123/456/789']
    """
    # A guide says what the goal is, in words or as a picture.
    if guide := overridable.guide(puzzle).splitlines():
        return [*guide, ""]
    engine = puzzle.engine
    about = summary(type(puzzle))
    aim = aims(json.loads(engine.rules_json), engine.notation.row_lengths, engine.goal)
    return [*([about] if about else []), *aim]
