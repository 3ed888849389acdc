"""Jobs in shards: counts, states and files are the same for any number of shards, even if processes are killed."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import deque
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import pytest

import puzzlekit
from puzzlekit import CorruptError, JobError, LimitError, PuzzlekitError, UsageError
from puzzlekit.puzzle.source import job_folder
from puzzlekit.shards import Executor, Message, ShardSetup, ShardWorker
from tests import boards, gallery
from tests.naive import Naive
from tests.nursery import Command
from tests.support import RunOptions, grain_of
from tests.test_jobs import Board, files, parse
from tests.test_oracle import depths, expected

# Puzzles with all kinds of graphs: inverse-closed, directed, layered; with ends, several outcomes, and symmetries; with
# moves that keep the turn.
NAMES = [
    *("slide:2x3", "turn:2x3", "colours:2x4", "colours:slide", "lights:3x3", "lights:2x3x3", "pegs", "chase", "nim"),
    *("hanoi:4", "dials", "recolour", "ring:9", "burnt:4", "nim again", "chase again"),
]


class Killed(BaseException):
    """The exception that ends a worker of a test."""


@dataclass
class Inside(Executor):
    """Workers in this process, one after another. A test may make them fail, and change their requests.

    Attributes:
        shards: How many shards there are.
        fails: Called before each request with the shard and the request, and after it with `None` for the shard. If it
            raises `Killed`, the worker ends. Any other exception ends the driver.
        change: Changes a request.
    """

    shards: int
    fails: object = lambda *_: None
    change: object = lambda request: request
    name: str = "inside"
    started: list = field(default_factory=list)

    def workers(self, setup):
        return InsideWorkers(self, setup)


class InsideWorkers:
    def __init__(self, executor, setup):
        self.executor, self.setup = executor, ShardSetup.from_data(json.loads(json.dumps(setup.to_data())))
        self.workers, self.arrived = {}, deque()

    def start(self, shard):
        self.executor.started.append(shard)
        self.workers.pop(shard, None)
        self.run(shard, 0, {"verb": "open"}, lambda: self.open(shard))

    def open(self, shard):
        self.workers[shard] = ShardWorker(self.setup.of_shard(shard))
        return {}

    def ask(self, shard, number, request):
        if shard in self.workers:
            request = self.executor.change(json.loads(json.dumps(request)))
            self.run(shard, number, request, lambda: self.workers[shard].handle(request))

    def run(self, shard, number, request, work):
        try:
            self.executor.fails(shard, request)
            answer = json.loads(json.dumps(work()))
            self.executor.fails(None, request)
        except Killed:
            self.workers.pop(shard, None)
            self.arrived.append(Message(shard, "lost", data={"text": "the test has killed it"}))
        except PuzzlekitError as error:
            data = {"kind": type(error).__name__, "text": str(error)}
            self.arrived.append(Message(shard, "error", number, data))
        else:
            self.arrived.append(Message(shard, "answer", number, answer))

    def stop(self, shard):
        pass

    def next(self, _seconds):
        return self.arrived.popleft() if self.arrived else None

    def close(self):
        self.workers.clear()


class SmallDisk(Inside):
    """Workers in this process, of which shard 1 may take 150 bytes of disk."""

    def workers(self, setup):
        made = InsideWorkers(self, setup)

        def opened(shard):
            options = {**setup.options, "disk": 150} if shard == 1 else setup.options
            made.workers[shard] = ShardWorker(replace(setup.of_shard(shard), options=options))
            return {}

        made.open = opened
        return made


def run(puzzle, folder, executor, *, resume=False, watch=None, **options):
    """Runs a puzzle as a job in shards, or resumes the job, with options that only tests have."""
    given = RunOptions(threads=1, **options)
    return executor.enumerate(puzzle.engine, str(puzzle), given, job_folder(puzzle, folder, resume=resume), watch)


def sums(folder):
    return [depth["sum"] for depth in json.loads((folder / "manifest.json").read_text())["depths"]]


def hashes(folder):
    job = puzzlekit.open_job(folder, parse)
    return [(depth["states"], depth["hash"]) for depth in job.verify(hashes=True)["depths"]]


def exported(folder, to):
    puzzlekit.open_job(folder, parse).export(to)
    return to.read_bytes()


@pytest.mark.parametrize(("at", "name"), boards.quickly(enumerate(NAMES)))
def test_any_number_of_shards_counts_the_same(at, name, tmp_path):
    puzzle = Board(name)
    whole = puzzle.enumerate(store="sparse", out=tmp_path / "whole", threads=1)
    assert depths(whole) == expected(Naive(puzzle.rules().to_data()).layers())
    known = None
    for shards in ((1, 3), (2, 3), (5, 2))[at % 3]:
        folder = tmp_path / str(shards)
        # Runs, blocks and waves are tiny, so that even these puzzles send several runs to each shard.
        grain = grain_of((0, 3, 2, 7)) if shards % 2 else None
        found = run(puzzle, folder, Inside(shards), grain=grain)
        assert (found.complete, depths(found), found.generated) == (True, depths(whole), whole.generated)
        assert hashes(folder) == hashes(tmp_path / "whole")
        known = known or sums(folder)
        assert sums(folder) == known
        assert exported(folder, tmp_path / f"{shards}.csv") == exported(tmp_path / "whole", tmp_path / f"{shards}w.csv")


@pytest.mark.parametrize("name", ["turn:2x3", "lights:3x3", "hanoi:4"])
def test_symmetric_states_apart_and_backward(name, tmp_path):
    puzzle = Board(name)
    for way in ({"symmetry": False}, {"backward": True}):
        whole = puzzle.enumerate(store="sparse", **way)
        if whole.unsolvable is not None:
            with pytest.raises(UsageError, match="with all states in the memory of one process"):
                run(puzzle, tmp_path / "refused", Inside(2), **way)
            continue
        folder = tmp_path / next(iter(way))
        found = run(puzzle, folder, Inside(3), **way)
        assert (depths(found), found.backward, found.symmetry_order) == (
            depths(whole),
            whole.backward,
            whole.symmetry_order,
        )
        job = puzzlekit.open_job(folder, parse)
        assert job.backward == whole.backward
        assert job.verify()["complete"]
        assert job.hardest(3) == puzzle_hardest(puzzle, tmp_path / f"{folder.name}-whole", way)


def puzzle_hardest(puzzle, folder, way):
    puzzle.enumerate(store="sparse", out=folder, **way)
    return puzzlekit.open_job(folder, parse).hardest(3)


@pytest.mark.parametrize("name", ["slide:2x3", "turn:2x3", "nim", "chase"])
def test_words_that_a_shard_holds_in_memory_are_those_of_files(name, tmp_path):
    """What shards find for themselves, and their earlier depths, are in memory or not: the files are the same."""
    sent = {True: 0, False: 0}

    def change(request, *, holds):
        if request["verb"] == "expand":
            request["holds"] = holds
        sent[holds] += len(request.get("files") or ())
        return request

    for holds in (True, False):
        run(Board(name), tmp_path / str(holds), Inside(3, change=partial(change, holds=holds)))
    assert files(tmp_path / "True") == files(tmp_path / "False")
    assert 0 < sent[True] < sent[False]


def test_each_state_is_in_the_folder_of_its_shard(tmp_path):
    puzzle = Board("slide:2x3")
    run(puzzle, tmp_path / "job", Inside(3))
    whole = set()
    for shard in range(3):
        # The folder of a shard is a job itself, which has the states of this shard.
        part = puzzlekit.open_job(tmp_path / "job" / f"shard-{shard:05}", parse)
        part.verify()
        rows = part.export(tmp_path / f"{shard}.csv")
        lines = (tmp_path / f"{shard}.csv").read_text().splitlines()[1:]
        assert len(lines) == rows
        assert whole.isdisjoint(lines)
        whole |= set(lines)
        with pytest.raises(JobError, match="resume the whole job, in the folder that --out named"):
            part.resume()
    assert len(whole) == 360


class Phases:
    """Raises an exception at the request with a given number, before or after the request is done."""

    def __init__(self, at, kind, when):
        self.at, self.kind, self.when, self.seen = at, kind, when, 0

    def __call__(self, shard, _request):
        if (shard is None) != (self.when == "after"):
            return
        self.seen += 1
        if self.seen == self.at:
            raise self.kind


PHASES = [("chase", 2), *(pytest.param(name, 3, marks=pytest.mark.slow) for name in ("turn:2x3", "pegs"))]


def kill_at(name, shards, at, kind, when, folder):
    """A run that is killed at a request, and resumed if that ended the driver. `True` if there was such a request."""
    puzzle, phases = Board(name), Phases(at, kind, when)
    # Every other time, shards hold words in memory. With tiny runs, they hold none.
    grain, ended = grain_of((0, 3, 2, 7)) if at // 2 % 2 else None, False
    try:
        run(puzzle, folder, Inside(shards, phases), grain=grain)
    except ZeroDivisionError:
        ended = True
    if ended:  # outside of `except`, in which the exception still holds the locks of the driver
        run(puzzle, folder, Inside(shards), resume=True, grain=grain)
    return phases.seen >= at


@pytest.mark.parametrize(("name", "shards"), PHASES)
@pytest.mark.parametrize("kind", [Killed, ZeroDivisionError])
def test_workers_and_drivers_that_are_killed_at_any_phase(name, shards, kind, tmp_path):
    """A worker or the driver is killed at each request of the first depths, and at some later ones.

    Where a driver is killed before a request, a worker is killed after it, and the other way round at the next one.
    """
    run(Board(name), tmp_path / "whole", Inside(shards), grain=grain_of((0, 3, 2, 7)))
    whole = files(tmp_path / "whole")
    killed = 0
    # The requests to open and to begin come first, and then two requests for each depth.
    for at in [*range(1, 4 * shards), *range(4 * shards, 20 * shards, 11)]:
        when = ("before", "after")[(at + (kind is Killed)) % 2]
        folder = tmp_path / f"{at}-{when}"
        killed += kill_at(name, shards, at, kind, when, folder)
        assert files(folder) == whole, (at, when)
        shutil.rmtree(folder)
    assert killed > 4 * shards


def test_runs_that_come_twice_late_or_in_another_order_do_no_harm(tmp_path):
    grain = grain_of((0, 3, 2, 7))
    puzzle, rng = Board("colours:2x4"), random.Random(5)
    run(puzzle, tmp_path / "whole", Inside(3), grain=grain)
    late = tmp_path / "job" / "shard-00001" / "depth-00004.epoch-00000.from-00002.to-00001.run-00000.open"
    seen = []

    def change(request):
        if request["verb"] == "close" and request["files"]:
            rng.shuffle(request["files"])
            request["files"].append(request["files"][0])
            seen.append(len(request["files"]))
            # Writes a file as a run of an earlier driver, of which the shard is never told.
            late.write_bytes(b"anything")
        return request

    run(puzzle, tmp_path / "job", Inside(3, change=change), grain=grain)
    assert len(seen) > 15
    assert max(seen) > 6
    assert files(tmp_path / "job") == files(tmp_path / "whole")


class Garbled(Inside):
    """Workers whose answers come in any order, and some of them twice, also during later requests."""

    def __init__(self, shards, rng):
        super().__init__(shards)
        self.rng, self.again = rng, 0

    def workers(self, setup):
        made, old = InsideWorkers(self, setup), []

        def garbled(_seconds):
            arrived = made.arrived
            if not arrived:
                return None
            if old and self.rng.random() < 0.5:
                # Repeats an answer that the driver has read before, to this request or to an earlier one.
                self.again += 1
                return self.rng.choice(old[-9:])
            arrived.rotate(self.rng.randrange(len(arrived)))
            message = arrived.popleft()
            old.append(message)
            return message

        made.next = garbled
        return made


def test_answers_that_come_twice_late_or_in_another_order_do_no_harm(tmp_path):
    puzzle, on = Board("colours:2x4"), Garbled(3, random.Random(6))
    run(puzzle, tmp_path / "whole", Inside(3))
    assert run(puzzle, tmp_path / "job", on).complete
    assert on.again > 20
    assert files(tmp_path / "job") == files(tmp_path / "whole")


@pytest.mark.parametrize("verb", ["begin", "expand", "close"])
def test_a_request_that_comes_twice_does_no_harm_or_is_refused(verb, tmp_path):
    """No state is counted twice: a request that does not fit the depth ends the run, and the depth is found again."""
    puzzle, refused = Board("turn:2x3"), 0
    run(puzzle, tmp_path / "whole", Inside(2), grain=grain_of((0, 3, 2, 7)))
    for at in (1, 2, 3, 4, 7, 11, 16):
        folder, seen, resume = tmp_path / str(at), [], False
        on = Inside(2)

        class Twice(InsideWorkers):
            def ask(self, shard, number, request, seen=seen, at=at):
                super().ask(shard, number, request)
                if request["verb"] == verb:
                    seen.append(shard)
                    if len(seen) == at:
                        super().ask(shard, number, request)

        on.workers = lambda setup, on=on, twice=Twice: twice(on, setup)
        try:
            run(puzzle, folder, on, grain=grain_of((0, 3, 2, 7)))
        except (JobError, CorruptError):
            resume = True
        if resume:  # outside of `except`, in which the exception still holds the locks of the driver
            refused += 1
            run(puzzle, folder, Inside(2), resume=True, grain=grain_of((0, 3, 2, 7)))
        assert files(folder) == files(tmp_path / "whole"), at
    assert bool(refused) == (verb == "close")


def test_a_run_of_another_shard_or_depth_is_refused(tmp_path):
    puzzle = Board("turn:2x3")

    def change(request):
        for file in request.get("files", ()):
            file["name"] = file["name"].replace("to-00001", "to-00000")
        return request

    with pytest.raises(JobError, match=r"shard 1: depth-.*was sent to .*shard-00001, where it does not belong"):
        run(puzzle, tmp_path / "job", Inside(2, change=change))


def test_a_run_that_is_damaged_or_gone_is_noticed(tmp_path):
    puzzle = Board("turn:2x3")
    for damage in (lambda path: path.unlink(), lambda path: path.write_bytes(path.read_bytes()[:-1] + b"\0")):

        def change(request, damage=damage):
            if request["verb"] == "close" and request["files"]:
                name = request["files"][0]["name"]
                damage(next((tmp_path / "job").rglob(name)))
            return request

        with pytest.raises(CorruptError, match="resume with"):
            run(puzzle, tmp_path / "job", Inside(2, change=change))
        # The lost depth is found again from the depths before it.
        found = run(puzzle, tmp_path / "job", Inside(2), resume=True)
        assert depths(found) == depths(puzzle.enumerate(store="sparse"))
        shutil.rmtree(tmp_path / "job")


def test_stopped_at_any_depth_and_resumed(tmp_path):
    puzzle = Board("turn:2x3")
    whole = run(puzzle, tmp_path / "whole", Inside(3))
    for stop in range(whole.max_depth + 1):
        folder = tmp_path / str(stop)
        first = run(puzzle, folder, Inside(3), max_depth=stop)
        assert depths(first) == depths(whole)[: stop + 1]
        assert (first.complete, first.stopped) == (False, "max-depth")
        second = run(puzzle, folder, Inside(3), resume=True, max_depth=99)
        assert (second.complete, depths(second), second.generated) == (True, depths(whole), whole.generated)
        assert files(folder) == files(tmp_path / "whole")
        # For a job that is complete, no worker is started.
        none = Inside(3)
        again = run(puzzle, folder, none, resume=True)
        assert (depths(again), again.generated, none.started) == (depths(whole), whole.generated, [])


def test_the_watch_stops_a_run_and_sees_how_far_it_is(tmp_path):
    seen = []

    def watch(progress):
        seen.append(progress)
        return progress.depth == 3

    first = run(Board("turn:2x3"), tmp_path / "job", Inside(2), watch=watch)
    assert (first.stopped, first.max_depth) == ("watch", 3)
    assert [progress.states for progress in seen] == sorted(progress.states for progress in seen)
    assert run(Board("turn:2x3"), tmp_path / "job", Inside(2), resume=True).complete


def test_another_number_of_shards_is_refused(tmp_path):
    puzzle = Board("turn:2x3")
    run(puzzle, tmp_path / "job", Inside(2), max_depth=3)
    with pytest.raises(JobError, match="holds a job of 2 shards, which cannot become 3; resume it with 2"):
        run(puzzle, tmp_path / "job", Inside(3), resume=True)
    puzzle.enumerate(store="sparse", out=tmp_path / "one", max_depth=3)
    with pytest.raises(JobError, match="holds a job of one process; resume it without --on"):
        run(puzzle, tmp_path / "one", Inside(3), resume=True)
    with pytest.raises(JobError, match="holds a job already"):
        run(puzzle, tmp_path / "job", Inside(2))
    for shards in (0, 301):
        with pytest.raises(UsageError, match=f"{shards} shards cannot be made; give 1 to 300"):
            run(puzzle, tmp_path / "new", Inside(shards))
    with pytest.raises(UsageError, match="give a folder"):
        puzzle.enumerate(on=Inside(2))
    assert not (tmp_path / "new").exists()


def test_a_lost_or_exchanged_shard_is_named(tmp_path):
    puzzle, folder = Board("turn:2x3"), tmp_path / "job"
    run(puzzle, folder, Inside(3), max_depth=4)
    shard = folder / "shard-00001"
    shard.rename(tmp_path / "away")
    for attempt in (
        lambda: run(puzzle, folder, Inside(3), resume=True, max_depth=9),
        lambda: puzzlekit.open_job(folder, parse).verify(),
        lambda: puzzlekit.open_job(folder, parse).export(tmp_path / "states.csv"),
    ):
        with pytest.raises(CorruptError, match=r"shard-00001 .*put back a copy of it, or begin the job anew"):
            attempt()
    shutil.copytree(folder / "shard-00002", shard)
    with pytest.raises(CorruptError, match="shard-00001 holds something else than this shard"):
        run(puzzle, folder, Inside(3), resume=True, max_depth=9)
    with pytest.raises(CorruptError, match="does not hold what the job counts of shard 1"):
        puzzlekit.open_job(folder, parse).verify()
    shutil.rmtree(shard)
    (tmp_path / "away").rename(shard)
    assert puzzlekit.open_job(folder, parse).verify()["max_depth"] == 4
    assert run(puzzle, folder, Inside(3), resume=True, max_depth=99).complete


def test_a_shard_of_another_run_is_no_part_of_this_one(tmp_path):
    """The folder of a shard is replaced by an old copy, which has fewer depths than the job counts."""
    puzzle, folder = Board("turn:2x3"), tmp_path / "job"
    run(puzzle, folder, Inside(2), max_depth=2)
    shutil.copytree(folder / "shard-00000", tmp_path / "old")
    run(puzzle, folder, Inside(2), resume=True, max_depth=4)
    shutil.rmtree(folder / "shard-00000")
    shutil.copytree(tmp_path / "old", folder / "shard-00000")
    with pytest.raises(CorruptError, match="shard-00000 lacks a depth that the job counts"):
        run(puzzle, folder, Inside(2), resume=True, max_depth=9)


def test_a_driver_that_comes_back_is_fenced_off(tmp_path):
    """A driver goes on after another has taken over, as if its machine had slept and locks did not reach the other."""
    puzzle, folder = Board("turn:2x3"), tmp_path / "job"
    manifest = folder / "manifest.json"
    old = []

    def replaced(shard, request):
        if request["verb"] == "close" and request["files"] and not old:
            old.append(shard)
            other = folder.with_name("other")
            shutil.copytree(folder, other)
            run(puzzle, other, Inside(2), resume=True, max_depth=0)
            os.replace(other / "manifest.json", manifest)
            shutil.rmtree(other)

    with pytest.raises(JobError, match="is at epoch 2, and this process was started in epoch 1; it stops"):
        run(puzzle, folder, Inside(2, replaced))
    assert run(puzzle, folder, Inside(2), resume=True).complete


def test_two_drivers_on_one_job_are_refused(tmp_path):
    puzzle, folder = Board("turn:2x3"), tmp_path / "job"

    def second(_shard, request):
        if request["verb"] == "expand":
            with pytest.raises(JobError, match=r"another process works on .*job; wait until it is done, or stop it"):
                run(puzzle, folder, Inside(2), resume=True)

    assert run(puzzle, folder, Inside(2, second)).complete


def test_another_version_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("puzzlekit.jobs.shards.executor.__version__", "9.9")
    with pytest.raises(JobError, match=r"puzzlekit 9\.9 drives the job, and the worker of shard 0 has "):
        run(Board("turn:2x3"), tmp_path / "job", Inside(2))


def test_a_worker_that_is_lost_again_and_again_ends_the_run(tmp_path):
    def always(shard, request):
        if shard == 1 and request["verb"] == "expand":
            raise Killed

    with pytest.raises(LimitError, match=r"shard 1 was lost 3 times in depth 1 \(the test has killed it\)"):
        run(Board("turn:2x3"), tmp_path / "job", Inside(2, always))
    assert run(Board("turn:2x3"), tmp_path / "job", Inside(2), resume=True).complete


def test_a_disk_that_is_too_full_is_noticed_before_a_depth(tmp_path, monkeypatch):
    puzzle, folder = Board("turn:2x3"), tmp_path / "job"
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=60))
    with pytest.raises(LimitError, match=r"shard \d: depth \d is expected to take \d+ bytes in .*the disk has 60 left"):
        run(puzzle, folder, Inside(2))
    monkeypatch.undo()
    assert run(puzzle, folder, Inside(2), resume=True).complete


# The tests from here on use processes.


def cli(*arguments):
    return Command(
        *arguments,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def told(*arguments, code=0):
    with cli(*arguments) as process:
        out, err = process.communicate()
    assert process.returncode == code, err
    return out, err


def test_processes_from_the_command_line(tmp_path):
    folder = str(tmp_path / "job")
    out, _ = told("enumerate", "tictactoe", "--out", folder, "--on", "processes:2", "--json")
    report = json.loads(out)
    assert (report["states"], report["store"], report["store_reason"]) == (765, "sparse", "in 2 shards")
    assert report["outcomes"] == {"X": 91, "O": 44, "draw": 3}
    status = json.loads(told("status", folder, "--json")[0])
    assert (status["complete"], status["states"], status["shards"]) == (True, 765, 2)
    assert "765 states to depth 9, in 2 shards, complete" in told("status", folder)[0]
    assert "765 states to depth 9, all as they should be" in told("verify", folder)[0]
    assert "765 states" in told("export", folder, "--to", str(tmp_path / "states.parquet"))[0]
    again = json.loads(told("resume", folder, "--json")[0])
    assert again["depths"] == report["depths"]
    _, err = told("resume", folder, "--on", "processes:3", code=2)
    assert "holds a job of 2 shards, which cannot become 3; resume it with 2" in err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--on", "processes:0", "--out", "x"], '"0" is no number of processes; give 1 to 300'),
        (["--on", "processes", "--out", "x"], '"" is no number of processes'),
        (["--on", "nowhere:3", "--out", "x"], 'there is no executor "nowhere"; give one of processes:K'),
        (["--shards", "2", "--out", "x"], "--shards 2 is for several processes; say where with --on"),
        (["--on", "processes", "--shards", "301", "--out", "x"], "shards is 301; give a whole number from 1 to 300"),
        (["--on", "processes:2", "--shards", "3", "--out", "x"], "--on processes:2 divides by 2, and --shards by 3"),
        (["--on", "processes:2"], "processes:2 keeps its states in files; give a folder for them with --out"),
        (["--on", "processes:2", "--checkpoint", "3", "--out", "x"], "--checkpoint keeps parts of depths"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert says in told("enumerate", "tictactoe", *arguments, code=2)[1]
    assert list(tmp_path.iterdir()) == []


def test_processes_from_python(tmp_path):
    puzzle = puzzlekit.load("tictactoe")
    on = puzzlekit.shards.executor("processes:2")
    found = puzzle.enumerate(out=tmp_path / "job", on=on, max_depth=5, threads=1, memory="500MiB")
    assert (found.stopped, found.states) == ("max-depth", 336)
    job = puzzlekit.open_job(tmp_path / "job")
    assert job.resume(max_depth=20).states == 765
    assert job.resume(on=on).states == 765


def children(process):
    """The children of a process; none where it has ended."""
    try:
        return [int(child) for child in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]
    except OSError:
        return []


LONG = ["slider:3,4", "--max-depth", "21"]


@pytest.mark.skipif(sys.platform != "linux", reason="the processes of a process are listed there")
def test_a_process_that_is_killed_is_started_again(tmp_path):
    told("enumerate", *LONG, "--out", str(tmp_path / "whole"), "--on", "processes:2", code=3)
    with cli("enumerate", *LONG, "--out", str(tmp_path / "job"), "--on", "processes:2") as process:
        while not (tmp_path / "job" / "shard-00001" / "depth-00010.open").exists():
            time.sleep(0.01)
        os.kill(children(process)[0], signal.SIGKILL)
        _, err = process.communicate()
    assert process.returncode == 3, err
    assert without_epochs(tmp_path / "job") == without_epochs(tmp_path / "whole")


def without_epochs(folder):
    """The files of a job, without the epoch in the manifest, which counts how often the job was driven."""
    found = files(folder)
    manifest = json.loads(found.pop("manifest.json"))
    return found, {key: value for key, value in manifest.items() if key not in ("epoch", "checksum")}


@dataclass(frozen=True)
class Whole:
    """A run in processes of its own that is not killed: how it is begun, and how it ends.

    Attributes:
        verb: The arguments that begin it, but for those in `options` and the folder.
        options: The arguments that `resume` takes, too.
        code: The exit code.
        words: What stderr has in the end, if that tells its end from another one with the same exit code.
    """

    verb: tuple[str, ...]
    options: tuple[str, ...]
    code: int = 0
    words: str = ""


def kills(folder, run, count, seed):
    """Kills workers, the driver, or all processes at random moments. Returns how often the job had a manifest then."""
    rng, hit, killed = random.Random(seed), 0, 0
    begun = time.perf_counter()
    told(*run.verb, "--out", str(folder / "whole"), *run.options, code=run.code)
    seconds = time.perf_counter() - begun
    whole = without_epochs(folder / "whole")
    while killed < count:
        job = folder / "job"
        shutil.rmtree(job, ignore_errors=True)
        process = cli(*run.verb, "--out", str(job), *run.options)
        while True:
            try:
                _, err = process.communicate(timeout=rng.uniform(0.1, seconds))
                if process.returncode == run.code and run.words in err:
                    break
                # By chance, workers may be lost three times within a depth. Then the run ends, and is resumed.
                assert (process.returncode, "was lost 3 times" in err) == (3, True), err
                process = cli("resume", str(job), *run.options)
                continue
            except subprocess.TimeoutExpired:
                pass
            killed += 1
            hit += (job / "manifest.json").exists()
            workers = children(process)
            which = rng.choice(["worker", "driver", "all"])
            if which == "worker" and workers:
                os.kill(rng.choice(workers), signal.SIGKILL)
                continue
            for child in workers if which == "all" else []:
                os.kill(child, signal.SIGKILL)
            process.kill()
            process.communicate()
            begun_again = (job / "manifest.json").exists()
            verb = ("resume", str(job)) if begun_again else (*run.verb, "--out", str(job))
            process = cli(*verb, *run.options)
        assert without_epochs(job) == whole
    return hit


def counted(puzzle, shards):
    """A count of the first depths of a puzzle in processes."""
    return Whole(("enumerate", *puzzle), ("--on", f"processes:{shards}"), 3, "as --max-depth says")


@pytest.mark.skipif(sys.platform != "linux", reason="the processes of a process are listed there")
def test_a_job_all_of_whose_processes_are_killed_comes_out_the_same(tmp_path):
    job, words = tmp_path / "job", ("slider:3,4", "--max-depth", "17", "--on", "processes:2")
    process = cli("enumerate", *words, "--out", str(job))
    while not (job / "shard-00001" / "depth-00007.open").exists():
        assert process.poll() is None
        time.sleep(0.001)
    for child in children(process):
        os.kill(child, signal.SIGKILL)
    process.kill()
    process.communicate()
    told("resume", str(job), *words[-2:], code=3)
    told("enumerate", *words, "--out", str(tmp_path / "whole"), code=3)
    assert without_epochs(job) == without_epochs(tmp_path / "whole")


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.skipif(sys.platform != "linux", reason="the processes of a process are listed there")
@pytest.mark.parametrize(
    ("puzzle", "shards"),
    [
        (["slider:3,4", "--max-depth", "21"], 3),
        (["tictactoe:4,4,3", "--max-depth", "11"], 2),
        (["slider:3,4", "--max-depth", "21", "--store", "dense"], 3),
    ],
)
def test_a_hundred_kills(puzzle, shards, tmp_path):
    assert kills(tmp_path, counted(puzzle, shards), 100, 2) > 20


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals to send to one process")
def test_ctrl_c_stops_all_processes_with_the_depths_that_are_done(tmp_path):
    folder = tmp_path / "job"
    with cli("enumerate", "slider:3,4", "--out", str(folder), "--on", "processes:2", "--json") as process:
        while not (folder / "shard-00001" / "depth-00012.open").exists():
            time.sleep(0.01)
        workers = children(process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert json.loads(out)["max_depth"] >= 11
    assert all(not Path(f"/proc/{worker}").exists() for worker in workers)
    assert puzzlekit.open_job(folder).is_running() is False
    puzzlekit.open_job(folder).verify()


def test_a_game_in_which_moves_keep_the_turn_counts_the_same(tmp_path):
    for text in ("kalah:2,4", "dots_and_boxes:1,3"):
        game = gallery.load(text)
        whole = game.enumerate(out=tmp_path / text, store="sparse", threads=1)
        found = run(game, tmp_path / f"{text} in shards", Inside(3), grain=grain_of((0, 3, 2, 7)))
        assert (found.complete, depths(found)) == (True, depths(whole))
        kept = [puzzlekit.open_job(tmp_path / name, lambda *_, game=game: game) for name in (text, f"{text} in shards")]
        whole, found = ([each["hash"] for each in job.verify(hashes=True)["depths"]] for job in kept)
        assert found == whole
