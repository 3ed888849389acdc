"""A worker: a process that works on one shard of a job, one step of a depth at a time."""

from __future__ import annotations

import json
import shutil
import time
from typing import TYPE_CHECKING, Any

from puzzlekit.errors import JobError, LimitError, UsageError
from puzzlekit.run.engine.folders import job_is_running
from puzzlekit.run.engine.machine import __version__
from puzzlekit.run.engine.shards import check_held, held_shards, open_shard, shard_places
from puzzlekit.run.watch import looked

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from puzzlekit.run.job_parts import ShardSetup
    from puzzlekit.run.watch import Watch

PATIENCE = 20.0
"""The seconds for which a new worker waits until an older worker of its shard, whose driver has ended, ends, too."""


class ShardWorker:
    """One shard of a job, opened by the process that is to work on it.

    Args:
        setup: The first message of the driver.

    Raises:
        JobError: Another version of puzzlekit drives the job, or another process works on the shard.
        CorruptError: The shard is lost or damaged.
    """

    def __init__(self, setup: ShardSetup) -> None:
        if setup.version != __version__:
            raise JobError(
                f"puzzlekit {setup.version} drives the job, and the worker of shard {setup.shard} has {__version__}; "
                "install one version on all machines"
            )
        self._shard = setup.shard
        self._folder, self._inbox = shard_places(setup.folder.folder, setup.shard)
        self._local = setup.local
        end = time.monotonic() + PATIENCE
        while job_is_running(self._folder) and time.monotonic() < end:
            time.sleep(0.05)
        self._job = open_shard(setup)
        self._received = [0, 0]
        """The bytes of the runs that made the last depth: of those from this shard itself, and of those from others."""

    @staticmethod
    def held(setup: ShardSetup) -> tuple[int, ...]:
        """The numbers of the shards whose folders are on this machine and hold all finished depths of the job."""
        return tuple(held_shards(setup.folder.folder))

    @staticmethod
    def check_held(setup: ShardSetup, held: Iterable[int], place: str = "not on this machine") -> None:
        """Checks, before workers are started, that no shard is lost.

        Args:
            setup: The first message of the driver.
            held: The shards whose folders were found.
            place: Where the folders were looked for, in words for the message.

        Raises:
            CorruptError: The job has finished depths, but the folders of some shards were not found. The message says
                where they last were.
        """
        check_held(setup.folder.folder, tuple(held), place)

    def handle(self, request: Mapping[str, Any], watch: Watch | None = None) -> dict[str, Any]:
        """Does what a request of the driver asks for, and returns the answer.

        Raises:
            UsageError: The request is unknown.
            JobError: Another driver has taken the job over.
            DiskError: A file cannot be written.
            CorruptError: A file has changed since it was written.
            LimitError: The watch stopped the work, or the disk is too full for the next depth.
        """
        verb, epoch = request["verb"], request["epoch"]
        if verb == "begin":
            self._job.begin(epoch, request["depths"], request["valued"], request["anew"])
            if not self._local:
                return {}
            from socket import gethostname

            return {"seen": f"{gethostname()}:{self._folder}"}
        if verb == "expand":
            self._check_disk()
            return _data(self._job.expand(epoch, request["holds"], looked(watch)))
        if verb == "close":
            received = {"generated": request["generated"], "files": request["files"]}
            entry = _data(self._job.close(epoch, json.dumps(received), looked(watch)))
            self._received = [0, 0]
            own = f".from-{self._shard:05}."
            for file in request["files"]:
                self._received[own not in file["name"]] += file["bytes"]
            return entry
        if (found := self._find_values(verb, request, watch)) is not None:
            return found
        raise UsageError(
            f"a worker was asked to {verb!r}; puzzlekit {__version__} knows begin, expand, close, ask, tell, take, "
            "keep-values and keep-spread"
        )

    def _find_values(self, verb: str, request: Mapping[str, Any], watch: Watch | None) -> dict[str, Any] | None:
        """Does a step toward the values of all states; returns `None` if `verb` is another kind of request."""
        epoch, answer = request["epoch"], "{}"
        if verb == "ask":
            answer = self._job.ask(epoch, request["depth"], looked(watch))
        elif verb == "tell":
            files = None if request["files"] is None else json.dumps(request["files"])
            answer = self._job.tell(epoch, request["moves"], files, request["again"])
        elif verb == "take":
            self._job.take(epoch, json.dumps(request["files"]), request["again"])
        elif verb == "keep-values":
            answer = self._job.keep_values(epoch, request["depth"])
        elif verb == "keep-spread":
            self._job.keep_spread(epoch)
        else:
            return None
        return _data(answer)

    def _check_disk(self) -> None:
        """Raises an error if the next depth, taken to grow as the last one did, needs more than the free disk space."""
        depths = json.loads(self._job.manifest())["depths"]
        last, before = depths[-1]["open"], depths[-2]["open"] if len(depths) > 1 else 0
        growth = min(last / before, 2.0) if before else 1.0
        own, others = self._received
        written = sum(file["bytes"] for file in depths[-1]["files"]) + own
        places = {self._folder: written + others}
        if self._inbox != self._folder:
            # The inboxes of all shards are on one disk. Each shard gets about as many bytes from others as this one.
            subject = json.loads(self._job.manifest())["subject"]
            places = {self._folder: written, self._inbox: others * subject["shards"]}
        for folder, size in places.items():
            needed, free = int(size * growth), shutil.disk_usage(folder).free
            if free < needed:
                raise LimitError(
                    f"depth {len(depths)} is expected to take {needed:,} bytes in {folder}, and the disk has "
                    f"{free:,} left; make room, and resume the job"
                )


def _data(text: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(text)
    return data
