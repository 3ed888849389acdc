"""Times the engine beside other programs for the same work, in one run on one machine. `make bench` runs it.

With LIMITS=folder, the programs in the folder are run beside it. Each is written by hand for one puzzle. With `--slow`,
the rows that take minutes are run instead.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import puzzlekit
from puzzlekit import Copy, Grid, Move, Rules, swap
from puzzlekit.run.engine import Engine
from puzzlekit.run.report import Report
from tests import boards
from tests.benchmarks.plain import Plain
from tests.support import RunOptions

RUNS = 7
BOARD = "tictactoe:4,4,4"
SMALL = "tictactoe:4,4,2"

WIDTHS = (32, 64, 128, 256, 512, 2048)
"""The bits of the words that states are packed into."""

# For each row: the puzzle, the store, the program for it and its arguments, and the threads.
ROWS = [
    (puzzle, "dense", program, threads)
    for puzzle, program in (
        ("tictactoe:5,4,4", "mnk 5 4 4"),
        ("slider:4,3", "slide43"),
        ("rotate:3,4", "turn 3 4 0"),
    )
    for threads in (1, 2)
]
SLOW_ROWS = [("tictactoe:5,5,4", "dense", "mnk 5 5 4", 2), ("slider:4,3", "sparse", "hashset 4 3 29", 1)]


def engine_seconds(puzzle: str, threads: int, bits: int = 0, store: str = "sparse") -> tuple[float, Report]:
    """The median of the engine's own time over some runs, and a report."""
    engine = Engine(puzzlekit.load(puzzle).rules(), bits)
    reports = [engine.enumerate(puzzle, RunOptions(threads=threads, store=store)) for _ in range(RUNS)]
    return statistics.median(report.seconds for report in reports), reports[0]


def timed(work: Callable[[], list[int]], expected: list[int]) -> float:
    """Times a piece of work, and checks that its counts are those of the engine."""
    begun = time.perf_counter()
    if work() != expected:
        raise RuntimeError(f"{work} counts otherwise")
    return time.perf_counter() - begun


def command_seconds(*arguments: str) -> float:
    """The median time of a whole command, start-up included."""
    return median(lambda: subprocess.run(arguments, check=True, capture_output=True))


def row(what: str, seconds: float, ratio: float | None = None, note: str = "") -> None:
    """Prints a line of a table."""
    print(f"  {what:<44}{seconds:>10.4f} s{'' if ratio is None else f'{ratio:>10.2f} x'}  {note}".rstrip(), flush=True)


def counts(report: Report) -> list[int]:
    """The states of each depth."""
    return [depth.states for depth in report.depths]


def widths() -> None:
    """States per second and nanoseconds per successor, for words of each width."""
    print(f"\n{BOARD} in the sparse store, by width of word (median of {RUNS})")
    for threads in (1, 2):
        for bits in WIDTHS:
            seconds, report = engine_seconds(BOARD, threads, bits)
            speed = (
                f"{report.states / seconds / 1e6:.1f} M states/s, {seconds / report.generated * 1e9:.1f} ns a successor"
            )
            row(f"{bits} bits, threads: {threads}", seconds, note=speed)


def large_boards() -> None:
    """Times boards whose states need several integers, in words of each width: the cost if a width were missing."""
    print(f"\nsliding boards in the sparse store, one thread, to depth 12 (median of {RUNS})")
    for size in (5, 7, 8, 9, 10, 13):
        puzzle = f"slider:{size},{size}"
        engine = Engine(puzzlekit.load(puzzle).rules())
        needed = size * size * (size * size - 1).bit_length()
        options = RunOptions(threads=1, store="sparse", max_depth=12)
        reports = [engine.enumerate(puzzle, options) for _ in range(RUNS)]
        note = f"{needed} bits in {engine.word_bits}"
        row(puzzle, statistics.median(report.seconds for report in reports), note=note)


def against_hand_written(folder: str | None) -> None:
    """The engine beside a program written by hand for the one game, in turn, so that both meet the same machine."""
    print(f"\n{BOARD} in the sparse store, beside a program written by hand with packed keys")
    if not folder:
        print("  skipped: LIMITS names no folder with the program `packed`")
        return
    engine = Engine(puzzlekit.load(BOARD).rules())
    for threads in (1, 2):
        ours, theirs = [], []
        for _ in range(RUNS):
            ours.append(engine.enumerate(BOARD, RunOptions(threads=threads, store="sparse")).seconds)
            theirs.append(hand_written(folder, "packed", "4", "4", "4", str(threads)))
        ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
        row(f"packed, threads: {threads}", statistics.median(theirs))
        row(f"puzzlekit, threads: {threads}", statistics.median(ours), statistics.median(ratios), "of its time")


