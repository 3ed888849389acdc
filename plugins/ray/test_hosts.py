"""Jobs on three hosts, which this machine makes of itself: each has a network and disks of its own. Needs Ray and root.

A host is a namespace of Linux for the network and one for mounts, with an address in 10.77.0.0/24. All three see one
folder, as by NFS, and each has another disk at the same path, and another folder for Ray's own files. A bridge joins
them, and each line carries 20 Mbit/s.
"""

import os
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from importlib.util import find_spec

import pytest

from puzzlekit import load, open_job

if find_spec("ray") is None:
    pytest.skip("there is no Ray for this Python", allow_module_level=True)
if sys.platform != "linux" or os.geteuid() or not (shutil.which("ip") and shutil.which("nsenter")):
    pytest.skip("hosts are made by ip and nsenter, by root, on Linux", allow_module_level=True)
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

HUB = "pkhub"
TOKEN = "0123456789abcdef" * 4
"""The token that Ray asks of each host that joins."""


def run(*words, check=True):
    return subprocess.run(words, capture_output=True, text=True, check=check, timeout=600)


class Host:
    """A host with a number, from 1."""

    def __init__(self, number, base):
        self.address, self._net, self._line = f"10.77.0.{number}", f"pkhost{number}", f"pkline{number}"
        self._disk, mine = base / "disk", f"pketh{number}"
        run("ip", "netns", "add", self._net)
        run("ip", "link", "add", self._line, "netns", HUB, "type", "veth", "peer", "name", mine, "netns", self._net)
        run("ip", "-n", HUB, "link", "set", self._line, "master", "hub", "up")
        run("ip", "-n", self._net, "address", "add", f"{self.address}/24", "dev", mine)
        run("ip", "-n", self._net, "link", "set", mine, "up")
        run("ip", "-n", self._net, "link", "set", "lo", "up")
        slow = "root tbf rate 20mbit burst 64kb latency 1s"
        run("tc", "-n", self._net, "qdisc", "add", "dev", mine, *slow.split())
        disks = f"mount -t tmpfs disk {self._disk} && mount -t tmpfs ray /tmp/ray && echo made && exec sleep 36000"
        alone = ("ip", "netns", "exec", self._net, "unshare", "--mount", "--propagation", "private", "sh", "-c", disks)
        self._holder = subprocess.Popen(alone, stdout=subprocess.PIPE, text=True)
        assert self._holder.stdout.readline() == "made\n"

    def command(self, *words, token=TOKEN):
        """The words that run a command on the host, and the environment that it gets."""
        inside = ("nsenter", "--target", str(self._holder.pid), "--mount", "--net", "--", *words)
        given = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token} if token else {}
        known = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
        return {"args": inside, "env": known | given | {"RAY_USAGE_STATS_ENABLED": "0", "RAY_NODE": self.address}}

    def run(self, *words, token=TOKEN):
        """Runs a command on the host, and waits for it."""
        given = self.command(*words, token=token)
        return subprocess.run(**given, capture_output=True, text=True, timeout=600, check=False)

    def puzzlekit(self, *words, token=TOKEN):
        """Runs a command of puzzlekit on the host."""
        return self.run(sys.executable, "-m", "puzzlekit", *words, token=token)

    def start(self, *words):
        """Starts Ray on the host, and waits until it is there."""
        ray = "from ray.scripts.scripts import main; main()"
        each = ("--node-ip-address", self.address, "--num-cpus", "1")
        done = self.run(sys.executable, "-c", ray, "start", *words, *each)
        assert done.returncode == 0, done.stderr + done.stdout

    def cut(self, *, off):
        """Cuts the line of the host, or mends it."""
        run("ip", "-n", HUB, "link", "set", self._line, "down" if off else "up")

    def kill(self):
        """Kills all processes of the host but the one that keeps its disk."""
        for pid in run("ip", "netns", "pids", self._net).stdout.split():
            if int(pid) != self._holder.pid:
                with suppress(ProcessLookupError):
                    os.kill(int(pid), 9)

    def shards(self):
        """The shards whose folders are on the disk of the host."""
        return sorted(
            path.rsplit("/", 1)[1] for path in self.run("find", self._disk, "-name", "shard-*").stdout.split()
        )

    def clear(self):
        """Loses all that is on the disk of the host."""
        self.run("find", self._disk, "-mindepth", "1", "-delete")

    def end(self):
        """Ends the host."""
        self.kill()
        self._holder.kill()
        self._holder.communicate()


@pytest.fixture
def hosts(tmp_path):
    """Three hosts, with a Ray that all are members of; the first one is its head."""
    (tmp_path / "disk").mkdir()
    os.makedirs("/tmp/ray", exist_ok=True)
    run("ip", "netns", "add", HUB)
    made = []
    try:
        run("ip", "-n", HUB, "link", "add", "hub", "type", "bridge")
        run("ip", "-n", HUB, "link", "set", "hub", "up")
        made += [Host(number, tmp_path) for number in (1, 2, 3)]
        made[0].start("--head", "--port", "6379", "--include-dashboard", "false")
        for host in made[1:]:
            host.start("--address", "10.77.0.1:6379")
        yield made
    finally:
        for host in made:
            host.end()
        for name in ("pkhost1", "pkhost2", "pkhost3", HUB):
            run("ip", "netns", "delete", name, check=False)


ON = ("--on", "ray:10.77.0.1:6379")


