"""The protocol of the workers of a job in shards, and the messages that they send."""

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
        kind: `"answer"` to the last request; `"progress"` of it; `"error"` in place of an answer; or `"lost"` if the
            worker has ended.
        number: The number of the request.
        data: The answer or the progress. Of an error, its `kind`, a class of `puzzlekit.errors`, and its `text`. Of a
            lost worker, a `text` that says what is known about its end.
    """

    shard: int
    kind: str
    number: int = 0
    data: Mapping[str, Any] | None = None


class Workers(Protocol):
    """The workers of a job, one for each shard. A worker does one request at a time."""

    def start(self, shard: int) -> None:
        """Starts the worker of a shard. If there was one before, it was lost, and this one takes its place.

        Its first message is an answer to request 0, and says that it is ready.
        """

    def ask(self, shard: int, number: int, request: Mapping[str, Any]) -> None:
        """Sends a request with a larger `number` than before. If the worker is lost, a message will say so."""

    def stop(self, shard: int) -> None:
        """Asks a worker to give up its request. It then answers with an error."""

    def next(self, seconds: float) -> Message | None:
        """The next message of any worker; `None` if none arrives in that time."""

    def close(self) -> None:
        """Ends all workers, whatever they are doing."""
