"""`puzzlekit enumerate`: counts all states that play can reach."""

from __future__ import annotations

import os
import shutil
import signal
import time
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlekit.cli import completion
from puzzlekit.cli.chosen import Chosen
from puzzlekit.cli.options import (
    CheckpointOption,
    DiskOption,
    JsonOption,
    LocalOption,
    MaxDepthOption,
    MemoryOption,
    NoSymmetryOption,
    OnOption,
    PuzzleArgument,
    QuietOption,
    ShardsOption,
    StoreOption,
    ThreadsOption,
    VerboseOption,
)
from puzzlekit.cli.output import Settings, duration, print_json, print_line, print_table, say, size
from puzzlekit.cli.plot import Plot, check_plot, show_plot
from puzzlekit.cli.progress import ProgressLine
from puzzlekit.cli.shard_plan import print_shard_plan
from puzzlekit.cli.terminal import shell_word
from puzzlekit.errors import LimitError, UsageError, code_of_stop
from puzzlekit.run.checks import check_number, check_seconds
from puzzlekit.run.columns import shown
from puzzlekit.run.report import DEPTH_COLUMNS, depth_rows, total_row
from puzzlekit.run.temporary import temporary_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from puzzlekit.plugins.loader import Plugins
    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.job_parts import HardState
    from puzzlekit.run.options import RunOptions
    from puzzlekit.run.plans import Forecast, RunPlan
    from puzzlekit.run.progress import Progress
    from puzzlekit.run.report import Report
    from puzzlekit.run.sweeps import Sweeps
    from puzzlekit.run.watch import Watch
    from puzzlekit.shards import Executor


def run(
    context: typer.Context,
    puzzle_id: PuzzleArgument,
    max_depth: MaxDepthOption = None,
    no_symmetry: NoSymmetryOption = False,
    backward: Annotated[
        bool, typer.Option("--backward", help="Count by the moves needed to the goal, back from it.")
    ] = False,
    threads: ThreadsOption = None,
    store: StoreOption = "auto",
    memory: MemoryOption = None,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="DIR", help="Keep each depth in a new folder, to resume from.", autocompletion=completion.folders
        ),
    ] = None,
    disk: DiskOption = None,
    checkpoint: CheckpointOption = None,
    on: OnOption = None,
    shards: ShardsOption = None,
    local: LocalOption = None,
    hardest: Annotated[
        int | None, typer.Option(metavar="N", help="List the N deepest states, too; see export --hardest.")
    ] = None,
    plot: Plot = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print the table as CSV.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what it would take; with --on, from a sample.")
    ] = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    as_json: JsonOption = False,
) -> int:
    """Count all states that play can reach, by the number of moves from the start.

    With --backward, count the states by the number of moves that they need to the goal. If the goal is one state and
    no move loses what it overwrites, these are all states that can reach it. If some move has no inverse, play may not
    reach all of them, and some may be illegal; puzzlekit values counts those that play reaches. With other goals or
    moves, these are the states that play can reach, and those that cannot be solved are counted apart.

    The last columns count the states in which play ended, up to symmetry, and no others. A puzzle ended solved if no
    move is left and the goal holds. A solved state from which moves go on is open: --backward and solve tell what can
    be solved. A puzzle that never ends in one of these ways has no column for it. For each number symmetric states
    apart, give --no-symmetry.

    With --on, several processes count together, each with a part of the states in a folder of its own: then --threads,
    --memory and --disk are for each process. With --local, that folder is on a disk of the machine that works on it.

    Exit code 3 means that a limit stopped the count; 130 and 143 that a signal did.

    Examples:
        puzzlekit enumerate rotation --plot  # all 362,880 boards, by the moves from the start
        puzzlekit enumerate slider:3,3 --backward --hardest 2  # the boards that need the most moves
        puzzlekit enumerate slider:3,3 --out counted  # keep the states, and go on later with resume
        puzzlekit enumerate slider:5,5 --dry-run  # how much memory it would take, and how far it comes
    """
    check_plot(plot, as_json=as_json or as_csv)
    if as_csv and (as_json or dry_run or hardest is not None):
        raise UsageError("--csv prints one table; leave out --json, --dry-run and --hardest")
    from puzzlekit.run.options import RunOptions
    from puzzlekit.run.overridable import count_reachable

    _check_hardest(hardest)
    settings: Settings = context.obj
    plugins = settings.plugins()
    puzzle = compiled(plugins.parse(puzzle_id))
    executor = executor_of(plugins, on, shards, local)
    if on is not None and checkpoint is not None:
        raise UsageError(
            f"--checkpoint keeps parts of depths, and with --on {on} a depth that is not done has parts in several "
            "processes, which are found again from its beginning; leave out one of the two"
        )
    asked = RunOptions(
        max_depth=max_depth,
        symmetry=not no_symmetry,
        threads=threads,
        store=store,
        memory=memory,
        backward=backward,
        disk=disk,
        checkpoint=checkpoint,
        local=local,
    )
    if dry_run and on is None:
        plan = puzzle.plan(asked, kept=out is not None)
        foretold, swept = forecast_of(puzzle, asked, out, plan.reachable), _sweeps_of(puzzle, asked, plan)
        _print_plan(plan, foretold, swept, kept=out is not None, as_json=as_json)
        return 0
    if dry_run and executor is not None:
        from puzzlekit.shards import plan_in_shards

        shard_plan = plan_in_shards(puzzle, executor, asked)
        print_shard_plan(shard_plan, as_json=as_json)
        return 0
    limits = {"--memory": memory, "--disk": disk}
    foretells = on is None and not quiet
    reachable = count_reachable(puzzle) if foretells or max_depth is None else None
    if foretells and (foretold := forecast_of(puzzle, asked, out, reachable)) is not None:
        say(f"{puzzle}: {in_words(foretold, kept=out is not None)}")
    symmetries = 1 if no_symmetry else puzzle.engine.symmetry_order
    chosen = Chosen(verbose)
    chosen.engine(puzzle)
    chosen.machine(threads, memory)
    if on is None:
        chosen.store(puzzle, asked)
    with watching(total_of(reachable, asked, symmetries), quiet=quiet) as (watch, interrupt):
        if hardest is None:
            report, deepest = puzzle.enumerate(asked, out=out, on=executor, watch=watch), None
        else:
            report, deepest = _with_hardest(puzzle, asked, out, executor, watch, hardest)
    code = finish(report, interrupt, as_json=as_json, folder=out, limits=limits, hardest=deepest, as_csv=as_csv)
    if _may_reach_more(puzzle, report):
        say(
            "these are all states that can reach the goal, perhaps also such as play never reaches from the start; "
            "values counts those of play"
        )
    chosen.files(out)
    show_plot(report.bars, plot, as_json=as_json or as_csv)
    return code


