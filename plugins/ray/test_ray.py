"""Jobs in shards on Ray: the same counts and files as with processes; lost actors are started again. Needs Ray."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from puzzlekit import JobError, executor, load, open_job

if find_spec("ray") is None:
    pytest.skip("there is no Ray for this Python", allow_module_level=True)
pytestmark = [
    pytest.mark.timeout(600),
    # Ray's own code, which pytest would otherwise take for faults of these tests.
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

from puzzlekit_ray import executor as ray_executor  # noqa: E402 - only where there is Ray
from puzzlekit_ray.cluster import RayExecutor, ray, share  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def started():
    """The first test starts a Ray of this machine, which takes seconds, and the others use it, too."""
    # By Ray alone: what is wrong with the plugin is for the tests to find.
    words = "import ray; ray.init(address='local', include_dashboard=False, _node_ip_address='127.0.0.1')"
    try:
        subprocess.run([sys.executable, "-c", words], capture_output=True, timeout=120, check=True)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
        pytest.skip(f"this machine starts no Ray: {str(error.stderr or error)[-300:]}")
    yield
    ray.shutdown()


def test_all_actors_fit_the_cores():
    given = (([8, 8], 2), ([8, 4], 3), ([2], 3), ([0, 4], 1))
    assert [share(nodes, shards) for nodes, shards in given] == [8, 2, 0.66, 4]


def files(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def sums(folder):
    return [depth["sum"] for depth in json.loads((folder / "manifest.json").read_text())["depths"]]


@pytest.mark.parametrize(("text", "shards"), [("tictactoe:3,3,3", 1), ("rotate:2,3", 3)])
def test_the_files_are_those_of_processes(text, shards, tmp_path):
    puzzle = load(text)
    found = puzzle.enumerate(out=tmp_path / "ray", on=ray_executor("", shards), threads=1, memory="500MiB")
    same = puzzle.enumerate(out=tmp_path / "same", on=executor(f"processes:{shards}"), threads=1)
    assert found.complete
    assert found.depths == same.depths == puzzle.enumerate(store="sparse").depths
    assert files(tmp_path / "ray") == files(tmp_path / "same")
    open_job(tmp_path / "ray").verify()


class Seen(RayExecutor):
    """An executor that lets the test kill its actors."""

    def workers(self, setup):
        """The actors, which the test sees, too."""
        self.made = super().workers(setup)
        return self.made


def test_an_actor_that_is_killed_is_started_again(tmp_path):
    puzzle, on, killed = load("slider:3,4"), Seen("", 2), []

    def watch(progress):
        if progress.depth == 8 and not killed:
            killed.append(True)
            ray.kill(on.made._actors[1])

    given = {"threads": 1, "max_depth": 18, "memory": "500MiB"}
    found = puzzle.enumerate(out=tmp_path / "job", on=on, watch=watch, **given)
    assert killed
    whole = puzzle.enumerate(out=tmp_path / "whole", on=executor("processes:2"), **given)
    assert found.depths == whole.depths
    assert sums(tmp_path / "job") == sums(tmp_path / "whole")
    parts = [{name: data for name, data in files(tmp_path / at).items() if name.parts[1:]} for at in ("job", "whole")]
    assert parts[0] == parts[1]
    assert json.loads((tmp_path / "job" / "manifest.json").read_text())["epoch"] == 2


def test_a_job_that_was_stopped_goes_on_with_processes_and_back(tmp_path):
    puzzle = load("rotate:2,3")
    for depth, on in enumerate([ray_executor("", 2), executor("processes:2"), ray_executor("", 2)], 2):
        if depth == 2:
            puzzle.enumerate(out=tmp_path / "job", on=on, max_depth=depth)
        else:
            open_job(tmp_path / "job").resume(on=on, max_depth=depth)
    assert open_job(tmp_path / "job").status()["depths"][-1]["depth"] == 4
    with pytest.raises(JobError, match="holds a job of 2 shards, which cannot become 3; resume it with 2"):
        open_job(tmp_path / "job").resume(on=ray_executor("", 3), max_depth=9)


def test_the_command_line_names_it(tmp_path):
    on = executor("ray", 2)
    assert (on.name, on.shards) == ("ray", 2)
    found = load("tictactoe").enumerate(out=tmp_path / "job", on=on)
    assert (found.states, found.store_reason) == (765, "in 2 shards")


class Killer:
    """A watch that kills actors at random moments, one in every other depth: three that are missed would end a run."""

    def __init__(self, on, rng):
        self.on, self.rng, self.killed, self.depth, self.left = on, rng, 0, -1, 0

    def __call__(self, progress):
        """Kills one now and then."""
        if progress.depth != self.depth:
            self.depth, self.left = progress.depth, self.rng.randrange(2)
        if self.left and self.rng.random() < 0.3:
            self.left -= 1
            self.killed += 1
            ray.kill(self.rng.choice(list(self.on.made._actors.values())))


def without_epoch(folder):
    """The files of a job. The manifest of one that is not complete says how often it was driven."""
    found = files(folder)
    manifest = json.loads(found.pop(Path("manifest.json")))
    return found, {key: value for key, value in manifest.items() if key not in ("epoch", "checksum")}


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_hundred_actors_that_are_killed(tmp_path):
    puzzle, given = load("slider:3,4"), {"threads": 1, "max_depth": 18, "memory": "500MiB"}
    puzzle.enumerate(out=tmp_path / "whole", on=executor("processes:2"), **given)
    killed, rng = 0, random.Random(3)
    while killed < 100:
        on = Seen("", 2)
        watch = Killer(on, rng)
        puzzle.enumerate(out=tmp_path / "job", on=on, watch=watch, **given)
        killed += watch.killed
        assert without_epoch(tmp_path / "job") == without_epoch(tmp_path / "whole")
        shutil.rmtree(tmp_path / "job")


def descendants(process):
    """A process and all that it has started, and they."""
    children = Path(f"/proc/{process}/task/{process}/children")
    found = [int(child) for child in children.read_text().split()] if children.exists() else []
    return [process, *(one for child in found for one in descendants(child))]


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.skipif(sys.platform != "linux", reason="the processes of a process are listed there")
def test_a_cluster_that_is_lost_with_its_driver(tmp_path):
    """Each start of a Ray takes seconds, so there are six: the driver alone is killed, or everything at once."""
    job, count, rng = tmp_path / "job", ["slider:3,4", "--max-depth", "19", "--threads", "1"], random.Random(4)
    load("slider:3,4").enumerate(out=tmp_path / "whole", on=executor("processes:2"), threads=1, max_depth=19)
    for round_ in range(6):
        begun = (job / "manifest.json").exists()
        verb = ["resume", str(job)] if begun else ["enumerate", *count, "--out", str(job)]
        command = [sys.executable, "-m", "puzzlekit", *verb, "--on", "ray", *([] if begun else ["--shards", "2"])]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        depth = job / "shard-00001" / f"depth-{2 + 2 * round_ + rng.randrange(2):05}.open"
        while not depth.exists() and process.poll() is None:
            time.sleep(0.01)
        assert process.poll() is None, "it ended before it was killed"
        for one in descendants(process.pid) if round_ % 2 else [process.pid]:
            os.kill(one, signal.SIGKILL)
        process.wait()
    open_job(job).resume(on=executor("processes:2"), threads=1)
    assert without_epoch(job) == without_epoch(tmp_path / "whole")
