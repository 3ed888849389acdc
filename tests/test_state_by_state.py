"""The value and the distance of each state of connect four, as a job keeps them, compared with one in plain Python.

The analysis is one of connect four alone, without rules and puzzlekit. That of `tests/worth.py`, which reads the rules,
takes some hundred microseconds a state.
"""

from __future__ import annotations

import csv
from itertools import product

import pytest

import puzzlekit
from tests.worth import UNDECIDED

PLACES = ("none", "win", "draw", "loss")
AT_ONCE = 100_000


def looked_up(job, rows):
    """The value and the distance of each row, in their order."""
    for at in range(0, len(rows), AT_ONCE):
        values, moves, _ = job.look_up(b"".join(rows[at : at + AT_ONCE]))
        for value, distance in zip(values, moves, strict=True):
            yield PLACES[value], None if distance < 0 else distance


class ConnectFour:
    """Connect four in plain Python. A board is a byte for each cell, from the top left: 0 for none, 1 X, 2 O."""

    def __init__(self, rows, columns, win):
        self.size = rows * columns
        self.stacks = [range(self.size - columns + x, -1, -columns) for x in range(columns)]
        self.lines_of = [[] for _ in range(self.size)]
        for y, x, (down, right) in product(range(rows), range(columns), ((0, 1), (1, 0), (1, 1), (1, -1))):
            line = [(y + down * step, x + right * step) for step in range(win)]
            if all(0 <= a < rows and 0 <= b < columns for a, b in line):
                places = [a * columns + b for a, b in line]
                for place in places:
                    self.lines_of[place].append([other for other in places if other != place])

    def lined(self, board, cell, disk):
        """Returns `True` if a disk that falls into a cell makes a line."""
        for line in self.lines_of[cell]:
            for other in line:
                if board[other] != disk:
                    break
            else:
                return True
        return False

    def depths(self):
        """The boards by their numbers of disks, and what is after each; `None` if play is over.

        Play is over on a board if the last disk made a line. It does not matter which disk of the board was the last:
        with an earlier line, play would have ended before.
        """
        found = [{bytes(self.size): None}]
        open_boards = [bytes(self.size)]
        while open_boards:
            disk, after = 2 - len(found) % 2, {}
            for board in open_boards:
                following = found[-1][board] = []
                for stack in self.stacks:
                    cell = next((cell for cell in stack if not board[cell]), None)
                    if cell is not None:
                        child = board[:cell] + bytes((disk,)) + board[cell + 1 :]
                        following.append(child)
                        if child not in after:
                            after[child] = self.lined(board, cell, disk)
            open_boards = [board for board, over in after.items() if not over]
            found.append(dict.fromkeys(after))
        return found

    def worths(self):
        """For each depth, from the last one: the states as rows, with their values and distances."""
        depths, later = self.depths(), {}
        while depths:
            worths = {}
            for board, following in depths.pop().items():
                after = None if following is None else [later[child] for child in following]
                worths[board] = ("loss", 0) if after is None else self.worth(after)
            player = bytes([len(depths) % 2])
            yield [board + player for board in worths], list(worths.values())
            later = worths

    @staticmethod
    def worth(after):
        """The value of a state from those of the states after it."""
        won = [distance for value, distance in after if value == "loss"]
        if won:
            return "win", min(won) + 1
        if after and all(value == "win" for value, _ in after):
            return "loss", max(distance for _, distance in after) + 1
        return UNDECIDED


def hold_connect_four(board, folder):
    """Checks that a job has the states of the analysis and no others, each with the same value and distance.

    All states are read as the job exports them. Some are looked up, which takes a hundred microseconds each.
    """
    puzzle = puzzlekit.load("connect_four:" + ",".join(map(str, board)))
    report = puzzle.values(out=folder / "job", symmetry=False)
    job = puzzlekit.open_job(folder / "job", lambda *_: puzzle)
    depth, states = len(report.depths), 0
    for rows, worths in ConnectFour(*board).worths():
        if not rows:
            continue
        depth -= 1
        file = folder / f"{depth}.csv"
        assert job.export(file, first_depth=depth, last_depth=depth, text=True) == len(rows)
        with file.open(encoding="utf-8", newline="") as lines:
            kept = {each["text"]: (each["value"], each["distance"]) for each in csv.DictReader(lines)}
        file.unlink()
        texts = puzzle.arrays.decode(b"".join(rows))
        known = [(value, "" if distance is None else str(distance)) for value, distance in worths]
        assert kept == dict(zip(texts, known, strict=True))
        some = range(depth % 100, len(rows), 100)
        assert list(looked_up(job, [rows[at] for at in some])) == [worths[at] for at in some]
        states += len(rows)
    assert (depth, states) == (0, report.raw_states)
    return states


@pytest.mark.slow
def test_connect_four_on_three_rows_of_five(tmp_path):
    assert hold_connect_four((3, 5, 4), tmp_path) == 158_911


@pytest.mark.slow
def test_connect_four_on_four_rows_of_five(tmp_path):
    """The number of boards is the published one, and each board has the value of the analysis."""
    assert hold_connect_four((4, 5, 4), tmp_path) == 3_945_711
