"""Pools of processes that answer requests, with limits on the processes, on the waiting requests, and on the time."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections import deque
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from puzzlekit.errors import PuzzlekitError
from puzzlekit.run.line import STOP

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Iterable, Sequence

    from puzzlekit.web.limits import Limits
    from puzzlekit.web.offers import Offer
    from puzzlekit.web.request_fields import Request

LONGEST_LINE = 64 * 1024**2
"""The longest line that a process may send, in bytes. Each answer is a line."""

GRACE = 1.0
"""A process is asked to stop if its time is over, or if nobody waits for its answer. It is killed if it has not stopped
after this many seconds."""

START_SECONDS = 60.0
"""The seconds within which a process must be ready."""


class BusyError(PuzzlekitError):
    """Too many requests are waiting already."""


class LateError(PuzzlekitError):
    """An answer took too long, and the process was ended.

    Attributes:
        seconds: How many seconds it had.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the answer took more than {seconds:g} seconds; ask for less")
        self.seconds = seconds


async def every(begun: Iterable[Awaitable[object]]) -> None:
    """Waits until several things are done or have failed. Then raises the exception of the first that failed, if any.

    `asyncio.gather` raises it at once, and leaves the others running, so that nobody would end their processes.
    """
    for done in await asyncio.gather(*begun, return_exceptions=True):
        if isinstance(done, BaseException):
            raise done


class LostError(PuzzlekitError):
    """A process ended in the middle of an answer."""


class FailedError(PuzzlekitError):
    """A request cannot be answered.

    Attributes:
        kind: The name of the exception that said so in the process.
    """

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True)
class Setting:
    """The setting of a pool's processes. Each process reads it as its first line.

    Attributes:
        offers: The puzzles.
        limits: What a request may cost.
        no_plugins: Whether plugins are left out.
        niceness: The `nice` value of the processes: with a larger one, they step back for other programs.
        libraries: The libraries in which states are looked up, as paths and addresses.
    """

    offers: Sequence[Offer]
    limits: Limits
    no_plugins: bool = False
    niceness: int = 0
    libraries: Sequence[str] = ()

    def line(self) -> bytes:
        """The setting as a line of JSON."""
        return json.dumps(asdict(self)).encode() + b"\n"


class Worker:
    """One process. It answers one request at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.held = 0

    @classmethod
    async def start(cls, setting: Setting) -> Worker:
        """Starts a process, and waits until it is ready.

        Raises:
            LostError: The process cannot be started, has ended, or is not ready within `START_SECONDS`.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-m", "puzzlekit.web.worker"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=LONGEST_LINE,
                # Ctrl-C must reach only the server's main process, which ends this one.
                start_new_session=os.name != "nt",
            )
        except OSError as error:
            raise LostError(
                f"a process that answers cannot be started: {error.strerror or error}; allow more open files, "
                "processes or memory (ulimit -n, ulimit -u, ulimit -v)"
            ) from error
        worker = cls(process)
        try:
            async with asyncio.timeout(START_SECONDS):
                await worker._send(setting.line())
                await worker._receive()
        except BaseException:
            worker.end()
            raise
        return worker

    async def answers(self, request: Request, seconds: float) -> AsyncGenerator[dict[str, Any], None]:
        """Sends a request, and yields the lines that the process sends: reports of progress, and the answer last.

        Raises:
            LateError: The answer takes too long.
            LostError: The process ended.
            FailedError: There is no answer.
        """
        end = asyncio.get_running_loop().time() + seconds
        await self._send(json.dumps({"verb": request.verb, "given": dict(request.given)}).encode() + b"\n")
        while True:
            try:
                async with asyncio.timeout_at(end):
                    line = await self._receive()
            except TimeoutError:
                raise LateError(seconds) from None
            if "progress" not in line:
                break
            yield line
        self.held = int(line.pop("held", 0))
        if "error" in line:
            raise FailedError(line["error"], line["kind"])
        yield line

    async def cancel(self) -> bool:
        """Asks the process to stop its search. Returns whether it did so in time and can answer other requests."""
        try:
            async with asyncio.timeout(GRACE):
                await self._send(json.dumps(STOP).encode() + b"\n")
                while "progress" in await self._receive():
                    pass
        except (TimeoutError, LostError):
            return False
        return True

    def end(self) -> None:
        """Ends the process."""
        with suppress(ProcessLookupError):
            self._process.kill()

    async def gone(self) -> None:
        """Waits until the process has ended."""
        await self._process.wait()

    async def _send(self, line: bytes) -> None:
        if self._process.stdin is None:
            raise LostError("the process that answers cannot be reached; try again")
        try:
            self._process.stdin.write(line)
            await self._process.stdin.drain()
        except (ConnectionError, OSError):
            raise LostError("the process that answers has ended; try again") from None

    async def _receive(self) -> dict[str, Any]:
        if self._process.stdout is None:
            raise LostError("the process that answers cannot be reached; try again")
        line = await self._process.stdout.readline()
        if not line:
            raise LostError("the process that answers has ended; it may have taken too much memory")
        data: dict[str, Any] = json.loads(line)
        return data


