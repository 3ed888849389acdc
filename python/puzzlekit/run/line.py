"""The talk of a process with the one that started it: a line of JSON comes in for each request, and lines go out."""

from __future__ import annotations

import json
import os
import threading
import time
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import BinaryIO

    from puzzlekit.run.report import Progress

STOP = "stop"
"""The line that asks to give up the request that came before it. It is no request, and has no answer."""

TELL_EVERY = 0.2
"""Seconds between two lines of progress."""


class Line:
    """The two streams of a process that answers requests.

    A thread reads the requests. So a `stop` is noticed in the middle of a request, and this process ends as soon as the
    process that started it has ended in any way.

    Args:
        incoming: The stream from which requests are read.
        outgoing: The stream to which answers are written.
        told: Makes the line that tells a progress.
    """

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO, told: Callable[[Progress], Mapping[str, Any]]) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._told = told
        self._requests: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self._read = 0
        self._taken = 0
        self._stopped = 0
        self._next_line = 0.0
        threading.Thread(target=self._listen, daemon=True).start()

    def next(self) -> dict[str, Any]:
        """The next request, as soon as it comes."""
        request = self._requests.get()
        self._taken += 1
        self._next_line = time.monotonic() + TELL_EVERY
        return request

    def send(self, data: Mapping[str, Any]) -> None:
        """Sends a line."""
        self._outgoing.write(json.dumps(data, separators=(",", ":")).encode() + b"\n")
        self._outgoing.flush()

    def watch(self, progress: Progress) -> bool:
        """Sends the progress every `TELL_EVERY` seconds. Returns `True` if the present request is to be given up."""
        now = time.monotonic()
        if now >= self._next_line:
            self._next_line = now + TELL_EVERY
            self.send(self._told(progress))
        return self._stopped >= self._taken

    def _listen(self) -> None:
        # A process that is killed may leave half a line, which is no JSON.
        with suppress(ValueError):
            for line in self._incoming:
                said = json.loads(line)
                if said == STOP:
                    # Gives up all requests that were read by now, and none of those that come later.
                    self._stopped = self._read
                else:
                    self._read += 1
                    self._requests.put(said)
        # The other process has ended, so nobody waits for an answer. Ending at once is safe: a file that is being
        # written does not have its final name yet.
        os._exit(0)
