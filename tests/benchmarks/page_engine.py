"""Times the engine of the page, in Node, beside the engine in Python with one thread.

    python -m tests.benchmarks.page_engine [MODULE]

Seconds are those of the processor, so other work on the machine changes them less. Each count is made twice in one
instance, and the second time counts: then the module is compiled by the better of the two compilers of V8.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import puzzlekit
from tests import gallery
from tests.web_engine import ENGINE, PageEngine

COUNTS = (
    "tictactoe:4,4,4",
    "cube2_pieces",
    "slider:3,4",
    "rotation",
    "pegs",
    "topspin:tokens=10",
    "lights_out:5,2",
    "connect_four:rows=4,columns=5",
    "hex:4",
    "teeko",
    "quarto",
    "six_mens_morris:4",
)
SOLVES = ("slider:4,4",)
SEEDS = ("a", "b", "c", "d", "e")


def loaded(text: str) -> puzzlekit.Puzzle:
    """A puzzle of a plugin, or of the gallery."""
    try:
        return puzzlekit.load(text)
    except puzzlekit.UsageError:
        return gallery.load(text)


def native(work: Callable[[], Any]) -> tuple[Any, float]:
    """The seconds of the processor that some work takes in Python."""
    begun = time.process_time()
    result = work()
    return result, time.process_time() - begun


def count(page: PageEngine, text: str) -> None:
    """Prints a row about a count."""
    puzzle = loaded(text)
    page.renew()
    page.load(puzzle)
    first, second = (page.ask("enumerate", memory=2**31) for _ in range(2))
    report, seconds = native(lambda: puzzle.enumerate(threads=1, memory=2**33))
    assert second["answer"]["complete"], text
    assert second["answer"]["states"] == report.states
    figures = (first["seconds"], second["seconds"], seconds, second["seconds"] / seconds)
    words = " | ".join(f"{figure:.2f}" for figure in figures)
    print(f"| {text} | {report.raw_states:,} | {report.store} | {words} |", flush=True)


def solve(page: PageEngine, text: str) -> None:
    """Prints rows about solutions, each by a new instance, its tables included."""
    puzzle = loaded(text)
    for seed in SEEDS:
        state = puzzle.scramble(seed).state
        page.renew()
        page.load(puzzle)
        asked = page.ask("solve", state=state, seconds=60)
        told = asked["answer"]
        report, seconds = native(partial(puzzle.solve, state, cache=False, seconds=60))
        assert (told["length"], told["optimal"]) == (report.length, report.optimal)
        proven = "proven" if told["optimal"] else "not proven"
        print(f"| {text}, seed {seed} | {told['length']} moves, {proven} | {asked['seconds']:.2f} | {seconds:.2f} |")


def main() -> None:
    """Prints both tables."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else ENGINE
    page = PageEngine(path)
    print("| count | states | store | page, first | page, warm | native, one thread | warm to native |")
    print("|---|---|---|---|---|---|---|")
    for text in COUNTS:
        count(page, text)
    print()
    print("| solution | | page, seconds | native, seconds of the processor |")
    print("|---|---|---|---|")
    for text in SOLVES:
        solve(page, text)
    page.close()


if __name__ == "__main__":
    main()