def hand_written(folder: str, name: str, *arguments: str) -> float:
    """The time that a program written by hand reports."""
    printed = subprocess.run([str(Path(folder) / name), *arguments], check=True, capture_output=True, text=True).stdout
    match = re.search(r"time ([0-9.]+) ?s", printed)
    if not match:
        raise RuntimeError(f"{name} printed {printed!r}")
    return float(match[1])


def large_runs(folder: str | None, *, slow: bool) -> None:
    """Large runs beside the program written by hand for each puzzle, in turn: the time of each, and our memory."""
    print("\nlarge runs, beside a program written by hand for the one puzzle (in turn, median ratio)")
    for puzzle, store, program, threads in SLOW_ROWS if slow else ROWS:
        runs = 1 if slow else 3
        ours, theirs, peak = [], [], 0
        for _ in range(runs):
            command = [sys.executable, "-m", "puzzlekit", "enumerate", puzzle, "--threads", str(threads), "--json"]
            command += [] if store == "dense" else ["--store", store]  # the engine chooses the dense store by itself
            data = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            ours.append(data["seconds"])
            peak = max(peak, data["peak_memory_bytes"] or 0)
            if folder:
                name, *arguments = program.split()
                theirs.append(hand_written(folder, name, *arguments, *([] if name == "hashset" else [str(threads)])))
        ratios = [a / b for a, b in zip(ours, theirs, strict=False)]
        note = f"of {program.split()[0]}'s {statistics.median(theirs):.3f} s; " if theirs else ""
        seconds = statistics.median(ours)
        ratio = statistics.median(ratios) if ratios else None
        note += f"{data['states'] / seconds / 1e6:,.0f} M states/s, {peak / 2**20:,.0f} MiB"
        row(f"{puzzle} ({data['store']}), threads: {threads}", seconds, ratio, note)


def dense_beside_sparse() -> None:
    """Rules with an index for which there is no program written by hand: the two stores in turn."""
    print("\nthe dense store beside the sparse one (in turn, one run each, threads: 2)")
    turns = boards.coloured("aabbaabbddccddcc", 4)
    for name, rules in (("flipit:5,6", puzzlekit.load("flipit:5,6").rules()), ("turns of 4 by 4 in 4 colours", turns)):
        engine = Engine(rules)
        dense = engine.enumerate(name, RunOptions(threads=2, store="dense"))
        sparse = engine.enumerate(name, RunOptions(threads=2, store="sparse"))
        if counts(dense) != counts(sparse):
            raise RuntimeError(f"the stores count {name} otherwise")
        row(f"{name} (dense)", dense.seconds, note=f"{dense.raw_states:,} states")
        row(f"{name} (sparse)", sparse.seconds, sparse.seconds / dense.seconds, "of that")


def on_disk() -> None:
    """A job that outgrows its memory, beside the same run in memory."""
    print("\nslider:4,3 in the sparse store, in memory and on disk (in turn, one run each, threads: 2)")
    base = [
        sys.executable,
        "-m",
        "puzzlekit",
        "enumerate",
        "slider:4,3",
        "--store",
        "sparse",
        "--threads",
        "2",
        "--json",
    ]
    with tempfile.TemporaryDirectory() as folder:
        runs = {"in memory": [], "--memory 300MiB --out": ["--memory", "300MiB", "--out", f"{folder}/job"]}
        begun: float | None = None
        for what, arguments in runs.items():
            printed = subprocess.run([*base, *arguments], check=True, capture_output=True, text=True).stdout
            data = json.loads(printed)
            ratio = None if begun is None else data["seconds"] / begun
            begun = begun or data["seconds"]
            peak = data["peak_memory_bytes"] or 0
            row(what, data["seconds"], ratio, f"{data['states']:,} states, {peak / 2**20:,.0f} MiB")


