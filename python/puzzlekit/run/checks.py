"""Values that make no sense are refused in one sentence that names them."""

from __future__ import annotations

import operator

from puzzlekit.errors import UsageError

MOST_SECONDS = 10**9
"""Some thirty years."""


def check_seed(seed: object) -> None:
    """Refuses a seed that is no text, or one that UTF-8 cannot hold."""
    try:
        fits = isinstance(seed, str) and seed.encode() is not None
    except UnicodeEncodeError:
        fits = False
    if not fits:
        raise UsageError(f"the seed is {seed!r}; give a text of whole characters")


def check_number(name: str, value: int | None, least: int, most: int) -> None:
    """Refuses what is no whole number in a range; `None` stands for no number."""
    if value is None:
        return
    try:
        fits = not isinstance(value, bool) and least <= operator.index(value) <= most
    except TypeError:
        fits = False
    if not fits:
        raise UsageError(f"{name} is {value!r}; give a whole number from {least} to {most}")


def check_seconds(name: str, value: float | None) -> None:
    """Refuses what is no time; `None` stands for no number."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= MOST_SECONDS:
        raise UsageError(f"{name} is {value!r}; give a number of seconds above 0, up to {MOST_SECONDS}")
