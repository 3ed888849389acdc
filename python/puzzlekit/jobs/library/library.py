"""A library of finished work: jobs are added to it, and states are looked up in it, near or over HTTP."""

from __future__ import annotations

import time
import warnings
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from puzzlekit.errors import (
    CorruptError,
    DiskError,
    JobError,
    LibraryError,
    LibraryWarning,
    PluginError,
    PuzzlekitError,
    UsageError,
)
from puzzlekit.jobs.answers import JobSolver, Sees
from puzzlekit.jobs.job import Job
from puzzlekit.jobs.library.place import is_address, place_of
from puzzlekit.jobs.library.states import LibraryStates, LibraryValues
from puzzlekit.run.checks import read_path
from puzzlekit.run.solver import as_solver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    from puzzlekit.jobs.library.changing import LibraryFolder
    from puzzlekit.jobs.library.work import Listed, Work
    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.answers import Foreseen
    from puzzlekit.run.engine import Engine
    from puzzlekit.run.solver import Answer, Budget, Solver, SolverFunction
    from puzzlekit.run.watch import Watch

SILENT_SECONDS = 30.0
"""After a host has failed, it is not asked again for this many seconds."""

LISTED_SECONDS = 60.0
"""The list of works is read again only after this many seconds."""

T = TypeVar("T")


