"""The options of a survey."""

from __future__ import annotations

from dataclasses import dataclass

from puzzlekit.errors import UsageError
from puzzlekit.run.checks import check_number
from puzzlekit.run.seeds import check_seed

MOST_LISTED = 10**6
"""The most states that can be listed as the worst."""

MOST_SAMPLED = 10**9
"""The most states that can be drawn at random."""


@dataclass(frozen=True)
class SurveyOptions:
    """The options of a survey.

    Attributes:
        phases: The patterns, in order.
        sample: How many states to draw; `None` for all states.
        seed: The text that draws the same states again.
        fewest: Whether to find the fewest moves of drawn states, too.
        listed: How many of the states that take the most moves to list.
    """

    phases: tuple[str, ...] = ()
    sample: int | None = None
    seed: str | None = None
    fewest: bool = False
    listed: int = 10

    def __post_init__(self) -> None:
        check_number("sample", self.sample, 1, MOST_SAMPLED)
        check_number("listed", self.listed, 0, MOST_LISTED)
        if self.seed is not None:
            check_seed(self.seed)
        if self.sample is None and (self.seed is not None or self.fewest):
            given = "the seed" if self.seed is not None else "fewest"
            raise UsageError(f"{given} is for a random sample, and all states are asked about; give sample, too")
        if self.sample is not None and self.phases:
            raise UsageError("phases are about all states; leave the sample out")
