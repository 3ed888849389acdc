"""The part of the engine that reads what jobs have kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from puzzlekit.run.checks import check_number
from puzzlekit.errors import UsageError
from puzzlekit.run.report import HardState, Progress, Watch
from puzzlekit.run.table import Table

if TYPE_CHECKING:
    from puzzlekit.describe.notation import Notation

MOST_HARDEST = 10**6
"""The most states that are listed as the deepest ones."""

FORMATS = ("parquet", "csv", "npy")


Keep = tuple[str, bool, str, str, str]
"""The folder, whether to resume its job, the puzzle's id, its plugin and that one's version."""

Look = Callable[[tuple[int, int, int, int, int, float]], object]
"""A watch as the compiled module calls it."""


class Core(Protocol):
    """What the compiled engine has for this part."""

    @property
    def outcomes(self) -> list[str]:
        """The names of the outcomes."""

    def verify_job(self, keep: Keep, memory: int, backward: bool, watch: Look | None) -> str:
        """Checks a job, and returns its manifest."""

    def hash_job(self, keep: Keep, backward: bool, watch: Look | None) -> list[int]:
        """The hashes of the depths."""

    def hardest(
        self,
        keep: Keep,
        backward: bool,
        count: int,
        watch: Look | None,
    ) -> list[tuple[int, bytes, int, int, int | None]]:
        """The deepest states."""

    def export_job(  # noqa: PLR0913
        self,
        keep: Keep,
        backward: bool,
        depths: tuple[int, int],
        to: str,
        form: str,
        columns: int | None,
        watch: Look | None,
    ) -> int:
        """Writes a file."""

    def stream_job(
        self,
        keep: Keep,
        backward: bool,
        depths: tuple[int, int, int],
        columns: int | None,
    ) -> Any:  # noqa: ANN401 - a stream of the compiled module
        """Begins to read."""


class Kept:
    """The part of an `Engine` that is about the states of jobs."""

    if TYPE_CHECKING:
        notation: Notation

        core: Core

        def room(self, store: str, memory: int | str | None, threads: int | None = None) -> int:
            """How many bytes a run may take."""

    def verify_job(
        self,
        keep: Keep,
        memory: int | str | None,
        watch: Watch | None,
        *,
        backward: bool,
    ) -> dict[str, Any]:
        """Checks every file and state of a job, and returns its manifest."""
        data: dict[str, Any] = json.loads(self.core.verify_job(keep, self.room("auto", memory), backward, look(watch)))
        return data

    def hash_job(self, keep: Keep, watch: Watch | None, *, backward: bool) -> list[int]:
        """For each depth of a job, a 128-bit number that tells sets of states apart."""
        return self.core.hash_job(keep, backward, look(watch))

    def hardest(self, keep: Keep, count: int, watch: Watch | None, *, backward: bool) -> list[HardState]:
        """The deepest states of a job."""
        check_number("count", count, 1, MOST_HARDEST)
        return [
            HardState(
                depth,
                self.notation.write(cells, player),
                orbit_size,
                None if outcome is None else self.core.outcomes[outcome],
            )
            for depth, cells, player, orbit_size, outcome in self.core.hardest(keep, backward, count, look(watch))
        ]

    def export_job(  # noqa: PLR0913 - each is an option of an export
        self,
        keep: Keep,
        to: str,
        form: str,
        depths: tuple[int | None, int | None],
        watch: Watch | None,
        *,
        text: bool,
        backward: bool,
    ) -> int:
        """Writes the states of a job to a file, and tells how many."""
        if form not in FORMATS:
            raise UsageError(f"there is no format {form!r}; give one of {', '.join(FORMATS)}")
        columns = self.notation.columns if text else None
        return self.core.export_job(keep, backward, _span(depths), to, form, columns, look(watch))

    def table(
        self,
        keep: Keep,
        depths: tuple[int | None, int | None],
        batch_rows: int,
        *,
        text: bool,
        backward: bool,
    ) -> Table:
        """The states of a job as a table."""
        check_number("batch_rows", batch_rows, 1, 2**24)
        columns, span = self.notation.columns if text else None, (*_span(depths), batch_rows)
        # Of no depth: another job is refused at once.
        self.core.stream_job(keep, backward, (2**63, 0, 1), None)
        return Table(lambda: self.core.stream_job(keep, backward, span, columns))


def look(watch: Watch | None) -> Look | None:
    """A watch as the compiled module calls it."""
    return None if watch is None else lambda row: watch(Progress(*row))


def _span(depths: tuple[int | None, int | None]) -> tuple[int, int]:
    """The first and the last depth to read."""
    first, last = depths
    check_number("first_depth", first, 0, 2**63 - 1)
    check_number("last_depth", last, 0, 2**63 - 1)
    return first or 0, 2**63 if last is None else last
