"""Values that a job keeps: those in memory and those of a plain search, whatever interrupts it, and damage is found."""

from __future__ import annotations

import random
import shutil
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import puzzlekit
from puzzlekit import CorruptError, JobError, UsageError, jobs
from puzzlekit.run.engine import Engine
from puzzlekit.run.kept import KeptStates
from puzzlekit.run.options import JobFolder
from tests import boards
from tests.naive import Naive
from tests.profiles import cases
from tests.support import RunOptions
from tests.test_jobs import Board, files, kill_and_resume, parse
from tests.test_oracle import layered_rules, lively_rules, random_rules, reversible_rules, symmetrised
from tests.test_values import expected, told, with_goal

VALUED = [name for name, rules in boards.ALL.items() if rules.players or rules.to_data()["goal"]]


def same(report):
    """What a report says, without what differs from run to run."""
    return replace(report, seconds=0.0, peak_memory_bytes=0)


def keep(rules, folder, *, symmetry=True, threads=1):
    """A report of values that are kept, and what reads them."""
    engine = Engine(rules)
    options = RunOptions(symmetry=symmetry, threads=threads, store="sparse")
    place = JobFolder(str(folder), "rules")
    report = engine.values("rules", options, None, place)
    assert report.complete
    kept = KeptStates(engine, place)
    assert kept.verify(None, None)["values"]["distances"]
    return report, kept


def hold_against_naive(rules, folder):
    """Reports of kept values are those of a plain search, and so are those of the folder when it is read again."""
    shutil.rmtree(folder, ignore_errors=True)
    naive = Naive(rules.to_data())
    for symmetry in (True, False):
        place = folder / str(symmetry)
        report, _ = keep(rules, place, symmetry=symmetry, threads=2)
        assert told(report) == expected(naive, symmetry=symmetry)
        assert same(report) == same(Engine(rules).values("rules", RunOptions(symmetry=symmetry)))
        written = files(place)
        again, _ = keep(rules, place, symmetry=symmetry)
        assert (same(again), files(place)) == (same(report), written)


@pytest.mark.parametrize("name", VALUED)
def test_boards_of_every_shape(name, tmp_path):
    hold_against_naive(boards.ALL[name], tmp_path / "job")


@settings(max_examples=cases(25))
@given(random_rules(), st.randoms(use_true_random=False))
def test_random_rules(tmp_path_factory, rules, rng):
    hold_against_naive(with_goal(rules, rng), tmp_path_factory.getbasetemp() / "random")


@settings(max_examples=cases(40))
@given(st.integers(0, 2**32), st.sampled_from([lively_rules, layered_rules, reversible_rules]))
def test_random_rules_of_each_kind(tmp_path_factory, seed, kind):
    rng = random.Random(seed)
    rules = kind(rng)
    if rng.random() < 0.3:
        rules = symmetrised(rules, rng, keep_symbols=True)
    hold_against_naive(with_goal(rules, rng), tmp_path_factory.getbasetemp() / "kinds")


@pytest.mark.parametrize("text", ["tictactoe:3,3,3", "slider:2,3"])
def test_values_after_a_count_are_those_of_one_run(text, tmp_path):
    puzzle = puzzlekit.load(text)
    whole = puzzle.values(out=tmp_path / "whole")
    for depth in (0, 3, None):
        folder = tmp_path / str(depth)
        puzzle.enumerate(out=folder, store="sparse", max_depth=depth)
        assert jobs.status(folder)["schema"] == "puzzlekit.job/2"
        assert same(puzzle.values(out=folder, threads=1)) == same(whole)
        assert files(folder) == files(tmp_path / "whole")
    assert jobs.status(folder)["schema"] == "puzzlekit.job/3"
    assert same(puzzlekit.open_job(folder).values()) == same(whole)


def test_a_watch_may_stop_it_anywhere(tmp_path):
    puzzle = puzzlekit.load("tictactoe:3,4,3")
    whole = puzzle.values(out=tmp_path / "whole")
    stopped, folder = 0, tmp_path / "job"
    for patience in range(1, 10**6):
        looks = iter(range(patience))
        report = puzzle.values(out=folder, threads=1, watch=lambda _, looks=looks: next(looks, None) is None)
        if report.complete:
            break
        stopped += 1
        assert puzzlekit.open_job(folder).verify()["values"]["distances"]
    assert stopped > 0
    assert same(report) == same(whole)
    assert files(folder) == files(tmp_path / "whole")


