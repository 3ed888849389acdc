"""Tables of text in aligned columns, for reports that are printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


def in_columns(headers: Sequence[str], rows: Sequence[Sequence[str]], numbers: Collection[int] = ()) -> list[str]:
    """The lines of a table. Columns of `numbers` are aligned right.

    >>> in_columns(["depth", "name"], [["10", "a"], ["9", "bc"]], numbers=[0])
    ['depth  name', '   10  a', '    9  bc']
    """
    widths = [max(map(len, column)) for column in zip(headers, *rows, strict=True)]
    return [
        "  ".join(
            text.rjust(width) if at in numbers else text.ljust(width)
            for at, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (headers, *rows)
    ]


def shown(cell: object) -> str:
    """The text of a cell of a table: whole numbers have commas between thousands."""
    return f"{cell:,}" if isinstance(cell, int) else str(cell)
