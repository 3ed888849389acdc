"""Forecasts how far a count will come if it cannot end, because there are far more states than there is room for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from puzzlekit.run.engine import Engine
    from puzzlekit.run.options import RunOptions
    from puzzlekit.run.plans import Forecast
    from puzzlekit.run.progress import Progress
    from puzzlekit.run.report import Depth

FAR = 16
"""A forecast says that a count cannot end if its states need more than this many times the available memory or disk. A
count need not hold all depths at a time, so it may end although its states need somewhat more than there is."""

PROBED = 100_000
"""A probe ends when it has counted about this many states, which takes some hundredths of a second."""

PROBE_SECONDS = 0.5
"""A probe ends after this many seconds at the latest."""

GLANCED, SURE, LEAST_GROWTH = 100, 100, 1.5
"""If a count has a last depth, the depths are counted before any probe until there are `GLANCED` states: that takes
some milliseconds. If even `SURE` times as many states as follow to the last depth have room, nothing is to be foretold.
Later depths are taken to grow by the last factor, or by `LEAST_GROWTH` if it is smaller. So nothing is foretold of a
puzzle whose states become many all at once, far from the start, and its count stops when the memory is full."""


def forecast(
    engine: Engine, puzzle: str, options: RunOptions, reachable: int | None, disk: int | None = None
) -> Forecast | None:
    """The forecast of a count that cannot end; `None` if it may end, or if nothing is known.

    A short probe counts the first depths. Later depths are taken to grow by the same factor as the last of these.

    Args:
        engine: The rules.
        puzzle: The puzzle's text id.
        options: The options of the run.
        reachable: How many states there are, if that is known; symmetric states count separately.
        disk: The bytes that the files of a job may take; `None` for a run in memory.
    """
    if reachable is None:
        return None
    counted = engine.backward if options.backward else engine
    states = -(-reachable // (counted.symmetry_order if options.symmetry else 1))
    word = counted.word_bits // 8
    room = engine.room(options) if disk is None else disk
    held = room // (counted.state_bytes if disk is None else word)
    if states * word <= room * FAR or _ends_early(engine, puzzle, options, held):
        return None
    if _fits(engine, puzzle, options, kept=disk is not None):
        return None
    sizes = [depth.states for depth in probe(engine, puzzle, options, PROBED, PROBE_SECONDS)]
    if len(sizes) < 2:
        return None
    window = "directed" if disk is not None else counted.window  # a job keeps all depths in its files
    growth = sizes[-1] / sizes[-2]
    depth = _last_held(sizes, growth, window, held, states)
    if options.max_depth is not None and options.max_depth <= depth:
        return None
    from puzzlekit.run.plans import Forecast

    return Forecast(states, held, depth, min(states, round(sum(_grown(sizes, growth, depth)))))


def _ends_early(engine: Engine, puzzle: str, options: RunOptions, held: int) -> bool:
    """Returns `True` if the first depths alone show that there is far more room than states to the last depth."""
    if options.max_depth is None:
        return False
    depth, sizes = 1, [1]
    while depth < options.max_depth and sum(sizes) < GLANCED:
        depth = min(2 * depth, options.max_depth)
        sizes = [
            each.states for each in probe(engine, puzzle, replace(options, max_depth=depth), PROBED, PROBE_SECONDS)
        ]
        if len(sizes) <= depth:  # nothing follows, or the probe was stopped
            return False
    if len(sizes) < 2:
        return False
    growth = max(sizes[-1] / sizes[-2], LEAST_GROWTH)
    last, total = float(sizes[-1]), float(sum(sizes))
    for _ in range(depth, options.max_depth):
        last *= growth
        total += last
        if total * SURE > held:
            return False
    return total * SURE <= held


def _fits(engine: Engine, puzzle: str, options: RunOptions, *, kept: bool) -> bool:
    """Returns `True` if the states have a perfect index that fits the memory, or the disk."""
    return engine.plan(puzzle, options, None, kept=kept).memory_bytes is not None


def probe(engine: Engine, puzzle: str, options: RunOptions, states: int, seconds: float) -> Sequence[Depth]:
    """Counts the first depths, until about `states` states are found or `seconds` have passed."""

    def watch(progress: Progress) -> bool:
        return progress.states > states or progress.seconds > seconds

    first = replace(options, store="sparse", disk=None, checkpoint=None)
    return engine.enumerate(puzzle, first, watch).depths


def _grown(sizes: list[int], growth: float, depth: int) -> list[float]:
    """The numbers of states of all depths up to `depth`. Those that were not counted grow by the factor `growth`."""
    grown: list[float] = list(sizes[: depth + 1])
    while len(grown) <= depth:
        grown.append(grown[-1] * growth)
    return grown


def _last_held(sizes: list[int], growth: float, window: str, held: int, states: int) -> int:
    """The last depth for which there is room, together with the earlier depths that it is compared with.

    The depths 1, 3, 9, 27 and 81 are each compared with the two before them. With room for 40 states, depth 3 can be
    found (3 + 9 + 27 states), and depth 4 cannot (9 + 27 + 81).

    >>> _last_held([1, 3, 9], 3.0, "inverse-closed", 40, 10**6)
    3
    >>> _last_held([1, 3, 9], 3.0, "layered", 90, 10**6)
    4
    """
    compared = {"layered": 0, "inverse-closed": 2}.get(window)
    depth = 1
    while True:
        grown = _grown(sizes, growth, depth)
        needed = sum(grown if compared is None else grown[-1 - compared :])
        if needed > held or sum(grown) > states or growth <= 1:
            return depth - 1
        depth += 1
