"""Looks answers up in a finished job: the value of a state and best play, or the fewest moves to the goal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from puzzlekit.errors import CorruptError, JobError, LimitError, UnsolvableError
from puzzlekit.run.answers import Foreseen
from puzzlekit.run.progress import Progress
from puzzlekit.run.solver import Answer, Budget
from puzzlekit.run.value_codes import DRAW, LOSS, NAMES, SIGNS, TURNED, WIN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from puzzlekit.run.engine import Engine
    from puzzlekit.run.watch import Watch

MOST_MOVES = 10_000
"""The most moves of best play that an answer lists, since play may have no end."""

MOST_AFTER = 200_000
"""The most states that may follow a position if they are searched for the moves that win its points soonest."""


@dataclass(frozen=True)
class Found:
    """The knowledge of a job about a state.

    Attributes:
        row: The state as a row of bytes.
        value: `WIN`, `DRAW` or `LOSS`; 0 if the job does not have the state.
        moves: The number of moves to the end; -1 if it is not known. In a game with a score, the points by which a
            player is ahead; which player follows from `value`.
        depth: The depth of the state in the job; -1 if it is not known.
    """

    row: bytes
    value: int
    moves: int
    depth: int


class Looks(Protocol):
    """Something that looks states up, as `FoundStates` of a job does."""

    @property
    def backward(self) -> bool:
        """`True` if depths, such as `around` in `look_up`, are distances to the goal and not moves from the start."""

    @property
    def one_by_one(self) -> bool:
        """`True` if looking up many states at once saves nothing. Then a state is looked up only when it is needed."""

    def look_up(self, rows: bytes, around: int = 0) -> tuple[memoryview, memoryview, memoryview]:
        """Three columns about states, which are given as rows: values, moves to the end, depths; see `Job.look_up`."""


@runtime_checkable
class Sees(Protocol):
    """A solver that knows what moves force, without a search."""

    def foresee(self, engine: Engine, state: str, ahead: int) -> list[Foreseen] | None:
        """Returns what each move forces within `ahead` moves; `None` if unknown. See `JobSolver.foresee`."""


class JobSolver:
    """A solver that answers from a job with the values of all states, or with all distances to the goal.

    >>> import tempfile, puzzlekit
    >>> puzzle, folder = puzzlekit.load("slider:2,3"), tempfile.mkdtemp()
    >>> _ = puzzle.values(out=folder)
    >>> puzzle.solve("105/324", puzzlekit.open_job(folder).solver).length == puzzle.solve("105/324").length
    True

    Args:
        folder: The folder of the job.
        states: Looks states up in it.
        complete: Whether a state that the job does not have cannot be solved.

    Attributes:
        complete: As above.
    """

    def __init__(self, folder: str, states: Looks, *, complete: bool) -> None:
        self.__name__ = "job"
        self._folder = folder
        self._states = states
        self._what, self._kept = "the job", f"the job in {folder}"
        self.complete = complete

    def __call__(
        self,
        puzzle: Any,  # noqa: ANN401 - as in Solver
        state: str,
        /,
        *,
        budget: Budget,
        watch: Watch,
    ) -> Answer:
        """Looks up the answer for a state.

        Raises:
            UnsolvableError: No moves lead to the goal.
            JobError: The job does not have the state.
            CorruptError: A file has changed since it was written, or the values of states do not fit together.
            LimitError: The watch stopped it, or the time is over.
        """
        engine: Engine = puzzle.engine
        row = bytes(engine.encode([state]))
        found = self._look_up(row, 0)[0]
        if not found.value:
            raise self._lacks(state)
        if engine.is_scored and not engine.never_repeats:
            return self._soonest(engine, state, found, budget, watch) or self._play_for_points(engine, found, watch)
        if engine.is_game:
            return self._play(engine, found, watch)
        return self._solution(engine, state, found, watch)

    def worths(self, engine: Engine, states: Sequence[str]) -> list[Found]:
        """Returns what the job knows about each state, without the play that follows.

        Raises:
            CorruptError: A file has changed since it was written.
        """
        return self._look_up(bytes(engine.encode(list(states))), 0) if states else []

    def foresee(self, engine: Engine, state: str, ahead: int) -> list[Foreseen] | None:
        """For each move in a position of a game, whether it forces a win or a loss within `ahead` moves.

        The result is that of a search `ahead` moves deep, but nothing is searched. A win or a loss that is farther away
        is left out. `None` if the job does not know, because it lacks the position or has no distances.

        >>> import tempfile, puzzlekit
        >>> game, folder = puzzlekit.load("tictactoe"), tempfile.mkdtemp()
        >>> _ = game.values(out=folder)
        >>> solver = puzzlekit.open_job(folder).solver
        >>> [each.move for each in solver.foresee(game.engine, "XX./OO./...:X", 1) if each.value == "win"]
        ['2']

        Raises:
            CorruptError: A file has changed since it was written.
        """
        if engine.is_scored:
            return None  # a job with a score has points, and not the number of moves to a win
        found = self.worths(engine, [state])[0]
        after = list(self._followers(engine, found)) if found.value else []
        if not after or any(not each.value or (each.value != DRAW and each.moves < 0) for _, each in after):
            return None
        words, names = {WIN: "win", LOSS: "loss"}, engine.move_names
        return [
            Foreseen(names[move], words[_before(found, each)], each.moves + 1)
            if each.value in words and each.moves < ahead
            else Foreseen(names[move], None, 0)
            for move, each in after
        ]

    def _lacks(self, state: str) -> UnsolvableError | JobError:
        if self.complete:
            return UnsolvableError(
                f"no moves lead from {state} to the goal: {self._what} has all states that can reach it"
            )
        return JobError(
            f"{self._kept} does not have the state {state}: it has what play reaches from the start, and in a count of "
            "distances what can be solved; leave it out"
        )

    def _look_up(self, rows: bytes, around: int) -> list[Found]:
        values, moves, depths = self._states.look_up(rows, max(around, 0))
        width = len(rows) // len(values)
        each = zip(values, moves, depths, strict=True)
        return [Found(rows[at * width : (at + 1) * width], *known) for at, known in enumerate(each)]

    def _followers(self, engine: Engine, found: Found) -> Iterator[tuple[int, Found]]:
        """For each move that can be made, its number, and what the job knows about the state after it."""
        children, _, moves = engine.expand(found.row)
        if not moves:
            return iter(())
        around = found.moves - 1 if self._states.backward else found.depth + 1
        rows, width = bytes(children), len(found.row)
        if self._states.one_by_one:
            each = (rows[at : at + width] for at in range(0, len(rows), width))
            return zip(moves, (self._look_up(row, around)[0] for row in each), strict=True)
        return zip(moves, self._look_up(rows, around), strict=True)

    def _look(self, watch: Watch, steps: int) -> None:
        """Asks the watch before the states after the next move are looked up.

        Raises:
            LimitError: It is to stop.
        """
        if watch(Progress(states=steps)):
            raise LimitError(f"stopped after {steps:,} moves were looked up in {self._kept}")

    def _solution(self, engine: Engine, state: str, found: Found, watch: Watch) -> Answer:
        if found.value != WIN:
            raise UnsolvableError(f"no moves lead from {state} to the goal: {self._what} has the values of all states")
        if found.moves < 0:
            return self._some_solution(engine, state, found, watch)
        moves: list[str] = []
        names = engine.move_names
        while found.moves > 0:
            self._look(watch, len(moves))
            nearer = found.moves - 1
            after = self._followers(engine, found)
            step = next(((move, next_) for move, next_ in after if next_.value == WIN and next_.moves == nearer), None)
            if step is None:
                raise self._damaged()
            moves.append(names[step[0]])
            found = step[1]
        return Answer(
            tuple(moves), optimal=True, method="a look-up", reason=f"{self._what} has the distance of each state"
        )

    def _some_solution(self, engine: Engine, state: str, found: Found, watch: Watch) -> Answer:
        """Some solution, which need not be the shortest, for a job without distances.

        The job of a puzzle lacks distances only if the cells of a state determine its depth. Then play never comes back
        to a state, and moves from one solvable state to another always end at the goal.
        """
        moves: list[str] = []
        seen: set[bytes] = set()
        while not engine.is_solved(state):
            self._look(watch, len(moves))
            if found.row in seen:
                raise self._damaged()
            seen.add(found.row)
            step = next(((move, next_) for move, next_ in self._followers(engine, found) if next_.value == WIN), None)
            if step is None:
                raise self._damaged()
            moves.append(engine.move_names[step[0]])
            state, found = engine.apply(state, moves[-1]), step[1]
        return Answer(
            tuple(moves), optimal=False, method="a look-up", reason=f"{self._what} has values without distances"
        )

    def _play(self, engine: Engine, found: Found, watch: Watch) -> Answer:
        if engine.is_scored:
            return self._play_for_points(engine, found, watch)
        names = engine.move_names
        value, known = found.value, found.value == DRAW or found.moves >= 0
        line: list[str] = []
        best: tuple[str, ...] | None = None
        seen: set[bytes] = set()
        while found.row not in seen and len(line) < MOST_MOVES:
            seen.add(found.row)
            self._look(watch, len(line))
            after = self._fitting(engine, found)
            good = [(move, next_) for move, next_ in after if _keeps(found, next_)]
            if best is None:
                best = tuple(names[move] for move, _ in good)
            if not good:
                break
            line.append(names[good[0][0]])
            found = good[0][1]
        return Answer(
            tuple(line),
            optimal=known,
            value=NAMES[value],
            best=best or (),
            method="a look-up",
            reason=f"{self._what} has the value of each state",
        )

    def _fitting(self, engine: Engine, found: Found) -> list[tuple[int, Found]]:
        """Calls `_followers` in a game, and checks that the state's value is the best that a move leads to.

        Raises:
            CorruptError: It does not.
        """
        after = list(self._followers(engine, found))
        if not all(next_.value for _, next_ in after):
            raise self._damaged()
        if after:
            best, own = max(_worth(engine, found, next_) for _, next_ in after), _worth(engine, found, found)
            fits = best == own if engine.is_scored or found.moves >= 0 else best[0] == own[0]
        elif engine.is_scored:
            answer = engine.solve(engine.decode(found.row)[0], Budget(), None)  # play is over, so nothing is searched
            fits = answer.score == _worth(engine, found, found)[0]
        else:
            fits = found.moves <= 0
        if engine.is_scored:
            fits = fits and found.moves >= 0 and (found.value == DRAW) == (found.moves == 0)
        if not fits:
            raise self._damaged()
        return after

    def _soonest(self, engine: Engine, state: str, found: Found, budget: Budget, watch: Watch) -> Answer | None:
        """Best play where play can come back to a state: a search for the moves that win the points soonest.

        The job has the points of each state, and no numbers of moves. Whoever makes any move that keeps the points may
        go round in circles and never win them. `None` if too many states can follow, or if half of the time is over.

        Raises:
            CorruptError: The job has other points.
        """
        seconds = None if budget.seconds is None else budget.seconds / 2
        limits = replace(budget, max_states=min(budget.max_states, MOST_AFTER), seconds=seconds)
        try:
            answer = engine.solve(state, limits, watch)
        except LimitError:
            return None
        if not (answer.proven and answer.optimal):
            return None
        if answer.score != _worth(engine, found, found)[0]:
            raise self._damaged()
        return replace(answer, reason=f"{self._what} has the score of each state, and not the moves to the end")

    def _play_for_points(self, engine: Engine, found: Found, watch: Watch) -> Answer:
        """Best play for points: moves that keep the score, and that lead to an end of play if any such moves do."""
        names, first = engine.move_names, found
        seen: set[bytes] = set()
        best: tuple[str, ...] = ()
        # The path of a depth-first search: each position on it, with the moves from there that have not been tried yet.
        way: list[tuple[Found, list[tuple[int, Found]]]] = []
        line: list[str] = []
        longest: list[str] = []
        while len(seen) < MOST_MOVES:
            seen.add(found.row)
            self._look(watch, len(line))
            after = self._fitting(engine, found)
            good = [
                (move, next_)
                for move, next_ in after
                if next_.moves == found.moves and _before(found, next_) == found.value
            ]
            if not way and not line:
                best = tuple(names[move] for move, _ in good)
            way.append((found, good))
            if not after:
                longest = line
                break
            while way and not (left := [each for each in way[-1][1] if each[1].row not in seen]):
                way.pop()
                longest, line = max(longest, line, key=len), line[:-1]
            if not way:
                break
            way[-1] = (way[-1][0], left[1:])
            line = [*line, names[left[0][0]]]
            found = left[0][1]
        points = SIGNS[first.value] * first.moves
        return Answer(
            tuple(longest),
            optimal=True,
            value=NAMES[first.value],
            score=points,
            best=best,
            method="a look-up",
            reason=f"{self._what} has the score of each state",
        )

    def _damaged(self) -> CorruptError:
        return CorruptError(
            f"{self._folder}: the values of a state and of the states after it do not fit together; {self._what} is "
            "damaged"
        )


def _before(now: Found, after: Found) -> int:
    """The value of the state after a move, for the player who makes the move, even if the other player is next."""
    again = now.row[-1] == after.row[-1]  # the last byte of a row is the player to move
    return after.value if again else TURNED[after.value]


def _worth(engine: Engine, now: Found, after: Found) -> tuple[int, int]:
    """The worth of a state for the player to move in `now`, which is that state or the one before it; more is better.

    It is the points, with a score. Otherwise it is 1, 0 or -1 for a win, a draw and a loss, and then how near a win or
    how far a loss is.
    """
    value = _before(now, after)
    sign = SIGNS[value]
    if engine.is_scored:
        return sign * after.moves, 0
    return sign, -sign * (after.moves + (after is not now))


def _keeps(now: Found, after: Found) -> bool:
    """Returns `True` if a move keeps the value of a state, and neither hastens a loss nor puts off a win."""
    if _before(now, after) != now.value:
        return False
    return now.value == DRAW or now.moves < 0 or after.moves == now.moves - 1
