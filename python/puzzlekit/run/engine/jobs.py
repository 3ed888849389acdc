"""The states of jobs, as the engine reads them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from puzzlekit import _core
from puzzlekit.run.engine.compiled import Compiled
from puzzlekit.run.engine.folders import folder_of_core
from puzzlekit.run.engine.machine import room

if TYPE_CHECKING:
    from collections.abc import Callable

    from puzzlekit.run.job_parts import DepthSpan, HardState, JobFolder
    from puzzlekit.run.watch import Watch


class JobEngine(Compiled):
    """Compiled rules that can read the states of a job of these rules."""

    def verify_job(self, job: JobFolder, memory: int | str | None, watch: Watch | None) -> dict[str, Any]:
        """Checks every file and state of a job, and returns its manifest."""
        from puzzlekit.run.watch import looked

        data: dict[str, Any] = json.loads(self.core.verify_job(folder_of_core(job), room(memory, None), looked(watch)))
        return data

    def hash_job(self, job: JobFolder, watch: Watch | None) -> list[int]:
        """For each depth of a job, a 128-bit hash of the set of its states."""
        from puzzlekit.run.watch import looked

        return self.core.hash_job(folder_of_core(job), looked(watch))

    def edges_of_job(self, job: JobFolder, memory: int, watch: Watch | None) -> _core.JobEdges:
        """The moves between the states of a job, as columns of numbers."""
        from puzzlekit.run.watch import looked

        return self.core.edges_of_job(folder_of_core(job), memory, looked(watch))

    def hardest(self, job: JobFolder, count: int, watch: Watch | None) -> list[HardState]:
        """The deepest states of a job."""
        from puzzlekit.run.job_parts import HardState
        from puzzlekit.run.watch import looked

        return [
            HardState(
                hard.depth,
                self.notation.write(hard.cells, hard.player),
                hard.orbit_size,
                None if hard.outcome is None else self.core.outcomes[hard.outcome],
            )
            for hard in self.core.hardest(folder_of_core(job), count, looked(watch))
        ]

    def export_job(
        self, job: JobFolder, to: str, form: str, depths: DepthSpan, watch: Watch | None, *, text: bool
    ) -> int:
        """Writes the states of a job to a file, and returns how many there are."""
        from puzzlekit.run.watch import looked

        rows = self._text_rows if text else None
        return self.core.export_job(folder_of_core(job), _span(depths), to, form, rows, looked(watch))

    def stream_job(
        self, job: JobFolder, depths: DepthSpan, batch_rows: int, *, text: bool
    ) -> Callable[[], _core.Stream]:
        """Returns a function that reads the states of a job; each call of it begins anew with the first state.

        If the job is of other rules, the error is raised here, before the function is called.
        """
        core, folder, span = self.core, folder_of_core(job), _span(depths, batch_rows)
        rows = self._text_rows if text else None
        core.stream_job(folder, _core.Span(2**63, 0, 1))  # checks the job; this span has no depth, so nothing is read
        return lambda: core.stream_job(folder, span, rows)

    def lookup(self, job: JobFolder) -> _core.Lookup:
        """Opens a job to look up states, if it has the values of all states or all distances to the goal."""
        return self.core.lookup(folder_of_core(job))

    @property
    def _text_rows(self) -> list[int]:
        return list(self.notation.row_lengths)


def _span(depths: DepthSpan, rows: int | None = None) -> _core.Span:
    """A span of depths, and how many states are read at a time, as the compiled engine takes them."""
    return _core.Span(depths.first or 0, 2**63 if depths.last is None else depths.last, rows)
