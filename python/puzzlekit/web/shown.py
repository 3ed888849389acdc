"""States and parameters as plain data that a page can show."""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from puzzlekit.describe import parameters
from puzzlekit.errors import PuzzlekitError
from puzzlekit.puzzle.kept_puzzle import KeptPuzzle
from puzzlekit.run import overridable
from puzzlekit.run.random import Random
from puzzlekit.web.request_fields import MOST_MOVES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from puzzlekit.puzzle.puzzle import Puzzle

LONG_TITLE = 32
"""A docstring of a file may begin with the puzzle's name, if that has at most this many characters."""

LONG_TEXT = 12
"""A parameter that is a text is written out in the name of a size if it has at most this many characters."""

MOST_NAME = 40
"""The most characters of the name of a preset."""

MOST_PICTURED = 6
"""The most moves that are made for the picture of a game on the first page."""

MOST_HISTORY = MOST_MOVES
"""The most moves of a solution that the page can step through: it is given the states after these."""


def title(puzzle: Puzzle) -> str:
    """The name of a puzzle that pages show, with the parameters that are not the usual ones.

    If a file defines one puzzle, and its docstring begins with a short name, that is the name. Otherwise it is the name
    of the class, split into words.

    >>> import puzzlekit
    >>> title(puzzlekit.load("tictactoe")), title(puzzlekit.load("slider:4,4"))
    ('Tic-tac-toe', 'Slider 4 by 4')
    """
    kept = isinstance(puzzle, KeptPuzzle)  # a job has no class of the puzzle's own
    name = puzzle.id.replace("_", " ").capitalize() if kept else type(puzzle).__name__
    told = re.split(r"[.:,;!?]", _paragraphs(puzzle)[0])[0].strip()
    words = (
        told if 0 < len(told) <= LONG_TITLE else re.sub(r"(?<=[a-z0-9])(?=[A-Z][a-z])|(?<=[a-z])(?=[0-9])", " ", name)
    )
    size = str(puzzle).partition(":")[2] and size_of(puzzle)
    return f"{words} {size}" if size else words


def about(puzzle: Puzzle) -> str:
    """The docstring of the puzzle's file after its first paragraph; empty if it has no more.

    >>> import puzzlekit
    >>> about(puzzlekit.load("slider")).partition(".")[0]
    'A number beside the free cell slides into it'
    """
    return next(iter(_paragraphs(puzzle)[1:2]), "")


def _paragraphs(puzzle: Puzzle) -> list[str]:
    """The paragraphs of the docstring of a puzzle's file, if it defines only that puzzle; otherwise one empty one."""
    module = sys.modules.get(type(puzzle).__module__)
    kinds = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and value.__module__ == type(puzzle).__module__ and hasattr(value, "rules")
    ]
    text = inspect.cleandoc(module.__doc__ or "") if kinds == [type(puzzle)] and module else ""
    return [" ".join(part.split()) for part in text.split("\n\n")]


def size_of(puzzle: Puzzle) -> str:
    """The parameters of a puzzle in few words; empty if it has none.

    >>> import puzzlekit
    >>> size_of(puzzlekit.load("tictactoe:4,4,3")), size_of(puzzlekit.load("rotation"))
    ('4 by 4, win 3', '')
    """
    given = {field.name: getattr(puzzle, field.name) for field in dataclasses.fields(puzzle)}  # type: ignore[arg-type]
    sides = [str(given.pop(side)) for side in ("layers", "rows", "columns") if side in given]
    words = [" by ".join(sides)] if sides else []
    usual = {field.name: field.default for field in dataclasses.fields(puzzle)}  # type: ignore[arg-type]
    for name, value in given.items():
        said = name.replace("_", " ")
        if isinstance(value, str):
            words += (
                [] if value == usual[name] else [f"{said} {value}" if len(value) <= LONG_TEXT else f"another {said}"]
            )
            continue
        if isinstance(value, bool):
            words.append(said if value else f"no {said}")
        else:
            words.append(f"{value} {said}" if said.endswith("s") else f"{said} {value}")
    return ", ".join(words)


def presets(puzzle: Puzzle) -> list[dict[str, str]]:
    """A few puzzles of the same kind with other parameters: the usual ones, and larger ones if they can be made.

    Whole numbers that are sides of a board grow together. If there are none, only the first whole number grows. In one
    more preset, the first truth value is inverted.
    """
    kind, fields = type(puzzle), dataclasses.fields(puzzle)  # type: ignore[arg-type]
    if isinstance(puzzle, KeptPuzzle) or not fields:
        return [{"puzzle": str(puzzle), "name": size_of(puzzle)}] if fields else []
    usual: dict[str, Any] = {field.name: field.default for field in fields}
    numbers = [field.name for field in fields if parameters.kind(field) == "int"]
    sides = [name for name in numbers if name in ("layers", "rows", "columns")] or numbers[:1]
    choices = [{name: usual[name] + more for name in sides} for more in (-1, 0, 1, 2, 3)] if sides else [{}]
    flags = [field.name for field in fields if parameters.kind(field) == "bool"]
    choices += [{name: not usual[name]} for name in flags[:1]]
    found: dict[str, str] = {}
    for choice in choices:
        try:
            made = kind(**choice)
            if sides and choice.get(sides[0], usual[sides[0]]) < usual[sides[0]] and _has_no_line(kind(**usual), made):
                continue
        except Exception:  # a puzzle may refuse parameters in any way
            continue
        found[str(made)] = size_of(made) or "usual"
    if str(puzzle) not in found:
        found[str(puzzle)] = size_of(puzzle) or "usual"
    return [{"puzzle": text, "name": name[:MOST_NAME]} for text, name in found.items()]


def _has_no_line(usual: Puzzle, smaller: Puzzle) -> bool:
    """Returns `True` if nobody can win on a smaller board: unlike the usual one, it has no line that is long enough."""
    return not [*overridable.rules(smaller).ends] and bool([*overridable.rules(usual).ends])


def parameter_data(puzzle: Puzzle, field: dataclasses.Field[Any]) -> dict[str, Any]:
    """The data that a page needs to let a user choose a parameter."""
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


def pictured(puzzle: Puzzle) -> str:
    """The state that is shown for a puzzle on the first page and in links. It is the same each time.

    If the start is solved, the state is a scramble. In a game, some random moves are made, because an empty board shows
    nothing of the game.
    """
    state = puzzle.start
    if not puzzle.engine.is_game:
        if puzzle.is_solved(state):
            with suppress(PuzzlekitError):
                state = puzzle.scramble("1").state
        return state
    random = Random(str(puzzle))
    for _ in range(min(MOST_PICTURED, max(2, overridable.rules(puzzle).cells // 3))):
        legal = puzzle.legal_moves(state)
        after = puzzle.apply(state, random.choose(legal)) if legal else state
        if not puzzle.legal_moves(after):
            break
        state = after
    return state


def history(puzzle: Puzzle, states: Sequence[str]) -> list[dict[str, Any]]:
    """States one after another, each with its text and the symbols of its cells, as the page steps through them."""
    return [{"state": state, "cells": symbols_of(puzzle, state)} for state in states[: MOST_HISTORY + 1]]


def changed(puzzle: Puzzle, before: str, after: str) -> list[int]:
    """The cells in which two states differ."""
    pairs = zip(symbols_of(puzzle, before), symbols_of(puzzle, after), strict=True)
    return [cell for cell, (old, new) in enumerate(pairs) if old != new]
