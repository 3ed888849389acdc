"""How many random cases are tried: some in every run, and more with `--hypothesis-profile long` or `-m slow`."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

LONG = 10

# A case has no deadline: on a busy machine, a slow case is no fault of the engine.
PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("ci", **PATIENT)
settings.register_profile("long", **PATIENT)
settings.load_profile("ci")


def is_long() -> bool:
    """Returns `True` if this run tries many cases."""
    return settings.get_current_profile_name() == "long"


def cases(count: int, in_long: int | None = None) -> int:
    """The number of cases for a test: half of `count` in every run, and many in a long one."""
    return (in_long or count * LONG) if is_long() else -(-count // 2)


def seeds(few: int, many: int) -> pytest.MarkDecorator:
    """Runs a test with the first `few` numbers, from which it makes random cases; and with `many`, marked slow."""
    sizes = [pytest.param(range(few), id="few"), pytest.param(range(many), id="many", marks=pytest.mark.slow)]
    return pytest.mark.parametrize("seeds", sizes)
