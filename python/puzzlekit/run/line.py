"""Messages between a process and the one that started it: requests come in, and answers go out, as lines of JSON."""

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

    from puzzlekit.run.progress import Progress

STOP = "stop"
"""The line that makes the process give up its requests. It is no request itself, and has no answer."""

TELL_EVERY = 0.2
"""The seconds between two lines of progress."""


class Line:
    """The two streams of a process that answers requests.

    A thread reads the requests. So a `stop` is noticed while a request is worked on, and this process ends as soon as
    the process that started it has ended, however that happens.

    Args:
        incoming: The stream from which requests are read.
        outgoing: The stream to which answers are written.
        told: Makes the data of a line of progress.
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
        """Waits for the next request, and returns it."""
        request = self._requests.get()
        self._taken += 1
        self._next_line = time.monotonic() + TELL_EVERY
        return request

    def send(self, data: Mapping[str, Any]) -> None:
        """Sends data as a line of JSON."""
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
        # If the other process was killed, the last line may be cut off, so that it is no JSON.
        with suppress(ValueError):
            for line in self._incoming:
                said = json.loads(line)
                if said == STOP:
                    # All requests that were read so far are given up, but none that come later.
                    self._stopped = self._read
                else:
                    self._read += 1
                    self._requests.put(said)
        # The other process has ended, so nobody waits for an answer. It is safe to exit at once: a file that is being
        # written does not have its final name yet.
        os._exit(0)
