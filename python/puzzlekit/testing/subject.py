"""The parts that all checks share: the puzzle, some of its states, and the result of a check."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

from puzzlekit.errors import LimitError
from puzzlekit.run.options import RunOptions
from puzzlekit.run.random import Random

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.report import Report
    from puzzlekit.run.scrambler import ScramblerFunction
    from puzzlekit.run.solver import SolverFunction


class Fault(Exception):  # noqa: N818 - a fault of a puzzle, not of the suite
    """A rule that every puzzle must keep, and that this one breaks. The message says what to change."""


def fail(message: str) -> NoReturn:
    """Ends a part of the suite by raising a `Fault`. The message is a sentence that says what to change."""
    raise Fault(message)


PLAYS = 50
"""The number of random plays."""

MOST_MOVES = 200
"""A random play that has not ended after this many moves is left."""


def ignore(told: str) -> None:
    """Does nothing with what is told."""
    del told


@dataclass(frozen=True)
class Looked:
    """The result of a check that found no fault.

    Attributes:
        times: How many things were checked.
        notes: Sentences about things that are no faults, but could be better.
    """

    times: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Subject:
    """The puzzle that is checked, and how much of it.

    Attributes:
        puzzle: The puzzle.
        states: How many states are checked one by one.
        solvers: The solvers that plugins bring for the puzzle, by name.
        scramblers: The scramblers that plugins bring for the puzzle, by name.
        memory: The most bytes that the process may take in a count or a search for a solution, as a number or as
            `"1GiB"`; `None` for 70 % of the memory.
        watch: Called with a text that says what is checked now, again and again while another process works.
    """

    puzzle: Puzzle
    states: int
    solvers: Mapping[str, SolverFunction] = field(default_factory=dict)
    scramblers: Mapping[str, ScramblerFunction] = field(default_factory=dict)
    memory: int | str | None = None
    watch: Callable[[str], object] = ignore

    @cached_property
    def walked(self) -> list[str]:
        """The first states that play reaches, in the order of a breadth-first search."""
        puzzle = self.puzzle
        found = {puzzle.start}
        order = [puzzle.start]
        for state in order:
            if len(order) >= self.states:
                break
            successors, _, _ = puzzle.arrays.expand(puzzle.arrays.encode([state]))
            new = [after for after in dict.fromkeys(puzzle.arrays.decode(successors)) if after not in found]
            found.update(new)
            order += new
        return order[: self.states]

    @cached_property
    def last_states(self) -> list[str]:
        """The last states of random plays, since the first states that play reaches need not have an end among them."""
        puzzle, random, last = self.puzzle, Random("the last states of plays"), []
        for _ in range(PLAYS):
            state = puzzle.start
            for _ in range(MOST_MOVES):
                moves = puzzle.legal_moves(state)
                if not moves:
                    last.append(state)
                    break
                state = puzzle.apply(state, random.choose(moves))
        return last

    @property
    def walked_all(self) -> bool:
        """`True` if `walked` holds all states that play reaches."""
        return len(self.walked) < self.states

    def count(
        self, *, max_depth: int, symmetry: bool = True, threads: int | None = None, store: str = "auto"
    ) -> Report:
        """The counts of the puzzle's states, made within the memory.

        Raises:
            LimitError: The memory is too small for these depths.
        """
        options = RunOptions(max_depth, symmetry, threads, store, self.memory)
        report = self.puzzle.enumerate(options)
        if report.stopped == "memory":
            raise LimitError(
                f"counting {self.puzzle} takes more memory than the check may take; give more with --memory, or "
                "smaller parameters"
            )
        return report

    def sample(self, size: int) -> list[str]:
        """Some of the states in `walked`, spread over it."""
        return self.walked[:: max(1, len(self.walked) // size)][:size]
