"""Times two shards of one thread beside two threads of one process, in turn. `make bench-shards` runs it.

Both keep their states on disk, in the sparse store. Processor time is that of all processes, their start included. On a
busy machine, processor time says more than the clock.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

PUZZLES = ["tictactoe:5,4,3", "slider:4,3"]

WAYS = {
    "two threads": ["--threads", "2", "--store", "sparse"],
    "two shards": ["--threads", "1", "--store", "sparse", "--on", "processes:2"],
}


@dataclass(frozen=True)
class Taken:
    """The seconds that a command took."""

    processor: float
    clock: float


def taken(puzzle: str, options: list[str]) -> Taken:
    """Runs a count, and returns the time that it takes."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "puzzlekit", "enumerate", puzzle, "--out", str(Path(folder) / "job"), *options]
        before, begun = os.times(), time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        after, clock = os.times(), time.perf_counter() - begun
    user = after.children_user - before.children_user
    return Taken(user + after.children_system - before.children_system, clock)


def main() -> None:
    """Prints, for each puzzle, the times with shards and with threads, and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("puzzles", nargs="*", default=PUZZLES, help="which puzzles; tictactoe:5,4,3 and slider:4,3")
    parser.add_argument("--runs", type=int, default=3, help="how often each is counted in turn")
    given = parser.parse_args()
    print("two threads of one process, and two shards of one thread, in turn; medians")
    for puzzle in given.puzzles:
        runs = [{way: taken(puzzle, options) for way, options in WAYS.items()} for _ in range(given.runs)]
        for part in ("processor", "clock"):
            pairs = [tuple(getattr(run[way], part) for way in WAYS) for run in runs]
            threads, shards = (statistics.median(column) for column in zip(*pairs, strict=True))
            speed = statistics.median(a / b for a, b in pairs)
            print(f"  {puzzle:<20}{part:<11}{threads:>9.1f} s{shards:>9.1f} s{speed:>8.2f} times as fast", flush=True)


if __name__ == "__main__":
    main()
