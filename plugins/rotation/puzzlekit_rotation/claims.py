"""Checks what the article says of the staged solver, over all 362,880 boards: `python -m puzzlekit_rotation.claims`."""

from __future__ import annotations

from itertools import permutations

from puzzlekit_rotation import Rotation
from puzzlekit_rotation.staged import MATRICES, stages

# The article's figures: the most turns of each stage, and their sum.
CLAIMED = {1: 4, 2: 3, 3: 10, 7: 3, 8: 5, 9: 7, 5: 8, 4: 13}


def measure() -> tuple[list[int], int, float]:
    """The most turns of each stage, the most turns of any board, and the mean over all boards."""
    most, worst, total, count = [0] * len(MATRICES), 0, 0, 0
    for board in permutations(range(1, 10)):
        lengths = [len(stage) for stage in stages(list(board))]
        most = [max(pair) for pair in zip(most, lengths, strict=True)]
        worst = max(worst, sum(lengths))
        total += sum(lengths)
        count += 1
    return most, worst, total / count


def main() -> None:
    """Prints the true figures beside the article's, and the optimum beside both."""
    most, worst, mean = measure()
    print("stage   most turns   the article says")  # noqa: T201
    for (number, claimed), found in zip(CLAIMED.items(), most, strict=True):
        print(f"{number:>5}{found:>13}{claimed:>19}")  # noqa: T201
    print(f"  sum{sum(most):>13}{sum(CLAIMED.values()):>19}")  # noqa: T201
    print(f"\nover all boards: at most {worst} turns, {mean:.3f} on average")  # noqa: T201
    report = Rotation().enumerate()
    depths = [depth.raw_states for depth in report.depths]
    average = sum(depth * states for depth, states in enumerate(depths)) / sum(depths)
    print(f"optimal:         at most {report.max_depth} turns, {average:.3f} on average")  # noqa: T201


if __name__ == "__main__":
    main()
