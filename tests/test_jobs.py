"""Jobs: however a run ends, the next one goes on from the last depth that was kept, and makes the same files."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

import puzzlekit
from puzzlekit import CorruptError, DiskError, JobError, Puzzle, PuzzlekitError, jobs
from puzzlekit.describe.rules import Rules
from puzzlekit.jobs import Job
from puzzlekit.puzzle.declaration import made
from tests import boards
from tests.nursery import Command
from tests.support import RunOptions
from tests.test_oracle import depths

WITH_INDEX = ["slide:2x3", "turn:2x3", "colours:2x4", "colours:slide", "lights:3x3", "lights:2x3x3", "burnt:4"]
KEPT = [*WITH_INDEX, "pegs", "chase", "nim", "hanoi:4", "dials"]


@dataclass(frozen=True)
class Board(Puzzle):
    """One of the small boards."""

    id = "board"
    name: str = "nim"

    def rules(self) -> Rules:
        return boards.ALL[self.name.replace("x", ",")]


def parse(text: str) -> Puzzle:
    return made(Board, text.partition(":")[2])


def files(folder: Path) -> dict[str, bytes]:
    """The content of each file of a folder, including files in its subfolders."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("store", ["sparse", "dense"])
@pytest.mark.parametrize("name", boards.quickly(KEPT))
def test_a_job_that_was_stopped_anywhere_comes_out_the_same(name, store, tmp_path):
    puzzle = Board(name)
    if store == "dense" and name not in WITH_INDEX:
        with pytest.raises(PuzzlekitError, match="no perfect index"):
            puzzle.enumerate(store=store, out=tmp_path / "refused")
        assert not (tmp_path / "refused").exists()
        return
    whole = puzzle.enumerate(store=store, out=tmp_path / "whole", threads=1)
    assert depths(whole) == depths(puzzle.enumerate(store=store))
    expected = files(tmp_path / "whole")
    last = whole.max_depth
    for stop in range(last + 1):
        folder = tmp_path / str(stop)
        first = puzzle.enumerate(store=store, out=folder, max_depth=stop, threads=2)
        assert depths(first) == depths(whole)[: stop + 1]
        resumed = puzzlekit.open_job(folder, parse).resume(max_depth=10**6, threads=2)
        assert (resumed.complete, depths(resumed), resumed.store) == (True, depths(whole), store)
        assert resumed.generated == whole.generated
        assert files(folder) == expected
        again = puzzlekit.open_job(folder, parse).resume()
        assert (depths(again), files(folder)) == (depths(whole), expected)


def test_a_placement_is_resumed_from_every_depth(tmp_path):
    puzzle = puzzlekit.load("tictactoe:3,4,3")
    for symmetry in (True, False):
        base = tmp_path / str(symmetry)
        whole = puzzle.enumerate(out=base / "whole", symmetry=symmetry)
        assert whole.store == "dense"
        for stop in range(whole.max_depth):
            puzzle.enumerate(out=base / str(stop), max_depth=stop, symmetry=symmetry, threads=1)
            assert depths(puzzlekit.resume(base / str(stop), max_depth=99)) == depths(whole)
            assert files(base / str(stop)) == files(base / "whole")


KILLS_ITSELF = """
import os, signal, sys
from puzzlekit.cli import main
from puzzlekit.cli.progress import ProgressLine

looks = int(sys.argv.pop(1))

def show(self, progress):
    global looks
    if looks == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    looks -= 1

ProgressLine.show = show
main()
"""
"""A command that is killed after its run has told its progress a given number of times, on any machine."""


