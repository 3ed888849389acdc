"""Many states at a time, as arrays of bytes: their texts, successors, canonical forms, and ranks."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from puzzlekit import _core
from puzzlekit.errors import StateError, UsageError
from puzzlekit.run.checks import check_number
from puzzlekit.run.engine.compiled import Compiled
from puzzlekit.run.undone import undone

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Buffer

COLUMNS = ("rows", "parents", "moves")
"""The names of the three columns of successors."""

NUMBER_BYTES = 4
"""The bytes of a number in the columns of parents and moves."""


class ArrayEngine(Compiled):
    """Compiled rules that take arrays of states, one state in each row. `puzzlekit.Arrays` documents the methods."""

    @property
    def row_bytes(self) -> int:
        """The number of bytes in the row of a state."""
        return self.core.row_bytes

    def encode(self, states: Iterable[str]) -> memoryview:
        """States, given as texts, as rows of bytes."""
        if isinstance(states, str) or not isinstance(states, Iterable):
            raise StateError(f"states are given as {states!r}; give a list of texts")
        rows = bytearray()
        for state in states:
            cells, player = self.notation.read(state)
            rows += cells
            if self.notation.players:
                rows.append(player)
        return self._table(bytes(rows))

    def decode(self, rows: Buffer) -> list[str]:
        """The texts of the states in rows of bytes."""
        data, width, cells = self.rows(rows), self.core.row_bytes, self.notation.cells
        return [
            self.notation.write(data[at : at + cells], data[at + cells] if self.notation.players else 0)
            for at in range(0, len(data), width)
        ]

    def rows(self, rows: Buffer) -> bytes:
        """The bytes of an array of states, after a check of its form.

        Raises:
            StateError: It is no array of bytes, or its rows have another length.
        """
        width = self.core.row_bytes
        try:
            view = memoryview(rows)
        except TypeError:
            raise StateError(
                f"states are given as {type(rows).__name__}; give an array of bytes, as encode makes"
            ) from None
        if view.format not in ("B", "b", "c") or view.itemsize != 1:
            raise StateError(f'an array of states has the type "{view.format}"; give unsigned bytes (numpy.uint8)')
        if view.ndim > 2 or (view.ndim == 2 and (view.shape or (0, 0))[1] != width) or view.nbytes % width:
            raise StateError(f"an array of states has the shape {view.shape}; give rows of {width} bytes")
        return view.tobytes()

    def expand(
        self, rows: Buffer, out: tuple[Buffer, Buffer, Buffer] | None = None
    ) -> tuple[memoryview, memoryview, memoryview]:
        """The successors of many states, each with the row of the state before it and the number of the move."""
        if out is None:
            made = self.core.expand(self.rows(rows))
            children, parents, moves = (memoryview(column).toreadonly() for column in made)
            return self._table(children), parents.cast("I"), moves.cast("I")
        places = self._places(out)
        width = self.core.row_bytes
        count = self.core.expand_into(self.rows(rows), *places)
        children, parents, moves = places
        return (
            self._table(children[: count * width]),
            parents[: count * NUMBER_BYTES].cast("I"),
            moves[: count * NUMBER_BYTES].cast("I"),
        )

    def _places(self, out: tuple[Buffer, Buffer, Buffer]) -> tuple[memoryview, memoryview, memoryview]:
        """Checks three arrays that a caller gives for results, and returns them as bytes to be written."""
        if not isinstance(out, tuple | list) or len(out) != len(COLUMNS):
            raise UsageError(f"out is {out!r:.80}; give three arrays: for the rows, the parents and the moves")
        views = []
        for array_of, name, size in zip(out, COLUMNS, (1, NUMBER_BYTES, NUMBER_BYTES), strict=True):
            try:
                view = memoryview(array_of)
            except TypeError:
                raise UsageError(
                    f"out for {name} is {type(array_of).__name__}; give an array, as numpy.empty"
                ) from None
            if view.readonly or not view.c_contiguous or view.itemsize != size or view.format in ("f", "d", "?"):
                raise UsageError(
                    f"out for {name} cannot be written as numbers of {size * 8} bits; "
                    f"give an array of numpy.uint{size * 8} in C order"
                )
            views.append(view.cast("B") if view.nbytes else memoryview(bytearray()))
        children, parents, moves = views
        return children, parents, moves

    @cached_property
    def _back(self) -> _core.Engine | None:
        """The rules of play that goes back, compiled; `None` if some move cannot be undone."""
        back = undone(json.loads(self.rules_json))
        return None if back is None else _core.Engine(json.dumps(back))

    @property
    def undoes(self) -> bool:
        """`True` if `undo` can undo all moves."""
        return self._back is not None

    def undo(self, rows: Buffer) -> tuple[memoryview, memoryview]:
        """The states before many states, each with the row of the state after it.

        Play may be over in them, and some may be such as play never reaches.

        Raises:
            UsageError: Some move cannot be undone.
        """
        if self._back is None:
            raise UsageError("some move of these rules cannot be undone; ask undoes first")
        before, after, _ = (memoryview(column).toreadonly() for column in self._back.expand(self.rows(rows)))
        return self._table(before), after.cast("I")

    def canonical_rows(self, rows: Buffer) -> memoryview:
        """The canonical forms of many states."""
        return self._table(self.core.canonical_rows(self.rows(rows)))

    def all_reached(
        self, max_states: int, memory: int, watch: Callable[[_core.Progress], object]
    ) -> tuple[_core.ReachedGraph | None, int]:
        """All states that play can reach, or `None` if there are more than the limits allow; and how many were found.

        Raises:
            LimitError: The watch stopped it.
        """
        return self.core.all_reached(max_states, memory, watch)

    def index_length(self) -> int:
        """The length of the perfect index: all numbers in it are below this one."""
        return self.core.index_length()

    def rank_rows(self, rows: Buffer) -> memoryview:
        """The numbers of many states in the perfect index."""
        return memoryview(self.core.rank_rows(self.rows(rows))).cast("Q")

    def unrank_rows(self, numbers: Iterable[int]) -> memoryview:
        """The states that have the given numbers in the perfect index."""
        given = list(numbers)
        for number in given:
            check_number("number", number, 0, 2**64 - 1)
        return self._table(self.core.unrank_rows(array("Q", given).tobytes()))

    def _table(self, data: bytes | memoryview) -> memoryview:
        width = self.core.row_bytes
        # A memoryview cannot have a dimension of length 0, so an empty result keeps one dimension.
        return memoryview(data).cast("B", (len(data) // width, width)) if data else memoryview(data)
