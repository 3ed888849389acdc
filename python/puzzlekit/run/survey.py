"""The report of a survey: how many moves a method takes over all states, or over a sample of them."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from puzzlekit.draw.plot import Bars


@dataclass(frozen=True)
class Lengths:
    """The numbers of moves that many states take: the number of states for each number of moves.

    >>> taken = Lengths({0: 1, 2: 3}, ("ba", "ca", "da"))
    >>> taken.states, taken.worst, taken.mean, taken.standard_error
    (4, 2, 1.5, None)

    Attributes:
        counts: How many states take each number of moves, from the smallest.
        worst_states: States that take the most moves. There may be more of them than are listed.
        sampled: Whether the states are a random sample of those that the figures are about.
    """

    counts: Mapping[int, int]
    worst_states: tuple[str, ...] = ()
    sampled: bool = False

    @property
    def states(self) -> int:
        """The number of states."""
        return sum(self.counts.values())

    @property
    def worst(self) -> int | None:
        """The most moves that a state takes; `None` if there is no state. In a sample, others may take more."""
        return max(self.counts, default=None)

    @property
    def mean(self) -> float | None:
        """The mean number of moves; `None` if there is no state."""
        total = sum(moves * states for moves, states in self.counts.items())
        return total / self.states if self.counts else None

    @property
    def standard_error(self) -> float | None:
        """The standard error of the mean, if the states are a sample of two or more."""
        if not self.sampled or self.states < 2:
            return None
        mean = self.mean or 0.0
        squares = sum((moves - mean) ** 2 * states for moves, states in self.counts.items())
        return math.sqrt(squares / (self.states - 1) / self.states)

    def to_data(self) -> dict[str, Any]:
        """The figures as `puzzlekit survey --json` prints them."""
        return {
            "states": self.states,
            "worst": self.worst,
            "mean": self.mean,
            "standard_error": self.standard_error,
            "histogram": [{"moves": moves, "states": states} for moves, states in self.counts.items()],
            "worst_states": list(self.worst_states),
        }


@dataclass(frozen=True)
class StageLengths:
    """The numbers of moves that one part of a method takes.

    Attributes:
        name: What the part does, as the method calls it.
        lengths: How many moves it takes.
    """

    name: str
    lengths: Lengths


@dataclass(frozen=True)
class PhaseLengths:
    """A phase: how many moves lead from states that meet all earlier patterns to states that meet one pattern more.

    Attributes:
        pattern: The pattern.
        met: How many states meet it and all patterns before it.
        lengths: The fewest moves from each state that meets all patterns before it.
        unsolvable: The number of these states from which no moves lead there. They are not among the lengths.
    """

    pattern: str
    met: int
    lengths: Lengths
    unsolvable: int


@dataclass(frozen=True)
class Sample:
    """A sample of states: how many were drawn, and how.

    Attributes:
        size: How many states were asked for.
        seed: The text that draws the same states again.
        method: How each state was drawn, in words.
    """

    size: int
    seed: str
    method: str


@dataclass(frozen=True)
class Kept:
    """The states of a game that have one value, and what they are worth after the move that a solver names.

    >>> won = Kept("win", 10, {"win": 7, "draw": 2, "loss": 1})
    >>> won.kept, won.lost, won.answered
    (7, 3, 10)

    Attributes:
        value: `"win"`, `"draw"` or `"loss"` for the player to move.
        states: How many states have this value.
        after: How many of them have each value after the solver's move, for the same player; `None` without a solver.
        lost_states: Some states in which the move loses value: it turns a win or a draw into less; or, in a game with a
            score, it loses points.
    """

    value: str
    states: int
    after: Mapping[str, int] | None = None
    lost_states: tuple[str, ...] = ()

    @property
    def answered(self) -> int:
        """The number of states for which the solver named a move."""
        return 0 if self.after is None else sum(self.after.values())

    @property
    def kept(self) -> int:
        """The number of states that are worth the same after the solver's move."""
        return 0 if self.after is None else self.after[self.value]

    @property
    def lost(self) -> int:
        """The number of states that are worth less after the solver's move."""
        return self.answered - self.kept

    def to_data(self) -> dict[str, Any]:
        """The figures as `puzzlekit survey --json` prints them."""
        after = self.after and dict(self.after)
        return {"value": self.value, "states": self.states, "after": after, "lost_states": list(self.lost_states)}


