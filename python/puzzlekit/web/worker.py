"""The program of a process that answers requests one after another. Requests and answers are lines of JSON.

The server's main process starts some of these processes, and runs no code of a puzzle itself. So if a puzzle takes for
ever, takes all memory, or crashes, only one answer is lost. docs/serve.md, "How it is built", has a picture.

The first line that the process reads has the puzzles and the limits. Each further line is a request, or `stop`.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from puzzlekit.errors import PuzzlekitError, one_line
from puzzlekit.run.line import Line
from puzzlekit.run.memory import held_bytes
from puzzlekit.web.limits import Limits
from puzzlekit.web.offers import Offer, Shelf
from puzzlekit.web.request_fields import Request

if TYPE_CHECKING:
    from typing import BinaryIO

    from puzzlekit.run.progress import Progress
    from puzzlekit.web.tasks import Tasks


def main() -> None:
    """Answers requests until the main process closes the pipe."""
    outgoing = _private_output()
    begun = json.loads(sys.stdin.buffer.readline())
    if hasattr(os, "nice"):  # not on Windows
        os.nice(begun["niceness"])
    limits = Limits(**begun["limits"])
    _bound_memory(limits)
    line = Line(sys.stdin.buffer, outgoing, _told)
    shelf = _shelf(begun)
    from puzzlekit.web.tasks import Tasks

    tasks = Tasks(shelf, limits, line.watch, begun["libraries"])
    line.send({"ready": os.getpid()})
    while True:
        data = answered(tasks, Request(**line.next()))
        line.send(data | {"held": held_bytes()})


def _told(progress: Progress) -> dict[str, Any]:
    """The line that reports the progress of a search."""
    names = ("depth", "states", "expanded", "at_most", "at_least")
    return {"progress": {name: getattr(progress, name) for name in names}}


def answered(tasks: Tasks, request: Request) -> dict[str, Any]:
    """The data of an answer, or the error."""
    try:
        data = {"answer": tasks.do(request)}
        json.dumps(data)
    except PuzzlekitError as error:
        return {"error": str(error), "kind": type(error).__name__}
    except MemoryError:
        return {"error": "the answer takes more memory than there is for one; ask for a smaller puzzle", "kind": "full"}
    except (Exception, SystemExit) as error:  # code of a puzzle may fail in any way
        puzzle = request.text("puzzle") or ""
        return {"error": f"the puzzle {puzzle[:80]!a} failed with {one_line(error)}", "kind": "PluginError"}
    return data


def _private_output() -> BinaryIO:
    """Returns a copy of stdout for the answers. Output of a puzzle's own code goes to stderr from then on."""
    outgoing = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return outgoing


def _bound_memory(limits: Limits) -> None:
    """Bounds the address space, if the system can."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = limits.address_bytes if hard == resource.RLIM_INFINITY else min(limits.address_bytes, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def _shelf(begun: dict[str, Any]) -> Shelf:
    from puzzlekit.plugins.loader import Plugins

    # The main process has given all warnings about plugins when it was started.
    plugins = Plugins(()) if begun["no_plugins"] else Plugins.discover(warn=lambda _: None)
    return Shelf([Offer(**offer) for offer in begun["offers"]], plugins)


if __name__ == "__main__":
    main()
