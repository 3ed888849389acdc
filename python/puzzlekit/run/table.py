"""The states of a job as a table: an Arrow stream for the libraries that read one, and plain buffers for all others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Table:
    """The states of a job, each once up to symmetry, with the columns of an export.

    Whatever takes an Arrow C stream reads it: `polars.DataFrame(table)`, `pyarrow.table(table)`,
    `pandas.DataFrame.from_arrow(table)`, and DuckDB by the name of the variable. It may be read more than once, and is
    read from the folder each time, a batch at a time.

    Args:
        read: Begins to read.
    """

    def __init__(self, read: Callable[[], Any]) -> None:
        self._read = read

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """A capsule with an Arrow C stream: `depth`, `state`, `orbit_size`, `outcome`, and `text` if asked for.

        A schema that is requested is not followed, which the protocol allows.
        """
        del requested_schema
        return self._read().capsule()

    def __iter__(self) -> Iterator[dict[str, memoryview]]:
        """The batches as buffers, by the names of the columns; `numpy.asarray` takes each as it is.

        `depth` and `orbit_size` are unsigned 32-bit numbers. `state` has unsigned 64-bit numbers, or rows of bytes
        where a packed state is wider. `outcome` has signed 16-bit numbers: places among the manifest's outcomes, and
        -1 where play goes on.
        """
        stream = self._read()
        while (row := stream.buffers()) is not None:
            depth, state, orbit_size, outcome, width = row
            yield {
                "depth": memoryview(depth).cast("I"),
                "state": memoryview(state).cast("Q") if width == 8 else _rows(state, width),
                "orbit_size": memoryview(orbit_size).cast("I"),
                "outcome": memoryview(outcome).cast("h"),
            }


def _rows(data: bytes, width: int) -> memoryview:
    shape: Any = (len(data) // width, width)
    return memoryview(data).cast("B", shape)
