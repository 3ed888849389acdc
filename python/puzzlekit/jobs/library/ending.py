"""The time by which a look-up must end. Code with a time limit sets it, and code that waits for a host reads it."""

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
    """Inside the `with`, no look-up waits for a host beyond `end` (by `time.monotonic`); `None` means no limit."""
    token = END.set(end)
    try:
        yield
    finally:
        END.reset(token)
