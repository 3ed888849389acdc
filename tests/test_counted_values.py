"""Values that a count from the goal finds: compared with a plain search, in memory and in jobs."""

from __future__ import annotations

import json
import random
import shutil
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import puzzlekit
from puzzlekit import JobError, LimitError, UnsolvableError, UsageError, jobs
from puzzlekit.run.engine import Engine
from puzzlekit.run.job_parts import JobFolder
from puzzlekit.run.memory import held_bytes
from tests import gallery
from tests.naive import Naive, plain_search
from tests.profiles import cases, seeds
from tests.support import RunOptions
from tests.test_jobs import files
from tests.test_kept_values import kept_states, same, states_hold
from tests.test_oracle import reversible_rules, symmetrised
from tests.test_values import expected, told


def rules_with_one_goal(seed):
    """Random rules whose moves can all be undone. The goal is the start, or another state that play may reach."""
    rng = random.Random(seed)
    while True:
        rules = reversible_rules(rng)
        if not rules.players:
            break
    if rng.random() < 0.5:
        rules = symmetrised(rules, rng, keep_symbols=True)
    plain = replace(rules, goal=[])
    start = Naive(plain.to_data()).start[0]
    if rng.random() < 0.3:
        return replace(plain, goal=[dict(enumerate(start))])
    goal = rng.choice(sorted(rng.choice(Naive(plain.to_data()).layers()).raw))[0]
    if rng.random() < 0.15:
        goal = tuple(rng.sample(goal, len(goal)))
    return replace(plain, goal=[dict(enumerate(goal))], symmetries=())


@settings(max_examples=cases(3, 60))
@given(st.integers(0, 2**32))
def test_random_rules(tmp_path_factory, seed):
    rules, folder = rules_with_one_goal(seed), tmp_path_factory.getbasetemp() / "counted"
    shutil.rmtree(folder, ignore_errors=True)
    naive, engine = plain_search(rules), Engine(rules)
    for symmetry in (True, False):
        for store in ("sparse", "auto"):
            options = RunOptions(symmetry=symmetry, store=store, threads=1)
            report = engine.values("rules", options)
            assert told(report) == expected(naive, symmetry=symmetry, backward=report.backward)
            place = JobFolder(str(folder / f"{symmetry}-{store}"), "rules")
            kept = engine.values("rules", options, None, place)
            assert same(kept) == same(report)
            states = kept_states(engine, place)
            states.verify(None, None)
            states_hold(rules, states, symmetry=symmetry)


@seeds(24, 48)
def test_random_rules_are_counted_from_the_goal(seeds):
    """Most random rules of this file are counted from the goal, and their goals are of each kind."""
    found = [rules_with_one_goal(seed) for seed in seeds if seed != 11]  # seed 11 takes ten seconds
    assert sum(Engine(rules).window == "inverse-closed" for rules in found) > 0.65 * len(seeds)
    starts = [expected(Naive(rules.to_data()))[2] for rules in found]
    assert sum(value == "draw" for value, _ in starts) > 0
    assert sum(moves == 0 for _, moves in starts) > len(seeds) / 16
    assert sum((moves or 0) > 1 for _, moves in starts) >= len(seeds) / 6


@pytest.mark.parametrize(
    ("text", "states", "longest"),
    [("slider:2,3", 360, 21), ("slider:3,3", 181440, 31), ("flipit:3,3", 102, 9), ("flipit:3,4", 1120, 12)],
)
def test_known_counts(text, states, longest, tmp_path):
    """The counts are known. They are found in both stores, in memory and in a folder."""
    puzzle = puzzlekit.load(text)
    backward = puzzle.enumerate(backward=True)
    for store in ("dense", "sparse"):
        report = puzzle.values(store=store)
        assert (report.store, report.states, report.longest.value.moves) == (store, states, longest)
        assert [each.states["solvable"] for each in report.distances] == [each.states for each in backward.depths]
        kept = puzzle.values(store=store, out=tmp_path / store)
        assert same(kept) == same(report)
        puzzlekit.open_job(tmp_path / store).verify()


def apart(text="slider:2,3", state="345/012"):
    """A sliding puzzle that does not start at its goal."""
    rules = puzzlekit.load(text).rules()
    cells = [symbol for symbol in state if symbol != "/"]
    return replace(rules, start=cells, symmetries=())


def test_the_start_is_another_state_than_the_goal(tmp_path):
    engine, place = Engine(apart()), JobFolder(str(tmp_path / "job"), "rules")
    report = engine.values("rules", RunOptions(), None, place)
    manifest = jobs.status(tmp_path / "job")
    assert manifest["values"] == {"distances": True, "depths": [], "counted": True}
    assert (manifest["subject"]["backward"], manifest["complete"]) == (True, True)
    assert [depth["states"] for depth in manifest["depths"]] == [each.states["solvable"] for each in report.distances]
    assert same(report) == same(engine.values("rules", RunOptions()))
    assert told(report) == expected(Naive(apart().to_data()), backward=True)
    counted = JobFolder(str(tmp_path / "counted"), "rules")
    engine.enumerate("rules", RunOptions(), None, counted)
    with pytest.raises(JobError, match=r"counts from the start, and the values .* are a count back from the goal"):
        engine.values("rules", RunOptions(), None, counted)