class Library:
    """A library of finished work: a folder, or the address of a host that serves such a folder.

    >>> import tempfile, puzzlekit
    >>> game, folder = puzzlekit.load("tictactoe"), tempfile.mkdtemp()
    >>> _ = game.values(out=folder)
    >>> library = puzzlekit.Library(tempfile.mkdtemp())
    >>> library.add(folder).states
    765
    >>> game.solve("X.O/.../...", library=library).solver
    'library'

    It needs NumPy, and urllib3 for addresses: `pip install "puzzlekit-core[library]"`.

    Args:
        place: The folder, or an address that begins with `http://` or `https://`. A folder need not be there before a
            job is added.
        name: What the library is called in answers; the place if it is `None`.
        warn: Called with a sentence when the library cannot be used and is passed over. If it is `None`, there is a
            `LibraryWarning`.

    Raises:
        UsageError: What it needs is not installed.
    """

    def __init__(
        self, place: str | PathLike[str], *, name: str | None = None, warn: Callable[[str], None] | None = None
    ) -> None:
        try:
            import numpy  # noqa: F401 - all that reads and writes blocks needs it
        except ModuleNotFoundError:
            raise UsageError(
                'a library needs numpy, which is not installed; pip install "puzzlekit-core[library]"'
            ) from None
        path = read_path("the library", place)
        self._place = place_of(path)
        self.place: str = self._place.name
        self.name: str = name or self.place
        self._warn = warn or _warn
        self._listed: dict[str, Listed] | None = None
        self._listed_until = 0.0
        self._of: dict[str, tuple[Listed, LibraryStates]] = {}
        self._passed_over = False
        self._silent_until = 0.0

    def works(self) -> list[Work]:
        """The works, in order of their puzzles.

        Raises:
            LibraryError: There is no library, or it cannot be read.
            CorruptError: The list of works is not what was written.
        """
        return [listed.work for listed in self._list().values()]

    def of(self, puzzle: Puzzle) -> LibraryStates | None:
        """The states of a puzzle, found by the fingerprint of its rules; `None` if the library has none.

        What it returns has `look_up`, as a job, so an environment of `puzzlekit.env` takes it as `known`.

        Raises:
            LibraryError: There is no library, or it cannot be read.
            CorruptError: A file is not what was written.
        """
        from puzzlekit.jobs.library.work import WorkFiles

        rules = puzzle.engine.fingerprint
        listed = self._list().get(rules)
        if listed is None:
            return None
        if rules not in self._of or self._of[rules][0] != listed:
            self._of[rules] = listed, LibraryStates(puzzle, WorkFiles(self._place, listed, puzzle.engine), self.name)
        return self._of[rules][1]

    def _list(self) -> dict[str, Listed]:
        """The works by the fingerprints of their rules. The list is read again now and then, as works may be added."""
        if self._listed is None or time.monotonic() > self._listed_until:
            from puzzlekit.jobs.library.listing import list_of

            self._listed = list_of(self._place)
            self._listed_until = time.monotonic() + LISTED_SECONDS
        return self._listed

    def add(self, job: Job | str | PathLike[str], *, watch: Watch | None = None) -> Work:
        """Adds a finished job: one that has the values of all states, or all distances to the goal.

        The job is read once, and stays as it is. A kill on the way leaves the library as it was.

        Args:
            job: The job, or its folder.
            watch: As in `Puzzle.enumerate`.

        Raises:
            JobError: The job is not finished, or keeps no states.
            LibraryError: The library has the puzzle already, is on a host, or is being changed by another process.
            CorruptError: A file of the job has changed since it was written.
            DiskError: A file cannot be written.
            LimitError: The watch stopped it.
        """
        from puzzlekit.jobs.library.writing import write_work

        job = job if isinstance(job, Job) else Job(job)
        _ = job.solver  # raises an error if there is nothing to look up
        rules = job.puzzle.engine.fingerprint
        with self._changing() as folder:
            if rules in folder.listed:
                raise LibraryError(f"{self.place} has {folder.listed[rules].work.puzzle} already; remove that first")
            return folder.add(rules, lambda new: write_work(job, new, watch))

    def remove(self, puzzle: str) -> Work:
        """Removes a work, which is named by its text id or by the fingerprint of its rules.

        Raises:
            LibraryError: The library has no such work, or as in `add`.
            DiskError: A file cannot be removed.
        """
        with self._changing() as folder:
            works = [each.work for each in folder.listed.values() if puzzle in (each.work.puzzle, each.work.rules)]
            if len(works) != 1:
                what = "has several works" if works else "has no work"
                raise LibraryError(f"{self.place} {what} of {puzzle}; name one by the fingerprint that the list shows")
            folder.remove(works[0].rules)
        return works[0]

    def verify(self, *, watch: Watch | None = None) -> list[Work]:
        """Reads every file of the library, and checks it.

        Each file must have the checksum that its manifest says. The states of each work must be in order, each the
        canonical form of its orbit, and as many of each value as the manifest says. The rules, which are there as data,
        must have the fingerprint by which the work is found. Whether the values are right is not checked:
        `puzzlekit verify --proof` does that, with the job.

        Raises:
            CorruptError: A check fails.
            LibraryError: The library cannot be read.
            LimitError: The watch stopped the check.
        """
        from puzzlekit.jobs.library.verifying import verify_work

        for listed in self._list().values():
            verify_work(self._place, listed, watch)
        return self.works()

    def solver(self, puzzle: Puzzle) -> JobSolver | None:
        """A solver that answers from the library alone; `None` if it has nothing of the puzzle.

        A state that the library does not have is a `JobError`.

        Raises:
            LibraryError, CorruptError: As in `of`.
        """
        states = self.of(puzzle)
        return None if states is None else states.solver

    def before(self, puzzle: Puzzle, solver: SolverFunction | None = None) -> Solver:
        """A solver that looks a state up here first, and asks another solver if the state is not here.

        If the library cannot be read, or is damaged, there is a warning, and the other solver is asked.

        Args:
            puzzle: The puzzle.
            solver: The other solver; the puzzle's own if it is `None`.
        """
        from puzzlekit.run import overridable

        return _Before(self, puzzle, as_solver(solver or overridable.default_solver(puzzle)), solver)

    def values_of(self, puzzle: Puzzle, *, every: bool) -> LibraryValues | None:
        """Looks up values of states of a game, with distances or points; `None` if the library does not have them.

        If the library fails, there is a warning.

        Args:
            puzzle: The game.
            every: Whether all states will be looked up. A host is not asked for these: it would send each block often.
        """

        def found() -> LibraryValues | None:
            states = self.of(puzzle)
            if states is None or not states.has_distances:
                return None
            if every and is_address(self.place):
                self._warn(
                    f"{self.name} is on a host, which is not asked for all states; their values are counted here"
                )
                return None
            values = LibraryValues(self.name, states, self.pass_over)
            values.look_up(bytes(puzzle.engine.encode([puzzle.start])))  # so that a library that fails does so now
            return values

        near: LibraryValues | None = self.asked(found)
        return near

    def asked(self, ask: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever the question is about
        """Asks the library; `None` if it has no answer. If the library fails, there is a warning, and it is left out.

        Raises:
            UnsolvableError: The library says that no moves lead to the goal.
        """
        if self._passed_over or time.monotonic() < self._silent_until:
            return None
        try:
            return ask()
        except JobError:  # it does not have the state
            return None
        except (LibraryError, CorruptError, DiskError, PluginError) as error:  # the last one if moves do not hold
            self.pass_over(error)
        return None

    def pass_over(self, error: PuzzlekitError) -> None:
        """Stops using the library after an error: for a while if it cannot be read, and for good if it is damaged."""
        if isinstance(error, LibraryError):
            self._silent_until = time.monotonic() + SILENT_SECONDS
        else:
            self._passed_over = True
        self._warn(f"{error}; now it is searched without the library")

    @contextmanager
    def _changing(self) -> Iterator[LibraryFolder]:
        """The library's folder, locked for a change. After the change, the list of works is read anew.

        Raises:
            LibraryError: The library is on a host, or as in `changing`.
        """
        from puzzlekit.jobs.library.changing import changing

        if is_address(self.place):
            raise LibraryError(f"{self.place} is on a host, which is only read; name a folder")
        try:
            with changing(self.place) as folder:
                yield folder
        finally:
            self._listed, self._of = None, {}


class Libraries(tuple[Library, ...]):
    """Several libraries, which are asked in their order."""

    __slots__ = ()

    def before(self, puzzle: Puzzle, solver: SolverFunction | None = None) -> Solver:
        """A solver that asks these libraries first, and then another solver; see `Library.before`."""
        from puzzlekit.run import overridable

        asked: Solver | None = None
        for library in reversed(self):
            asked = library.before(puzzle, asked or solver)
        return asked or as_solver(solver or overridable.default_solver(puzzle))

    def values_of(self, puzzle: Puzzle, *, every: bool) -> LibraryValues | None:
        """Looks up values of states of a game, in the first library that has them; `None` if none has."""
        each = (library.values_of(puzzle, every=every) for library in self)
        return next((found for found in each if found is not None), None)

    def answer(self, puzzle: Puzzle, ask: Callable[[JobSolver], T]) -> T | None:
        """The answer of the first library that has one; `None` if none has.

        Args:
            puzzle: The puzzle.
            ask: Called with the solver of a library; returns its answer.

        Raises:
            UnsolvableError: A library says that no moves lead to the goal.
        """

        def looked_up(library: Library) -> T | None:
            solver = library.solver(puzzle)
            return None if solver is None else ask(solver)

        for library in self:
            found: T | None = library.asked(partial(looked_up, library))
            if found is not None:
                return found
        return None


class _Before:
    """A solver that asks a library first, and then another solver; see `Library.before`."""

    def __init__(self, library: Library, puzzle: Puzzle, other: Solver, given: SolverFunction | None) -> None:
        self._library, self._puzzle, self._other, self._given = library, puzzle, other, given
        self.__name__ = other.__name__

    def __call__(self, puzzle: Any, state: str, /, *, budget: Budget, watch: Watch) -> Answer:  # noqa: ANN401
        """The answer for a state, from the library if it has it."""
        found: Answer | None = self._library.asked(lambda: self._looked_up(puzzle, state, budget, watch))
        return found or self._other(puzzle, state, budget=budget, watch=watch)

    def _looked_up(self, puzzle: Puzzle, state: str, budget: Budget, watch: Watch) -> Answer | None:
        from puzzlekit.puzzle.solving import fault_of_answer

        solver = self._library.solver(puzzle)
        if solver is None:
            return None
        answer = solver(puzzle, state, budget=budget, watch=watch)
        fault = fault_of_answer(puzzle.engine, state, answer)
        if fault is not None:
            raise CorruptError(f"the library at {self._library.name} {fault}; it is damaged, or false")
        return answer

    def foresee(self, engine: Engine, state: str, ahead: int) -> list[Foreseen] | None:
        """Returns what each move forces, as `JobSolver.foresee` does; `None` if neither library nor solver knows."""

        def looked_up() -> list[Foreseen] | None:
            solver = self._library.solver(self._puzzle)
            return None if solver is None else solver.foresee(engine, state, ahead)

        found: list[Foreseen] | None = self._library.asked(looked_up)
        return self._given.foresee(engine, state, ahead) if found is None and isinstance(self._given, Sees) else found


def _warn(message: str) -> None:
    warnings.warn(message, LibraryWarning, stacklevel=2)
