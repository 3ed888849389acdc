"""A chi-square test that scrambles draw all states equally often. Anybody can repeat it with the same seed."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from puzzlekit.errors import UsageError
from puzzlekit.puzzle.needing import MOST_COUNTED, check_goal, counted_states
from puzzlekit.run import overridable
from puzzlekit.run.checks import check_number, check_seed

if TYPE_CHECKING:
    from puzzlekit.puzzle.protocols import Solvable

MOST_PARTS = 1000
"""The most parts into which the states are divided to count the draws."""

EACH = 20
"""The least number of draws that each part is to have, on the average."""


@dataclass(frozen=True)
class EvennessReport:
    """The result of the test of whether scrambles are drawn evenly.

    Attributes:
        puzzle: The puzzle's text id.
        method: How the scrambles were made, in words.
        seed: The seed of the test. Its scrambles have the seeds `"SEED 1"`, `"SEED 2"` and so on.
        states: How many states can be drawn: those that play reaches, that are not solved but can be solved, and in
            which play goes on.
        parts: Into how many parts, as equal as can be, these states were divided. The draws of each part were counted.
        draws: How many scrambles were made.
        outside: How many scrambles are none of these states.
        chi_square: The sum over the parts of (draws - expected)^2 / expected.
        probability: How likely a sum of this size or more is, if all states are equally likely. If it is below 0.001,
            they hardly are.
    """

    puzzle: str
    method: str
    seed: str
    states: int
    parts: int
    draws: int
    outside: int
    chi_square: float
    probability: float

    @property
    def even(self) -> bool:
        """`True` if the test finds no sign of an uneven draw."""
        return self.outside == 0 and self.probability >= 0.001

    def to_data(self) -> dict[str, Any]:
        """The report as `puzzlekit scramble --check --json` prints it."""
        return {"schema": "puzzlekit.evenness/1", **asdict(self), "even": self.even}


def evenness(puzzle: Solvable, draws: int | None = None, *, seed: str = "check") -> EvennessReport:
    """Tests whether `scramble` draws all states equally often, by a chi-square that anybody can repeat.

    >>> import puzzlekit
    >>> report = puzzlekit.evenness(puzzlekit.load("slider:2,2"))
    >>> report.states, report.draws, report.even
    (11, 220, True)

    Args:
        puzzle: The puzzle.
        draws: How many scrambles to make; 20 for each part if it is `None`.
        seed: The seed of the test, from which the seeds of the scrambles are made.

    Raises:
        UsageError: The rules have no goal or are those of a game, or there are more than 4,000,000 states.
    """
    check_number("draws", draws, 1, 10**8)
    check_seed(seed)
    check_goal(puzzle, "and the evenness of scrambles is tested for puzzles with a goal")
    listed = counted_states(puzzle)
    if listed is None:
        raise UsageError(
            f"{puzzle} has more than {MOST_COUNTED:,} states, too many to test the evenness; try a smaller one"
        )
    reached, fewest = listed
    texts = [reached.text(number) for number, moves in enumerate(fewest) if moves > 0]
    texts = sorted(text for text in texts if puzzle.engine.outcome(text) is None)
    if len(texts) < 2:
        raise UsageError(f"{puzzle} has {len(texts)} states to draw; a test needs two at least")
    parts = min(len(texts), MOST_PARTS)
    part_of = {text: place * parts // len(texts) for place, text in enumerate(texts)}
    count = draws or EACH * parts
    found, outside, method = [0] * parts, 0, ""
    for place in range(1, count + 1):
        drawn = overridable.scramble(puzzle, f"{seed} {place}", None)
        method = drawn.method
        if (part := part_of.get(drawn.state)) is None:
            outside += 1
        else:
            found[part] += 1
    sizes = [0] * parts
    for part in part_of.values():
        sizes[part] += 1
    inside = count - outside
    expected = [size * inside / len(texts) for size in sizes]
    chi_square = sum((got - want) ** 2 / want for got, want in zip(found, expected, strict=True)) if inside else 0.0
    return EvennessReport(
        str(puzzle), method, seed, len(texts), parts, count, outside, chi_square, beyond(chi_square, parts - 1)
    )


def beyond(value: float, freedom: int) -> float:
    """The probability that a chi-square with `freedom` degrees of freedom is at least `value`, by a finite sum.

    >>> round(beyond(3.841, 1), 3), round(beyond(18.307, 10), 3), beyond(0.0, 5)
    (0.05, 0.05, 1.0)
    """
    if value <= 0:
        return 1.0
    half = value / 2
    # Q(a + 1, x) = Q(a, x) + x^a e^-x / gamma(a + 1). The sum begins with Q(1/2, x) = erfc(sqrt x) or Q(1, x) = e^-x.
    shape = 0.5 if freedom % 2 else 1.0
    total = math.erfc(math.sqrt(half)) if freedom % 2 else math.exp(-half)
    while shape < freedom / 2:
        total += math.exp(shape * math.log(half) - half - math.lgamma(shape + 1))
        shape += 1
    return min(total, 1.0)
