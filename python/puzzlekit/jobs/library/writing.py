"""Writes a finished job as a work of a library: its states in order, in blocks, with the index and the manifest."""

from __future__ import annotations

import json
import os
import tempfile
from typing import TYPE_CHECKING, Any

import numpy as np

from puzzlekit.errors import LimitError
from puzzlekit.jobs.library.blocks import MOST_BYTES, MOST_STATES, Records, entry, entry_bytes, packed
from puzzlekit.jobs.library.keys import Keys
from puzzlekit.jobs.library.sorting import Sorter
from puzzlekit.jobs.library.work import SCHEMA, Work, checksum, kind_of
from puzzlekit.jobs.packed import unpacked_rows
from puzzlekit.run.engine.folders import job_definition
from puzzlekit.run.progress import Progress
from puzzlekit.run.value_codes import DRAW

if TYPE_CHECKING:
    from typing import BinaryIO

    from puzzlekit.jobs.job import Job
    from puzzlekit.run.watch import Watch

Array = Any  # of NumPy

ROWS_AT_ONCE = 2**16
"""The number of states that are read from a job at a time."""

BLOCK_BYTES = 2**14
"""The approximate number of bytes of a block. A look-up reads a whole block, perhaps from a host, so blocks are
small."""

MANY_STATES = 2**32
"""With more states than this, blocks are as large as they may be. Fewer blocks make a smaller top of the index, which
is read before the first look-up."""


class BlocksWriter:
    """Writes states, which are given in order, to a file in blocks, and the index of the blocks to another file.

    Args:
        keys: Converts keys to bytes.
        states: The file of blocks.
        index: The file of the index.
        most: How many bytes a block may have.
    """

    def __init__(self, keys: Keys, states: BinaryIO, index: BinaryIO, most: int) -> None:
        self._keys, self._most = keys, most
        self._states, self._index = states, index
        self._entries: list[bytes] = []
        self._first: Any = None
        self._pending: Records | None = None
        self._next = MOST_STATES // 8
        self._top: list[bytes] = []
        self.states_bytes = self.index_bytes = self.states = 0
        self.values = [0, 0, 0]
        self.has_distances = True

    def write(self, records: Records) -> None:
        """Adds some states, whose keys must be larger than all before. Writes blocks as soon as there are enough."""
        held = records if self._pending is None else Records.joined([self._pending, records])
        begin = 0
        while len(held) - begin >= MOST_STATES:
            begin += self._write_block(held.some(slice(begin, begin + MOST_STATES)))
        self._pending = held.some(slice(begin, None))

    def finish(self) -> bytes:
        """Writes the states that are not yet in a block, and returns the top of the index."""
        held, begin = self._pending, 0
        while held is not None and begin < len(held):
            begin += self._write_block(held.some(slice(begin, begin + MOST_STATES)))
        self._close_entries()
        return b"".join(self._top)

    def _write_block(self, records: Records) -> int:
        """Writes a block with as many of the states as fit, the first ones, and returns how many it has."""
        count = min(self._next, len(records))
        while len(data := packed(self._keys, records.some(slice(0, count)))) > self._most and count > 1:
            count = max(min(count - 1, count * self._most // len(data) * 15 // 16), 1)
        # The next block is expected to take about as many bytes for each state as this one.
        self._next = min(max(count * self._most // len(data) * 31 // 32, 1), MOST_STATES)
        first = records.keys[0]
        if len(self._entries) == MOST_BYTES // entry_bytes(self._keys):
            self._close_entries()
        if not self._entries:
            self._first = first
        self._entries.append(entry(self._keys, first, self.states_bytes, data, count))
        self._states.write(data)
        self.states_bytes += len(data)
        self.states += count
        for value, number in enumerate(np.bincount(records.values[:count], minlength=4)[1:4]):
            self.values[value] += int(number)
        if ((records.values[:count] != DRAW) & (records.moves[:count] < 0)).any():
            self.has_distances = False
        return count

    def _close_entries(self) -> None:
        """Writes a block of the index."""
        if self._entries:
            data = b"".join(self._entries)
            self._top.append(entry(self._keys, self._first, self.index_bytes, data, len(self._entries)))
            self._index.write(data)
            self.index_bytes += len(data)
            self._entries = []


def write_work(job: Job, folder: str, watch: Watch | None = None) -> tuple[Work, bytes]:
    """Writes the files of a work to an empty folder. Returns the work, and the content of its manifest.

    Args:
        job: The finished job that has the states.
        folder: The folder.
        watch: Called with the progress; it stops the writing by returning something true.

    Raises:
        CorruptError: A file of the job has changed since it was written.
        LimitError: The watch stopped it.
        OSError: A file cannot be written.
    """
    engine, status = job.puzzle.engine, job.status()
    keys, subject = Keys(engine), status["subject"]
    total = sum(depth["states"] for depth in status["depths"])

    def look(done: int) -> None:
        if watch is not None and watch(Progress(expanded=done, frontier=total, states=total)):
            raise LimitError("stopped before the job was added; the library is as it was")

    with (
        tempfile.TemporaryFile(dir=folder) as of_keys,
        tempfile.TemporaryFile(dir=folder) as of_notes,
        open(os.path.join(folder, "states"), "xb") as states,
        open(os.path.join(folder, "index"), "xb") as index,
    ):
        sorter, done = Sorter(keys, (of_keys, of_notes)), 0
        for batch in job.states(batch_rows=ROWS_AT_ONCE):
            columns = {name: np.asarray(column) for name, column in batch.items()}
            rows = unpacked_rows(engine, columns["state"], columns["depth"])
            sorter.add(Records(keys.of_rows(rows), *_worths(columns)))
            done += len(rows)
            look(done)
        writer = BlocksWriter(keys, states, index, BLOCK_BYTES if total < MANY_STATES else MOST_BYTES)
        for records in sorter.in_order():
            writer.write(records)
            look(total)
        top = writer.finish()
        for file in (states, index):
            file.flush()
            os.fsync(file.fileno())
    data = {
        "top": top,
        "puzzle.json": job_definition(job.folder).encode(),
        "job.json": json.dumps(status, indent=1).encode(),
    }
    files: dict[str, dict[str, Any]] = {
        "states": {"bytes": writer.states_bytes},
        "index": {"bytes": writer.index_bytes},
    }
    for name, content in data.items():
        files[name] = {"bytes": len(content), "checksum": checksum(content)}
        write_file(os.path.join(folder, name), content)
    size = sum(it["bytes"] for it in files.values())
    work = Work(str(subject["puzzle"]), engine.fingerprint, kind_of(engine), writer.states, size)
    manifest = {
        "schema": SCHEMA,
        **{name: value for name, value in vars(work).items() if name != "bytes"},
        "complete": job.solver.complete,
        "distances": writer.has_distances,
        "symmetry_order": engine.symmetry_order,
        "key_bytes": keys.width,
        "values": writer.values,
        "files": files,
    }
    text = json.dumps(manifest, indent=1).encode()
    write_file(os.path.join(folder, "manifest.json"), text)
    return work, text


def write_file(path: str, content: bytes) -> None:
    """Writes a new file, and makes it durable."""
    with open(path, "xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _worths(columns: dict[str, Array]) -> tuple[Array, Array]:
    """The values and the moves to the end of a batch of states, from the columns of the job's table."""
    if "value" not in columns:  # a count of distances, whose depths are these
        count = len(columns["depth"])
        return np.ones(count, np.uint8), columns["depth"].astype(np.int32)
    values = (columns["value"] + 1).astype(np.uint8)
    if "score" in columns:
        return values, np.abs(columns["score"])
    return values, columns["distance"]
