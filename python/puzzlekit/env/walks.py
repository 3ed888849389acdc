"""Walks through many states of one puzzle at the same time: which actions each state allows, and which are solved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np

from puzzlekit.errors import UsageError
from puzzlekit.puzzle.solved_rows import Goals
from puzzlekit.run.seeds import seed_or_new

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from typing_extensions import Buffer

    from puzzlekit.puzzle.puzzle import Puzzle

    Array = Any  # of NumPy; type checkers do not know before Python 3.12 that its arrays are buffers


class Known(Protocol):
    """Looks states up, and so knows their values: a `Job` with values or distances, or `Transitions` of a puzzle."""

    def look_up(self, rows: Buffer) -> tuple[Buffer, Buffer, Buffer]:
        """For each state its value, the number of moves to the end, and its depth; see `Job.look_up`."""


class Actions:
    """The actions of an environment, which are the names of the moves: each once, in the order of the rules.

    Several moves may have the same name, as all moves of a blank to the left do. At most one of them can be made in a
    state.

    Args:
        puzzle: The puzzle.

    Attributes:
        names: The names. An action is a number, a place in this list.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        self._arrays = puzzle.arrays
        moves = puzzle.engine.move_names
        self.names: tuple[str, ...] = tuple(dict.fromkeys(moves))
        place = {name: number for number, name in enumerate(self.names)}
        self._of_move = np.array([place[name] for name in moves], np.int32)

    def after(self, rows: Array) -> tuple[Array, Array]:
        """The states after all moves; and for each state and action the place of the state that follows, or -1."""
        children, parents, moves = self._arrays.expand(rows)
        choices = np.full((len(rows), len(self.names)), -1, np.int32)
        # If two moves of the same name could be made, the first one would count, as in `Puzzle.apply`. So the moves are
        # written in reverse order, and the first one overwrites the other.
        actions = self._of_move[np.asarray(moves)][::-1]
        choices[np.asarray(parents)[::-1], actions] = np.arange(len(actions), dtype=np.int32)[::-1]
        return np.asarray(children).reshape(-1, rows.shape[1]), choices


class Walks:
    """Walks through the states of a puzzle, from scrambles to the goal. Each walk is one row of the arrays.

    Args:
        puzzle: The puzzle.
        count: The number of walks.
        known: Looks up the fewest moves to the goal, if they are wanted.

    Attributes:
        rows: The present states, as `Arrays.encode` makes them.
        solved: Which of these states are solved.
        stuck: Which of these states are not solved and have no move.
        choices: For each state and action, -1 if the action cannot be done; otherwise, the place of the state after it.
    """

    def __init__(self, puzzle: Puzzle, count: int, known: Known | None) -> None:
        if puzzle.engine.is_game:
            raise UsageError(f"{puzzle} is a game of two players; use puzzlekit.env.GameEnv")
        if not puzzle.engine.has_goal:
            raise UsageError(f"{puzzle} has no goal, so it is never solved; give it one, as in Rules(..., goal=...)")
        self._puzzle, self._known = puzzle, known
        self.actions: Actions = Actions(puzzle)
        self._goals = Goals(puzzle)
        self.rows: Array = np.repeat(self.row(puzzle.start), count, axis=0)
        self.solved: Array
        self.stuck: Array
        self.choices: Array
        self._looked()

    def row(self, state: str) -> Array:
        """A state as an array with one row."""
        return np.array(self._puzzle.arrays.encode([state]))

    def place(self, which: Array, rows: Array) -> None:
        """Sets the states of the walks that `which` marks."""
        self.rows[which] = rows
        self._looked()

    def move(self, actions: Array, waiting: Array | None = None, rows: Array | None = None) -> Array:
        """Does an action in each walk. Returns in which walks it could be done; in the others, nothing changes.

        Args:
            actions: The actions.
            waiting: Marks walks in which no action is done. They begin again instead, in the states `rows`.
            rows: The states in which these walks begin again.
        """
        chosen = self.choices[np.arange(len(self.rows)), actions]
        done = cast("Array", chosen >= 0)
        if waiting is not None:
            done &= ~waiting
        if done.all():
            self.rows = self._children[chosen]
        else:
            self.rows[done] = self._children[chosen[done]]
        if waiting is not None:
            self.rows[waiting] = rows
        self._looked()
        return done

    def _looked(self) -> None:
        self._children, self.choices = self.actions.after(self.rows)
        self.solved = self._goals.hold(self.rows)
        self.stuck = ~(self.solved | (self.choices >= 0).any(axis=1))

    def mask(self) -> Array:
        """For each state and action 1 if the action can be done, or 0, as `Discrete.sample` takes it."""
        return (self.choices >= 0).astype(np.int8)

    def fewest(self) -> Array | None:
        """The fewest moves from each state to the goal, or -1 if they are not known or there are none."""
        if self._known is None:
            return None
        values, moves, _ = self._known.look_up(self.rows)
        return np.where(np.asarray(values) == 1, np.asarray(moves), -1)

    def text(self, place: int) -> str:
        """The text of a state."""
        return self._puzzle.arrays.decode(self.rows[place : place + 1])[0]


class Seeds:
    """The seeds of an environment's episodes, as texts: for the seed 7, these are `"7"`, `"7/1"`, `"7/2"` and so on.

    >>> seeds = Seeds(7)
    >>> seeds.next(), seeds.next(), seeds.next()
    ('7', '7/1', '7/2')

    Args:
        seed: The seed of the environment; `None` for a random one.
    """

    def __init__(self, seed: int | None) -> None:
        self._first = seed_or_new(None if seed is None else str(seed))
        self._count = 0

    def next(self) -> str:
        """The seed of the next episode, for `Puzzle.scramble`."""
        self._count += 1
        return self._first if self._count == 1 else f"{self._first}/{self._count - 1}"


def the_puzzle(puzzle: Puzzle | str) -> Puzzle:
    """A puzzle, which may be given by its text id."""
    from puzzlekit.plugins.installed import load

    return load(puzzle) if isinstance(puzzle, str) else puzzle


def what_knows(known: Known | str | PathLike[str] | None, puzzle: Puzzle) -> Known | None:
    """An object that can look up the states of a puzzle: the given job or transitions, or the job in a folder.

    Raises:
        UsageError: It is about another puzzle.
    """
    if known is None:
        return None
    if not hasattr(known, "look_up"):
        from puzzlekit.plugins.installed import open_job

        known = cast("Known", open_job(cast("str", known)))
    theirs: Puzzle | None = getattr(known, "puzzle", None)
    if theirs is not None and theirs.engine.fingerprint != puzzle.engine.fingerprint:
        raise UsageError(f"known has the states of {theirs}, and the environment is of {puzzle}; give one of {puzzle}")
    return cast("Known", known)


def check_actions(actions: Sequence[int] | Array, count: int) -> Array:
    """Actions as an array of numbers.

    Raises:
        UsageError: One of them is no action.
    """
    given = np.asarray(actions)
    if given.dtype.kind not in "iu" or (given.size and not (0 <= int(given.min()) <= int(given.max()) < count)):
        raise UsageError(f"the actions are {actions!r}; give numbers from 0 to {count - 1}")
    return given
