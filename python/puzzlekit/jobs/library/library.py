"""A library of finished work: jobs are added to it, and states are looked up in it, near or over HTTP."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import time
import warnings
from contextlib import contextmanager
from dataclasses import replace
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
from puzzlekit.jobs.library.ending import until
from puzzlekit.jobs.library.place import Folder, is_address, place_of
from puzzlekit.run.checks import read_path
from puzzlekit.run.solver import Deadline, as_solver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from os import PathLike

    from typing_extensions import Buffer

    from puzzlekit.jobs.library.work import Listed, Work, WorkFiles
    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.answers import Foreseen
    from puzzlekit.run.engine import Engine
    from puzzlekit.run.report import Watch
    from puzzlekit.run.solver import Answer, Budget, Solver, SolverFunction

LIST = "library.json"
"""The file that lists all works."""

SCHEMA = "puzzlekit.library/1"

NEW = ".new-"
"""The beginning of the name of a folder in which a work is written."""

OLD = f"{NEW}old-"
"""The beginning of the name of a work's folder while it is being removed."""

LOCK = ".lock"
"""The file that whoever changes a library has locked."""

SILENT_SECONDS = 30.0
"""For so long a host is not asked again after it has failed."""


LISTED_SECONDS = 60.0
"""For so long the list of works is not read again."""

T = TypeVar("T")


class LibraryStates:
    """The states of a puzzle in a library. `Library.of` makes it.

    Args:
        puzzle: The puzzle.
        files: The work.
        name: What the library is called.
    """

    backward = False
    """Depths do not matter here, since all states are in one order."""

    one_by_one = True
    """Each state may cost a block, which a host has to send."""

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
        """Whether the moves to the end, or the points, of each state are known that is not a draw."""
        return self._files.manifest.distances

    @property
    def solver(self) -> LibrarySolver:
        """A solver that answers from the library alone."""
        return LibrarySolver(self._name, self, complete=self._files.manifest.complete)


class LibrarySolver(JobSolver):
    """A solver that answers from a library alone, within the time that a search would have; see `JobSolver`."""

    def __init__(self, name: str, states: LibraryStates, *, complete: bool) -> None:
        super().__init__(name, states, complete=complete)
        self.__name__ = "library"
        self._name = name
        self._what = self._kept = f"the library at {name}"

    def __call__(self, puzzle: Any, state: str, /, *, budget: Budget, watch: Watch) -> Answer:  # noqa: ANN401
        """Looks up the answer for a state; see `JobSolver`."""
        with until(watch.end if isinstance(watch, Deadline) else None):
            answer = super().__call__(puzzle, state, budget=budget, watch=watch)
        return replace(answer, library=self._name)


