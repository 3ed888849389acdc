"""A chi-square test that scrambles draw all states equally often. Anybody can repeat it with the same seed."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from puzzlekit.errors import LimitError, UsageError
from puzzlekit.puzzle.needing import MOST_COUNTED, check_goal, counted_states, texts_of
from puzzlekit.run import overridable
from puzzlekit.run.checks import check_is_puzzle, check_number, check_seconds
from puzzlekit.run.progress import Progress
from puzzlekit.run.reached import StoppedError
from puzzlekit.run.seeds import check_seed
from puzzlekit.run.solver import Deadline

if TYPE_CHECKING:
    from puzzlekit.puzzle.protocols import Solvable
    from puzzlekit.run.watch import Watch

MOST_PARTS = 1000
"""The most parts into which the states are divided to count the draws."""

EACH = 20
"""The number of draws that each part is to have, on the average."""

LEAST_EACH = 5
"""A chi-square test needs at least this many draws for each part: Cochran's rule."""


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
        complete: Whether all the draws were made that were asked for; a limit came before that if not.
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
    complete: bool = True

    @property
    def even(self) -> bool:
        """`True` if the test finds no sign of an uneven draw."""
        return self.outside == 0 and self.probability >= 0.001

    def to_data(self) -> dict[str, Any]:
        """The report as `puzzlekit scramble --check --json` prints it."""
        return {"schema": "puzzlekit.evenness/1", **asdict(self), "even": self.even}


def evenness(
    puzzle: Solvable,
    draws: int | None = None,
    *,
    seed: str = "check",
    seconds: float | None = None,
    watch: Watch | None = None,
) -> EvennessReport:
    """Tests whether `scramble` draws all states equally often, by a chi-square that anybody can repeat.

    >>> import puzzlekit
    >>> report = puzzlekit.evenness(puzzlekit.load("slider:2,2"))
    >>> report.states, report.draws, report.even
    (11, 220, True)

    Args:
        puzzle: The puzzle.
        draws: How many scrambles to make; 20 for each part if it is `None`.
        seed: The seed of the test, from which the seeds of the scrambles are made.
        seconds: How long it may take; `None` for no limit. The report is then about the scrambles made by then.
        watch: As in `Puzzle.enumerate`.

    Raises:
        LimitError: A limit came before there were 5 scrambles for each part.
        UsageError: It is no puzzle with a goal, or it has more than 4,000,000 states.
    """
    check_is_puzzle(puzzle)
    check_number("draws", draws, 1, 10**8)
    check_seed(seed)
    check_goal(puzzle, "and the evenness of scrambles is tested for puzzles with a goal; ask for another puzzle")
    check_seconds("seconds", seconds)
    deadline = Deadline(seconds, watch)
    try:
        texts = _states_to_draw(puzzle, deadline)
    except StoppedError:
        raise _stopped(puzzle, "before all states were counted", seconds if deadline.over else None) from None
    parts = min(len(texts), MOST_PARTS)
    part_of = {text: place * parts // len(texts) for place, text in enumerate(texts)}
    wanted = draws or EACH * parts
    count, found, outside, method = wanted, [0] * parts, 0, ""
    for place in range(1, wanted + 1):
        if deadline(Progress(frontier=wanted, expanded=place - 1)):
            count = place - 1
            break
        drawn = overridable.scramble(puzzle, f"{seed} {place}", None)
        method = drawn.method
        if (part := part_of.get(drawn.state)) is None:
            outside += 1
        else:
            found[part] += 1
    if count < wanted and count < LEAST_EACH * parts:
        when = f"after {count:,} of {wanted:,} scrambles, too few for {parts:,} parts"
        raise _stopped(puzzle, when, seconds if deadline.over else None)
    sizes = [0] * parts
    for part in part_of.values():
        sizes[part] += 1
    inside = count - outside
    expected = [size * inside / len(texts) for size in sizes]
    chi_square = sum((got - want) ** 2 / want for got, want in zip(found, expected, strict=True)) if inside else 0.0
    probability, complete = beyond(chi_square, parts - 1), count == wanted
    return EvennessReport(
        str(puzzle), method, seed, len(texts), parts, count, outside, chi_square, probability, complete
    )


def _states_to_draw(puzzle: Solvable, deadline: Deadline) -> list[str]:
    """The states that a scramble may be, sorted.

    Raises:
        StoppedError: The time was over, or the watch stopped it.
        UsageError: There are too many such states, or fewer than two.
    """
    listed = counted_states(puzzle, deadline)
    if listed is None:
        raise UsageError(
            f"{puzzle} has more than {MOST_COUNTED:,} states, too many to test the evenness; try a smaller one"
        )
    reached, fewest = listed
    texts = texts_of(reached, [number for number, moves in enumerate(fewest) if moves > 0], deadline)
    going_on = [text for text in texts if puzzle.engine.outcome(text) is None]
    if len(going_on) < 2:
        raise UsageError(f"{puzzle} has {len(going_on)} states to draw; a test needs two at least")
    return going_on


def _stopped(puzzle: Solvable, when: str, seconds: float | None) -> LimitError:
    late = "" if seconds is None else f"; give more than {seconds:g} seconds"
    return LimitError(f"the test of {puzzle} was stopped {when}{late}")


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
