"""The function that watches a run and may stop it, and how the compiled engine calls it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from puzzlekit.run.checks import check_watch

if TYPE_CHECKING:
    from collections.abc import Callable

    from puzzlekit.run.progress import Progress


class Watch(Protocol):
    """A function that is called with the progress of a run. If it returns something true, the run stops."""

    def __call__(self, progress: Progress, /) -> bool | None:
        """Takes note of the progress, and returns `True` to stop the run."""


def looked(watch: Watch | None) -> Callable[[Any], object] | None:
    """Wraps a watch for the compiled engine, which calls it with an object that has the attributes of `Progress`."""
    check_watch(watch)
    if watch is None:
        return None

    def look(seen: Any) -> object:  # noqa: ANN401 - run/engine/ alone knows its type
        from puzzlekit.run.progress import Progress  # imported here, because short runs end before they are watched

        return watch(Progress(*(getattr(seen, name) for name in Progress.__dataclass_fields__)))

    return look
