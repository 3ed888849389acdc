"""The folder of a job, its depths to read, its hard states, and the setup of a process for one of its shards.

Runs that no folder keeps need none of these classes, and each takes half a millisecond to define.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from puzzlekit.run.checks import check_number

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class JobFolder:
    """The folder of a job, and what the job notes about its puzzle.

    Attributes:
        folder: The folder.
        puzzle: The puzzle's text id.
        plugin: The distribution that defines the puzzle; empty if there is none.
        plugin_version: The version of that distribution.
        shown: For a new job: how states are written and drawn, as JSON that the engine only keeps.
        resume: Whether the folder holds a job that is to be resumed.
        drop_partial: Whether to forget the part of an unfinished depth that the job has kept.
        local: For a new job in shards: the folder in which each machine keeps its shards. If it is empty, all shards
            are in the folder of the job.
    """

    folder: str
    puzzle: str
    plugin: str = ""
    plugin_version: str = ""
    shown: str = ""
    resume: bool = False
    drop_partial: bool = False
    local: str = ""


@dataclass(frozen=True)
class ShardSetup:
    """The first message to a worker, as plain data: the job, and the number of the shard to work on.

    Attributes:
        version: The version of puzzlekit that drives the job. A worker of another version refuses to work.
        rules: The rules as JSON. So a worker needs no plugin.
        backward: Whether depths are counted from the goal.
        folder: The folder of the whole job, which the worker sees by the same path.
        options: The options of the run, as the engine reads them.
        memory: How many bytes the worker may take; `None` for 70 % of what its machine allows.
        shard: Which shard it is, from 0.
        local: Whether each machine keeps its shards on a disk of its own. Then only the machine that has a shard can
            work on it; see `ShardWorker.held`.
    """

    version: str
    rules: str
    backward: bool
    folder: JobFolder
    options: Mapping[str, Any]
    memory: int | str | None = None
    shard: int = 0
    local: bool = False

    def to_data(self) -> dict[str, Any]:
        """The setup as data that JSON can hold."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> ShardSetup:
        """Makes a setup from the data of `to_data`."""
        return cls(**{**data, "folder": JobFolder(**data["folder"])})

    def of_shard(self, shard: int) -> ShardSetup:
        """The same message for another shard."""
        return replace(self, shard=shard)


@dataclass(frozen=True)
class DepthSpan:
    """The depths of a job to read: the first and the last. `None` stands for no bound."""

    first: int | None = None
    last: int | None = None

    def __post_init__(self) -> None:
        check_number("first_depth", self.first, 0, 2**63 - 1)
        check_number("last_depth", self.last, 0, 2**63 - 1)


@dataclass(frozen=True)
class HardState:
    """One of the deepest states of a job.

    Attributes:
        depth: The number of moves from the start; in a job that counts backward, the number of moves to the goal.
        state: The state.
        orbit_size: How many states it stands for: itself and its images under symmetries.
        outcome: How play ended; `None` if it goes on.
    """

    depth: int
    state: str
    orbit_size: int
    outcome: str | None
