"""Values in shards: those of one machine, for any number of shards, even if processes are killed."""

from __future__ import annotations

import csv
import json
import random
import shutil
import sys
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import puzzlekit
from puzzlekit import CorruptError, JobError, UsageError
from puzzlekit.run.engine import Engine
from puzzlekit.run.job_parts import DepthSpan, JobFolder
from puzzlekit.shards import executor
from tests import boards
from tests.naive import plain_search
from tests.profiles import cases
from tests.support import RunOptions
from tests.test_jobs import files
from tests.test_kept_values import VALUED
from tests.test_shards import Inside, Killed, Phases, Whole, kills, told
from tests.worth import declared, hold_report, kept_states, random_kind, same, states_hold

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


def rows(path):
    """The rows of an export without their depths, in order."""
    with path.open(newline="", encoding="utf-8") as file:
        return sorted(tuple(row[name] for name in row if name != "depth") for row in csv.DictReader(file))


def hold(rules, folder, shards, *, symmetry=True, naive=True):
    """Compares the values that shards find with those of one process, and with a plain search.

    If the goal is more than one state and moves can be undone, one process counts from the goals instead. Then the
    depths of its states are their distances, and all else is the same.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    alone, engine, place = find(rules, folder / "alone", symmetry=symmetry)
    report, _, divided = find(rules, folder / "job", Inside(shards), symmetry=symmetry)
    assert report.complete
    kept, others = kept_states(engine, divided), kept_states(engine, place)
    assert kept.verify(None, None)["complete"]
    ours, theirs = exported(kept, folder / "a.csv"), exported(others, folder / "b.csv")
    if alone.backward and not report.backward:
        assert len(rules.goal) > 1 or len(rules.goal[0]) < len(rules.start)
        assert (report.states, report.distances, report.start) == (alone.states, alone.distances, alone.start)
        assert rows(folder / "a.csv") == rows(folder / "b.csv")
        with (folder / "b.csv").open(newline="", encoding="utf-8") as file:
            assert all(row["depth"] == row["distance"] for row in csv.DictReader(file))
    else:
        assert same(report) == same(alone)
        assert ours == theirs
        assert kept.hardest(5, None) == others.hardest(5, None)
    if naive:
        hold_report(report, plain_search(rules), symmetry=symmetry)
        states_hold(rules, kept, symmetry=symmetry)


@pytest.mark.parametrize(("at", "name"), boards.quickly(enumerate(VALUED)))
def test_boards_of_every_shape(at, name, tmp_path):
    hold(boards.ALL[name], tmp_path / "job", SHARDS[at % 4])


@pytest.mark.parametrize("shards", SHARDS)
@pytest.mark.parametrize("name", ["chase", "hanoi:4", "pegs"])
def test_any_number_of_shards(name, shards, tmp_path):
    hold(boards.ALL[name], tmp_path / "job", shards, symmetry=False, naive=False)


@pytest.mark.parametrize(
    ("text", "naive"),
    [
        *((text, False) for text in ("hexapawn", "mu_torere", "tictactoe:3,3,3", "dots_and_boxes:1,3", "slider:2,3")),
        *((text, True) for text in ("dots_and_boxes:1,1",)),
    ],
)
def test_games_and_a_count_from_the_goal(text, naive, tmp_path):
    hold(declared(puzzlekit.load(text).rules()), tmp_path / "job", 2, naive=naive)


@pytest.mark.parametrize("kind", ["drawn", "lively", "layered", "reversible"])
@settings(max_examples=cases(4, 90))
@given(data=st.data())
def test_random_rules(tmp_path_factory, kind, data):
    rules, shards, symmetry = data.draw(st.tuples(random_kind(kind), st.sampled_from(SHARDS), st.booleans()))
    hold(rules, tmp_path_factory.getbasetemp() / "random-shards", shards, symmetry=symmetry)


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
    puzzle.values(out=tmp_path / "alone", store="sparse")
    assert len(list(opened.edges())) == len(list(puzzlekit.open_job(tmp_path / "alone").edges()))


@pytest.mark.parametrize(("text", "options"), [("tictactoe:4,3,3", {"distances": False}), ("slider:2,3", {})])
def test_states_are_looked_up_and_solved_as_in_a_job_of_one_process(text, options, tmp_path):
    puzzle = puzzlekit.load(text)
    puzzle.values(out=tmp_path / "job", on=Inside(3), threads=1, **options)
    puzzle.values(out=tmp_path / "alone", store="sparse", **options)
    shards, alone = (puzzlekit.open_job(tmp_path / name) for name in ("job", "alone"))
    states, rng = [puzzle.start], random.Random(1)
    while len(states) < 200:
        moves = puzzle.legal_moves(states[-1])
        states.append(puzzle.apply(states[-1], rng.choice(moves)) if moves else puzzle.start)
    rows = puzzle.arrays.encode(states)
    assert [list(column) for column in shards.look_up(rows)] == [list(column) for column in alone.look_up(rows)]
    for state in states[:20]:
        found, known = (puzzle.solve(state, job.solver) for job in (shards, alone))
        assert (found.moves, found.optimal) == (known.moves, known.optimal)
    for key in ("distances", "counted"):
        assert shards.verify()["values"].get(key) == alone.verify()["values"].get(key)


def test_what_shards_do_not_find_is_refused(tmp_path):
    for text, options, told_ in (
        *((text, {}, "scores of play that may come back") for text in ("othello:4,4", "kalah:2,4")),
        ("nim:1,2,4", {"grundy": True}, "Grundy numbers are not kept"),
        ("tictactoe", {"starts": "both"}, "starts is 'both'"),
        ("tictactoe", {"out": None}, "give a folder"),
    ):
        with pytest.raises(UsageError, match=told_):
            puzzlekit.load(text).values(**{"out": tmp_path / "a", "on": Inside(2), **options})
    assert not (tmp_path / "a").exists()


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
    """What is exported is the same, byte for byte.

    If the goal is more than one state and moves can be undone, one machine counts from the goals instead; see `hold`.
    """
    puzzle = puzzlekit.load(text)
    alone = puzzle.values(out=tmp_path / "alone", store="sparse", threads=1)
    exports, counted = [], text in ("klotski", "rush_hour")
    for shards in (0, *SHARDS):
        folder = tmp_path / (str(shards) if shards else "alone")
        if shards:
            report = puzzle.values(out=folder, on=executor(f"processes:{shards}"), threads=1, memory="500MiB")
            assert (alone.backward and not report.backward) == counted
            assert (report.distances, report.start) == (alone.distances, alone.start)
            assert counted or same(report) == same(alone)
        job = puzzlekit.open_job(folder, lambda _: puzzle)
        assert job.verify()["complete"]
        job.export(tmp_path / f"{shards}.csv")
        exports.append((tmp_path / f"{shards}.csv").read_text(encoding="utf-8"))
    assert exports[1:] == exports[1:2] * 4
    assert counted or exports[0] == exports[1]
    assert not counted or all(row["depth"] == row["distance"] for row in csv.DictReader(exports[0].splitlines()))
    assert rows(tmp_path / "0.csv") == rows(tmp_path / "1.csv")


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
