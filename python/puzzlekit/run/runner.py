"""The protocol of executors: how a puzzle hands a run to other processes without knowing how these work together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from puzzlekit.run.engine import Engine
    from puzzlekit.run.job_parts import JobFolder
    from puzzlekit.run.options import RunOptions
    from puzzlekit.run.report import Report
    from puzzlekit.run.values import ValuesReport
    from puzzlekit.run.watch import Watch


class Runner(Protocol):
    """An executor: several processes that count together. `puzzlekit.shards.executor("processes:2")` makes one."""

    @property
    def name(self) -> str:
        """The name on the command line, such as `processes:2`."""

    def enumerate(
        self, engine: Engine, puzzle: str, options: RunOptions, folder: JobFolder | None, watch: Watch | None = None
    ) -> Report:
        """Counts all states that play can reach, and keeps them in the folder."""

    def values(
        self, engine: Engine, puzzle: str, options: RunOptions, folder: JobFolder | None, watch: Watch | None = None
    ) -> ValuesReport:
        """Finds the values of all states that play can reach, and keeps them in the folder."""
