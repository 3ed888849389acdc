"""A puzzle with types as authors write it: `make lint` checks it with mypy in strict mode, and a test runs it."""

from __future__ import annotations

from dataclasses import dataclass

from puzzlekit import (
    Copy,
    Look,
    Move,
    Puzzle,
    Rules,
    RunOptions,
    Symmetry,
    View,
    images,
    load,
    optimal,
    put,
    strip,
    survey,
)

TURNED: dict[str, str] = {"a": "b", "b": "a"}
NUMBERS: dict[int, int] = {1: 2, 2: 1}
SOME: list[str] = ["a", "b"]


@dataclass(frozen=True)
class Typed(Puzzle):
    """A row of two cells with letters."""

    id = "typed"

    def rules(self) -> Rules:
        """The moves: each cell may be turned to the next letter, and one cell may be emptied."""
        turns = [Move({cell: Copy(cell, map=TURNED)}).named(f"turn {cell}") for cell in range(2)]
        empty = put(0, ".").when({0: SOME})
        both = Move({0: Copy(1), 1: "a"}).when({0: "a", 1: SOME}).named("both")
        return Rules(symbols=".ab", start="aa", moves=[*turns, empty, both], symmetries=[Symmetry((0, 1), symbols={})])

    def view(self) -> View:
        """Letters with colours of their own."""
        looks: dict[str, Look] = {"a": Look("tile", colour="red")}
        return super().view().changed(looks=looks)


def counted() -> tuple[int, int, int]:
    """Counts of three runs, whose options are given in each possible way."""
    options = RunOptions(threads=1, max_depth=2)
    copied = Copy(0, map=NUMBERS)
    found = Typed().enumerate(options, symmetry=False).states
    report = survey(load("slider:2,2"), sample=2, seed="1")
    return found, 0 if copied.map is None else len(copied.map), report.states or 0


def asked() -> tuple[int, int, int]:
    """Calls of public functions with a puzzle, which type checkers compare with a protocol."""
    puzzle = load("slider:2,2")
    state = puzzle.apply(puzzle.start, puzzle.legal_moves(puzzle.start)[0])
    moves = optimal(puzzle, state).moves
    return len(moves), len(images(puzzle, state)), len(strip(puzzle, state, moves).svg)
