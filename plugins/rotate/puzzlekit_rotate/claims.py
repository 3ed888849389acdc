"""Answers the questions that the report leaves open. `python -m puzzlekit_rotate.claims` prints the answers."""

from __future__ import annotations

import math
import time

from puzzlekit import Grid, load
from puzzlekit_rotate.lists import create, solved

BOARDS = 1000

LONGEST = 10
"""All scrambles of up to this many turns are examined."""


def leading_back(rows: int, columns: int, longest: int = LONGEST) -> list[int]:
    """The even numbers of turns, up to `longest`, after which the board may be solved again.

    A scramble of 2n turns ends solved if and only if its first n turns make the inverse of what its last n turns make.
    So all arrangements that n turns make are compared with their inverses. Odd numbers are left out: a turn of four
    letters is an odd permutation, and so is any odd number of turns together.

    >>> leading_back(2, 2)
    [4, 8]
    """
    grid = Grid(rows, columns)
    turns = []
    for corner in grid.corners():
        a, b, c, d = grid.block(corner)
        turn = list(grid)
        turn[b], turn[c], turn[d], turn[a] = a, b, c, d
        turns.append(turn)
    made = {tuple(grid)}
    found = []
    for half in range(1, longest // 2 + 1):
        made = {tuple([board[at] for at in turn]) for board in made for turn in turns}
        inverses = {tuple(sorted(grid, key=board.__getitem__)) for board in made}
        found += [2 * half] if made & inverses else []
    return found


def main() -> None:
    """Prints which arrangements and scrambles can be solved, and how the reduction does on random boards."""
    print("size   arrangements that turns can make   of all")  # noqa: T201
    for rows in range(2, 6):
        for columns in range(2, rows + 1):
            order, everything = load(f"rotate:{rows},{columns}").count_reachable(), math.factorial(rows * columns)
            line = f"{rows}x{columns}  {order:>34,}   {'all' if order == everything else f'{everything:,}'}"
            print(line)  # noqa: T201
    print("\nNumbers of turns that may end solved:")  # noqa: T201
    for size in (2, 3, 4):
        print(f"{size}x{size}: {', '.join(map(str, leading_back(size, size)))}, of up to {LONGEST}")  # noqa: T201
    print(f"A board that is solved already is done at once: {solved(create(3))}.")  # noqa: T201
    for size in (4, 5):
        puzzle = load(f"rotate:{size},{size}")
        lengths, slowest = [], 0.0
        for seed in range(BOARDS):
            begun = time.perf_counter()
            lengths.append(puzzle.solve(puzzle.scramble(str(seed)).state).length)
            slowest = max(slowest, time.perf_counter() - begun)
        mean = sum(lengths) / BOARDS
        line = f"{size}x{size}: {BOARDS} random boards, {mean:.1f} turns on average, at most {max(lengths)}"
        print(line)  # noqa: T201
        print(f"     the slowest took {slowest:.2f} s, the scramble included")  # noqa: T201


if __name__ == "__main__":
    main()
