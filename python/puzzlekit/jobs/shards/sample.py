"""Runs the first depths of a job in shards in this process, and measures them, as the sample for a plan."""

from __future__ import annotations

import tempfile
import time
from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from puzzlekit.errors import DiskError, LimitError, PuzzlekitError
from puzzlekit.jobs.shards.executor import Executor
from puzzlekit.jobs.shards.protocol import Message
from puzzlekit.jobs.shards.worker import ShardWorker
from puzzlekit.run.job_parts import JobFolder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from puzzlekit.run.engine import Engine
    from puzzlekit.run.job_parts import ShardSetup
    from puzzlekit.run.options import RunOptions
    from puzzlekit.run.progress import Progress
    from puzzlekit.run.report import Report

SAMPLE_SUCCESSORS = 4_000_000
"""About the most successors that a sample makes: one or two seconds of processor time if states are small."""

SAMPLE_SECONDS = 10.0
"""The seconds after which a sample ends at the latest, such as with wide states."""


@dataclass
class SampledDepth:
    """The counts of one depth of a sample, summed up over all shards."""

    states: int = 0
    open: int = 0
    successors: int = 0
    sent_words: int = 0
    wire_words: int = 0
    sent_bytes: int = 0
    wire_bytes: int = 0
    file_bytes: int = 0
    seconds: float = 0.0
    largest: int = 0
    closed: int = 0
    fixed: int | None = None


class Sample(Executor):
    """The first depths of a job in shards. The shards take turns in this process, in a temporary folder."""

    shards: int
    name = "--dry-run"

    def __init__(self, engine: Engine, puzzle: str, shards: int, options: RunOptions) -> None:
        self.shards = shards
        self.found: list[SampledDepth] = [SampledDepth()]
        self.enough = False
        self.moves: int = len(engine.move_names)
        given = replace(options, threads=1, disk=None, checkpoint=None)
        try:
            with tempfile.TemporaryDirectory(prefix="puzzlekit-plan-") as place:
                report = self._run(engine, puzzle, given, f"{place}/job")
        except (OSError, DiskError) as error:
            raise DiskError(
                f"the files of a sample cannot be written ({error}); set TMPDIR to a folder with room"
            ) from None
        # A depth counts as part of the sample only if all shards have finished it.
        self.found = [each for each in self.found if each.closed == shards]
        if not self.found:
            raise LimitError(f"not even depth 0 was found in {SAMPLE_SECONDS:g} s; there is nothing to plan with")
        self.complete: bool = report.complete
        self.symmetry_order: int = report.symmetry_order
        most = max(self.found, key=lambda each: each.successors)
        self.seconds_per_successor: float = most.seconds / most.successors if most.successors else 0.0
        largest = max(self.found, key=lambda each: each.states)
        self.skew: float = largest.largest * shards / largest.states
        for each in self.found:
            if each.fixed is not None:  # bits, of which the shards count symmetric ones separately: Burnside's lemma
                each.states = each.open = (each.states + each.fixed) // self.symmetry_order

    def _run(self, engine: Engine, puzzle: str, options: RunOptions, folder: str) -> Report:
        place = JobFolder(folder, puzzle)
        return self.enumerate(engine, puzzle, options, place, lambda _: self.enough)

    def workers(self, setup: ShardSetup) -> _Workers:
        """Workers for all shards, which work in this process, one after another."""
        return _Workers(setup, self)

    def goes_on(self) -> bool:
        """Returns `True` if expanding the next depth will probably not exceed the limit of successors.

        Its states are taken to have as many successors, on average, as the states of the depth before.
        """
        last = self.found[-1]
        before = self.found[-2] if len(self.found) > 1 else None
        each = last.successors / before.open if before is not None and before.open else self.moves
        made = sum(depth.successors for depth in self.found)
        return made + last.open * each <= SAMPLE_SUCCESSORS


@dataclass
class _Workers:
    """Workers inside this process. A worker does its work while it is asked, so its answer is there at once."""

    setup: ShardSetup
    sample: Sample
    end: float = field(default_factory=lambda: time.monotonic() + SAMPLE_SECONDS)
    opened: dict[int, ShardWorker] = field(default_factory=dict)
    arrived: deque[Message] = field(default_factory=deque)

    def start(self, shard: int) -> None:
        """Opens a shard, and answers that it is ready."""
        self.opened[shard] = ShardWorker(self.setup.of_shard(shard))
        self.arrived.append(Message(shard, "answer", 0, {}))

    def ask(self, shard: int, number: int, request: Mapping[str, Any]) -> None:
        """Lets a worker do what is asked, and notes the time and the bytes that this took."""
        sample = self.sample
        if request["verb"] == "expand":
            # The runs that a shard has for itself are written to files, and so they are measured. If the memory is full
            # they are written in the run itself, too.
            request = {**request, "holds": False}
        if request["verb"] == "expand" and shard == 0:
            sample.enough = sample.enough or not sample.goes_on() or self._over()
            sample.found.append(SampledDepth())
        answer: dict[str, Any] = {}
        if not sample.enough:
            begun = time.process_time()
            try:
                answer = self.opened[shard].handle(request, self._over)
            except PuzzlekitError as error:
                if not self._over():
                    data = {"kind": type(error).__name__, "text": str(error)}
                    self.arrived.append(Message(shard, "error", number, data))
                    return
                sample.enough = True
            else:
                self._note(shard, request["verb"], answer, time.process_time() - begun)
        # If `enough` is set, the answer may be empty, but the driver stops before it reads it.
        self.arrived.append(Message(shard, "answer", number, answer))

    def stop(self, shard: int) -> None:
        """Does nothing, since no worker is ever at work when this is called."""

    def next(self, seconds: float) -> Message | None:
        """The next answer; `None` if there is none."""
        del seconds
        return self.arrived.popleft() if self.arrived else None

    def close(self) -> None:
        """Forgets the workers."""
        self.opened.clear()

    def _over(self, _progress: Progress | None = None) -> bool:
        return time.monotonic() >= self.end

    def _note(self, shard: int, verb: str, answer: Mapping[str, Any], seconds: float) -> None:
        depth = self.sample.found[-1]
        depth.seconds += seconds
        if verb == "expand":
            depth.successors += answer["generated"]
            for sent in answer["sent"]:
                words, size = sent["words"], sent["file"]["bytes"]
                depth.sent_words += words
                depth.sent_bytes += size
                if sent["to"] != shard:
                    depth.wire_words += words
                    depth.wire_bytes += size
        elif verb == "close":
            depth.states += answer["states"]
            depth.open += answer["open"]
            depth.file_bytes += sum(file["bytes"] for file in answer["files"])
            depth.largest = max(depth.largest, answer["states"])
            depth.closed += 1
            if "fixed" in answer:
                depth.fixed = (depth.fixed or 0) + answer["fixed"]