def _check_hardest(hardest: int | None) -> None:
    if hardest is not None:
        from puzzlekit.jobs.kept import MOST_HARDEST

        check_number("--hardest", hardest, 1, MOST_HARDEST)


def _may_reach_more(puzzle: Puzzle, report: Report) -> bool:
    """Returns `True` if a count back from the goal may have states that play does not reach from the start."""
    from puzzlekit.run.overridable import count_reachable

    from_goal = report.backward_over == "all" and report.complete
    return from_goal and puzzle.engine.window == "directed" and count_reachable(puzzle) is None


def executor_of(plugins: Plugins, on: str | None, shards: int | None, local: str | None) -> Executor | None:
    """The executor that the options of a run name; `None` if the run is done in this process.

    Raises:
        UsageError: The options do not fit together, or there is no such executor.
    """
    if shards is not None and on is None:
        raise UsageError(f"--shards {shards} is for several processes; say where with --on")
    if local is not None and on is None:
        raise UsageError(f"--local {local} is for several processes; say where with --on")
    executor = None if on is None else plugins.executor(on, shards)
    if executor is not None and shards is not None and executor.shards != shards:
        raise UsageError(f"--on {on} divides by {executor.shards}, and --shards by {shards}; leave out one of the two")
    return executor


def _with_hardest(
    puzzle: Puzzle, asked: RunOptions, out: str | None, executor: Executor | None, watch: Watch, count: int
) -> tuple[Report, list[HardState]]:
    """Counts the states, and lists the deepest. Without `out`, the states are kept in a temporary folder."""
    from puzzlekit.jobs.job import Job

    with temporary_folder() if out is None else nullcontext(out) as base:
        if out is None and asked.store == "auto":
            # A dense job may not keep which states each depth has. Then there would be nothing to list.
            asked = replace(asked, store="sparse")
        folder = os.path.join(base, "job") if out is None else out
        report = puzzle.enumerate(asked, out=folder, on=executor, watch=watch)
        return report, Job(folder, lambda _: puzzle).hardest(count) if report.depths else []