def start(*arguments: str, looks: int | None = None) -> subprocess.Popen[str]:
    """Starts a command. With `looks`, it is killed after its run has told its progress that often."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    if looks is None:
        return Command(*arguments, **streams)
    return subprocess.Popen([sys.executable, "-c", KILLS_ITSELF, str(looks), *arguments], **streams)


def await_manifest(process: subprocess.Popen[str], job: Path) -> None:
    """Waits until a job has begun, or its process has ended."""
    while not (job / "manifest.json").exists() and process.poll() is None:
        time.sleep(0.001)


def kill_and_resume(
    puzzle: list[str], kills: int, folder: Path, seed: int, limits: tuple[str, ...] = (), *, verb: str = "enumerate"
) -> int:
    """Kills a job at random moments, and resumes it each time. Returns how often it was not complete yet.

    Every second new job is killed when its run has told its progress a number of times. That is before its end on a
    busy machine, too, where a moment in time may be missed. The other new jobs are killed at a moment after they have
    their manifest. A resumed job may be killed while Python starts, in which case it is given more time at the next
    attempt.
    """
    rng, hit, begun_jobs = random.Random(seed), 0, 0
    whole = folder / "whole"
    begun = time.perf_counter()
    with start(verb, *puzzle, "--out", str(whole)) as process:
        await_manifest(process, whole)
        running = time.perf_counter()
        process.communicate()
    assert process.returncode in (0, 3)
    seconds, running = time.perf_counter() - begun, time.perf_counter() - running
    expected = files(whole)
    killed = 0
    while killed < kills or (hit == 0 and killed < 40 * kills):
        job = folder / "job"
        shutil.rmtree(job, ignore_errors=True)
        while True:
            resume = (job / "manifest.json").exists()
            words = ("resume", str(job)) if resume else (verb, *puzzle, "--out", str(job))
            itself = not resume and begun_jobs % 2 == 0
            process = start(*words, *limits, looks=rng.randrange(1 + begun_jobs) if itself else None)
            begun_jobs += not resume
            if not resume and not itself:
                await_manifest(process, job)
            allowed = None if itself else rng.uniform(0.05, seconds) if resume else rng.uniform(0, running)
            try:
                _, err = process.communicate(timeout=allowed)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
            if process.returncode == -signal.SIGKILL:
                killed += 1
                seconds *= 1.1 if resume else 1.0  # a machine that is busy now may need longer than it did before
                hit += (job / "manifest.json").exists() and files(job) != expected
                continue
            assert process.returncode in (0, 3), err
            break
        assert files(job) == expected
    return hit


@pytest.mark.slow  # the quick run kills a job on disk
def test_a_job_that_is_killed_comes_out_the_same(tmp_path):
    assert kill_and_resume(["rotate:3,3", "--store", "sparse"], 2, tmp_path, 1) > 0


def test_a_job_on_disk_that_is_killed_comes_out_the_same(tmp_path):
    run = ["slider:3,4", "--store", "sparse", "--max-depth", "20"]
    assert kill_and_resume(run, 3, tmp_path, 3, ("--memory", "60MiB", "--checkpoint", "0.05")) > 0


@pytest.mark.slow
def test_fifty_kills_on_disk(tmp_path):
    run = ["slider:3,4", "--store", "sparse", "--max-depth", "26"]
    assert kill_and_resume(run, 50, tmp_path, 4, ("--memory", "60MiB", "--checkpoint", "0.05")) > 5


@pytest.mark.slow
@pytest.mark.parametrize(
    "puzzle",
    [
        ["slider", "--store", "sparse"],
        ["slider:3,4", "--store", "sparse", "--max-depth", "22"],
        ["rotate:3,4", "--max-depth", "7"],
        ["tictactoe:5,4,3"],
    ],
)
def test_fifty_kills(puzzle, tmp_path):
    assert kill_and_resume(puzzle, 50, tmp_path, 2) > 5


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals to send to one process")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals_leave_a_job_to_resume(number, code, tmp_path, command):
    process = start("enumerate", "slider:3,4", "--store", "sparse", "--out", str(tmp_path / "job"), "--json")
    while not (tmp_path / "job" / "manifest.json").exists():
        time.sleep(0.02)
    locked = command("resume", str(tmp_path / "job"))
    assert (locked.code, locked.out) == (2, "")
    assert f"another process works on {tmp_path / 'job'}; wait until it is done, or stop it" in locked.err
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert f"go on with: puzzlekit resume {tmp_path / 'job'}" in err
    report = json.loads(out)
    status = json.loads(command("status", str(tmp_path / "job"), "--json").out)
    assert (status["max_depth"], status["complete"]) == (report["max_depth"], False)
    assert status["states"] == report["states"]
    more = command("resume", str(tmp_path / "job"), "--max-depth", str(report["max_depth"] + 1), "--json")
    assert more.code == 3
    assert json.loads(more.out)["depths"][: len(report["depths"])] == report["depths"]


@pytest.fixture
def job(tmp_path):
    folder = tmp_path / "job"
    Board("turn:2x3").enumerate(out=folder, store="sparse", max_depth=5)
    return folder


def test_a_folder_that_holds_something_is_refused(job, tmp_path, command):
    refused = command("enumerate", "flipit", "--out", str(job))
    assert (refused.code, refused.out) == (2, "")
    assert f"{job} holds a job already; resume it, or give another folder" in refused.err
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("keep me")
    with pytest.raises(JobError, match=r"holds letter.txt; give an empty folder"):
        Board().enumerate(out=tmp_path / "full")
    (tmp_path / "file").write_text("")
    with pytest.raises(JobError, match="cannot be made: "):
        Board().enumerate(out=tmp_path / "file" / "job")
    for verb in ("resume", "status"):
        none = command(verb, str(tmp_path / "none"))
        assert (none.code, none.out) == (2, "")
        assert f"{tmp_path / 'none'} is no job" in none.err


def test_other_rules_are_refused(job):
    def other(_: str) -> Puzzle:
        return Board("turn:2x2")

    with pytest.raises(
        JobError, match="the job has the puzzle board:name=turn:2x3, and here it is board:name=turn:2x2"
    ):
        puzzlekit.open_job(job, other).resume()

    @dataclass(frozen=True)
    class Later(Board):
        """The board in a later version, with other moves."""

        def rules(self) -> Rules:
            return boards.turn(3, 2)

    Later.distribution = "boards 2.0"
    with pytest.raises(JobError, match=r"the job has the plugin none, and here it is boards 2\.0"):
        puzzlekit.open_job(job, lambda text: made(Later, text.partition(":")[2])).resume()
    Later.distribution = ""
    with pytest.raises(JobError, match=r"the digest of its rules is \w+, and here it is \w+; name the puzzle"):
        puzzlekit.open_job(job, lambda text: made(Later, text.partition(":")[2])).resume()


def resealed(folder: Path, change) -> None:
    """Changes a manifest, and makes its checksum right."""
    import hashlib

    data = json.loads((folder / "manifest.json").read_text())
    del data["checksum"]
    change(data)
    body = json.dumps(data, indent=2).removesuffix("\n}")
    sum_ = hashlib.blake2b(body.encode(), digest_size=32).hexdigest()
    (folder / "manifest.json").write_text(f'{body},\n  "checksum": "{sum_}"\n}}\n')


def test_another_form_is_refused(job):
    for form in ("puzzlekit.job/6", "puzzlekit.job/99"):
        resealed(job, lambda data, form=form: data.update(schema=form))
        with pytest.raises(JobError, match=f'the form "{form}", and this version of puzzlekit reads puzzlekit.job/11'):
            jobs.status(job)


@pytest.mark.parametrize("name", WITH_INDEX)
def test_a_cut_that_the_rules_do_not_have_is_found_out(name, tmp_path):
    Board(name).enumerate(out=tmp_path / "job", store="dense", max_depth=2)
    whole = files(tmp_path / "job")
    cut = jobs.status(tmp_path / "job")["subject"]["cut"]
    assert cut["shape"] in {"planes", "multiset", "dial", "pieces"}
    wrong = [{**cut, "shape": "hexagon"}, {"shape": "placement"}, {**cut, "more": 1}]
    if "order" in cut:
        wrong += [{**cut, "order": order} for order in ([], [0] * len(cut["order"]), [*cut["order"], 0], [10**9])]
    if "basis" in cut:
        wrong += [{**cut, "basis": basis} for basis in ([], [[0], [0]], [[10**9]], cut["basis"][1:])]
    for other in wrong:
        for path, content in whole.items():
            (tmp_path / "job" / path).write_bytes(content)
        resealed(tmp_path / "job", lambda data, other=other: data["subject"].update(cut=other))
        for run in (Job.resume, Job.verify, lambda job: list(job.states())):
            with pytest.raises(CorruptError, match="the job is damaged"):
                run(puzzlekit.open_job(tmp_path / "job", parse))


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data["depths"][2].update(open=10**6),
        lambda data: data["depths"].pop(1),
        lambda data: data["depths"][3]["files"][0].update(name="../../etc/passwd"),
        lambda data: data["depths"][3]["files"][0].update(bytes=10**15),
        lambda data: data["depths"][5].update(files=[]),
        lambda data: data["depths"][4].update(ended=[]),
        lambda data: data["depths"][5]["files"].__setitem__(0, data["depths"][4]["files"][0]),
        lambda data: data.update(depths=17),
        lambda data: data.update(depths=[], complete=True),
        lambda data: data["depths"][3].update(states=2**62, open=2**62, raw_states=2**63),
        lambda data: data["subject"].update(store="tape"),
    ],
)
def test_a_manifest_that_lies_is_found_out(change, job):
    resealed(job, change)
    with pytest.raises(CorruptError, match="the job is damaged"):
        puzzlekit.open_job(job, parse).resume()


def test_every_byte_of_a_manifest_counts(job):
    good = (job / "manifest.json").read_bytes()
    for at in range(0, len(good), 3):  # over the bytes, every bit is flipped
        bad = bytearray(good)
        bad[at] ^= 1 << at % 8
        (job / "manifest.json").write_bytes(bad)
        with pytest.raises((CorruptError, JobError)):
            jobs.status(job)
    for length in range(0, len(good), 7):
        (job / "manifest.json").write_bytes(good[:length])
        with pytest.raises((CorruptError, JobError)):
            jobs.status(job)


@pytest.mark.parametrize(
    ("name", "store"), [("turn:2x3", "sparse"), ("chase", "sparse"), *((name, "dense") for name in WITH_INDEX)]
)
def test_damaged_files_are_found_out(name, store, tmp_path):
    job = tmp_path / "job"
    Board(name).enumerate(out=job, store=store, max_depth=5)
    good = files(job)
    rng = random.Random(3)
    for path in sorted(job.glob("depth-*")):
        content = good[path.name]
        damaged = [content[: len(content) // 2], content + b"\0", b""]
        for _ in range(8):
            flipped = bytearray(content)
            flipped[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
            damaged.append(bytes(flipped))
        for bad in damaged:
            path.write_bytes(bad)
            with pytest.raises(CorruptError, match="the job is damaged"):
                puzzlekit.open_job(job, parse).resume(max_depth=6)
        path.unlink()
        with pytest.raises(CorruptError, match="the job is damaged"):
            puzzlekit.open_job(job, parse).resume(max_depth=6)
        path.write_bytes(content)
    first, second = sorted(job.glob("depth-*"))[-2:]
    first.write_bytes(good[second.name])
    second.write_bytes(good[first.name])
    with pytest.raises(CorruptError, match="the job is damaged"):
        puzzlekit.open_job(job, parse).resume(max_depth=6)


def test_the_command_says_that_a_job_is_damaged(tmp_path, command):
    puzzlekit.load("rotation").enumerate(out=tmp_path / "job", max_depth=4)
    (tmp_path / "job" / "depth-00003.states").write_bytes(b"nonsense")
    result = command("resume", str(tmp_path / "job"))
    assert (result.code, result.out) == (4, "")
    assert result.err.endswith("the job is damaged\n")
    assert result.err.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of file sizes for a process")
def test_a_file_that_may_not_grow_leaves_the_job_whole(tmp_path):
    job = tmp_path / "job"
    limit = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000)); "
    arguments = ["enumerate", "slider", "--store", "sparse", "--out", str(job)]
    call = f"from puzzlekit.cli.app import run; sys.exit(run({arguments!r}))"
    done = subprocess.run([sys.executable, "-c", limit + call], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert "cannot write" in done.stderr
    assert "what the job had is kept: make room, or mend the disk, and resume it" in done.stderr
    assert depths(puzzlekit.resume(job)) == depths(puzzlekit.load("slider").enumerate())


@pytest.mark.parametrize("name", [*KEPT, "mnk"])
def test_verify_finds_nothing_wrong_with_what_was_written(name, tmp_path):
    for symmetry in (True, False):
        puzzle = puzzlekit.load("tictactoe") if name == "mnk" else Board(name)
        job = tmp_path / str(symmetry)
        report = puzzle.enumerate(out=job, symmetry=symmetry, max_depth=12)
        data = puzzlekit.open_job(job, puzzlekit.load if name == "mnk" else parse).verify()
        assert sum(depth["states"] for depth in data["depths"]) == report.states


def moved(folder: Path, name: str, to: str) -> None:
    """Puts the content of one file into another, and changes the manifest as if that were right."""

    def change(data):
        entries = {file["name"]: file for depth in data["depths"] for file in depth["files"]}
        entries[to].update({key: entries[name][key] for key in ("bytes", "checksum")})

    shutil.copy(folder / name, folder / to)
    resealed(folder, change)


def test_verify_finds_states_that_are_out_of_place(tmp_path):
    # Two depths have the same number of states, so only a check of the states notices that they are exchanged.
    report = Board("slide:2x3").enumerate(out=tmp_path / "job", store="sparse")
    counts = [depth.open for depth in report.depths]
    first = next(at for at in range(3, len(counts)) if counts.count(counts[at]) > 1 and counts[at] in counts[at + 1 :])
    second = counts.index(counts[first], first + 1)
    moved(tmp_path / "job", f"depth-{first:05}.open", f"depth-{second:05}.open")
    with pytest.raises(CorruptError, match=f"the files of depth {second} do not hold what it counts"):
        puzzlekit.open_job(tmp_path / "job", parse).verify()


def bytes_read() -> int:
    return int(Path("/proc/self/io").read_text().split()[1])


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="only Linux counts what a process reads")
def test_verify_reads_a_job_several_times_with_little_memory_and_finds_the_same(tmp_path, monkeypatch):
    job = tmp_path / "job"
    puzzlekit.load("slider:3,4").enumerate(store="sparse", max_depth=22, out=job)
    size, passes = sum(map(len, files(job).values())), {}
    for room in (2**30, 8 * 2**20):
        # The room is set directly: the room that a limit leaves depends on how much this process happens to hold.
        monkeypatch.setattr("puzzlekit.run.engine.jobs.room", lambda *_, room=room: room)
        before = bytes_read()
        assert len(puzzlekit.open_job(job).verify()["depths"]) == 23
        passes[room] = round((bytes_read() - before) / size)
    assert passes[2**30] == 1
    assert passes[8 * 2**20] > 3

    def repeated(data):
        counts = ("states", "raw_states", "open", "ended")
        data["depths"][14].update({key: data["depths"][10][key] for key in counts})

    # Depth 14 now has the counts and the states of depth 10. Each state by itself is a right one.
    moved(job, "depth-00010.open", "depth-00014.open")
    resealed(job, repeated)
    for room in passes:
        monkeypatch.setattr("puzzlekit.run.engine.jobs.room", lambda *_, room=room: room)
        with pytest.raises(CorruptError, match="the files of depth 14 do not hold what it counts"):
            puzzlekit.open_job(job).verify()


def test_the_command_verifies(tmp_path, command):
    puzzlekit.load("flipit").enumerate(store="sparse", out=tmp_path / "flipit")
    result = command("verify", str(tmp_path / "flipit"))
    assert (result.code, result.out) == (0, "flipit: 8,548 states to depth 16, all as they should be\n")
    data = json.loads(command("verify", str(tmp_path / "flipit"), "--json").out)
    assert (data["schema"], data["verified"], data["states"]) == ("puzzlekit.verify/1", True, 8548)
    (tmp_path / "flipit" / "depth-00004.open").unlink()
    damaged = command("verify", str(tmp_path / "flipit"))
    assert (damaged.code, damaged.out) == (4, "")
    assert "depth-00004.open is not there; the job is damaged" in damaged.err


def test_a_complete_job_stays_complete(tmp_path):
    for name, store in (("turn:2x3", "dense"), ("turn:2x3", "sparse"), ("nim", "sparse")):
        whole = Board(name).enumerate(out=tmp_path / store / name, store=store)
        expected = files(tmp_path / store / name)
        again = puzzlekit.open_job(tmp_path / store / name, parse).resume(max_depth=1)
        assert (again.complete, again.depths, again.store) == (True, whole.depths, store)
        assert files(tmp_path / store / name) == expected


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
def test_links_and_pipes_are_not_followed(job, tmp_path, command):
    precious = tmp_path / "precious"
    precious.write_text("keep me")
    (job / "manifest.json.new").symlink_to(precious)
    resumed = puzzlekit.open_job(job, parse).resume(max_depth=6)
    assert (resumed.max_depth, precious.read_text()) == (6, "keep me")
    assert not (job / "manifest.json").is_symlink()
    (job / "lock").unlink()
    (job / "lock").symlink_to(precious)
    with pytest.raises(JobError, match="lock is no plain file"):
        puzzlekit.open_job(job, parse).resume()
    assert precious.read_text() == "keep me"
    import os

    (job / "manifest.json").unlink()
    os.mkfifo(job / "manifest.json")
    result = command("status", str(job))
    assert (result.code, result.out) == (4, "")
    (job / "manifest.json").unlink()
    (job / "manifest.json").symlink_to("/dev/zero")
    assert command("status", str(job)).code == 4
    assert command("enumerate", "rotate:2,2", "--out", "").code == 2


def test_other_peoples_files_stay(tmp_path, command):
    camera = tmp_path / "camera"
    camera.mkdir()
    for name in ("depth-00001.png", "depth-2.open", "depth-00003.run-1.png"):
        (camera / name).write_text("keep me")
    refused = command("enumerate", "rotation", "--out", str(camera))
    assert (refused.code, refused.out) == (2, "")
    assert "give an empty folder" in refused.err
    job = tmp_path / "job"
    Board("turn:2x3").enumerate(out=job, max_depth=3)
    for path in camera.iterdir():
        shutil.copy(path, job)
    (job / "depth-00002.states.new").write_text("what a run left that was killed")
    puzzlekit.open_job(job, parse).verify()
    assert (job / "depth-00002.states.new").exists()
    puzzlekit.open_job(job, parse).resume(max_depth=5)
    assert not (job / "depth-00002.states.new").exists()
    assert all((job / path.name).read_text() == "keep me" for path in camera.iterdir())


def test_a_limit_of_a_resumed_run_is_its_own(tmp_path):
    job = tmp_path / "job"
    Board("turn:2x3").enumerate(out=job, max_depth=2)
    assert puzzlekit.open_job(job, parse).resume(max_depth=4).max_depth == 4
    assert jobs.status(job)["max_depth"] == 2
    resumed = puzzlekit.open_job(job, parse).resume()
    assert (resumed.max_depth, resumed.stopped) == (4, "max-depth")
    assert (resumed.kept_states, resumed.states_per_second) == (resumed.states, 0)
    assert puzzlekit.open_job(job, parse).resume(max_depth=99).complete


def test_a_job_without_a_depth_is_a_job(tmp_path, command):
    job = str(tmp_path / "job")
    refused = command("enumerate", "tictactoe", "--disk", "1", "--out", job)
    assert (refused.code, refused.out) == (3, "")
    assert "than --disk allows; what the job had is kept: give more, and resume it" in refused.err
    assert jobs.status(job)["depths"] == []
    status = command("status", job, "--json")
    assert (status.code, json.loads(status.out)["complete"]) == (0, False)
    assert command("verify", job).code == 0
    assert command("verify", job, "--hash").code == 0
    refused = command("export", job, "--to", str(tmp_path / "x.csv"))
    assert (refused.code, refused.out) == (2, "")
    assert "has no depth yet; resume the job first" in refused.err
    assert command("export", job, "--hardest", "3").code == 0
    assert command("enumerate", "tictactoe", "--out", job).code == 2
    whole = command("resume", job, "--json")
    assert (whole.code, json.loads(whole.out)["states"]) == (0, 765)


def test_the_data_of_a_job_without_its_manifest_stay(tmp_path, command):
    job = tmp_path / "job"
    Board("turn:2x3").enumerate(out=job)
    (job / "manifest.json").unlink()
    before = files(job)
    refused = command("enumerate", "tictactoe", "--out", str(job))
    assert (refused.code, refused.out) == (2, "")
    assert "give an empty folder" in refused.err
    assert files(job) == before
    # Makes the folder as a run leaves it that is killed before its first manifest.
    for path in job.iterdir():
        path.unlink()
    (job / "lock").touch()
    (job / "manifest.json.new").write_text("{")
    assert command("enumerate", "tictactoe", "--out", str(job)).code == 0


@pytest.mark.parametrize("name", ["dials", "turn:2x3"])
def test_a_lost_file_of_a_depth_that_is_not_done_costs_that_depth_alone(name, tmp_path):
    puzzle = Board(name)
    whole = puzzle.enumerate(out=tmp_path / "whole", store="sparse")
    job = tmp_path / "job"
    grain = {"partition_bits": 0, "block_states": 1, "wave_blocks": 1, "run_words": 5}
    # Each attempt has a little more room for files, until the disk is full in the middle of a depth.
    partial, room = None, 40
    while not partial:
        shutil.rmtree(job, ignore_errors=True)
        with pytest.raises(DiskError, match="more than --disk allows"):
            puzzle.enumerate(RunOptions(store="sparse", grain=grain, checkpoint=1e-9, threads=1, disk=room), out=job)
        partial, room = jobs.status(job)["partial"], room + 40
    lost = job / partial["files"][0]["name"]
    lost.unlink()
    for run in ("resume", "verify"):
        with pytest.raises(CorruptError, match="resume with --drop-partial, which begins this depth again"):
            getattr(puzzlekit.open_job(job, parse), run)()
    resumed = puzzlekit.open_job(job, parse).resume(max_depth=10**6, drop_partial=True)
    assert depths(resumed) == depths(whole)
    assert files(job) == files(tmp_path / "whole")


def test_a_pipe_named_lock_holds_nobody_up(job, command):
    import os

    (job / "lock").unlink()
    os.mkfifo(job / "lock")
    status = command("status", str(job), "--json")
    assert (status.code, json.loads(status.out)["running"]) == (0, None)
    assert command("resume", str(job)).code == 2


def part_of_depth_8(folder: Path, *, symmetry: bool = True) -> dict:
    """Makes a job whose disk is full within depth 8, and returns what it has kept of that depth."""
    grain = {"partition_bits": 1, "block_states": 2, "wave_blocks": 1, "run_words": 300}
    puzzle, options = puzzlekit.load("rotate"), {"store": "sparse", "symmetry": symmetry, "threads": 1, "grain": grain}
    puzzle.enumerate(RunOptions(max_depth=7, **options), out=folder)
    room = sum(map(len, files(folder).values())) + (30_000 if symmetry else 60_000)
    shutil.rmtree(folder)
    with pytest.raises(DiskError, match="more than --disk allows"):
        puzzle.enumerate(RunOptions(disk=room, **options), out=folder)
    status = jobs.status(folder)
    assert len(status["depths"]) == 8
    return status["partial"]


@pytest.mark.skipif(sys.platform != "linux", reason="how many files Python itself needs is known on Linux alone")
def test_too_many_open_files_harm_no_job(tmp_path):
    def limited(*arguments: str) -> subprocess.CompletedProcess[str]:
        limit = "import resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (12, 12)); "
        call = f"from puzzlekit.cli.app import run; sys.exit(run({list(arguments)!r}))"
        return subprocess.run([sys.executable, "-c", limit + call], capture_output=True, text=True, check=False)

    # The depth that is not done has more than twenty runs. All of them are merged at once.
    job = tmp_path / "job"
    assert len(part_of_depth_8(job)["files"]) > 20
    refused = limited("resume", str(job), "--max-depth", "8")
    assert (refused.returncode, refused.stdout) == (3, "")
    assert "Too many open files" in refused.stderr
    assert refused.stderr.endswith("; nothing is lost: mend that, and try again\n")
    assert limited("verify", str(job)).returncode == 0
    assert depths(puzzlekit.open_job(job).resume(max_depth=8)) == depths(
        puzzlekit.load("rotate").enumerate(max_depth=8)
    )


def test_status_tells_who_works_and_each_depth(tmp_path, command):
    job = tmp_path / "job"
    process = start("enumerate", "slider:3,4", "--store", "sparse", "--max-depth", "26", "--out", str(job))
    while not (job / "manifest.json").exists():
        time.sleep(0.01)
    watching = start("status", str(job), "--watch")
    data = json.loads(command("status", str(job), "--json").out)
    assert (data["running"], data["backward"], data["depth_limit"]) == (True, False, 26)
    process.communicate(timeout=120)
    out, err = watching.communicate(timeout=60)
    depths = [int(line.split("to depth ")[1].split(",")[0]) for line in out.splitlines()]
    assert depths == list(range(depths[0], 27))
    assert f"nobody works on {job}" in err
    assert json.loads(command("status", str(job), "--json").out)["running"] is False


def test_what_is_kept_of_a_part_of_a_depth_is_verified(tmp_path):
    parts = {}
    for symmetry in (True, False):
        folder = tmp_path / str(symmetry)
        kept = part_of_depth_8(folder, symmetry=symmetry)
        assert puzzlekit.open_job(folder).verify()["partial"] == kept
        parts[symmetry] = kept["files"][0]
    # The part of a job without symmetry has states with smaller images, which a job up to symmetry must not have.
    good, bad = parts[True], parts[False]
    (tmp_path / "True" / good["name"]).write_bytes((tmp_path / "False" / bad["name"]).read_bytes())
    size = {key: bad[key] for key in ("bytes", "checksum")}
    resealed(tmp_path / "True", lambda data: data["partial"]["files"][0].update(size))
    with pytest.raises(CorruptError, match="do not hold what it counts"):
        puzzlekit.open_job(tmp_path / "True").verify()
    # The name says that the file has stuck states, but a part of a depth has no such file.
    renamed = bad["name"].replace("open", "stuck")
    (tmp_path / "False" / bad["name"]).rename(tmp_path / "False" / renamed)
    resealed(tmp_path / "False", lambda data: data["partial"]["files"][0].update(name=renamed))
    with pytest.raises(CorruptError, match="names a file that is none of its own"):
        puzzlekit.open_job(tmp_path / "False").verify()


def test_no_file_is_named_twice(tmp_path):
    folder = tmp_path / "job"
    puzzlekit.load("slider:2,3").enumerate(out=folder)
    resealed(folder, lambda data: data["depths"][4]["files"].append(data["depths"][4]["files"][0]))
    with pytest.raises(CorruptError, match="the manifest names a file twice; the job is damaged"):
        puzzlekit.open_job(folder)


def test_what_cannot_be_done_with_a_job_names_what_can(command, tmp_path):
    folder = str(tmp_path / "job")
    assert command("enumerate", "slider:2,3", "--max-depth", "3", "--out", folder).code == 3
    for verb in (
        ["solve", "slider:2,3", "142/305", "--job", folder],
        ["play", "slider:2,3", "142/305", "--job", folder],
    ):
        refused = command(*verb)
        assert (refused.code, refused.out) == (2, "")
        assert "is not complete: it has 4 depths; puzzlekit values slider:rows=2,columns=3 --out" in refused.err
    assert command("values", "slider:2,3", "--out", folder).code == 0
    assert command("solve", "slider:2,3", "142/305", "--job", folder).code == 0
    refused = command("export", folder, "--to", str(tmp_path / "states.graphml"))
    assert (refused.code, "graphml is a form of the moves between states; export edges (--edges)" in refused.err) == (
        2,
        True,
    )
