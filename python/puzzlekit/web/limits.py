"""The limits of a request, and of a client's time. docs/serve.md, "What it may cost", lists the figures."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The limits of a server. The defaults suit a machine with two cores.

    Attributes:
        body_bytes: The longest body of a request.
        request_seconds: The seconds within which a request must have arrived whole, headers and body.
        reader_seconds: How long a client may leave an answer unread.
        header_bytes: The longest headers of a request.
        connections: How many connections there may be at once.
        quick_seconds: How long a short answer may take, such as the answer to a move. A process that takes longer is
            ended.
        long_seconds: How long a search may take.
        short_seconds: How long a search may take if it is one of several, or if its answer may be a bound.
        states: How many states a search may store.
        memory: How many bytes a search may take.
        quick_workers: How many processes give short answers.
        long_workers: How many processes search.
        quick_waiting: How many short answers may be waited for.
        long_waiting: How many searches may be waited for.
        worker_bytes: A process that holds more than this after an answer is ended, and another takes its place.
    """

    body_bytes: int = 64 * 1024
    request_seconds: float = 10.0
    reader_seconds: float = 20.0
    header_bytes: int = 16 * 1024
    connections: int = 512
    quick_seconds: float = 10.0
    long_seconds: float = 60.0
    short_seconds: float = 10.0
    states: int = 20_000_000
    memory: int = 1024**3
    quick_workers: int = 2
    long_workers: int = 2
    quick_waiting: int = 400
    long_waiting: int = 32
    worker_bytes: int = 512 * 1024**2

    @property
    def address_bytes(self) -> int:
        """The address space of a process, in bytes: twice what a search may take, and 4 GiB for everything else."""
        return 2 * self.memory + 4 * 1024**3
