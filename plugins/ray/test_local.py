"""Jobs whose shards have folders on the disks of several nodes of Ray, each of which has another disk. Needs Ray.

A cluster of four nodes takes ten seconds or more to start, so most of these tests are marked as slow.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from importlib.util import find_spec

import pytest

from puzzlekit import CorruptError, load, open_job
from puzzlekit.shards import executor

if find_spec("ray") is None:
    pytest.skip("there is no Ray for this Python", allow_module_level=True)
pytestmark = [
    pytest.mark.timeout(600),
    # The warnings are of Ray's own code. Without the filters, pytest would take them for faults of these tests.
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

from ray.cluster_utils import Cluster  # noqa: E402

from puzzlekit_ray.cluster import RayExecutor, pinned, ray  # noqa: E402 - only where there is Ray


def test_shards_stay_where_they_are_and_new_ones_are_spread():
    nodes = {"a": 4.0, "b": 4.0, "c": 0.0}
    assert pinned(nodes, {"a": (), "b": (), "c": ()}, 4) == {0: "a", 1: "b", 2: "a", 3: "b"}
    assert pinned(nodes, {"a": (1, 3), "b": (), "c": (0, 2)}, 4) == {1: "a", 3: "a", 0: "c", 2: "c"}
    assert pinned(nodes, {"a": (1, 3), "b": (), "c": ()}, 4) == {1: "a", 3: "a", 0: "b", 2: "b"}
    # The nodes `a` and `b` see one disk.
    assert pinned(nodes, {"a": (0, 1, 2), "b": (0, 1, 2), "c": ()}, 3) == {0: "a", 1: "b", 2: "a"}
    assert pinned({"c": 0.0}, {"c": ()}, 2) == {0: "c", 1: "c"}


class Nodes:
    """A Ray of several nodes on this machine. Each has a disk of its own, so no other node can work in its place."""

    def __init__(self, disks, names):
        self.disks = disks
        self.names = {}
        # The head has no core, and no disk.
        head = {"num_cpus": 0, "include_dashboard": False}
        try:
            self.cluster = Cluster(initialize_head=True, head_node_args=head)
            for name in names:
                self.add(name)
        except Exception as error:
            pytest.skip(f"this machine starts no cluster of Ray: {error}")

    def add(self, name):
        """Starts a node that is called `name`. Its disk is the folder of that name."""
        self.names[name] = self.cluster.add_node(num_cpus=1, env_vars={"DISK": str(self.disks / name)})

    def remove(self, name):
        """Ends a node. Its disk stays."""
        self.cluster.remove_node(self.names.pop(name), allow_graceful=False)

    def end(self):
        """Ends all nodes at once, as when the power fails."""
        ray.shutdown()
        for node in self.cluster.list_all_nodes():
            node.kill_all_processes(check_alive=False, allow_graceful=False)


@pytest.fixture
def nodes(tmp_path):
    """Gives a function that makes clusters, one after another. All of them end with the test."""
    made = []

    def make(*names):
        for cluster in made:
            cluster.end()
        made.append(Nodes(tmp_path, names))
        return made[-1]

    ray.shutdown()
    yield make
    for cluster in made:
        cluster.end()


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def where(disks, job):
    """The disk that has the folder of each shard."""
    name = json.loads((job / "manifest.json").read_text())["local"]["name"]
    return {path.name: path.parts[-3] for path in sorted(disks.glob(f"*/{name}/shard-*"))}


def of_shards(disks, job):
    """The files of all shards, by the names that they have without local folders."""
    name, found = json.loads((job / "manifest.json").read_text())["local"]["name"], {}
    for folder in disks.glob(f"*/{name}/shard-*"):
        found |= {f"{folder.name}/{path}": data for path, data in files(folder).items()}
    return found


def shared(puzzle, folder, **given):
    """The files of all shards of a job that is run without local folders, so that the job's folder has them."""
    puzzle.enumerate(out=folder, on=executor("processes:3"), threads=1, **given)
    return {path: data for path, data in files(folder).items() if "/" in path}


def refused(work):
    """The message of a run that cannot go on. The exception is not returned, since it would keep the job locked."""
    try:
        work()
    except CorruptError as error:
        return str(error)
    return ""


GIVEN = {"threads": 1, "memory": "500MiB"}


