"""Jobs in shards and faults: power cuts, a shard that stands still, a full disk, files that no manifest may name."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
import time
from dataclasses import replace

import pytest

import puzzlekit
from puzzlekit import DiskError
from puzzlekit.cli.progress import describe
from puzzlekit.jobs.shards.driver import ShardProgress
from tests.support import grain_of
from tests.test_jobs import Board, files
from tests.test_shards import Inside, InsideWorkers, Phases, SmallDisk, run, without_epochs

GRAIN = grain_of((0, 3, 2, 7))


def named(folder):
    """The files that the manifests on disk name now: the manifest of the job, and those of its shards."""
    found = set()
    for path in folder.rglob("manifest.json"):
        manifest = json.loads(path.read_text())
        kept = [*manifest["depths"], manifest.get("partial") or {"files": []}]
        found |= {path.parent / file["name"] for depth in kept for file in depth["files"]} | {path}
    return found


def tear(folder, rng):
    """Changes files as a power cut may: files that were made durable stay complete, and others get random content."""
    torn = 0
    whole = named(folder)
    assert not [path for path in whole if ".from-" in path.name], "no manifest names what is not durable"
    for path in sorted(folder.rglob("depth-*")):
        if path not in whole:
            how = rng.randrange(4)
            data = path.read_bytes()
            torn += 1
            if how == 0:
                path.unlink()
            else:
                path.write_bytes([b"", data[: len(data) // 2], bytes(len(data))][how - 1])
    return torn


class PowerFailsError(Exception):
    """The exception that stands for a power cut: it ends the driver and all workers."""


@pytest.mark.parametrize(("name", "shards"), [("turn:2x3", 3), ("chase", 2)])
def test_after_a_power_cut_a_depth_is_whole_or_done_again(name, shards, tmp_path):
    """The power fails before or after each step of a shard: opening, beginning, expanding, closing."""
    puzzle, rng, torn = Board(name), random.Random(7), 0
    run(puzzle, tmp_path / "whole", Inside(shards), grain=GRAIN)
    whole = files(tmp_path / "whole")
    # At every other step, the power fails before the step, and at the others after it.
    for at in [*range(1, 5 * shards), *range(5 * shards, 20 * shards, 7)]:
        folder, phases = tmp_path / str(at), Phases(at, PowerFailsError, ("before", "after")[at % 2])
        ended = False
        try:
            run(puzzle, folder, Inside(shards, phases), grain=GRAIN)
        except PowerFailsError:
            ended = True
        if ended:  # outside of `except`, in which the exception still holds the locks of the driver
            torn += tear(folder, rng)
            run(puzzle, folder, Inside(shards), resume=True, grain=GRAIN)
        assert files(folder) == whole, at
        shutil.rmtree(folder)
    assert torn > 10


class Looking(Inside):
    """Workers whose folders the test checks before each step, and whenever a worker calls its watch."""

    def __init__(self, shards, look):
        super().__init__(shards)
        self.look = look

    def workers(self, setup):
        return LookingWorkers(self, setup)


class LookingWorkers(InsideWorkers):
    def ask(self, shard, number, request):
        self.executor.look(None)
        self.run(shard, number, request, lambda: self.workers[shard].handle(request, self.executor.look))


def test_runs_that_are_merged_in_two_steps_are_in_no_manifest_either(tmp_path):
    """If a shard gets more runs than it opens at once, it first merges some of them into one."""
    puzzle, folder, most = puzzlekit.load("tictactoe"), tmp_path / "job", []

    def look(_progress):
        sent = sum(1 for _ in folder.glob("shard-00001/*.from-*"))
        most.append(sent)
        assert not [path for path in named(folder) if "run-" in path.name]
        return False

    given = {"symmetry": False, "max_depth": 5, "grain": grain_of((0, 1, 1, 3))}
    found = run(puzzle, folder, Looking(2, look), **given)
    assert max(most) > 320
    whole = puzzle.enumerate(store="sparse", symmetry=False, max_depth=5)
    assert [depth.states for depth in found.depths] == [depth.states for depth in whole.depths]
    puzzlekit.open_job(folder).verify()


def test_a_full_disk_on_one_shard_stops_the_run_with_what_is_done(tmp_path):
    puzzle, folder = Board("turn:2x3"), tmp_path / "job"
    run(puzzle, tmp_path / "whole", Inside(3))

    with pytest.raises(DiskError, match=r"shard 1: .*shard-00001.*more than --disk allows"):
        run(puzzle, folder, SmallDisk(3))
    kept = puzzlekit.open_job(folder, lambda _: puzzle).status()["depths"]
    assert len(kept) > 2
    assert run(puzzle, folder, Inside(3), resume=True).complete
    assert files(folder) == files(tmp_path / "whole")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot make a process stand still")
def test_a_shard_that_stands_still_makes_the_others_wait_and_nothing_else(tmp_path):
    puzzle, on, seen = puzzlekit.load("slider:3,4"), puzzlekit.shards.executor("processes:2"), []
    made = []

    class Seen(type(on)):
        def workers(self, setup):
            made.append(super().workers(setup))
            return made[0]

    stopped, depths = [], []

    def watch(progress):
        seen.append(progress)
        process = made[0]._processes[1]._process if made and 1 in made[0]._processes else None
        if progress.depth >= 6 and process is not None and not stopped:
            stopped.append(time.monotonic())
            depths.append(progress.depth)
            os.kill(process.pid, signal.SIGSTOP)
        if len(stopped) == 1 and time.monotonic() > stopped[0] + 2:
            stopped.append(time.monotonic())
            os.kill(process.pid, signal.SIGCONT)

    given = {"threads": 1, "max_depth": 14, "memory": "500MiB"}
    found = puzzle.enumerate(out=tmp_path / "job", on=Seen(2), watch=watch, **given)
    assert len(stopped) == 2
    whole = puzzle.enumerate(out=tmp_path / "whole", on=on, **given)
    assert found.depths == whole.depths
    assert without_epochs(tmp_path / "job") == without_epochs(tmp_path / "whole")
    # No worker was taken for lost, and the progress told which shard the others waited for.
    assert json.loads((tmp_path / "job" / "manifest.json").read_text())["epoch"] == 1
    waiting = [progress for progress in seen if progress.depth in depths and progress.waiting == (1,)]
    assert len(waiting) > 10
    assert "waiting for shard 1" in describe(waiting[0], 1.0)


def test_the_progress_names_who_is_waited_for():
    at = ShardProgress(depth=3, frontier=9, expanded=9, states=20, store_bytes=0, seconds=1.0)
    assert "waiting" not in describe(at, 1.0)
    assert describe(replace(at, waiting=(2,)), 1.0).endswith("waiting for shard 2")
    assert describe(replace(at, waiting=(2, 5, 7)), 1.0).endswith("waiting for shard 2 and 2 more")
