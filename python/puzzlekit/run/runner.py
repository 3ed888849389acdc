"""The protocol by which a puzzle hands a run to other processes, without knowing how these work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from puzzlekit.run.engine import Engine
    from puzzlekit.run.options import JobFolder, RunOptions
    from puzzlekit.run.report import Report, Watch
    from puzzlekit.run.values import ValuesReport


class Runner(Protocol):
    """Several processes that count together: an executor, such as `puzzlekit.shards.executor("processes:2")` makes."""

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
