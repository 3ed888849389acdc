"""Checks of seeds, paths, numbers and times that a caller gives. An error is one sentence that names the value."""

from __future__ import annotations

import operator
import os

from puzzlekit.errors import JobError, UsageError

MOST_SECONDS = 10**9
"""The most seconds that may be given as a time: some thirty years."""


def check_seed(seed: object) -> None:
    """Refuses a seed that is no text, or one that UTF-8 cannot hold."""
    try:
        fits = isinstance(seed, str) and seed.encode() is not None
    except UnicodeEncodeError:
        fits = False
    if not fits:
        raise UsageError(f"the seed is {seed!r}; give a text of whole characters")


def read_path(name: str, path: object) -> str:
    r"""The text of a path. As everywhere in Python, bytes that are not UTF-8 become lone surrogates.

    >>> read_path("out", b"job-\xff") == "job-\udcff"
    True

    Raises:
        UsageError: The value is no path.
        JobError: The path has no name, or one that no file can have.
    """
    try:
        text = os.fsdecode(path)  # type: ignore[arg-type]
    except TypeError:
        raise UsageError(
            f"{name} is {path!r}; give the path of a file or folder, as a text or a pathlib.Path"
        ) from None
    try:
        fits = text != "" and "\0" not in text and os.fsencode(text) is not None
    except UnicodeEncodeError:
        fits = False
    if not fits:
        raise JobError(f"{name} is {path!r}, which no file or folder is called; give its path")
    return text


def check_number(name: str, value: int | None, least: int, most: int) -> None:
    """Raises an error for a value that is no whole number from `least` to `most`. `None` is allowed: no number."""
    if value is None:
        return
    try:
        fits = not isinstance(value, bool) and least <= operator.index(value) <= most
    except TypeError:
        fits = False
    if not fits:
        raise UsageError(f"{name} is {value!r}; give a whole number from {least} to {most}")


def check_seconds(name: str, value: float | None) -> None:
    """Raises an error for a value that is no time in seconds. `None` is allowed: no time."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= MOST_SECONDS:
        raise UsageError(f"{name} is {value!r}; give a number of seconds above 0, up to {MOST_SECONDS}")
