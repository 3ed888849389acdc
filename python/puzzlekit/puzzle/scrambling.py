"""Random states of a puzzle: by the engine's own scrambler or by a given one; and the seed of a day."""

from __future__ import annotations

import datetime
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from puzzlekit.errors import UsageError
from puzzlekit.run import overridable
from puzzlekit.run.seeds import seed_or_new

if TYPE_CHECKING:
    from puzzlekit.draw.svg import Picture
    from puzzlekit.puzzle.protocols import Solvable
    from puzzlekit.run.answers import ScrambleReport
    from puzzlekit.run.random import Random
    from puzzlekit.run.scrambler import ScramblerFunction


def random_state(puzzle: Solvable, random: Random, /, *, seed: str, moves: int | None = None) -> ScrambleReport:
    """The engine's own scrambler. It is used even if the puzzle overrides `Puzzle.scramble`."""
    del random  # the engine draws the same numbers from the seed
    return puzzle.engine.scramble(str(puzzle), seed, moves)


# The name of this scrambler in lists and in options.
random_state.__name__ = "random"


def scramble(
    puzzle: Solvable, seed: str | None, moves: int | None, scrambler: ScramblerFunction | None
) -> ScrambleReport:
    """Does the work of `Puzzle.scramble`, which documents the arguments and errors."""
    seed = seed_or_new(seed)
    if scrambler is None:
        report = puzzle.engine.scramble(str(puzzle), seed, moves)
    else:
        from puzzlekit.run.scrambler import scrambled

        report = scrambled(puzzle, scrambler, seed, moves)
    number = overridable.number(puzzle, report.state)
    return replace(report, number=number, picture=partial(drawn, puzzle, report.state))


def drawn(puzzle: Solvable, state: str) -> Picture:
    """The picture of a state."""
    from puzzlekit.draw.svg import Picture
    from puzzlekit.view.view import view_of

    return Picture(view_of(puzzle).draw(state, ()), f"{puzzle}: {state}")


def seed_of_day(date: str | datetime.date) -> str:
    """The seed of a day, which is the same for the whole world.

    >>> seed_of_day("2026-11-23")
    'daily 2026-11-23'

    Raises:
        UsageError: The text is no date.
    """
    # In Python, a `datetime` is a `date`, too. But it also has a time, and so belongs to another day in another time
    # zone.
    text = date.isoformat() if isinstance(date, datetime.date) else date
    try:
        given = datetime.date.fromisoformat(text).isoformat()
    except (TypeError, ValueError):
        given = None
    if given is None or given != text:
        raise UsageError(f'"{date}" is no date; give one as YYYY-MM-DD')
    return f"daily {text}"