def test_the_start_cannot_be_solved(tmp_path):
    rules = apart(state="021/345")
    engine, place = Engine(rules), JobFolder(str(tmp_path / "job"), "rules")
    report = engine.values("rules", RunOptions(), None, place)
    assert (report.start.value, report.total("unsolvable"), report.states, report.backward) == (
        "unsolvable",
        360,
        360,
        False,
    )
    assert told(report) == expected(Naive(rules.to_data()))
    assert same(report) == same(engine.values("rules", RunOptions()))


def test_limits_are_those_of_a_count(tmp_path):
    puzzle = puzzlekit.load("slider:3,3")
    assert puzzle.values(memory=held_bytes() + 8 * 2**20, threads=1).complete
    report = puzzle.values(memory=held_bytes() + 2**18, threads=1, store="sparse")
    assert (report.complete, report.stopped, report.depths) == (False, "memory", ())
    stopped = puzzlekit.load("slider:3,4").values(watch=lambda _: True, out=tmp_path / "stopped")
    assert (stopped.complete, stopped.stopped) == (False, "watch")
    with pytest.raises(puzzlekit.DiskError, match="more than --disk allows"):
        puzzle.values(out=tmp_path / "disk", disk=20_000)
    assert same(puzzle.values(out=tmp_path / "disk")) == same(puzzle.values(out=tmp_path / "whole"))
    assert files(tmp_path / "disk") == files(tmp_path / "whole")
    with pytest.raises(UsageError, match="keep the distances"):
        puzzle.values(out=tmp_path / "other", distances=False)
    # The run goes on on disk: the memory is less than the words of all states take.
    engine, place = Engine(apart("slider:3,3", "012/345/678")), JobFolder(str(tmp_path / "small"), "rules")
    grain = {"partition_bits": 1, "block_states": 300, "wave_blocks": 4, "run_words": 3000}
    small = engine.values("rules", RunOptions(store="sparse", grain=grain), None, place)
    assert same(small) == same(engine.values("rules", RunOptions(store="sparse")))


@pytest.mark.parametrize("store", ["dense", "sparse"])
def test_a_count_becomes_a_job_of_values(store, tmp_path, command):
    puzzle = puzzlekit.load("slider:2,3")
    whole = puzzle.values(out=tmp_path / "whole", store=store)
    for depth in (0, 5, None):
        folder = tmp_path / str(depth)
        puzzle.enumerate(out=folder, store=store, max_depth=depth)
        assert same(puzzle.values(out=folder)) == same(whole)
        assert files(folder) == files(tmp_path / "whole")
    assert (
        command("status", str(folder)).out == "slider:rows=2,columns=3: 360 states to depth 21, complete, with values\n"
    )
    resumed = json.loads(command("resume", str(folder), "--json").out)
    assert (resumed["store"], resumed["longest"]["moves"]) == (store, 21)
    assert command("resume", str(folder), "--max-depth", "3").code == 2
    with pytest.raises(JobError, match="the job has the puzzle"):
        puzzlekit.load("slider:3,2").values(out=folder)


def test_answers_and_exports(tmp_path, command):
    puzzle, job = puzzlekit.load("slider:2,3"), tmp_path / "job"
    command("values", "slider:2,3", "--out", str(job))
    solver = puzzlekit.open_job(job).solver
    for seed in range(20):
        state = puzzle.scramble(seed=f"{seed}").state
        assert puzzle.solve(state, solver).length == puzzle.solve(state).length
    assert solver.complete
    with pytest.raises(UnsolvableError):
        puzzle.solve("021/345", solver)
    assert command("export", str(job), "--to", str(tmp_path / "a.csv")).code == 0
    rows = [line.split(",") for line in (tmp_path / "a.csv").read_text(encoding="utf-8").split()][1:]
    assert all(row[0] == row[-1] and row[-2] == "solvable" for row in rows)
    played = command("play", "slider:2,3", "--seed", "2", "--job", str(job), given="hint\nhint 1\nquit\n")
    assert (played.code, "left at best" in played.out) == (0, True)


def test_a_game_or_a_pattern_is_not_counted_from_the_goal():
    pattern = replace(puzzlekit.load("slider:2,3").rules(), goal=[{0: "1"}])
    with pytest.raises(UsageError, match="leave the store to the engine"):
        Engine(pattern).values("rules", RunOptions(store="dense"))
    assert Engine(pattern).values("rules", RunOptions()).store == "sparse"
    with pytest.raises((UsageError, LimitError)):
        gallery.load("mu_torere").values(store="dense")