@pytest.mark.slow
@pytest.mark.parametrize(("text", "store"), [("slider:3,3", "sparse"), ("slider:2,5", "dense")])
def test_each_shard_is_worked_on_where_its_folder_is(text, store, nodes, tmp_path):
    """The cluster is lost, and comes back with its nodes in another order; then without one of them."""
    puzzle, job = load(text), tmp_path / "job"
    cluster = nodes("north", "east", "west")
    on = RayExecutor(cluster.cluster.address, 3)
    puzzle.enumerate(out=job, on=on, local="$DISK", max_depth=12, store=store, **GIVEN)
    places = where(tmp_path, job)
    assert sorted(places.values()) == ["east", "north", "west"]
    # The nodes start in another order, and the first one, `south`, has no folder of the job.
    cluster = nodes("south", *sorted(places.values(), reverse=True))
    open_job(job).resume(on=RayExecutor(cluster.cluster.address, 3), max_depth=20, **GIVEN)
    assert where(tmp_path, job) == places
    # The node with the disk of shard 1 is gone.
    lost = places["shard-00001"]
    cluster = nodes("south", *(name for name in places.values() if name != lost))
    on = RayExecutor(cluster.cluster.address, 3)
    said = refused(lambda: open_job(job).resume(on=on, max_depth=99, **GIVEN))
    assert "the folder of shard 1 is on no machine of this cluster: it was last at " in said
    assert f"/{lost}/puzzlekit-" in said
    # The node with this disk comes back.
    cluster.add(lost)
    assert open_job(job).resume(on=on, max_depth=99, **GIVEN).complete
    assert where(tmp_path, job) == places
    assert of_shards(tmp_path, job) == shared(puzzle, tmp_path / "shared", store=store)


class Watched(RayExecutor):
    """An executor that lets the test see its actors."""

    def workers(self, setup):
        """The actors, which the test sees, too."""
        self.made = super().workers(setup)
        return self.made


@pytest.mark.slow
def test_an_actor_is_started_again_on_its_node_and_a_node_that_is_lost_is_named(nodes, tmp_path):
    puzzle, job = load("slider:3,3"), tmp_path / "job"
    cluster = nodes("north", "east", "west")
    on, killed = Watched(cluster.cluster.address, 3), []

    def watch(progress):
        if progress.depth in (5, 9) and progress.depth not in killed:
            killed.append(progress.depth)
            ray.kill(on.made._actors[progress.depth % 3])
        if progress.depth == 14 and 14 not in killed:
            killed.append(14)
            cluster.remove(where(tmp_path, job)["shard-00002"])

    said = refused(lambda: puzzle.enumerate(out=job, on=on, local="$DISK", watch=watch, **GIVEN))
    assert "the folder of shard 2 is on no machine of this cluster: it was last at " in said
    places = where(tmp_path, job)
    assert killed == [5, 9, 14]
    assert sorted(places.values()) == ["east", "north", "west"]
    assert len(open_job(job).status()["depths"]) >= 15
    cluster.add(places["shard-00002"])
    assert open_job(job).resume(on=RayExecutor(cluster.cluster.address, 3), **GIVEN).complete
    assert where(tmp_path, job) == places
    assert of_shards(tmp_path, job) == shared(puzzle, tmp_path / "shared")


@pytest.mark.slow
def test_the_command_line_resumes_what_a_lost_cluster_has_left(nodes, tmp_path):
    """The driver and all nodes are killed in the middle of a depth."""
    job, puzzle = tmp_path / "job", load("slider:3,4")

    def start(cluster, *words):
        command = [
            sys.executable,
            "-m",
            "puzzlekit",
            *words,
            "--on",
            f"ray:{cluster.cluster.address}",
            "--threads",
            "1",
        ]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    begin = ("enumerate", "slider:3,4", "--max-depth", "19", "--out", str(job), "--shards", "3", "--local", "$DISK")
    for depth, words in ((9, begin), (15, ("resume", str(job)))):
        cluster = nodes("north", "east", "west")
        process = start(cluster, *words)
        while not list(tmp_path.glob(f"*/puzzlekit-*/shard-00001/depth-{depth:05}.open")):
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.01)
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        cluster.end()
    cluster = nodes("west", "north", "east")
    process = start(cluster, "resume", str(job))
    _, err = process.communicate(timeout=300)
    assert process.returncode == 3, err
    assert of_shards(tmp_path, job) == shared(puzzle, tmp_path / "shared", max_depth=19)
    # Another node has the copy of a disk that is lost.
    places = where(tmp_path, job)
    (tmp_path / places["shard-00000"]).rename(tmp_path / "copy")
    cluster = nodes("west", "north", "east")
    process = start(cluster, "resume", str(job), "--max-depth", "20")
    _, err = process.communicate(timeout=300)
    assert process.returncode == 4, err
    assert f"it was last at {os.uname().nodename}:{tmp_path}/{places['shard-00000']}/" in err
    cluster.add("copy")
    process = start(cluster, "resume", str(job), "--max-depth", "20")
    _, err = process.communicate(timeout=300)
    assert process.returncode == 3, err
    assert where(tmp_path, job)["shard-00000"] == "copy"
    shutil.rmtree(tmp_path / "shared")
    assert of_shards(tmp_path, job) == shared(puzzle, tmp_path / "shared", max_depth=20)
