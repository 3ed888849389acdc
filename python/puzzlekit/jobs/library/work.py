"""One work of a library: what its manifest says, and the look-up of states in its blocks."""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from puzzlekit.errors import CorruptError, LibraryError
from puzzlekit.jobs.library.blocks import (
    MOST_BYTES,
    MOST_STATES,
    BlockError,
    Entries,
    Records,
    entry_bytes,
    read_entries,
    sum_of,
    unpacked,
)
from puzzlekit.jobs.library.keys import Keys
from puzzlekit.run.value_codes import DRAW, LOSS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from puzzlekit.jobs.library.place import Place
    from puzzlekit.run.engine import Engine

Array = Any  # of NumPy

SCHEMA = "puzzlekit.work/1"

KINDS = ("distances", "values", "scores")
"""The kinds of works: moves to the goal of a puzzle, values of a game, or values of a game for points."""

MOST_LIST = 2**24
"""The most bytes of the list of works."""

MOST_MANIFEST = 2**20
"""The most bytes of a work's manifest."""

MOST_DATA = 2**28
"""The most bytes of the rules, and of the job's manifest."""

MOST_TOP = 2**25
"""The most bytes of the top of an index. That is enough for a thousand million million states."""

HELD = 2**25
"""The most bytes of unpacked blocks that are kept in memory; and the same for blocks of the index."""

DATA_FILES = ("puzzle.json", "job.json")
"""The files that a work copies from the job."""


def checksum(data: bytes) -> str:
    """The digest of a whole file, as the manifest has it."""
    return blake2b(data, digest_size=32).hexdigest()


def is_fingerprint(text: object) -> bool:
    """Returns `True` if a value has the form of a fingerprint of rules, which is the name of a work's folder."""
    return isinstance(text, str) and re.fullmatch("[0-9a-f]{32}", text) is not None


def kind_of(engine: Engine) -> str:
    """The kind that a work with these rules has: one of `KINDS`."""
    return "distances" if not engine.is_game else "scores" if engine.is_scored else "values"


def whole_number(data: Any, name: str, most: int = 2**62) -> int:  # noqa: ANN401 - anything that JSON may hold
    """Reads a number from a manifest.

    Raises:
        ValueError: `name` is no whole number from 0 to `most`.
    """
    found = data[name]
    if type(found) is not int or not 0 <= found <= most:
        raise ValueError(name)
    return found


@dataclass(frozen=True)
class Work:
    """A finished work of a library: the values or distances of all states of a puzzle that a job has found.

    Attributes:
        puzzle: The text id of the puzzle.
        rules: The fingerprint of its rules, by which it is found.
        kind: `"distances"` of a puzzle, `"values"` of a game, or `"scores"`.
        states: How many states there are, up to symmetry.
        bytes: How many bytes its files have.
    """

    puzzle: str
    rules: str
    kind: str
    states: int
    bytes: int


@dataclass(frozen=True)
class Listed:
    """A work, and the length and digest by which its manifest is found and checked.

    Attributes:
        work: The work.
        manifest_bytes: The length of its manifest.
        manifest_checksum: The digest of its manifest.
    """

    work: Work
    manifest_bytes: int
    manifest_checksum: str

    @classmethod
    def of_data(cls, data: Any) -> Listed:  # noqa: ANN401 - anything that JSON may hold
        """Makes the object from an element of the list of works.

        Raises:
            ValueError, KeyError, TypeError: `data` is no such element.
        """
        rules, puzzle, kind = data["rules"], data["puzzle"], data["kind"]
        if not is_fingerprint(rules) or kind not in KINDS or not isinstance(puzzle, str) or not puzzle.isprintable():
            raise ValueError("work")
        work = Work(puzzle, rules, kind, whole_number(data, "states"), whole_number(data, "bytes"))
        return cls(work, whole_number(data, "manifest_bytes", MOST_MANIFEST), str(data["manifest_checksum"]))

    def to_data(self) -> dict[str, Any]:
        """The element of the list of works that stands for this work."""
        return {
            **vars(self.work),
            "manifest_bytes": self.manifest_bytes,
            "manifest_checksum": self.manifest_checksum,
        }