@dataclass(frozen=True)
class SurveyReport:
    """The number of moves that a method takes over all states of a puzzle, beside the fewest.

    Attributes:
        puzzle: The puzzle's text id.
        complete: Whether all states, the whole sample and all phases were looked at.
        stopped: Why the survey is not complete: `"seconds"`, or `"watch"` if the watch stopped it.
        states: How many states were to be looked at: all that play can reach, or those of the sample.
        looked_at: How many of these were looked at: fewer if the survey is not complete. The figures of the solver are
            about these alone, and in a game or a sample all figures are.
        unsolvable: How many of the states cannot be solved. They are in no other figure.
        solver: The method; `None` if only the fewest moves were asked about.
        sample: How the states were drawn; `None` if all states were looked at.
        lengths: How many moves the method takes.
        fewest: The fewest moves, as far as they are known: over all states always, in a sample if they were asked for
            or if the method proves that its moves are the fewest. `None` if the rules have no goal.
        excess: How many moves more than the fewest the method takes, for the states of which the fewest are known.
        stages: The parts of the method, if it has parts.
        unanswered: For how many states the method found no answer within its limits.
        why_unanswered: What the method said of the first of these.
        phases: For each pattern that was given, how many moves lead to it at best.
        seconds: The time that it took.
        peak_memory_bytes: The most memory that the process has held so far; `None` if the system does not report it.
        values: For a game, the states of each value in which play goes on; empty for a puzzle.
        points_lost: For a game with a score, how many points the solver's moves lose.
        points: For a game with a score, how many points the states are worth to the player to move.
        looked_up: For each library that had some, the number of states whose fewest moves or values are from there.
            What is proven of these is so by that library.
    """

    puzzle: str
    complete: bool
    stopped: str | None
    states: int
    looked_at: int
    unsolvable: int
    solver: str | None
    sample: Sample | None
    lengths: Lengths | None
    fewest: Lengths | None
    excess: Lengths | None
    stages: tuple[StageLengths, ...]
    unanswered: int
    why_unanswered: str | None
    phases: tuple[PhaseLengths, ...]
    seconds: float
    peak_memory_bytes: int | None
    values: tuple[Kept, ...] = ()
    points_lost: Lengths | None = None
    points: Lengths | None = None
    looked_up: Mapping[str, int] = field(default_factory=dict)

    @property
    def share_lost(self) -> float | None:
        """For a game, the share of the wins and draws that the solver's moves lose; `None` if there are none.

        >>> import puzzlekit
        >>> game = puzzlekit.load("tictactoe")
        >>> round(puzzlekit.survey(game, lambda game, state: game.legal_moves(state)[:1]).share_lost, 3)
        0.481
        """
        answered = sum(kept.answered for kept in self.values if kept.value != "loss")
        return sum(kept.lost for kept in self.values) / answered if answered else None

    @property
    def phases_worst(self) -> int | None:
        """The sum of the most moves of all phases; `None` if there are no phases, or if one has no state."""
        worst = [phase.lengths.worst for phase in self.phases]
        known = [moves for moves in worst if moves is not None]
        return sum(known) if known and len(known) == len(worst) else None

    def columns(self) -> dict[str, Lengths]:
        """The figures with their headings: those of the method, and those of the fewest moves."""
        if self.values:
            found = {"to the end": self.fewest, "points": self.points}
        else:
            found = {**({} if self.solver is None else {self.solver: self.lengths}), "fewest": self.fewest}
        return {name: lengths for name, lengths in found.items() if lengths is not None}

    def bars(self) -> Bars:
        """A plot of how many states take each number of moves, by the method and at best.

        >>> import puzzlekit
        >>> puzzlekit.survey(puzzlekit.load("rotation")).bars().bars[14].parts
        (14,)
        """
        from puzzlekit.draw.plot import Bar, Bars

        columns = self.columns()
        there = {moves for lengths in columns.values() for moves in lengths.counts}
        numbers = range(min(there | {0}), max(there, default=-1) + 1)
        parts = (tuple(lengths.counts.get(moves, 0) for lengths in columns.values()) for moves in numbers)
        drawn = f"{self.looked_at:,} states drawn at random"
        if self.sample is None:
            of_game = self.values and not self.complete
            drawn = f"{f'{self.looked_at:,} of ' if of_game else ''}all states that play can reach"
        what = "moves that {} take" if self.points is None else "points that {} are worth to the player to move"
        return Bars(
            title=f"{self.puzzle}: {what.format(drawn)}{'' if self.complete else ', not complete'}",
            axis="moves" if self.points is None else "points",
            unit="states",
            names=tuple(columns) or ("states",),
            bars=tuple(Bar(str(moves), each) for moves, each in zip(numbers, parts, strict=True)),
            beside=len(columns) > 1,
        )

    def __str__(self) -> str:
        """A table of the most moves and the mean, for the method and for the fewest moves."""
        from puzzlekit.run.columns import in_columns, shown

        rows = [list(map(shown, row)) for row in self._rows]
        return "\n".join([self.puzzle, *in_columns(["moves", "states", "worst", "mean"], rows, (1, 2, 3))])

    @property
    def _rows(self) -> list[list[object]]:
        return [
            [name, lengths.states, "" if lengths.worst is None else lengths.worst, _rounded(lengths.mean)]
            for name, lengths in self.columns().items()
        ]

    def _repr_html_(self) -> str:
        """The text that Jupyter shows: the plot, and the table of the most moves and the mean."""
        from puzzlekit.draw.html import table, text

        rows = self._rows
        made = table(["moves", "states", "worst", "mean"], rows)
        return f"<div>{text(self.puzzle)}{self.bars().picture() if rows else ''}{made}</div>"

    def to_data(self) -> dict[str, Any]:
        """The report as `puzzlekit survey --json` prints it."""
        return {
            "schema": "puzzlekit.survey/1",
            "puzzle": self.puzzle,
            "complete": self.complete,
            "stopped": self.stopped,
            "states": self.states,
            "looked_at": self.looked_at,
            "unsolvable": self.unsolvable,
            "solver": self.solver,
            "sample": self.sample and asdict(self.sample),
            "lengths": self.lengths and self.lengths.to_data(),
            "fewest": self.fewest and self.fewest.to_data(),
            "excess": self.excess and self.excess.to_data(),
            "stages": [{"name": stage.name, **stage.lengths.to_data()} for stage in self.stages],
            "unanswered": self.unanswered,
            "why_unanswered": self.why_unanswered,
            "phases": [
                {
                    "pattern": phase.pattern,
                    "met": phase.met,
                    **phase.lengths.to_data(),
                    "unsolvable": phase.unsolvable,
                }
                for phase in self.phases
            ],
            "phases_worst": self.phases_worst,
            "values": [kept.to_data() for kept in self.values],
            "share_lost": self.share_lost,
            "points_lost": self.points_lost and self.points_lost.to_data(),
            "points": self.points and self.points.to_data(),
            "seconds": self.seconds,
            "peak_memory_bytes": self.peak_memory_bytes,
            **({"looked_up": dict(self.looked_up)} if self.looked_up else {}),
        }


def _rounded(mean: float | None) -> str:
    return "" if mean is None else f"{mean:.3f}"
