"""Times counts, values and solutions with more and more threads. `make bench-threads` runs it.

Each row is run with 1, 2, 4, ... threads, as many as the machine has cores. The efficiency of a run is the time with
one thread, divided by the number of threads times the time with that many: 1 if no thread ever waits.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import puzzlekit
from tests import gallery
from tests.benchmarks.answers import CUBES, LARGE_TABLE, fifteen, solve

PEGS = str(gallery.FILES["pegs"])
CUBE = str(gallery.FILES["cube3"])


def counted(*arguments: str) -> Callable[[int], tuple[float, object]]:
    """A command that counts or values all states: its seconds in the engine, and what it found."""

    def run(threads: int) -> tuple[float, object]:
        command = [sys.executable, "-m", "puzzlekit", *arguments, "--threads", str(threads), "--json"]
        report = json.loads(subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout)
        return report["seconds"], report.get("states") or report.get("values")

    return run


def boards(threads: int) -> tuple[float, object]:
    """Korf's hundred boards by one command, tables made anew: its seconds, and the sum of all moves."""
    begun = time.perf_counter()
    states = [board for board, _ in fifteen()]
    answers = solve("slider:4,4", "--states", "-", "--threads", str(threads), "--json", states=states)
    return time.perf_counter() - begun, sum(answer["length"] for answer in answers)


def cubes(folder: str) -> Callable[[int], tuple[float, object]]:
    """Cubes of 17 moves, each proven, with the tables of a folder: the seconds of all, and the moves of each."""
    puzzle = gallery.load("cube3")
    lines = [line for line in CUBES.read_text(encoding="utf-8").splitlines() if line.startswith("17")]
    states = [puzzle.apply(puzzle.start, line.split(maxsplit=1)[1]) for line in lines[:5]]

    def run(threads: int) -> tuple[float, object]:
        limits = ("--memory", "2GiB", "--threads", str(threads))
        answers = solve(CUBE, "--states", "-", *limits, "--json", states=states, cache=folder)
        return sum(answer["seconds"] for answer in answers), [answer["length"] for answer in answers]

    return run


def make_tables(folder: str) -> None:
    """Solves random cubes until the large table is in the folder, which is made when it has become worth while."""
    puzzle = gallery.load("cube3")
    for number in range(10):
        if any(path.stat().st_size > LARGE_TABLE for path in Path(folder).iterdir()):
            return
        states = [puzzle.scramble(f"other {number}").state] * 3
        solve(CUBE, "--states", "-", "--memory", "2GiB", "--json", states=states, check=False, cache=folder)


def scaled(name: str, work: Callable[[int], tuple[float, object]], most: int, runs: int) -> None:
    """Prints the median seconds and the efficiency of a piece of work with 1, 2, 4, ... threads."""
    alone, found = 0.0, None
    for threads in (2**power for power in range(most.bit_length())):
        times = []
        for _ in range(runs):
            seconds, answer = work(threads)
            times.append(seconds)
            if found not in (None, answer):
                raise RuntimeError(f"{name}: {threads} threads found {answer}, fewer threads {found}")
            found = answer
        seconds = statistics.median(times)
        alone = alone or seconds
        print(f"  {name:<34} {threads:>3} {seconds:>9.3f} s {alone / seconds / threads:>6.2f}", flush=True)


def main() -> None:
    """Prints each row for each number of threads."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=os.cpu_count() or 1, help="the largest number of threads")
    parser.add_argument("--runs", type=int, default=3, help="how often each is run; the median is printed")
    parser.add_argument("--only", help="rows whose names contain this")
    given = parser.parse_args()
    print(f"puzzlekit {puzzlekit.__version__}, {platform.machine()}, {os.cpu_count()} cores")
    print(f"  {'work':<34} threads  seconds  efficiency")
    with tempfile.TemporaryDirectory() as folder:
        rows = {
            "count tictactoe:5,4,4": counted("enumerate", "tictactoe:5,4,4"),
            "count slider:4,3": counted("enumerate", "slider:4,3"),
            "count rotate:3,4": counted("enumerate", "rotate:3,4"),
            "count pegs, sparse": counted("enumerate", PEGS, "--store", "sparse"),
            "count tictactoe:5,4,3, sparse": counted("enumerate", "tictactoe:5,4,3", "--store", "sparse"),
            "values tictactoe:5,4,4": counted("values", "tictactoe:5,4,4"),
            "Korf's hundred 15-puzzles": boards,
            "five cubes of 17 moves": cubes(folder),
        }
        for name, work in rows.items():
            if given.only and given.only not in name:
                continue
            if work is rows["five cubes of 17 moves"]:
                make_tables(folder)
            scaled(name, work, given.most, given.runs)


if __name__ == "__main__":
    main()
