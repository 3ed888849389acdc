"""The driver of a job in shards: asks all workers for one step of a depth at a time, and notes what they have found.

A depth is finished when the manifest in the folder of the job counts it. If a worker is lost before that, all workers
drop the depth and begin it again, in a new epoch.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from puzzlekit import errors
from puzzlekit.errors import JobError, LimitError, PuzzlekitError
from puzzlekit.run.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from puzzlekit.jobs.shards.protocol import Message, Workers
    from puzzlekit.run.watch import Watch

LOOK_EVERY = 0.05
"""The seconds between two calls of the watch."""

MOST_LOSSES = 3
"""The most workers that may be lost within one depth. If more are, the run gives up."""


@dataclass(frozen=True)
class ShardProgress(Progress):
    """The progress of an enumeration in shards.

    Attributes:
        skew: The states of the current depth in the largest shard, divided by the average over all shards.
        waiting: The shards that have not finished the current step yet.
    """

    skew: float = 1.0
    waiting: tuple[int, ...] = ()


class _LostError(Exception):
    """Raised if a worker was lost. The depth has to be begun again."""


class _StoppedError(Exception):
    """Raised if the watch has stopped the run."""


class ShardRun:
    """One run of the driver of a job.

    Args:
        driver: The driver in the engine, which keeps the manifest.
        shards: How many shards there are.
        workers: Makes the workers. It is not called if there is nothing to do.
        watch: Called with the progress. If it returns something true, the run stops.
        checkpoint: After how many seconds the values that have spread are kept, again and again; `None` if no values
            are to be found.
    """

    def __init__(
        self,
        driver: Any,  # noqa: ANN401 - run/engine/ alone knows its type
        shards: int,
        workers: Callable[[], Workers],
        watch: Watch | None,
        checkpoint: float | None = None,
    ) -> None:
        self._driver = driver
        self._checkpoint = checkpoint
        self._losses = 0
        self._shards = shards
        self._workers = workers
        self._watch = watch
        self._begun = time.monotonic()
        self._number = 0
        self._lost: dict[int, str] = {}
        self._told: dict[int, dict[str, int]] = {}
        self._anew = False
        self._advanced = False
        """`True` if this run has something that no earlier run has kept, and has kept it or will, if it is stopped."""
        self._unkept = 0
        """The number of rounds that values have spread since the last checkpoint."""

    def to_the_end(self, *, anew: bool = False) -> str | None:
        """Finds all depths and values. Returns `None`, or the reason if the run stops before the end.

        With `anew`, all shards first drop the values that have spread so far, and begin them again.
        """
        if self._is_whole():
            return None
        self._anew = anew
        workers = self._workers()
        try:
            return self._run(workers)
        except _StoppedError:
            return "watch"
        finally:
            workers.close()

    def _manifest(self) -> dict[str, Any]:
        manifest: dict[str, Any] = json.loads(self._driver.manifest())
        return manifest

    def _is_whole(self) -> bool:
        """Returns `True` if nothing is left to do."""
        manifest = self._manifest()
        stage = manifest.get("values")
        if not manifest["complete"] or stage is None or self._checkpoint is None or stage.get("counted", False):
            return bool(manifest["complete"])
        # A run that has ended with all values has no epoch.
        return len(stage["depths"]) == len(manifest["depths"]) and not manifest.get("epoch")

    def _run(self, workers: Workers) -> str | None:
        every = range(self._shards)
        self._lost = dict.fromkeys(every, "it was not started yet")
        while not self._is_whole():
            try:
                if self._lost:
                    self._start_lost(workers)
                if self._manifest()["complete"]:
                    self._find_values(workers)
                    continue
                depths = self._manifest()["depths"]
                if depths and depths[-1]["open"] == 0:
                    self._driver.finish(True)
                    continue
                most = self._driver.max_depth
                if depths and most is not None and most < len(depths):
                    return "max-depth"
                if self._find_depth(workers, depths) == 0:
                    # The depth that was found has no states, so the depth before it is the last. The empty depth is not
                    # counted.
                    self._begin(workers)
                    self._driver.finish(True)
                    self._advanced = True
                self._losses = 0
            except _LostError:
                self._losses += 1
                if self._losses >= MOST_LOSSES:
                    shard, text = next(iter(self._lost.items()))
                    raise LimitError(
                        f"the worker of shard {shard} was lost {self._losses} times {self._where()} ({text}); the "
                        "depths before are kept: see why, and resume the job"
                    ) from None
                self._driver.next_epoch()
        return None

    def _where(self) -> str:
        """A phrase for messages: what the run is doing now."""
        manifest = self._manifest()
        return "while values were found" if manifest["complete"] else f"in depth {len(manifest['depths'])}"

    def _start_lost(self, workers: Workers) -> None:
        """Replaces lost workers by new ones. Then all workers drop depths that the manifest does not count."""
        starting = sorted(self._lost)
        self._lost.clear()
        for shard in starting:
            workers.start(shard)
        self._wait(workers, starting, 0)
        self._begin(workers)

    def _begin(self, workers: Workers) -> None:
        manifest = self._manifest()
        valued = len((manifest.get("values") or {"depths": ()})["depths"])
        request = {"verb": "begin", "depths": len(manifest["depths"]), "valued": valued, "anew": self._anew}
        begun = self._ask_all(workers, lambda _: request)
        self._anew = False
        if self._driver.local:
            self._driver.set_seen([answer["seen"] for answer in begun])

    def _find_depth(self, workers: Workers, depths: Sequence[dict[str, Any]]) -> int:
        """Finds and keeps the next depth, and returns how many states it has."""
        generated = [0] * self._shards
        files: dict[int, list[dict[str, Any]]] = {}
        if depths:
            self._told = {}
            expanded = self._ask_all(workers, lambda _: {"verb": "expand", "holds": True})
            generated = [answer["generated"] for answer in expanded]
            files = _received(expanded)
        closed = self._ask_all(
            workers, lambda shard: {"verb": "close", "generated": generated[shard], "files": files.get(shard, [])}
        )
        states: int = self._driver.commit(json.dumps(closed))
        self._advanced = self._advanced or states > 0
        return states

    def _find_values(self, workers: Workers) -> None:
        """Finds and keeps the values of all depths that have none yet, from the last depth to the first."""
        manifest = self._manifest()
        left = len(manifest["depths"]) - len(manifest["values"]["depths"])
        self._unkept = 0
        try:
            if left and not self._driver.layered:
                self._spread(workers)
            for depth in reversed(range(left)):
                if self._driver.layered:
                    self._sweep(workers, depth)
                self._keep_values(workers, depth)
        except _StoppedError:
            # A worker that was lost at the same time would never answer; what was kept before stays. One that is lost
            # meanwhile does not undo the stop.
            if self._unkept and not self._lost:
                self._watch = None
                with suppress(_LostError):
                    self._keep_spread(workers)
            raise
        # The shards keep their checkpoints until the job counts all values, so that no kill loses both. Nothing is left
        # to be stopped.
        self._watch = None
        self._begin(workers)
        self._driver.end_values()

    def _keep_values(self, workers: Workers, depth: int) -> None:
        """Asks all shards to write the values of a depth to their files."""
        parts = self._ask_all(workers, lambda _: {"verb": "keep-values", "depth": depth})
        self._driver.commit_values(json.dumps(parts))
        self._losses = 0
        self._advanced = True

    def _keep_spread(self, workers: Workers) -> None:
        """Asks all shards to keep how far values have spread."""
        self._ask_all(workers, lambda _: {"verb": "keep-spread"})
        self._losses = self._unkept = 0

    def _sweep(self, workers: Workers, depth: int) -> None:
        """Finds the values of a depth from those of the next one, in rounds. Each round does a part of the states."""
        more = True
        while more:
            asked = self._ask_all(workers, lambda _: {"verb": "ask", "depth": depth})
            more = any(answer["more"] for answer in asked)
            self._take(workers, self._tell(workers, depth, _received(asked)))

    def _spread(self, workers: Workers) -> None:
        """Spreads values through all states, in rounds. The last round is one in which no shard decides a value."""
        asked = self._ask_all(workers, lambda _: {"verb": "ask", "depth": None})
        moves = min(answer["moves"] for answer in asked)
        told = self._tell(workers, moves, _received(asked))
        self._take(workers, told, again=True)
        while any(answer["more"] for answer in told):
            told = self._tell(workers, moves, None, again=True)
            self._take(workers, told, again=True)
        every = self._checkpoint or 0.0
        due = time.monotonic() + every
        while True:
            told = self._tell(workers, moves, None)
            if not any(answer["told"] for answer in told):
                break
            self._unkept += 1
            self._take(workers, told)
            moves += 1
            self._advanced = True
            if time.monotonic() >= due:
                begun = time.monotonic()
                self._keep_spread(workers)
                # If writing a checkpoint takes long, the next one is written later: after ten times as long.
                due = time.monotonic() + max(every, 10 * (time.monotonic() - begun))

    def _tell(
        self,
        workers: Workers,
        moves: int,
        files: Mapping[int, list[dict[str, Any]]] | None,
        *,
        again: bool = False,
    ) -> list[dict[str, Any]]:
        """Asks all shards to send values to each other, and returns their answers in the order of the shards.

        `files` has, for each shard, the files in which others ask for its values. If it is `None`, each shard sends the
        values that it has found last; with `again`, it sends more of those that were already sent before a checkpoint.
        """
        return self._ask_all(
            workers,
            lambda shard: {
                "verb": "tell",
                "moves": moves,
                "files": None if files is None else files.get(shard, []),
                "again": again,
            },
        )

    def _take(self, workers: Workers, told: Sequence[dict[str, Any]], *, again: bool = False) -> None:
        """Asks all shards to read the values that were sent to them."""
        files = _received(told)
        self._ask_all(workers, lambda shard: {"verb": "take", "files": files.get(shard, []), "again": again})

    def _ask_all(self, workers: Workers, request: Callable[[int], dict[str, Any]]) -> list[dict[str, Any]]:
        """Asks all workers for a step, and waits. Returns their answers in the order of the shards."""
        self._number += 1
        every = range(self._shards)
        for shard in every:
            workers.ask(shard, self._number, {**request(shard), "epoch": self._driver.epoch})
        answers = self._wait(workers, every, self._number)
        return [answers[shard] for shard in every]

    def _wait(self, workers: Workers, shards: Sequence[int], number: int) -> dict[int, dict[str, Any]]:
        """Waits until the workers of `shards` have answered a request, and returns their answers by shard.

        If a worker fails or is lost, all others are asked to stop.
        """
        waiting = set(shards)
        answers: dict[int, dict[str, Any]] = {}
        failed: Message | None = None
        # The manifest does not change while the workers are waited for.
        depths = [] if self._watch is None else self._manifest()["depths"]
        stopping = halted = False
        while waiting:
            message = workers.next(LOOK_EVERY)
            if not halted and self._asks_to_stop(depths, tuple(sorted(waiting)) if answers else ()):
                halted = True
            if message is not None and (message.kind == "lost" or message.number == number):
                data = dict(message.data or {})
                if message.kind == "progress":
                    self._told[message.shard] = data
                    continue
                waiting.discard(message.shard)
                if message.kind == "lost":
                    self._lost[message.shard] = data["text"]
                elif message.kind == "error":
                    # Who gives up a request because of a stop answers with a `LimitError`. All else is a failure.
                    stopped = stopping and data["kind"] == LimitError.__name__
                    failed = failed or (None if stopped else message)
                else:
                    answers[message.shard] = data
            if waiting and not stopping and (halted or failed or self._lost):
                stopping = True
                # A worker that is still being started has no request that could be stopped.
                for shard in waiting if number else ():
                    workers.stop(shard)
        if failed is not None:
            raise _error(failed)
        if halted:
            raise _StoppedError
        if self._lost:
            raise _LostError
        return answers

    def _asks_to_stop(self, depths: Sequence[dict[str, Any]], waiting: tuple[int, ...]) -> bool:
        if self._watch is None:
            return False
        told = self._told.values()
        frontier = depths[-1]["open"] if depths else 0
        largest = max((figures["frontier"] for figures in told), default=0)
        progress = ShardProgress(
            depth=max(len(depths) - 1, 0),
            frontier=frontier,
            expanded=min(sum(figures["expanded"] for figures in told), frontier),
            states=sum(depth["states"] for depth in depths),
            store_bytes=sum(figures["bytes"] for figures in told),
            seconds=time.monotonic() - self._begun,
            again=not self._advanced,
            skew=largest * self._shards / frontier if frontier and largest else 1.0,
            waiting=waiting,
        )
        return bool(self._watch(progress))


def _received(answers: Sequence[dict[str, Any]]) -> dict[int, list[dict[str, Any]]]:
    """For each shard, the files that were sent to it, by any shard."""
    files: dict[int, list[dict[str, Any]]] = {}
    for answer in answers:
        for sent in answer["sent"]:
            files.setdefault(sent["to"], []).append(sent["file"])
    return files


def _error(message: Message) -> PuzzlekitError:
    """The exception that a worker has raised, made again from the worker's message."""
    data = message.data or {}
    kind = getattr(errors, str(data["kind"]), None)
    if isinstance(kind, type) and issubclass(kind, PuzzlekitError):
        return kind(f"shard {message.shard}: {data['text']}")
    return JobError(f"the worker of shard {message.shard} failed: {data['text']}; see why, and resume the job")
