"""The counts on the page Explore: the states at each depth, and the hardest states, counted now or read from a job."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from puzzlekit.errors import LimitError
from puzzlekit.jobs.job import Job
from puzzlekit.run import overridable
from puzzlekit.run.progress import Progress
from puzzlekit.run.temporary import temporary_folder
from puzzlekit.web.shown import symbols_of

if TYPE_CHECKING:
    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.watch import Watch
    from puzzlekit.web.limits import Limits

HARDEST = 6
"""The number of hardest states that are shown."""

DISK = 10**9
"""The most bytes of the temporary files of a count."""


@dataclass(frozen=True)
class Counter:
    """Counts the states of puzzles.

    Attributes:
        limits: What a request may cost.
        watch: Takes note of progress, and says whether to stop.
    """

    limits: Limits
    watch: Watch

    def count(self, puzzle: Puzzle) -> dict[str, Any]:
        """The counts of an enumeration that runs now.

        Raises:
            LimitError: There are too many states, or the watch stopped the count.
        """
        most, known = self.limits.states, overridable.count_reachable(puzzle)
        if known is not None and known > most:
            raise LimitError(f"{puzzle} has {known:,} states, and the page counts up to {most:,}; use the command line")

        def watch(progress: Progress) -> bool:
            return bool(self.watch(progress)) or progress.states > most

        with temporary_folder() as place:
            report = puzzle.enumerate(
                backward=not puzzle.engine.is_game and bool(overridable.rules(puzzle).goal),
                threads=1,
                memory=self.limits.memory,
                disk=DISK,
                watch=watch,
                out=Path(place) / "job",
            )
            if self.watch(Progress()):
                raise LimitError("the count was stopped")
            found = self.kept(puzzle, str(Path(place) / "job"))
        return found | {"unsolvable": report.raw_unsolvable}

    def kept(self, puzzle: Puzzle, folder: str) -> dict[str, Any]:
        """The counts that a job has kept."""
        job = Job(folder, lambda _: puzzle)
        kept = job.status()
        hardest = job.hardest(HARDEST, watch=self.watch) if kept["depths"] else []
        return {
            "backward": job.backward,
            "complete": kept["complete"],
            "depths": [{name: depth[name] for name in ("depth", "states", "raw_states")} for depth in kept["depths"]],
            "states": sum(depth["states"] for depth in kept["depths"]),
            "raw_states": sum(depth["raw_states"] for depth in kept["depths"]),
            "unsolvable": None,
            "hardest": [
                {"state": hard.state, "depth": hard.depth, "cells": symbols_of(puzzle, hard.state)} for hard in hardest
            ],
        }
