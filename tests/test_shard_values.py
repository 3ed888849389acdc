"""Values in shards: those of one machine, for any number of shards, even if processes are killed."""

from __future__ import annotations

import json
import random
import shutil
import sys
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import puzzlekit
from puzzlekit import CorruptError, DiskError, JobError, LimitError, Rules, Score, UsageError, jobs, put
from puzzlekit.run.engine import Engine
from puzzlekit.run.job_parts import DepthSpan, JobFolder
from puzzlekit.shards import executor
from tests import boards, gallery
from tests.naive import plain_search
from tests.profiles import cases
from tests.support import RunOptions
from tests.test_jobs import Board, files
from tests.test_kept_values import VALUED, kept_states, same, states_hold
from tests.test_oracle import layered_rules, lively_rules, random_rules, reversible_rules
from tests.test_shards import Inside, Killed, Phases, Whole, kills, told
from tests.test_values import expected, with_goal
from tests.test_values import told as told_of

SHARDS = (1, 2, 3, 5)


def find(rules, folder, executor=None, *, symmetry=True, **options):
    """The values of rules, in shards or in one process, and an object that reads them from their folder."""
    engine, place = Engine(rules), JobFolder(str(folder), "rules")
    asked = RunOptions(symmetry=symmetry, threads=1, store="sparse", **options)
    if executor is None:
        return engine.values("rules", asked, None, place), engine, place
    return executor.values(engine, "rules", asked, place), engine, place


def exported(kept, to):
    """The bytes of an export."""
    to.unlink(missing_ok=True)
    kept.export(str(to), "csv", DepthSpan(), None, text=False)
    return to.read_bytes()


