"""The machine, as the compiled engine sees it: its memory, threads and processor; and the engine's random numbers."""

from __future__ import annotations

import os

from puzzlekit import _core
from puzzlekit.errors import LimitError
from puzzlekit.run.memory import MEMORY_SHARE, address_bytes, held_bytes, read_bytes
from puzzlekit.run.seeds import check_seed

__version__: str = _core.VERSION


def memory_limit(memory: int | str | None) -> int:
    """A limit of memory in bytes; if it is `None`, 70 % of what the machine or its control group allows."""
    return int(_core.memory_bytes() * MEMORY_SHARE) if memory is None else read_bytes(memory)


def room(memory: int | str | None, threads: int | None) -> int:
    """The bytes that a run may take beside what the process holds already. `memory` limits both together.

    Raises:
        LimitError: The process holds all that `memory` allows.
    """
    limit, held = memory_limit(memory), held_bytes()
    if limit <= held:
        raise LimitError(f"memory is {limit:,} bytes, and the process holds {held:,} already; give more")
    threads = threads or os.cpu_count() or 1
    addresses = address_bytes(threads)
    if addresses == 0:
        raise LimitError(
            f"the address space that this process may take (ulimit -v) does not do for {threads} threads; "
            "give fewer, or more of it"
        )
    return limit - held if addresses is None else min(limit - held, addresses)


def found_memory() -> _core.MemoryLimit:
    """The memory that this process may use, and the control groups that limit it."""
    return _core.memory_limit()


def default_threads() -> int:
    """The number of threads of a run that does not choose one.

    Raises:
        UsageError: That many threads cannot be started.
    """
    return _core.default_threads()


def processor() -> _core.Processor:
    """The architecture of the processor, and which of its instruction sets the engine uses."""
    return _core.processor()


def new_random(seed: str) -> _core.Random:
    """A stream of the engine's random numbers, determined by a seed."""
    check_seed(seed)
    return _core.Random(seed)
