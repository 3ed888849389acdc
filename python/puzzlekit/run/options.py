"""What a run is told: the options of an enumeration, the folder of a job, and which shard of it a process works on."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from puzzlekit.errors import UsageError
from puzzlekit.run.checks import check_number, check_seconds
from puzzlekit.run.memory import read_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_THREADS = 1024

STORES = ("auto", "dense", "sparse")


@dataclass(frozen=True)
class RunOptions:
    """What to enumerate, and by what means. `Puzzle.enumerate` says what each option means.

    >>> RunOptions(max_depth=3, threads=2).to_data(room=10**9)["max_depth"]
    3
    >>> RunOptions(store="both")
    Traceback (most recent call last):
    puzzlekit.errors.UsageError: there is no store 'both'; give one of auto, dense, sparse

    Attributes:
        max_depth: The last depth to count; all if it is `None`.
        symmetry: Whether states that a symmetry carries onto each other count as one.
        threads: How many threads to use; one for each core if it is `None`.
        store: `"auto"`, `"dense"` or `"sparse"`.
        memory: How many bytes the process may take, as a number or as `"4GiB"`.
        backward: Whether a depth is the number of moves needed to the goal, rather than from the start.
        disk: How many bytes the files of a job may take.
        checkpoint: After how many seconds within a depth a job keeps the part that is done.
        distances: Whether the values of all states must come with the moves to the end.

    Raises:
        UsageError: A value makes no sense.
    """

    max_depth: int | None = None
    symmetry: bool = True
    threads: int | None = None
    store: str = "auto"
    memory: int | str | None = None
    backward: bool = False
    disk: int | str | None = None
    checkpoint: float | None = None
    distances: bool = False

    def __post_init__(self) -> None:
        check_number("max_depth", self.max_depth, 0, 2**63 - 1)
        check_number("threads", self.threads, 1, MAX_THREADS)
        check_seconds("checkpoint", self.checkpoint)
        if self.store not in STORES:
            raise UsageError(f"there is no store {self.store!r}; give one of {', '.join(STORES)}")
        if self.disk is not None:
            read_bytes(self.disk, "disk")

    def check_unkept(self) -> None:
        """Refuses options that say how a job is kept, for a run that keeps nothing."""
        for name, value in (("disk", self.disk), ("checkpoint", self.checkpoint)):
            if value is not None:
                raise UsageError(f"{name} is {value}, and nothing is kept on a disk; give a folder to keep the run in")

    def to_data(self, room: int) -> dict[str, Any]:
        """The options as the engine reads them. `room` is how many bytes of memory the run may take."""
        data: dict[str, Any] = {
            "max_depth": self.max_depth,
            "symmetry": bool(self.symmetry),
            "threads": self.threads or 0,
            "store": self.store,
            "memory": room,
        }
        if self.distances:
            data["distances"] = True
        if self.disk is not None:
            data["disk"] = read_bytes(self.disk, "disk")
        if self.checkpoint is not None:
            data["checkpoint"] = self.checkpoint
        return data


@dataclass(frozen=True)
class JobFolder:
    """The folder of a job, and what is noted there about the source of its rules.

    Attributes:
        folder: The folder.
        puzzle: The puzzle's text id.
        plugin: The distribution that brings the puzzle; empty if there is none.
        plugin_version: Its version.
        locator: If no plugin brings the puzzle: the file that defines it, a colon, and its class.
        resume: Whether the folder holds a job that is to be resumed.
        drop_partial: Whether to forget what such a job has kept of a depth that is not done.
        local: For a new job in shards: the folder on each machine for those of its shards. If it is empty, they are in
            the folder of the job.
    """

    folder: str
    puzzle: str
    plugin: str = ""
    plugin_version: str = ""
    locator: str = ""
    resume: bool = False
    drop_partial: bool = False
    local: str = ""


@dataclass(frozen=True)
class ShardSetup:
    """What a worker is told at first: the job, and which shard of it is its own. All of it is plain data.

    Attributes:
        version: The version of puzzlekit that drives the job. A worker of another version refuses to work.
        rules: The rules as JSON. So a worker needs no plugin.
        backward: Whether depths are counted from the goal.
        folder: The folder of the whole job, which the worker sees by the same path.
        options: The options of the run, as the engine reads them.
        memory: How many bytes the worker may take; `None` for 70 % of what its machine allows.
        shard: Which shard it is, from 0.
        local: Whether each machine has the folders of its shards on a disk of its own. Then a shard that has one can be
            worked on by that machine alone; see `ShardWorker.held`.
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
        """It as data that JSON can hold."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> ShardSetup:
        """It from what `to_data` gives."""
        return cls(**{**data, "folder": JobFolder(**data["folder"])})

    def of_shard(self, shard: int) -> ShardSetup:
        """The same for another shard."""
        return replace(self, shard=shard)


@dataclass(frozen=True)
class DepthSpan:
    """Which depths of a job to read: the first and the last. `None` stands for no bound."""

    first: int | None = None
    last: int | None = None

    def __post_init__(self) -> None:
        check_number("first_depth", self.first, 0, 2**63 - 1)
        check_number("last_depth", self.last, 0, 2**63 - 1)