def hold(rules, folder, shards, *, symmetry=True, naive=True):
    """Compares the values that shards find with those of one process, and with a plain search."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    alone, engine, place = find(rules, folder / "alone", symmetry=symmetry)
    report, _, divided = find(rules, folder / "job", Inside(shards), symmetry=symmetry)
    assert report.complete
    assert same(report) == same(alone)
    kept, others = kept_states(engine, divided), kept_states(engine, place)
    assert kept.verify(None, None)["complete"]
    assert exported(kept, folder / "a.csv") == exported(others, folder / "b.csv")
    assert kept.hardest(5, None) == others.hardest(5, None)
    if naive:
        assert told_of(report) == expected(plain_search(rules), symmetry=symmetry, backward=report.backward)
        states_hold(rules, kept, symmetry=symmetry)


@pytest.mark.parametrize(("at", "name"), boards.quickly(enumerate(VALUED)))
def test_boards_of_every_shape(at, name, tmp_path):
    hold(boards.ALL[name], tmp_path / "job", SHARDS[at % 4])


@pytest.mark.parametrize("shards", SHARDS)
@pytest.mark.parametrize("name", ["chase", "hanoi:4", "pegs"])
def test_any_number_of_shards(name, shards, tmp_path):
    hold(boards.ALL[name], tmp_path / "job", shards, symmetry=False, naive=False)


@pytest.mark.parametrize("text", ["hexapawn", "mu_torere", "tictactoe:3,3,3", "dots_and_boxes:1,3"])
def test_games(text, tmp_path):
    game = puzzlekit.load(text) if text.startswith("tictactoe") else gallery.load(text)
    hold(game.rules(), tmp_path / "job", 2, naive=False)


@settings(max_examples=cases(8, 150))
@given(random_rules(), st.randoms(use_true_random=False))
def test_random_rules(tmp_path_factory, rules, rng):
    hold(with_goal(rules, rng), tmp_path_factory.getbasetemp() / "random-shards", rng.choice(SHARDS))


@settings(max_examples=cases(10, 200))
@given(st.integers(0, 2**32), st.sampled_from([lively_rules, layered_rules, reversible_rules]))
def test_random_rules_of_each_kind(tmp_path_factory, seed, kind):
    rng = random.Random(seed)
    rules = with_goal(kind(rng), rng)
    hold(rules, tmp_path_factory.getbasetemp() / "kind-shards", rng.choice(SHARDS), symmetry=rng.random() < 0.5)


@pytest.mark.parametrize(
    ("name", "shards"), [("chase", 2), ("nim", 3), pytest.param("hanoi:4", 2, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("kind", [Killed, ZeroDivisionError])
def test_workers_and_drivers_that_are_killed_at_any_phase(name, shards, kind, tmp_path):
    """A worker or the driver is killed before or after every nineteenth step, with a checkpoint in each round."""
    rules = boards.ALL[name]
    seen = Phases(0, kind, "before")
    find(rules, tmp_path / "whole", Inside(shards, seen), checkpoint=1e-6)
    whole, killed, steps = files(tmp_path / "whole"), 0, range(2 * shards + 1, seen.seen, 19)
    for at in steps:
        folder = tmp_path / str(at)
        phases = Phases(at, kind, random.Random(at).choice(["before", "after"]))
        with suppress(ZeroDivisionError):
            find(rules, folder, Inside(shards, phases), checkpoint=1e-6)
        # A run has fewer steps if checkpoints take long. Then the last kills would come after its end.
        killed += phases.seen >= at
        report, _, _ = find(rules, folder, Inside(shards), checkpoint=1e-6)
        assert report.complete
        assert files(folder) == whole, at
        shutil.rmtree(folder)
    assert killed > max(2, len(steps) // 2)


def test_messages_that_come_late_or_from_another_epoch_do_no_harm(tmp_path):
    """A message that no driver names is not read, and is removed."""
    rules = boards.ALL["chase"]
    find(rules, tmp_path / "whole", Inside(2))
    taken = []

    def strew(shard, request):
        if shard == 1 and request["verb"] == "take":
            taken.extend(request["files"])
            for file in request["files"]:
                place = tmp_path / "job" / "shard-00001"
                shutil.copy(place / file["name"], place / file["name"].replace("epoch-00001", "epoch-00000"))

    find(rules, tmp_path / "job", Inside(2, strew))
    assert taken
    assert files(tmp_path / "job") == files(tmp_path / "whole")


@pytest.mark.parametrize(
    ("rules", "kind"),
    [
        (puzzlekit.load("tictactoe").rules(), "asked"),
        (puzzlekit.load("tictactoe").rules(), "told"),
        (boards.ALL["chase"], "passed"),
        (boards.ALL["chase"], "asked"),
        (boards.ALL["nim"], "passed"),
    ],
)
@pytest.mark.parametrize("gone", [False, True])
def test_a_message_that_is_damaged_or_gone_is_noticed(rules, kind, gone, tmp_path):
    """A byte of a message changes, or the whole message is gone."""
    folder, done = tmp_path / "job", []

    def damage(shard, request):
        of_kind = [file["name"] for file in request.get("files") or () if f".{kind}" in file["name"]]
        if shard == 1 and of_kind and not done:
            done.extend(of_kind)
            path = folder / "shard-00001" / of_kind[0]
            content = path.read_bytes()
            if gone:
                path.unlink()
            else:
                path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))

    with pytest.raises(CorruptError, match=kind):
        find(rules, folder, Inside(2, damage))
    report, _, _ = find(rules, folder, Inside(2))
    assert report.complete


def test_values_of_a_count_that_is_there(tmp_path):
    """A count in shards gets values, and a job of values is not found in one process."""
    puzzle, job = puzzlekit.load("tictactoe:3,3,3"), tmp_path / "job"
    puzzle.enumerate(out=job, on=Inside(3), threads=1)
    with pytest.raises(JobError, match="3 shards"):
        puzzle.values(out=job)
    with pytest.raises(JobError, match="cannot become 2"):
        puzzle.values(out=job, on=Inside(2))
    report = puzzle.values(out=job, on=Inside(3), threads=1)
    assert same(report) == same(puzzle.values(store="sparse"))
    opened = puzzlekit.open_job(job)
    assert opened.verify()["values"]["distances"]
    assert opened.values(on=Inside(3)).complete
    assert puzzle.solve(puzzle.start, opened.solver).value == "draw"
    assert len(list(opened.edges())) == len(list(puzzlekit.open_job(_alone(puzzle, tmp_path)).edges()))


def _alone(puzzle, folder):
    puzzle.values(out=folder / "alone", store="sparse")
    return folder / "alone"


def test_values_alone_and_their_look_up(tmp_path):
    puzzle = puzzlekit.load("tictactoe:4,3,3")
    puzzle.values(out=tmp_path / "job", on=Inside(2), distances=False, threads=1)
    puzzle.values(out=tmp_path / "alone", distances=False, store="sparse")
    states = []
    for seed in range(50):
        rng, state = random.Random(seed), puzzle.start
        for _ in range(rng.randrange(9)):
            legal = puzzle.legal_moves(state)
            state = puzzle.apply(state, rng.choice(legal)) if legal else state
        states.append(state)
    rows = puzzle.arrays.encode(states)
    found = [
        [list(column) for column in puzzlekit.open_job(tmp_path / name).look_up(rows)] for name in ("job", "alone")
    ]
    assert found[0] == found[1]


def test_a_count_from_the_goal_is_the_values(tmp_path):
    puzzle = puzzlekit.load("slider:2,3")
    report = puzzle.values(out=tmp_path / "job", on=Inside(3), threads=1)
    assert report.backward
    assert same(report) == same(puzzle.values(out=tmp_path / "alone", store="sparse"))
    opened = puzzlekit.open_job(tmp_path / "job")
    assert opened.verify()["values"]["counted"]
    state = puzzle.scramble(seed=1).state
    assert puzzle.solve(state, opened.solver).length == puzzle.solve(state).length


def test_what_shards_do_not_find_is_refused(tmp_path):
    on = Inside(2)
    with pytest.raises(UsageError, match="scores of play that may come back"):
        gallery.load("othello:4,4").values(out=tmp_path / "a", on=on)
    with pytest.raises(UsageError, match="scores of play that may come back"):
        gallery.load("kalah:2,4").values(out=tmp_path / "a", on=on)
    with pytest.raises(UsageError, match="Grundy numbers are not kept"):
        gallery.load("nim:1,2,4").values(out=tmp_path / "a", on=on, grundy=True)
    with pytest.raises(UsageError, match="starts is 'both'"):
        puzzlekit.load("tictactoe").values(out=tmp_path / "a", on=on, starts="both")
    with pytest.raises(UsageError, match="give a folder"):
        puzzlekit.load("tictactoe").values(on=on)
    assert not (tmp_path / "a").exists()


def test_a_score_that_shards_find(tmp_path):
    """The players take cells in turn, and the first cell has three points for who begins."""
    takes = [(cell, mark) for cell in range(3) for mark in "AB"] + [(0, "C")]
    moves = [put(cell, mark).when({cell: "."}).by("B" if mark == "B" else "A") for cell, mark in takes]
    rules = Rules(".ABC", "...", moves, "AB", score=Score("A", {"A": 1, "B": -2, "C": 3}))
    assert Engine(rules).window == "layered"
    hold(rules, tmp_path / "job", 2, naive=False)


def test_a_full_disk_stops_with_a_sentence_and_goes_on_after(tmp_path):
    puzzle, job, on = Board("chase"), tmp_path / "job", Inside(2)
    puzzle.values(out=tmp_path / "whole", on=on, threads=1)
    puzzle.enumerate(out=job, on=on, threads=1)
    held = min(
        sum(file["bytes"] for depth in jobs.status(job / f"shard-0000{shard}")["depths"] for file in depth["files"])
        for shard in range(2)
    )
    with pytest.raises((DiskError, LimitError), match="shard"):
        puzzle.values(out=job, on=on, threads=1, disk=held + 50)
    assert puzzle.values(out=job, on=on, threads=1).complete
    assert files(job) == files(tmp_path / "whole")


def test_processes_from_the_command_line(tmp_path):
    out = json.loads(told("values", "tictactoe", "--out", str(tmp_path / "job"), "--on", "processes:2", "--json")[0])
    assert (out["complete"], out["states"], out["start"]) == (True, 765, {"value": "draw", "moves": None})
    again = json.loads(told("resume", str(tmp_path / "job"), "--json")[0])
    assert again["depths"] == out["depths"]


ALL_KINDS = [
    # By depth; with points, with moves that keep the turn; a count from the goal.
    *("tictactoe:4,3,3", "connect_four:4,4", "hex", "domineering", "dots_and_boxes:2,2"),
    *("slider:3,3", "flipit:3,4", "lights_out", "knights"),
    # In rounds: puzzles and games whose moves can be undone, and such whose moves cannot.
    *("rotate:2,4", "rotation", "klotski", "rush_hour", "hexapawn", "mu_torere", "breakthrough"),
    *("teeko:size=3,stones=3", "six_mens_morris"),
]


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("text", ALL_KINDS)
def test_processes_find_what_one_machine_finds(text, tmp_path):
    """What is exported is the same, byte for byte."""
    installed = ("tictactoe", "slider", "flipit", "rotate", "rotation")
    puzzle = puzzlekit.load(text) if text.split(":")[0] in installed else gallery.load(text)
    alone = puzzle.values(out=tmp_path / "alone", store="sparse", threads=1)
    exports = []
    for shards in (0, *SHARDS):
        folder = tmp_path / (str(shards) if shards else "alone")
        if shards:
            report = puzzle.values(out=folder, on=executor(f"processes:{shards}"), threads=1, memory="500MiB")
            assert same(report) == same(alone)
        job = puzzlekit.open_job(folder, lambda _: puzzle)
        assert job.verify()["complete"]
        job.export(tmp_path / f"{shards}.csv")
        exports.append((tmp_path / f"{shards}.csv").read_bytes())
    assert exports == exports[:1] * 5


@pytest.mark.slow
@pytest.mark.parametrize("shards", SHARDS)
@pytest.mark.parametrize("name", VALUED)
def test_boards_of_every_shape_in_any_number_of_shards(name, shards, tmp_path):
    hold(boards.ALL[name], tmp_path / "job", shards)


def valued(puzzle, shards):
    """The values of a puzzle in processes, with a checkpoint in each round."""
    return Whole(("values", puzzle), ("--on", f"processes:{shards}", "--checkpoint", "0.000001"))


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.skipif(sys.platform != "linux", reason="the processes of a process are listed there")
@pytest.mark.parametrize(("puzzle", "shards"), [("tictactoe:4,4,3", 2), ("rotate:3,3", 3)])
def test_a_hundred_kills(puzzle, shards, tmp_path):
    assert kills(tmp_path, valued(puzzle, shards), 50, 2) > 20
