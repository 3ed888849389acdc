"""The protocol of workers of a job in shards, and their messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_SHARDS = 300
"""The most shards of a job."""


@dataclass(frozen=True)
class Message:
    """A message from a worker.

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
