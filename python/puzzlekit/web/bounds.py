"""A bound of the fewest moves that the numbers of pieces show, for searches that end without an answer."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from puzzlekit.web.shown import symbols_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from puzzlekit.puzzle.puzzle import Puzzle


def least_by_counts(puzzle: Puzzle, state: str) -> int:
    """At least how many moves the goal takes, since no move changes the number of any symbol by more than it does.

    Take 32 pegs, of which one is to be left. Each jump takes one away, so at least 31 jumps are needed.

    Returns:
        The bound; 0 if the goal is not a single state, or if the numbers show nothing.
    """
    if puzzle.engine.goal is None:
        return 0
    now, wanted = Counter(symbols_of(puzzle, state)), Counter(symbols_of(puzzle, puzzle.engine.goal))
    least, known = 0, changes(puzzle)
    for symbol in (now | wanted) if known else ():
        missing = wanted[symbol] - now[symbol]
        sign = 1 if missing > 0 else -1
        most = max(sign * change.get(symbol, 0) for change in known)
        if missing and most > 0:
            least = max(least, -(-abs(missing) // most))
    return least


def changes(puzzle: Puzzle) -> list[dict[str, int]]:
    """By how much moves change the number of each symbol, each change once; empty if a state decides that."""
    found = [_change(move) for move in puzzle.rules().to_data()["moves"]]
    each = {tuple(sorted(change.items())): dict(change) for change in found if change is not None}
    return [] if None in found else list(each.values())


def _change(move: Mapping[str, Any]) -> Counter[str] | None:
    """By how much a move changes the number of each symbol; `None` if that depends on the state."""
    guard = dict(move["when"])
    change: Counter[str] = Counter()
    for cell, source in move["then"]:
        old = guard.get(cell, ())
        if len(old) != 1 or not isinstance(source, str):
            return None
        change[source] += 1
        change[old[0]] -= 1
    return change
