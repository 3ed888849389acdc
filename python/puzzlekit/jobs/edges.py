"""The moves between the states of a job: for each, the numbers of two rows of the table of states, and the move."""

from __future__ import annotations

import csv
import os
import struct
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from puzzlekit.errors import DiskError, JobError, LimitError, UsageError
from puzzlekit.run.engine.machine import memory_limit
from puzzlekit.run.memory import held_bytes
from puzzlekit.run.report import Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from io import BufferedWriter

    from puzzlekit.jobs.table import Table
    from puzzlekit.run.engine import Engine
    from puzzlekit.run.report import Watch

FORMATS = ("csv", "npy")

BLOCK = 1 << 12
"""The number of states that are expanded at a time."""

STATE_BYTES = 220
"""About how many bytes a state takes beside its cells. Used on systems that do not tell how much memory is held."""


class Edge(NamedTuple):
    """A move from a state to another.

    Attributes:
        state: The row of the state, counted from 0.
        move: The name of the move, as it is made in the state of that row.
        successor: The row of the state after the move, or of the smallest of its images.
    """

    state: int
    move: str
    successor: int


def edges(
    engine: Engine, states: Table, *, symmetry: bool, memory: int | str | None = None, watch: Watch | None = None
) -> Iterator[Edge]:
    """The moves from all states of a table to states of the table, in order of the rows and then of the moves.

    Raises:
        LimitError: The states do not fit the memory, or the watch stopped it.
    """
    limit = memory_limit(memory)

    def check(done: int, held: int) -> None:
        if watch is not None and watch(Progress(expanded=done, frontier=held if done else 0, states=held)):
            raise LimitError("stopped before all moves were listed")
        taken = held_bytes() or held * (STATE_BYTES + engine.row_bytes)
        if taken > limit:
            raise LimitError(
                f"{taken:,} bytes of memory are held with {held:,} states, and {limit:,} may be; give more memory"
            )

    numbers: dict[bytes, int] = {}
    for row in _rows(engine, states):
        numbers[row] = len(numbers)
        if len(numbers) % BLOCK == 0:
            check(0, len(numbers))
    names, width = engine.move_names, engine.row_bytes
    rows, first = iter(numbers), 0
    while block := list(islice(rows, BLOCK)):
        check(first, len(numbers))
        children, parents, moves = engine.expand(b"".join(block))
        smallest = bytes(engine.canonical_rows(children) if symmetry else children)
        each = zip(parents, moves, strict=True)
        for (child,), (parent, move) in zip(struct.iter_unpack(f"{width}s", smallest), each, strict=True):
            successor = numbers.get(child)
            if successor is not None:
                yield Edge(first + parent, names[move], successor)
        first += len(block)


def _rows(engine: Engine, states: Table) -> Iterator[bytes]:
    """Each state of a table as a byte for each cell, and in a game one more for the player to move."""
    unpack = _unpacker(engine)
    players = [b"\0", b"\1"] if engine.is_game else [b"", b""]
    for batch in states:
        packed = batch["state"]
        if packed.format == "Q":
            numbers: Iterable[int | bytes] = packed.tolist()
        else:
            data, width = packed.tobytes(), (packed.shape or (0, 0))[1]
            numbers = (data[at : at + width] for at in range(0, len(data), width))
        for depth, number in zip(batch["depth"], numbers, strict=True):
            yield unpack(number) + players[depth % 2]


def _unpacker(engine: Engine) -> Callable[[int | bytes], bytes]:
    """A function that returns the symbols of a packed state; docs/tables.md explains how states are packed."""
    cells, symbols = engine.notation.cells, len(engine.notation.symbols)
    bits = max((symbols - 1).bit_length(), 1)
    mask = (1 << bits) - 1
    shifts = [bits * (cells - 1 - cell) for cell in range(cells)]
    each = 64 // bits

    def unpack(state: int | bytes) -> bytes:
        if isinstance(state, bytes) and len(state) > 16:
            # A wide state is several integers of 64 bits, each filled from the top. No cell is split between two.
            limbs = [int.from_bytes(state[at : at + 8]) for at in range(0, len(state), 8)]
            places = (divmod(cell, each) for cell in range(cells))
            return bytes(limbs[limb] >> (each - 1 - place) * bits & mask for limb, place in places)
        number = int.from_bytes(state) if isinstance(state, bytes) else state
        return bytes([number >> shift & mask for shift in shifts])

    return unpack


def check_symmetry(engine: Engine, subject: dict[str, object]) -> None:
    """Checks that a job counts up to the same symmetries that `canonical_rows` uses to find a state's smallest image.

    Raises:
        UsageError: The rules have symmetries that swap the players.
    """
    if subject["symmetry"] and subject["symmetry_order"] != engine.symmetry_order:
        raise UsageError(
            "some symmetries of the rules swap the players, and the job does not count by these, so the smallest "
            "images are not its states; count with --no-symmetry"
        )


def write(to: str, form: str, found: Iterable[Edge], names: list[str]) -> int:
    """Writes moves to a new file, which gets its name when it is whole. Returns how many there are.

    Raises:
        UsageError: There is no such format.
        JobError: The file is there already.
        DiskError: The file cannot be written.
    """
    if form not in FORMATS:  # among them parquet, which the engine writes for states
        raise UsageError(f"moves are not written as {form!r}; give one of {', '.join(FORMATS)}")
    if os.path.lexists(to):
        raise JobError(f"{to} is there already; give the name of a new file")
    part = f"{to}.{os.getpid()}.part"
    try:
        try:
            with open(part, "xb") as file:
                count = _write_csv(file, found) if form == "csv" else _write_npy(file, found, names)
                file.flush()
                os.fsync(file.fileno())
            os.rename(part, to)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(part)
    except OSError as error:
        raise DiskError(f"{to} cannot be written: {error.strerror or error}; give another place") from error
    return count


def _write_csv(file: BufferedWriter, found: Iterable[Edge]) -> int:
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
"""The length of the head of an npy file, with room for any number of rows."""


def _write_npy(file: BufferedWriter, found: Iterable[Edge], names: list[str]) -> int:
    """One structured array: two unsigned numbers of 64 bits, and between them the move's name as text."""
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
