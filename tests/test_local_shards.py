"""Jobs in shards whose files lie on the disks of several machines: the files, and which machine takes a shard."""

from __future__ import annotations

import json
import os
import random
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import puzzlekit
from puzzlekit import CorruptError, DiskError, JobError, LimitError, UsageError
from puzzlekit.puzzle.source import job_folder
from puzzlekit.shards import ShardWorker
from tests.naive import Naive
from tests.support import RunOptions, grain_of
from tests.test_jobs import Board, files, parse
from tests.test_oracle import depths, expected
from tests.test_shard_faults import PowerFailsError, tear
from tests.test_shards import Inside, InsideWorkers, Killed, Phases, run, told

GRAIN = grain_of((0, 3, 2, 7))


class Nodes(Inside):
    """Workers in this process, each as if on a machine of its own: the variable DISK is another one for each."""

    def __init__(self, shards, disks, *arguments, **named):
        super().__init__(shards, *arguments, **named)
        self.disks = disks

    def workers(self, setup):
        return NodesWorkers(self, setup)


class NodesWorkers(InsideWorkers):
    def open(self, shard):
        os.environ["DISK"] = str(self.executor.disks / f"node{shard}")
        return super().open(shard)


@pytest.fixture(autouse=True)
def _no_disk(monkeypatch):
    """Restores the variable DISK after each test."""
    monkeypatch.setenv("DISK", "")
    monkeypatch.delenv("DISK")


def run_local(puzzle, folder, executor, *, resume=False, **options):
    """A run whose shards have local folders."""
    place = replace(job_folder(puzzle, folder, resume=resume), local="" if resume else "$DISK")
    given = RunOptions(threads=1, **options)
    return executor.enumerate(puzzle.engine, str(puzzle), given, place)


def manifest(folder):
    return json.loads((folder / "manifest.json").read_text())


def of_shards(disks, job, shards):
    """The files of all shards, by the names that they have without local folders."""
    name, found = manifest(job)["local"]["name"], {}
    for shard in range(shards):
        place = disks / f"node{shard}" / name / f"shard-{shard:05}"
        found |= {f"{place.name}/{path}": data for path, data in files(place).items()}
    return found


def same(disks, job, shared, shards):
    """Returns `True` if a job has the shards' files and most of the manifest of a job without local folders."""
    whole = files(shared)
    here, there = manifest(job), json.loads(whole.pop("manifest.json"))
    whole.pop("lock", None)
    assert whole.pop("puzzle.json") == (job / "puzzle.json").read_bytes()
    assert of_shards(disks, job, shards) == whole
    files_of = {path.name for path in job.iterdir()} - {"manifest.json", "puzzle.json", "lock"}
    assert not files_of, "nothing is left in the inboxes, and they are gone"
    local = here.pop("local")
    for depth, entry in enumerate(here["depths"]):
        kept = [len(data) for path, data in whole.items() if Path(path).name.startswith(f"depth-{depth:05}.")]
        assert entry.pop("bytes") == sum(kept)
    assert here.pop("checksum") != there.pop("checksum")
    assert here == there
    assert [Path(seen.partition(":")[2]).parts[-3:] for seen in local["seen"]] == [
        (f"node{shard}", local["name"], f"shard-{shard:05}") for shard in range(shards)
    ]
    return True


WORDS = [("slide:2x3", 2), ("turn:2x3", 3), ("colours:2x4", 3), ("chase", 5), ("pegs", 2), ("hanoi:4", 3), ("nim", 1)]
QUICK = [("slide:2x3", 2), ("chase", 5), ("pegs", 2), ("nim", 1)]
BITS = [("turn:2x3", 3), ("burnt:4", 2), ("lights:3x3", 5)]