def counts(folder):
    return [depth["states"] for depth in open_job(folder).status()["depths"]]


def started(host, *words):
    """A command of puzzlekit that runs on the host."""
    given = host.command(sys.executable, "-m", "puzzlekit", *words)
    return subprocess.Popen(**given, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def wait_until(true, running, what):
    """Waits until something is true, while a command runs."""
    end = time.monotonic() + 600
    while not true():
        assert running.poll() is None, running.stderr.read()
        assert time.monotonic() < end, what
        time.sleep(0.1)


def back(host):
    """Mends the line of a host that was taken for lost. Its Ray has ended since, so it is started again."""
    host.cut(off=False)
    host.kill()
    host.start("--address", "10.77.0.1:6379")


def lose_and_find(hosts, running):
    """Cuts off the last host until the run ends, since its shard is on no machine; then the host comes back."""
    last = hosts[-1]
    last.cut(off=True)
    _, said = running.communicate(timeout=900)
    assert running.returncode == 4, said
    assert "is on no machine of this cluster: it was last at " in said
    back(last)
    assert len(last.shards()) == 1


def test_three_hosts_let_in_who_has_the_token(hosts, tmp_path):
    head, job = hosts[0], tmp_path / "job"
    for token in ("", "f" * 64):
        refused = head.puzzlekit("enumerate", "slider:3,3", "--out", str(job), *ON, "--shards", "3", token=token)
        assert refused.returncode == 1
        assert "there is no Ray cluster at 10.77.0.1:6379 that lets this machine in" in refused.stderr
    assert not job.exists()


@pytest.mark.parametrize("store", ["sparse", "dense"])
def test_three_hosts_of_which_one_is_cut_off_and_comes_back(hosts, tmp_path, store):
    """A host that is lost is named, and its shard waits for it on its disk. Words, and bits of a perfect index."""
    head, _, last = hosts
    job, local = str(tmp_path / "job"), ("--local", str(tmp_path / "disk"))
    puzzle = load("slider:3,3")
    words = ("enumerate", str(puzzle), "--store", store, "--out", job, *ON, "--shards", "3", *local, "--threads", "1")
    running = started(head, *words)
    wait_until(lambda: os.path.exists(f"{job}/manifest.json") and len(counts(job)) >= 8, running, "depth 8")
    lose_and_find(hosts, running)
    kept = counts(job)
    assert 8 <= len(kept) < 32

    resumed = head.puzzlekit("resume", job, *ON, "--max-depth", str(len(kept) + 1))
    assert resumed.returncode == 3, resumed.stderr
    found = [depth.states for depth in puzzle.enumerate().depths]
    assert counts(job)[: len(kept)] == kept
    assert counts(job) == found[: len(kept) + 2]
    assert sorted(shard for host in hosts for shard in host.shards()) == [f"shard-0000{n}" for n in range(3)]

    if store == "dense":
        return
    # Its disk is lost. No other host has its states, so they have to be counted again, as the message says.
    last.clear()
    lost = head.puzzlekit("resume", job, *ON)
    assert lost.returncode == 4
    assert "put back a copy, or begin the job" in lost.stderr
    shutil.rmtree(job)
    for host in hosts:
        host.clear()
    again = head.puzzlekit(*words)
    assert again.returncode == 0, again.stderr
    assert counts(job) == found


def exported(job, to):
    """The bytes of an export, once the folders of all shards are here."""
    open_job(job).export(to)
    return to.read_bytes()


@pytest.mark.parametrize(("text", "spreads"), [("tictactoe:4,4,4", False), ("six_mens_morris:men=4", True)])
def test_three_hosts_find_the_values_though_one_is_cut_off(hosts, tmp_path, text, spreads):
    """By depth, and in rounds: one host is cut off while values are found. In the end they are those of one machine."""
    head, _, last = hosts
    job, disk, copy = tmp_path / "job", tmp_path / "disk", tmp_path / "copy"
    given = (*ON, "--shards", "3", "--local", str(disk), "--threads", "1", "--checkpoint", "0.000001")
    running = started(head, "values", text, "--out", str(job), *given)

    def in_the_midst():
        if not (job / "manifest.json").exists() or not open_job(job).status()["complete"]:
            return False
        rounds = [
            int(path.rsplit(".", 2)[1][-5:]) for path in last.run("find", disk, "-name", "*.spread").stdout.split()
        ]
        return rounds >= [3] if spreads else len(open_job(job).status()["values"]["depths"]) >= 2

    # For some seconds the line is cut, and the others wait.
    wait_until(in_the_midst, running, "values")
    last.cut(off=True)
    time.sleep(3)
    last.cut(off=False)
    time.sleep(1)
    assert running.poll() is None, running.stderr.read()
    lose_and_find(hosts, running)
    status = open_job(job).status()
    assert status["complete"]
    assert len(status["values"]["depths"]) < len(status["depths"])

    resumed = head.puzzlekit("resume", str(job), *ON)
    assert resumed.returncode == 0, resumed.stderr
    for host in hosts:
        assert host.run("cp", "-a", f"{disk}/.", str(copy)).returncode == 0
    shutil.copytree(copy, disk, dirs_exist_ok=True)
    assert open_job(job).verify()["complete"]
    puzzle = open_job(job).puzzle
    puzzle.values(out=tmp_path / "alone", store="sparse")
    assert exported(job, tmp_path / "a.csv") == exported(tmp_path / "alone", tmp_path / "b.csv")
