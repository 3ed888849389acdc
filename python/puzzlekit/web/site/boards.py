"""The random boards of a page without a server: drawn by the engine in the page, or listed when the page is written.

The engine in the page is the one that Python uses, so it draws the same boards. But a puzzle may draw its boards by
Python code of its own, which a page cannot run. Then the page gets a list of boards: those of some seeds, and of some
days.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from puzzlekit.errors import PuzzlekitError
from puzzlekit.puzzle.scrambling import seed_of_day
from puzzlekit.run import overridable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from puzzlekit.puzzle.puzzle import Puzzle

SEEDS = 300
"""If boards are listed, they are those of the seeds 1 to this number."""

DAYS_BEFORE = 40
"""If boards are listed, they include those of this many days before today."""

DAYS_AFTER = 400
"""If boards are listed, they include those of this many days after today."""

TRIED = 24
"""The number of seeds, days and numbers of states with which the engine's boards are compared with the puzzle's."""


@dataclass(frozen=True)
class Boards:
    """The boards of a puzzle that its page can begin with.

    Attributes:
        drawn: Whether the engine draws the same boards as the puzzle, from seeds and days.
        mixed: Whether the engine makes the same boards by a given number of random moves.
        seeds: If the engine does not draw the same boards: the boards of the seeds 1, 2 and so on; `None` for a seed
            without a board.
        days: If the engine does not draw the same boards: the boards of days, by their dates.
        counted: Whether the number of a state is made of its symbols as digits, with the first cell as the lowest
            digit.
    """

    drawn: bool = True
    mixed: bool = True
    seeds: list[str | None] = field(default_factory=list)
    days: dict[str, str] = field(default_factory=dict)
    counted: bool = False


def boards(puzzle: Puzzle, today: datetime.date) -> Boards:
    """Finds which boards of a puzzle the engine can draw, and lists boards if it cannot."""
    own, base = type(puzzle), _base(puzzle)
    drawn = mixed = True
    if own.scramble is not base.scramble or own.daily is not base.daily:
        seeds = [str(at) for at in range(1, TRIED + 1)]
        days = [(today + datetime.timedelta(at)).isoformat() for at in range(TRIED)]
        drawn = all(_same(puzzle, partial(overridable.scramble, puzzle, at, None), at) for at in seeds) and all(
            _same(puzzle, partial(overridable.daily, puzzle, at), seed_of_day(at)) for at in days
        )
        mixed = all(
            _same(puzzle, partial(overridable.scramble, puzzle, at, len(at) + 2), at, len(at) + 2) for at in seeds
        )
    counted = own.number is not base.number and _is_counted(puzzle)
    if drawn:
        return Boards(drawn, mixed, counted=counted)
    wanted = [(today + datetime.timedelta(at)).isoformat() for at in range(-DAYS_BEFORE, DAYS_AFTER + 1)]
    made = [_state(partial(overridable.scramble, puzzle, str(at), None)) for at in range(1, SEEDS + 1)]
    return Boards(
        drawn,
        mixed,
        made if any(made) else [],
        _by_day(puzzle, wanted),
        counted,
    )


def _base(puzzle: Puzzle) -> type[Puzzle]:
    """The class `Puzzle` itself, whose own methods, which a puzzle may override, use the engine alone."""
    return next(kind for kind in reversed(type(puzzle).__mro__) if "numbered" in vars(kind))


def _by_day(puzzle: Puzzle, days: Iterable[str]) -> dict[str, str]:
    found = {day: _state(partial(overridable.daily, puzzle, day)) for day in days}
    return {day: state for day, state in found.items() if state is not None}


def _same(puzzle: Puzzle, make: Callable[[], Any], seed: str, moves: int | None = None) -> bool:
    """Returns `True` if the puzzle and its engine make the same board from a seed, or if neither makes one."""
    return _state(make) == _state(partial(puzzle.engine.scramble, str(puzzle), seed, moves))


def _state(make: Callable[[], Any]) -> str | None:
    """The state of a scramble; `None` if there is none, because nothing on the board can be mixed."""
    try:
        return str(make().state)
    except PuzzlekitError:
        return None


def _is_counted(puzzle: Puzzle) -> bool:
    """Returns `True` if each of some numbers that are tried is made of the symbols of its state as digits."""
    notation = puzzle.engine.notation
    base, cells = len(notation.symbols), notation.cells
    states = base**cells
    tried = [0, 1, states - 1, *(states * at // TRIED + at for at in range(1, TRIED))]
    for number in tried:
        digits = bytes(number // base**cell % base for cell in range(cells))
        try:
            state = overridable.numbered(puzzle, number % states).state
            if state != notation.write(digits, 0) or overridable.number(puzzle, state) != number % states:
                return False
        except PuzzlekitError:
            return False
    return not notation.players
