"""Times `Puzzle.solve` on the starts of games, whose values it finds. `make bench` runs it.

With LIMITS=folder, the program `play` in the folder is run beside it. It is written by hand for lines on a board.
"""

from __future__ import annotations

import os
import subprocess

import puzzlekit
from puzzlekit import Puzzle
from tests import gallery
from tests.benchmarks.bench import median, row

RUNS = 3


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


def main() -> None:
    """Prints the table."""
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


if __name__ == "__main__":
    main()