def compiled(puzzle: Puzzle) -> Puzzle:
    """Makes and compiles the rules of a puzzle, and returns the puzzle.

    It is called before a run begins to watch for signals, because until then Ctrl-C ends the command at once.
    """
    _ = puzzle.engine
    return puzzle


def forecast_of(puzzle: Puzzle, asked: RunOptions, out: str | None, reachable: int | None) -> Forecast | None:
    """The forecast of a count that cannot end here for lack of room; `None` if it may end, or if nothing is known."""
    from puzzlekit.run.forecast import forecast
    from puzzlekit.run.memory import read_bytes

    disk = None
    if out is not None:
        free = shutil.disk_usage(existing(out)).free
        disk = free if asked.disk is None else min(free, read_bytes(asked.disk))
    return forecast(puzzle.engine, str(puzzle), asked, reachable, disk)


def existing(folder: str) -> Path:
    """The folder if it exists, otherwise the nearest folder above it that does."""
    path = Path(folder).absolute()
    return next(each for each in (path, *path.parents) if os.path.exists(each))


def total_of(reachable: int | None, asked: RunOptions, symmetries: int) -> int | None:
    """Estimates how many states there are up to symmetry; `None` if that is not known, or if only some are counted."""
    return None if reachable is None or asked.max_depth is not None else -(-reachable // symmetries)


def in_words(foretold: Forecast, *, kept: bool) -> str:
    """A forecast as a sentence: how far a count that cannot end will come."""
    where = "the disk" if kept else "the memory"
    more = "" if kept else "; with --out, the disk holds what the memory does not"
    return (
        f"of {rounded(foretold.states)} states, {where} holds some {rounded(foretold.held)} at a time, so the count is "
        f"expected to stop after depth {foretold.depth} or so, with {rounded(foretold.counted)} states; --max-depth "
        f"stops it before{more}"
    )


def rounded(number: int) -> str:
    """A large number, rounded to two digits.

    >>> rounded(1234), rounded(87_654_321), rounded(7_755_605_021_665_492_992_000_000), rounded(2**2048)
    ('1,200', '88 million', '7.8 x 10^24', '3.2 x 10^616')
    """
    if number >= 10**12:
        from decimal import Decimal

        digits, _, power = f"{Decimal(number):.1e}".partition("e+")  # a float ends at 10^308
        return f"{digits} x 10^{int(power)}"
    for unit, name in ((10**9, " billion"), (10**6, " million"), (1, "")):
        if number >= unit:
            short = float(f"{number / unit:.2g}")
            return f"{short:,.0f}{name}" if short >= 10 or unit == 1 else f"{short:g}{name}"
    return "0"


@contextmanager
def watching(
    total: int | None = None,
    *,
    tell: Callable[[Progress, float], str] | None = None,
    limit: float | None = None,
    seconds: float | None = None,
    quiet: bool = False,
) -> Iterator[tuple[Watch, Interrupt]]:
    """Yields a watch that shows the progress of a run, and an `Interrupt` that remembers a signal, by which it stops.

    Args:
        total: About how many states there are, if that is known.
        tell: As in `ProgressLine`.
        limit: As in `ProgressLine`.
        seconds: As in `Interrupt`.
        quiet: Whether no progress is shown.
    """
    interrupt = Interrupt(seconds)
    with ProgressLine(tell, total=total, limit=limit, quiet=quiet) as line, interrupt:

        def watch(progress: Progress) -> bool:
            line.show(progress)
            return interrupt.stops(progress)

        yield watch, interrupt


@contextmanager
def stopping(interrupt: Interrupt, told: str | None = "interrupted; nothing was written") -> Iterator[None]:
    """Inside the `with`, ends the command if a signal has stopped its work. A later signal changes nothing.

    Args:
        interrupt: What remembers the signal.
        told: What is said then; `None` for what the error says.
    """
    try:
        yield
    except LimitError as error:
        if interrupt.signal is None:
            raise
        say(told or str(error))
        raise typer.Exit(code_of_stop(interrupt.signal)) from None


def finish(
    report: Report,
    interrupt: Interrupt,
    *,
    as_json: bool,
    folder: str | None,
    limits: dict[str, str | None],
    hardest: list[HardState] | None = None,
    as_csv: bool = False,
) -> int:
    """Prints a report, says why it is incomplete if it is, and returns the exit code."""
    if as_json:
        listed = {} if hardest is None else {"hardest": [vars(state) for state in hardest]}
        print_json(report.to_data() | listed)
    elif as_csv:
        _print_csv(report)
    else:
        _print_report(report)
    if hardest is not None and not as_json:
        print_line()
        print_hardest(report.puzzle, hardest, backward=report.backward)
    if report.complete:
        return 0
    if not report.depths:
        return _no_distance(report, interrupt, folder, limits)
    if report.stopped == "memory":
        # With the same memory, the run would stop at the same point. So the advice leaves the value of `--memory` open.
        less = {**limits, "--memory": None}
        if limits["--memory"] is None:
            there, more = "this machine has to give", _advice(folder, less, "where there is more")
        else:
            there, more = "--memory gives", _advice(folder, less, "with more of it, or without --memory")
        say(f"incomplete: stopped after depth {report.max_depth}; the next one needs more than {there}{more}")
        return code_of_stop(None)
    if report.stopped == "max-depth" or not interrupt.stopped:
        say(f"incomplete: stopped after depth {report.max_depth}, as --max-depth says")
        return code_of_stop(None)
    more = _advice(folder, limits, "with")
    how = "interrupted" if interrupt.signal else "stopped, as --seconds says,"
    say(f"incomplete: {how} after depth {report.max_depth}; these are the depths that were completed{more}")
    return code_of_stop(interrupt.signal)


def _no_distance(report: Report, interrupt: Interrupt, folder: str | None, limits: dict[str, str | None]) -> int:
    """Says why not even depth 0 is known: a count back from several states begins only when all states are found."""
    if report.stopped == "memory":
        advice = _advice(folder, {**limits, "--memory": None}, "with more memory")
        say(f"incomplete: all states have to be found and held first, which needs more memory than there is{advice}")
        return code_of_stop(None)
    more = _advice(folder, limits, "with")
    say(f"incomplete: interrupted before all states were found, so no distance is known{more}")
    return code_of_stop(interrupt.signal)


def _advice(folder: str | None, limits: dict[str, str | None], how: str) -> str:
    """A clause that says how to resume a run; empty if no folder keeps the run."""
    if folder is None:
        return ""
    given = [word for name, size in limits.items() if size is not None for word in (name, size)]
    return f"; go on {how}: puzzlekit resume {' '.join(map(shell_word, [folder, *given]))}"


def _sweeps_of(puzzle: Puzzle, asked: RunOptions, plan: RunPlan) -> Sweeps | None:
    """Estimates what is read from the disk and written to it; `None` if no arrays are kept there, or if unknown."""
    from puzzlekit.run.engine.machine import default_threads
    from puzzlekit.run.sweeps import sweeps

    return sweeps(puzzle.engine, str(puzzle), asked, plan, asked.threads or default_threads())


def _print_plan(plan: RunPlan, foretold: Forecast | None, swept: Sweeps | None, *, kept: bool, as_json: bool) -> None:
    if as_json:
        parts = {"forecast": foretold, "sweeps": swept}
        print_json(plan.to_data() | {name: None if part is None else vars(part) for name, part in parts.items()})
        return
    bound = "at the most" if plan.disk_bytes is None else "at least"
    needs = "not known before it has run" if plan.memory_bytes is None else f"{size(plan.memory_bytes)} {bound}"
    print_line(f"store   {plan.store}: {plan.store_reason}")
    print_line(f"memory  {needs}; {size(plan.memory_limit_bytes)} may be taken")
    if plan.disk_bytes is not None:
        print_line(f"disk    {size(plan.disk_bytes)}, which are read and written in each depth")
    if plan.reachable:
        print_line(f"states  {plan.reachable:,}, symmetric ones counted apart")
    if swept is not None:
        moved = f"{size(swept.read_bytes)} read and {size(swept.written_bytes)} written"
        worked = f"{duration(swept.processor_seconds)} of the processor, shared by the threads"
        disk = f"{duration(swept.disk_seconds)} of the disk at {swept.disk_bytes_per_second / 1e6:g} MB/s"
        print_line(f"moved   about {moved}, in some {swept.depths} depths")
        print_line(f"time    about {duration(swept.hours * 3600)}: {worked}, and {disk}")
    if foretold is not None:
        print_line(f"ends    not here: {in_words(foretold, kept=kept)}")


def _print_csv(report: Report) -> None:
    """Prints the depths as CSV: a header, and a line for each depth, with a column for each outcome."""
    import csv
    from io import StringIO

    lines, ends = StringIO(), list(report.outcomes)
    csv.writer(lines, lineterminator="\n").writerows([[*DEPTH_COLUMNS, *ends], *depth_rows(report, ends)])
    for line in lines.getvalue().splitlines():
        print_line(line)


def print_hardest(puzzle: str, found: list[HardState], *, backward: bool) -> None:
    """Prints the deepest states as a table."""
    print_line(f"{puzzle}: the states with the most moves {'to the goal' if backward else 'from the start'}")
    print_line()
    rows = [(str(hard.depth), hard.state, str(hard.orbit_size), hard.outcome or "") for hard in found]
    print_table(("depth", "state", "raw states", "outcome"), rows, numbers=(0, 2))


class Interrupt:
    """Inside a `with`, remembers the first SIGINT or SIGTERM, to stop a run. A second one has its usual effect.

    Args:
        seconds: How long the run may take, as `--seconds` says; `None` for no limit. While values are found, it may
            take longer until it has something to keep that no run before has kept. So values come to their end in
            slices, however short they are. A count stops at once, and a slice that only reads the job is in vain; in
            shards it goes on until a depth is kept.

    Attributes:
        signal: The signal that came, if one did.
    """

    def __init__(self, seconds: float | None = None) -> None:
        check_seconds("--seconds", seconds)
        self.signal: int | None = None
        self._over = False
        self._end = None if seconds is None else time.monotonic() + seconds
        self._before: dict[int, object] = {}

    def __enter__(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is not signal.SIG_IGN:  # it is ignored under nohup
                self._before[number] = signal.signal(number, self._remember)

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            if handler is not None:  # a handler that was not set from Python cannot be restored
                signal.signal(number, handler)  # type: ignore[arg-type]

    @property
    def stopped(self) -> bool:
        """`True` if the run was told to stop, by a signal or because its time was over."""
        return self._over or self.signal is not None

    def stops(self, progress: Progress) -> bool:
        """Returns `True` if the run is to stop."""
        if self._end is not None and time.monotonic() >= self._end and not progress.again:
            self._over = True
        return self.stopped

    def _remember(self, number: int, _frame: FrameType | None) -> None:
        self.signal = number
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _print_report(report: Report) -> None:
    # For a puzzle, outcomes that no state has are left out of the table: their columns would have only zeros.
    outcomes = [outcome for outcome in report.outcomes if report.players or report.outcomes[outcome]]
    order = report.symmetry_order
    which = ", by moves needed to the goal" if report.backward else ""
    print_line(f"{report.puzzle}, {f'states up to {order} symmetries' if order > 1 else 'without symmetries'}{which}")
    print_line()
    rows = [*depth_rows(report, outcomes), total_row(report, outcomes)]
    if report.unsolvable is not None:
        rows.append(["unsolvable", report.unsolvable, report.raw_unsolvable or 0, *[""] * (1 + len(outcomes))])
    headers = ("depth", "states", "raw states", "open", *_outcome_headers(report, outcomes))
    print_table(headers, [[str(row[0]), *map(shown, row[1:])] for row in rows], numbers=range(len(headers)))
    print_line()
    if 0 < report.kept_states == report.states and report.complete:
        print_line(f"all of these were kept before; {report.store} store: {report.store_reason}")
        return
    took = f"{report.seconds:.3f} s" if report.seconds >= 1 else f"{report.seconds * 1000:.2f} ms"
    speed = f"{took}, {report.states_per_second:,.0f} states/s; {report.store} store: {report.store_reason}"
    print_line(f"{speed}{'' if report.complete else '; incomplete'}")
    made = [f"{report.generated:,} successors"] if report.generated else []
    peak = report.peak_memory_bytes
    held = [] if peak is None else [f"{peak / 2**20:,.0f} MiB of memory at the most"]
    if made or held:
        print_line(", ".join([*made, *held]))


def _outcome_headers(report: Report, outcomes: list[str]) -> list[str]:
    """The column headers of outcomes, such as `X wins` or `ended solved`; for other words of the rules, the word."""
    own = {"solved": "ended solved", "stuck": "ended stuck"} if not report.players else {}
    return [f"{outcome} wins" if outcome in report.players else own.get(outcome, outcome) for outcome in outcomes]
