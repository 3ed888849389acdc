"""The cases of a phase: the states at its beginning, up to symmetries that keep its patterns, with their solutions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from puzzlekit.errors import LimitError, UsageError
from puzzlekit.puzzle.images import CellSymmetry, symmetries_of
from puzzlekit.puzzle.phases import check_fits, checked_phases, never_met
from puzzlekit.run.cases import Case, CasesReport
from puzzlekit.run.checks import check_is_puzzle, check_number, read_texts
from puzzlekit.run.defaults import MAX_STATES
from puzzlekit.run.engine.machine import memory_limit
from puzzlekit.run.progress import Progress
from puzzlekit.run.reached import NO_DISTANCE, Reached, StoppedError
from puzzlekit.run.solver import MOST_STATES, Budget, Deadline

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.engine import Engine
    from puzzlekit.run.watch import Watch

MOST_CASES = 10**6
"""The most states at the beginning of a phase. If there are more, the phase is refused."""

LISTED = 1_000
"""The number of cases that are listed unless more are asked for: what a person may read, and a page of some
megabytes."""

LOOK_AFTER = 256
"""The watch is asked each time that this many more states have been grouped into cases."""

MOST_SYMMETRIES = 5_000
"""The most symmetries that are tried one by one. If there are more, only declared ones that keep the patterns are
combined."""


def cases(  # noqa: PLR0913 - each is an option
    puzzle: Puzzle,
    phases: Iterable[str],
    *,
    limit: int | None = LISTED,
    max_states: int = MAX_STATES,
    memory: int | str | None = None,
    seconds: float | None = None,
    watch: Watch | None = None,
) -> CasesReport:
    """The cases of the last of several phases: an algorithm sheet.

    A case is a state that meets all patterns but the last one, with the fewest moves until the last one is met, too. In
    between, any moves may be made. States that a symmetry carries onto each other are one case, if the symmetry leaves
    all these patterns as they are.

    >>> import puzzlekit
    >>> sheet = puzzlekit.cases(puzzlekit.load("slider:2,3"), ["0??/3??", "012/345"])
    >>> len(sheet.cases), sheet.cases[0].state, sheet.cases[0].words
    (11, '014/352', 'R R D L U L')

    Args:
        puzzle: The puzzle.
        phases: Patterns, as in `survey`.
        limit: How many cases to list, those that take the fewest moves first; all if it is `None`.
        max_states: The most states that play may reach.
        memory: How many bytes may be taken; 70 % of the memory if it is `None`.
        seconds: How long it may take.
        watch: As in `Puzzle.enumerate`.

    Raises:
        LimitError: A limit was reached before there was an answer.
        StateError: A phase is no pattern of this puzzle.
        UsageError: The rules are those of a game, there is no phase, or no state meets one.
    """
    check_is_puzzle(puzzle)
    patterns = (phases,) if isinstance(phases, str) else read_texts("phases", phases, "patterns")
    engine = puzzle.engine
    if engine.is_game:
        raise UsageError(f"{puzzle} is a game, which has no phases; name a puzzle")
    if not patterns:
        raise UsageError("cases are those of a phase; give phases, such as the goal itself")
    check_number("limit", limit, 1, MOST_CASES)
    check_number("max_states", max_states, 1, MOST_STATES)
    *_, (before, after) = checked_phases(puzzle, patterns)
    check_fits(puzzle, max_states)
    deadline = Deadline(seconds, watch)
    try:
        reached = Reached(engine, Budget(max_states, memory_limit(memory)), deadline)
        begin, done = reached.meeting(before), reached.meeting(after)
        if 1 not in done:
            raise never_met(patterns[-1])
        numbers = [number for number, one in enumerate(begin) if one and not done[number]]
        if len(numbers) > MOST_CASES:
            raise LimitError(
                f"{len(numbers):,} states meet the phases before {patterns[-1]}, and cases are made of "
                f"{MOST_CASES:,} at most; give a phase that comes before it"
            )
        distances = reached.distances(done)
        keep = _keeping(engine, before, after)
        found = _orbits(engine, reached, numbers, keep, deadline)
        last = max((distances[same[0]] for same in found), default=0) + 1
        order = [
            (last if distances[same[0]] == NO_DISTANCE else distances[same[0]], reached.text(same[0]), same)
            for same in found
        ]
        order.sort()
        names = list(dict.fromkeys(engine.move_names))
        made = [Case(text, _way(reached, distances, same[0], names), len(same)) for _, text, same in order[:limit]]
    except StoppedError:
        raise LimitError("stopped before all states and cases were found; give more time") from None
    return CasesReport(
        puzzle=str(puzzle),
        before=patterns[:-1],
        pattern=patterns[-1],
        symmetries=len(keep),
        done=done.count(1),
        cases=tuple(made),
        total=len(found),
        states=len(numbers),
        draw=lambda state: puzzle.picture(state).svg,
    )


def _orbits(
    engine: Engine,
    reached: Reached,
    numbers: Sequence[int],
    keep: Sequence[CellSymmetry],
    look: Callable[[Progress], bool],
) -> list[list[int]]:
    """Groups states into cases: each list has the numbers of states that symmetries carry onto each other.

    Raises:
        StoppedError: The watch stopped it.
    """
    found: dict[bytes, list[int]] = {}
    for done, number in enumerate(numbers):
        if done % LOOK_AFTER == 0 and look(Progress(states=reached.count, frontier=len(numbers), expanded=done)):
            raise StoppedError
        code = engine.notation.read(reached.text(number))
        found.setdefault(min(symmetry.of(code)[0] for symmetry in keep), []).append(number)
    return list(found.values())


def _keeping(engine: Engine, *patterns: Mapping[int, int]) -> list[CellSymmetry]:
    """The symmetries of the rules that carry each of the patterns onto itself."""

    def keeps(symmetry: CellSymmetry) -> bool:
        return all(
            {symmetry.cells[cell]: symmetry.symbols[symbol] for cell, symbol in pattern.items()} == pattern
            for pattern in patterns
        )

    notation = engine.notation
    generators = symmetries_of(json.loads(engine.rules_json), [str(symbol) for symbol in notation.symbols])
    if engine.symmetry_order > MOST_SYMMETRIES:
        generators = [each for each in generators if keeps(each)]
    identity = CellSymmetry(tuple(range(notation.cells)), tuple(range(len(notation.symbols))), swap=False)
    group = {identity: None}
    new = [identity]
    for one in new:  # it grows meanwhile
        for generator in generators:
            product = one.then(generator)
            if product not in group and len(group) < MOST_SYMMETRIES:
                group[product] = None
                new.append(product)
    return [symmetry for symmetry in group if keeps(symmetry)]


def _way(reached: Reached, distances: array[int], number: int, names: Sequence[str]) -> tuple[str, ...] | None:
    """The names of the fewest moves from a state to one with distance 0; `None` if no moves lead to one.

    If several moves bring the state nearer, the first of `names` is taken.
    """
    if distances[number] == NO_DISTANCE:
        return None
    moves: list[str] = []
    while distances[number]:
        for name in names:
            after = reached.follow(number, [name])
            if after is not None and distances[after] == distances[number] - 1:
                moves.append(name)
                number = after
                break
    return tuple(moves)
