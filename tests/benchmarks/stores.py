"""Times puzzles of the gallery in the store that the engine picks, and in both stores; see `make bench-stores`.

Each run is a process of its own, and the three runs of a puzzle take turns, so that they meet the same machine. Times
are medians of processor time. Puzzles that only one store can count, or that take less than 20 ms, are left out.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess

from tests.benchmarks.gallery import run

PUZZLES = (
    "burnt_pancakes:7",
    "burnt_pancakes:8",
    "cube2_pieces",
    "cube2_stickers",
    "lights_out:4,3",
    "lights_out:5,2",
    "pancakes:9",
    "pancakes:10",
    "topspin:9",
    "topspin:10",
    "topspin:11",
)
"""Puzzles that both stores can count, and that take 20 ms or more in one of them."""

STORES = ("auto", "dense", "sparse")

MOST = 1.3
"""The engine's choice may take so many times as long as the better store."""


def row(text: str, *, runs: int) -> tuple[str, float]:
    """A row of the table, and the ratio in it."""
    times: dict[str, list[float]] = {store: [] for store in STORES}
    chosen = ""
    for _ in range(runs):
        for store in STORES:
            one = run(text, store)
            times[store].append(one.seconds)
            chosen = one.store if store == "auto" else chosen
    auto, dense, sparse = (statistics.median(times[store]) for store in STORES)
    ratio = auto / min(dense, sparse)
    cells = (text, chosen, f"{auto * 1e3:.1f} ms", f"{dense * 1e3:.1f} ms", f"{sparse * 1e3:.1f} ms", f"{ratio:.2f}")
    return f"| {' | '.join(cells)} |", ratio


def main() -> int:
    """Prints the table. Returns 1 if a choice is much slower than the better store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="how often each is counted")
    parser.add_argument("puzzles", nargs="*", help="other puzzles of the gallery")
    given = parser.parse_args()
    print("| puzzle | chosen | automatic | dense | sparse | ratio |")
    print("|---" * 6 + "|")
    worst = 0.0
    for text in given.puzzles or PUZZLES:
        try:
            line, ratio = row(text, runs=given.runs)
        except subprocess.CalledProcessError as error:
            print(f"{text} has no dense store: {error.stderr.splitlines()[-1]}")
            return 1
        worst = max(worst, ratio)
        print(line, flush=True)
    print(f"\nThe worst choice takes {worst:.2f} times as long as the better store; at most {MOST} is wanted.")
    return int(worst > MOST)


if __name__ == "__main__":
    raise SystemExit(main())
