"""Looks up the states of one puzzle in a library: as arrays, for a solver, or for a survey."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from puzzlekit.errors import CorruptError
from puzzlekit.jobs.answers import JobSolver

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Buffer

    from puzzlekit.errors import PuzzlekitError
    from puzzlekit.jobs.library.work import WorkFiles
    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.solver import Answer, Budget
    from puzzlekit.run.watch import Watch


class LibraryStates:
    """The states of a puzzle in a library. `Library.of` makes such an object.

    Args:
        puzzle: The puzzle.
        files: The files of the work.
        name: What the library is called.
    """

    backward = False
    """A library is not sorted by depth, so it makes no difference which depth a caller names."""

    one_by_one = True
    """Each look-up may need a block that a host has to send. So a state is looked up only when it is needed."""

    def __init__(self, puzzle: Puzzle, files: WorkFiles, name: str) -> None:
        self.puzzle = puzzle
        self._files = files
        self._name = name

    def look_up(self, rows: Buffer, around: int = 0) -> tuple[memoryview, memoryview, memoryview]:
        """Looks up an array of states, as `Job.look_up` does; depths are not known, and so -1.

        Raises:
            StateError: A row does not fit the rules.
            CorruptError: A file of the library is not what was written.
            LibraryError: The library cannot be read.
        """
        del around  # a hint for jobs
        import numpy as np

        values, moves = self._files.look_up(bytes(self.puzzle.engine.rows(rows)))
        depths: Any = np.full(len(values), -1, np.int32)
        return memoryview(values), memoryview(moves), memoryview(depths)

    @property
    def has_distances(self) -> bool:
        """`True` if each state that is not a draw has its number of moves to the end, or its points."""
        return self._files.manifest.distances

    @property
    def solver(self) -> LibrarySolver:
        """A solver that answers from the library alone."""
        return LibrarySolver(self._name, self, complete=self._files.manifest.complete)


class LibrarySolver(JobSolver):
    """A solver that answers from a library alone; see `JobSolver`."""

    def __init__(self, name: str, states: LibraryStates, *, complete: bool) -> None:
        super().__init__(name, states, complete=complete)
        self.__name__ = "library"
        self._name = name
        self._what = self._kept = f"the library at {name}"

    def __call__(self, puzzle: Any, state: str, /, *, budget: Budget, watch: Watch) -> Answer:  # noqa: ANN401
        """Looks up the answer for a state; see `JobSolver`."""
        answer = super().__call__(puzzle, state, budget=budget, watch=watch)
        return replace(answer, library=self._name)


class LibraryValues:
    """The values of all states of a game, for a survey.

    Args:
        name: What the library is called.
        states: The states.
        failed: Called with the error if a look-up fails, so that the library is left out.
    """

    def __init__(self, name: str, states: LibraryStates, failed: Callable[[PuzzlekitError], None]) -> None:
        self.name: str = name
        self.failed: Callable[[PuzzlekitError], None] = failed
        self._states = states

    def look_up(self, rows: bytes) -> tuple[memoryview, memoryview]:
        """The values of states that are given as rows, and the moves to the end.

        Raises:
            CorruptError: The library lacks one of the states, or a file has changed since it was written.
            LibraryError: The library cannot be read.
        """
        values, moves, _ = self._states.look_up(rows)
        if 0 in values:
            raise CorruptError(f"{self.name} does not have every state that play reaches; it is damaged, or false")
        return values, moves
