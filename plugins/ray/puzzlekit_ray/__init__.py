"""Jobs in shards on a Ray cluster: `puzzlekit enumerate ID --out DIR --on ray`; docs/cluster.md explains it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from puzzlekit import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    from puzzlekit.shards import Executor


def executor(address: str, shards: int | None = None) -> Executor:
    """An executor on a cluster.

    Args:
        address: The address of the cluster, as Ray takes it: `auto`, or `10.0.0.1:6379`. If it is empty, a Ray of this
            machine is started, and ended afterwards.
        shards: Into how many shards a job is divided; one for each node if it is `None`, and two at least.
    """
    from puzzlekit_ray.cluster import RayExecutor

    return RayExecutor(address, shards)


@hookimpl
def puzzlekit_register_executors(register: Callable[[str, Callable[[str, int | None], Executor]], None]) -> None:
    """Registers `ray`."""
    register("ray", executor)
