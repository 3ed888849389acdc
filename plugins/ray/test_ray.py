"""Jobs in shards on Ray: the same counts and files as with processes; lost actors are started again. Needs Ray."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import deque
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest

from puzzlekit import JobError, PuzzlekitError, load, open_job
from puzzlekit.shards import executor

if find_spec("ray") is None:
    pytest.skip("there is no Ray for this Python", allow_module_level=True)
pytestmark = [
    pytest.mark.timeout(600),
    # The warnings are of Ray's own code. Without the filters, pytest would take them for faults of these tests.
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

from puzzlekit_ray import cluster  # noqa: E402 - only where there is Ray
from puzzlekit_ray import executor as ray_executor  # noqa: E402
from puzzlekit_ray.cluster import LOOPBACK, RayExecutor, ray, share  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def started():
    """Starts Ray once for all tests, as the plugin does it. If this machine starts no Ray at all, they are skipped."""
    try:
        assert RayExecutor("", None).shards >= 2
    except PuzzlekitError:
        # Ray alone is tried, without the plugin, so that a fault of the plugin fails the tests.
        words = f"import ray; ray.init(address='local', include_dashboard=False, _node_ip_address='{LOOPBACK}')"
        try:
            subprocess.run([sys.executable, "-c", words], capture_output=True, timeout=120, check=True)
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
            pytest.skip(f"this machine starts no Ray: {str(error.stderr or error)[-300:]}")
        raise
    yield
    ray.shutdown()


def test_all_actors_fit_the_cores():
    given = (([8, 8], 2), ([8, 4], 3), ([2], 3), ([0, 4], 1))
    assert [share(nodes, shards) for nodes, shards in given] == [8, 2, 0.66, 4]


def files(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def sums(folder):
    return [depth["sum"] for depth in json.loads((folder / "manifest.json").read_text())["depths"]]


def test_the_files_are_those_of_processes(tmp_path):
    """Bits of a perfect index. Tests of values do the same with words."""
    puzzle, given = load("tictactoe:3,3,3"), {"store": "dense", "threads": 1}
    found = puzzle.enumerate(out=tmp_path / "ray", on=ray_executor("", 2), memory="500MiB", **given)
    same = puzzle.enumerate(out=tmp_path / "same", on=executor("processes:2"), **given)
    assert (found.complete, found.store) == (True, "dense")
    assert found.depths == same.depths == puzzle.enumerate(store="sparse").depths
    assert files(tmp_path / "ray") == files(tmp_path / "same")
    open_job(tmp_path / "ray").verify()


@pytest.mark.parametrize(("text", "shards"), [("tictactoe:3,3,3", 2), ("rotate:2,3", 3)])
def test_values_are_those_of_processes(text, shards, tmp_path):
    """By depth, and in rounds. The executor is named as on the command line."""
    puzzle, on = load(text), executor("ray", shards)
    assert (on.name, on.shards) == ("ray", shards)
    found = puzzle.values(out=tmp_path / "ray", on=on, threads=1, memory="500MiB")
    puzzle.values(out=tmp_path / "same", on=executor(f"processes:{shards}"), threads=1)
    assert (found.complete, found.depths) == (True, puzzle.values().depths)
    assert files(tmp_path / "ray") == files(tmp_path / "same")
    assert open_job(tmp_path / "ray").verify()["complete"]


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


def test_an_actor_that_does_not_start_is_told(tmp_path, monkeypatch):
    @ray.remote
    class Busy:
        def here(self):
            return True

    # All cores of the Ray are taken now, so no actor can start.
    on = ray_executor("", 2)
    assert RayExecutor("", None).shards == 2
    cores = int(sum(cluster.cores_of_nodes().values()))
    others = [Busy.options(num_cpus=1).remote() for _ in range(cores)]
    assert all(ray.get([other.here.remote() for other in others]))
    monkeypatch.setattr(cluster, "SECONDS_TO_START", 1)
    said = "the worker of shard [01] failed: its actor has not started within 1 seconds: .*resume the job"
    with pytest.raises(JobError, match=said):
        load("rotate:2,3").enumerate(out=tmp_path / "job", on=on)
    for other in others:
        ray.kill(other)
    monkeypatch.undo()
    assert open_job(tmp_path / "job").resume(on=on).complete


def test_a_cluster_that_is_not_there_is_told(tmp_path):
    ray.shutdown()  # the tests before it need Ray
    with pytest.raises(
        PuzzlekitError, match=r"there is no Ray cluster at 127.0.0.1:9 .*; start it, or if it asks for a t"
    ):
        load("slider:2,3").enumerate(out=tmp_path / "job", on=RayExecutor("127.0.0.1:9", 2))
    with pytest.raises(PuzzlekitError, match=r"there is no Ray cluster at 127.0.0.1:123456 "):
        load("slider:2,3").enumerate(out=tmp_path / "other", on=RayExecutor("127.0.0.1:123456", 2))
    assert list(tmp_path.iterdir()) == []


class Struck(RayExecutor):
    """An executor that strikes at chosen moments of the steps of a depth.

    Args:
        address: The address of the cluster.
        shards: How many shards there are.
        strikes: The moments, one for each depth from depth 1 on: a verb with `asked`, `busy` or `done`. An actor is
            struck as soon as it is asked, a little later while it works, or when it is the first to have answered.
            `keep` is the moment when all actors have closed a depth and the manifest does not count it yet, and `kept`
            the moment when it does.
        strike: Called to strike, with the workers and a shard.
    """

    def __init__(self, address, shards, strikes, strike):
        super().__init__(address, shards)
        self.strikes, self.strike, self.struck = deque(strikes), strike, []
        self.at, self.closed, self.busy, self.again = None, set(), None, False

    def workers(self, setup):
        """The actors. Their requests and answers are watched for the next moment."""
        made = super().workers(setup)
        ask, next_message = made.ask, made.next

        def asked(shard, number, request):
            self.again = self.again or request["verb"] == "begin"
            if request["verb"] == "expand" and shard == 0:
                # A depth that is found again is not struck again: a run gives up if workers are lost three times in it.
                self.at = self.strikes.popleft() if self.strikes and not self.again else None
                self.closed, self.again = set(), False
                self.now(made, ("kept", "before"), 1)
            ask(shard, number, request)
            victim = shard == len(self.struck) % self.shards
            if victim and self.at == (request["verb"], "busy"):
                self.busy = time.monotonic() + len(self.struck) % 7 * 0.005
            elif victim:
                self.now(made, (request["verb"], "asked"), shard)

        def heard(seconds):
            if self.busy is not None and time.monotonic() >= self.busy:
                self.busy = None
                self.now(made, self.at, len(self.struck) % self.shards)
            message = next_message(0.003 if self.busy else seconds)
            if message is not None and message.kind == "answer" and message.number:
                self.answered(made, message)
            return message

        made.ask, made.next = asked, heard
        return made

    def answered(self, made, message):
        """Strikes if this answer is the moment that comes next. Answers of `close` have the key `states`."""
        if "sent" in message.data:
            self.now(made, ("expand", "done"), message.shard)
        elif "states" in message.data:
            self.closed.add(message.shard)
            if len(self.closed) < self.shards:
                self.now(made, ("close", "done"), message.shard)
            else:
                self.now(made, ("keep", "before"), message.shard)

    def now(self, made, moment, shard):
        """Strikes if the given moment is the one that comes next. Each moment strikes once."""
        if self.at == moment:
            self.at = None
            self.struck.append(moment)
            self.strike(made, shard)


MOMENTS = [
    *((verb, when) for verb in ("expand", "close") for when in ("asked", "busy", "done")),
    ("keep", "before"),
    ("kept", "before"),
]


def kill_actor(made, shard):
    """Ends an actor: every other time by killing its process, as a system without memory does; else through Ray."""
    processes = [one for one in descendants(os.getpid()) if titled(one).startswith(b"ray::Shard")]
    if processes and time.monotonic_ns() % 2:
        os.kill(processes[shard % len(processes)], signal.SIGKILL)
    else:
        ray.kill(made._actors[shard])


def titled(process):
    """The title of a process."""
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes()
    return b""


EXAMPLES = Path(__file__).parents[2] / "python" / "puzzlekit" / "gallery"

# Puzzles and games: directed, inverse-closed and layered; with and without symmetry; from the start and from the goal.
KINDS = [
    *(("rotate:2,4", {}), ("rotate:2,3", {"symmetry": False}), ("rotate:2,3", {"backward": True})),
    *(("slider:2,4", {}), ("slider:2,3", {"backward": True}), ("flipit:3,4", {}), ("flipit:3,3", {"symmetry": False})),
    *(("tictactoe", {}), ("tictactoe:4,3,2", {"symmetry": False}), (f"{EXAMPLES}/hexapawn.py", {})),
    *((f"{EXAMPLES}/mu_torere.py", {}), (f"{EXAMPLES}/burnt_pancakes.py", {}), (f"{EXAMPLES}/sokoban.py", {})),
    *((f"{EXAMPLES}/nim.py", {}), (f"{EXAMPLES}/frogs.py", {})),
]


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("text", "way"), KINDS)
def test_puzzles_of_all_kinds_have_the_states_that_one_process_finds(text, way, tmp_path):
    """The same counts and the same digests of the states of each depth, on Ray and with processes."""
    if text.endswith(".py") and not EXAMPLES.exists():
        pytest.skip("the gallery is not here")
    puzzle = load(text)
    whole = puzzle.enumerate(store="sparse", out=tmp_path / "whole", **way)
    known = open_job(tmp_path / "whole").verify(hashes=True)["depths"]
    for shards in (1, 2, 3, 5):
        found = []
        for on in (ray_executor("", shards), executor(f"processes:{shards}")):
            job = tmp_path / f"{on.name}-{shards}"
            report = puzzle.enumerate(out=job, on=on, threads=1, memory="500MiB", **way)
            assert (report.complete, report.depths) == (whole.complete, whole.depths)
            kept = open_job(job).verify(hashes=True)["depths"]
            assert [depth["hash"] for depth in kept] == [depth["hash"] for depth in known]
            found.append(files(job))
        assert found[0] == found[1]


# An index of each shape: arrangements with and without a blank, placements, toggles, and pieces that twist.
SHAPES = ["slider:2,4", "rotate:2,4", "tictactoe:4,4,3", "flipit:3,4", "burnt_pancakes:5"]


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("text", SHAPES)
def test_bits_of_every_shape_have_the_files_that_processes_make(text, tmp_path):
    puzzle = load(text)
    whole = puzzle.enumerate(store="dense")
    for shards in (1, 2, 3, 5):
        found = []
        for on in (ray_executor("", shards), executor(f"processes:{shards}")):
            job = tmp_path / f"{on.name}-{shards}"
            report = puzzle.enumerate(store="dense", out=job, on=on, threads=1, memory="500MiB")
            assert (report.store, report.complete, report.depths) == ("dense", True, whole.depths)
            assert open_job(job).verify()["complete"]
            found.append(files(job))
        assert found[0] == found[1]


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.skipif(sys.platform != "linux", reason="the processes of a process are listed there")
def test_a_hundred_actors_that_are_killed(tmp_path):
    """Kills an actor in each depth. Each round begins with the moments that came least often: few actors stay busy."""
    struck, rounds = [], 0
    whole = {}
    while len(struck) < 100 or min(map(struck.count, MOMENTS)) < 8:
        text, shards = [("slider:3,3", 2), ("rotate:2,4", 3)][rounds % 2]
        puzzle = load(text)
        if text not in whole:
            puzzle.enumerate(out=tmp_path / text, on=executor(f"processes:{shards}"), threads=1)
            whole[text] = files(tmp_path / text)
        on = Struck("", shards, sorted(MOMENTS, key=struck.count) * 12, kill_actor)
        job = tmp_path / f"job-{rounds}"
        assert puzzle.enumerate(out=job, on=on, threads=1, memory="500MiB").complete
        assert files(job) == whole[text], on.struck
        shutil.rmtree(job)
        assert on.struck
        struck += on.struck
        rounds += 1


def descendants(process):
    """A process with its children, their children, and so on."""
    children = Path(f"/proc/{process}/task/{process}/children")
    found = [int(child) for child in children.read_text().split()] if children.exists() else []
    return [process, *(one for child in found for one in descendants(child))]


ALONE, ALL = "the driver", "the cluster"


def drive(folder, address, who, *moment):
    """Runs a driver that kills itself at a moment of some depth, or also the whole cluster, if it has started one."""

    def strike(_made, _shard):
        for one in descendants(os.getpid())[1:] if who == ALL else []:
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)

    *moment, depths = moment
    on = Struck(address, 2, [None] * int(depths) + [tuple(moment)], strike)
    given = {"on": on, "threads": 1, "memory": "500MiB"}
    if (Path(folder) / "manifest.json").exists():
        open_job(folder).resume(**given)
    else:
        load("slider:3,3").enumerate(out=folder, **given)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.skipif(sys.platform != "linux", reason="the processes of a process are listed there")
@pytest.mark.parametrize("who", [ALONE, ALL])
def test_a_driver_or_a_whole_cluster_that_is_lost(who, tmp_path):
    """The driver, or the cluster, is killed at each moment of a depth. Each run resumes the job of the one before."""
    puzzle, job = load("slider:3,3"), tmp_path / "job"
    puzzle.enumerate(out=tmp_path / "whole", on=executor("processes:2"), threads=1)
    ray.shutdown()
    # If only drivers are killed, all use one cluster. If the cluster is lost, too, each driver starts its own.
    address = ray.init("local", include_dashboard=False, _node_ip_address=LOOPBACK).address_info["gcs_address"]
    done = []
    for moment in MOMENTS:
        command = [sys.executable, __file__, str(job), address if who == ALONE else "", who, *moment, "2"]
        process = subprocess.run(command, capture_output=True, check=False)
        assert process.returncode == -signal.SIGKILL, process.stderr[-2000:]
        done.append(len(json.loads((job / "manifest.json").read_text())["depths"]))
    # Each run found two depths. The depth in which it was struck is there only if the manifest counted it already.
    assert done == sorted(done)
    assert done[-1] >= 2 * len(MOMENTS)
    assert open_job(job).resume(on=ray_executor("", 2), threads=1, memory="500MiB").complete
    assert files(job) == files(tmp_path / "whole")


if __name__ == "__main__":
    drive(*sys.argv[1:])
