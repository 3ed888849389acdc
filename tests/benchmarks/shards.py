"""Times two shards of one thread beside two threads of one process, in turn. `make bench-shards` runs it.

Counts of all states, as words and as bits, then values of all states: of a game by depth, and of a puzzle whose play
goes round. Both ways keep their states on disk, in the same store. Processor time is that of all processes, their start
included. On a busy machine, processor time says more than the clock. Memory is the peak of the largest process, and
disk what the files take in the end.
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
    ("values", "connect_four:5,5", "sparse"),
    ("values", "rotate:2,5", "sparse"),
]
"""Each verb that runs in shards, with puzzles that take it some seconds or minutes, and the store."""

SLOW_ROWS = [("values", "tictactoe:5,4,4", "sparse")]
"""What takes two minutes each time."""

UNITS = {"processor": "s", "clock": "s", "memory": "MiB", "disk": "MB"}

WAYS = {"two threads": ["--threads", "2"], "two shards": ["--threads", "1", "--on", "processes:2"]}


@dataclass(frozen=True)
class Taken:
    """What a command took: seconds of the processor and by the clock, MiB of memory and MB of disk."""

    processor: float
    clock: float
    memory: float
    disk: float


def taken(verb: str, puzzle: str, options: list[str]) -> Taken:
    """Runs the verb on the puzzle in a new folder, and returns what it takes."""
    with tempfile.TemporaryDirectory() as folder:
        job = Path(folder) / "job"
        command = [sys.executable, "-m", "puzzlekit", verb, puzzle, "--out", str(job), "--quiet", *options]
        begun = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        clock = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command)
        disk = sum(path.stat().st_size for path in job.rglob("*") if path.is_file())
    return Taken(used.ru_utime + used.ru_stime, clock, used.ru_maxrss / 1024, disk / 1e6)


def main() -> None:
    """Prints, for each puzzle, the times with shards and with threads, and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("puzzles", nargs="*", help="other puzzles than those of the benchmark")
    parser.add_argument("--verb", default="enumerate", choices=["enumerate", "values"], help="what is asked of them")
    parser.add_argument("--store", default="sparse", choices=["sparse", "dense"], help="how they hold states")
    parser.add_argument("--slow", action="store_true", help="also what takes minutes each time")
    parser.add_argument("--runs", type=int, default=3, help="how often each is run in turn")
    given = parser.parse_args()
    all_rows = ROWS + SLOW_ROWS if given.slow else ROWS
    rows = [(given.verb, puzzle, given.store) for puzzle in given.puzzles] or all_rows
    print("two threads of one process, and two shards of one thread, in turn; medians")
    for verb, puzzle, store in rows:
        kept = ["--store", store]
        ways = {way: [*options, *kept] for way, options in WAYS.items()}
        runs = [{way: taken(verb, puzzle, options) for way, options in ways.items()} for _ in range(given.runs)]
        for part, unit in UNITS.items():
            pairs = [tuple(getattr(run[way], part) for way in WAYS) for run in runs]
            threads, shards = (statistics.median(column) for column in zip(*pairs, strict=True))
            speed = f"{statistics.median(a / b for a, b in pairs):>8.2f} times as fast" if unit == "s" else ""
            print(
                f"  {verb:<11}{puzzle:<18}{store:<8}{part:<11}{threads:>9.1f} {unit:<4}{shards:>9.1f} {unit:<4}{speed}",
                flush=True,
            )


if __name__ == "__main__":
    main()