@pytest.mark.parametrize(
    ("name", "shards", "store"),
    [
        *(pytest.param(*it, "sparse", marks=[] if it in QUICK else pytest.mark.slow) for it in WORDS),
        *((*it, "dense") for it in BITS),
    ],
)
def test_the_files_are_those_of_a_shared_folder(name, shards, store, tmp_path):
    puzzle, given = Board(name), {"grain": GRAIN, "store": store}
    found = run_local(puzzle, tmp_path / "job", Nodes(shards, tmp_path / "disks"), **given)
    assert (found.store, depths(found)) == (store, expected(Naive(puzzle.rules().to_data()).layers()))
    run(puzzle, tmp_path / "shared", Inside(shards), **given)
    assert same(tmp_path / "disks", tmp_path / "job", tmp_path / "shared", shards)


def test_runs_to_others_go_through_inboxes_and_own_ones_do_not(tmp_path):
    """This also holds if a shard gets so many runs that it merges some of them first."""
    puzzle, seen = puzzlekit.load("tictactoe"), {"inbox": 0, "own": 0}

    def look(_shard, request):
        if request["verb"] != "close":
            return
        for path in tmp_path.rglob("depth-*.from-*"):
            _, _, sender, owner, _ = path.name.split(".", 4)
            own = sender.removeprefix("from-") == owner.removeprefix("to-")
            seen["own" if own else "inbox"] += 1
            place = "shard-" if own else "inbox-"
            assert path.parent.name == place + owner.removeprefix("to-")
            assert (path.parent.parent == tmp_path / "job") != own

    given = {"symmetry": False, "max_depth": 5, "grain": grain_of((0, 1, 1, 3))}
    found = run_local(puzzle, tmp_path / "job", Nodes(2, tmp_path / "disks", look), **given)
    assert min(seen.values()) > 320
    run(puzzle, tmp_path / "shared", Inside(2), **given)
    whole = puzzle.enumerate(store="sparse", symmetry=False, max_depth=5)
    assert [depth.states for depth in found.depths] == [depth.states for depth in whole.depths]
    there = {path: data for path, data in files(tmp_path / "shared").items() if "/" in path}
    assert of_shards(tmp_path / "disks", tmp_path / "job", 2) == there
    assert not list(tmp_path.rglob("*.from-*"))


@pytest.mark.parametrize("kind", [Killed, ZeroDivisionError])
def test_workers_and_drivers_that_are_killed_at_any_phase(kind, tmp_path):
    puzzle, shards, killed = Board("turn:2x3"), 3, 0
    run(puzzle, tmp_path / "shared", Inside(shards), grain=GRAIN)
    for at in [*range(1, 4 * shards), *range(4 * shards, 20 * shards, 11)]:
        # A worker is killed before odd steps and after even ones. Errors come after odd steps and before even ones.
        when = ("before", "after")[(at + (kind is Killed)) % 2]
        job, disks = tmp_path / str(at), tmp_path / f"{at}-disks"
        phases, ended = Phases(at, kind, when), False
        try:
            run_local(puzzle, job, Nodes(shards, disks, phases), grain=GRAIN)
        except ZeroDivisionError:
            ended = True
        if ended:  # outside of `except`, in which the exception still holds the locks of the driver
            run_local(puzzle, job, Nodes(shards, disks), resume=True, grain=GRAIN)
        killed += phases.seen >= at
        assert same(disks, job, tmp_path / "shared", shards), (at, when)
        shutil.rmtree(job)
        shutil.rmtree(disks)
    assert killed > 6


def test_after_a_power_cut_a_depth_is_whole_or_done_again(tmp_path):
    """The power of all machines fails at once, and leaves torn files on their disks and in the inboxes."""
    puzzle, shards, rng, torn = Board("chase"), 2, random.Random(5), 0
    run(puzzle, tmp_path / "shared", Inside(shards), grain=GRAIN)
    for at in [*range(1, 5 * shards), *range(5 * shards, 20 * shards, 7)]:
        place = tmp_path / str(at)
        job, disks, ended = place / "job", place / "disks", False
        phases = Phases(at, PowerFailsError, ("before", "after")[at % 2])
        try:
            run_local(puzzle, job, Nodes(shards, disks, phases), grain=GRAIN)
        except PowerFailsError:
            ended = True
        if ended:  # outside of `except`, in which the exception still holds the locks of the driver
            torn += tear(place, rng)
            run_local(puzzle, job, Nodes(shards, disks), resume=True, grain=GRAIN)
        assert same(disks, job, tmp_path / "shared", shards), at
    assert torn > 10