@dataclass(frozen=True)
class Manifest:
    """The manifest of a work.

    Attributes:
        work: The work.
        complete: Whether each state that the work lacks is one that cannot be solved.
        distances: Whether each state that is not a draw has its number of moves to the end, or its points.
        symmetry_order: The number of symmetries up to which the states are counted.
        key_bytes: The number of bytes of a key.
        values: How many states have each value.
        states_bytes: The length of the file of blocks.
        index_bytes: The length of the index.
        top_bytes: The length of the top of the index.
        sums: The digests of the files that are read whole, by name.
        data_bytes: The lengths of the files of the job, by name.
    """

    work: Work
    complete: bool
    distances: bool
    symmetry_order: int
    key_bytes: int
    values: tuple[int, ...]
    states_bytes: int
    index_bytes: int
    top_bytes: int
    sums: dict[str, str]
    data_bytes: dict[str, int]

    @classmethod
    def of_text(cls, text: bytes, listed: Listed) -> Manifest:
        """Reads the content of the file.

        Raises:
            ValueError, KeyError, TypeError, RecursionError: It is no manifest, or that of another work.
        """
        data = json.loads(text)
        if data["schema"] != SCHEMA:
            raise ValueError("schema")
        work, files = listed.work, data["files"]
        same = {name: data[name] for name in ("puzzle", "rules", "kind", "states")}
        if same != {name: getattr(work, name) for name in same}:
            raise ValueError("work")
        values = tuple(whole_number({"": number}, "") for number in data["values"])
        if len(values) != 3 or sum(values) != work.states:
            raise ValueError("values")
        if type(data["complete"]) is not bool or type(data["distances"]) is not bool:
            raise TypeError("complete")
        return cls(
            work,
            data["complete"],
            data["distances"],
            whole_number(data, "symmetry_order"),
            whole_number(data, "key_bytes", MOST_BYTES),
            values,
            whole_number(files["states"], "bytes"),
            whole_number(files["index"], "bytes"),
            whole_number(files["top"], "bytes", MOST_TOP),
            {name: str(files[name]["checksum"]) for name in ("top", *DATA_FILES)},
            {name: whole_number(files[name], "bytes", MOST_DATA) for name in DATA_FILES},
        )


class Recent:
    """The blocks that were used most recently, by number. They take about `HELD` bytes at most."""

    def __init__(self) -> None:
        self._held: OrderedDict[int, tuple[Any, int]] = OrderedDict()
        self._bytes = 0

    def get(self, number: int) -> Any:  # noqa: ANN401 - what was put there
        """A block; `None` if it is not held."""
        if number not in self._held:
            return None
        self._held.move_to_end(number)
        return self._held[number][0]

    def put(self, number: int, block: Records | Entries) -> None:
        """Keeps a block, and drops the blocks that were not used for the longest time."""
        self._held[number] = block, block.bytes
        self._bytes += block.bytes
        while self._bytes > HELD and len(self._held) > 1:
            self._bytes -= self._held.popitem(last=False)[1][1]


