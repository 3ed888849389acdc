"""What runs the shards of a job: workers, what they are asked, and what they answer. Plugins bring other ways."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from puzzlekit.run.options import JobFolder

if TYPE_CHECKING:
    from collections.abc import Mapping


MOST_SHARDS = 300
"""The most shards of a job."""


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
class Message:
    """What comes from a worker.

    Attributes:
        shard: The shard of the worker.
        kind: `"answer"` to the last request, `"progress"` with it, `"error"` in place of an answer, or `"lost"` if
            there is no such worker any more.
        number: The number of the request.
        data: The answer, or the progress; of an error its `kind`, a class of `puzzlekit.errors`, and the `text`; of a
            lost worker a `text` that says what is known of it.
    """

    shard: int
    kind: str
    number: int = 0
    data: Mapping[str, Any] | None = None


class Workers(Protocol):
    """The workers of a job, one for each shard. Each does one thing at a time."""

    def start(self, shard: int) -> None:
        """Starts the worker of a shard, in place of one that was lost.

        Its first answer, to request 0, says that it is ready.
        """

    def ask(self, shard: int, number: int, request: Mapping[str, Any]) -> None:
        """Asks a worker for something; `number` is larger than before. If the worker is lost, a message says so."""

    def stop(self, shard: int) -> None:
        """Asks a worker to give up what it does. It answers with an error."""

    def next(self, seconds: float) -> Message | None:
        """The next message of any worker; `None` if none comes in that time."""

    def close(self) -> None:
        """Ends all workers, whatever they do."""


class Executor(Protocol):
    """A way to run workers: `processes:3`, or one that a plugin brings."""

    @property
    def shards(self) -> int:
        """Into how many shards a new job is divided."""

    @property
    def name(self) -> str:
        """How it is called on the command line, such as `processes:3`."""

    def workers(self, setup: ShardSetup) -> Workers:
        """The workers of a job; none is started yet."""
