"""The states of rules as keys: a number, or some bytes, for each orbit. Keys are ordered like the states' symbols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from puzzlekit.jobs.packed import bits_of

if TYPE_CHECKING:
    from puzzlekit.run.engine import Engine

Array = Any
"""An array of NumPy. Before Python 3.12, type checkers do not know that such an array is a buffer."""

BYTES_OF_A_NUMBER = 8
"""Keys of at most this many bytes are stored as numbers, since numbers are sorted fastest."""


class Keys:
    """Makes keys of states.

    A key has the bits of each cell's symbol, cell 0 on top, and in a game those of the player to move after the last
    cell; zeros fill the last byte. It is the key of the canonical form, so all images of a state have the same key.

    Args:
        engine: The rules.

    Attributes:
        width: The number of bytes of a key.
        type: The type of an array of keys.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._bits = bits_of(max(len(engine.notation.symbols), 2 if engine.is_game else 1))
        self.width: int = -(-engine.row_bytes * self._bits // 8)
        self.type: Any = np.dtype("u8" if self.width <= BYTES_OF_A_NUMBER else f"S{self.width}")

    def of_rows(self, rows: Any) -> Array:  # noqa: ANN401 - bytes or any array of bytes
        """The keys of states that are given as rows.

        Raises:
            StateError: A row does not fit the rules.
        """
        count = memoryview(rows).nbytes // self._engine.row_bytes
        if not count:
            return np.empty(0, self.type)
        canonical = np.asarray(self._engine.canonical_rows(rows), np.uint8).reshape(count, -1)
        if self.type.kind == "u":
            keys = np.zeros(count, np.uint64)
            for cell in range(canonical.shape[1]):
                keys = keys << np.uint64(self._bits) | canonical[:, cell]
            return keys << np.uint64(8 * self.width - canonical.shape[1] * self._bits)
        digits = np.unpackbits(canonical[:, :, None], axis=2)[:, :, 8 - self._bits :]
        return self.of_bytes(np.packbits(digits.reshape(count, -1), axis=1))

    def of_bytes(self, texts: Array) -> Array:
        """Makes keys from their bytes. Each row has the bytes of one key."""
        if self.type.kind == "u":
            wide = np.zeros((len(texts), BYTES_OF_A_NUMBER), np.uint8)
            wide[:, BYTES_OF_A_NUMBER - self.width :] = texts
            return wide.view(">u8")[:, 0].astype(np.uint64)
        return np.ascontiguousarray(texts).view(self.type)[:, 0]

    def to_bytes(self, keys: Array) -> Array:
        """The bytes of keys, one row for each key."""
        if self.type.kind == "u":
            return keys.astype(">u8").view(np.uint8).reshape(-1, BYTES_OF_A_NUMBER)[:, BYTES_OF_A_NUMBER - self.width :]
        return np.ascontiguousarray(keys).view(np.uint8).reshape(-1, self.width)

    def to_rows(self, keys: Array) -> Array:
        """The rows of the states that have the given keys. A damaged key may give a symbol that does not exist."""
        digits = np.unpackbits(self.to_bytes(keys), axis=1)[:, : self._engine.row_bytes * self._bits]
        digits = digits.reshape(len(keys), self._engine.row_bytes, self._bits)
        wide = np.concatenate([np.zeros((*digits.shape[:2], 8 - self._bits), np.uint8), digits], 2)
        return np.packbits(wide, axis=2)[:, :, 0]
