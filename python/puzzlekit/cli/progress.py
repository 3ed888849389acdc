"""Progress on stderr: a live line on a terminal, and elsewhere a plain line every half minute. Short runs show none."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from puzzlekit.cli.output import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.live import Live

    from puzzlekit.run.report import Progress

FIRST_AFTER = 1.0
PLAIN_EVERY = 30.0


class ProgressLine:
    """Shows how far a run is, inside a `with`.

    Args:
        tell: Makes the line, from the progress and the seconds that its depth has taken so far. If it is `None`,
            `describe` makes the line.
    """

    def __init__(self, tell: Callable[[Progress, float], str] | None = None) -> None:
        self._tell = tell or describe
        self._terminal = sys.stderr.isatty()
        self._live: Live | None = None
        self._begun = self._shown = time.monotonic()
        self._depth = -1
        self._depth_begun = self._begun

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._live.stop()

    def show(self, progress: Progress) -> None:
        """Takes note of the progress, and shows it if it is time."""
        now = time.monotonic()
        if progress.depth != self._depth:
            self._depth, self._depth_begun = progress.depth, now
        if self._terminal:
            if now - self._begun >= FIRST_AFTER:
                self._show_live(self._tell(progress, now - self._depth_begun))
        elif now - self._shown >= PLAIN_EVERY:
            self._shown = now
            say(self._tell(progress, now - self._depth_begun))

    def _show_live(self, line: str) -> None:
        from rich.text import Text

        if self._live is None:
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), auto_refresh=False, transient=True)
            self._live.start()
        self._live.update(Text(line, no_wrap=True, overflow="ellipsis"), refresh=True)


def describe(progress: Progress, depth_seconds: float) -> str:
    """One line: depth, how much of it is expanded, states, speed, memory, and when the depth is expected to be done."""
    parts = [f"depth {progress.depth}"] if progress.frontier else []
    if depth_seconds > 0 and progress.expanded:
        speed = progress.expanded / depth_seconds
        if progress.frontier:
            parts.append(f"{(progress.frontier - progress.expanded) / speed:,.0f} s left in it")
            parts.append(f"{progress.expanded:,}/{progress.frontier:,}")
        parts.append(f"{speed:,.0f}/s")
    parts.append(f"{progress.states:,} states")
    if (skew := getattr(progress, "skew", 1.0)) > 1:
        parts.append(f"largest shard {skew:.2f} times the average")
    if waiting := getattr(progress, "waiting", ()):
        more = f" and {len(waiting) - 1} more" if len(waiting) > 1 else ""
        parts.append(f"waiting for shard {waiting[0]}{more}")
    if progress.store_bytes:
        parts.append(f"{progress.store_bytes / 2**20:,.0f} MiB")
    return ", ".join(parts)
