"""The time at which a look-up has to end. Code with a limit of time sets it; code that waits for a host obeys it."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

END: ContextVar[float | None] = ContextVar("END", default=None)
"""The time by which the present look-up must be done, by `time.monotonic`; `None` if there is no limit."""


@contextmanager
def until(end: float | None) -> Iterator[None]:
    """Within the block, no look-up waits for a host beyond `end`, by `time.monotonic`; `None` sets no such limit."""
    token = END.set(end)
    try:
        yield
    finally:
        END.reset(token)
