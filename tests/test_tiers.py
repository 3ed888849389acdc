"""Values of games whose states lie in tiers, in which play goes round or not; `tests/worth.py` makes random ones."""

from __future__ import annotations

import random
import shutil
from dataclasses import replace

import pytest

import puzzlekit
from puzzlekit import Beside, Grid, LimitError, Move, Rules, swap, win
from puzzlekit.run.engine import Engine
from puzzlekit.run.memory import held_bytes
from tests.support import RunOptions
from tests.test_jobs import files
from tests.test_kept_values import Settle
from tests.worth import compare, expected, same


def test_breakthrough_is_found_level_by_level_and_by_alpha_beta(tmp_path):
    game = puzzlekit.load("breakthrough:3,3,1")
    assert game.engine.never_repeats
    assert game.engine.tiers > 8
    compare(game.rules())
    game = puzzlekit.load("breakthrough:4,3,1")
    report = game.values(symmetry=False, out=tmp_path / "job")
    assert (report.start.value, report.start.moves) == ("win", 9)
    job = puzzlekit.open_job(tmp_path / "job")
    rng = random.Random(5)
    for _ in range(10):
        state = game.start
        while game.outcome(state) is None:
            found, kept = game.solve(state, distance=True), game.solve(state, job.solver)
            assert (found.value, found.length, found.best) == (kept.value, kept.length, kept.best)
            state = game.apply(state, rng.choice(game.legal_moves(state)))


def morris() -> Rules:
    """Three men's morris: three stones each are put on the board, one after the other, and then moved to neighbours."""
    grid = Grid(3, 3)
    board = Beside(grid, 2)
    hand, moves = dict(zip("XO", board.extra, strict=True)), []
    for own in "XO":
        for cell in grid:
            drops = [Move({cell: own, hand[own]: left - 1}).when({cell: ".", hand[own]: left}) for left in (1, 2, 3)]
            moves += [drop.named(cell).by(own) for drop in drops]
        for a, b, _ in grid.steps():
            moves.append(swap(a, b).when({a: own, b: ".", hand[own]: 0}).named(f"{a}-{b}").by(own))
    return Rules(
        symbols=".XO0123",
        start=".../.../.../33",
        moves=moves,
        players="XO",
        ends=[win(own, dict.fromkeys(line, own)) for own in "XO" for line in grid.lines(3)],
        stuck="loss",
        board=board,
        symmetries=board.symmetries(),
    )


def morris_with_stones_in_hand() -> Rules:
    """The game with three cells for each hand, so that moves change no number of symbols: stones only change cells."""
    grid, moves = Grid(3, 3), []
    for own, first in (("X", 9), ("O", 12)):
        for cell in grid:
            for at in range(first, first + 3):
                taken = {at - 1: "."} if at > first else {}
                moves.append(swap(at, cell).when({at: own, cell: ".", **taken}).named(f"{at} {cell}").by(own))
        for a, b, _ in grid.steps():
            moves.append(swap(a, b).when({a: own, b: ".", first + 2: "."}).named(f"{a}-{b}").by(own))
    ends = [win(own, dict.fromkeys(line, own)) for own in "XO" for line in grid.lines(3)]
    return Rules(symbols=".XO", start="." * 9 + "XXXOOO", moves=moves, players="XO", ends=ends, stuck="loss")


@pytest.mark.slow
def test_three_mens_morris():
    """The player who begins wins. Each stone that is put makes a tier, whether hands hold numbers or stones."""
    rules = morris()
    naive = compare(rules)
    # Six stones are put, and then play goes round. Numbers tell less than that: for them, one hand may lend the other.
    assert min(Engine(rules).tiers, Engine(morris_with_stones_in_hand()).tiers) > 6
    reports = [Engine(of).values("morris", RunOptions(symmetry=False)) for of in (rules, morris_with_stones_in_hand())]
    assert reports[0].start == reports[1].start
    assert reports[0].start.value == expected(naive)[2][0] == "win"
    assert reports[0].depths == reports[1].depths
    assert reports[0].distances == reports[1].distances


@pytest.mark.parametrize(
    ("rows", "columns", "line"),
    [(2, 3, 3), *(pytest.param(*board, marks=pytest.mark.slow) for board in ((2, 4, 3), (3, 3, 3)))],
)
def test_games_that_place_and_slide(rows, columns, line):
    rules = Settle(rows, columns, line).rules()
    assert Engine(rules).tiers > rows * columns
    compare(rules)


def test_marks_that_only_change_places_have_one_tier():
    assert Engine(puzzlekit.load("slider").rules()).tiers == 1
    settle = Settle(2, 2, 2).rules()
    assert Engine(replace(settle, moves=settle.moves[:8])).tiers > 4


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
