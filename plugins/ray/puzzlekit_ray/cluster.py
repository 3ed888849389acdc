"""Workers that are actors of Ray. States go from shard to shard as files, so Ray carries only requests and answers."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import ray
from ray._private import ray_constants
from ray.exceptions import RayError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from puzzlekit import PuzzlekitError
from puzzlekit.shards import Executor, Message, ShardSetup, ShardWorker

# If `uv run` has started this process, Ray would copy the working directory and start each worker in the copy by
# `uv run`, too. A worker ends at once if puzzlekit is not installed in the copy; it is installed on the machine. Ray
# reads the variable when it is imported, which has happened by now, so its constant is set as well.
if os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0") == "0":
    ray_constants.RAY_ENABLE_UV_RUN_RUNTIME_ENV = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from puzzlekit import Progress

TELL_EVERY = 0.5
"""Seconds between two questions for the progress of an actor."""

SECONDS_TO_START = 300
"""The seconds that an actor gets to start. Ray itself sets no limit: it waits for a free core, and if a process ends
while it starts, Ray starts another one.
"""

SECONDS_TO_ANSWER = 120
"""The seconds that a node gets to tell which folders it has. The node starts a process for the answer."""

SECONDS_TO_LISTEN = 10
"""The seconds that the first machine of a cluster gets to take up a connection."""

LOOPBACK = "127.0.0.2" if sys.platform == "linux" else "127.0.0.1"
"""The address of a Ray of this machine. On Linux, Ray takes another one of the machine's in place of 127.0.0.1."""


class Shard:
    """An actor with a shard: it does one step at a time, while other calls stop it or ask for its progress."""

    def __init__(self, setup: dict[str, Any]) -> None:
        self._setup = setup
        self._worker: ShardWorker | None = None
        self._number = 0
        self._stopped = -1
        self._figures: dict[str, int] = {}

    def handle(self, number: int, request: dict[str, Any]) -> dict[str, Any]:
        """Answers a request. The first request opens the shard. Errors of puzzlekit are returned as answers, too."""
        self._number, self._figures = number, {}
        try:
            if self._worker is None:
                self._worker = ShardWorker(ShardSetup.from_data(self._setup))
                return {"answer": {}}
            return {"answer": self._worker.handle(request, self._watch)}
        except PuzzlekitError as error:
            return {"error": {"kind": type(error).__name__, "text": str(error)}}

    def stop(self, number: int) -> None:
        """Gives up a request."""
        self._stopped = number

    def figures(self) -> dict[str, int]:
        """The progress of the present request."""
        return self._figures

    def _watch(self, progress: Progress) -> bool:
        self._figures = {
            "frontier": progress.frontier,
            "expanded": progress.expanded,
            "bytes": progress.store_bytes,
        }
        return self._stopped >= self._number


def held(setup: dict[str, Any]) -> tuple[int, ...]:
    """The shards whose folders are on the disk of the node that is asked."""
    return ShardWorker.held(ShardSetup.from_data(setup))


def cores_of_nodes() -> dict[str, float]:
    """The nodes that are alive, and how many cores each has."""
    return {node["NodeID"]: node["Resources"].get("CPU", 0) for node in ray.nodes() if node["Alive"]}


class Pins:
    """The node that works on each shard of a job whose folders are on the disks of the nodes.

    Args:
        setup: The driver's first message, which describes the job.
        shards: How many shards there are.

    Raises:
        CorruptError: The job has depths, and no node has the folder of some shard.
    """

    def __init__(self, setup: ShardSetup, shards: int) -> None:
        self._setup = setup
        self._shards = shards
        self._nodes: dict[int, str] = {}
        self._find()

    @property
    def cores(self) -> float:
        """The number of cores that a shard may take so that all fit on their nodes."""
        cores, working = cores_of_nodes(), list(self._nodes.values())
        return whole_or_part(min(cores.get(node, 0) / working.count(node) for node in working))

    def node(self, shard: int) -> str:
        """The node of a shard. If this node is gone, all nodes are asked again which folders they have.

        Raises:
            CorruptError: The job has depths, and no node has the folder.
        """
        if self._nodes[shard] not in cores_of_nodes():
            self._find()
        return self._nodes[shard]

    def _find(self) -> None:
        cores = cores_of_nodes()
        ask = ray.remote(num_cpus=0, max_retries=0)(held)
        asked = {
            node: ask.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False)).remote(
                self._setup.to_data()
            )
            for node in cores
        }
        found: dict[str, tuple[int, ...]] = dict.fromkeys(cores, ())
        for node, answer in asked.items():
            # A node that does not answer is taken to have no folder. So is a node that fails, since it does not see the
            # folder of the job.
            with suppress(RayError):
                found[node] = ray.get(answer, timeout=SECONDS_TO_ANSWER)
        every = {shard for shards in found.values() for shard in shards}
        ShardWorker.check_held(self._setup, every, "on no machine of this cluster")
        self._nodes = pinned(cores, found, self._shards)


