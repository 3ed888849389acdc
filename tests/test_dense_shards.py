"""Bits in shards: each shard has a range of a perfect index, and counts, exports and files are those of one process."""

from __future__ import annotations

import json
import shutil

import pytest

import puzzlekit
from puzzlekit import CorruptError, DiskError, JobError, UsageError
from puzzlekit.shards import executor, plan_in_shards
from tests import boards
from tests.naive import Naive
from tests.support import grain_of
from tests.test_jobs import Board, files, parse
from tests.test_oracle import depths, expected
from tests.test_shard_plan import Counted, kept, listed
from tests.test_shards import Inside, Killed, Phases, SmallDisk, run

# Every shape of an index. Pieces of the index are tiny, so that each shard has several of them.
NAMES = ["slide:2x3", "turn:2x3", "colours:2x4", "colours:slide", "lights:3x3", "lights:2x3x3", "burnt:4", "ring:9"]
GRAIN = grain_of((0, 3, 2, 7))


def board(name):
    return puzzlekit.load(name) if name.startswith("tictactoe") else Board(name)


def exported(puzzle, folder, to):
    puzzlekit.open_job(folder, lambda _: puzzle).export(to)
    return to.read_bytes()


def count(puzzle, folder, on, **options):
    return run(puzzle, folder, on, **{"store": "dense", "grain": GRAIN, **options})


@pytest.mark.parametrize(
    ("at", "name"), [*boards.quickly(enumerate(NAMES)), *enumerate(["tictactoe", "tictactoe:2,3,2"], len(NAMES))]
)
def test_any_number_of_shards_counts_as_one_process_does(at, name, tmp_path):
    puzzle = board(name)
    layers = Naive(puzzle.rules().to_data()).layers()
    for symmetry in (True, False):
        whole = puzzle.enumerate(store="dense", symmetry=symmetry, out=tmp_path / f"whole-{symmetry}", threads=1)
        for shards in ((1, 3), (2, 5), (3, 2), (5, 1))[at % 4]:
            folder = tmp_path / f"{shards}-{symmetry}"
            found = count(puzzle, folder, Inside(shards), symmetry=symmetry)
            assert (found.store, found.complete) == ("dense", True)
            assert depths(found) == depths(whole) == expected(layers, symmetry=symmetry)
            assert found.generated == whole.generated
            assert puzzlekit.open_job(folder, lambda _: puzzle).verify()["complete"]
            states = exported(puzzle, tmp_path / f"whole-{symmetry}", tmp_path / f"whole-{shards}-{symmetry}.csv")
            assert exported(puzzle, folder, tmp_path / f"{shards}-{symmetry}.csv") == states


def test_distances_from_the_goal_are_looked_up_in_all_shards(tmp_path):
    puzzle = puzzlekit.load("rotate:2,3")
    found = count(puzzle, tmp_path / "job", Inside(3), backward=True)
    assert depths(found) == depths(puzzle.enumerate(store="dense", backward=True))
    job = puzzlekit.open_job(tmp_path / "job")
    job.verify()
    for hard in [*job.hardest(4)]:
        assert puzzle.solve(hard.state, job.solver).length == hard.depth == puzzle.solve(hard.state).length


PHASES = [("turn:2x3", 3), ("tictactoe:2,3,2", 2), pytest.param("lights:3x3", 3, marks=pytest.mark.slow)]


@pytest.mark.parametrize(("name", "shards"), PHASES)
@pytest.mark.parametrize("kind", [Killed, ZeroDivisionError])
def test_workers_and_drivers_that_are_killed_at_any_phase(name, shards, kind, tmp_path):
    puzzle, killed = board(name), 0
    count(puzzle, tmp_path / "whole", Inside(shards))
    whole = files(tmp_path / "whole")
    # The requests to open and to begin come first, and then two requests for each depth.
    for at in [*range(1, 4 * shards), *range(4 * shards, 20 * shards, 11)]:
        when = ("before", "after")[(at + (kind is Killed)) % 2]
        folder, phases, ended = tmp_path / f"{at}-{when}", Phases(at, kind, when), False
        try:
            count(puzzle, folder, Inside(shards, phases))
        except ZeroDivisionError:
            ended = True
        if ended:  # outside of `except`, in which the exception still holds the locks of the driver
            count(puzzle, folder, Inside(shards), resume=True)
        killed += phases.seen >= at
        assert files(folder) == whole, (at, when)
        shutil.rmtree(folder)
    assert killed > 4 * shards


def test_stopped_at_any_depth_and_resumed(tmp_path):
    puzzle = Board("colours:2x4")
    whole = count(puzzle, tmp_path / "whole", Inside(3))
    for stop in range(whole.max_depth + 1):
        folder = tmp_path / str(stop)
        first = count(puzzle, folder, Inside(3), max_depth=stop)
        assert depths(first) == depths(whole)[: stop + 1]
        second = count(puzzle, folder, Inside(3), resume=True, max_depth=99)
        assert (second.complete, depths(second), second.generated) == (True, depths(whole), whole.generated)
        assert files(folder) == files(tmp_path / "whole")


def test_the_watch_stops_a_run_that_goes_on_later(tmp_path):
    first = count(Board("turn:2x3"), tmp_path / "job", Inside(2), watch=lambda progress: progress.depth == 3)
    assert (first.stopped, first.max_depth) == ("watch", 3)
    assert count(Board("turn:2x3"), tmp_path / "job", Inside(2), resume=True).complete


