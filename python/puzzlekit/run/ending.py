"""The watch that ends a wait. Code with a time limit or a watch sets it, and code that waits for a host asks it."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from puzzlekit.run.solver import Deadline

ENDS: ContextVar[Deadline | None] = ContextVar("ENDS", default=None)
"""The watch of the present work; `None` if nothing ends it."""


@contextmanager
def within(deadline: Deadline) -> Iterator[None]:
    """Inside the `with`, no wait for a host goes on when `deadline` says that the time is over, or to stop."""
    token = ENDS.set(deadline)
    try:
        yield
    finally:
        ENDS.reset(token)
