"""The program of a worker's process, which reads its setup and then requests, and writes answers, as lines of JSON.

When the driver has ended, however that happens, its end of the pipe is closed. Then this process ends at once.
"""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING, Any

from puzzlekit.errors import PuzzlekitError, one_line
from puzzlekit.jobs.shards.worker import ShardWorker
from puzzlekit.run.job_parts import ShardSetup
from puzzlekit.run.line import Line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from puzzlekit.run.progress import Progress


def _said(kind: str, number: int, data: Mapping[str, Any]) -> dict[str, Any]:
    """The data of a line of output that belongs to the request with the given number."""
    return {"kind": kind, "number": number, "data": data}


def main() -> None:
    """Opens the shard that the first line names, and answers the requests in all other lines."""
    # Ctrl-C is meant for the driver, which then asks this process to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    number = 0

    def told(progress: Progress) -> dict[str, Any]:
        figures = {"frontier": progress.frontier, "expanded": progress.expanded, "bytes": progress.store_bytes}
        return _said("progress", number, figures)

    line = Line(sys.stdin.buffer, sys.stdout.buffer, told)
    worker: ShardWorker | None = None
    while True:
        request = line.next()
        number = request["number"]
        try:
            if worker is None:
                worker = ShardWorker(ShardSetup.from_data(request["setup"]))
                answer: dict[str, Any] = {}
            else:
                answer = worker.handle(request, line.watch)
        except PuzzlekitError as error:
            line.send(_said("error", number, {"kind": type(error).__name__, "text": str(error)}))
        except Exception as error:  # the driver reports the error
            line.send(_said("error", number, {"kind": "", "text": one_line(error)}))
        else:
            line.send(_said("answer", number, answer))


if __name__ == "__main__":
    main()
