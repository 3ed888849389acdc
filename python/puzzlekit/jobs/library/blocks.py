"""The form of a library's blocks, and of its index: sorted keys with their values, and where each block is.

A block has up to `MOST_STATES` states in the order of their keys. It is made of *planes*, each with one byte for
each state. First come the planes of the keys: the first byte of each key, then the second one, and so on, each combined
with that of the key before by an exclusive or. Then comes the plane of the values. Then come the planes of the numbers
of moves plus 1, the lowest bytes first, as many as the largest number needs. All planes are compressed together (zlib).

Take three states of two cells with the keys 0x0102, 0x0103 and 0x0107, which are lost in 0, won in 1 and lost in 2
moves. The planes are `01 00 00`, `02 01 04`, `03 01 03` and `01 02 03`.

The index has an entry for each block: its first key, where it begins (8 bytes), how long it is (4), how many states it
has (4), and its BLAKE2b digest (16). Numbers have their lowest byte first. Entries themselves are cut into blocks, and
the list of these, the *top*, has entries of the same form.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from puzzlekit.jobs.library.keys import Keys

Array = Any  # of NumPy

MOST_BYTES = 2**16
"""The most bytes of a block, and of a block of the index."""

MOST_STATES = 2**15
"""The most states of a block."""

MOST_MOVES = 2**31 - 2
"""The largest number of moves that a block can store."""

SUM = 16
"""The number of bytes of a digest."""

LEVEL = 6
"""The level of zlib's compression, from 1 (fast) to 9 (small)."""


class BlockError(Exception):
    """Bytes that are no block of this form; the message says what is wrong, as the end of a sentence."""


def sum_of(data: bytes) -> bytes:
    """The digest of some bytes."""
    return blake2b(data, digest_size=SUM).digest()


@dataclass(frozen=True, eq=False)
class Records:
    """Some states with their values.

    Attributes:
        keys: The key of each state.
        values: For each state its value, as `Job.look_up` numbers them: 1, 2 or 3.
        moves: For each state the moves to the end, or the points by which a player is ahead; -1 if that is not known.
    """

    keys: Array
    values: Array
    moves: Array

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def bytes(self) -> int:
        """The bytes of memory that the states take."""
        return int(self.keys.nbytes + self.values.nbytes + self.moves.nbytes)

    def some(self, which: Any) -> Records:  # noqa: ANN401 - whatever NumPy takes for places
        """The states at some places."""
        return Records(self.keys[which], self.values[which], self.moves[which])

    @staticmethod
    def joined(parts: list[Records]) -> Records:
        """Several lists of states, one after the other."""
        columns = ([getattr(part, name) for part in parts] for name in ("keys", "values", "moves"))
        return Records(*map(np.concatenate, columns))

    def in_order(self) -> Records:
        """The states in the order of their keys, each once."""
        keys, places = np.unique(self.keys, return_index=True)
        return Records(keys, self.values[places], self.moves[places])


def packed(keys: Keys, records: Records) -> bytes:
    """Packs states, which must be in the order of their keys, into the bytes of a block."""
    texts = keys.to_bytes(records.keys)
    planes = texts.copy()
    planes[1:] ^= texts[:-1]
    numbers = (records.moves.astype(np.int64) + 1).astype("<u4")
    wide = (int(numbers.max()).bit_length() + 7) // 8
    moves = numbers.view(np.uint8).reshape(-1, 4)[:, :wide]
    raw = planes.T.tobytes() + records.values.astype(np.uint8).tobytes() + moves.T.tobytes()
    return zlib.compress(raw, LEVEL)


def unpacked(keys: Keys, data: bytes, states: int) -> Records:
    """Unpacks the states of a block.

    Raises:
        BlockError: The bytes are no block of `states` states in order.
    """
    most, engine = states * (keys.width + 5), zlib.decompressobj()
    try:
        raw = engine.decompress(data, most + 1)
    except zlib.error:
        raise BlockError("a block cannot be unpacked") from None
    planes, rest = divmod(len(raw), states)
    wide = planes - keys.width - 1
    if rest or not engine.eof or engine.unused_data or not 0 <= wide <= 4:
        raise BlockError("a block does not have the states that the index says")
    table = np.frombuffer(raw, np.uint8).reshape(planes, states)
    found = keys.of_bytes(np.bitwise_xor.accumulate(table[: keys.width].T, axis=0))
    values = table[keys.width]
    numbers = np.zeros((states, 4), np.uint8)
    numbers[:, :wide] = table[keys.width + 1 :].T
    moves = numbers.view("<u4")[:, 0].astype(np.int64) - 1
    if not (found[1:] > found[:-1]).all() or not ((values >= 1) & (values <= 3)).all() or moves.max() > MOST_MOVES:
        raise BlockError("the states of a block are not in order, or have values that there are not")
    return Records(found, values, moves.astype(np.int32))


@dataclass(frozen=True, eq=False)
class Entries:
    """The entries of an index, or of a part of it.

    Attributes:
        keys: The first key of each block.
        begins: Where each block begins in its file.
        lengths: How many bytes each block has.
        counts: How many states each block has; in the top, how many entries.
        sums: The digest of each block.
    """

    keys: Array
    begins: Array
    lengths: Array
    counts: Array
    sums: list[bytes]

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def bytes(self) -> int:
        """The approximate number of bytes of memory that the entries take."""
        return int(self.keys.nbytes + self.begins.nbytes + self.lengths.nbytes + self.counts.nbytes) + 64 * len(self)


def entry_bytes(keys: Keys) -> int:
    """The number of bytes of an entry."""
    return keys.width + 16 + SUM


def entry(keys: Keys, first: Any, begin: int, data: bytes, count: int) -> bytes:  # noqa: ANN401 - a scalar of NumPy
    """The entry of a block."""
    key: bytes = keys.to_bytes(np.array([first], keys.type)).tobytes()
    numbers = begin.to_bytes(8, "little") + len(data).to_bytes(4, "little") + count.to_bytes(4, "little")
    return key + numbers + sum_of(data)


def read_entries(keys: Keys, data: bytes, end: int, most: int) -> Entries:
    """Reads entries from bytes, and checks them.

    Args:
        keys: Converts keys from bytes.
        data: The bytes.
        end: The number of bytes of the file whose blocks the entries name.
        most: How many states, or entries, a block may have.

    Raises:
        BlockError: The bytes are no entries, are not in order, or name a place that the file does not have.
    """
    if not data or len(data) % entry_bytes(keys):
        raise BlockError("a part of the index has the wrong length")
    table = np.frombuffer(data, np.uint8).reshape(-1, entry_bytes(keys))
    at = keys.width
    begins, lengths, counts = (
        np.ascontiguousarray(table[:, first:last]).view(kind)[:, 0]
        for first, last, kind in ((at, at + 8, "<u8"), (at + 8, at + 12, "<u4"), (at + 12, at + 16, "<u4"))
    )
    found = keys.of_bytes(table[:, :at])
    ends = begins + lengths  # of 64 bits; one that is too large for them is smaller than its begin
    if (
        (ends < begins).any()
        or int(ends[-1]) > end
        or (begins[1:] != ends[:-1]).any()
        or (lengths == 0).any()
        or (lengths > MOST_BYTES).any()
        or (counts == 0).any()
        or (counts > most).any()
        or not (found[1:] > found[:-1]).all()
    ):
        raise BlockError("a part of the index is not in order, or names a place outside the file")
    return Entries(found, begins, lengths, counts, [row.tobytes() for row in table[:, at + 16 :]])
