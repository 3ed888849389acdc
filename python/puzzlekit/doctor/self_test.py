"""`puzzlekit doctor --self-test`: counts small rules with known counts in every store, which takes about a second."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from functools import partial
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING

from puzzlekit.describe.moves import put, swap, toggle
from puzzlekit.describe.rules import Rules, Symmetry
from puzzlekit.errors import PuzzlekitError
from puzzlekit.jobs.kept import KeptStates
from puzzlekit.run.engine import Engine
from puzzlekit.run.job_parts import JobFolder
from puzzlekit.run.memory import held_bytes
from puzzlekit.run.options import RunOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from puzzlekit.run.progress import Progress
    from puzzlekit.run.report import Depth, Report

WIDE_BITS = 2048
"""The width of the widest words, in bits. With such wide words, few states fill a small memory."""

LITTLE_MEMORY = 18 * 1024**2
"""The bytes that a run may take beyond those that the process holds already. This is enough for a run that goes on on
disk, but not for the last depths of `paint` in memory."""


@dataclass(frozen=True)
class KnownCounts:
    """Rules, and the known number of states at each depth.

    Attributes:
        name: What is counted, in a few words.
        rules: The rules.
        raw_states: The number of all states at each depth.
        states: The number of states at each depth if symmetric states count once.
    """

    name: str
    rules: Rules
    raw_states: tuple[int, ...]
    states: tuple[int, ...]


@dataclass(frozen=True)
class Trial:
    """One run of the self-test.

    Attributes:
        name: What was counted.
        store: The store that was used, and in which way.
        threads: How many threads were used; `None` for as many as there are cores.
        expected: How many states there are, with symmetric states counted once.
        found: How many were found; `None` if the run failed.
        seconds: How long it took.
        problem: What is wrong, in a sentence that says what to do; `None` if the counts of all depths are right.
    """

    name: str
    store: str
    threads: int | None
    expected: int
    found: int | None
    seconds: float
    problem: str | None = None


# For each number from 0 on: how many orders of 8 things have that many inversions (pairs that stand the wrong way
# round). An order with that many inversions is that many swaps of neighbours away from the sorted order. These are the
# Mahonian numbers, A008302 of the OEIS.
INVERSIONS_OF_8 = (
    *(1, 7, 27, 76, 174, 343, 602, 961, 1415, 1940, 2493, 3017, 3450, 3736),
    *(3836, 3736, 3450, 3017, 2493, 1940, 1415, 961, 602, 343, 174, 76, 27, 7, 1),
)

# For each number from 0 to 16: how many rings of 16 cells have that many cells that are on, if rings that are rotations
# of each other count once. These numbers are in A047996 of the OEIS.
NECKLACES_OF_16 = (1, 1, 8, 35, 116, 273, 504, 715, 810, 715, 504, 273, 116, 35, 8, 1, 1)


def known_counts() -> list[KnownCounts]:
    """Rules that every store can count: one set without symmetries, and one with some.

    >>> [(sum(known.raw_states), sum(known.states)) for known in known_counts()]
    [(40320, 40320), (65536, 4116)]
    """
    swaps = [swap(cell, cell + 1) for cell in range(7)]
    orders = Rules(symbols="01234567", start="01234567", moves=swaps)
    turn = Symmetry(cells=(*range(1, 16), 0))
    ring = Rules(symbols="01", start="0" * 16, moves=[toggle(cell) for cell in range(16)], symmetries=[turn])
    on = tuple(comb(16, cells) for cells in range(17))
    return [
        KnownCounts("orders of 8, by swaps", orders, INVERSIONS_OF_8, INVERSIONS_OF_8),
        KnownCounts("16 switches in a ring", ring, on, NECKLACES_OF_16),
    ]


def marks() -> KnownCounts:
    """Rules in which two players fill twelve cells with crosses and noughts in turn, and nobody wins."""
    moves = [put(cell, mark).when({cell: "."}).by(mark) for mark in "XO" for cell in range(12)]
    rules = Rules(symbols=".XO", start="." * 12, players="XO", moves=moves, stuck="draw")
    counts = tuple(comb(12, filled) * comb(filled, filled // 2) for filled in range(13))
    return KnownCounts("marks in 12 cells", rules, counts, counts)


def paint() -> KnownCounts:
    """Rules with five cells that may be painted in six colours again and again. No move makes a cell blank again."""
    moves = [put(cell, colour) for cell in range(5) for colour in "abcdef"]
    counts = tuple(comb(5, painted) * 6**painted for painted in range(6))
    return KnownCounts("5 cells in 6 colours", Rules(symbols=".abcdef", start=".....", moves=moves), counts, counts)


def run_self_test() -> Iterator[Trial]:
    """Counts the known rules in every store, on one thread and on all, and in jobs. It takes about a second."""
    for known in known_counts():
        engine = Engine(known.rules)
        for store in ("dense", "sparse"):
            for threads in (1, None):
                options = RunOptions(store=store, threads=threads)
                yield _try(known, f"{store}, in memory", options, partial(engine.enumerate, known.name, options))
    yield _try_stopped_job()
    yield _try_spilled_job()


def _try_stopped_job() -> Trial:
    """Stops a job of the dense store half way, resumes it, and verifies its files."""
    known = marks()  # few depths, since each is written to disk
    engine, half = Engine(known.rules), len(known.states) // 2
    options = RunOptions(store="dense")

    def run() -> Report:
        with tempfile.TemporaryDirectory() as base:
            folder = str(Path(base) / "job")
            begun = RunOptions(store="dense", max_depth=half)
            engine.enumerate(known.name, begun, None, JobFolder(folder, known.name))
            place = JobFolder(folder, known.name, resume=True)
            # The job was begun with a small `max_depth`, and stopped there. A run with a larger `max_depth` goes on
            # from there.
            report = engine.enumerate(known.name, RunOptions(max_depth=2**63 - 1), None, place)
            KeptStates(engine, place).verify(None, None)
            return report

    return _try(known, "dense, a resumed job", options, run)


def _try_spilled_job() -> Trial:
    """Lets a job of the sparse store outgrow its memory, stops it while it spills to disk, resumes and verifies it."""
    known = paint()
    engine = Engine(known.rules, WIDE_BITS)
    spilled: list[Path] = []

    def run() -> Report:
        with tempfile.TemporaryDirectory() as base:
            folder = Path(base) / "job"

            def watch(_: Progress) -> bool:
                spilled.extend(folder.glob("*.run-*"))
                return bool(spilled)

            def options() -> RunOptions:
                return RunOptions(store="sparse", memory=held_bytes() + LITTLE_MEMORY)

            engine.enumerate(known.name, options(), watch, JobFolder(str(folder), known.name))
            place = JobFolder(str(folder), known.name, resume=True)
            report = engine.enumerate(known.name, options(), None, place)
            KeptStates(engine, place).verify(None, None)
            return report

    trial = _try(known, "sparse, a job on disk", RunOptions(store="sparse"), run)
    if trial.problem is None and not spilled:
        problem = f'self-test: "{known.name}" was to be spilled to disk, and was not; report it with what doctor prints'
        return Trial(trial.name, trial.store, None, trial.expected, trial.found, trial.seconds, problem)
    return trial


def _try(known: KnownCounts, store: str, options: RunOptions, run: Callable[[], Report]) -> Trial:
    """Makes a run, and compares its counts with the known ones."""
    begun = time.monotonic()
    found, problem = None, None
    threads = "one thread" if options.threads else "all threads"
    subject = f'self-test: "{known.name}" ({store}, on {threads})'
    try:
        report = run()
    except (PuzzlekitError, OSError) as error:
        problem = f"{subject} failed: {error}"
    else:
        found = report.states
        wrong = _first_wrong(known, report.depths)
        if report.store != options.store:
            problem = f"{subject} was run in the {report.store} store; report it with what doctor prints"
        elif wrong is not None:
            problem = (
                f"{subject}: {wrong}; trust no count of this installation, install puzzlekit-core anew, "
                "and if it comes again report it with what doctor prints"
            )
    return Trial(known.name, store, options.threads, sum(known.states), found, time.monotonic() - begun, problem)


def _first_wrong(known: KnownCounts, depths: tuple[Depth, ...]) -> str | None:
    """A sentence about the first depth whose number of states is wrong; `None` if all are right."""
    found = [(depth.states, depth.raw_states) for depth in depths]
    expected = list(zip(known.states, known.raw_states, strict=True))
    for depth, (one, other) in enumerate(zip(found, expected, strict=False)):
        if one != other:
            return (
                f"depth {depth} has {one[0]:,} states ({one[1]:,} raw), and should have {other[0]:,} ({other[1]:,} raw)"
            )
    if len(found) != len(expected):
        return f"there are {len(found)} depths, and should be {len(expected)}"
    return None