def against_plain_python() -> None:
    """The engine beside two searches in plain Python."""
    seconds, report = engine_seconds(BOARD, 1, store="auto")
    print(f"\n{BOARD} ({report.states:,} states) beside plain Python with a set of canonical forms")
    row("puzzlekit, threads: 1", seconds)
    plain = timed(Plain(4, 4, 4).by_canonical_form, counts(report))
    row("plain Python", plain, plain / seconds, "of puzzlekit's time")

    seconds, report = engine_seconds(SMALL, 1, store="auto")
    print(f"\n{SMALL} ({report.states:,} states) beside a linear scan with symmetric comparison")
    row("puzzlekit, threads: 1", seconds)
    scan = timed(Plain(4, 4, 2).by_linear_scan, counts(report))
    row("plain Python", scan, scan / seconds, "of puzzlekit's time")
    row("the handout's Java, as it printed in 2020", 23.865, 23.865 / seconds, "on another machine")


def whole_commands() -> None:
    """Times whole commands, as a person waits for them."""
    print(f"\nwhole commands, start-up included (median of {RUNS})")
    base = command_seconds(sys.executable, "-c", "import typer")
    row("an empty program that imports typer", base)
    version = command_seconds(sys.executable, "-m", "puzzlekit", "--version")
    row("puzzlekit --version", version, version / base, "of that")
    for puzzle in ("tictactoe", "rotation", "slider", SMALL, "flipit:5,5"):
        seconds = command_seconds(sys.executable, "-m", "puzzlekit", "enumerate", puzzle)
        row(f"puzzlekit enumerate {puzzle}", seconds, seconds / version, "of puzzlekit --version")
    seconds, report = engine_seconds("flipit:5,5", 1, store="auto")
    row(f"flipit:5,5 inside the engine ({report.raw_states:,} states)", seconds)


def planning() -> None:
    """Times plans for rules with an index that is not worth while."""
    print(f"\nplanning a run of rules whose index would be too large or too slow (median of {RUNS})")
    rng = random.Random(5)
    wide = [rng.sample(range(12), 12) for _ in range(3)]
    moves = [Move({to: Copy(cell) for cell, to in enumerate(one)}).named(str(at)) for at, one in enumerate(wide)]
    grid = Grid(4, 8)
    slides = [swap(a, b).when({a: "."}).named(f"{name}{a}") for a, b, name in grid.steps()]
    for name, rules in (
        ("three permutations of all 12 cells", Rules(symbols=range(12), start=range(12), moves=moves)),
        ("sliding on 4 by 8 in two colours", Rules(symbols=".ab", start="...." + "a" * 14 + "b" * 14, moves=slides)),
    ):
        engine = Engine(rules)
        row(name, median(partial(engine.plan, name, RunOptions(), None)))


def solvers() -> None:
    """How long the solvers for large boards take for one state, without compiling."""
    print("\nthe solvers for large boards, a random state each (median of 20)")
    for text in ("rotate:4,4", "rotate:5,5", "slider:4,4", "slider:10,10"):
        puzzle = puzzlekit.load(text)
        solve = partial(puzzle.solve, solver=puzzlekit.solvers(puzzle)["reduction"])
        states = [puzzle.scramble(str(seed)).state for seed in range(20)]
        solve(states[0])
        seconds = [median(partial(solve, state), 1) for state in states]
        row(text, statistics.median(seconds), note=f"{max(seconds):.4f} s at the most")


def median(work: Callable[[], object], runs: int = RUNS) -> float:
    """The median time of a piece of work."""
    times = []
    for _ in range(runs):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def begin(document: str | None) -> bool:
    """Reads the arguments, and prints the versions and the machine. Returns `True` for the rows that take minutes."""
    parser = argparse.ArgumentParser(description=document)
    parser.add_argument("--slow", action="store_true", help="the rows that take minutes")
    slow: bool = parser.parse_args().slow
    print(
        f"puzzlekit {puzzlekit.__version__}, Python {platform.python_version()}, {platform.system()} "
        f"{platform.machine()}, {os.cpu_count()} cores"
    )
    return slow


def main() -> None:
    """Prints every table."""
    if begin(__doc__):
        on_disk()
        large_runs(os.environ.get("LIMITS"), slow=True)
        return
    large_runs(os.environ.get("LIMITS"), slow=False)
    dense_beside_sparse()
    widths()
    large_boards()
    against_hand_written(os.environ.get("LIMITS"))
    whole_commands()
    planning()
    solvers()
    against_plain_python()


if __name__ == "__main__":
    main()
