"""The score of a game: how many points symbols bring to the players in a state in which play is over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from puzzlekit.describe.patterns import BySymbol, Symbol, read_cell, read_symbol, whole_number
from puzzlekit.errors import RulesError

MOST_POINTS = 2**24
"""The most points that a state may have, for either player, as in `rust_core/src/rules/check.rs`."""


@dataclass(frozen=True)
class Score:
    """The points of a player in a state in which play is over: a sum over cells of what their symbols are worth.

    `+` adds scores. Points of one player count against the other:

    >>> discs = Score("X", {"X": 1}) + Score("O", {"O": 1})  # X with three more discs than O is 3 ahead
    >>> [each["player"] for each in discs.sums()]
    ['X', 'O']

    Args:
        player: The player who gets the points.
        worth: The points for each symbol, as whole numbers. Symbols that are not named are worth nothing.
        of: The cells whose symbols count; all cells if it is `None`.
        more: Scores that are added to this one.
    """

    player: Symbol
    worth: BySymbol[int]
    of: Iterable[int] | None = None
    more: tuple[Score, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "player", read_symbol(self.player, "a score"))
        if not isinstance(self.worth, Mapping):
            raise RulesError(f"a score has the worth {self.worth!r}; give a mapping from symbols to points")
        if self.of is not None:
            if isinstance(self.of, str) or not isinstance(self.of, Iterable):
                raise RulesError(f"a score is of {self.of!r}; give a list of cells")
            object.__setattr__(self, "of", tuple(read_cell(cell, "a score") for cell in self.of))

    def __add__(self, other: Score) -> Score:
        """The sum of two scores."""
        return Score(self.player, self.worth, self.of, (*self.more, other))

    def sums(self) -> list[dict[str, Any]]:
        """The sums of the score as data for the engine; docs/rules.md describes the form."""
        worth = {read_symbol(symbol, "a score"): points_of(points) for symbol, points in self.worth.items()}
        own: dict[str, Any] = {"player": self.player, "worth": worth}
        if self.of is not None:
            own["of"] = cast("tuple[int, ...]", self.of)
        return [own, *(each for other in self.more for each in other.sums())]


def points_of(points: object) -> int:
    """Reads a number of points.

    Raises:
        RulesError: It is no whole number, or too large a one.
    """
    number = whole_number(points)
    if number is None:
        raise RulesError(f"a score has {points!r} points; give a whole number")
    if abs(number) > MOST_POINTS:
        raise RulesError(f"the score may be {number} points; no state may have more than {MOST_POINTS}")
    return number