@pytest.fixture
def begun(tmp_path):
    """A job with five depths and three shards. Each shard is on a disk of its own."""
    puzzle = Board("turn:2x3")
    run_local(puzzle, tmp_path / "job", Nodes(3, tmp_path / "disks"), max_depth=4)
    return puzzle


def test_a_folder_that_is_elsewhere_is_named_with_where_it_was_last(begun, tmp_path, monkeypatch):
    job, disks = tmp_path / "job", tmp_path / "disks"
    name = manifest(job)["local"]["name"]
    monkeypatch.setenv("DISK", str(disks / "node1"))
    told_of = r"the folders of shards 0 and 2 are not on this machine: they were last at .*:.*/node0/.*/shard-0+ and "
    for attempt in (
        lambda: puzzlekit.open_job(job, parse).verify(),
        lambda: puzzlekit.open_job(job, parse).export(tmp_path / "states.csv"),
        lambda: puzzlekit.open_job(job, parse).resume(),
    ):
        with pytest.raises(CorruptError, match=told_of + r".*/node2/.*; no other shard has these states, so go on"):
            attempt()
    # The status is known without the lost folders.
    status = puzzlekit.open_job(job, parse).status()
    assert len(status["depths"]) == 5
    # The worker of shard 0 is started on another machine than the one with its folder.
    with pytest.raises(CorruptError, match=r"shard 0: the folder of shard 0 is not on this machine: it was last at "):
        run(begun, job, Inside(3), resume=True, max_depth=9)
    # A machine without the variable DISK has no folders.
    monkeypatch.delenv("DISK")
    with pytest.raises(CorruptError, match="the folders of shards 0, 1 and 2 are not on this machine"):
        puzzlekit.open_job(job, parse).verify()
    # All folders of the shards are copied to one machine.
    monkeypatch.setenv("DISK", str(tmp_path / "one"))
    for shard in range(3):
        shutil.copytree(disks / f"node{shard}" / name, tmp_path / "one" / name, dirs_exist_ok=True)
    assert puzzlekit.open_job(job, parse).verify()["max_depth"] == 4
    assert puzzlekit.open_job(job, parse).resume(max_depth=99).complete
    assert manifest(job)["local"]["seen"][2].endswith(f"/one/{name}/shard-00002")
    assert puzzlekit.open_job(job, parse).verify(hashes=True)["complete"]
    (tmp_path / "one" / name / "shard-00001" / "manifest.json").unlink()
    with pytest.raises(CorruptError, match="the folder of shard 1 is not on this machine: it was last at "):
        puzzlekit.open_job(job, parse).export(tmp_path / "states.csv")


def test_a_machine_has_the_folders_with_all_depths(begun, tmp_path, monkeypatch):
    """An old copy of a folder, or the folder of another job, does not count."""
    job, disks = tmp_path / "job", tmp_path / "disks"
    name, setups = manifest(job)["local"]["name"], []

    class Told(Nodes):
        def workers(self, setup):
            setups.append(setup)
            return super().workers(setup)

    shutil.copytree(disks / "node0", tmp_path / "old")
    run_local(begun, job, Told(3, disks), resume=True, max_depth=6)

    def held(disk):
        monkeypatch.setenv("DISK", str(disk))
        return ShardWorker.held(setups[0])

    assert [held(disks / f"node{shard}") for shard in range(3)] == [(0,), (1,), (2,)]
    assert held(tmp_path / "old") == held(tmp_path / "none") == ()
    shutil.copytree(disks / "node1" / name / "shard-00001", disks / "node0" / name / "shard-00002")
    assert held(disks / "node0") == (0,)
    with pytest.raises(CorruptError, match="the folder of shard 1 is on no machine of this test: it was last at "):
        ShardWorker.check_held(setups[0], [0, 2], "on no machine of this test")
    ShardWorker.check_held(setups[0], [0, 1, 2], "on no machine of this test")


