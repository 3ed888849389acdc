"""Answers that a server looks up in its jobs and libraries, so that it need not search."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from puzzlekit.errors import CorruptError, DiskError, JobError, PluginError
from puzzlekit.jobs.job import Job
from puzzlekit.run import overridable
from puzzlekit.run.solver import as_solver

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from puzzlekit.jobs.answers import Found, JobSolver
    from puzzlekit.jobs.library.library import Library
    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.answers import SolveReport
    from puzzlekit.run.report import Watch
    from puzzlekit.run.solver import Answer, Budget, SolverFunction

T = TypeVar("T")

DAMAGE = (CorruptError, DiskError, PluginError)
"""The exceptions that show that a job is damaged. `PluginError` is raised if the moves of an answer do not hold."""


class Known:
    """Looks answers up in jobs and libraries. If they have no answer, a search must find it.

    Args:
        folders: For each text id that a job has counted, the job's folder.
        libraries: Libraries, as paths and addresses, for puzzles without a job.
    """

    def __init__(self, folders: Mapping[str, str], libraries: Sequence[str] = ()) -> None:
        self._folders = folders
        self._libraries = _opened(libraries) if libraries else ()
        self._solvers: dict[str, JobSolver | None] = {}

    def solver(self, puzzle: Puzzle) -> JobSolver | None:
        """A solver that answers from the job of a puzzle, or from a library; `None` if neither has the puzzle."""
        text = str(puzzle)
        if not self._folders.get(text):
            return self._of_libraries(puzzle)
        if text not in self._solvers:
            try:
                self._solvers[text] = Job(self._folders[text], lambda _: puzzle).solver
            except JobError:  # the job has neither values nor distances, or is not done
                self._solvers[text] = None
            except DAMAGE as error:
                self._damaged(text, error)
        return self._solvers[text]

    def _of_libraries(self, puzzle: Puzzle) -> JobSolver | None:
        """A solver that answers from the first library that has the puzzle."""
        for library in self._libraries:
            found: JobSolver | None = library.asked(partial(library.solver, puzzle))
            if found is not None:
                return found
        return None

    def solve(self, puzzle: Puzzle, state: str, watch: Watch) -> SolveReport | None:
        """The answer for a state; `None` if neither a job nor a library has it.

        Raises:
            UnsolvableError: No moves lead to the goal.
        """
        solver = self.solver(puzzle)
        if solver is None:
            return None
        return self._asked(puzzle, lambda: puzzle.solve(state, solver, watch=watch))

    def worths(self, puzzle: Puzzle, states: Sequence[str]) -> list[Found] | None:
        """The facts that a job or a library has about each state; `None` if neither has the puzzle."""
        solver = self.solver(puzzle)
        return None if solver is None else self._asked(puzzle, lambda: solver.worths(puzzle.engine, states))

    def first(self, puzzle: Puzzle) -> SolverFunction | None:
        """A solver that asks the job or library, and then the puzzle's own solver; `None` without a job or library."""
        solver = self.solver(puzzle)
        if solver is None:
            return None

        def first(_puzzle: Puzzle, state: str, *, budget: Budget, watch: Watch) -> Answer:
            found = self._asked(puzzle, lambda: solver(puzzle, state, budget=budget, watch=watch))
            return found or as_solver(overridable.default_solver(puzzle))(puzzle, state, budget=budget, watch=watch)

        return first

    def _asked(self, puzzle: Puzzle, ask: Callable[[], T]) -> T | None:
        """Asks a job or a library; `None` if it has no answer. Damaged files are not asked again."""
        if not self._folders.get(str(puzzle)):
            for library in self._libraries:
                if library.has(puzzle):
                    found: T | None = library.asked(ask)
                    return found
        try:
            return ask()
        except JobError:
            return None
        except DAMAGE as error:
            self._damaged(str(puzzle), error)
            return None

    def _damaged(self, text: str, error: Exception) -> None:
        """Prints a warning for whoever runs the server. The page must not show it, because it names a folder."""
        self._solvers[text] = None
        _write(f"{error}; the page searches")


def _opened(places: Sequence[str]) -> tuple[Library, ...]:
    """Opens libraries. Messages call each of them "this server", so that the page shows no paths and no hosts."""
    from puzzlekit.jobs.library.library import Library

    return tuple(Library(place, name="this server", warn=_write) for place in places)


def _write(message: str) -> None:
    sys.stderr.write(f"puzzlekit: {message.encode('ascii', 'backslashreplace').decode()}\n")
