"""`transitions`: all states of a puzzle with their moves, from a job in a temporary folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from puzzlekit.errors import LimitError
from puzzlekit.jobs.job import Job
from puzzlekit.jobs.transitions import Transitions
from puzzlekit.run.checks import check_is_puzzle, check_number
from puzzlekit.run.temporary import temporary_folder

if TYPE_CHECKING:
    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.progress import Progress
    from puzzlekit.run.watch import Watch


def transitions(
    puzzle: Puzzle, *, symmetry: bool = False, max_states: int = 2_000_000, watch: Watch | None = None
) -> Transitions:
    """All states that play can reach from the start, and the moves between them, as arrays. It needs NumPy.

    >>> import puzzlekit
    >>> found = puzzlekit.transitions(puzzlekit.load("slider:2,3"))
    >>> len(found), len(found.successors), found.texts([0, 1])
    (360, 840, ['012/345', '102/345'])
    >>> found.successors[found.indptr[0] : found.indptr[1]].tolist()
    [1, 2]

    Args:
        puzzle: The puzzle.
        symmetry: Whether to keep only one state of each orbit. A move then leads to the state that stands for the orbit
            of the successor.
        max_states: The most states that play may reach.
        watch: As in `Puzzle.enumerate`.

    Raises:
        LimitError: There are more states, or the watch stopped the search.
    """
    check_is_puzzle(puzzle)
    check_number("max_states", max_states, 1, 2**40)
    with temporary_folder() as folder:
        job = counted_for_now(puzzle, folder, symmetry=symmetry, most=max_states, watch=watch)
        return Transitions.of_job(job, watch=watch)


def counted_for_now(puzzle: Puzzle, folder: str, *, symmetry: bool, most: int, watch: Watch | None = None) -> Job:
    """Counts a whole puzzle in a job whose folder is temporary, and returns the job.

    Raises:
        LimitError: There are more than `most` states, or the watch stopped the search.
    """
    over = False

    def look(progress: Progress) -> bool:
        nonlocal over
        over = progress.states > most
        return over or bool(watch is not None and watch(progress))

    report = puzzle.enumerate(out=f"{folder}/job", symmetry=symmetry, watch=look)
    if over or report.states > most:
        raise LimitError(f"{puzzle} has more than {most:,} states; count it into a folder first (enumerate --out)")
    if not report.complete:
        raise LimitError(f"the count of {puzzle} was stopped before all states were found ({report.stopped})")
    return Job(f"{folder}/job", lambda _: puzzle)
