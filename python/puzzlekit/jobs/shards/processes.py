"""The executor `processes:K`, whose workers are processes of this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from puzzlekit.errors import UsageError
from puzzlekit.jobs.shards.executor import Executor
from puzzlekit.jobs.shards.protocol import MOST_SHARDS, Message
from puzzlekit.jobs.shards.worker import ShardWorker
from puzzlekit.run.engine.machine import memory_limit
from puzzlekit.run.line import STOP

if TYPE_CHECKING:
    from collections.abc import Mapping

    from puzzlekit.run.job_parts import ShardSetup

ALLOCATOR = {"MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_THRESHOLD_": f"{32 << 20}", "MALLOC_TRIM_THRESHOLD_": f"{128 << 20}"}
"""The settings of the allocator of Linux in the process of a shard: up to 128 MiB of freed memory are kept, because
each step takes lists of about the same sizes as the one before. What is taken from the system anew is filled with zeros
first."""

SECONDS_TO_END = 5.0
"""The seconds that a process has to end by itself before it is killed."""


def processes(count: str, shards: int | None = None) -> Processes:
    """Makes the executor that is called `processes:K` on the command line. `K` is the number of processes.

    >>> processes("2").name, processes("", 3).name
    ('processes:2', 'processes:3')

    Args:
        count: The text after `processes:`.
        shards: The number of processes if that text is empty.

    Raises:
        UsageError: The text is no number of processes.
    """
    count = count or str(shards or "")
    if not count.isascii() or not count.isdecimal() or not 1 <= int(count[:9]) <= MOST_SHARDS:
        raise UsageError(f'"{count}" is no number of processes; give 1 to {MOST_SHARDS}, such as processes:2')
    return Processes(int(count[:9]))


@dataclass(frozen=True)
class Processes(Executor):
    """The executor with a process of this machine for each shard.

    Each process takes an equal part of the cores and of the memory, unless the options say otherwise.
    """

    shards: int

    @property
    def name(self) -> str:
        """The name of the executor on the command line."""
        return f"processes:{self.shards}"

    def workers(self, setup: ShardSetup) -> ProcessWorkers:
        """The processes of a job, none of which is started yet.

        Raises:
            CorruptError: The folder of a shard is on another machine.
        """
        if setup.local:
            ShardWorker.check_held(setup, ShardWorker.held(setup))
        threads = setup.options["threads"] or max(1, (os.cpu_count() or 1) // self.shards)
        memory = memory_limit(None) // self.shards if setup.memory is None else setup.memory
        return ProcessWorkers(replace(setup, options={**setup.options, "threads": threads}, memory=memory))


class _Process:
    """One process, with the pipe to its stdin and the pipe from its stdout."""

    def __init__(self, setup: ShardSetup) -> None:
        process = subprocess.Popen(
            [sys.executable, "-m", "puzzlekit.jobs.shards.process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # In a session of its own, the process does not get Ctrl-C, which is meant for the driver.
            start_new_session=os.name != "nt",
            env={**ALLOCATOR, **os.environ},
        )
        assert process.stdin is not None
        assert process.stdout is not None
        self.shard = setup.shard
        self.lines = process.stdout
        self._requests = process.stdin
        self._process = process
        self.send({"verb": "open", "number": 0, "setup": setup.to_data()})

    def send(self, data: Mapping[str, Any] | str) -> None:
        """Sends a request, or `stop` to give the last one up. If the process has ended, nothing happens here."""
        with suppress(OSError, ValueError):
            self._requests.write(json.dumps(data).encode() + b"\n")
            self._requests.flush()

    def hang_up(self) -> None:
        """Closes the pipe to the process, which makes the process end."""
        with suppress(OSError):
            self._requests.close()

    def end(self) -> int:
        """Waits for the end of the process, and kills it if it takes long. Returns its exit code."""
        try:
            return self._process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def wait(self) -> int:
        """Waits for the end of the process, however long it takes. Returns its exit code."""
        return self._process.wait()


class ProcessWorkers:
    """The processes of a job, and the messages that arrive from them."""

    def __init__(self, setup: ShardSetup) -> None:
        self._setup = setup
        self._processes: dict[int, _Process] = {}
        self._arrived: SimpleQueue[Message] = SimpleQueue()

    def start(self, shard: int) -> None:
        """Starts the process of a shard, in place of an earlier one."""
        before = self._processes.pop(shard, None)
        if before is not None:
            before.hang_up()
            before.end()
        process = self._processes[shard] = _Process(self._setup.of_shard(shard))
        threading.Thread(target=self._listen, args=(process,), daemon=True).start()

    def ask(self, shard: int, number: int, request: Mapping[str, Any]) -> None:
        """Sends a request to the process of a shard."""
        self._processes[shard].send({**request, "number": number})

    def stop(self, shard: int) -> None:
        """Asks the process of a shard to give up its request."""
        self._processes[shard].send(STOP)

    def next(self, seconds: float) -> Message | None:
        """The next message of any process; `None` if none arrives in that time."""
        try:
            return self._arrived.get(timeout=seconds)
        except Empty:
            return None

    def close(self) -> None:
        """Ends all processes."""
        ending, self._processes = list(self._processes.values()), {}
        for process in ending:
            process.hang_up()
        for process in ending:
            process.end()

    def _listen(self, process: _Process) -> None:
        # If a process was killed, its last line may be cut off, so that it is no JSON.
        with process.lines, suppress(ValueError):
            for line in process.lines:
                said = json.loads(line)
                self._arrived.put(Message(process.shard, said["kind"], said["number"], said["data"]))
        code = process.wait()
        if self._processes.get(process.shard) is process:
            self._arrived.put(Message(process.shard, "lost", data={"text": f"its process ended with code {code}"}))
