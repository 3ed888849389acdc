"""A second of known counts: small rules whose states a formula counts, searched by every store."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from math import comb, gcd
from pathlib import Path
from typing import TYPE_CHECKING

from puzzlekit.describe.moves import Copy, Move, put, swap, toggle
from puzzlekit.describe.rules import Rules, Symmetry
from puzzlekit.errors import PuzzlekitError
from puzzlekit.jobs.kept import KeptStates
from puzzlekit.run.engine import Engine
from puzzlekit.run.memory import held_bytes
from puzzlekit.run.options import JobFolder, RunOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from puzzlekit.run.report import Depth, Progress, Report

WIDE_BITS = 2048
"""With words of this width, the widest, few states fill a little memory."""

LITTLE_MEMORY = 18 * 1024**2
"""In addition to what the process holds. It is enough for a run on disk, but not for the last depths of `paint`."""


@dataclass(frozen=True)
class KnownCounts:
    """Rules, and how many states they have in each depth.

    Attributes:
        name: What is counted, in a few words.
        rules: The rules.
        raw_states: The states of each depth, symmetric ones counted apart.
        states: The states of each depth up to symmetry.
    """

    name: str
    rules: Rules
    raw_states: tuple[int, ...]
    states: tuple[int, ...]


@dataclass(frozen=True)
class Trial:
    """One of the runs of a self-test.

    Attributes:
        name: What was counted.
        store: Which store was used, and how.
        threads: How many threads were used; `None` for one for each core.
        expected: How many states there are up to symmetry.
        found: How many were found; `None` if the run failed.
        seconds: The time that it took.
        problem: What is wrong, in a sentence with its remedy; `None` if every depth has its states.
    """

    name: str
    store: str
    threads: int | None
    expected: int
    found: int | None
    seconds: float
    problem: str | None = None


def known_counts() -> list[KnownCounts]:
    """Rules of each shape for which the dense store has an index, and rules with symmetries.

    >>> [sum(known.raw_states) for known in known_counts()]
    [40320, 5040, 34650, 65536, 143365, 59049, 46080, 65536]
    """
    shapes = [
        _known("orders of 8 by adjacent swaps", _line("01234567"), inversions([1] * 8)),
        _known("orders of 7 by swaps with one of them", _star("0123456"), star_distances(7)),
        _known("orders of 4 a, 4 b, 4 c by adjacent swaps", _line("aaaabbbbcccc"), inversions([4, 4, 4])),
        _known("switches, 16 in a row", _switches(16), [comb(16, on) for on in range(17)]),
        marks(),
        _known("dials of 3 symbols, 10 in a row", _dials(10), trinomials(10)),
        _known("signed orders of 6 by adjacent swaps and the first sign", _signed("abcdef"), signed_inversions(6)),
    ]
    ring = KnownCounts(
        "switches, 16 in a ring, up to its turns",
        _switches(16, ring=True),
        tuple(comb(16, on) for on in range(17)),
        tuple(necklaces(16, on) for on in range(17)),
    )
    return [*shapes, ring]


def marks() -> KnownCounts:
    """Crosses and noughts fill twelve cells in turn, and nobody wins."""
    counts = [comb(12, filled) * comb(filled, filled // 2) for filled in range(13)]
    return _known("crosses and noughts in 12 cells", _marks(12), counts)


def paint() -> KnownCounts:
    """Five cells. Each may be painted in six colours, again and again: a directed graph."""
    cells, colours = 5, "abcdef"
    moves = [put(cell, colour) for cell in range(cells) for colour in colours]
    rules = Rules(symbols=f".{colours}", start="." * cells, moves=moves)
    return _known("5 cells in 6 colours", rules, [comb(cells, n) * 6**n for n in range(cells + 1)])


def inversions(copies: list[int]) -> list[int]:
    """The numbers of arrangements with 0, 1, 2, ... inversions, if symbol `i` occurs `copies[i]` times.

    A swap of neighbours changes the number of inversions by one, so that number is the depth. How many arrangements
    have n inversions is the coefficient of q^n in the q-multinomial coefficient: P. A. MacMahon, "Combinatory
    Analysis", volume 2 (1916). Without repeated symbols these are the Mahonian numbers, sequence A008302 of the OEIS.

    >>> inversions([1, 1, 1]), inversions([2, 2])
    ([1, 2, 2, 1], [1, 1, 2, 1, 1])
    """
    product, total = [1], 0
    for count in copies:
        # A q-binomial coefficient is a product of fractions (1 - q^(total + i)) / (1 - q^i).
        for i in range(1, count + 1):
            product = _divided(_times(product, total + i), i)
        total += count
    return product


def star_distances(count: int) -> list[int]:
    """The numbers of orders of `count` symbols that take 0, 1, 2, ... swaps of the first symbol with any other.

    An order that moves m symbols in c cycles takes m + c swaps, and two fewer if it moves the first symbol: S. B. Akers
    and B. Krishnamurthy, "A group-theoretic model for symmetric interconnection networks" (1989).

    >>> star_distances(3)
    [1, 2, 2, 1]
    """
    found: dict[int, int] = {}
    for order in permutations(range(count)):
        seen: set[int] = set()
        swaps = -2 if order[0] else 0
        for begin in range(count):
            at = begin
            while at not in seen and order[at] != at:
                seen.add(at)
                swaps += 1 + (at == begin)
                at = order[at]
        found[swaps] = found.get(swaps, 0) + 1
    return [found[swaps] for swaps in sorted(found)]


def signed_inversions(count: int) -> list[int]:
    """The numbers of signed orders of `count` pieces 0, 1, 2, ... moves away: neighbour swaps, and turns of the first.

    The moves are the simple reflections of the Coxeter group of type B, so the numbers are the coefficients of the
    product of 1 + q + ... + q^(2i - 1) for i from 1 to `count`: J. E. Humphreys, "Reflection Groups and Coxeter Groups"
    (1990), sections 1.11 and 3.15.

    >>> signed_inversions(2)
    [1, 2, 2, 2, 1]
    """
    product = [1]
    for i in range(1, count + 1):
        product = _divided(_times(product, 2 * i), 1)
    return product


def _times(polynomial: list[int], power: int) -> list[int]:
    """A polynomial times 1 - q^power."""
    padded, shifted = polynomial + [0] * power, [0] * power + polynomial
    return [a - b for a, b in zip(padded, shifted, strict=True)]


def _divided(polynomial: list[int], power: int) -> list[int]:
    """A polynomial divided by 1 - q^power, which leaves no remainder."""
    quotient: list[int] = []
    for at in range(len(polynomial) - power):
        quotient.append(polynomial[at] + (quotient[at - power] if at >= power else 0))
    return quotient


def necklaces(cells: int, on: int) -> int:
    """The number of rings of `cells` cells with `on` cells on, up to turns, by Burnside's lemma: A047996 of the OEIS.

    >>> [necklaces(4, on) for on in range(5)]
    [1, 1, 2, 1, 1]
    """
    periods = (gcd(turn, cells) for turn in range(cells))
    return sum(comb(period, on * period // cells) for period in periods if on * period % cells == 0) // cells


def trinomials(power: int) -> list[int]:
    """The coefficients of (1 + x + x^2) to a power: sequence A027907 of the OEIS.

    If each press turns one of `power` dials of three symbols, so many states take 0, 1, 2, ... presses.

    >>> trinomials(2)
    [1, 2, 3, 2, 1]
    """
    row = [1]
    for _ in range(power):
        row = [sum(row[max(at - 2, 0) : at + 1]) for at in range(len(row) + 2)]
    return row


def _known(name: str, rules: Rules, counts: Iterable[int]) -> KnownCounts:
    """Known counts of rules without symmetries."""
    return KnownCounts(name, rules, tuple(counts), tuple(counts))


def _line(start: str) -> Rules:
    moves = [swap(cell, cell + 1) for cell in range(len(start) - 1)]
    return Rules(symbols=sorted(set(start)), start=start, moves=moves)


def _switches(cells: int, *, ring: bool = False) -> Rules:
    turn = Symmetry(cells=(*range(1, cells), 0))
    return Rules(
        symbols="01",
        start="0" * cells,
        moves=[toggle(cell) for cell in range(cells)],
        symmetries=[turn] if ring else [],
    )


def _star(symbols: str) -> Rules:
    cells = range(len(symbols))
    moves = [swap(a, b).when({a: symbols[0]}).named(str(b)) for a in cells for b in cells if a != b]
    return Rules(symbols=symbols, start=symbols, moves=moves)


def _signed(pieces: str) -> Rules:
    """Pieces in a row, each of which is one way up or the other."""
    turned: dict[str | int, str | int] = {
        **dict(zip(pieces, pieces.upper(), strict=True)),
        **dict(zip(pieces.upper(), pieces, strict=True)),
    }
    swaps = [swap(cell, cell + 1) for cell in range(len(pieces) - 1)]
    first = Move({0: Copy(0, map=turned)}).named("turn")
    return Rules(symbols=pieces + pieces.upper(), start=pieces, moves=[*swaps, first])


def _dials(cells: int) -> Rules:
    return Rules(symbols="012", start="0" * cells, moves=[toggle(cell) for cell in range(cells)])


def _marks(cells: int) -> Rules:
    moves = [put(cell, mark).when({cell: "."}).by(mark) for mark in "XO" for cell in range(cells)]
    return Rules(symbols=".XO", start="." * cells, players="XO", moves=moves, stuck="draw")


def run_self_test() -> Iterator[Trial]:
    """Counts the known rules in every store, on one thread and on all threads. It takes about a second."""
    for known in known_counts():
        engine = Engine(known.rules)
        for store in ("dense", "sparse"):
            for threads in (1, None):
                options = RunOptions(store=store, threads=threads)
                yield _try(known, f"{store}, in memory", options, partial(engine.enumerate, known.name, options))
    yield _try_stopped_job()
    yield _try_spilled_job()


def _try_stopped_job() -> Trial:
    """A job of the dense store that is stopped half way, resumed and verified."""
    known = marks()  # few depths, since each is written to disk
    engine, half = Engine(known.rules), len(known.states) // 2
    options = RunOptions(store="dense")

    def run() -> Report:
        with tempfile.TemporaryDirectory() as base:
            folder = str(Path(base) / "job")
            begun = RunOptions(store="dense", max_depth=half)
            engine.enumerate(known.name, begun, None, JobFolder(folder, known.name))
            place = JobFolder(folder, known.name, resume=True)
            # The last depth is now beyond the depth that the job was begun with.
            report = engine.enumerate(known.name, RunOptions(max_depth=2**63 - 1), None, place)
            KeptStates(engine, place).verify(None, None)
            return report

    return _try(known, "dense, a job stopped and resumed", options, run)


def _try_spilled_job() -> Trial:
    """A job of the sparse store that outgrows its memory, is stopped while it spills to disk, resumed and verified."""
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

    trial = _try(known, "sparse, a job spilled to disk, stopped and resumed", RunOptions(store="sparse"), run)
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
    """A sentence about the first depth with a wrong number of states; `None` if there is none."""
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
