"""A job: an enumeration that is kept in a folder, and can be resumed from there after any interruption."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from os.path import splitext
from typing import TYPE_CHECKING, Any, Unpack

from puzzlekit.errors import CorruptError, JobError, RulesError, UsageError
from puzzlekit.jobs.kept import KeptStates
from puzzlekit.run.checks import read_path
from puzzlekit.run.engine.folders import job_definition, job_is_running, job_status
from puzzlekit.run.job_parts import DepthSpan, JobFolder
from puzzlekit.run.options import RunOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    from typing_extensions import Buffer

    from puzzlekit.jobs.answers import JobSolver
    from puzzlekit.jobs.edges import Edge
    from puzzlekit.jobs.kept import FoundStates
    from puzzlekit.jobs.shards.executor import Executor
    from puzzlekit.jobs.table import Table
    from puzzlekit.proof.claims import Proven
    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.engine import Engine
    from puzzlekit.run.job_parts import HardState
    from puzzlekit.run.options import RunKeywords
    from puzzlekit.run.report import Report
    from puzzlekit.run.values import ValuesReport
    from puzzlekit.run.watch import Watch


BACKWARD = "-backward"
"""If a job counts backward, this follows the digest of its rules."""


def status(folder: str | PathLike[str]) -> dict[str, Any]:
    """The status of a job, from its folder: the puzzle, the store, the completed depths, and whether it is complete.

    This is the manifest as it is on disk. `partial` describes the part that is kept of a depth that is not finished.
    The puzzle need not be installed.

    Raises:
        JobError: The folder holds no job, or one in the form of another version.
        CorruptError: The manifest has changed since it was written.
    """
    return job_status(read_path("the folder", folder))


def is_running(folder: str | PathLike[str]) -> bool | None:
    """`True` if a process works on the job in a folder; `None` if the system cannot find that out."""
    return job_is_running(read_path("the folder", folder))


class Job:
    """A job: the folder that `Puzzle.enumerate` was given as `out`, and the puzzle that it counts.

    `puzzlekit.open_job` opens one:

    >>> import tempfile, puzzlekit
    >>> folder = tempfile.mkdtemp()
    >>> _ = puzzlekit.load("tictactoe").enumerate(out=folder)
    >>> job = puzzlekit.open_job(folder)
    >>> job.verify()["complete"], len(job.status()["depths"]), job.hardest(1)[0].depth
    (True, 10, 9)

    The folder holds the rules, and how states are written and drawn, as data. Everything is done with these data, so no
    code is run because of a name in the folder.

    Args:
        folder: The folder.
        find: Makes the puzzle of a text id, if the caller wants to work with a certain one. It must have the rules of
            the job.
        installed: Finds the installed puzzle of a text id, if there is one. `puzzle` is that puzzle if it has the rules
            of the job.

    Raises:
        JobError: The folder holds no job, or one of other rules than those of the puzzle that `find` makes.
        CorruptError: The manifest has changed since it was written.
    """

    def __init__(
        self,
        folder: str | PathLike[str],
        find: Callable[[str], Puzzle] | None = None,
        *,
        installed: Callable[[str], Puzzle | None] | None = None,
    ) -> None:
        self.folder: str = read_path("the folder", folder)
        subject = job_status(self.folder)["subject"]
        self.backward: bool = subject["backward"]
        self._text: str = subject["puzzle"]
        self._source: tuple[str, str] = subject["plugin"], subject["plugin_version"]
        self._rules: str = subject["rules"].removesuffix(BACKWARD)
        self._installed = installed
        self._given = None if find is None else find(self._text)
        if self._given is not None and not self._is_mine(self._given):
            raise JobError(
                f"the rules of {self._given} are not those that the job in {self.folder} was begun with: "
                f"{self._difference(self._given)}; name the puzzle that it was begun with, or none: the folder holds "
                "it as data"
            )

    @cached_property
    def puzzle(self) -> Puzzle:
        """The puzzle that was given; or the installed one with the same rules; or one made from the folder's data."""
        if self._given is not None:
            return self._given
        found = self._installed(self._text) if self._installed else None
        return self._as_data if found is None or not self._is_mine(found) else found

    @cached_property
    def _as_data(self) -> Puzzle:
        """The puzzle, made from the data in the folder.

        Raises:
            CorruptError: The data have changed since they were written.
            JobError: The folder holds one shard, which has no data of its own.
        """
        from puzzlekit.puzzle.kept_puzzle import KeptPuzzle

        kept = KeptPuzzle.of_text(job_definition(self.folder))
        try:
            mine = self._is_mine(kept)
        except RulesError as error:
            raise CorruptError(f"{self.folder}/puzzle.json: {error}; the job is damaged") from error
        if not mine:
            raise CorruptError(
                f"{self.folder}/puzzle.json has other rules than those that the manifest names; the job is damaged"
            )
        return kept

    def compile(self) -> None:
        """Compiles the rules now, instead of when they are first needed. With 100,000 moves, this takes seconds."""
        _ = self._engine

    @cached_property
    def _engine(self) -> Engine:
        """The engine of the job's puzzle."""
        return (self._given or self._as_data).engine

    def _is_mine(self, puzzle: Puzzle) -> bool:
        return puzzle.engine.fingerprint == self._rules

    def _difference(self, puzzle: Puzzle) -> str:
        """Says how another puzzle differs from that of the job: in its text id, in its plugin, or only in its rules."""
        theirs, plugin = str(puzzle), str(puzzle.distribution)
        kept = " ".join(filter(None, self._source))
        if theirs != self._text:
            return f"the job has the puzzle {self._text}, and here it is {theirs}"
        if plugin != kept:
            return f"the job has the plugin {kept or 'none'}, and here it is {plugin or 'none'}"
        return f"the digest of its rules is {self._rules}, and here it is {puzzle.engine.fingerprint}"

    def _place(self, *, resume: bool = False, drop_partial: bool = False) -> JobFolder:
        return JobFolder(self.folder, self._text, *self._source, resume=resume, drop_partial=drop_partial)

    def status(self) -> dict[str, Any]:
        """The status of the job now; see `puzzlekit.jobs.status`."""
        return status(self.folder)

    def is_running(self) -> bool | None:
        """`True` if a process works on the job; `None` if the system cannot find that out."""
        return is_running(self.folder)

    def resume(
        self,
        run: RunOptions | None = None,
        *,
        on: Executor | None = None,
        watch: Watch | None = None,
        drop_partial: bool = False,
        **options: Unpack[RunKeywords],
    ) -> Report:
        """Resumes the job, and returns the report of all its depths.

        The folder says what is counted: the puzzle, the store, and whether symmetries are used. In the end, the files
            are the same as if the job had never been interrupted.

        Args:
            run: The options of the run, if they were made before.
            on: As in `Puzzle.enumerate`. If it is `None`, a job in shards is resumed with a process of this machine for
                each shard.
            watch: As in `Puzzle.enumerate`.
            drop_partial: Whether to forget what the job has kept of an unfinished depth, and to begin that depth again.
                That helps if a file of it was lost. The finished depths before it are kept.
            options: Options by their names, as in `Puzzle.enumerate`: `max_depth` (if it is left out, the one that the
                job was begun with), `threads`, `memory`, `disk` and `checkpoint`. Other options may be given only with
                the values that the job has already.

        Raises:
            UsageError: An option makes no sense, or the job was begun with another one.
            JobError: Another process works on the job, or the puzzle has other rules than when the job was begun.
            CorruptError: A file has changed since it was written.
            DiskError: A file cannot be written; the depths that are finished are kept.
        """
        asked = RunOptions.of(run, options)
        asked.refuse("a job that goes on", "distances", "local", "grundy", "starts")
        asked = self._as_begun(asked)
        place = self._place(resume=True, drop_partial=drop_partial)
        if executor := self._executor(on):
            return executor.enumerate(self._engine, self._text, asked, place, watch)
        return self._engine.enumerate(self._text, asked, watch, place)

    def values(
        self,
        run: RunOptions | None = None,
        *,
        on: Executor | None = None,
        watch: Watch | None = None,
        drop_partial: bool = False,
        **options: Unpack[RunKeywords],
    ) -> ValuesReport:
        """Finds the values of all states of the job, keeps them in its folder, and returns their report.

        States that are not found yet are found first, and then the values. A job that `enumerate` began can get values
        if its store is the sparse one, or if it has bits of a game that only places marks. There is one exception: if
        all moves of a puzzle can be undone, a job that counts back from the goal may have either store, and if its goal
        is one state, no other job will do.

        Args:
            run: The options of the run, if they were made before.
            on: As in `resume`.
            watch: As in `Puzzle.values`.
            drop_partial: As in `resume`.
            options: Options by their names, as in `Puzzle.values`: `threads`, `memory`, `disk` and `checkpoint`. Other
                options may be given only with the values that the job has already.

        Raises:
            UsageError: An option makes no sense, the job was begun with another one, or a puzzle has no goal.
            JobError: As in `resume`; or the job counts from another end than values need, or has no list of states.
            CorruptError: A file has changed since it was written.
            DiskError: A file cannot be written; what was kept before is still there.
            LimitError: The values need more memory.
        """
        asked = RunOptions.of(run, options)
        asked.refuse("values", "max_depth", "backward", "local")
        asked = replace(self._as_begun(asked), store="sparse", backward=False)
        place = self._place(resume=True, drop_partial=drop_partial)
        if executor := self._executor(on):
            return executor.values(self._engine, self._text, asked, place, watch)
        return self._engine.values(self._text, asked, watch, place)

    def _executor(self, on: Executor | None) -> Executor | None:
        """The executor that resumes the job: the given one, or for a job in shards, processes of this machine."""
        shards = self.status()["subject"].get("shards")
        if on is not None or shards is None:
            return on
        from puzzlekit.jobs.shards.processes import Processes

        return Processes(shards)

    def verify(
        self, *, memory: int | str | None = None, hashes: bool = False, watch: Watch | None = None
    ) -> dict[str, Any]:
        """Checks the job, and returns what `status` returns.

        Every file is compared with its checksum. The states of a file must be in order. Each must be a canonical form
        and of the file's kind (open, stuck or ended), and no other depth may have it. The counts must be right.

        Args:
            memory: How many bytes the process may take; as in `Puzzle.enumerate`.
            hashes: Whether to add a `hash` to each depth, in 32 hexadecimal digits: the sum of the 128-bit digests of
                its states, modulo 2^128. Jobs that found the same states have the same hashes, whichever store they
                used. A digest is made like `Puzzle.key`, from the canonical form under the symmetries that the job
                counts by.
            watch: As in `Puzzle.enumerate`.

        Raises:
            CorruptError: A check fails.
            LimitError: The watch stopped the check.
        """
        data = self._kept.verify(memory, watch)
        if hashes:
            for depth, number in zip(data["depths"], self._kept.hashes(watch), strict=False):
                depth["hash"] = f"{number:032x}"
        return data

    def prove(self, *, plain: bool = False, memory: int | str | None = None, watch: Watch | None = None) -> Proven:
        """Proves every claim of the job, by a program that shares no search with the engine; see docs/proof.md.

        >>> import tempfile, puzzlekit
        >>> folder = tempfile.mkdtemp()
        >>> _ = puzzlekit.load("tictactoe").values(out=folder)
        >>> puzzlekit.open_job(folder).prove()
        Proven(states=765, raw_states=5478, moves=2096, values=765)

        Args:
            plain: Whether to use the short program in plain Python, which is slow and takes at most 5,000,000 states.
            memory: The most memory that the proof may take. If it is `None`, 70 % of what the machine allows.
            watch: As in `Puzzle.enumerate`. The plain program has none.

        Raises:
            CorruptError: Something that the job says is false.
            JobError: A claim cannot be proven, such as points if play can come back to a state.
            LimitError: There are more states than fit, or the watch stopped the proof.
        """
        from puzzlekit.jobs.proving import ProofPlan, proven, rules_of

        rules = rules_of(job_definition(self.folder), self._engine.rules_json)
        return proven(self.folder, rules, self.status(), self.states(), ProofPlan(bool(plain), memory, watch))

    def states(
        self,
        *,
        first_depth: int | None = None,
        last_depth: int | None = None,
        text: bool = False,
        batch_rows: int = 2**16,
    ) -> Table:
        """The states as a table for Arrow libraries and NumPy. Nothing is read from the folder before they ask for it.

        Another process may work on the job in the meantime.

        Args:
            first_depth: The first depth to read.
            last_depth: The last depth to read. If it is `None`, the last finished depth.
            text: Whether to add a column with the states as text.
            batch_rows: How many states are in one batch.

        Raises:
            JobError: The folder holds a job of other rules.
            CorruptError: A file has changed since it was written. This may be found only when the table is read.
        """
        return self._kept.table(DepthSpan(first_depth, last_depth), batch_rows, text=bool(text))

    def export(  # noqa: PLR0913 - each is an option of an export
        self,
        to: str | PathLike[str],
        form: str | None = None,
        *,
        first_depth: int | None = None,
        last_depth: int | None = None,
        text: bool = False,
        watch: Watch | None = None,
    ) -> int:
        """Writes the states to a new file, and returns how many there are.

        Args:
            to: The path of the file. It gets its name when it is whole.
            form: `"parquet"`, `"csv"` or `"npy"`. If it is `None`, the ending of the file's name says it; parquet if
                the name has none.
            first_depth: The first depth to write.
            last_depth: The last depth to write. If it is `None`, the last finished depth.
            text: Whether to add a column with the states as text. An npy file has none.
            watch: As in `Puzzle.enumerate`.

        Raises:
            JobError: The folder holds a job of other rules, or the file is there already.
            DiskError: The file cannot be written.
            CorruptError: A file of the job has changed since it was written.
            LimitError: The watch stopped the export.
        """
        depths = DepthSpan(first_depth, last_depth)
        return self._kept.export(read_path("the file", to), form or form_of(to), depths, watch, text=bool(text))

    def edges(self, *, memory: int | str | None = None, watch: Watch | None = None) -> Iterator[Edge]:
        """The moves between the states, as a graph. The states are numbered by their rows in `states()`, from 0.

        Moves come in the order of the rows, and then of the moves in the rules. A move has the name that it has in the
        state of its row. It leads to the row of its successor or, in a job up to symmetry, of the successor's canonical
        form. Several moves may lead from one row to another. Moves to states that the job does not have are left out,
        such as those of the last depth if the job is not complete.

        Memory holds all states, each with its word (8 bytes in most puzzles) and some 6 to 12 bytes in a table.

        Raises:
            LimitError: The states do not fit the memory, or the watch stopped the search.
        """
        return self._kept.edges(memory, watch)

    def edge_blocks(
        self, *, memory: int | str | None = None, watch: Watch | None = None
    ) -> Iterator[tuple[memoryview, memoryview, memoryview]]:
        """The moves of `edges`, thousands at a time, as columns: rows, numbers of moves, and rows of successors.

        Rows are 64-bit numbers, and numbers of moves have 32 bits. A move's number is its place in the rules. The
        arguments and errors are those of `edges`.
        """
        return self._kept.edge_blocks(memory, watch)

    def export_edges(
        self,
        to: str | PathLike[str],
        form: str | None = None,
        *,
        memory: int | str | None = None,
        watch: Watch | None = None,
    ) -> int:
        """Writes the moves between the states to a new file, and returns how many there are; see `edges`.

        Args:
            to: The path of the file. It gets its name when it is whole.
            form: `"csv"` or `"npy"`, with the columns `state`, `move` and `successor`; or `"json"`, `"dot"`,
                `"graphml"` or `"parquet"`, with the texts of the states, too. If it is `None`, the ending of the file's
                name says it.
            memory: How many bytes may be taken; as in `Puzzle.enumerate`.
            watch: As in `Puzzle.enumerate`.

        Raises:
            UsageError: There is no such format; or as in `edges`.
            JobError: The file is there already.
            DiskError: The file cannot be written.
            LimitError: As in `edges`.
        """
        from puzzlekit.jobs.graph_files import write

        return write(read_path("the file", to), form or form_of(to), self, memory=memory, watch=watch)

    def hardest(self, count: int, *, watch: Watch | None = None) -> list[HardState]:
        """The deepest states, those of the largest depth first, and within a depth in the order of their symbols.

        In a job that counts backward, these are the states that need the most moves to the goal. In any other job, they
        are the states farthest from the start. The two are the same only if the goal is the start, and if each move is
        undone by one move.

        Raises:
            JobError: The folder holds a job of other rules.
            CorruptError: A file of the job has changed since it was written.
        """
        return self._kept.hardest(count, watch)

    def look_up(self, rows: Buffer) -> tuple[memoryview, memoryview, memoryview]:
        """Looks up an array of states: their values, their distances, and their depths.

        The job must have the values of all states, or it must count backward and be complete. Only the parts of its
        files that are needed are read.

        >>> import tempfile, puzzlekit
        >>> puzzle, folder = puzzlekit.load("tictactoe"), tempfile.mkdtemp()
        >>> _ = puzzle.values(out=folder)
        >>> rows = puzzle.arrays.encode(["X.O/.../...:X", ".../.../...:X"])
        >>> [list(column) for column in puzzlekit.open_job(folder).look_up(rows)]
        [[1, 2], [5, -1], [2, 0]]

        Args:
            rows: The states, as `Arrays.encode` makes them.

        Returns:
            Three columns. First, the value of each state for the player to move: 1 for a win, 2 for a draw and 3 for a
            loss, or 0 if the job does not have the state; in a puzzle, 1 if it can be solved and 2 if it cannot. Then
            the moves to the end, and the depth in the job, both signed 32-bit numbers, -1 if they are not known. If
            play is over in a state, its depth is not looked for.

        Raises:
            JobError: The job has neither values nor distances.
            StateError: A row does not fit the rules.
            CorruptError: A file has changed since it was written.
        """
        return self._found.look_up(bytes(self._engine.rows(rows)))

    @property
    def solver(self) -> JobSolver:
        """A solver that looks the whole solution up in the job; see `look_up` for what the job must have.

        Raises:
            JobError: The job has neither values nor distances.
        """
        from puzzlekit.jobs.answers import JobSolver

        manifest = self.status()
        if not manifest["complete"] and not (manifest.get("values") or {}).get("counted", False):
            raise JobError(
                f"the job in {self.folder} is not complete: it has {len(manifest['depths'])} depths; puzzlekit values "
                f"{self._text} --out {self.folder} goes on, and finds the values that are looked up"
            )
        # A job that counts back from a single goal by inverse moves has all states that can be solved. So a state that
        # it lacks cannot be solved. Any other job that is complete counts the unsolvable states that play reaches.
        counted = (manifest.get("values") or {}).get("counted", False)
        complete = (counted or self.backward) and manifest.get("unsolvable") is None
        return JobSolver(self.folder, self._found, complete=complete)

    def _as_begun(self, options: RunOptions) -> RunOptions:
        """The options for a run of the job, after a check of `symmetry` and `backward`, which cannot be changed now.

        Raises:
            UsageError: An option differs from what the job was begun with.
        """
        subject, usual = self.status()["subject"], RunOptions()
        for name in ("symmetry", "backward"):
            given, begun = getattr(options, name), subject[name]
            if given not in (getattr(usual, name), begun):
                raise UsageError(f"{name} is {given}, and the job was begun with {begun}; leave it out")
        return replace(options, symmetry=True, backward=self.backward)

    @cached_property
    def _found(self) -> FoundStates:
        return self._kept.look_up()

    @cached_property
    def _kept(self) -> KeptStates:
        return KeptStates(self._engine.backward if self.backward else self._engine, self._place())


def form_of(to: str | PathLike[str]) -> str:
    """The format that the ending of a file's name says; parquet if the name has none.

    >>> form_of("states.csv"), form_of("STATES.NPY"), form_of("states")
    ('csv', 'npy', 'parquet')
    """
    return splitext(read_path("the file", to))[1].removeprefix(".").lower() or "parquet"
