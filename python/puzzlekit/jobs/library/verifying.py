"""Checks a work of a library: all files, the order of the states, and that the rules have the work's fingerprint."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from puzzlekit.errors import CorruptError, LimitError, PuzzlekitError
from puzzlekit.jobs.library.work import DATA_FILES, WorkFiles
from puzzlekit.puzzle.kept_puzzle import KeptPuzzle
from puzzlekit.run.progress import Progress
from puzzlekit.run.value_codes import DRAW

if TYPE_CHECKING:
    from puzzlekit.jobs.library.place import Place
    from puzzlekit.jobs.library.work import Listed
    from puzzlekit.run.engine import Engine
    from puzzlekit.run.watch import Watch


def verify_work(place: Place, listed: Listed, watch: Watch | None) -> None:
    """Checks all of a work.

    Raises:
        CorruptError: A check fails.
        LibraryError: A file cannot be read.
        LimitError: The watch stopped it.
    """
    work = listed.work
    at = f"{place.name}/{work.rules}"
    engine = _engine(place, listed)
    files = WorkFiles(place, listed, engine)
    for name in DATA_FILES:
        files.data(name)
    done, last, counts, distances = 0, None, np.zeros(4, np.int64), True
    for records in files.every():
        if last is not None and not records.keys[0] > last:
            raise CorruptError(f"{at}/states: two blocks are not in order; the library is damaged")
        rows = files.keys.to_rows(records.keys)
        try:
            canonical = (files.keys.of_rows(rows) == records.keys).all()
        except PuzzlekitError:
            canonical = False
        if not canonical:
            raise CorruptError(f"{at}/states: a state is not the canonical form of its orbit; the library is damaged")
        last, done = records.keys[-1], done + len(records)
        counts += np.bincount(records.values, minlength=4)
        distances &= not ((records.values != DRAW) & (records.moves < 0)).any()
        if watch is not None and watch(Progress(expanded=done, frontier=work.states, states=work.states)):
            raise LimitError("stopped before all of the library was checked")
    if done != work.states or tuple(counts[1:].tolist()) != files.manifest.values:
        raise CorruptError(f"{at}: it has other states than its manifest says; the library is damaged")
    if distances != files.manifest.distances:
        raise CorruptError(f"{at}: it has other distances than its manifest says; the library is damaged")


def _engine(place: Place, listed: Listed) -> Engine:
    """The engine of the rules that the library holds as data."""
    # To check the manifest takes an engine, so the rules are read without the digest in the manifest.
    text = place.whole(f"{listed.work.rules}/puzzle.json", 2**28)
    at = f"{place.name}/{listed.work.rules}/puzzle.json"
    if text is None:
        raise CorruptError(f"{at} is not there; the library is damaged")
    try:
        engine = KeptPuzzle.of_text(text.decode()).engine
        right = engine.fingerprint == listed.work.rules
    except (PuzzlekitError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        right = False
    if not right:
        raise CorruptError(f"{at} has not the rules by which the work is found; the library is damaged")
    return engine
