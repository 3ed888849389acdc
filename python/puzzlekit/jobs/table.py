"""The states of a job as a table: an Arrow stream for libraries that read Arrow, and plain buffers for all others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Table:
    """The states of a job, each once up to symmetry, with the columns of an export.

    Everything that takes an Arrow C stream reads it: `polars.DataFrame(table)`, `pyarrow.table(table)`,
    `pandas.DataFrame.from_arrow(table)`, and DuckDB by the name of the variable. It may be read more than once. Each
    time, it is read from the folder, a batch at a time.

    Args:
        read: Begins to read.
    """

    def __init__(self, read: Callable[[], Any]) -> None:
        self._read = read

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """A capsule with an Arrow C stream: `depth`, `state`, `orbit_size`, `outcome`, and `text` if asked for.

        A job with the values of all states has `value` and `distance`, too.

        A requested schema is ignored, which the protocol allows.
        """
        del requested_schema
        return self._read().capsule()

    def __array__(self, *_: object, **__: object) -> NoReturn:
        """Refuses to be one array: without that, `pandas.DataFrame(table)` would take the batches for its rows.

        Raises:
            TypeError: Always; it names what reads a table.
        """
        raise TypeError(
            "a table of states is no array; read it with pandas.DataFrame.from_arrow, polars.DataFrame, pyarrow.table "
            "or DuckDB, or take the columns of each batch that it gives one after another"
        )

    def stream(self) -> Any:  # noqa: ANN401 - the engine's own class
        """Begins to read: the batches as the engine hands them out."""
        return self._read()

    def __iter__(self) -> Iterator[dict[str, memoryview]]:
        """The batches as buffers, by the names of the columns. `numpy.asarray` takes each buffer as it is.

        `depth` and `orbit_size` are unsigned 32-bit numbers. `state` has unsigned 64-bit numbers, or rows of bytes if a
        packed state is wider. `outcome` has signed 16-bit numbers: places among the manifest's outcomes, and -1 if play
        goes on. If the job has values, `value` has such numbers, too: places among win, draw and loss, or among
        solvable and unsolvable in a puzzle. `distance` has signed 32-bit numbers, -1 where there is none; games with a
        score have `score` in its place.
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
