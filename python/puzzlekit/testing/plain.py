"""A search that reads rules in the simplest way, without packing, symmetries or an index, to check the engine.

The rules are played by the plain program that also proves jobs.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from puzzlekit.proof.player import Player, State


def player_of(data: dict[str, Any]) -> Player:
    """Plays rules as data, without their symmetries, which may not be written out."""
    return Player({**data, "symmetries": []})


def naive(data: dict[str, Any], limit: int) -> list[tuple[int, int, dict[str, int]]]:
    """For each depth the number of states, the number of those that are open, and the outcomes of the others.

    A state is open if play goes on in it. This is a breadth-first search over rules as data (docs/rules.md). It ends
    after the depth at which `limit` states are known, or when no state is open.
    """
    player = player_of(data)
    seen, frontier = {player.start}, [player.start]
    counts: list[tuple[int, int, dict[str, int]]] = []
    while frontier and sum(states for states, _, _ in counts) < limit:
        ended: Counter[str] = Counter()
        following: list[State] = []
        for state in frontier:
            after = player.after(state)
            outcome = player.outcome(state, after)
            if outcome is not None:
                ended[outcome] += 1
                continue
            new = set(after) - seen
            seen |= new
            following += new
        counts.append((len(frontier), len(frontier) - sum(ended.values()), dict(ended)))
        frontier = following
    return counts
