"""Disks that are really full: a small file system takes the place of one folder of a job in shards, and is enlarged.

The file system is mounted in a name space of its own, which only Linux has. It is gone when the process that mounted it
ends.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

if __name__ != "__main__":
    from tests.test_jobs import files

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

PUZZLE = "rotate:2,4"

SMALL, LARGE = "32k", "64m"

# For each case: whether folders of shards are local, the folder that becomes small, and after which depth. One page is
# not enough for the states that a shard is sent in depth 14. A run checks the room before each depth but its first.
PLACES = {
    "a shard": (False, "shard-00001", 6),
    "a shard on the disk of a machine": (True, "local/*/shard-00001", 6),
    "an inbox": (True, "inbox-00001", 13),
    "the folder that all see": (True, "", 6),
}


def name_space():
    """The words that run a command in a name space of its own. If that is not possible: no words, and the reason."""
    refused = "there is no unshare"
    for words in (["unshare", "-m"], ["unshare", "-rm"]):
        try:
            # Some machines allow a name space, but no mounts in it.
            tried = ["sh", "-c", "mount -t tmpfs none /tmp && umount /tmp"]
            subprocess.run([*words, *tried], capture_output=True, text=True, check=True)
        except FileNotFoundError:
            continue
        except subprocess.CalledProcessError as error:
            refused = error.stderr.strip()
        else:
            return words, ""
    return [], refused


@pytest.mark.parametrize("place", PLACES)
def test_a_disk_that_is_full_ends_the_run_and_a_larger_one_goes_on(place, tmp_path):
    words, refused = name_space()
    if not words:
        pytest.skip(f"nothing can be mounted here: {refused}")
    local, at, first = PLACES[place]
    own = [*(["--local", str(tmp_path / "whole-local")] if local else []), "--threads", "1"]
    puzzlekit("enumerate", PUZZLE, "--out", str(tmp_path / "whole"), "--on", "processes:2", *own)
    process = subprocess.run(
        [*words, sys.executable, __file__, str(tmp_path), at, "local" if local else "", str(first)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    told = json.loads(process.stdout)
    # In the first run, the system says that the disk is full. Later runs may find out before they begin.
    full, still_full = told["errors"]
    assert "No space left on device" in full
    assert "No space left on device" in still_full or "make room, and resume the job" in still_full
    assert "resume" in full
    assert told["depths"] > first
    # `copy` has all that was in the small file system at the end.
    job, whole = files(tmp_path / "copy"), files(tmp_path / "whole")
    if local:
        job, whole = without_places(job), without_places(whole)
        shards = [files(next((tmp_path / of).iterdir())) for of in ("local-copy", "whole-local")]
        assert shards[0] == shards[1]
    assert job == whole


def without_places(found):
    """The files of a job, without the entries that name the folders of its shards: these differ from job to job."""
    manifest = json.loads(found["manifest.json"])
    del manifest["local"], manifest["checksum"]
    return {**found, "manifest.json": manifest}


def puzzlekit(*arguments, code=0):
    """The output of a command on standard error."""
    command = [sys.executable, "-m", "puzzlekit", *arguments]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert process.returncode == code, (arguments, process.returncode, process.stderr)
    return process.stderr


def fill(base, at, local, first):
    """Begins a job, puts a small file system in the place of a folder, and enlarges it until the job is complete."""
    job = base / "job"
    own = ["--local", str(base / "local")] if local else []
    given = ["--on", "processes:2", *own, "--threads", "1", "--max-depth", first]
    puzzlekit("enumerate", PUZZLE, "--out", str(job), *given, code=3)
    folder = next(base.glob(at)) if at.startswith("local") else job / at
    shutil.copytree(folder, base / "before")
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SMALL}", "none", str(folder)], check=True)
    shutil.copytree(base / "before", folder, dirs_exist_ok=True)
    # A file fills the disk until one page is left. If the folder is that of a shard, two pages are left: another shard
    # may send it a run at once, and with a single page the shard would refuse to begin.
    pages = 2 if at.startswith("shard") else 1
    with suppress(OSError), (folder / "ballast").open("wb", buffering=0) as ballast:
        while os.statvfs(folder).f_bavail > pages:
            ballast.write(bytes(4096))
    errors = [puzzlekit("resume", str(job), "--on", "processes:2", "--max-depth", "99", code=3) for _ in range(2)]
    depths = len(json.loads((job / "manifest.json").read_text())["depths"])
    subprocess.run(["mount", "-o", f"remount,size={LARGE}", str(folder)], check=True)
    (folder / "ballast").unlink()
    puzzlekit("resume", str(job), "--on", "processes:2", "--max-depth", "99")
    puzzlekit("verify", str(job))
    shutil.copytree(job, base / "copy")
    if local:
        shutil.copytree(base / "local", base / "local-copy")
    print(json.dumps({"errors": errors, "depths": depths}))


if __name__ == "__main__":
    fill(Path(sys.argv[1]), sys.argv[2], sys.argv[3] == "local", sys.argv[4])
