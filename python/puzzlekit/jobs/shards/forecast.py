"""The forecast of a job in shards from a sample of its first depths. docs/cluster.md describes the model."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

from puzzlekit.jobs.shards.sample import Sample
from puzzlekit.run import overridable
from puzzlekit.run.drawn import DrawnDepth, drawn
from puzzlekit.run.options import RunOptions
from puzzlekit.run.sweeps import DISK_BYTES_PER_SECOND

if TYPE_CHECKING:
    from collections.abc import Sequence

    from puzzlekit.jobs.shards.executor import Executor
    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.engine import Engine
    from puzzlekit.run.options import RunKeywords

SAMPLE_SHARDS = 8
"""The most shards of a sample. If the job has more, a second sample is taken with half as many shards, and costs are
extrapolated from both."""

NEXT_DEPTHS = 2
"""The number of depths after the sample that are predicted, by the growth from depth to depth."""

LEAST_GROWTH = 1.05
"""If all depths of a puzzle are predicted, each is taken to be at least this many times as large as the one before."""

NETWORK_BYTES_PER_SECOND = 1_250_000_000
"""The bytes per second that a machine is taken to send: 10 Gbit/s."""

SECONDS_PER_DEPTH = 0.02
"""The seconds that a depth takes even with hardly any states: shards wait for each other, and files are made
durable."""

SECONDS_PER_RUN = 0.0001
"""The seconds to write and read a run, however small it is. Measured on one machine with 32 and 64 shards: 75 to 140
us."""


@dataclass(frozen=True)
class PlannedDepth:
    """The costs of one depth, in all shards together.

    Attributes:
        depth: The number of moves from the start. After the last depth, one more is expanded, which has no new states.
        source: `"sample"` if the depth was found; `"growth"` if it is taken to grow as the depth before it did;
            `"drawn"` if its numbers are estimated from states that are drawn at random.
        states: How many states there are up to symmetry.
        open: How many of these states play goes on from.
        successors: How many successors are made of the open states of the depth before. The same state counts each
            time.
        sent_words: How many successors the shards send to each other and to themselves. If a shard finds the same
            successor several times, it is in a run only once. In the dense store: how many states the shards send to
            each other, each to all others.
        wire_words: How many of `sent_words` go to another shard.
        sent_bytes: The bytes of the runs with all that is sent.
        wire_bytes: How many of `sent_bytes` go to another shard.
        file_bytes: The bytes of the files that are kept.
        reread_bytes: The bytes of files of earlier depths that are read again, to find out which states are new.
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
    """The costs of all depths of a plan together. Fields of the same name mean the same as in `PlannedDepth`.

    Attributes:
        scope: What is summed up. `"complete"`: the sample has all states. `"max-depth"`: all depths that were asked
            for. `"reachable"`: all depths, since the number of all states is known. `"drawn"`: all depths, whose
            numbers of states are estimated. `"at least"`: only the depths of the sample, and how many states come after
            them is not known.
        depths: How many depths there are; with `"reachable"`, at least so many.
        states: How many states there are up to symmetry; with `"reachable"`, at least so many.
        successors: How many successors are made.
        sent_words: How many successors the shards send to each other and to themselves.
        wire_words: How many of `sent_words` go to another shard.
        sent_bytes: The bytes of the runs with all that is sent.
        wire_bytes: How many of `sent_bytes` go to another shard.
        file_bytes: The bytes of the files that are kept.
        reread_bytes: The bytes of files of earlier depths that are read again.
        processor_seconds: How long the shard with the most states computes.
        network_seconds: How long that shard sends.
        disk_seconds: How long that shard reads and writes.
        sync_seconds: How long the shards wait for each other, and make small files.
        hours: All these times together, one after another.
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
        shards: How many shards there are. Each is taken to have a machine of its own.
        threads: How many threads each shard has.
        sample_shards: How many shards the sample had. If there are two numbers, there were two samples, from which the
            costs were extrapolated.
        window: `"layered"`, `"inverse-closed"` or `"directed"`: which earlier depths a new state is compared with.
        symmetry_order: How many symmetries there are.
        reachable: How many states there are, if that is known; symmetric states count separately.
        skew: In the largest depth of the sample, the states of the largest shard divided by the average over all
            shards.
        seconds_per_successor: The processor time that a successor took in that depth, from expanding to the files.
        network_bytes_per_second: How many bytes a machine is taken to send in a second.
        disk_bytes_per_second: How many bytes its disk is taken to read or write in a second.
        depths: The depths of the sample, and the predicted ones.
        total: The costs of all depths of the puzzle, if the number of its states is known or estimated; otherwise of
            the depths of the sample, or of those that were asked for.
        error: The standard error of the number of states, as a part of that number; `None` if it is no estimate.
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
    error: float | None = None

    def to_data(self) -> dict[str, Any]:
        """The plan as `puzzlekit enumerate --on WHERE --dry-run --json` prints it."""
        return {"schema": "puzzlekit.shard-plan/1", **asdict(self)}


def plan_in_shards(
    puzzle: Puzzle, on: Executor, run: RunOptions | None = None, **options: Unpack[RunKeywords]
) -> ShardPlan:
    """Forecasts the messages, files and time of `Puzzle.enumerate` with the same options, from its first depths.

    These are found in this process, within some seconds, in a temporary folder that is removed.

    >>> import puzzlekit
    >>> from puzzlekit.shards import executor, plan_in_shards
    >>> plan = plan_in_shards(puzzlekit.load("tictactoe"), executor("processes:2"))
    >>> plan.total.scope, plan.total.states
    ('complete', 765)

    Args:
        puzzle: The puzzle.
        on: The executor that would run the job, such as `puzzlekit.shards.executor("processes:2")`.
        run: The options of the run, if they were made before.
        options: Options by their names, as in `Puzzle.enumerate`. `threads` is the number for each machine, 1 if it is
            `None`.

    Raises:
        UsageError: The rules or the options cannot be counted in shards.
        LimitError: Not even the first depth was found within the time of a sample.
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
    # Bits of earlier depths stay in memory, so no file is read again, as if each depth were all that counts.
    window = "layered" if options.store == "dense" else counted.window
    depths = _depths(samples, shards, counted, window, sent_to_all=options.store == "dense")
    whole = depths
    # If its time was over, a sample with fewer shards may have fewer depths.
    if sample.complete and len(depths) == len(sample.found):
        scope = "complete"
    else:
        last = len(depths) + NEXT_DEPTHS - 1
        most = options.max_depth
        depths = _grown(depths, last if most is None else min(last, most), window)
        scope = "max-depth" if depths[-1].depth == most else "at least"
        whole = depths if scope == "max-depth" else whole
    if scope == "at least" and reachable is not None and options.max_depth is None:
        scope = "reachable"
        whole = _to_the_end(depths, reachable // sample.symmetry_order, window)
    error = None
    if scope == "at least" and options.store != "dense" and sample.symmetry_order == counted.symmetry_order:
        sampled = [depth for depth in depths if depth.source == "sample"]
        estimate = None if options.backward else drawn(engine)
        if estimate is not None and (len(estimate.depths) > len(sampled) or not sampled[-1].open):
            scope, error = "drawn", estimate.error
            depths = _with_drawn(sampled, estimate.depths, window)
            most = options.max_depth
            whole = depths = depths if most is None else depths[: most + 1]
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
        error=error,
    )
    return replace(plan, total=_total(plan, scope, whole))


