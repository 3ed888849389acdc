"""Answers that a server looks up in its jobs, so that it need not search."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TypeVar

from puzzlekit.errors import CorruptError, DiskError, JobError, PluginError
from puzzlekit.jobs.job import Job
from puzzlekit.run import overridable
from puzzlekit.run.solver import as_solver

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from puzzlekit.jobs.answers import Found, JobSolver
    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.answers import SolveReport
    from puzzlekit.run.report import Watch
    from puzzlekit.run.solver import Answer, Budget, SolverFunction

T = TypeVar("T")

DAMAGE = (CorruptError, DiskError, PluginError)
"""The exceptions that show that a job is damaged. `PluginError` is raised if the moves of an answer do not hold."""


class Known:
    """Looks up answers in jobs. If a job has no answer, a search must find it.

    Args:
        folders: For each text id that a job has counted, the job's folder.
    """

    def __init__(self, folders: Mapping[str, str]) -> None:
        self._folders = folders
        self._solvers: dict[str, JobSolver | None] = {}

    def solver(self, puzzle: Puzzle) -> JobSolver | None:
        """A solver that answers from the job of a puzzle; `None` if no job has values or all distances."""
        text = str(puzzle)
        if not self._folders.get(text):
            return None
        if text not in self._solvers:
            try:
                self._solvers[text] = Job(self._folders[text], lambda _: puzzle).solver
            except JobError:  # the job has neither values nor distances, or is not done
                self._solvers[text] = None
            except DAMAGE as error:
                self._damaged(text, error)
        return self._solvers[text]

    def solve(self, puzzle: Puzzle, state: str, watch: Watch) -> SolveReport | None:
        """The answer for a state; `None` if the job does not have it.

        Raises:
            UnsolvableError: No moves lead to the goal.
        """
        solver = self.solver(puzzle)
        if solver is None:
            return None
        return self._asked(puzzle, lambda: puzzle.solve(state, solver, watch=watch))

    def worths(self, puzzle: Puzzle, states: Sequence[str]) -> list[Found] | None:
        """The facts that a job has about each state; `None` if there is no job."""
        solver = self.solver(puzzle)
        return None if solver is None else self._asked(puzzle, lambda: solver.worths(puzzle.engine, states))

    def first(self, puzzle: Puzzle) -> SolverFunction | None:
        """A solver that asks the job, and if that has no answer, the puzzle's own solver; `None` if there is no job."""
        solver = self.solver(puzzle)
        if solver is None:
            return None

        def first(_puzzle: Puzzle, state: str, *, budget: Budget, watch: Watch) -> Answer:
            found = self._asked(puzzle, lambda: solver(puzzle, state, budget=budget, watch=watch))
            return found or as_solver(overridable.default_solver(puzzle))(puzzle, state, budget=budget, watch=watch)

        return first

    def _asked(self, puzzle: Puzzle, ask: Callable[[], T]) -> T | None:
        """Asks a job; `None` if it has no answer. A job that is found damaged is not asked again."""
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
        sys.stderr.write(f"puzzlekit: {str(error).encode('ascii', 'backslashreplace').decode()}; the page searches\n")
