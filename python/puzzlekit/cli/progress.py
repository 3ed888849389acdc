"""Shows progress on stderr: a live line on a terminal, elsewhere a line every half minute, for short runs nothing."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING

from puzzlekit.cli.output import say
from puzzlekit.run.checks import check_seconds
from puzzlekit.run.memory import held_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.live import Live

    from puzzlekit.run.progress import Progress

FIRST_AFTER = 0.5
PLAIN_EVERY = 30.0

LIVE_EVERY = 0.05
"""The least seconds between two lines on a terminal."""

PATIENCE = 5.0
"""The seconds after a limit of time at which a message says that the solver has not stopped. A plugin's solver may
ignore its limits."""

LEAST = 0.01
"""The share of all states after which the remaining time is estimated. Before that, depths are small and slow."""

BAR = 24
"""The number of columns of the progress bar, on a terminal that is wide enough."""


class ProgressLine:
    """Shows the progress of a run, inside a `with`.

    Args:
        tell: Makes the text of the line from the progress and the seconds that its depth has taken so far. If it is
            `None`, `describe` does.
        total: About how many states there are in all, if that is known. Then the line shows how much time is left for
            all, and on a terminal it begins with a bar.
        limit: The seconds after which the run has to end, if there is such a limit.
        quiet: Whether nothing is to be shown.

    Raises:
        UsageError: The limit is no time in seconds.
    """

    def __init__(
        self,
        tell: Callable[[Progress, float], str] | None = None,
        *,
        total: int | None = None,
        limit: float | None = None,
        quiet: bool = False,
    ) -> None:
        check_seconds("--seconds", limit)
        self._tell = tell or describe
        self._total = total
        self._limit = limit
        self._quiet = quiet
        self._before: float | None = None  # the part of all states that an earlier run has expanded
        self._terminal = sys.stderr.isatty()
        self._live: Live | None = None
        self._at_most = 0
        self._begun = self._shown = time.monotonic()
        self._depth = -1
        self._depth_begun = self._begun
        self._over: threading.Timer | None = None

    def __enter__(self) -> ProgressLine:
        if self._limit is not None:
            late = f"the {self._limit:g} seconds of --seconds are over, and the solver runs on; Ctrl-C ends it"
            self._over = threading.Timer(min(self._limit + PATIENCE, threading.TIMEOUT_MAX), say, [late])
            self._over.daemon = True
            self._over.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._over:
            self._over.cancel()
        if self._live:
            self._live.stop()

    def show(self, progress: Progress) -> None:
        """Takes the latest progress, and shows it if enough time has passed."""
        if self._quiet:
            return
        now = time.monotonic()
        if self._before is None:
            self._before = whole_part(progress, self._total) or 0.0
        if progress.depth != self._depth:
            self._depth, self._depth_begun = progress.depth, now
        if self._terminal:
            if now - self._begun >= FIRST_AFTER:
                if progress.at_most not in (0, self._at_most):
                    self._at_most = progress.at_most
                    say(f"{known(progress)}, after {now - self._begun:.1f} s")
                if self._live is None or now - self._shown >= LIVE_EVERY:
                    self._shown = now
                    self._show_live(self._line(progress, now), whole_part(progress, self._total))
        elif now - self._shown >= PLAIN_EVERY:
            self._shown = now
            say(self._line(progress, now))

    def _line(self, progress: Progress, now: float) -> str:
        """The progress in words: of the whole run if the number of all states is known, otherwise of a depth."""
        elapsed = now - self._begun
        whole = whole_part(progress, self._total)
        if whole is None or self._before is None or whole <= self._before + LEAST or not self._total:
            rest = "" if self._limit is None else f", {clock(max(0.0, self._limit - elapsed))} left"
            return f"{clock(elapsed)}{rest}, {self._tell(progress, now - self._depth_begun)}"
        speed = (whole - self._before) / max(elapsed, 1e-9)
        parts = [f"{100 * whole:.0f} %", clock(elapsed), f"{clock((1 - whole) / speed)} left"]
        parts += [f"{speed * self._total:,.0f} states/s", describe(progress, 0)]
        return ", ".join(parts)

    def _show_live(self, line: str, part: float | None) -> None:
        import shutil

        from rich.text import Text

        if self._live is None:
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), auto_refresh=False, transient=True)
            self._live.start()
        shown, columns = Text(no_wrap=True, overflow="ellipsis"), shutil.get_terminal_size().columns
        if part is not None and columns > 3 * BAR:
            done = round(BAR * part)
            shown.append("━" * done, "green").append("━" * (BAR - done), "bright_black").append(" ")
        self._live.update(shown.append(fitting(line, columns - len(shown))), refresh=True)


def fitting(line: str, columns: int) -> str:
    """As many parts of a line, from the first on, as fit into the given columns. So no number is cut off.

    >>> fitting("0:07, 1,234 states/s, 5,678 states", 30), fitting("0:07", 3)
    ('0:07, 1,234 states/s', '0:07')
    """
    first, *parts = line.split(", ")
    for part in parts:
        if len(first) + len(part) + 2 > columns:
            break
        first += f", {part}"
    return first


def whole_part(progress: Progress, total: int | None) -> float | None:
    """The share of all states that has been expanded; `None` if it is not known, or if none has been.

    >>> from puzzlekit.run.progress import Progress
    >>> whole_part(Progress(depth=3, frontier=40, expanded=10, states=80), 200)
    0.25
    """
    if progress.wanted:
        return None
    done = progress.states - progress.frontier + min(progress.expanded, progress.frontier)
    return min(done / total, 1.0) if total and done > 0 else None


def clock(seconds: float) -> str:
    """A time in seconds, in the form that a clock shows.

    >>> clock(7.4), clock(125), clock(7325), clock(10**7)
    ('0:07', '2:05', '2:02:05', '115 days')
    """
    whole = int(seconds)
    if whole >= 2 * 86_400:
        return f"{whole // 86_400:,} days"
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def known(progress: Progress) -> str:
    """The bounds that a search for the fewest moves has found, in words.

    >>> from puzzlekit.run.progress import Progress
    >>> known(Progress(at_most=24, at_least=17)), known(Progress(at_most=1))
    ('at most 24 moves, at least 17', 'at most 1 move, at least 0')
    """
    moves = "move" if progress.at_most == 1 else "moves"
    return f"at most {progress.at_most} {moves}, at least {progress.at_least}"


def describe(progress: Progress, depth_seconds: float) -> str:
    """A line with the depth, its share that is expanded, the speed, the time left, the states and the memory.

    In a search for the fewest moves, it begins with what is known about their number.

    >>> from puzzlekit.run.progress import Progress
    >>> describe(Progress(states=5000, at_most=24, at_least=17), 0)
    'at most 24 moves, at least 17, 5,000 states'

    While values are found, it has the step, the states whose values are known, and the memory of the process:

    >>> line = describe(Progress(depth=2, frontier=80, expanded=20, states=300, wanted=5000), 0.5)
    >>> line.rpartition(", ")[0]
    'values, step 2, 20/80 of it in 0:01, 40 states/s, 300 of 5,000 states known'
    """
    parts = [f"{'values, step' if progress.wanted else 'depth'} {progress.depth}"] if progress.frontier else []
    if progress.at_most:
        parts.insert(0, known(progress))
    if depth_seconds > 0 and progress.expanded:
        speed = progress.expanded / depth_seconds
        if progress.frontier:
            left = clock((progress.frontier - progress.expanded) / speed)
            parts.append(f"{progress.expanded:,}/{progress.frontier:,} of it in {left}")
        parts.append(f"{speed:,.0f} states/s")
    known_states = f"{progress.states:,} of {progress.wanted:,} states known"
    parts.append(known_states if progress.wanted else f"{progress.states:,} states")
    if (skew := getattr(progress, "skew", 1.0)) > 1:
        parts.append(f"largest shard {skew:.2f} times the average")
    if waiting := getattr(progress, "waiting", ()):
        more = f" and {len(waiting) - 1} more" if len(waiting) > 1 else ""
        parts.append(f"waiting for shard {waiting[0]}{more}")
    if memory := _memory(progress):
        parts.append(f"{memory / 2**20:,.0f} MiB")
    return ", ".join(parts)


def _memory(progress: Progress) -> int:
    """The bytes of memory that the line shows: those of the store; while values are found, those of the process.

    The store may have reserved memory that it has not touched. So the line never shows more than the process holds,
    except for a job in shards, whose stores are in other processes.
    """
    held = 0 if hasattr(progress, "skew") else held_bytes()
    if progress.wanted:
        return held
    return min(progress.store_bytes, held) if held else progress.store_bytes
