"""A way to run the workers of a job in shards, and how a job is counted by them. Plugins bring other ways."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from puzzlekit.errors import UsageError
from puzzlekit.jobs.shards.driver import ShardRun
from puzzlekit.run.engine.machine import __version__
from puzzlekit.run.options import ShardSetup

if TYPE_CHECKING:
    from puzzlekit.jobs.shards.workers import Workers
    from puzzlekit.run.engine import Engine
    from puzzlekit.run.options import JobFolder, RunOptions
    from puzzlekit.run.report import Report, Watch


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
        if folder is None:
            raise UsageError(f"{self.name} keeps its states in files; give a folder for them")
        begun = time.monotonic()
        counted = engine.backward if options.backward else engine
        data = options.to_data(1)
        driver = counted.drive_shards(data, folder, self.shards)
        kept = sum(depth["states"] for depth in json.loads(driver.manifest())["depths"])
        # A worker needs the rules, and not how their states are drawn.
        place, rules = replace(folder, shown=""), engine.rules_json
        setup = ShardSetup(__version__, rules, options.backward, place, data, options.memory, local=driver.local)
        run = ShardRun(driver, self.shards, lambda: self.workers(setup), watch)
        try:
            stopped = run.to_the_end()
        finally:
            # A notebook keeps the last error and with it this driver. Without the call, the job would stay locked.
            driver.release()
        return engine.report(puzzle, options, driver.report(stopped, time.monotonic() - begun), kept)