class LibraryValues:
    """The values of all states of a game, for a survey.

    Args:
        library: The library.
        states: The states.

    Attributes:
        name: What the library is called.
    """

    def __init__(self, library: Library, states: LibraryStates) -> None:
        self.name, self._library, self._states = library.name, library, states

    def look_up(self, rows: bytes) -> tuple[memoryview, memoryview]:
        """The values of states that are given as rows, and the moves to the end.

        Raises:
            CorruptError: The library does not have one of them, or a file is not what was written.
            LibraryError: The library cannot be read.
        """
        values, moves, _ = self._states.look_up(rows)
        if 0 in values:
            raise CorruptError(f"{self.name} does not have every state that play reaches; it is damaged, or false")
        return values, moves

    def failed(self, error: PuzzlekitError) -> None:
        """Tells that a look-up failed, so that the library is left out."""
        self._library.pass_over(error)


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
        self.place = self._place.name
        self.name = name or self.place
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
        """The works by the fingerprints of their rules. They are read again after a while, for what was added."""
        if self._listed is None or time.monotonic() > self._listed_until:
            from puzzlekit.jobs.library.work import MOST_LIST

            text = self._place.whole(LIST, MOST_LIST)
            if text is None:
                raise LibraryError(
                    f"{self.place} has no {LIST}, so it is no library; give another place, or add a job to it"
                )
            self._listed = _read_list(text, f"{self.place}/{LIST}")
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
        from puzzlekit.jobs.library.work import Listed, checksum
        from puzzlekit.jobs.library.writing import write_work

        job = job if isinstance(job, Job) else Job(job)
        _ = job.solver  # raises an error if there is nothing to look up
        rules = job.puzzle.engine.fingerprint
        with self._changing() as folder:
            if rules in self._list():
                raise LibraryError(f"{self.place} has {self._list()[rules].work.puzzle} already; remove that first")
            new, home = os.path.join(folder, f"{NEW}{rules}"), os.path.join(folder, rules)
            os.mkdir(new)
            try:
                work, text = write_work(job, new, watch)
                _durable(new)
                os.rename(new, home)
                try:
                    self._write_list(folder, [*self._list().values(), Listed(work, len(text), checksum(text))])
                except BaseException:
                    os.rename(home, new)
                    raise
            except BaseException:
                shutil.rmtree(new, ignore_errors=True)
                raise
        return work

    def remove(self, puzzle: str) -> Work:
        """Removes a work, which is named by its text id or by the fingerprint of its rules.

        Raises:
            LibraryError: The library has no such work, or as in `add`.
            DiskError: A file cannot be removed.
        """
        with self._changing() as folder:
            listed = list(self._list().values())
            found = [each for each in listed if puzzle in (each.work.puzzle, each.work.rules)]
            if len(found) != 1:
                what = "has several works" if found else "has no work"
                raise LibraryError(f"{self.place} {what} of {puzzle}; name one by the fingerprint that the list shows")
            work = found[0].work
            home, old = os.path.join(folder, work.rules), os.path.join(folder, f"{OLD}{work.rules}")
            if os.path.lexists(home):
                os.rename(home, old)
            try:
                self._write_list(folder, [each for each in listed if each is not found[0]])
            except BaseException:
                os.rename(old, home)
                raise
            _discard(old)
        return work

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
        """A solver that looks a state up here first, and asks another one if the state is not here.

        If the library cannot be read, or is damaged, that is told as a warning, and the other one is asked.

        Args:
            puzzle: The puzzle.
            solver: The other solver; the puzzle's own if it is `None`.
        """
        from puzzlekit.run import overridable

        return _Before(self, puzzle, as_solver(solver or overridable.default_solver(puzzle)), solver)

    def values_of(self, puzzle: Puzzle, *, every: bool) -> LibraryValues | None:
        """What looks up the values of states of a game, with distances or points; `None` if they are not here.

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
            values = LibraryValues(self, states)
            values.look_up(bytes(puzzle.engine.encode([puzzle.start])))  # so that a library that fails does so now
            return values

        near: LibraryValues | None = self.asked(found)
        return near

    def asked(self, ask: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever the question is about
        """Asks the library; `None` if it has no answer. If it fails, that is a warning, and it is left out for now.

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
        """Leaves the library out after an error: for a while if it cannot be read, and for good if it is damaged."""
        if isinstance(error, LibraryError):
            self._silent_until = time.monotonic() + SILENT_SECONDS
        else:
            self._passed_over = True
        self._warn(f"{error}; now it is searched without the library")

    @contextmanager
    def _changing(self) -> Iterator[str]:
        """Locks the library for a change, and gives its folder. What a killed process has left there is removed.

        Raises:
            LibraryError: It is on a host, or another process changes it.
            DiskError: The folder cannot be written.
        """
        if is_address(self.place):
            raise LibraryError(f"{self.place} is on a host, which is only read; name a folder")
        folder = self.place
        try:
            os.makedirs(folder, exist_ok=True)
            if not os.path.exists(os.path.join(folder, LIST)):
                strange = [name for name in os.listdir(folder) if name != LOCK and not name.startswith((NEW, LIST))]
                if strange:
                    raise LibraryError(f"{folder} is not empty, and no library; give a new folder, or a library")
            with open(os.path.join(folder, LOCK), "ab") as lock:
                _lock(lock, folder)
                self._tidy(folder)
                yield folder
        except OSError as error:
            raise DiskError(
                f"the library in {folder} cannot be changed: {error.strerror or error}; mend that, and try again"
            ) from error

    def _tidy(self, folder: str) -> None:
        """Ends what a killed process has begun: its files are removed, and the list tells the works that there are.

        What is listed keeps its digests, so damage stays damage.

        Raises:
            CorruptError: The list is none, or a folder that is not listed is no work.
        """
        from puzzlekit.jobs.library.work import is_fingerprint

        self._listed = None
        new = not os.path.lexists(os.path.join(folder, LIST))
        listed = {} if new else dict(self._list())
        for name in os.listdir(folder):
            if name.startswith(OLD) and not os.path.lexists(os.path.join(folder, name.removeprefix(OLD))):
                new |= listed.pop(name.removeprefix(OLD), None) is not None
        for rules in sorted(os.listdir(folder)):
            if is_fingerprint(rules) and rules not in listed:
                listed[rules], new = _found(folder, rules), True
        if new:
            self._write_list(folder, listed.values())
        for name in os.listdir(folder):
            if name.startswith(NEW):
                _discard(os.path.join(folder, name))

    def _write_list(self, folder: str, listed: Iterable[Listed]) -> None:
        """Writes the list of works."""
        from puzzlekit.jobs.library.writing import write_file

        each = sorted(listed, key=lambda one: (one.work.puzzle, one.work.rules))
        text = json.dumps({"schema": SCHEMA, "works": [one.to_data() for one in each]}, indent=1).encode()
        new = os.path.join(folder, f"{NEW}{secrets.token_hex(8)}")
        try:
            write_file(new, text)
            os.replace(new, os.path.join(folder, LIST))
        except BaseException:
            _discard(new)
            raise
        _durable(folder)
        self._listed, self._of = {one.work.rules: one for one in each}, {}
        self._listed_until = time.monotonic() + LISTED_SECONDS


