"""Checks what the article says of the staged solver, over all 362,880 boards: `python -m puzzlekit_rotation.claims`."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from operator import itemgetter

from puzzlekit_rotation.staged import BLOCKS, MATRICES, WORDS

Board = tuple[int, ...]

CLAIMED = {1: 4, 2: 3, 3: 10, 7: 3, 8: 5, 9: 7, 5: 8, 4: 13}
"""The article's figures: the most turns of each stage. They add up to 53."""

CLAIMED_CASES = 44
"""The article's number of cases: places at which the number of a stage may be."""


@dataclass(frozen=True)
class Figures:
    """What the staged solver does, over all boards.

    Attributes:
        most: The most turns of each stage, by its number.
        lengths: How many boards take each number of turns.
        worst: The boards that take the most, in order.
        fewest: How many boards need each number of turns at least.
        optimal: On how many boards the stages take only as many turns as are needed.
    """

    most: dict[int, int]
    lengths: dict[int, int]
    worst: list[str]
    fewest: dict[int, int]
    optimal: int

    @property
    def over(self) -> int:
        """How many boards take more turns than the article says that any board takes."""
        return sum(boards for turns, boards in self.lengths.items() if turns > sum(CLAIMED.values()))


def cases() -> int:
    """How many places there are, over all stages, in which the number of the stage may be."""
    return sum(word != "-" for matrix in MATRICES.values() for word in matrix.replace("/", " ").split())


def matrices() -> str:
    """The decision matrices, as in the README: the word for each place, or - if the number cannot be there."""
    lines = []
    for number, matrix in MATRICES.items():
        width = max(map(len, matrix.split()))
        for row, words in enumerate(matrix.split("/")):
            name = f"D({number}) =" if row == 1 else ""
            lines.append(f"{name:6}  {'  '.join(f'{word:{width}}' for word in words.split())}".rstrip())
        lines.append("")
    return "\n".join(lines[:-1])


def measure() -> Figures:
    """Solves every board, by stages and with the fewest turns."""
    needed = _fewest()
    words = {
        number: [None if word is None else (len(word), _maker(word)) for word in row] for number, row in WORDS.items()
    }
    most, lengths, worst, optimal = dict.fromkeys(WORDS, 0), dict[int, int](), dict[int, list[str]](), 0
    for first in permutations(range(1, 10)):
        board: Board = first
        total = 0
        for number, row in words.items():
            turns = 0
            while (word := row[board.index(number)]) is not None:
                turns += word[0]
                board = word[1](board)
            total += turns
            most[number] = max(most[number], turns)
        lengths[total] = lengths.get(total, 0) + 1
        if total == max(lengths):
            worst.setdefault(total, []).append("".join(map(str, first)))
        optimal += total == needed[first]
    fewest = {turns: list(needed.values()).count(turns) for turns in sorted(set(needed.values()))}
    hardest = [f"{board[:3]}/{board[3:6]}/{board[6:]}" for board in worst[max(lengths)]]
    return Figures(most, dict(sorted(lengths.items())), hardest, fewest, optimal)


def mean(counts: dict[int, int]) -> float:
    """The mean of numbers, given how often each occurs."""
    return sum(number * times for number, times in counts.items()) / sum(counts.values())


def _maker(word: str) -> itemgetter[Board]:
    """A function that makes all the turns of a word on a board at once."""
    cells = list(range(9))
    for turn in word:
        a, b, c, d = BLOCKS[turn]
        cells[b], cells[c], cells[d], cells[a] = cells[a], cells[b], cells[c], cells[d]
    return itemgetter(*cells)


def _fewest() -> dict[Board, int]:
    """The fewest turns that solve each board: a search from the solved board by inverse turns."""
    back = [_maker(turn * 3) for turn in BLOCKS]
    edge: list[Board] = [tuple(range(1, 10))]
    found = {edge[0]: 0}
    while edge:
        before = []
        for board in edge:
            for undo in back:
                after = undo(board)
                if after not in found:
                    found[after] = found[board] + 1
                    before.append(after)
        edge = before
    return found


def main() -> None:
    """Prints the true figures beside the article's, and the optimum beside both."""
    figures = measure()
    print(matrices())  # noqa: T201
    print(f"\ncases: {cases()} (the article says {CLAIMED_CASES})\n")  # noqa: T201
    print("stage   most turns   the article says")  # noqa: T201
    for number, claimed in CLAIMED.items():
        print(f"{number:>5}{figures.most[number]:>13}{claimed:>19}")  # noqa: T201
    print(f"  sum{sum(figures.most.values()):>13}{sum(CLAIMED.values()):>19}")  # noqa: T201
    print(f"\nover all boards: at most {max(figures.lengths)} turns, {mean(figures.lengths):.3f} on average")  # noqa: T201
    print(f"optimal:         at most {max(figures.fewest)} turns, {mean(figures.fewest):.3f} on average")  # noqa: T201
    print(f"{len(figures.worst)} boards take the most turns: {' '.join(figures.worst)}")  # noqa: T201
    print(f"{figures.over:,} boards take more than {sum(CLAIMED.values())} turns")  # noqa: T201
    print(f"on {figures.optimal:,} boards no fewer turns do than the stages take")  # noqa: T201


if __name__ == "__main__":
    main()
