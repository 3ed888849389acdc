"""The moves between the states of a job. The states are numbered by their rows in the table of states."""

from __future__ import annotations

import csv
import struct
from typing import TYPE_CHECKING, NamedTuple

from puzzlekit.errors import LimitError
from puzzlekit.run.engine.machine import memory_limit
from puzzlekit.run.memory import held_bytes
from puzzlekit.run.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from io import BufferedWriter

    from puzzlekit.run.engine import Engine
    from puzzlekit.run.job_parts import JobFolder
    from puzzlekit.run.watch import Watch


class Edge(NamedTuple):
    """A move from one state of a job to another.

    Attributes:
        state: The row of the state, counted from 0.
        move: The name of the move, as it is made in the state of that row.
        successor: The row of the state that the move leads to, or of its canonical form if the job counts up to
            symmetry. Jobs do not count by symmetries that swap the players.
    """

    state: int
    move: str
    successor: int


def edges(
    engine: Engine, job: JobFolder, *, memory: int | str | None = None, watch: Watch | None = None
) -> Iterator[Edge]:
    """The moves between the states of a job, in the order of the rows, and then of the moves.

    Raises:
        LimitError: The states do not fit the memory, or the watch stopped the search.
    """
    names = engine.move_names
    for block in edge_blocks(engine, job, memory=memory, watch=watch):
        for state, move, successor in zip(*block, strict=True):
            yield Edge(state, names[move], successor)


def edge_blocks(
    engine: Engine, job: JobFolder, *, memory: int | str | None = None, watch: Watch | None = None
) -> Iterator[tuple[memoryview, memoryview, memoryview]]:
    """The moves of many rows at a time, as three columns: rows of states, numbers of moves, and rows of successors.

    Raises:
        LimitError: As in `edges`.
    """
    found = engine.edges_of_job(job, max(memory_limit(memory) - held_bytes(), 0), watch)
    total = len(found)
    while (done := found.done) < total:
        if watch is not None and watch(Progress(expanded=done, frontier=total, states=total)):
            raise LimitError("stopped before all moves were listed")
        states, moves, successors = found.next_rows()
        yield memoryview(states).cast("Q"), memoryview(moves).cast("I"), memoryview(successors).cast("Q")


def write_csv(file: BufferedWriter, found: Iterable[Edge]) -> int:
    """Writes the moves as CSV, a line for each, and returns how many there are."""
    import io

    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(Edge._fields)
    count = 0
    for edge in found:
        writer.writerow(edge)
        count += 1
    text.flush()
    text.detach()
    return count


HEADER_BYTES = 256
"""The number of bytes of the header of an npy file, which has room for any number of rows."""


def write_npy(file: BufferedWriter, found: Iterable[Edge], names: list[str]) -> int:
    """Writes the moves as one structured array: the row of the state, the move's name, and the row of the successor."""
    longest = max(map(len, names), default=1)
    kind = f"[('state', '<u8'), ('move', '<U{longest}'), ('successor', '<u8')]"
    texts = {name: name.encode("utf-32-le").ljust(4 * longest, b"\0") for name in names}
    record, count = struct.Struct(f"<Q{4 * longest}sQ"), 0
    file.write(bytes(HEADER_BYTES))
    for edge in found:
        file.write(record.pack(edge.state, texts[edge.move], edge.successor))
        count += 1
    head = f"{{'descr': {kind}, 'fortran_order': False, 'shape': ({count},), }}"
    file.seek(0)
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", HEADER_BYTES - 10))
    file.write(head.encode("ascii").ljust(HEADER_BYTES - 11) + b"\n")
    return count
