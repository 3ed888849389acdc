"""All states of a puzzle that play can reach, as numbers, with the moves between them, for surveys."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, TypeVar

from puzzlekit.errors import LimitError
from puzzlekit.run.memory import held_bytes
from puzzlekit.run.progress import Progress
from puzzlekit.run.watch import looked

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from puzzlekit.run.engine import Engine
    from puzzlekit.run.solver import Budget

Found = TypeVar("Found")

NO_DISTANCE = -1
"""Stands for the distance of a state from which no moves lead to the goals in question."""

WITHOUT_LIMIT = 2**63
"""A number of bytes that no machine has, for a search without a limit of memory."""


class StoppedError(Exception):
    """Raised if the time is over or the watch stops the work: a search for states or distances, or a survey."""


class Reached:
    """All states that play can reach from the start, numbered from 0 in order of their depth.

    Args:
        engine: The compiled rules of a puzzle.
        budget: How many states and bytes may be held.
        look: The watch, which returns something true to stop the search.

    Attributes:
        count: How many states there are.

    Raises:
        LimitError: There are more states than the budget allows.
        StoppedError: The watch stopped it.
    """

    def __init__(self, engine: Engine, budget: Budget, look: Callable[[Progress], bool]) -> None:
        self._engine, self._look, self._memory = engine, look, budget.memory
        if look(Progress()):
            raise StoppedError
        room = self._room(0)
        graph, found = self._watched(lambda watch: engine.all_reached(budget.max_states, room, watch))
        if graph is None and found > budget.max_states:
            raise LimitError(
                f"play reaches more than {budget.max_states:,} states; allow more, or ask about a random sample"
            )
        if graph is None:
            raise self._too_little(found, room)
        self._graph = graph
        self.count: int = found

    def _room(self, states: int) -> int:
        """The bytes that may be taken beside what the process holds already."""
        room = WITHOUT_LIMIT if self._memory is None else self._memory - held_bytes()
        if room <= 0:
            raise self._too_little(states, 0)
        return room

    def _too_little(self, states: int, room: int) -> LimitError:
        return LimitError(
            f"{held_bytes() + room:,} bytes of memory are held with {states:,} states, and {self._memory:,} may be; "
            "give more memory, or ask about a random sample"
        )

    def _watched(self, work: Callable[[Callable[[Any], object]], Found]) -> Found:
        """Calls `work`, which lets the engine do something, with the watch in the form that the engine calls.

        Raises:
            StoppedError: The watch stopped it.
        """
        stopped = False

        def look(progress: Progress) -> bool:
            nonlocal stopped
            stopped = self._look(progress)
            return stopped

        watch = looked(look)
        assert watch is not None
        try:
            return work(watch)
        except LimitError:
            if stopped:
                raise StoppedError from None
            raise

    def text(self, number: int) -> str:
        """The text of a state."""
        return self._engine.notation.write(*self._graph.state(number))

    def meeting(self, pattern: Mapping[int, int]) -> bytes:
        """A byte for each state: 1 if all cells of a pattern hold their symbols, and 0 if not."""
        return bytes(self._graph.meeting(list(pattern.items())))

    def solved(self) -> bytes:
        """A byte for each state: 1 if it satisfies the goal, and 0 if not."""
        return bytes(self._graph.solved())

    def follow(self, number: int, moves: Sequence[str]) -> int | None:
        """The number of the state that moves lead to, made one after another; `None` if one of them cannot be made."""
        after: int | None = self._graph.follow(number, list(moves))
        return after

    def distances(self, goals: bytes) -> array[int]:
        """The fewest moves from each state to one that has a 1 in `goals`; `NO_DISTANCE` if no moves lead there.

        Raises:
            LimitError: The memory has no room for what is needed for each state.
            StoppedError: The watch stopped it.
        """
        if self._look(Progress(states=self.count)):
            raise StoppedError
        room = self._room(self.count)
        found = array("i")
        found.frombytes(self._watched(lambda watch: self._graph.distances(goals, room, watch)))
        return found
