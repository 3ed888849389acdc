"""Estimates how many states each depth has from states that are drawn at random, if a state tells its own depth.

If `N` states have some depth, and one of them is drawn, then the number of states of the next depth is `N` times what
is expected of this sum: 1 divided by the number of states that lead to it, for each state that the drawn one leads to.
docs/cluster.md describes it. It is P.-C. Chen's heterogeneous sampling (SIAM Journal on Computing 21, 1992), with the
states of a depth as strata, and each state counted once however many ways lead to it.
"""

from __future__ import annotations

import math
import random
import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from puzzlekit.run.engine import Engine

KNOWN = 5_000
"""The first depths are counted, as long as none has more states than this."""

DRAWN = 2_000
"""The number of states of each depth that are drawn."""

WIDTHS = (1, 4, 16)
"""To find out whether play reaches a state, it is followed back through up to this many states of each depth: few at
first, then more."""

SECONDS = 120.0
"""After this much processor time, the estimate is given up."""


@dataclass(frozen=True)
class DrawnDepth:
    """The estimated numbers of one depth.

    Attributes:
        states: How many states there are up to symmetry.
        open: From how many of these play goes on.
        made: How many successors are made of the states of this depth. The same state counts each time.
    """

    states: float
    open: float
    made: float


@dataclass(frozen=True)
class Drawn:
    """An estimate of all depths.

    Attributes:
        depths: The depths.
        error: The standard error of the number of all states, as a part of that number.
    """

    depths: tuple[DrawnDepth, ...]
    error: float


def drawn(engine: Engine) -> Drawn | None:
    """Estimates all depths; `None` if a state does not tell its depth, moves cannot be undone, or it takes too long."""
    return _Estimate(engine).depths() if engine.window == "layered" and engine.undoes else None


class _Estimate:
    """An estimate that is being made."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self._random = engine, random.Random(0)
        self._width = engine.row_bytes
        self._base: tuple[int, frozenset[bytes]] = (0, frozenset())
        """The last depth whose states were all counted, and these states."""

    def depths(self) -> Drawn | None:
        """Estimates all depths; `None` if it takes too long."""
        end = time.process_time() + SECONDS
        found: list[DrawnDepth] = []
        states = self._rows(self._engine.canonical_rows(self._engine.encode([self._engine.start])))
        self._base = (0, frozenset(states))
        count, variance, counted = 1.0, 0.0, True
        while time.process_time() < end:
            after, made = self._after(states)
            each = count / len(states)
            going_on = sum(1 for children in after if children)
            found.append(DrawnDepth(count, each * going_on, each * made))
            every = frozenset().union(*after)
            if not every:
                return Drawn(tuple(found), math.sqrt(variance))
            if counted and len(every) <= KNOWN:
                states, count = sorted(every), float(len(every))
                self._base = (len(found), every)
                continue
            if counted:
                states, counted = self._random.choices(states, k=DRAWN), False
                after, _ = self._after(states)
            chosen = [self._random.choice(sorted(children)) if children else b"" for children in after]
            leading = self._leading({state for state in chosen if state}, len(found) - 1, set(states))
            weights = [len(next_ones) / leading.get(state, 1) for next_ones, state in zip(after, chosen, strict=True)]
            mean = statistics.fmean(weights)
            if not mean:
                return Drawn(tuple(found), math.sqrt(variance))
            variance += statistics.variance(weights, mean) / mean**2 / DRAWN
            count *= mean
            states = self._random.choices(chosen, weights, k=DRAWN)
        return None

    def _rows(self, data: Iterable[int] | memoryview) -> list[bytes]:
        flat = bytes(data)
        return [flat[at : at + self._width] for at in range(0, len(flat), self._width)]

    def _canonical(self, rows: list[bytes]) -> list[bytes]:
        return self._rows(self._engine.canonical_rows(b"".join(rows))) if rows else []

    def _after(self, states: list[bytes]) -> tuple[list[set[bytes]], int]:
        """For each state, the states that it leads to, up to symmetry; and how many successors were made in all."""
        children, parents, _ = self._engine.expand(b"".join(states))
        found: list[set[bytes]] = [set() for _ in states]
        for child, parent in zip(self._canonical(self._rows(children)), parents, strict=True):
            found[parent].add(child)
        return found, len(parents)

    def _before(self, states: list[bytes]) -> list[set[bytes]]:
        """For each state, the states that lead to it, perhaps also such as play never reaches."""
        found: list[set[bytes]] = [set() for _ in states]
        rows, numbers = self._engine.undo(b"".join(states))
        before = self._rows(rows)
        if before:
            _, parents, _ = self._engine.expand(rows)
            goes_on = set(parents)
            for at, (state, number) in enumerate(zip(before, numbers, strict=True)):
                if at in goes_on:
                    found[number].add(state)
        return found

    def _leading(self, states: set[bytes], depth: int, reached: set[bytes]) -> dict[bytes, int]:
        """For each state, how many states of the depth `depth` lead to it, up to symmetry: one at least.

        `reached` has states of that depth that play reaches.
        """
        order = sorted(states)
        before = [set(self._canonical(sorted(each))) for each in self._before(order)]
        left = frozenset().union(*before) - reached
        known = reached | self._reached(left, depth)
        return {state: max(1, len(each & known)) for state, each in zip(order, before, strict=True)}

    def _reached(self, states: frozenset[bytes], depth: int) -> set[bytes]:
        """Returns the states among those of a depth that play reaches, as far as it is found out."""
        found: set[bytes] = set()
        left = set(states)
        for width in WIDTHS:
            if left:
                known, left = self._walk(left, depth, width)
                found |= known
        return found

    def _walk(self, states: set[bytes], depth: int, width: int) -> tuple[set[bytes], set[bytes]]:
        """Goes back from states, and follows up to `width` states of each depth.

        Returns the states from which a way back was found, and those of which nothing is known.
        """
        last, base = self._base
        ways = {state: [state] for state in sorted(states)}
        cut: set[bytes] = set()
        for _ in range(depth - last):
            flat = [each for way in ways.values() for each in way]
            before = iter(self._before(flat)) if flat else iter(())
            longer: dict[bytes, list[bytes]] = {}
            for state, way in ways.items():
                every = sorted(set().union(*(next(before) for _ in way)))
                if len(every) > width:
                    every = self._random.sample(every, width)
                    cut.add(state)
                if every:
                    longer[state] = every
            ways = longer
        found = {state for state, way in ways.items() if not base.isdisjoint(self._canonical(way))}
        return found, cut - found
