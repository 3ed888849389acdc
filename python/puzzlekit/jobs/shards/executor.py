"""A way to run the workers of a job in shards, and how a job is counted by them. Plugins bring other ways."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from puzzlekit.errors import UsageError
from puzzlekit.jobs.shards.driver import ShardRun
from puzzlekit.run.engine.machine import __version__
from puzzlekit.run.options import CHECKPOINT_SECONDS, ShardSetup

if TYPE_CHECKING:
    from puzzlekit.jobs.shards.workers import Workers
    from puzzlekit.run.engine import Engine
    from puzzlekit.run.options import JobFolder, RunOptions
    from puzzlekit.run.report import Report, Watch
    from puzzlekit.run.values import ValuesReport


class Executor:
    """A way to run workers: `processes:3`, or one that a plugin brings as a subclass.

    Attributes:
        shards: Into how many shards a new job is divided.
        name: How it is called on the command line, such as `processes:3`.
    """

    # Declared for type checkers alone, so that a subclass may have attributes or properties of these names.
    if TYPE_CHECKING:

        @property
        def shards(self) -> int: ...  # noqa: D102 - the class tells

        @property
        def name(self) -> str: ...  # noqa: D102 - the class tells

    def workers(self, setup: ShardSetup) -> Workers:
        """The workers of a job; none is started yet."""
        raise NotImplementedError(f"{type(self).__name__} starts no workers of {setup.folder}; define workers(setup)")

    def enumerate(
        self, engine: Engine, puzzle: str, options: RunOptions, folder: JobFolder | None, watch: Watch | None = None
    ) -> Report:
        """Counts all states that play can reach in shards, or goes on with that; `Puzzle.enumerate` calls it.

        Raises:
            UsageError: There is no folder, or the rules cannot be counted in shards.
            JobError: Another process drives the job, or it has another number of shards.
            LimitError: Workers were lost again and again.
            DiskError: A file cannot be written; the depths before are kept.
            CorruptError: A file of the job has changed since it was written, or the folder of a shard is lost, or on
                none of these machines.
        """
        kept_in = self._folder(folder)
        begun = time.monotonic()
        counted = engine.backward if options.backward else engine
        data = options.to_data(1)
        driver = counted.drive_shards(data, kept_in, self.shards)
        kept = sum(depth["states"] for depth in json.loads(driver.manifest())["depths"])
        stopped = self._drive(driver, engine, options, kept_in, watch)
        return engine.report(puzzle, options, driver.report(stopped, time.monotonic() - begun), kept)

    def values(
        self, engine: Engine, puzzle: str, options: RunOptions, folder: JobFolder | None, watch: Watch | None = None
    ) -> ValuesReport:
        """Finds the values of all states in shards, or goes on with that; `Puzzle.values` calls it.

        Raises:
            UsageError: There is no folder, or such values are not found in shards.
            JobError: As in `enumerate`; or the job is one that values cannot go on with.
            LimitError: As in `enumerate`; or a shard needs more memory.
            DiskError: A file cannot be written; what was kept before stays.
            CorruptError: As in `enumerate`.
        """
        kept_in, begun = self._folder(folder), time.monotonic()
        if options.starts == "both":
            raise UsageError(
                "starts is 'both', and a folder keeps the game that the first player begins; leave one out"
            )
        driver, backward = engine.drive_values(options, kept_in, self.shards)
        self._drive(driver, engine, replace(options, backward=backward), kept_in, watch, values=True)
        return engine.values_of_shards(puzzle, options, driver, kept_in, time.monotonic() - begun)

    def _folder(self, folder: JobFolder | None) -> JobFolder:
        if folder is None:
            raise UsageError(f"{self.name} keeps its states in files; give a folder for them")
        return folder

    def _drive(  # noqa: PLR0913 - each is a part of the run
        self,
        driver: Any,  # noqa: ANN401 - run/engine/ alone knows its type
        engine: Engine,
        options: RunOptions,
        folder: JobFolder,
        watch: Watch | None,
        *,
        values: bool = False,
    ) -> str | None:
        """Drives all shards to the end; returns the reason if the run stopped before."""
        # A worker needs the rules, and not how their states are drawn.
        place, rules, data = replace(folder, shown=""), engine.rules_json, options.to_data(1)
        setup = ShardSetup(__version__, rules, options.backward, place, data, options.memory, local=driver.local)
        every = CHECKPOINT_SECONDS if options.checkpoint is None else options.checkpoint
        keep = every if values else None
        run = ShardRun(driver, self.shards, lambda: self.workers(setup), watch, keep)
        try:
            return run.to_the_end()
        finally:
            # A notebook keeps the last error and with it this driver. Without the call, the job would stay locked.
            driver.release()
