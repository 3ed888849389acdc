"""Answers what the report leaves open: `python -m puzzlekit_rotate.claims` prints it."""

from __future__ import annotations

import time

from puzzlekit import load
from puzzlekit_rotate.lists import create, solved

BOARDS = 1000


def main() -> None:
    """Prints which arrangements can be solved at all, and how the reduction does on random boards."""
    print("size   arrangements that turns can make   of all")  # noqa: T201
    for rows in range(2, 6):
        for columns in range(2, rows + 1):
            puzzle = load(f"rotate:{rows},{columns}")
            order, everything = puzzle.engine.group_order, 1
            for factor in range(2, rows * columns + 1):
                everything *= factor
            print(f"{rows}x{columns}  {order:>34,}   {'all' if order == everything else f'{everything:,}'}")  # noqa: T201
    print(f"\nA board that is solved already is done at once: {solved(create(3))}.")  # noqa: T201
    for size in (4, 5):
        puzzle = load(f"rotate:{size},{size}")
        lengths, slowest = [], 0.0
        for seed in range(BOARDS):
            begun = time.perf_counter()
            lengths.append(puzzle.solve(puzzle.scramble(str(seed)).state).length)
            slowest = max(slowest, time.perf_counter() - begun)
        mean = sum(lengths) / BOARDS
        print(f"{size}x{size}: {BOARDS} random boards, {mean:.1f} turns on average, at most {max(lengths)}")  # noqa: T201
        print(f"     the slowest took {slowest:.2f} s, the scramble included")  # noqa: T201


if __name__ == "__main__":
    main()