class Pool:
    """Processes of one kind. Requests wait in a line until one is free.

    Args:
        setting: The setting of the processes.
        workers: How many processes there are.
        waiting: How many requests may wait.
        seconds: How long an answer may take.
    """

    def __init__(self, setting: Setting, *, workers: int, waiting: int, seconds: float) -> None:
        self._setting = setting
        self._count = workers
        self._most_waiting = waiting
        self._seconds = seconds
        self._free: list[Worker] = []
        self._all: set[Worker] = set()
        self._line: deque[asyncio.Future[None]] = deque()
        self._running = 0
        self._cleaning: set[asyncio.Task[None]] = set()
        self._closed = False

    async def start(self) -> None:
        """Starts all processes.

        Raises:
            LostError: One cannot be started.
        """
        await every(self._new() for _ in range(self._count))
        self._free = list(self._all)

    async def close(self) -> None:
        """Ends all processes."""
        self._closed = True
        for worker in self._all:
            worker.end()
        await asyncio.gather(*(worker.gone() for worker in self._all), *self._cleaning, return_exceptions=True)

    @property
    def waiting(self) -> int:
        """The number of requests that wait."""
        return len(self._line)

    async def answers(self, request: Request) -> AsyncGenerator[dict[str, Any], None]:
        """Yields reports of progress, and the answer last. If the reader stops reading, the search is stopped.

        Raises:
            PuzzlekitError: There is no answer; the message says why.
        """
        await self._turn()
        worker, whole = None, False
        try:
            worker = self._free.pop() if self._free else await self._new()
            async for line in worker.answers(request, self._seconds):
                yield line
            whole = True
        except FailedError:
            whole = True
            raise
        finally:
            # A separate task cleans up and gives the place to the next request, so this is done even if the request is
            # cancelled.
            task = asyncio.ensure_future(self._clean(worker, whole=whole))
            self._cleaning.add(task)
            task.add_done_callback(self._cleaning.discard)

    async def answer(self, request: Request) -> dict[str, Any]:
        """The answer alone; see `answers`."""
        answer: dict[str, Any] = {}
        async for line in self.answers(request):
            answer = line
        return dict(answer["answer"])

    async def _turn(self) -> None:
        """Waits for a place: until fewer requests are being answered than the pool has processes."""
        if self._running < self._count and not self._line:
            self._running += 1
            return
        if len(self._line) >= self._most_waiting:
            raise BusyError("too many answers are waited for; try again in a moment")
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._line.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self._hand_on()
            else:
                self._line.remove(place)
            raise

    def _hand_on(self) -> None:
        """Gives a free place to the request that has waited longest."""
        while self._line:
            place = self._line.popleft()
            if not place.done():
                place.set_result(None)
                return
        self._running -= 1

    async def _clean(self, worker: Worker | None, *, whole: bool) -> None:
        """Makes a process ready for the next request, or starts another in its place. Then lets that request begin.

        Args:
            worker: The process; `None` if none could be started.
            whole: Whether the process has sent its answer. If not, it is asked to stop.
        """
        try:
            if worker is not None:
                if not whole:
                    whole = await worker.cancel()
                if whole and worker.held < self._setting.limits.worker_bytes and not self._closed:
                    self._free.append(worker)
                else:
                    worker.end()
                    await worker.gone()
                    self._all.discard(worker)
                    if not self._closed:
                        with suppress(PuzzlekitError, TimeoutError, OSError):
                            self._free.append(await self._new())
        finally:
            self._hand_on()

    async def _new(self) -> Worker:
        worker = await Worker.start(self._setting)
        self._all.add(worker)
        return worker
