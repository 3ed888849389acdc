"""Answers that a server looks up in its jobs and libraries, so that it need not search."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TypeVar

from puzzlekit.errors import CorruptError, DiskError, JobError, PluginError
from puzzlekit.jobs.job import Job
from puzzlekit.jobs.library.library import Libraries, Library
from puzzlekit.run import overridable
from puzzlekit.run.solver import as_solver

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from puzzlekit.jobs.answers import Found, JobSolver
    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.answers import SolveReport
    from puzzlekit.run.solver import Answer, Budget, SolverFunction
    from puzzlekit.run.watch import Watch

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
        self._libraries = Libraries(Library(place, name="this server", warn=_write) for place in libraries)
        self._solvers: dict[str, JobSolver | None] = {}

    def solver(self, puzzle: Puzzle) -> JobSolver | None:
        """A solver that answers from the job of a puzzle, or from a library; `None` if neither has the puzzle."""
        text = str(puzzle)
        if not self._folders.get(text):
            return self._libraries.answer(puzzle, lambda solver: solver)
        if text not in self._solvers:
            try:
                self._solvers[text] = Job(self._folders[text], lambda _: puzzle).solver
            except JobError:  # the job has neither values nor distances, or is not done
                self._solvers[text] = None
            except DAMAGE as error:
                self._damaged(text, error)
        return self._solvers[text]

    def solve(self, puzzle: Puzzle, state: str, watch: Watch) -> SolveReport | None:
        """The answer for a state; `None` if neither a job nor a library has it.

        Raises:
            UnsolvableError: No moves lead to the goal.
        """
        return self._asked(puzzle, lambda solver: puzzle.solve(state, solver, watch=watch))

    def worths(self, puzzle: Puzzle, states: Sequence[str]) -> list[Found] | None:
        """The facts about each state; `None` if there is neither a job nor a library."""
        return self._asked(puzzle, lambda solver: solver.worths(puzzle.engine, states))

    def first(self, puzzle: Puzzle) -> SolverFunction | None:
        """A solver that looks up, and if that has no answer, asks the puzzle's own; `None` if there is nothing."""
        if self.solver(puzzle) is None:
            return None

        def first(_puzzle: Puzzle, state: str, *, budget: Budget, watch: Watch) -> Answer:
            found = self._asked(puzzle, lambda solver: solver(puzzle, state, budget=budget, watch=watch))
            return found or as_solver(overridable.default_solver(puzzle))(puzzle, state, budget=budget, watch=watch)

        return first

    def _asked(self, puzzle: Puzzle, ask: Callable[[JobSolver], T]) -> T | None:
        """Asks the job of a puzzle, or else the libraries; `None` if there is no answer. Damage is not asked again."""
        if not self._folders.get(str(puzzle)):
            return self._libraries.answer(puzzle, ask)
        solver = self.solver(puzzle)
        try:
            return None if solver is None else ask(solver)
        except JobError:
            return None
        except DAMAGE as error:
            self._damaged(str(puzzle), error)
            return None

    def _damaged(self, text: str, error: Exception) -> None:
        """Prints a warning for whoever runs the server. The page must not show it, because it names a folder."""
        self._solvers[text] = None
        _write(f"{error}; the page searches")


def _write(message: str) -> None:
    sys.stderr.write(f"puzzlekit: {message.encode('ascii', 'backslashreplace').decode()}\n")