def pinned(cores: Mapping[str, float], found: Mapping[str, Sequence[int]], shards: int) -> dict[int, str]:
    """The node of each shard: one that has the shard's folder; for a new shard, the node with the fewest shards.

    >>> pinned({"a": 4, "b": 4}, {"a": (2,), "b": ()}, 4)
    {2: 'a', 0: 'b', 1: 'a', 3: 'b'}

    Args:
        cores: The nodes, and how many cores each has.
        found: The shards whose folders each node has.
        shards: How many shards there are.
    """
    working = [node for node in cores if cores[node] >= 1] or list(cores)
    # Several nodes have the folder of a shard if they see one disk, or if the shard was begun on another node and lost
    # before depth 0 was kept. In both cases any of them will do.
    having = {shard: [node for node in cores if shard in found[node]] or working for shard in range(shards)}
    nodes: dict[int, str] = {}
    for shard in sorted(having, key=lambda shard: len(having[shard])):
        nodes[shard] = min(having[shard], key=list(nodes.values()).count)
    return nodes


class RayExecutor(Executor):
    """Actors on a cluster, one for each shard.

    Args:
        address: The address of the cluster; empty for a Ray of this machine.
        shards: How many shards a new job has; one for each node if it is `None`, and two at least.
    """

    def __init__(self, address: str, shards: int | None) -> None:
        self._address = address
        self._shards = shards
        self._connected = False

    @property
    def name(self) -> str:
        """The name on the command line."""
        return f"ray:{self._address}" if self._address else "ray"

    @property
    def shards(self) -> int:
        """The number of shards of a new job."""
        if self._shards is None:
            self._connect()
            self._shards = max(2, sum(1 for node in ray.nodes() if node["Alive"]))
        return self._shards

    def ready(self) -> None:
        """Connects to the cluster. A Ray of this machine is started later, when it is needed."""
        if self._address:
            self._connect()

    def workers(self, setup: ShardSetup) -> RayWorkers:
        """The actors; none is started yet."""
        self._connect()
        pins = Pins(setup, self.shards) if setup.local else None
        cores = share(list(cores_of_nodes().values()), self.shards) if pins is None else pins.cores
        threads = setup.options["threads"] or max(1, int(cores))
        return RayWorkers(replace(setup, options={**setup.options, "threads": threads}), min(threads, cores), pins)

    def _connect(self) -> None:
        if self._connected or ray.is_initialized():
            return
        # By default, Ray sends statistics of its use to its makers, and serves a dashboard. Both are switched off.
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        here = {"include_dashboard": False, "_node_ip_address": LOOPBACK} if not self._address else {}
        with handlers_kept():
            try:
                listens(self._address)
                ray.init(address=self._address or "local", log_to_driver=False, logging_level="error", **here)
            except (OSError, OverflowError, RuntimeError, ValueError, RayError) as error:
                raise PuzzlekitError(self._why_not(error)) from None
        self._connected = True

    def _why_not(self, error: Exception) -> str:
        """Says why there is no cluster, and what to do."""
        said = " ".join(str(error).split())[:200]
        if not self._address:
            return f"Ray cannot be started on this machine: {said}"
        token = (
            "if it asks for a token, which each cluster of `ray start --head` does unless told otherwise, copy "
            "~/.ray/auth_token from its first machine and set RAY_AUTH_MODE=token"
        )
        return f"there is no Ray cluster at {self._address} that lets this machine in ({said}); start it, or {token}"


def listens(address: str) -> None:
    """Looks whether somebody listens at an address such as `10.0.0.1:6379`; Ray itself would try for many minutes.

    Raises:
        OSError: Nobody does.
    """
    host, colon, port = address.rpartition(":")
    if colon and port.isdigit() and "/" not in host:
        socket.create_connection((host.strip("[]"), int(port)), SECONDS_TO_LISTEN).close()


@contextmanager
def handlers_kept() -> Iterator[None]:
    """Keeps what this process does on Ctrl-C and SIGTERM. Ray would end it at once, before a run can say how far it is.

    >>> with handlers_kept():
    ...     _ = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    >>> signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    False
    """
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            for number, handler in handlers.items():
                if handler is not None:  # it was set by Python
                    signal.signal(number, handler)


