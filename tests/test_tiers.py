"""Values of games whose states lie in tiers, in which play goes round or not; `tests/worth.py` makes random ones."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

import puzzlekit
from puzzlekit import LimitError
from puzzlekit.run.engine import Engine
from puzzlekit.run.memory import held_bytes
from tests import gallery
from tests.test_jobs import files
from tests.test_kept_values import Settle
from tests.worth import compare, hold_against_naive, same


@pytest.mark.parametrize(
    ("rows", "columns", "line"),
    [(2, 3, 3), *(pytest.param(*board, marks=pytest.mark.slow) for board in ((2, 4, 3), (3, 3, 3)))],
)
def test_games_that_place_and_slide(rows, columns, line, tmp_path):
    rules = Settle(rows, columns, line).rules()
    assert Engine(rules).tiers > rows * columns
    compare(rules)
    hold_against_naive(rules, tmp_path / "job")


def test_marks_that_only_change_places_have_one_tier():
    assert Engine(puzzlekit.load("slider").rules()).tiers == 1
    settle = Settle(2, 2, 2).rules()
    assert Engine(replace(settle, moves=settle.moves[:8])).tiers > 4
    # Marks that only go on never come back, so there is a tier for each number of steps.
    breakthrough = puzzlekit.load("breakthrough:3,3,1").engine
    assert breakthrough.never_repeats
    assert breakthrough.tiers > 8
    start = puzzlekit.load("breakthrough:4,3,1").values().start
    assert (start.value, start.moves) == ("win", 9)
    # Six men are put, and then play goes round.
    assert gallery.load("six_mens_morris").engine.tiers > 6


def test_little_memory_makes_the_same_files(tmp_path):
    puzzle = Settle(3, 4)
    whole = puzzle.values(out=tmp_path / "whole", threads=1)
    puzzle.enumerate(out=tmp_path / "counted", store="sparse")
    enough = {}
    for mebibytes in (0.125, 0.25, 1, 3, 6, 9):
        folder, memory = tmp_path / str(mebibytes), held_bytes() + int(mebibytes * 2**20)
        shutil.copytree(tmp_path / "counted", folder)
        try:
            report = puzzle.values(out=folder, threads=1, memory=memory)
        except LimitError as error:
            # The second sentence comes if the process has taken some more memory since it was asked.
            said = ("states of a tier, with the later ones to which it leads, take", "and the process holds")
            assert any(sentence in str(error) for sentence in said), error  # noqa: PT017
            enough[mebibytes] = False
            continue
        enough[mebibytes] = True
        assert same(report) == same(whole)
        assert files(folder) == files(tmp_path / "whole")
    # An eighth of a mebibyte is too little for the largest tier. With a few mebibytes, only some tiers are in memory at
    # once.
    assert not all(enough.values())
    assert {enough[6], enough[9]} == {True}
