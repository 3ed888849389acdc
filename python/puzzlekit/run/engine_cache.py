"""A cache of compiled engines by text id, so that `serve`, or one play after another, compiles each puzzle once."""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from puzzlekit.run.engine import Engine

MOST_ENGINES = 16
"""The number of engines that are kept. The engines of large rules hold some megabytes each."""

_lock = threading.Lock()


class _Slot:
    """A place in the cache for one engine, with a lock that is held while the engine is compiled.

    Each engine has its own lock. So a thread waits only for the engine that it asks for.
    """

    def __init__(self) -> None:
        # The lock can be taken again by the same thread. If rules ask for their own engine while they are compiled,
        # this fails with an error instead of waiting for ever.
        self.lock = threading.RLock()
        self.engine: Engine | None = None


@lru_cache(maxsize=MOST_ENGINES)
def _slot(kind: type, text: str) -> _Slot:
    del kind, text  # together they are the key
    return _Slot()


def compiled(kind: type, text: str, make: Callable[[], Engine]) -> Engine:
    """The engine of a puzzle, made when it is first asked for. The engines that were used last are kept.

    If several threads ask for the same engine at once, one makes it and the others wait.

    Args:
        kind: The puzzle's type, since two types may have one id (a file that was edited and read again).
        text: The puzzle's text id.
        make: Compiles the engine. An error that it raises is passed on, and the next call tries again.
    """
    with _lock:
        slot = _slot(kind, text)
    with slot.lock:
        if slot.engine is None:
            slot.engine = make()
        return slot.engine
