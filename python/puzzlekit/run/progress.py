"""The progress of a run, as a watch is told it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """The progress of an enumeration or a solver. A figure that is not known is 0.

    Attributes:
        depth: The depth whose states are being expanded.
        frontier: How many states that depth has.
        expanded: How many of these have been expanded.
        states: How many states were found in all depths that are done.
        store_bytes: Bytes of memory that the engine's store holds; 0 while values are found.
        seconds: Seconds since the beginning.
        at_most: In a search for the fewest moves, the length of the shortest solution so far.
        at_least: In a search for the fewest moves, the number of moves that every solution needs, as far as it is
            proven.
        wanted: In a search for the values of states that were counted before, the number of these states. Then `depth`
            is a step of the search, and `states` the number of states whose values are known.
        again: Whether a job only does again what an earlier run has done. If it is stopped now, nothing new is kept.
    """

    depth: int = 0
    frontier: int = 0
    expanded: int = 0
    states: int = 0
    store_bytes: int = 0
    seconds: float = 0.0
    at_most: int = 0
    at_least: int = 0
    wanted: int = 0
    again: bool = False