class WorkFiles:
    """Reads the files of a work in parts.

    Args:
        place: The place of the library.
        listed: The work, as the list of works has it.
        engine: The engine of the work's rules.

    Attributes:
        manifest: What the manifest says.

    Raises:
        CorruptError: The manifest differs from what the list of works says of it.
        LibraryError: A file cannot be read, or this version of puzzlekit numbers the states in another way.
    """

    def __init__(self, place: Place, listed: Listed, engine: Engine) -> None:
        self._place, self._folder = place, listed.work.rules
        text = self._whole("manifest.json", listed.manifest_bytes, listed.manifest_checksum)
        try:
            self.manifest: Manifest = Manifest.of_text(text, listed)
        except (ValueError, KeyError, TypeError, RecursionError):
            raise self._damaged("manifest.json", "it is no manifest of this work") from None
        work = listed.work
        if work.kind != kind_of(engine) or (engine.is_game and self.manifest.complete):
            raise self._damaged("manifest.json", "it is no manifest of these rules")
        self.keys: Keys = Keys(engine)
        if (self.manifest.symmetry_order, self.manifest.key_bytes) != (engine.symmetry_order, self.keys.width):
            raise LibraryError(
                f"{place.name} has {work.puzzle} up to {self.manifest.symmetry_order} symmetries, and this "
                f"version of puzzlekit finds {engine.symmetry_order}; add the job to a library of your own"
            )
        self._top: Entries | None = None
        self._index, self._blocks = Recent(), Recent()

    def _path(self, name: str) -> str:
        return f"{self._folder}/{name}"

    def _damaged(self, name: str, what: str) -> CorruptError:
        return CorruptError(f"{self._place.name}/{self._path(name)}: {what}; the library is damaged")

    def _whole(self, name: str, length: int, digest: str) -> bytes:
        data = self._place.whole(self._path(name), length)
        if data is None:
            raise self._damaged(name, "it is not there")
        if len(data) != length or checksum(data) != digest:
            raise self._damaged(name, "it is not what was written")
        return data

    def data(self, name: str) -> bytes:
        """The content of a file that was copied from the job."""
        return self._whole(name, self.manifest.data_bytes[name], self.manifest.sums[name])

    def _part(self, name: str, entries: Entries, number: int, total: int) -> bytes:
        """The bytes of the block that an entry names, after a check of their digest."""
        begin, length = int(entries.begins[number]), int(entries.lengths[number])
        data = self._place.part(self._path(name), begin, length, total)
        if len(data) != length or sum_of(data) != entries.sums[number]:
            raise self._damaged(name, f"the {length:,} bytes from {begin:,} on are not what was written")
        return data

    def top(self) -> Entries:
        """The top of the index, which is read once."""
        if self._top is None:
            manifest = self.manifest
            data = self._whole("top", manifest.top_bytes, manifest.sums["top"])
            most = MOST_BYTES // entry_bytes(self.keys)
            self._top = self._entries("top", data, manifest.index_bytes, most)
        return self._top

    def _entries(self, name: str, data: bytes, end: int, most: int) -> Entries:
        try:
            return read_entries(self.keys, data, end, most)
        except BlockError as error:
            raise self._damaged(name, str(error)) from None

    def entries(self, number: int) -> Entries:
        """A block of the index."""
        found: Entries | None = self._index.get(number)
        if found is None:
            top = self.top()
            data = self._part("index", top, number, self.manifest.index_bytes)
            found = self._entries("index", data, self.manifest.states_bytes, MOST_STATES)
            if len(found) != top.counts[number] or found.keys[0] != top.keys[number]:
                raise self._damaged("index", "a part of it does not begin as its top says")
            self._index.put(number, found)
        return found

    def block(self, entries: Entries, number: int) -> Records:
        """The states in the block that an entry names."""
        begin = int(entries.begins[number])
        found: Records | None = self._blocks.get(begin)
        if found is None:
            data = self._part("states", entries, number, self.manifest.states_bytes)
            try:
                found = unpacked(self.keys, data, int(entries.counts[number]))
            except BlockError as error:
                raise self._damaged("states", str(error)) from None
            if found.keys[0] != entries.keys[number]:
                raise self._damaged("states", "a block does not begin as the index says")
            self._check_worths(found)
            self._blocks.put(begin, found)
        return found

    def _check_worths(self, found: Records) -> None:
        """Refuses values and numbers of moves that no state of this kind of work can have."""
        kind, draws = self.manifest.work.kind, found.values == DRAW
        if kind == "scores":
            wrong = (found.moves < 0) | ((found.moves == 0) != draws)
        else:
            wrong = draws & (found.moves >= 0)
            if self.manifest.distances:
                wrong |= ~draws & (found.moves < 0)
        if wrong.any() or (kind == "distances" and (found.values == LOSS).any()):
            raise self._damaged("states", "a block has values that its states cannot have")

    def look_up(self, rows: bytes) -> tuple[Array, Array]:
        """The values and the moves of states that are given as rows; 0 and -1 for those that the work lacks."""
        keys = self.keys.of_rows(rows)
        values, moves = np.zeros(len(keys), np.uint8), np.full(len(keys), -1, np.int32)
        order = np.argsort(keys, kind="stable")
        if not len(keys) or not self.manifest.work.states:
            return values, moves
        for number, those in _grouped(self.top(), keys, order):
            entries = self.entries(number)
            for place, these in _grouped(entries, keys, those):
                block = self.block(entries, place)
                at = np.minimum(np.searchsorted(block.keys, keys[these]), len(block) - 1)
                here = block.keys[at] == keys[these]
                values[these[here]], moves[these[here]] = block.values[at[here]], block.moves[at[here]]
        return values, moves

    def every(self) -> Iterator[Records]:
        """All states, block by block, in order.

        Raises:
            CorruptError: A block is not what was written, or there are bytes that the index does not name.
            LibraryError: A file cannot be read.
        """
        if not self.manifest.work.states:
            return
        top, begin = self.top(), 0
        self._check_ends("index", top, 0, self.manifest.index_bytes)
        for number in range(len(top)):
            entries = self.entries(number)
            end = self.manifest.states_bytes if number == len(top) - 1 else None
            begin = self._check_ends("states", entries, begin, end)
            for place in range(len(entries)):
                yield self.block(entries, place)

    def _check_ends(self, name: str, entries: Entries, begin: int, end: int | None) -> int:
        """Refuses entries that leave a gap in their file: before byte `begin`, or at `end`. Returns where they end."""
        ends = int(entries.begins[-1]) + int(entries.lengths[-1])
        if entries.begins[0] != begin or (end is not None and ends != end):
            raise self._damaged(name, "it has bytes that no entry names")
        return ends


def _grouped(entries: Entries, keys: Array, order: Array) -> Iterator[tuple[int, Array]]:
    """Finds the blocks that may have some keys: yields the number of each block's entry, and the places of its keys.

    Args:
        entries: The entries.
        keys: All keys.
        order: The places in `keys` of the keys to find, in the order of these keys.
    """
    numbers = np.searchsorted(entries.keys, keys[order], side="right").astype(np.int64) - 1
    cuts = np.flatnonzero(np.diff(numbers)) + 1
    for number, group in zip(numbers[[0, *cuts]].tolist(), np.split(order, cuts), strict=True):
        if number >= 0:
            yield number, group
