"""Checks of paths, numbers and times that a caller gives. An error is one sentence that names the value."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable

from puzzlekit.errors import JobError, UsageError

MOST_SECONDS = 10**9
"""The most seconds that may be given as a time: some thirty years."""

MOST_MOVES = 10**6
"""The most random moves of a scramble. It also stops a scrambler that names moves without end."""

MOST_SHOWN = 80
"""The most characters of a wrong value that an error shows."""


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


def check_moves(name: str, value: int | None) -> None:
    """Raises an error for a value that is no number of random moves. `None` is allowed: no number."""
    check_number(name, value, 1, MOST_MOVES)


def check_seconds(name: str, value: float | None) -> None:
    """Raises an error for a value that is no time in seconds. `None` is allowed: no time."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= MOST_SECONDS:
        raise UsageError(f"{name} is {value!r}; give a number of seconds above 0, up to {MOST_SECONDS}")


def check_is_puzzle(value: object) -> None:
    """Refuses what is no puzzle.

    >>> check_is_puzzle("slider")
    Traceback (most recent call last):
    ...
    puzzlekit.errors.UsageError: the puzzle is 'slider'; give one, such as puzzlekit.load("slider") returns
    """
    if isinstance(value, type) or not hasattr(type(value), "engine"):
        such = value if isinstance(value, str) else "ID"
        raise UsageError(f'the puzzle is {shown(value)}; give one, such as puzzlekit.load("{such}") returns')


def check_text(name: str, value: object, what: str) -> None:
    """Refuses what is no text. `None` is allowed: nothing is given."""
    if value is not None and not isinstance(value, str):
        raise UsageError(f"{name} is {shown(value)}; give {what} as a text")


def check_watch(value: object) -> None:
    """Refuses a watch that cannot be called."""
    if value is not None and not callable(value):
        raise UsageError(f"watch is {shown(value)}; give a function of the progress, which stops the run by True")


def check_library(value: object) -> None:
    """Refuses what is no library. `None` is allowed: there is none."""
    if value is not None and not (hasattr(value, "before") and hasattr(value, "values_of")):
        raise UsageError(f"library is {shown(value)}; give one, such as puzzlekit.Library(folder)")


def read_texts(name: str, value: object, what: str) -> tuple[str, ...]:
    """The texts of a list, a tuple or anything else that gives one after another; a text gives its characters.

    Whole numbers stand for their digits, since moves may be named by numbers.

    >>> read_texts("moves", ["R", "U"], "names of moves")
    ('R', 'U')
    """
    if not isinstance(value, Iterable) or isinstance(value, bytes):
        raise UsageError(f"{name} is {shown(value)}; give {what} in a list")
    texts = tuple(value)
    for text in texts:
        if not isinstance(text, str | int):
            raise UsageError(f"{name} holds {shown(text)}; give {what} as texts")
    return tuple(map(str, texts))


def shown(value: object) -> str:
    """A value in an error, cut off if it is long."""
    text = repr(value)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."
