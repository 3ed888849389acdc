"""The process of a worker: the setup and then requests come in as lines of JSON, and lines of JSON go out.

When the driver ends, however it ends, nothing comes in any more, and the process ends at once.
"""

from __future__ import annotations

import json
import signal
import sys
import threading
import time
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from puzzlekit.errors import PuzzlekitError, one_line
from puzzlekit.jobs.shards.worker import ShardWorker, end_now
from puzzlekit.run.options import ShardSetup

if TYPE_CHECKING:
    from typing import BinaryIO

    from puzzlekit.run.report import Progress

TELL_EVERY = 0.2
"""Seconds between two lines of progress."""


class Line:
    """The two ends of the talk with the driver. A thread reads what comes in, so that `stop` is heard at any time."""

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._requests: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self._stopped = 0
        self._number = 0
        self._told = 0.0
        threading.Thread(target=self._listen, daemon=True).start()

    def next(self) -> dict[str, Any]:
        """The next request, as soon as it comes."""
        request = self._requests.get()
        self._number, self._told = request["number"], time.monotonic()
        return request

    def send(self, kind: str, data: dict[str, Any]) -> None:
        """Sends a line about the request that is being worked on."""
        line = {"kind": kind, "number": self._number, "data": data}
        self._outgoing.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
        self._outgoing.flush()

    def watch(self, progress: Progress) -> bool:
        """Tells the progress now and then, and returns whether to stop."""
        now = time.monotonic()
        if now >= self._told + TELL_EVERY:
            self._told = now
            figures = {"frontier": progress.frontier, "expanded": progress.expanded, "bytes": progress.store_bytes}
            self.send("progress", figures)
        return self._stopped >= self._number

    def _listen(self) -> None:
        # A driver that is killed may leave half a line, which is no JSON.
        with suppress(ValueError):
            for line in self._incoming:
                request = json.loads(line)
                if request["verb"] == "stop":
                    self._stopped = request["number"]
                else:
                    self._requests.put(request)
        end_now()


def main() -> None:
    """Opens the shard of the first line, and answers all others."""
    # Ctrl-C is for the driver, which then asks this process to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    line = Line(sys.stdin.buffer, sys.stdout.buffer)
    worker: ShardWorker | None = None
    while True:
        request = line.next()
        try:
            if worker is None:
                worker = ShardWorker(ShardSetup.from_data(request["setup"]))
                answer: dict[str, Any] = {}
            else:
                answer = worker.handle(request, line.watch)
        except PuzzlekitError as error:
            line.send("error", {"kind": type(error).__name__, "text": str(error)})
        except Exception as error:  # the driver tells of it
            line.send("error", {"kind": "", "text": one_line(error)})
        else:
            line.send("answer", answer)


if __name__ == "__main__":
    main()
