"""The states of a job as a table: as an Arrow stream for libraries that read Arrow, and as plain buffers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Table:
    """The states of a job, one for each orbit if it counts up to symmetry, with the columns of an export.

    Libraries that take Arrow C streams read it: `polars.DataFrame(table)`, `pyarrow.table(table)`,
        `pandas.DataFrame.from_arrow(table)`, and DuckDB by the name of the variable. It may be read several times. Each
        time, the states are read from the folder, batch by batch.

    Args:
        read: Called each time the states are to be read; it returns a new stream.
    """

    def __init__(self, read: Callable[[], Any]) -> None:
        self._read = read

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """A capsule with an Arrow C stream: `depth`, `state`, `orbit_size`, `outcome`, and `text` if asked for.

        If the job has the values of all states, there are also `value` and `distance`.

        The requested schema is ignored, as the protocol allows.
        """
        del requested_schema
        return self._read().capsule()

    def __array__(self, *_: object, **__: object) -> NoReturn:
        """Refuses to be an array. Otherwise, `pandas.DataFrame(table)` would take the batches for its rows.

        Raises:
            TypeError: Always; the message says how to read a table.
        """
        raise TypeError(
            "a table of states is no array; read it with pandas.DataFrame.from_arrow, polars.DataFrame, pyarrow.table "
            "or DuckDB, or take the columns of each batch that it gives one after another"
        )

    def stream(self) -> Any:  # noqa: ANN401 - the engine's own class
        """Begins to read, and returns the engine's stream of batches."""
        return self._read()

    def __iter__(self) -> Iterator[dict[str, memoryview]]:
        """The batches, each a dictionary from the names of columns to buffers, which `numpy.asarray` takes as they are.

        `depth` and `orbit_size` are unsigned 32-bit numbers. `state` has unsigned 64-bit numbers, or rows of bytes if a
        packed state is wider. `outcome` has signed 16-bit numbers: the place of the outcome in the manifest's list, or
        -1 if play goes on. If the job has values, `value` has signed 16-bit numbers, too: the place of the value among
        win, draw and loss, or in a puzzle among solvable and unsolvable. `distance` has signed 32-bit numbers, -1 if
        there is none. In games with a score, `score` replaces it.
        """
        stream = self._read()
        while (batch := stream.buffers()) is not None:
            states, width = batch.states, batch.state_bytes
            batch_of = {
                "depth": memoryview(batch.depths).cast("I"),
                "state": memoryview(states).cast("Q") if width == 8 else _rows(states, width),
                "orbit_size": memoryview(batch.orbit_sizes).cast("I"),
                "outcome": memoryview(batch.outcomes).cast("h"),
            }
            if batch.values is not None:
                batch_of["value"] = memoryview(batch.values).cast("h")
            for name, numbers in (("distance", batch.distances), ("score", batch.scores)):
                if numbers is not None:
                    batch_of[name] = memoryview(numbers).cast("i")
            yield batch_of


def _rows(data: bytes, width: int) -> memoryview:
    shape: Any = (len(data) // width, width)
    return memoryview(data).cast("B", shape)
