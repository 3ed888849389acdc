"""The forecast of a job in shards, from a sample of its first depths; docs/cluster.md has the model."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

from puzzlekit.jobs.shards.sample import Sample
from puzzlekit.run import overridable
from puzzlekit.run.options import RunOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from puzzlekit.jobs.shards.executor import Executor
    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.engine import Engine
    from puzzlekit.run.options import RunKeywords

SAMPLE_SHARDS = 8
"""The most shards of a sample. For a job with more shards, a second sample is taken with half as many, and costs are
extrapolated from both."""

NEXT_DEPTHS = 2
"""The number of depths after the sample that are predicted by growth."""

LEAST_GROWTH = 1.05
"""The smallest growth from one depth to the next that is assumed when all depths of a puzzle are counted."""

NETWORK_BYTES_PER_SECOND = 1_250_000_000
"""The bytes that a machine sends in a second: 10 Gbit/s."""

DISK_BYTES_PER_SECOND = 500_000_000
"""The bytes that a machine reads from its disk, or writes to it, in a second."""

SECONDS_PER_DEPTH = 0.02
"""The seconds of a depth with hardly any states: the shards wait for each other, and files are made durable."""

SECONDS_PER_RUN = 0.0001
"""The seconds to write a run and to read it, however small: with 32 and 64 shards on one machine, 75 to 140 us."""


@dataclass(frozen=True)
class PlannedDepth:
    """The costs of one depth, in all shards together.

    Attributes:
        depth: The number of moves. After the last depth, one more is expanded that has no new states.
        source: `"sample"` if it was found, `"growth"` if it is expected to grow as the depth before it did.
        states: How many states there are up to symmetry.
        open: The states from which play goes on.
        successors: The successors that are made of the open states of the depth before, the same ones again included.
        sent_words: The successors that the shards send each other and themselves: what a sender found several times
            is in its run once.
        wire_words: Those of `sent_words` that go to another shard.
        sent_bytes: The bytes of the runs with all that is sent.
        wire_bytes: Those of `sent_bytes` that go to another shard.
        file_bytes: The bytes of the files that are kept.
        reread_bytes: The bytes of files of earlier depths that are read to find out which states are new.
    """

    depth: int
    source: str
    states: int
    open: int
    successors: int
    sent_words: int
    wire_words: int
    sent_bytes: int
    wire_bytes: int
    file_bytes: int
    reread_bytes: int


@dataclass(frozen=True)
class PlannedTotal:
    """The costs of all depths of a plan together; the fields for sending are the same as those of `PlannedDepth`.

    Attributes:
        scope: `"complete"` if the sample has all states, `"max-depth"` if these are all depths that were asked for, and
            `"reachable"` if the number of all states is known. `"at least"`: the depths of the sample alone, after
            which there may be any number of others.
        depths: How many depths there are; with `"reachable"`, at least.
        states: How many states there are up to symmetry; with `"reachable"`, at least.
        successors: How many successors are made.
        sent_words: The successors that the shards send each other and themselves.
        wire_words: Those of `sent_words` that go to another shard.
        sent_bytes: The bytes of the runs with all that is sent.
        wire_bytes: Those of `sent_bytes` that go to another shard.
        file_bytes: The bytes of the files that are kept.
        reread_bytes: The bytes of files of earlier depths that are read again.
        processor_seconds: How long the shard with the most states computes.
        network_seconds: How long it sends.
        disk_seconds: How long it reads and writes.
        sync_seconds: How long the shards wait for each other, and make small files.
        hours: All of these together, one after the other.
    """

    scope: str
    depths: int
    states: int
    successors: int
    sent_words: int
    wire_words: int
    sent_bytes: int
    wire_bytes: int
    file_bytes: int
    reread_bytes: int
    processor_seconds: float
    network_seconds: float
    disk_seconds: float
    sync_seconds: float
    hours: float


@dataclass(frozen=True)
class ShardPlan:
    """The forecast of an enumeration in shards.

    Attributes:
        puzzle: The puzzle's text id.
        shards: How many shards there are; each is taken to have a machine.
        threads: How many threads each has.
        sample_shards: With how many shards the sample was taken. If there are two numbers, there were two samples, from
            which the costs were extrapolated.
        window: `"layered"`, `"inverse-closed"` or `"directed"`: which earlier depths a new state is compared with.
        symmetry_order: How many symmetries there are.
        reachable: How many states there are, with symmetric ones counted apart, if that is known.
        skew: How many times as many states the largest shard had as the average, in the largest depth of the sample.
        seconds_per_successor: The processor time that a successor took in that depth, from expanding to the files.
        network_bytes_per_second: What a machine is taken to send in a second.
        disk_bytes_per_second: What its disk is taken to read or write in a second.
        depths: The depths of the sample, and the next ones.
        total: What they take together; or all depths of the puzzle, if the number of its states is known; or the sample
            alone, if nothing is known of what comes after.
    """

    puzzle: str
    shards: int
    threads: int
    sample_shards: tuple[int, ...]
    window: str
    symmetry_order: int
    reachable: int | None
    skew: float
    seconds_per_successor: float
    network_bytes_per_second: int
    disk_bytes_per_second: int
    depths: tuple[PlannedDepth, ...]
    total: PlannedTotal

    def to_data(self) -> dict[str, Any]:
        """The plan as `puzzlekit enumerate --on WHERE --dry-run --json` prints it."""
        return {"schema": "puzzlekit.shard-plan/1", **asdict(self)}


def plan_in_shards(
    puzzle: Puzzle, on: Executor, run: RunOptions | None = None, **options: Unpack[RunKeywords]
) -> ShardPlan:
    """Forecasts the messages, files and time of `Puzzle.enumerate` with the same options, from a sample of depths.

    The sample is taken in this process, within some seconds, in a temporary folder that is removed.

    >>> import puzzlekit
    >>> from puzzlekit.shards import executor, plan_in_shards
    >>> plan = plan_in_shards(puzzlekit.load("tictactoe"), executor("processes:2"))
    >>> plan.total.scope, plan.total.states
    ('complete', 765)

    Args:
        puzzle: The puzzle.
        on: What would run it, such as `puzzlekit.shards.executor("processes:2")`.
        run: The options of the run, if they were made before.
        options: Options by their names, as in `Puzzle.enumerate`. `threads` is how many each machine has; one if it is
            `None`.

    Raises:
        UsageError: The rules or the options cannot be counted in shards.
        LimitError: Not even the first depth was found in time.
        DiskError: The files of the sample cannot be written.
    """
    asked = RunOptions.of(run, options)
    asked.refuse("a plan", "distances", "grundy", "starts")
    return _planned(puzzle.engine, str(puzzle), on, asked, overridable.count_reachable(puzzle))


def _planned(engine: Engine, puzzle: str, executor: Executor, options: RunOptions, reachable: int | None) -> ShardPlan:
    """The forecast of an enumeration in shards."""
    shards = executor.shards
    samples = [Sample(engine, puzzle, min(shards, SAMPLE_SHARDS), options)]
    if shards > SAMPLE_SHARDS:
        samples.append(Sample(engine, puzzle, SAMPLE_SHARDS // 2, options))
    counted = engine.backward if options.backward else engine
    sample = samples[0]
    depths = _depths(samples, shards, counted)
    whole = depths
    # A sample with fewer shards may have come less far, if the time was up.
    if sample.complete and len(depths) == len(sample.found):
        scope = "complete"
    else:
        last = len(depths) + NEXT_DEPTHS - 1
        most = options.max_depth
        depths = _grown(depths, last if most is None else min(last, most), counted.window)
        scope = "max-depth" if depths[-1].depth == most else "at least"
        whole = depths if scope == "max-depth" else whole
    if scope == "at least" and reachable is not None and options.max_depth is None:
        scope = "reachable"
        whole = _to_the_end(depths, reachable // sample.symmetry_order, counted.window)
    plan = ShardPlan(
        puzzle=puzzle,
        shards=shards,
        threads=options.threads or 1,
        sample_shards=tuple(each.shards for each in samples),
        window=counted.window,
        symmetry_order=sample.symmetry_order,
        reachable=reachable,
        skew=sample.skew,
        seconds_per_successor=sample.seconds_per_successor,
        network_bytes_per_second=NETWORK_BYTES_PER_SECOND,
        disk_bytes_per_second=DISK_BYTES_PER_SECOND,
        depths=tuple(depths),
        total=_NOTHING,
    )
    return replace(plan, total=_total(plan, scope, whole))


_NOTHING = PlannedTotal("", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0, 0.0, 0.0, 0.0, 0.0)


def _depths(samples: Sequence[Sample], shards: int, engine: Engine) -> list[PlannedDepth]:
    """The depths that all samples have. With two samples, the costs are extrapolated to the shards of the job.

    Twice as many shards add about as many bytes as the last doubling did: neighbours in a file are twice as far apart,
    so each takes as many bits more; and of equal successors, fewer are made by one shard. If 4 shards sent 90 bytes,
    and 8 sent 100, then 16 are taken to send 110, and 32 to send 120. The bound is a whole word for each successor.
    The number of successors that are sent is extrapolated in the same way. Its bound is the number that are made.
    """
    depths: list[PlannedDepth] = []
    doublings = math.log2(shards / samples[0].shards)
    for depth, found in enumerate(zip(*(sample.found for sample in samples), strict=False)):
        most, least = found[0], found[-1]
        words = _carried(most.sent_words, least.sent_words, doublings, most.successors)
        sent = _carried(most.sent_bytes, least.sent_bytes, doublings, most.successors * engine.word_bits // 8)
        planned = PlannedDepth(
            depth=depth,
            source="sample",
            states=most.states,
            open=most.open,
            successors=most.successors,
            sent_words=words,
            wire_words=most.wire_words if len(found) == 1 else words * (shards - 1) // shards,
            sent_bytes=sent,
            wire_bytes=most.wire_bytes if len(found) == 1 else sent * (shards - 1) // shards,
            file_bytes=_carried(most.file_bytes, least.file_bytes, doublings, most.states * engine.word_bits // 8),
            reread_bytes=_reread(depths, engine.window),
        )
        depths.append(planned)
    return depths


def _carried(most: int, least: int, doublings: float, bound: int) -> int:
    """Extrapolates a cost to more shards: each doubling of the shards adds the difference between the two samples.

    Args:
        most: The cost in the sample with more shards.
        least: The cost in the sample with half as many.
        doublings: How many times the shards of the larger sample are doubled.
        bound: The most that the cost can be.

    >>> _carried(100, 90, 2.0, 1000), _carried(100, 90, 2.0, 105)
    (120, 105)
    """
    return min(most + round(doublings * max(most - least, 0)), max(most, bound))


def _reread(before: Sequence[PlannedDepth], window: str) -> int:
    """The bytes of earlier depths that are read to find out which states of the next depth are new."""
    earlier = {"layered": 0, "inverse-closed": 2}.get(window, len(before))
    return sum(depth.file_bytes for depth in before[len(before) - min(earlier, len(before)) :])


def _next(depths: Sequence[PlannedDepth], growth: float, window: str, most: float = math.inf) -> PlannedDepth:
    """The next depth, if it has `growth` times as many states as the last one, and `most` at the most.

    The successors are made from the open states of the last depth. Each of these is taken to have as many successors as
    in the largest depth of the sample.
    """
    last = depths[-1]
    states = max(1, math.ceil(min(last.states * growth, most)))
    model = max((depth for depth in depths if depth.source == "sample"), key=lambda depth: depth.states)
    before = depths[model.depth - 1].open if model.depth else 0
    each = model.successors / before if before else 1.0
    successors = math.ceil(last.open * each)
    made = successors / max(model.successors, 1)
    return PlannedDepth(
        depth=last.depth + 1,
        source="growth",
        states=states,
        open=math.ceil(states * model.open / model.states),
        successors=successors,
        sent_words=math.ceil(made * model.sent_words),
        wire_words=math.ceil(made * model.wire_words),
        sent_bytes=math.ceil(made * model.sent_bytes),
        wire_bytes=math.ceil(made * model.wire_bytes),
        file_bytes=math.ceil(states * model.file_bytes / model.states),
        reread_bytes=_reread(depths, window),
    )


def _growth(depths: Sequence[PlannedDepth]) -> float:
    """The growth from the depth before the last to the last one, as a factor."""
    return depths[-1].states / depths[-2].states if len(depths) > 1 else 1.0


def _grown(depths: Sequence[PlannedDepth], last: int, window: str) -> list[PlannedDepth]:
    """Adds depths up to the number `last`. Each grows by the same factor as the last depth of the sample did."""
    grown, growth = list(depths), _growth(depths)
    while grown[-1].depth < last:
        grown.append(_next(grown, growth, window))
    return grown


def _to_the_end(depths: Sequence[PlannedDepth], states: int, window: str) -> list[PlannedDepth]:
    """Adds the fewest depths after those of the sample with which there are `states` in all.

    No depth grows by a larger factor than the last depth of the sample did, or than `LEAST_GROWTH` if that is larger.
    """
    whole = [depth for depth in depths if depth.source == "sample"]
    growth = max(_growth(whole), LEAST_GROWTH)
    rest = states - sum(depth.states for depth in whole)
    while rest > 0:
        whole.append(_next(whole, growth, window, rest))
        rest -= whole[-1].states
    # All states of the last depth are expanded, too, if only to find that there are no more.
    expanded = _next(whole, 1.0, window)
    return [*whole, replace(expanded, states=0, open=0, file_bytes=0)]


def _total(plan: ShardPlan, scope: str, depths: Sequence[PlannedDepth]) -> PlannedTotal:
    """The costs of depths together, and the time."""
    sent = ("sent_words", "wire_words", "sent_bytes", "wire_bytes")
    names = ("states", "successors", *sent, "file_bytes", "reread_bytes")
    sums = {name: sum(getattr(depth, name) for depth in depths) for name in names}
    # All shards wait for the one with the most states. `share` is its part of all costs.
    share = plan.skew / plan.shards
    processor = sums["successors"] * plan.seconds_per_successor * share / plan.threads
    network = sums["wire_bytes"] * share / plan.network_bytes_per_second
    # A run is written once and read once, so the bytes that are sent count twice.
    moved = 2 * sums["sent_bytes"] + sums["file_bytes"] + sums["reread_bytes"]
    disk = moved * share / plan.disk_bytes_per_second
    sync = len(depths) * (SECONDS_PER_DEPTH + plan.shards * SECONDS_PER_RUN)
    found = sum(1 for depth in depths if depth.states)
    hours = (processor + network + disk + sync) / 3600
    return PlannedTotal(
        scope=scope,
        depths=found,
        processor_seconds=processor,
        network_seconds=network,
        disk_seconds=disk,
        sync_seconds=sync,
        hours=hours,
        **sums,
    )
