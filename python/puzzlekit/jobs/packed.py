"""Packed states of a table of a job as rows of bytes, such as `Arrays.encode` makes; docs/tables.md says how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from puzzlekit.run.engine import Engine

Array = Any
"""An array of NumPy, which is imported only if it is needed."""

MOST_IN_A_NUMBER = 16
"""The most bytes of a packed state that is one number. In a wider state, no cell crosses a border of 8 bytes."""


def bits_of(symbols: int) -> int:
    """The number of bits that a cell takes in a packed state, if there are `symbols` symbols.

    >>> bits_of(1), bits_of(3), bits_of(16), bits_of(17)
    (1, 2, 4, 5)
    """
    return max(1, (symbols - 1).bit_length())


def shifts_of(cells: int, bits: int, size: int) -> list[int]:
    """For each cell, the number of bits by which a packed state is shifted down to bring the cell to the lowest bits.

    >>> shifts_of(3, 4, 8)
    [8, 4, 0]
    >>> shifts_of(22, 3, 32)[:2], shifts_of(22, 3, 32)[-2:]  # 21 cells in the first of four words, 1 in the second
    ([252, 249], [192, 188])

    Args:
        cells: The number of cells.
        bits: The number of bits of a cell.
        size: The number of bytes of a packed state.
    """
    if size <= MOST_IN_A_NUMBER:
        return [bits * (cells - 1 - cell) for cell in range(cells)]
    each = 64 // bits
    return [8 * size - 64 * (1 + cell // each) + bits * (each - 1 - cell % each) for cell in range(cells)]


def unpacked_rows(engine: Engine, words: Array, depths: Array) -> Array:
    """Unpacks states: a row for each state, with a byte for each cell and, in a game, one for the player to move.

    Args:
        engine: The rules.
        words: The column `state` of a table.
        depths: Its column `depth`.
    """
    import numpy as np

    players, again = engine.notation.players, engine.keeps_turns
    # If a move may keep the turn, the last cell of a packed state is the player to move.
    rows = _unpacked(words, engine.notation.cells + again, bits_of(len(engine.notation.symbols)))
    if not players or again:
        return rows
    return np.hstack([rows, (depths % 2).astype(np.uint8)[:, None]])


def _unpacked(words: Array, cells: int, bits: int) -> Array:
    """The symbols of packed states, a byte for each cell."""
    import numpy as np

    if words.ndim == 1:
        rows, mask = np.empty((len(words), cells), np.uint8), np.uint64(2**bits - 1)
        for cell in range(cells):
            rows[:, cell] = words >> np.uint64(bits * (cells - 1 - cell)) & mask
        return rows
    digits = np.unpackbits(words, axis=1)
    if words.shape[1] <= MOST_IN_A_NUMBER:
        digits = digits[:, -bits * cells :]  # the last cell is in the lowest bits
    else:
        # Each 8 bytes hold as many whole cells as fit, in their lowest bits. The bits that are left over are unused.
        used = 64 // bits * bits
        digits = digits.reshape(len(words), -1, 64)[:, :, 64 - used :].reshape(len(words), -1)[:, : bits * cells]
    digits = digits.reshape(len(words), cells, bits)
    return np.packbits(np.concatenate([np.zeros((*digits.shape[:2], 8 - bits), np.uint8), digits], 2), axis=2)[:, :, 0]
