"""Opens one shard of a job to work on it, and finds the folders of the shards of a job."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from puzzlekit import _core
from puzzlekit.run.engine.folders import folder_of_core
from puzzlekit.run.engine.machine import room

if TYPE_CHECKING:
    from collections.abc import Sequence

    from puzzlekit.run.job_parts import ShardSetup


def open_shard(setup: ShardSetup) -> _core.ShardJob:
    """Opens a shard of a job to work on it."""
    core = _core.Engine(setup.rules)
    if setup.backward:
        core = core.backward()
    data = {**setup.options, "memory": room(setup.memory, setup.options["threads"])}
    return core.open_shard(json.dumps(data), folder_of_core(setup.folder), setup.shard)


def shard_folder(folder: str, shard: int) -> str:
    """The path of a shard's folder, inside the folder of the job."""
    return os.fspath(_core.shard_folder(folder, shard))


def shard_places(folder: str, shard: int) -> tuple[str, str]:
    """The folder in which a shard works, and the one into which other shards put files for it. They may be the same."""
    own, inbox = _core.shard_places(folder, shard)
    return os.fspath(own), os.fspath(inbox)


def held_shards(folder: str) -> list[int]:
    """The numbers of the shards whose folders are on this machine and hold all finished depths of the job."""
    return _core.held_shards(folder)


def check_held(folder: str, held: Sequence[int], place: str) -> None:
    """Raises an error if a job has finished depths, but the folder of one of its shards was not found.

    Args:
        folder: The job.
        held: The shards whose folders were found.
        place: Where the folders were looked for, in words for the message.
    """
    _core.check_held(folder, list(held), place)