def test_a_shard_that_has_no_depth_yet_may_begin_anywhere(tmp_path):
    """The machine of a shard is lost before depth 0 is kept. The shard begins on another machine, and stays there."""
    puzzle, disks = Board("turn:2x3"), tmp_path / "disks"

    class Moved(Nodes):
        moved = False

        def workers(self, setup):
            made = super().workers(setup)
            opened = made.open

            def elsewhere(shard):
                if shard == 1 and self.started.count(1) == 2:
                    (disks / "node1").rename(disks / "gone")
                return opened(shard)

            made.open = elsewhere
            return made

    # Each of the three workers is asked to open, to begin, and to close depth 0. The loss comes at the eighth request.
    on = Moved(3, disks, Phases(8, Killed, "after"))
    run_local(puzzle, tmp_path / "job", on)
    assert on.started == [0, 1, 2, 1]
    run(puzzle, tmp_path / "shared", Inside(3))
    assert same(disks, tmp_path / "job", tmp_path / "shared", 3)


def test_each_job_has_a_name_of_its_own_and_no_other_touches_it(tmp_path):
    puzzle, disks = Board("turn:2x3"), tmp_path / "disks"
    names = []
    for at in range(2):
        run_local(puzzle, tmp_path / f"job{at}", Nodes(2, disks), max_depth=3)
        names.append(manifest(tmp_path / f"job{at}")["local"]["name"])
    assert len(set(names)) == 2
    assert {path.name for path in (disks / "node0").iterdir()} == set(names)


def test_a_local_folder_that_processes_would_take_for_different_ones_is_refused(tmp_path):
    on = puzzlekit.shards.executor("processes:2")
    with pytest.raises(UsageError, match="give a path from the root, or one that begins with a variable"):
        puzzlekit.load("tictactoe").enumerate(out=tmp_path / "job", on=on, local="here")
    assert not list(tmp_path.iterdir())
    with pytest.raises(UsageError, match=r"local is /x, and that is for several processes; say which with on"):
        puzzlekit.load("tictactoe").enumerate(out=tmp_path / "job", local="/x")


def test_a_variable_that_a_machine_does_not_have_is_named(tmp_path, monkeypatch):
    puzzle = puzzlekit.load("tictactoe")
    with pytest.raises(JobError, match=r"on this machine there is no variable \$NOWHERE; set it before") as kept:
        puzzle.enumerate(out=tmp_path / "job", on=puzzlekit.shards.executor("processes:2"), local="$NOWHERE")
    monkeypatch.setenv("NOWHERE", "here")
    with pytest.raises(JobError, match=r'on this machine that is "here"; set the variable to a path from the root'):
        puzzle.enumerate(out=tmp_path / "job2", on=puzzlekit.shards.executor("processes:2"), local="$NOWHERE")
    # The job has begun, and has no depth yet. It can be resumed although the error is still kept, as in notebooks.
    monkeypatch.setenv("NOWHERE", str(tmp_path / "disk"))
    assert puzzlekit.open_job(tmp_path / "job").resume().states == 765
    assert kept.value.exit_code == 2


def test_room_is_looked_for_on_both_disks(tmp_path, monkeypatch):
    puzzle, job, disks = Board("turn:2x3"), tmp_path / "job", tmp_path / "disks"
    usage = shutil.disk_usage
    for full, says in (
        ("inbox-", r"in .*job/inbox-0000\d, and the disk has 60 left"),
        ("shard-", r"in .*node\d/.*60 left"),
    ):
        monkeypatch.setattr(
            shutil,
            "disk_usage",
            lambda place, full=full: usage(tmp_path)._replace(free=60 if full in str(place) else 10**9),
        )
        with pytest.raises(LimitError, match=r"depth \d is expected to take \d+ bytes " + says):
            run_local(puzzle, job, Nodes(2, disks), resume=job.exists())
    monkeypatch.undo()
    assert run_local(puzzle, job, Nodes(2, disks), resume=True).complete


