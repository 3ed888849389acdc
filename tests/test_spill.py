"""Runs that need more than the memory: they go on on disk within their limits, with the same counts and files."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings

import puzzlekit
from puzzlekit import DiskError, UsageError, jobs
from puzzlekit.puzzle.source import job_folder
from puzzlekit.run.engine import Engine
from puzzlekit.run.job_parts import JobFolder
from tests import boards
from tests.naive import Naive
from tests.profiles import cases
from tests.support import RunOptions, grain_of
from tests.test_jobs import files
from tests.test_oracle import depths, expected, random_rules

GRAINS = [(0, 4096, 256, 10**6), (1, 3, 2, 20), (0, 1, 1, 1)]
"""Sizes of parts: with the first, all words are in one run; with the second, in several runs; with the third, in a run
each."""


def hold_against_naive(rules, grains=GRAINS):
    """Checks that runs on disk have the counts of the obvious search, and keep the same files as runs in memory."""
    layers = Naive(rules.to_data()).layers()
    engine = Engine(rules)
    with tempfile.TemporaryDirectory() as base:
        for symmetry in (True, False):
            folders = [Path(base) / f"{symmetry}-{at}" for at in range(len(grains) + 1)]
            for threads, (folder, grain) in enumerate(zip(folders, [None, *grains], strict=True)):
                keep = JobFolder(str(folder), "rules")
                report = engine.enumerate(
                    "rules",
                    RunOptions(symmetry=symmetry, threads=1 + threads % 2, grain=grain_of(grain), store="sparse"),
                    None,
                    keep,
                )
                assert depths(report) == expected(layers, symmetry=symmetry), grain
                assert report.complete
                assert files(folder) == files(folders[0]), grain


@pytest.mark.parametrize("name", boards.quickly(boards.ALL))
def test_puzzles_of_every_shape_on_disk(name):
    hold_against_naive(boards.ALL[name], GRAINS[:2])


@settings(max_examples=cases(15))
@given(random_rules())
def test_random_rules_on_disk(rules):
    hold_against_naive(rules)


@pytest.mark.parametrize(("puzzle", "depth"), [("rotate", 5), ("tictactoe", 9), ("flipit", 16), ("rotation", 11)])
def test_the_five_puzzles_on_disk(puzzle, depth, tmp_path):
    loaded = puzzlekit.load(puzzle)
    whole = loaded.enumerate(store="sparse", out=tmp_path / "whole", max_depth=depth)
    keep = job_folder(loaded, tmp_path / "spilled")
    cut = loaded.engine.enumerate(
        puzzle, RunOptions(max_depth=depth, threads=2, grain=grain_of((0, 1000, 4, 5000)), store="sparse"), None, keep
    )
    assert cut.depths == whole.depths
    assert files(tmp_path / "spilled") == files(tmp_path / "whole")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells the peak of a process")
@pytest.mark.parametrize("mebibytes", [60, *(pytest.param(more, marks=pytest.mark.slow) for more in (100, 250))])
def test_memory_bounds_the_peak_of_a_process_in_memory_and_on_disk(mebibytes, tmp_path, process):
    run = ("enumerate", "slider:3,4", "--store", "sparse", "--memory", f"{mebibytes}MiB", "--json")
    result = process(*run)
    data = json.loads(result.out)
    assert (result.code, data["complete"]) == (3, False)
    assert f"incomplete: stopped after depth {data['max_depth']}; the next one needs more than --memory" in result.err
    assert 2**20 < data["peak_memory_bytes"] < mebibytes * 2**20 * 1.1
    # A run that does not fit goes on on disk, three depths further.
    depth, job = data["max_depth"] + 3, tmp_path / "job"
    more = json.loads(process(*run, "--out", str(job), "--max-depth", str(depth)).out)
    assert more["depths"][: depth - 2] == data["depths"]
    assert 2**20 < more["peak_memory_bytes"] < mebibytes * 2**20 * 1.1
    roomy = process("enumerate", "slider:3,4", "--store", "sparse", "--max-depth", str(depth), "--json")
    assert more["depths"] == json.loads(roomy.out)["depths"]
    assert puzzlekit.open_job(job).verify()["depths"]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells the peak of a process")
def test_resuming_keeps_to_the_memory(tmp_path, process):
    job = str(tmp_path / "job")
    process("enumerate", "slider:3,4", "--store", "sparse", "--max-depth", "22", "--out", job)
    result = process("resume", job, "--memory", "60MiB", "--max-depth", "24", "--json")
    assert result.code == 3
    data = json.loads(result.out)
    assert data["max_depth"] == 24
    assert 2**20 < data["peak_memory_bytes"] < 60 * 2**20 * 1.1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of address space for a process")
def test_an_address_space_is_kept_to(tmp_path):
    def run(mebibytes: int, threads: int) -> subprocess.CompletedProcess[str]:
        limit = (
            f"import resource, sys; resource.setrlimit(resource.RLIMIT_AS, ({mebibytes} << 20, {mebibytes} << 20)); "
        )
        arguments = ["enumerate", "slider:3,4", "--store", "sparse", "--max-depth", "20", "--threads", str(threads)]
        call = f"from puzzlekit.cli.app import run; sys.exit(run({[*arguments, '--out', str(tmp_path / 'job')]!r}))"
        return subprocess.run([sys.executable, "-c", limit + call], capture_output=True, text=True, check=False)

    refused = run(400, 64)
    assert (refused.returncode, refused.stdout) == (3, "")
    assert "(ulimit -v) does not do for 64 threads; give fewer, or more of it" in refused.stderr
    done = run(400, 2)
    assert done.returncode == 3
    assert "incomplete: stopped after depth 20, as --max-depth says" in done.stderr
    roomy = puzzlekit.load("slider:3,4").enumerate(store="sparse", max_depth=20)
    assert jobs.status(tmp_path / "job")["depths"][-1]["states"] == roomy.depths[-1].states


def test_the_disk_has_a_bound(tmp_path, command):
    refused = command("enumerate", "slider", "--disk", "1MiB")
    assert refused.code == 2
    assert "disk is 1MiB, and nothing is kept on a disk; give a folder" in refused.err
    job = tmp_path / "job"
    run = ("--store", "sparse", "--disk", "300KiB")
    full = command("enumerate", "slider", *run, "--out", str(job))
    assert (full.code, full.out) == (3, "")
    assert (
        "the files would take more than --disk allows; what the job had is kept: give more, and resume it" in full.err
    )
    assert sum(path.stat().st_size for path in job.glob("depth-*")) <= 300 * 1024
    assert command("resume", str(job), "--disk", "none").code == 2
    assert depths(puzzlekit.open_job(job).resume(disk="1GiB")) == depths(puzzlekit.load("slider").enumerate())


def test_a_checkpoint_has_a_time(tmp_path, command):
    for seconds in ("0", "-1", "nan", "inf", "1e19"):
        refused = command("enumerate", "slider", "--out", str(tmp_path / "job"), "--checkpoint", seconds)
        assert refused.code == 2
        assert "give a number of seconds above 0, up to 1000000000" in refused.err
    with pytest.raises(UsageError, match="checkpoint is True; give a number of seconds above 0"):
        puzzlekit.load("slider").enumerate(checkpoint=True)
    often = puzzlekit.load("slider").enumerate(store="sparse", out=tmp_path / "often", checkpoint=1e-6)
    whole = puzzlekit.load("slider").enumerate(store="sparse", out=tmp_path / "whole")
    assert often.depths == whole.depths
    assert files(tmp_path / "often") == files(tmp_path / "whole")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a file system in memory of any size")
def test_a_small_disk_that_is_full_leaves_the_job_whole(tmp_path):
    mount, job = tmp_path / "small", tmp_path / "small" / "job"
    mount.mkdir()
    run = f"{sys.executable} -m puzzlekit enumerate slider --store sparse --out {job}"
    tell = f"mount -t tmpfs -o size=600k none {mount} && {run}; "
    tell += f"echo code $?; cp -r {job} {tmp_path / 'kept'}; umount {mount}"
    # If user namespaces are allowed, a test may mount a file system without special rights.
    space = ["unshare", "--map-root-user", "--mount"]
    if not shutil.which("unshare") or subprocess.run([*space, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this system allows no mounts to its users")
    done = subprocess.run([*space, "sh", "-c", tell], capture_output=True, text=True, check=False)
    assert "code 3" in done.stdout, done.stderr
    assert "No space left on device" in done.stderr
    assert "what the job had is kept: make room, or mend the disk, and resume it" in done.stderr
    assert depths(puzzlekit.open_job(tmp_path / "kept").resume()) == depths(puzzlekit.load("slider").enumerate())


def test_a_full_disk_is_an_error_of_its_own(tmp_path):
    with pytest.raises(DiskError, match="cannot write "):
        puzzlekit.load("slider").enumerate(store="sparse", out=tmp_path / "job", disk=1000)


def test_a_dry_run_tells_what_a_run_takes(process):
    data = json.loads(process("enumerate", "slider:4,3", "--dry-run", "--json").out)
    assert (data["schema"], data["store"], data["reachable"]) == ("puzzlekit.plan/1", "dense", 239_500_800)
    assert 50 * 2**20 < data["memory_bytes"] < 90 * 2**20  # two bits for each of the states, and tables
    sparse = json.loads(process("enumerate", "flipit", "--store", "sparse", "--dry-run", "--json").out)
    assert (sparse["store"], sparse["memory_bytes"]) == ("sparse", None)
    refused = process("enumerate", "slider:4,3", "--store", "dense", "--memory", "50MiB")
    assert (refused.code, refused.out) == (3, "")
    assert "a perfect index would take 58.4 MiB, and the limit leaves" in refused.err
    none = process("enumerate", "slider:4,3", "--memory", "1MiB")
    assert none.code == 3
    assert "give more" in none.err


def test_a_dry_run_tells_what_arrays_on_disk_take():
    boards_of_14 = puzzlekit.load("slider:2,7")
    kept = boards_of_14.plan(kept=True, memory="2GiB")
    assert (kept.store, kept.store_reason) == ("dense", "a perfect index takes 10.3 GiB of disk")
    # Two bits for each of 14!/2 boards, and some that belong to no board.
    assert 43_589_145_600 / 4 < kept.disk_bytes < 43_589_145_600 / 4 * 1.02
    assert kept.memory_bytes < 16 * 2**20
    assert (boards_of_14.plan(memory="2GiB").store, boards_of_14.plan(kept=True, memory="2GiB", disk="9GiB").store) == (
        "sparse",
        "sparse",
    )


@pytest.mark.slow
def test_boards_beyond_the_memory_are_counted_on_disk(process, tmp_path):
    """As many boards as `slider:3,4` has; their arrays take 58 MiB, and the process may have 60 MiB in all."""
    command = [sys.executable, "-m", "puzzlekit", "enumerate", "slider:2,6", "--memory", "60MiB", "--out"]
    killed = subprocess.Popen([*command, str(tmp_path / "job")], stderr=subprocess.DEVNULL)
    while not (tmp_path / "job" / "manifest.json").exists() or len(jobs.status(tmp_path / "job")["depths"]) < 40:
        assert killed.poll() is None
    killed.kill()
    killed.wait()
    resumed = json.loads(process("resume", str(tmp_path / "job"), "--memory", "60MiB", "--json").out)
    assert (resumed["states"], resumed["max_depth"], resumed["complete"]) == (239_500_800, 80, True)
    assert resumed["peak_memory_bytes"] < 60 * 2**20
    whole = puzzlekit.load("slider:2,6").enumerate()
    assert [depth["states"] for depth in resumed["depths"]] == [depth.states for depth in whole.depths]
