"""The claims of a job, as data, for the programs that prove it; and what they say if a claim is false or not proven."""

from __future__ import annotations

from dataclasses import dataclass


class WrongError(Exception):
    """A claim is false."""


class UnprovenError(Exception):
    """A claim cannot be proven here, whether or not it is true."""


@dataclass(frozen=True)
class Claim:
    """The claims of a job about one state.

    `outcome` is `None` if play goes on. `value`, `distance` and `score` (the points of the player to move) are `None`
    if the job does not claim them. `player` is the player to move, 0 or 1; if it is `None`, this is the depth modulo 2.
    """

    cells: bytes
    depth: int
    orbit_size: int
    outcome: str | None
    value: str | None = None
    distance: int | None = None
    score: int | None = None
    player: int | None = None


@dataclass(frozen=True)
class Ends:
    """The numbers of states that are won and lost in each number of moves; with a score, by each number of points.

    Attributes:
        wins: For each number, how many states are won; in a puzzle, how many can be solved.
        losses: For each number, how many states are lost.
        longest_win: The first depth with a state that is won in the largest number; or `None`.
        longest_loss: The first depth with a state that is lost in the largest number; or `None`.
    """

    wins: tuple[int, ...]
    losses: tuple[int, ...]
    longest_win: int | None
    longest_loss: int | None


@dataclass(frozen=True)
class Longest:
    """The claims of a job about the state with the longest way to the end: its depth, its value, and how long it is."""

    depth: int
    wins: bool
    moves: int


@dataclass(frozen=True)
class Run:
    """The claims of a job about the whole run.

    Attributes:
        symmetry: Whether one state stands for each orbit.
        complete: Whether all states are there.
        backward: Whether depths are moves to the goal.
        counts: For each depth, a pair: how many states it has up to symmetry, and how many if symmetric states count
            separately.
        unsolvable: For a run backward over the states that play reaches, how many of them cannot be solved: a pair as
            in `counts`. `None` for a run back from a goal state, which does not look where play ends.
        ends: For each number of moves to the end, or of points, a pair: how many states are won, and how many lost.
            `None` if the job does not claim them.
        longest: The first state with the most moves to the end, or `None` if none has an end.
    """

    symmetry: bool
    complete: bool
    backward: bool
    counts: tuple[tuple[int, int], ...]
    unsolvable: tuple[int, int] | None = None
    ends: tuple[tuple[int, int], ...] | None = None
    longest: Longest | None = None


@dataclass(frozen=True)
class Proven:
    """The numbers of what was proven: states of the job, all states in their orbits, moves between them, and values."""

    states: int
    raw_states: int
    moves: int
    values: int