def test_the_limit_of_a_shards_disk_is_for_its_own_folder(tmp_path):
    puzzle, job, disks = Board("turn:2x3"), tmp_path / "job", tmp_path / "disks"
    with pytest.raises(DiskError, match=r"shard \d: .*node\d.*more than --disk allows"):
        run_local(puzzle, job, Nodes(2, disks), disk=150)
    assert len(manifest(job)["depths"]) > 2
    assert run_local(puzzle, job, Nodes(2, disks), resume=True).complete


def test_from_the_command_line(tmp_path, command):
    """With processes, all folders are on one machine."""

    def here(*words, code=0):
        done = command(*words)
        assert done.code == code, done.err
        return done.out, done.err

    job, disk = str(tmp_path / "job"), str(tmp_path / "disk")
    where = ("--out", job, "--on", "processes:2", "--local", disk)
    told("enumerate", "rotate:2,3", *where, "--max-depth", "3", code=3)
    (name,) = os.listdir(disk)
    told("resume", job, "--max-depth", "99")
    assert sorted(os.listdir(Path(disk, name))) == ["shard-00000", "shard-00001"]
    assert sorted(os.listdir(job)) == ["lock", "manifest.json", "puzzle.json"]
    told("enumerate", "rotate:2,3", "--out", str(tmp_path / "shared"), "--on", "processes:2")
    there = {path: data for path, data in files(tmp_path / "shared").items() if "/" in path}
    assert files(Path(disk, name)) == there
    here("verify", job)
    here("export", job, "--to", str(tmp_path / "local.csv"))
    here("export", str(tmp_path / "shared"), "--to", str(tmp_path / "shared.csv"))
    assert (tmp_path / "local.csv").read_bytes() == (tmp_path / "shared.csv").read_bytes()
    before = json.loads(here("status", job, "--json")[0])
    shared = json.loads(here("status", str(tmp_path / "shared"), "--json")[0])
    assert (before["bytes"], before["states"]) == (shared["bytes"], shared["states"])
    places = [seen.partition(":")[2] for seen in before["local_folders"]]
    assert (places, shared["local_folders"]) == ([f"{disk}/{name}/shard-0000{shard}" for shard in (0, 1)], None)
    # The folder of a shard is a job itself.
    assert "shard 1 of 2" in here("status", str(Path(disk, name, "shard-00001")))[0]
    shutil.rmtree(Path(disk, name, "shard-00001"))
    assert json.loads(here("status", job, "--json")[0]) == before
    for verb in (["verify", job], ["export", job, "--to", str(tmp_path / "no.csv")]):
        assert "the folder of shard 1 is not on this machine: it was last at " in here(*verb, code=4)[1]
    refused = here("enumerate", "tictactoe", "--local", "/x", "--out", str(tmp_path / "no"), code=2)[1]
    assert "--local /x is for several processes; say where with --on" in refused


def test_resume_without_a_folder_ends_before_a_process_is_started(tmp_path):
    job, disk = str(tmp_path / "job"), tmp_path / "disk"
    where = ("--out", job, "--on", "processes:2", "--local", str(disk))
    told("enumerate", "rotate:2,3", *where, "--max-depth", "3", code=3)
    disk.rename(tmp_path / "away")
    before = files(tmp_path / "job")
    for on in ([], ["--on", "processes:2"]):
        err = told("resume", job, "--max-depth", "9", *on, code=4)[1]
        assert "the folders of shards 0 and 1 are not on this machine: they were last at " in err
        assert not disk.exists()
    assert [json.loads(before["manifest.json"])["depths"]] == [manifest(tmp_path / "job")["depths"]]
    (tmp_path / "away").rename(disk)
    told("resume", job, "--max-depth", "99")