class Libraries(tuple[Library, ...]):
    """Several libraries, which are asked in their order."""

    __slots__ = ()

    def before(self, puzzle: Puzzle, solver: SolverFunction | None = None) -> Solver:
        """A solver that asks them before another one; see `Library.before`."""
        from puzzlekit.run import overridable

        asked: Solver | None = None
        for library in reversed(self):
            asked = library.before(puzzle, asked or solver)
        return asked or as_solver(solver or overridable.default_solver(puzzle))

    def values_of(self, puzzle: Puzzle, *, every: bool) -> LibraryValues | None:
        """What looks up the values of states of a game, in the first library that has them."""
        each = (library.values_of(puzzle, every=every) for library in self)
        return next((found for found in each if found is not None), None)

    def answer(self, puzzle: Puzzle, ask: Callable[[JobSolver], T]) -> T | None:
        """What the first library says that has an answer; `None` if none has.

        Args:
            puzzle: The puzzle.
            ask: Asks the solver of a library.

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
    """A solver that asks a library first; see `Library.before`."""

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
        """What each move forces, as `JobSolver.foresee` tells it; `None` if neither the library nor the other knows."""

        def looked_up() -> list[Foreseen] | None:
            solver = self._library.solver(self._puzzle)
            return None if solver is None else solver.foresee(engine, state, ahead)

        found: list[Foreseen] | None = self._library.asked(looked_up)
        return self._given.foresee(engine, state, ahead) if found is None and isinstance(self._given, Sees) else found


def _read_list(text: bytes, name: str) -> dict[str, Listed]:
    from puzzlekit.jobs.library.work import Listed

    try:
        data = json.loads(text)
        if data["schema"] != SCHEMA:
            raise ValueError("schema")
        found = {each.work.rules: each for each in map(Listed.of_data, data["works"])}
        if len(found) != len(data["works"]):
            raise ValueError("works")
        return found
    except (ValueError, KeyError, TypeError, RecursionError):
        raise CorruptError(
            f"{name} is no list of works of this version ({SCHEMA}); the place is wrong, or the library damaged"
        ) from None


def _found(folder: str, rules: str) -> Listed:
    """A work that is in the folder and not listed, since the process that added it was killed.

    Raises:
        CorruptError: It is none.
    """
    from puzzlekit.jobs.library.work import MOST_MANIFEST, Listed, Manifest, Work, checksum

    text = Folder(folder).whole(f"{rules}/manifest.json", MOST_MANIFEST) or b""
    try:
        data = json.loads(text)
        size = sum(each["bytes"] for each in data["files"].values())
        work = Work(data["puzzle"], rules, data["kind"], data["states"], size)
        listed = Listed.of_data(Listed(work, len(text), checksum(text)).to_data())
        Manifest.of_text(text, listed)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise CorruptError(
            f"{folder}/{rules}/manifest.json is no manifest of a work, and the work is not listed; remove its folder"
        ) from None
    return listed


def _discard(path: str) -> None:
    """Removes a file, a link, or a folder with all that is in it, if it is there."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


def _warn(message: str) -> None:
    warnings.warn(message, LibraryWarning, stacklevel=2)


def _durable(folder: str) -> None:
    """Makes the names in a folder durable, if the system can do that."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _lock(file: Any, folder: str) -> None:  # noqa: ANN401 - an open file
    """Locks an open file until it is closed.

    Raises:
        LibraryError: Another process has locked it.
    """
    try:
        import fcntl
    except ModuleNotFoundError:  # Windows, where nothing keeps two processes from changing a library at once
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise LibraryError(f"another process changes the library in {folder}; wait until it is done") from None
