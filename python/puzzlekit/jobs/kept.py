"""Reads a job with the engine: checks its files, and gives hashes, the deepest states, tables and all states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from puzzlekit.errors import UsageError
from puzzlekit.jobs.table import Table
from puzzlekit.run.checks import check_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from puzzlekit.jobs.edges import Edge
    from puzzlekit.run.engine import Engine
    from puzzlekit.run.job_parts import DepthSpan, HardState, JobFolder
    from puzzlekit.run.watch import Watch

MOST_HARDEST = 10**6
"""The most states that can be listed as the deepest."""

EDGES_ALONE = ("json", "dot", "graphml")
"""The forms of files that hold the moves between states, and no states alone."""

FORMATS = ("parquet", "csv", "npy")


class KeptStates:
    """The states that a job has kept.

    Args:
        engine: The engine of the job's rules or, if the job counts backward, of the rules backward.
        folder: The job.
    """

    def __init__(self, engine: Engine, folder: JobFolder) -> None:
        self._engine = engine
        self._folder = folder

    def verify(self, memory: int | str | None, watch: Watch | None) -> dict[str, Any]:
        """Checks every file and every state of the job, and returns its manifest."""
        return self._engine.verify_job(self._folder, memory, watch)

    def hashes(self, watch: Watch | None) -> list[int]:
        """For each depth, a 128-bit hash of the set of its states."""
        return self._engine.hash_job(self._folder, watch)

    def hardest(self, count: int, watch: Watch | None) -> list[HardState]:
        """The deepest states, at most `count`."""
        check_number("count", count, 1, MOST_HARDEST)
        return self._engine.hardest(self._folder, count, watch)

    def edges(self, memory: int | str | None, watch: Watch | None) -> Iterator[Edge]:
        """The moves between the states, one by one."""
        from puzzlekit.jobs.edges import edges

        return edges(self._engine, self._folder, memory=memory, watch=watch)

    def edge_blocks(
        self, memory: int | str | None, watch: Watch | None
    ) -> Iterator[tuple[memoryview, memoryview, memoryview]]:
        """The moves, many at a time, as three columns: rows of states, numbers of moves, and rows of successors."""
        from puzzlekit.jobs.edges import edge_blocks

        return edge_blocks(self._engine, self._folder, memory=memory, watch=watch)

    def export(self, to: str, form: str, depths: DepthSpan, watch: Watch | None, *, text: bool) -> int:
        """Writes the states to a file, and returns how many there are."""
        if form in EDGES_ALONE:
            raise UsageError(f"{form} is a form of the moves between states; export edges (--edges), not states")
        if form not in FORMATS:
            raise UsageError(f"there is no format {form!r}; give one of {', '.join(FORMATS)}")
        return self._engine.export_job(self._folder, to, form, depths, watch, text=text)

    def table(self, depths: DepthSpan, batch_rows: int, *, text: bool) -> Table:
        """The states as a table."""
        check_number("batch_rows", batch_rows, 1, 2**24)
        return Table(self._engine.stream_job(self._folder, depths, batch_rows, text=text))

    def look_up(self) -> FoundStates:
        """Opens the job to look states up.

        Raises:
            JobError: The job has neither the values of all states nor all distances to the goal.
        """
        lookup = self._engine.lookup(self._folder)
        return FoundStates(lookup.rows, backward=lookup.backward)


class FoundStates:
    """Looks states up in a job.

    Args:
        find: Looks up rows of states, and searches near a depth first.
        backward: Whether the job's depths are distances to the goal, and not depths from the start.
    """

    one_by_one = False
    """Looking up many states together is less work than one after another; see `Looks.one_by_one`."""

    def __init__(self, find: Callable[[bytes, int], tuple[bytes, bytes, bytes]], *, backward: bool) -> None:
        self._find = find
        self.backward = backward

    def look_up(self, rows: bytes, around: int = 0) -> tuple[memoryview, memoryview, memoryview]:
        """Three columns about states, which are given as rows: values, moves to the end, depths; see `Job.look_up`.

        Depths near `around` are searched first. In a job that counts backward, depths are distances to the goal.
        """
        values, moves, depths = self._find(rows, around)
        return memoryview(values), memoryview(moves).cast("i"), memoryview(depths).cast("i")
