"""The folder in which tables for solving are kept: where it is, how full it is, and whether it can be used."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from puzzlekit.errors import UsageError
from puzzlekit.run.table_cache import BYTES, FOLDER, folder, kept, most_bytes

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Cache:
    """The folder in which tables are kept from one command to the next.

    Attributes:
        folder: The path of the folder, which is made when it is first needed; `None` if the user has no home.
        tables: How many files of puzzlekit are in it.
        bytes: The size of these files together.
        most_bytes: The largest size that they may have together.
        problems: What is wrong with the folder. Solving works without it.
    """

    folder: str | None
    tables: int
    bytes: int
    most_bytes: int
    problems: tuple[str, ...] = ()


def look_at_cache() -> Cache:
    """Looks at the folder, and says what is wrong with it."""
    try:
        place, limit = folder(), most_bytes()
        found = kept()
    except (UsageError, RuntimeError) as error:
        return Cache(None, 0, 0, 0, (f"tables are made anew each time: {error}; see {FOLDER} and {BYTES}",))
    problems = () if _can_be_written(place) else (f"the cache folder {place} cannot be written; set {FOLDER}",)
    return Cache(str(place), len(found), sum(one.bytes for one in found), limit, problems)


def _can_be_written(place: Path) -> bool:
    """Returns `True` if a folder can be written to. If there is none, the nearest folder above it counts."""
    there = next((path for path in (place, *place.absolute().parents) if path.exists()), None)
    return there is not None and there.is_dir() and os.access(there, os.W_OK | os.X_OK)