_NOTHING = PlannedTotal("", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0, 0.0, 0.0, 0.0, 0.0)


def _depths(
    samples: Sequence[Sample], shards: int, engine: Engine, window: str, *, sent_to_all: bool
) -> list[PlannedDepth]:
    """The depths that all samples have. If there are two samples, costs are extrapolated to the shards of the job.

    Twice as many shards are taken to add as many bytes as the last doubling did. There are two reasons: neighbours in a
    file are twice as far apart, so each takes some bits more; and of equal successors, fewer are made by the same
    shard. If 4 shards sent 90 bytes, and 8 sent 100, then 16 are taken to send 110, and 32 to send 120. The bound is a
    whole word for each successor. The number of successors that are sent is extrapolated in the same way, up to the
    number that are made. With `sent_to_all`, each shard sends all its states to all others, so seven others get seven
    times as much as one.
    """
    depths: list[PlannedDepth] = []
    doublings = math.log2(shards / samples[0].shards)
    for depth, found in enumerate(zip(*(sample.found for sample in samples), strict=False)):
        most, least = found[0], found[-1]
        words = _carried(most.sent_words, least.sent_words, doublings, most.successors)
        sent = _carried(most.sent_bytes, least.sent_bytes, doublings, most.successors * engine.word_bits // 8)
        if sent_to_all:
            others = max(samples[0].shards - 1, 1)
            words, sent = most.sent_words * (shards - 1) // others, most.sent_bytes * (shards - 1) // others
        planned = PlannedDepth(
            depth=depth,
            source="sample",
            states=most.states,
            open=most.open,
            successors=most.successors,
            sent_words=words,
            wire_words=words if sent_to_all else most.wire_words if len(found) == 1 else words * (shards - 1) // shards,
            sent_bytes=sent,
            wire_bytes=sent if sent_to_all else most.wire_bytes if len(found) == 1 else sent * (shards - 1) // shards,
            file_bytes=_carried(most.file_bytes, least.file_bytes, doublings, most.states * engine.word_bits // 8),
            reread_bytes=_reread(depths, window),
        )
        depths.append(planned)
    return depths


def _carried(most: int, least: int, doublings: float, bound: int) -> int:
    """Extrapolates a cost to more shards. Each doubling adds the difference between the two samples once more.

    Args:
        most: The cost in the sample with more shards.
        least: The cost in the sample with half as many shards.
        doublings: How many times the number of shards is doubled, from the larger sample to the job.
        bound: The most that the cost can be.

    >>> _carried(100, 90, 2.0, 1000), _carried(100, 90, 2.0, 105)
    (120, 105)
    """
    return min(most + round(doublings * max(most - least, 0)), max(most, bound))


def _reread(before: Sequence[PlannedDepth], window: str) -> int:
    """The bytes of earlier depths that have to be read to find out which states of the next depth are new."""
    earlier = {"layered": 0, "inverse-closed": 2}.get(window, len(before))
    return sum(depth.file_bytes for depth in before[len(before) - min(earlier, len(before)) :])


def _next(depths: Sequence[PlannedDepth], growth: float, window: str, most: float = math.inf) -> PlannedDepth:
    """The next depth, if it has `growth` times as many states as the last one, but at most `most`.

    The successors are made of the open states of the last depth. A state is taken to have as many successors as in the
    largest depth of the sample.
    """
    last = depths[-1]
    states = max(1, math.ceil(min(last.states * growth, most)))
    model = _model(depths)
    before = depths[model.depth - 1].open if model.depth else 0
    each = model.successors / before if before else 1.0
    return _costed(depths, states, states * model.open / model.states, last.open * each, window)


def _model(depths: Sequence[PlannedDepth]) -> PlannedDepth:
    """The largest depth of the sample. States and successors of later depths are taken to cost as much as its own."""
    return max((depth for depth in depths if depth.source == "sample"), key=lambda depth: depth.states)


def _costed(
    depths: Sequence[PlannedDepth], states: float, going_on: float, successors: float, window: str
) -> PlannedDepth:
    """The depth after `depths`, with its costs. Its source is `"growth"`.

    Args:
        depths: The depths before it.
        states: How many states it has.
        going_on: From how many of these play goes on.
        successors: How many successors are made, among which its states are the new ones.
        window: Which earlier depths are compared with it.
    """
    model, successors = _model(depths), math.ceil(successors)
    made = successors / max(model.successors, 1)
    return PlannedDepth(
        depth=depths[-1].depth + 1,
        source="growth",
        states=math.ceil(states),
        open=math.ceil(going_on),
        successors=successors,
        sent_words=math.ceil(made * model.sent_words),
        wire_words=math.ceil(made * model.wire_words),
        sent_bytes=math.ceil(made * model.sent_bytes),
        wire_bytes=math.ceil(made * model.wire_bytes),
        file_bytes=math.ceil(states * model.file_bytes / model.states),
        reread_bytes=_reread(depths, window),
    )


def _with_drawn(sample: Sequence[PlannedDepth], found: Sequence[DrawnDepth], window: str) -> list[PlannedDepth]:
    """The depths of the sample, and all later ones with estimated numbers.

    The estimates are scaled so that the last depth of the sample has as many states as were counted.
    """
    depths, last = list(sample), sample[-1]
    scale = last.states / found[last.depth].states if last.depth < len(found) else 0.0
    for before, each in zip(found[last.depth :], found[last.depth + 1 :], strict=False):
        states, going_on, successors = scale * each.states, scale * each.open, scale * before.made
        depths.append(replace(_costed(depths, states, going_on, successors, window), source="drawn"))
    return depths


def _growth(depths: Sequence[PlannedDepth]) -> float:
    """The factor by which the last depth is larger than the one before it."""
    return depths[-1].states / depths[-2].states if len(depths) > 1 else 1.0


def _grown(depths: Sequence[PlannedDepth], last: int, window: str) -> list[PlannedDepth]:
    """Adds depths up to the depth `last`. Each grows by the same factor as the last depth of the sample."""
    grown, growth = list(depths), _growth(depths)
    while grown[-1].depth < last:
        grown.append(_next(grown, growth, window))
    return grown


def _to_the_end(depths: Sequence[PlannedDepth], states: int, window: str) -> list[PlannedDepth]:
    """Adds depths after those of the sample, as few as possible, until there are `states` states in all.

    The factor from depth to depth is that of the last depth of the sample, or `LEAST_GROWTH` if that is larger.
    """
    whole = [depth for depth in depths if depth.source == "sample"]
    growth = max(_growth(whole), LEAST_GROWTH)
    rest = states - sum(depth.states for depth in whole)
    while rest > 0:
        whole.append(_next(whole, growth, window, rest))
        rest -= whole[-1].states
    # The states of the last depth are expanded, too, to find that there are no more.
    expanded = _next(whole, 1.0, window)
    return [*whole, replace(expanded, states=0, open=0, file_bytes=0)]


def _total(plan: ShardPlan, scope: str, depths: Sequence[PlannedDepth]) -> PlannedTotal:
    """Adds up the costs of depths, and estimates the time that they take."""
    sent = ("sent_words", "wire_words", "sent_bytes", "wire_bytes")
    names = ("states", "successors", *sent, "file_bytes", "reread_bytes")
    sums = {name: sum(getattr(depth, name) for depth in depths) for name in names}
    # All shards wait for the shard with the most states. `share` is the part of all costs that falls to this shard.
    share = plan.skew / plan.shards
    processor = sums["successors"] * plan.seconds_per_successor * share / plan.threads
    network = sums["wire_bytes"] * share / plan.network_bytes_per_second
    # A run is written once and read once, so its bytes count twice.
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
