"""Times two shards of one thread beside two threads of one process, in turn. `make bench-shards` runs it.

Counts of all states, as words and as bits, then values of all states: of a game by depth, and of a puzzle whose play
goes round. Both ways keep their states on disk, in the same store. Processor time is that of all processes, their start
included. On a busy machine, processor time says more than the clock.
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

ROWS = [
    ("enumerate", "tictactoe:5,4,3", "sparse"),
    ("enumerate", "slider:4,3", "sparse"),
    ("enumerate", "slider:4,3", "dense"),
    ("enumerate", "rotate:3,4", "dense"),
    ("enumerate", "tictactoe:5,4,4", "dense"),
    ("enumerate", "burnt_pancakes:9", "dense"),
    ("values", "tictactoe:4,4,4", "sparse"),
    ("values", "rotate:2,5", "sparse"),
]
"""Each verb that runs in shards, with puzzles that take it some seconds or minutes, and the store."""

WAYS = {"two threads": ["--threads", "2"], "two shards": ["--threads", "1", "--on", "processes:2"]}


@dataclass(frozen=True)
class Taken:
    """The seconds that a command took."""

    processor: float
    clock: float


def taken(verb: str, puzzle: str, options: list[str]) -> Taken:
    """Runs the verb on the puzzle in a new folder, and returns the time that it takes."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "puzzlekit", verb, puzzle, "--out", str(Path(folder) / "job"), *options]
        before, begun = os.times(), time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        after, clock = os.times(), time.perf_counter() - begun
    user = after.children_user - before.children_user
    return Taken(user + after.children_system - before.children_system, clock)


def main() -> None:
    """Prints, for each puzzle, the times with shards and with threads, and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("puzzles", nargs="*", help="other puzzles than those of the benchmark")
    parser.add_argument("--verb", default="enumerate", choices=["enumerate", "values"], help="what is asked of them")
    parser.add_argument("--store", default="sparse", choices=["sparse", "dense"], help="how they hold states")
    parser.add_argument("--runs", type=int, default=3, help="how often each is run in turn")
    given = parser.parse_args()
    rows = [(given.verb, puzzle, given.store) for puzzle in given.puzzles] or ROWS
    print("two threads of one process, and two shards of one thread, in turn; medians")
    for verb, puzzle, store in rows:
        kept = ["--store", store]
        ways = {way: [*options, *kept] for way, options in WAYS.items()}
        runs = [{way: taken(verb, puzzle, options) for way, options in ways.items()} for _ in range(given.runs)]
        for part in ("processor", "clock"):
            pairs = [tuple(getattr(run[way], part) for way in WAYS) for run in runs]
            threads, shards = (statistics.median(column) for column in zip(*pairs, strict=True))
            speed = statistics.median(a / b for a, b in pairs)
            print(
                f"  {verb:<11}{puzzle:<18}{store:<8}{part:<11}"
                f"{threads:>9.1f} s{shards:>9.1f} s{speed:>8.2f} times as fast",
                flush=True,
            )


if __name__ == "__main__":
    main()
