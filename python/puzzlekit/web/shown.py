"""States and parameters as plain data that a page can show."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from puzzlekit.describe import parameters
from puzzlekit.puzzle.kept_puzzle import KeptPuzzle
from puzzlekit.web.request_fields import MOST_MOVES

if TYPE_CHECKING:
    import dataclasses
    from collections.abc import Sequence

    from puzzlekit.puzzle.puzzle import Puzzle

MOST_HISTORY = MOST_MOVES
"""An answer shows the state after each move, up to this many moves."""


def title(puzzle: Puzzle) -> str:
    """The name of a puzzle for people: that of its class in words, with the parameters that are not the usual ones.

    >>> import puzzlekit
    >>> title(puzzlekit.load("tictactoe")), title(puzzlekit.load("slider:4,4"))
    ('Tic Tac Toe', 'Slider (rows 4, columns 4)')
    """
    kept = isinstance(puzzle, KeptPuzzle)  # a job has no class of the puzzle's own
    name = puzzle.id.replace("_", " ").capitalize() if kept else type(puzzle).__name__
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z][a-z])", " ", name)
    given = str(puzzle).partition(":")[2].replace("=", " ").replace(",", ", ")
    return f"{words} ({given})" if given else words


def parameter_data(puzzle: Puzzle, field: dataclasses.Field[Any]) -> dict[str, Any]:
    """The data with which a page lets a person choose a parameter."""
    return {
        "name": field.name,
        "value": getattr(puzzle, field.name),
        "kind": parameters.kind(field),
        "least": field.metadata.get("minimum"),
        "most": field.metadata.get("maximum"),
        "help": str(field.metadata.get("help", "")),
    }


def symbols_of(puzzle: Puzzle, state: str) -> list[str]:
    """The symbol of each cell of a state."""
    notation = puzzle.engine.notation
    return [notation.symbols[code] for code in notation.read(state)[0]]


def history(puzzle: Puzzle, states: Sequence[str]) -> list[dict[str, Any]]:
    """States one after another, each with its text and the symbols of its cells, as the page steps through them."""
    return [{"state": state, "cells": symbols_of(puzzle, state)} for state in states[: MOST_HISTORY + 1]]


def changed(puzzle: Puzzle, before: str, after: str) -> list[int]:
    """The cells in which two states differ."""
    pairs = zip(symbols_of(puzzle, before), symbols_of(puzzle, after), strict=True)
    return [cell for cell, (old, new) in enumerate(pairs) if old != new]
