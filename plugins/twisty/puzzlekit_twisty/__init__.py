"""Reads twisty puzzles from the files of other programs: `.tws` of twsearch, and KPuzzle JSON of cubing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from puzzlekit import Puzzle


def read_tws(text: str, name: str) -> type[Puzzle]:
    """The puzzle of a text in the grammar of twsearch."""
    from puzzlekit_twisty import puzzle, tws

    return puzzle.kind_of(tws.read(text, name))


def read_kpuzzle(text: str, name: str) -> type[Puzzle]:
    """The puzzle of a KPuzzle in JSON."""
    from puzzlekit_twisty import kpuzzle, puzzle

    return puzzle.kind_of(kpuzzle.read(text, name))
