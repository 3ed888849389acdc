"""All states of a puzzle that play can reach, numbered, with the moves between them. A survey works on them."""

from __future__ import annotations

from array import array
from itertools import accumulate
from struct import iter_unpack
from typing import TYPE_CHECKING

from puzzlekit.errors import LimitError
from puzzlekit.run.memory import held_bytes
from puzzlekit.run.report import Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from puzzlekit.run.engine import Engine
    from puzzlekit.run.solver import Budget

NO_DISTANCE = -1
"""The distance of a state from which no moves lead to any of the states that are asked about."""

BLOCK = 1 << 14
"""The number of states that are expanded, or stepped back from, between two looks at the watch and the memory."""

STATE_BYTES = 200
"""About how many bytes a state takes while states are found, in addition to its cells: an entry of a dictionary, and a
number."""

EDGE_BYTES = 8
"""The bytes of a move between two states: the number of the state that it leads to, and its own."""


class StoppedError(Exception):
    """The watch stopped the search for states or distances."""


class Reached:
    """All states that play can reach from the start, numbered from 0 in order of their depth, and all moves.

    Take four states in a ring, with a move from each to the next: `after` is `[1, 2, 3, 0]`, and `begins` is
    `[0, 1, 2, 3, 4]`. The moves of state 2 lead to `after[begins[2] : begins[3]]`.

    Args:
        engine: The rules, of a puzzle.
        budget: How many states and bytes may be held.
        look: The watch. It is called before each block of states.

    Attributes:
        count: How many states there are.

    Raises:
        LimitError: There are more states than the budget allows.
        StoppedError: The watch stopped it.
    """

    def __init__(self, engine: Engine, budget: Budget, look: Callable[[Progress], bool]) -> None:
        self._engine, self._look = engine, look
        self._width = engine.row_bytes
        self._memory = budget.memory
        self._rows = bytearray(engine.encode([engine.start]))
        self._begins, self._after, self._moves = array("Q", [0]), array("I"), array("I")
        self._places = {name: place for place, name in enumerate(engine.move_names)}
        self._before: tuple[array[int], array[int]] | None = None
        self._find(budget)
        self.count = len(self._rows) // self._width

    def _find(self, budget: Budget) -> None:
        """Finds all states, breadth-first, and lists their moves."""
        numbers, rows, after, width = {bytes(self._rows): 0}, self._rows, self._after, self._width
        cells = f"{width}s"
        while (done := len(self._begins) - 1) < len(numbers):
            self._check(Progress(expanded=done, states=len(numbers)), len(numbers) * (STATE_BYTES + 2 * width))
            block = bytes(rows[done * width : (done + BLOCK) * width])
            children, parents, moves = self._engine.expand(block)
            for (child,) in iter_unpack(cells, bytes(children)):
                fresh = len(numbers)
                number = numbers.setdefault(child, fresh)
                if number == fresh:
                    rows += child
                after.append(number)
            if len(numbers) > budget.max_states:
                raise LimitError(
                    f"play reaches more than {budget.max_states:,} states; allow more, or ask about a random sample"
                )
            self._moves.frombytes(bytes(moves))
            degrees = [0] * (len(block) // width)
            for parent in parents:
                degrees[parent] += 1
            self._begins.extend(list(accumulate(degrees, initial=self._begins[-1]))[1:])

    def _check(self, progress: Progress, estimate: int = 0) -> None:
        """Raises an error if the watch says to stop, or if more memory is held than the budget allows.

        Args:
            progress: The progress, for the watch.
            estimate: The bytes that are held beside the moves. It is used on systems that do not tell what is held.
        """
        if self._look(progress):
            raise StoppedError
        # `held_bytes` is 0 on systems that do not tell what is held.
        held = held_bytes() or estimate + len(self._after) * EDGE_BYTES
        if self._memory is not None and held > self._memory:
            raise LimitError(
                f"{held:,} bytes of memory are held with {progress.states:,} states, and {self._memory:,} may be; give "
                "more memory, or ask about a random sample"
            )

    def text(self, number: int) -> str:
        """The text of a state."""
        row = bytes(self._rows[number * self._width : (number + 1) * self._width])
        return self._engine.notation.write(row, 0)

    def meeting(self, pattern: Mapping[int, int]) -> bytes:
        """For each state 1 if each cell of a pattern holds its symbol, and 0 if not. Symbols are places in the list."""
        met = int.from_bytes(b"\1" * self.count)
        for cell, symbol in pattern.items():
            holds = bytes(held == symbol for held in range(256))
            met &= int.from_bytes(self._rows[cell :: self._width].translate(holds))
        return met.to_bytes(self.count)

    def solved(self) -> bytes:
        """For each state 1 if it satisfies the goal, and 0 if not."""
        return self._engine.solved_rows(bytes(self._rows))

    def follow(self, number: int, moves: Sequence[str]) -> int | None:
        """The number of the state to which moves lead; `None` if one of them cannot be made."""
        names, begins, after, made = self._engine.move_names, self._begins, self._after, self._moves
        places = self._places
        for name in moves:
            begin, end = begins[number], begins[number + 1]
            # In many puzzles all moves can be made in each state. Then the move that has this number is the right one.
            place = places.get(name)
            if place is None:
                return None
            if begin + place >= end or made[begin + place] != place:
                named = (at - begin for at in range(begin, end) if names[made[at]] == name)
                place = next(named, None)
                if place is None:
                    return None
            number = after[begin + place]
        return number

    def distances(self, goals: bytes) -> array[int]:
        """The fewest moves from each state to one of those marked by 1; `NO_DISTANCE` if no moves lead there.

        Raises:
            LimitError: The list of what comes before each state does not fit the memory.
            StoppedError: The watch stopped it.
        """
        begins, before = self._backward()
        found = array("i", [NO_DISTANCE]) * self.count
        frontier = [number for number, goal in enumerate(goals) if goal]
        for number in frontier:
            found[number] = 0
        depth, known = 0, len(frontier)
        while frontier:
            depth += 1
            following: list[int] = []
            for block in range(0, len(frontier), BLOCK):
                self._check(Progress(depth, len(frontier), block, known))
                for number in frontier[block : block + BLOCK]:
                    for one in before[begins[number] : begins[number + 1]]:
                        if found[one] < 0:
                            found[one] = depth
                            following.append(one)
            known += len(following)
            frontier = following
        return found

    def _backward(self) -> tuple[array[int], array[int]]:
        """The predecessors of each state, as two arrays like `begins` and `after`.

        If each move is undone by a move, the predecessors of a state are its successors.
        """
        if self._engine.window == "inverse-closed":
            return self._begins, self._after
        if self._before is None:
            self._check(Progress(states=self.count), len(self._after) * EDGE_BYTES)
            counts = array("Q", [0]) * self.count
            for number in self._after:
                counts[number] += 1
            begins = array("Q", accumulate(counts, initial=0))
            places, before = begins[:], array("I", [0]) * len(self._after)
            for number in range(self.count):
                for one in self._after[self._begins[number] : self._begins[number + 1]]:
                    before[places[one]] = number
                    places[one] += 1
            self._before = begins, before
        return self._before