@pytest.mark.parametrize(("puzzle", "kills"), [("tictactoe:3,4,3", 5), ("slider:2,4", 3)])
def test_a_job_of_values_that_is_killed_comes_out_the_same(puzzle, kills, tmp_path):
    assert kill_and_resume([puzzle], kills, tmp_path, 1, verb="values") > 0


@pytest.mark.slow
@pytest.mark.parametrize("puzzle", ["tictactoe:4,4,4", "slider"])
def test_fifty_kills(puzzle, tmp_path):
    assert kill_and_resume([puzzle], 50, tmp_path, 2, verb="values") > 5


@pytest.mark.parametrize("name", ["nim", "chase", "slide:2x3"])
def test_a_flipped_byte_is_found_by_a_check(name, tmp_path):
    job = tmp_path / "job"
    Board(name).values(out=job)
    good, rng = files(job), random.Random(5)
    kept = [path for path in sorted(job.iterdir()) if path.suffix in (".values", ".distances")]
    assert kept
    for path in kept:
        content = good[path.name]
        flips = [bytearray(content) for _ in range(10)]
        for flipped in flips:
            flipped[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        for bad in [*map(bytes, flips), content[:-1], b""]:
            path.write_bytes(bad)
            with pytest.raises(CorruptError, match="the job is damaged"):
                puzzlekit.open_job(job, parse).verify()
        path.unlink()
        with pytest.raises(CorruptError, match="the job is damaged"):
            puzzlekit.open_job(job, parse).verify()
        path.write_bytes(content)
    puzzlekit.open_job(job, parse).verify()


def test_without_distances_there_are_values_alone(tmp_path):
    puzzle = puzzlekit.load("tictactoe")
    report = puzzle.values(out=tmp_path / "job", distances=False)
    whole = puzzle.values()
    assert report.depths == whole.depths
    assert (report.distances, report.longest, report.start.moves) == ((), None, None)
    assert not list((tmp_path / "job").glob("*.distances"))
    assert same(puzzlekit.open_job(tmp_path / "job").values()) == same(report)
    puzzlekit.open_job(tmp_path / "job").verify()
    with pytest.raises(JobError, match="keeps no distances; give another folder to keep them"):
        puzzle.values(out=tmp_path / "job", distances=True)
    with pytest.raises(UsageError, match="play may come back to a state of these rules"):
        puzzlekit.load("slider:2,2").values(out=tmp_path / "other", distances=False)
    with pytest.raises(UsageError, match="nothing is kept"):
        puzzle.values(distances=False)


def test_what_values_cannot_go_on_with_is_refused(tmp_path):
    puzzle = puzzlekit.load("slider:2,3")
    puzzle.enumerate(out=tmp_path / "dense")
    with pytest.raises(JobError, match="bits of the dense store"):
        puzzle.values(out=tmp_path / "dense")
    puzzle.enumerate(out=tmp_path / "backward", backward=True, store="sparse")
    with pytest.raises(JobError, match="counts back from the goal"):
        puzzle.values(out=tmp_path / "backward")
    board = puzzlekit.load("tictactoe")
    board.values(out=tmp_path / "game")
    with pytest.raises(JobError, match="counts states up to symmetry"):
        board.values(out=tmp_path / "game", symmetry=False)
    with pytest.raises(JobError, match="the job has the puzzle"):
        puzzle.values(out=tmp_path / "game")


def test_the_command_keeps_values_and_goes_on(tmp_path, command):
    job = str(tmp_path / "job")
    told_ = command("values", "tictactoe", "--out", job, "--json")
    status = command("status", job)
    assert status.out == "tictactoe: 765 states to depth 9, complete, with values\n"
    resumed = command("resume", job, "--json")
    assert (told_.code, resumed.code) == (0, 0)
    assert '"schema": "puzzlekit.values/1"' in resumed.out
    assert command("verify", job).code == 0
    refused = command("resume", job, "--max-depth", "3")
    assert (refused.code, "values need all depths" in refused.err) == (2, True)
    assert command("values", "tictactoe", "--no-distances").code == 2
