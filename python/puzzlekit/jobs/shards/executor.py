"""The base class of executors, which run the workers of jobs in shards. Plugins may bring more of them."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from puzzlekit.errors import UsageError
from puzzlekit.jobs.shards.driver import ShardRun
from puzzlekit.run.engine.machine import __version__
from puzzlekit.run.job_parts import ShardSetup
from puzzlekit.run.options import CHECKPOINT_SECONDS

if TYPE_CHECKING:
    from puzzlekit.jobs.shards.protocol import Workers
    from puzzlekit.run.engine import Engine
    from puzzlekit.run.job_parts import JobFolder
    from puzzlekit.run.options import RunOptions
    from puzzlekit.run.report import Report
    from puzzlekit.run.values import ValuesReport
    from puzzlekit.run.watch import Watch


class Executor:
    """A way to run workers: `processes:3`, or a subclass that a plugin brings.

    Attributes:
        shards: Into how many shards a new job is divided.
        name: The executor's name on the command line, such as `processes:3`.
    """

    # These are declared only for type checkers, so that a subclass may have either attributes or properties.
    if TYPE_CHECKING:

        @property
        def shards(self) -> int: ...  # noqa: D102 - the class tells

        @property
        def name(self) -> str: ...  # noqa: D102 - the class tells

    def workers(self, setup: ShardSetup) -> Workers:
        """The workers of a job, none of which is started yet."""
        raise NotImplementedError(f"{type(self).__name__} starts no workers of {setup.folder}; define workers(setup)")

    def ready(self) -> None:
        """Raises a `PuzzlekitError` if no worker could be started. It is asked before a job's folder is made."""

    def enumerate(
        self, engine: Engine, puzzle: str, options: RunOptions, folder: JobFolder | None, watch: Watch | None = None
    ) -> Report:
        """Counts all states that play can reach in shards, or resumes such a count. `Puzzle.enumerate` calls it.

        Raises:
            UsageError: There is no folder, or the rules cannot be counted in shards.
            JobError: Another process drives the job, or it has another number of shards.
            LimitError: Workers were lost again and again.
            DiskError: A file cannot be written; the depths that are finished are kept.
            CorruptError: A file of the job has changed since it was written, or the folder of a shard is lost or on
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
        """Finds the values of all states in shards, or resumes such a job. `Puzzle.values` calls it.

        Raises:
            UsageError: There is no folder, or values of this kind are not found in shards.
            JobError: As in `enumerate`; or the job cannot get values.
            LimitError: As in `enumerate`; or a shard needs more memory.
            DiskError: A file cannot be written; what was kept before is still there.
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
            raise UsageError(
                f"{self.name} keeps its states in files; give a folder for them with --out (out in Python)"
            )
        self.ready()
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
        """Drives all shards to the end of the job. Returns the reason if the run stops earlier."""
        # A worker needs the rules, but not how their states are drawn.
        place, rules, data = replace(folder, shown=""), engine.rules_json, options.to_data(1)
        setup = ShardSetup(__version__, rules, options.backward, place, data, options.memory, local=driver.local)
        every = CHECKPOINT_SECONDS if options.checkpoint is None else options.checkpoint
        keep = every if values else None
        run = ShardRun(driver, self.shards, lambda: self.workers(setup), watch, keep)
        try:
            return run.to_the_end(anew=folder.drop_partial)
        finally:
            # The lock is released now, not when the driver is freed. A notebook keeps the last error, and with it this
            # driver, so the job would stay locked.
            driver.release()
