"""The puzzles of a server: the ids that a request may use, and where each is found. A request never names a file."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from puzzlekit.errors import JobError, UsageError
from puzzlekit.jobs.job import Job
from puzzlekit.puzzle import declaration
from puzzlekit.puzzle.kept_puzzle import KeptPuzzle

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from puzzlekit.plugins.loader import Plugins
    from puzzlekit.puzzle.puzzle import Puzzle


@dataclass(frozen=True)
class Offer:
    """A puzzle that a server has.

    Attributes:
        id: The puzzle's id, by which requests name it. A request may add parameters to the id.
        text: The text id that the page shows first.
        locator: The file that defines the puzzle and the name of its class, as `./mine.py:Mine`; empty if a plugin
            brings it.
        job: The folder of a job that has counted the puzzle `text`; empty if there is none.
        kept: Whether the puzzle is read from the data in that folder. Then it has only the parameters of the job.
    """

    id: str
    text: str
    locator: str = ""
    job: str = ""
    kept: bool = False


def offers(plugins: Plugins, named: Sequence[str], jobs: Sequence[str] = ()) -> list[Offer]:
    """The puzzles that a user named, as ids, files and folders of jobs; all installed puzzles if none is named.

    Raises:
        UsageError: There is no such puzzle, or two have one id.
        JobError: A folder holds no job.
        PluginError: A plugin or a file that was named cannot be loaded.
    """
    if not named and not jobs:
        found = [Offer(puzzle_id, puzzle_id) for puzzle_id in plugins.puzzle_types()]
        if not found:
            raise UsageError(
                "no puzzle is installed; install puzzlekit-core[puzzles], name a file: ./mine.py, or give --gallery"
            )
        return found
    # A puzzle may be named several times with different parameters. The page shows each of these.
    chosen: dict[str, Offer] = {}
    by_id: dict[str, Offer] = {}
    for offer in (_named(plugins, name) for name in named):
        chosen[offer.text] = offer
        if by_id.setdefault(offer.id, offer).locator != offer.locator:
            raise UsageError(f'two of the puzzles have the id "{offer.id}"; serve one of them')
    with_jobs: dict[str, Offer] = {}
    for job in jobs:
        offer = _of_job(plugins, job, by_id)
        if offer.id in with_jobs:
            raise UsageError(f'two of the jobs are of the id "{offer.id}"; serve one of them')
        with_jobs[offer.id] = offer
    return [*with_jobs.values(), *(offer for offer in chosen.values() if offer.id not in with_jobs)]


def _named(plugins: Plugins, name: str) -> Offer:
    puzzle, file = plugins.parse(name), plugins.file_of(name)
    return Offer(puzzle.id, str(puzzle), "" if file is None else f"{os.path.abspath(file)}:{type(puzzle).__name__}")


def _of_job(plugins: Plugins, folder: str, named: Mapping[str, Offer]) -> Offer:
    """Finds the puzzle of a job: one that was named, an installed one with the job's rules, or else the job's data.

    Raises:
        JobError: A puzzle with the job's id was named, but has other rules; or the job's name for its puzzle is no text
            id.
    """
    job = plugins.open_job(folder)
    text, place = str(job.status()["subject"]["puzzle"]), os.path.abspath(folder)
    offer = named.get(text.partition(":")[0])
    if offer is not None:
        kind = type(plugins.parse(offer.locator or offer.id))
        Job(folder, lambda text: declaration.made(kind, text.partition(":")[2]))  # raises an error for other rules
        return replace(offer, text=text, job=place)
    if job.puzzle.id != text.partition(":")[0]:
        raise JobError(f"the job in {folder} is one of {text}, which is no text id; serve its puzzle by name")
    return Offer(job.puzzle.id, text, job=place, kept=isinstance(job.puzzle, KeptPuzzle))


class Shelf:
    """The puzzles of a server, loaded when they are first needed in a process that answers requests.

    Args:
        offers: The puzzles.
        plugins: The plugins that bring the puzzles that no file defines.

    Attributes:
        jobs: For each text id that a job has counted, the job's folder.
    """

    def __init__(self, offers: Sequence[Offer], plugins: Plugins) -> None:
        self.plugins = plugins
        self.jobs = {offer.text: offer.job for offer in offers}
        self._offers = {offer.id: offer for offer in offers}
        self._kinds: dict[str, type[Puzzle]] = {}
        self._as_data: dict[str, Puzzle] = {}

    def puzzle(self, text: str) -> Puzzle:
        """The puzzle of a text id.

        The part before the colon is looked up among the offers, and what follows is read as parameters. So no text can
        name a file.

        Raises:
            UsageError: There is no such puzzle here, or a parameter makes no sense.
        """
        puzzle_id, colon, values = text.partition(":")
        offer = self._offers.get(puzzle_id)
        if offer is None:
            raise UsageError(f"there is no puzzle {puzzle_id[:80]!a} here; there is {', '.join(self._offers)}")
        if colon and not values.strip():
            raise UsageError(f'"{puzzle_id}:" has nothing after the colon; leave the colon out, or give parameters')
        if offer.kept:
            if text not in (offer.id, offer.text):
                raise UsageError(f"there is no puzzle {text[:80]!a} here; the job has {offer.text} alone")
            return self._kept(offer)
        if puzzle_id not in self._kinds:
            self._kinds[puzzle_id] = type(self.plugins.parse(offer.locator or offer.id))
        return declaration.made(self._kinds[puzzle_id], values.strip())

    def _kept(self, offer: Offer) -> Puzzle:
        """The puzzle that the folder of a job holds as data."""
        if offer.id not in self._as_data:
            self._as_data[offer.id] = Job(offer.job).puzzle
        return self._as_data[offer.id]
