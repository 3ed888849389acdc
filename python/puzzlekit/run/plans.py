"""The plan of a run, and the forecast of a count that cannot end: both are made before the run."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class RunPlan:
    """The plan of an enumeration: the store that would hold its states.

    Attributes:
        puzzle: The puzzle's text id.
        store: `"dense"` or `"sparse"`.
        store_reason: Why that store, in words.
        memory_bytes: The bytes that the run takes: at most, or at least if `disk_bytes` is given. `None` if that is not
            known before it has run.
        memory_limit_bytes: How many bytes the process may take beside what it holds already.
        reachable: How many states there are, if that is known; symmetric states count separately.
        disk_bytes: The bytes of a job's arrays, if they are kept on disk because they do not fit the memory. Then the
            run uses all the memory that it may.
    """

    puzzle: str
    store: str
    store_reason: str
    memory_bytes: int | None
    memory_limit_bytes: int
    reachable: int | None
    disk_bytes: int | None = None

    def to_data(self) -> dict[str, Any]:
        """The plan as `puzzlekit enumerate --dry-run --json` prints it."""
        return {"schema": "puzzlekit.plan/1", **asdict(self)}


@dataclass(frozen=True)
class Forecast:
    """The expectation how far a count will come.

    Attributes:
        states: How many states there are up to symmetry, at least.
        held: How many states there is room for at a time.
        depth: The last depth that is expected to be completed.
        counted: About how many states there are to that depth.
    """

    states: int
    held: int
    depth: int
    counted: int
