"""The engine: compiled rules, and the runs over all of their states, in memory or kept in a folder."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from puzzlekit import _core
from puzzlekit.errors import UsageError
from puzzlekit.run.engine.answers import AnswerEngine
from puzzlekit.run.engine.arrays import ArrayEngine
from puzzlekit.run.engine.folders import folder_of_core, job_status
from puzzlekit.run.engine.jobs import JobEngine
from puzzlekit.run.engine.machine import room
from puzzlekit.run.memory import peak_bytes

# Functions import the classes of reports only when they make one: defining dataclasses takes long, and commands such as
# `puzzlekit list` need none.
if TYPE_CHECKING:
    from collections.abc import Mapping

    from puzzlekit.run.job_parts import JobFolder
    from puzzlekit.run.options import RunOptions
    from puzzlekit.run.plans import RunPlan
    from puzzlekit.run.report import Report
    from puzzlekit.run.values import ValuesReport
    from puzzlekit.run.watch import Watch


class Engine(ArrayEngine, AnswerEngine, JobEngine):
    """Compiled rules with all operations: single states, arrays, answers, jobs, and runs over all states."""

    def room(self, options: RunOptions) -> int:
        """The bytes that a run with these options may take beside what the process holds already."""
        return room(options.memory, options.threads)

    def plan(self, puzzle: str, options: RunOptions, reachable: int | None, *, kept: bool = False) -> RunPlan:
        """The plan of a run: the store that would hold its states; see `Puzzle.plan`."""
        from puzzlekit.run.plans import RunPlan

        room = self.room(options)
        engine = self.backward if options.backward else self
        plan = engine.core.plan(json.dumps(options.to_data(room)), kept)
        return RunPlan(puzzle, plan.store, plan.reason, plan.memory_bytes, room, reachable, plan.disk_bytes)

    def enumerate(
        self, puzzle: str, options: RunOptions, watch: Watch | None = None, job: JobFolder | None = None
    ) -> Report:
        """Counts all states that play can reach; see `Puzzle.enumerate`. With a folder, a job keeps the run."""
        from puzzlekit.run.watch import looked

        if job is None:
            options.check_unkept()
        engine = self.backward if options.backward else self
        kept = job_status(job.folder)["depths"] if job is not None and job.resume else []
        data = json.dumps(options.to_data(self.room(options)))
        run = engine.core.enumerate(data, None if job is None else folder_of_core(job), looked(watch))
        return self.report(puzzle, options, run, sum(depth["states"] for depth in kept))

    def values(
        self,
        puzzle: str,
        options: RunOptions,
        watch: Watch | None = None,
        job: JobFolder | None = None,
    ) -> ValuesReport:
        """Finds the value of every state that play can reach; see `Puzzle.values`. With a folder, a job keeps them."""
        from puzzlekit.run.values import ValuesReport
        from puzzlekit.run.watch import looked

        data, core = json.dumps(options.to_data(self.room(options))), self.core
        if options.starts == "both":
            return self._values_of_both(puzzle, options, watch, job)
        if job is None:
            options.check_unkept()
            found = core.values(data, looked(watch))
        else:
            found = core.values_job(data, folder_of_core(job), options.distances, looked(watch))
        report = ValuesReport.of_core(puzzle, found, self.notation, peak_bytes(), grundy=options.grundy)
        return replace(report, stream=_core.depths_stream)

    def _values_of_both(
        self, puzzle: str, options: RunOptions, watch: Watch | None, job: JobFolder | None
    ) -> ValuesReport:
        """Finds the values of all states, and also the value of the start if the other player begins the same game."""
        from puzzlekit.run.starts import begun_by_other
        from puzzlekit.run.values import ValuesReport
        from puzzlekit.run.watch import looked

        if job is not None:
            raise UsageError(
                "starts is 'both', and a folder keeps the game that the first player begins; leave one out"
            )
        if not self.is_game:
            raise UsageError("starts is 'both', and a puzzle has one player; leave it out")
        once = replace(options, starts="first")
        report = self.values(puzzle, once, watch)
        if not report.complete:
            return report
        other = _core.Engine(json.dumps(begun_by_other(json.loads(self.rules_json))), 0)
        found = other.values(json.dumps(once.to_data(self.room(once))), looked(watch))
        begun = ValuesReport.of_core(puzzle, found, self.notation, peak_bytes(), grundy=options.grundy)
        if report.start is None or begun.start is None:
            return replace(report, complete=False, stopped=begun.stopped)
        return replace(
            report,
            starts=dict(zip(self.notation.players, (report.start, begun.start), strict=True)),
            seconds=report.seconds + begun.seconds,
            peak_memory_bytes=begun.peak_memory_bytes,
        )

    def report(self, puzzle: str, options: RunOptions, run: _core.RunReport, kept_states: int) -> Report:
        """Makes the report of a run from what the compiled engine returned."""
        from puzzlekit.run.report import Report

        made = Report.of_core(puzzle, run, self.core.outcomes, self.outcomes, self.notation.players)
        return replace(
            made,
            backward=options.backward,
            backward_over=("all" if self.backward.core.counts_from_goal else "play") if options.backward else None,
            kept_states=kept_states,
            peak_memory_bytes=peak_bytes(),
            stream=_core.depths_stream,
        )

    def drive_shards(self, data: Mapping[str, Any], folder: JobFolder, shards: int) -> _core.ShardDriver:
        """Begins a job in shards, or resumes it; see docs/cluster.md."""
        return self.core.drive_shards(json.dumps(data), folder_of_core(folder), shards, _local(folder))

    def drive_values(self, options: RunOptions, folder: JobFolder, shards: int) -> tuple[_core.ShardDriver, bool]:
        """Begins a job of values in shards, or resumes it. Also returns whether it counts back from the goal."""
        data = json.dumps(options.to_data(1))
        return self.core.drive_values(data, options.distances, folder_of_core(folder), shards, _local(folder))

    def values_of_shards(
        self, puzzle: str, options: RunOptions, driver: _core.ShardDriver, folder: JobFolder, seconds: float
    ) -> ValuesReport:
        """The report of the values of a job in shards."""
        from puzzlekit.run.values import ValuesReport

        data = json.dumps(options.to_data(self.room(options)))
        found = self.core.values_of_shards(driver, data, folder_of_core(folder), seconds)
        report = ValuesReport.of_core(puzzle, found, self.notation, peak_bytes(), grundy=False)
        # If the job counts back from the goal, the engine has measured only the last step, so its seconds are replaced.
        return replace(report, stream=_core.depths_stream, seconds=seconds)


def _local(folder: JobFolder) -> tuple[str, str] | None:
    """The folder on each machine's own disk that is to hold its shards, and a random name for this job in it.

    `None` if all machines keep their shards in the job's folder.
    """
    if not folder.local:
        return None
    import secrets

    return folder.local, f"puzzlekit-{secrets.token_hex(8)}"
