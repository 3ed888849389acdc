"""When a look-up must be done: whoever has a limit of time says so, and what waits for a host heeds it."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

END: ContextVar[float | None] = ContextVar("END", default=None)
"""When the look-up must be done that is being made, by `time.monotonic`."""


@contextmanager
def until(end: float | None) -> Iterator[None]:
    """What is looked up meanwhile must be done by some time; a host is not waited for any longer."""
    token = END.set(end)
    try:
        yield
    finally:
        END.reset(token)
