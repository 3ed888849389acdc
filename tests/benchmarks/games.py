"""Times `Puzzle.solve` on positions of games, whose values it finds. `make bench` and `make bench-slow` run it.

With LIMITS=folder, the program `play` in the folder is run beside it. It is written by hand for lines on a board. With
`--slow`, positions of connect four are run instead, beside BitBully if it is installed (`pip install bitbully`).
"""

from __future__ import annotations

import argparse
import importlib
import os
import statistics
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import puzzlekit
from puzzlekit import Puzzle
from tests import gallery
from tests.benchmarks.bench import median, row

RUNS = 3

FOUR = Path(__file__).parent.parent / "fixtures" / "connect_four.txt"


def value(puzzle: Puzzle, expected: str) -> tuple[float, str]:
    """The median time for the value of the start, and a note on what else the search found."""
    found: set[tuple[str | None, bool]] = set()

    def work() -> None:
        report = puzzle.solve(puzzle.start, memory="1GiB")
        found.add((report.value, report.optimal))

    seconds = median(work, RUNS)
    if {each for each, _ in found} != {expected}:
        raise RuntimeError(f"{puzzle}: {found}, not {expected}")
    return seconds, "all best moves" if all(optimal for _, optimal in found) else "the value and play to the end"


def by_hand(folder: str, board: str) -> float:
    """The time that the program takes for a board."""
    return median(lambda: subprocess.run([f"{folder}/play", *board.split(",")], check=True, capture_output=True), RUNS)


def positions() -> dict[str, list[tuple[str, int]]]:
    """For each set of positions of connect four, the columns that were played and the score."""
    sets: dict[str, list[tuple[str, int]]] = {}
    for line in FOUR.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, played, score = line.split()
            sets.setdefault(name, []).append((played, int(score)))
    return sets


def processor_seconds(work: Callable[[], int], expected: int) -> float:
    """The seconds of processor time that some work takes, which must return the expected number."""
    begun = time.process_time()
    found = work()
    seconds = time.process_time() - begun
    if found != expected:
        raise RuntimeError(f"the score is {found}, not {expected}")
    return seconds


def score_of(puzzle: Puzzle, state: str, played: str) -> int:
    """The score of a position, from its value and the number of moves to the end."""
    report = puzzle.solve(state, distance=True, memory="1GiB")
    if not report.optimal or report.length is None:
        raise RuntimeError(f"{played}: not proven")
    left = (44 - len(played) - report.length) // 2
    return {"win": left, "draw": 0, "loss": -left}[str(report.value)]


def score_by_bitbully(core: Any, played: str) -> Callable[[], int]:
    """Finds the score of a position by BitBully, whose table is empty before."""
    solver, board = core.BitBullyCore(), core.BoardCore()
    for column in played:
        board.play(int(column) - 1)
    return lambda: int(solver.mtdf(board, 0))


def connect_four() -> None:
    """Positions of connect four on 6 by 7: the score and all best moves, beside BitBully's score."""
    print("\nconnect four on 6 by 7, processor time of a position (mean of 30)")
    core: Any = None
    try:
        core = importlib.import_module("bitbully.bitbully_core")
    except ImportError:
        print("  BitBully is not installed, so it is not run beside: pip install bitbully")
    puzzle = gallery.load("connect_four:6,7")
    for name, listed in positions().items():
        ours: list[float] = []
        theirs: list[float] = []
        for played, score in listed:
            state = puzzle.start
            for column in played:
                state = puzzle.apply(state, column)
            ours.append(processor_seconds(partial(score_of, puzzle, state, played), score))
            if core:
                theirs.append(processor_seconds(score_by_bitbully(core, played), score))
        seconds = statistics.mean(ours)
        if theirs:
            row(f"BitBully, {name}", statistics.mean(theirs))
        row(name, seconds, seconds / statistics.mean(theirs) if theirs else None, "the score and all best moves")


def starts() -> None:
    """Prints the table of values from the start."""
    print(f"\nvalues of games from the start, one thread, 1 GiB (median of {RUNS})")
    folder = os.environ.get("LIMITS")
    for board in ("4,4,4", "5,4,4", "5,5,5"):
        seconds, note = value(puzzlekit.load(f"tictactoe:{board}"), "draw")
        if folder:
            theirs = by_hand(folder, board)
            row(f"play {board}", theirs)
            row(f"tictactoe:{board}", seconds, seconds / theirs, f"of its time; {note}")
        else:
            row(f"tictactoe:{board}", seconds, note=note)
    for size in ("5,5", "5,6"):
        seconds, note = value(gallery.load(f"connect_four:{size}"), "draw")
        row(f"connect_four:{size}", seconds, note=note)


def main() -> None:
    """Prints the tables that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slow", action="store_true", help="the positions of connect four instead")
    if parser.parse_args().slow:
        connect_four()
    else:
        starts()


if __name__ == "__main__":
    main()
