"""Sorts the states of a job by their keys, however many there are: sorted runs go to a file, and are merged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from puzzlekit.jobs.library.blocks import Records

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from puzzlekit.jobs.library.keys import Keys

Array = Any  # of NumPy

RUN_STATES = 2**22
"""The number of states that are held and sorted at once."""

NOTE = np.dtype([("value", "u1"), ("moves", "<i4")])
"""The form of a state's value in the file of values."""

SAMPLES = 256
"""The number of sampled keys in each part into which the runs are cut; see `Sorter._cuts`."""


class Sorter:
    """Takes states in any order, and returns them in the order of their keys, each once.

    Args:
        keys: Knows the type of keys.
        files: Two empty temporary files: one for keys, and one for values.
        run_states: How many states are held at once.
    """

    def __init__(self, keys: Keys, files: tuple[BinaryIO, BinaryIO], run_states: int = RUN_STATES) -> None:
        self._keys, self._most = keys, run_states
        self._of_keys, self._of_notes = files
        self._parts: list[Records] = []
        self._held = 0
        self._ends: list[int] = []

    def add(self, records: Records) -> None:
        """Adds some states. If many are held by now, they are sorted and written to the files as a run."""
        self._parts.append(records)
        self._held += len(records)
        if self._held >= self._most:
            self._write_run()

    def _write_run(self) -> None:
        run = Records.joined(self._parts).in_order()
        self._parts, self._held = [], 0
        notes = np.empty(len(run), NOTE)
        notes["value"], notes["moves"] = run.values, run.moves
        self._of_keys.write(run.keys.tobytes())
        self._of_notes.write(notes.tobytes())
        self._ends.append((self._ends[-1] if self._ends else 0) + len(run))

    def in_order(self) -> Iterator[Records]:
        """All states in order, each once, in parts of about as many as are held at once."""
        if not self._ends:
            if self._held:
                yield Records.joined(self._parts).in_order()
            return
        if self._held:
            self._write_run()
        self._of_keys.flush()
        self._of_notes.flush()
        keys = np.memmap(self._of_keys, self._keys.type, "r")
        notes = np.memmap(self._of_notes, NOTE, "r")
        runs = list(zip([0, *self._ends[:-1]], self._ends, strict=True))
        begins = [begin for begin, _ in runs]
        for cut in [*self._cuts(keys, runs), None]:
            ends = [
                end if cut is None else begin + int(np.searchsorted(keys[begin:end], cut))
                for begin, (_, end) in zip(begins, runs, strict=True)
            ]
            parts = [
                Records(np.array(keys[begin:end]), notes["value"][begin:end], notes["moves"][begin:end])
                for begin, end in zip(begins, ends, strict=True)
                if end > begin
            ]
            if parts:
                yield Records.joined(parts).in_order()
            begins = ends

    def _cuts(self, keys: Array, runs: list[tuple[int, int]]) -> Array:
        """Keys at which all runs are cut into parts. Each part has about as many states as may be held at once."""
        step = max(self._most // SAMPLES, 1)
        samples = np.sort(np.concatenate([keys[begin:end:step] for begin, end in runs]))
        return np.unique(samples[SAMPLES::SAMPLES])
