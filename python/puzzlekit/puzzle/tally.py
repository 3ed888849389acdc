"""Tallies of a survey: how many states have each number of moves, and which have the most."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from puzzlekit.run.survey import Lengths

if TYPE_CHECKING:
    from puzzlekit.puzzle.survey_options import SurveyOptions


class Tally:
    """Counts states by a number, such as how many moves they take, and lists the first few of those with the most."""

    def __init__(self, options: SurveyOptions) -> None:
        self._counts: Counter[int] = Counter()
        self._most: int | None = None
        self._states: list[str] = []
        self._options = options

    def add(self, number: int, state: str) -> None:
        """Counts a state."""
        self._counts[number] += 1
        if self._most is None or number > self._most:
            self._most, self._states = number, []
        if number == self._most and len(self._states) < self._options.listed:
            self._states.append(state)

    def lengths(self) -> Lengths:
        """The counts, and the states that are listed."""
        return lengths(self._counts, self._states, self._options)

    def __bool__(self) -> bool:
        return bool(self._counts)


def lengths(counts: Counter[int], worst: list[str], options: SurveyOptions) -> Lengths:
    """Counts of states by a number, as a report has them; `worst` are the states with the most."""
    return Lengths(dict(sorted(counts.items())), tuple(worst), sampled=options.sample is not None)
