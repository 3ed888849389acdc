"""How many random cases are tried: some in every run, ten times as many with `--hypothesis-profile long`."""

from __future__ import annotations

from hypothesis import settings

LONG = 10

# A case may take as long as it takes: if the machine is busy, that is no fault of the engine.
settings.register_profile("ci", deadline=None)
settings.register_profile("long", deadline=None)
settings.load_profile("ci")


def cases(count: int) -> int:
    """The number of cases for a test that tries `cases` of them in every run."""
    return count * LONG if settings.get_current_profile_name() == "long" else count
