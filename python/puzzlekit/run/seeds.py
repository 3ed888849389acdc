"""Seeds of random numbers: the check of a given seed, and the choice of a new one where none is given."""

from __future__ import annotations

from puzzlekit.errors import UsageError


def check_seed(seed: object) -> None:
    """Refuses a seed that is no text, or one that UTF-8 cannot hold."""
    try:
        fits = isinstance(seed, str) and seed.encode() is not None
    except UnicodeEncodeError:
        fits = False
    if not fits:
        raise UsageError(f"the seed is {seed!r}; give a text of whole characters")


def seed_or_new(seed: str | None) -> str:
    """The seed, or a random one if there is none."""
    if seed is not None:
        return seed
    import secrets

    return secrets.token_hex(8)
