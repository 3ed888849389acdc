"""Reads the phases of a survey, and refuses those that no state meets before any state is counted."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from puzzlekit.errors import LimitError, UnsolvableError, UsageError
from puzzlekit.puzzle.aim import read_phases
from puzzlekit.run import overridable
from puzzlekit.run.solver import Budget, Deadline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from puzzlekit.puzzle.puzzle import Puzzle

LOOK_AT = 20_000
"""The most states that may be stored by the search that finds out whether any state meets a phase."""

LOOK_SECONDS = 0.5
"""The most seconds of the search that finds out whether any state meets a phase."""

Pattern = dict[int, int]
"""For each cell of the pattern, the place of its symbol in the rules' list."""


def checked_phases(puzzle: Puzzle, phases: Sequence[str]) -> list[tuple[Pattern, Pattern]]:
    """Reads phases: for each, the pattern that holds when it begins, and the pattern that holds when it is done.

    A short search from the start finds most phases that no state meets: pieces that the puzzle does not have, or an
    arrangement outside the group of its moves. The count of all states finds the others.

    Raises:
        StateError: A phase is no pattern of this puzzle.
        UsageError: Two phases cannot be met together, or no state meets one.
    """
    read = list(read_phases(overridable.rules(puzzle), puzzle.engine.notation.symbols, phases))
    for text, (before, after) in zip(phases, read, strict=True):
        if after != before and _is_never_met(puzzle, after):
            raise never_met(text)
    return read


def check_fits(puzzle: Puzzle, max_states: int) -> None:
    """Refuses a puzzle that is known to have too many states, before any state is counted.

    Raises:
        LimitError: It has more states than `max_states`.
    """
    count = overridable.count_reachable(puzzle)
    if count is not None and count > max_states:
        raise LimitError(
            f"play reaches more than {max_states:,} states: {count:,}; allow more, or ask about a random sample"
        )


def never_met(phase: str) -> UsageError:
    """The error of a phase that no state meets."""
    return UsageError(
        f'no state that play reaches meets the phase "{phase}" and those before it; give patterns that can be met'
    )


def _is_never_met(puzzle: Puzzle, pattern: Pattern) -> bool:
    from puzzlekit.run.engine import Engine

    rules, symbols = overridable.rules(puzzle), puzzle.engine.notation.symbols
    goal = {cell: symbols[symbol] for cell, symbol in pattern.items()}
    aimed = Engine(dataclasses.replace(rules, goal=(goal,), symmetries=()))
    try:
        aimed.solve(aimed.start, Budget(LOOK_AT, cache=False), Deadline(LOOK_SECONDS, None))
    except UnsolvableError:
        return True
    except LimitError:
        return False
    return False
