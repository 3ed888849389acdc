"""Tables for notebooks, with every text escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from puzzlekit.draw.svg import clean

if TYPE_CHECKING:
    from collections.abc import Sequence


def text(given: object, tag: str = "p") -> str:
    """A text as an element of HTML, escaped.

    >>> text("<b>", "td")
    '<td>&lt;b&gt;</td>'
    """
    return f"<{tag}>{escape(clean(str(given)))}</{tag}>"


def table(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table in HTML. Whole numbers are written with commas.

    >>> table(["a"], [[1000]])
    '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1,000</td></tr></tbody></table>'
    """
    head = "".join(text(header, "th") for header in headers)
    body = "".join(f"<tr>{''.join(text(_shown(cell), 'td') for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _shown(cell: object) -> object:
    return f"{cell:,}" if isinstance(cell, int) else cell
