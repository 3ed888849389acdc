"""The list of a library's works: the only file that says which works the library has."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from puzzlekit.errors import CorruptError, LibraryError
from puzzlekit.jobs.library.work import MOST_LIST, MOST_MANIFEST, Listed, Manifest, Work, checksum

if TYPE_CHECKING:
    from collections.abc import Iterable

    from puzzlekit.jobs.library.place import Place

LIST = "library.json"
"""The file that lists all works."""

SCHEMA = "puzzlekit.library/1"


def list_of(place: Place) -> dict[str, Listed]:
    """The works that are listed, by the fingerprints of their rules.

    Raises:
        LibraryError: There is no library, or it cannot be read.
        CorruptError: The list is not what was written.
    """
    text = place.whole(LIST, MOST_LIST)
    if text is None:
        raise LibraryError(f"{place.name} has no {LIST}, so it is no library; give another place, or add a job to it")
    try:
        data = json.loads(text)
        if data["schema"] != SCHEMA:
            raise ValueError("schema")
        listed = {each.work.rules: each for each in map(Listed.of_data, data["works"])}
        if len(listed) != len(data["works"]):
            raise ValueError("works")
    except (ValueError, KeyError, TypeError, RecursionError):
        raise CorruptError(
            f"{place.name}/{LIST} is no list of works of this version ({SCHEMA}); the place is wrong, or the library "
            "damaged"
        ) from None
    return listed


def text_of(listed: Iterable[Listed]) -> bytes:
    """The content of the list of works that has these works."""
    return json.dumps({"schema": SCHEMA, "works": [one.to_data() for one in listed]}, indent=1).encode()


def found(place: Place, rules: str) -> Listed:
    """Reads a work whose folder is there, but which is not listed, since the process that added it was killed.

    Raises:
        CorruptError: The folder holds no work.
    """
    text = place.whole(f"{rules}/manifest.json", MOST_MANIFEST) or b""
    try:
        data = json.loads(text)
        size = sum(each["bytes"] for each in data["files"].values())
        work = Work(data["puzzle"], rules, data["kind"], data["states"], size)
        listed = Listed.of_data(Listed(work, len(text), checksum(text)).to_data())
        Manifest.of_text(text, listed)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise CorruptError(
            f"{place.name}/{rules}/manifest.json is no manifest of a work, and the work is not listed; remove its "
            "folder"
        ) from None
    return listed
