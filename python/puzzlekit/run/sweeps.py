"""Forecasts a count whose two arrays of bits are files: the bytes that it reads and writes, and how long that takes.

docs/jobs.md, "Arrays on disk", describes the model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from puzzlekit.run.forecast import probe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from puzzlekit.run.engine import Engine
    from puzzlekit.run.options import RunOptions
    from puzzlekit.run.plans import RunPlan

PROBED = 1_000_000
"""The first depths are counted to about this many states, which takes some tenths of a second."""

PROBE_SECONDS = 5.0
"""They are counted for this many seconds at the latest."""

SMOOTHED = 2
"""The growth at the end of these depths is the average of this many depths: of even and of odd ones alike."""

FALL = 1.5
"""The growth falls after these depths as this power of the number of depths. With it, the depths of `slider:3,4`,
`slider:2,6` and `slider:2,7` come out within an eighth."""

PAGE_BYTES = 4096
"""The bytes that the system reads and writes at a time."""

TOGETHER = 2 / 3
"""Of the pages in which the states of a depth would be if they were scattered, the part in which they are, as
neighbours often need equally many moves. Measured with `slider:2,6` and `slider:2,7`."""

READ_FOR_WRITTEN = 4
"""The bytes that are read for each byte that is written. A depth reads its states and what is known of those that they
lead to, and reads some pages again that were given back for want of memory. Measured with `slider:2,7`."""

PROCESSOR_SECONDS = 1.3e-9
"""The processor time for each byte that is read, most of it the system's. Measured with `slider:2,7`."""

DISK_BYTES_PER_SECOND = 500_000_000
"""The bytes per second that a machine is taken to read from its disk, or to write to it."""


@dataclass(frozen=True)
class Sweeps:
    """The work of a count whose arrays are files.

    Attributes:
        depths: About how many depths there are.
        read_bytes: About how many bytes are read from the disk, in all depths together.
        written_bytes: About how many bytes are written to it.
        disk_bytes_per_second: How many bytes the disk is taken to read or write in a second.
        processor_seconds: The processor time of all threads together.
        disk_seconds: How long the disk reads and writes.
        hours: How long the run takes if its threads compute and wait for the disk in turn.
    """

    depths: int
    read_bytes: int
    written_bytes: int
    disk_bytes_per_second: int
    processor_seconds: float
    disk_seconds: float
    hours: float


def sweeps(engine: Engine, puzzle: str, options: RunOptions, plan: RunPlan, threads: int) -> Sweeps | None:
    """The forecast of a count whose arrays are files; `None` if they are not, or if the number of states is unknown.

    Args:
        engine: The rules.
        puzzle: The puzzle's text id.
        options: The options of the run.
        plan: The plan of the run.
        threads: How many threads the run has.
    """
    if plan.disk_bytes is None or plan.reachable is None:
        return None
    first = [depth.raw_states for depth in probe(engine, puzzle, options, PROBED, PROBE_SECONDS)]
    if len(first) <= SMOOTHED:
        return None
    depths = continued(first, plan.reachable)[: None if options.max_depth is None else options.max_depth + 1]
    pages = plan.disk_bytes / 2 / PAGE_BYTES
    written = TOGETHER * PAGE_BYTES * sum(pages * -math.expm1(-states / pages) for states in depths)
    read = READ_FOR_WRITTEN * written
    processor = read * PROCESSOR_SECONDS
    disk = (read + written) / DISK_BYTES_PER_SECOND
    return Sweeps(
        depths=len(depths) - 1,
        read_bytes=round(read),
        written_bytes=round(written),
        disk_bytes_per_second=DISK_BYTES_PER_SECOND,
        processor_seconds=processor,
        disk_seconds=disk,
        hours=(processor / threads + disk) / 3600,
    )


def continued(first: Sequence[int], states: int) -> list[float]:
    """The numbers of states of all depths, if those of the first depths are known and the sum of all.

    From depth to depth, states are taken to grow by a factor that falls: after `n` more depths, its logarithm is less
    by `n ** FALL` times a number. That number is found so that the sum comes out.

    >>> depths = continued([1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286, 396, 748, 1024], 181_440)
    >>> len(depths), round(sum(depths))
    (40, 181440)
    """
    known = [float(each) for each in first]
    growth = math.log(known[-1] / known[-1 - SMOOTHED]) / SMOOTHED

    def all_depths(fall: float) -> list[float]:
        depths = list(known)
        while depths[-1] >= 1 and sum(depths[-SMOOTHED:]) < states:
            after = len(depths) - len(known) + 1
            depths.append(depths[-1] * math.exp(growth - fall * after**FALL))
        return depths

    least, most = 1e-9, 100.0
    for _ in range(80):
        middle = math.sqrt(least * most)
        if sum(all_depths(middle)) > states:
            least = middle
        else:
            most = middle
    return [depth for depth in all_depths(most) if depth >= 1]