def test_a_full_disk_on_one_shard_stops_the_run_with_what_is_done(tmp_path):
    puzzle, folder = Board("turn:2x3"), tmp_path / "job"
    whole = count(puzzle, tmp_path / "whole", Inside(3))

    with pytest.raises(DiskError, match=r"shard 1: .*shard-00001.*more than --disk allows"):
        count(puzzle, folder, SmallDisk(3))
    done = json.loads((folder / "manifest.json").read_text())["depths"]
    assert 1 < len(done) < len(whole.depths)
    assert count(puzzle, folder, Inside(3), resume=True).complete
    assert files(folder) == files(tmp_path / "whole")


def test_runs_that_are_damaged_or_come_twice(tmp_path):
    puzzle = Board("turn:2x3")
    count(puzzle, tmp_path / "whole", Inside(3))

    def twice(request):
        if request["verb"] == "close":
            request["files"] += request["files"][:1]
        return request

    count(puzzle, tmp_path / "twice", Inside(3, change=twice))
    assert files(tmp_path / "twice") == files(tmp_path / "whole")

    def damage(request):
        if request["verb"] == "close" and len(request["files"]) > 1:
            path = next((tmp_path / "job").rglob(request["files"][0]["name"]))
            path.write_bytes(path.read_bytes()[:-1] + b"\0")
        return request

    with pytest.raises(CorruptError, match="resume with"):
        count(puzzle, tmp_path / "job", Inside(3, change=damage))
    assert count(puzzle, tmp_path / "job", Inside(3), resume=True).complete
    assert files(tmp_path / "job") == files(tmp_path / "whole")


def test_a_state_in_two_shards_is_found(tmp_path):
    """Of two shards with equally many states of a depth, both get the files of one."""
    puzzle, folder = Board("ring:9"), tmp_path / "job"
    count(puzzle, folder, Inside(2), symmetry=False)
    job = puzzlekit.open_job(folder, parse)
    manifests = [json.loads((folder / f"shard-0000{shard}" / "manifest.json").read_text()) for shard in range(2)]
    counts = [[depth["raw_states"] for depth in manifest["depths"]] for manifest in manifests]
    assert all(any(counts[shard]) for shard in range(2))
    job.verify()
    # Shard 1 with the states of shard 0 has other counts, and is no part of this job.
    for path in (folder / "shard-00001").iterdir():
        if path.name.startswith("depth-"):
            shutil.copy(folder / "shard-00000" / path.name, path)
    with pytest.raises(CorruptError):
        job.verify()


def test_what_bits_in_shards_cannot_do_is_said(tmp_path):
    puzzle, folder = Board("turn:2x3"), tmp_path / "job"
    count(puzzle, folder, Inside(2), max_depth=4)
    with pytest.raises(JobError, match="states that belong to another shard here; resume the job with the version"):
        run(puzzle, folder, Inside(2), resume=True, max_depth=9)
    part = puzzlekit.open_job(folder / "shard-00001", parse)
    part.verify()
    with pytest.raises(JobError, match=r"the bits of one shard.*name the folder of the whole job"):
        part.export(tmp_path / "part.csv")
    with pytest.raises(UsageError, match="the rules have no perfect index"):
        run(Board("pegs"), tmp_path / "none", Inside(2), store="dense")
    game = puzzlekit.load("tictactoe")
    count(game, tmp_path / "game", Inside(2), grain=None)
    for given in ({"out": tmp_path / "game"}, {"out": tmp_path / "other", "store": "dense"}):
        with pytest.raises(UsageError, match="values in shards are found of words, and not of bits"):
            game.values(on=Inside(2), **given)


@pytest.mark.parametrize(("name", "shards"), [("slider:3,3", 2), ("rotate:2,3", 5), ("tictactoe", 3)])
def test_a_plan_tells_the_bytes_that_a_run_sends(name, shards, tmp_path):
    puzzle, counted = puzzlekit.load(name), Counted(shards)
    plan = plan_in_shards(puzzle, executor(f"processes:{shards}"), store="dense")
    report = run(puzzle, tmp_path / "job", counted, store="dense")
    assert (plan.total.scope, plan.total.states) == ("complete", report.states)
    assert (listed(plan, "sent_bytes"), listed(plan, "wire_bytes")) == counted.sent()
    assert plan.total.sent_words == plan.total.wire_words
    assert plan.total.reread_bytes == 0
    assert listed(plan, "file_bytes") == kept(tmp_path / "job", shards)


def test_a_plan_for_more_shards_than_a_sample_has(tmp_path):
    puzzle, counted = puzzlekit.load("rotate:2,4"), Counted(12)
    plan = plan_in_shards(puzzle, executor("processes:12"), store="dense")
    run(puzzle, tmp_path / "job", counted, store="dense")
    sent = sum(counted.sent()[0].values())
    assert plan.total.sent_bytes == pytest.approx(sent, rel=0.1)


LARGE = ["slider:4,3", "rotate:3,4", "tictactoe:5,4,4", "flipit:5,6", "burnt_pancakes:8"]


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", LARGE)
def test_large_counts_on_processes(name, tmp_path):
    puzzle = puzzlekit.load(name)
    whole = puzzle.enumerate(store="dense")
    for shards in (2, 3, 5):
        found = puzzle.enumerate(store="dense", out=tmp_path / str(shards), on=executor(f"processes:{shards}"))
        assert (found.store, found.complete) == ("dense", True)
        assert found.depths == whole.depths
        shutil.rmtree(tmp_path / str(shards))
