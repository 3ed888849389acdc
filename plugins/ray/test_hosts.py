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
"""What Ray asks of each that comes."""


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


def test_three_hosts_of_which_one_is_cut_off_and_comes_back(hosts, tmp_path):
    """Whoever has no token is sent away; a host that is lost is named, and its shard waits for it on its disk."""
    head, _, last = hosts
    job, local = str(tmp_path / "job"), ("--local", str(tmp_path / "disk"))
    puzzle = load("slider:3,3")
    for token in ("", "f" * 64):
        refused = head.puzzlekit("enumerate", str(puzzle), "--out", job, *ON, "--shards", "3", *local, token=token)
        assert refused.returncode == 1
        assert "there is no Ray cluster at 10.77.0.1:6379 that lets this machine in" in refused.stderr

    words = ("enumerate", str(puzzle), "--out", job, *ON, "--shards", "3", *local, "--threads", "1")
    running = subprocess.Popen(
        **head.command(sys.executable, "-m", "puzzlekit", *words),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not os.path.exists(f"{job}/manifest.json") or len(counts(job)) < 8:
        assert running.poll() is None, running.stderr.read()
        time.sleep(0.1)
    last.cut(off=True)
    _, said = running.communicate(timeout=900)
    assert running.returncode == 4, said
    assert "is on no machine of this cluster: it was last at " in said
    kept = counts(job)
    assert 8 <= len(kept) < 32

    # The host is back. Its Ray has ended, since the head took it for lost, so that it is started again.
    last.cut(off=False)
    last.kill()
    last.start("--address", "10.77.0.1:6379")
    assert len(last.shards()) == 1
    resumed = head.puzzlekit("resume", job, *ON, "--max-depth", str(len(kept) + 1))
    assert resumed.returncode == 3, resumed.stderr
    found = [depth.states for depth in puzzle.enumerate().depths]
    assert counts(job)[: len(kept)] == kept
    assert counts(job) == found[: len(kept) + 2]
    assert sorted(shard for host in hosts for shard in host.shards()) == [f"shard-0000{n}" for n in range(3)]

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