def share(nodes: Sequence[float], shards: int) -> float:
    """The cores that each actor asks for, so that all fit: a whole number, or a part of a core if there are too few.

    >>> share([8, 8], 2), share([8, 4], 3), share([2], 3)
    (8, 2, 0.66)

    Args:
        nodes: The cores of each node.
        shards: How many actors there are.
    """
    working = [cores for cores in nodes if cores >= 1] or [1.0]
    return whole_or_part(min(working) / -(-shards // len(working)))


def whole_or_part(cores: float) -> float:
    """Cores as Ray takes them: a whole number, or hundredths of one."""
    return int(cores) if cores >= 1 else int(cores * 100) / 100


class RayWorkers:
    """The actors of a job, and what they answer."""

    def __init__(self, setup: ShardSetup, cores: float, pins: Pins | None = None) -> None:
        self._setup = setup
        self._pins = pins
        # An actor may have three calls at the same time: a step, a stop, and a question for the progress. Ray must not
        # restart a lost actor, since it would not open the shard again.
        options = {"num_cpus": cores, "scheduling_strategy": "SPREAD", "max_concurrency": 3, "max_restarts": 0}
        self._remote = ray.remote(**options)(Shard)
        self._actors: dict[int, Any] = {}
        self._asked: dict[Any, tuple[int, int]] = {}
        """The shard and the number of each request that is not answered."""
        self._figures: dict[Any, int] = {}
        self._starting: dict[int, float] = {}
        """The shards that are not open yet, and the time by which each must be."""
        self._tell_at = 0.0
        self._number = 0

    def start(self, shard: int) -> None:
        """Starts the actor of a shard."""
        before = self._actors.pop(shard, None)
        if before is not None:
            with suppress(RayError):
                ray.kill(before)
        remote = self._remote
        if self._pins is not None:
            pin = NodeAffinitySchedulingStrategy(self._pins.node(shard), soft=False)
            remote = remote.options(scheduling_strategy=pin)
        self._actors[shard] = remote.remote(self._setup.of_shard(shard).to_data())
        self._starting[shard] = time.monotonic() + SECONDS_TO_START
        self.ask(shard, 0, {"verb": "open"})

    def ask(self, shard: int, number: int, request: Mapping[str, Any]) -> None:
        """Asks an actor for something."""
        self._number = max(self._number, number)
        self._asked[self._actors[shard].handle.remote(number, dict(request))] = (shard, number)

    def stop(self, shard: int) -> None:
        """Asks an actor to give up what it does."""
        self._actors[shard].stop.remote(self._number)

    def next(self, seconds: float) -> Message | None:
        """The next message of any actor."""
        self._ask_for_figures()
        waiting = [*self._asked, *self._figures]
        if not waiting:
            time.sleep(seconds)
            return None
        ready, _ = ray.wait(waiting, num_returns=1, timeout=seconds)
        if not ready:
            return self._late()
        return self._progress(ready[0]) if ready[0] in self._figures else self._answer(ready[0])

    def _progress(self, ready: Any) -> Message | None:  # noqa: ANN401 - a reference of Ray
        shard = self._figures.pop(ready)
        figures: dict[str, int] = {}
        with suppress(RayError):
            figures = ray.get(ready)
        return Message(shard, "progress", self._number, figures) if figures else None

    def _late(self) -> Message | None:
        """A message with an error if some actor has not started in time; else `None`."""
        now = time.monotonic()
        late = next((shard for shard, until in self._starting.items() if now >= until), None)
        if late is None:
            return None
        del self._starting[late]
        text = (
            f"its actor has not started within {SECONDS_TO_START} seconds: the cluster may have no core free, or its "
            "processes end at once, which the logs of Ray's nodes tell (/tmp/ray/session_latest/logs)"
        )
        return Message(late, "error", 0, {"kind": "TimeoutError", "text": text})

    def _answer(self, ready: Any) -> Message:  # noqa: ANN401 - a reference of Ray
        shard, number = self._asked.pop(ready)
        self._starting.pop(shard, None)
        try:
            said = ray.get(ready)
        except RayError as error:
            return Message(shard, "lost", data={"text": " ".join(str(error).split())[:200]})
        kind = "error" if "error" in said else "answer"
        return Message(shard, kind, number, said[kind])

    def close(self) -> None:
        """Ends all actors."""
        for actor in self._actors.values():
            with suppress(RayError):
                ray.kill(actor)
        self._actors.clear()

    def _ask_for_figures(self) -> None:
        now = time.monotonic()
        if now >= self._tell_at and not self._figures:
            self._tell_at = now + TELL_EVERY
            self._figures = {
                self._actors[shard].figures.remote(): shard for shard, number in self._asked.values() if number
            }
