"""The protocol of solvers: the arguments of a solver, and its answer. The engine's own solver follows it, too.

`docs/plugins.md` explains it for authors.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from puzzlekit.errors import LimitError
from puzzlekit.run.checks import check_number, check_seconds, check_watch
from puzzlekit.run.defaults import MAX_STATES
from puzzlekit.run.signatures import arguments_of_solver

if TYPE_CHECKING:
    from collections.abc import Mapping

    from puzzlekit.errors import PuzzlekitError
    from puzzlekit.run.answers import SolveReport, Stage
    from puzzlekit.run.progress import Progress
    from puzzlekit.run.watch import Watch

MOST_STATES = 2**32 - 2
"""The most states that a solver may store, since their numbers have 32 bits."""

LOOK_EVERY = 0.04
"""A person's watch is called at most once in this many seconds, however often a solver calls its own watch. The engine
calls every twentieth of a second, which is a little more, so each of its calls is passed on."""


@dataclass(frozen=True)
class Budget:
    """The limits of a solver.

    >>> Budget(max_states=1000).seconds is None
    True

    Attributes:
        max_states: How many states the solver may store.
        memory: How many bytes these states may take. `Puzzle.solve` always gives a number. For the engine's own solver,
            `None` stands for 70 % of the memory.
        seconds: How long the solver may take; `None` for no limit. The watch that `Puzzle.solve` gives says when the
            time is over. So a solver that asks its watch need not measure the time.
        distance: In a game, whether all best moves and the number of moves to the end are wanted, however long that
            takes. If not, the answer has them only if they are hardly more work than the value.
        cache: Whether tables may be kept on disk for the next run, and read from there.

    Raises:
        UsageError: A limit makes no sense.
    """

    max_states: int = MAX_STATES
    memory: int | None = None
    seconds: float | None = None
    distance: bool = False
    cache: bool = True

    def __post_init__(self) -> None:
        check_number("max_states", self.max_states, 1, MOST_STATES)
        check_number("memory", self.memory, 0, 2**63 - 1)
        check_seconds("seconds", self.seconds)


@dataclass(frozen=True)
class Answer:
    """The answer of a solver for one state.

    >>> answer = Answer(("up", "left"), lower_bound=2)
    >>> answer.moves, answer.optimal
    (('up', 'left'), False)

    Attributes:
        moves: The names of the moves, in order. `Puzzle.solve` plays them through before it believes the answer.
        optimal: Whether it is proven that no fewer moves solve the state.
        lower_bound: A number of moves that every solution needs, as far as it is proven; `None` if none is known. If it
            equals the number of moves, these are the fewest.
        searched: Figures of the search by name, such as `{"states": 1000}`.
        stages: The parts of the solution, if the method has parts, in order of the moves.
        value: For a game, `"win"`, `"draw"` or `"loss"` for the player to move; else `None`.
        score: In a game with a score, the most points that the player to move can force, less those of the other
            player; `None` without a score.
        best: For a game, all moves that keep the value, and neither hasten a loss nor put off a win; if the answer is
            not optimal, one that keeps the value.
        proven: For a game, whether the value is known. If not, `best` has the best move so far.
        method: How the answer was found, in a word or two.
        reason: Why it was found in that way.
        limit: The limit that kept the answer from being proven, if there was one: `"seconds"`, `"max_states"`,
            `"memory"`, `"effort"` (the work that is done if no time is given), or `"watch"`.
        library: The library in which the answer was looked up; what is proven is then proven by that library. `None` if
            it was found here.
    """

    moves: tuple[str, ...]
    optimal: bool = False
    lower_bound: int | None = None
    searched: Mapping[str, int | float] = field(default_factory=dict)
    stages: tuple[Stage, ...] = ()
    value: str | None = None
    best: tuple[str, ...] = ()
    method: str | None = None
    reason: str | None = None
    limit: str | None = None
    proven: bool = True
    score: int | None = None
    library: str | None = None

    def __post_init__(self) -> None:
        # If a solver gives something else than names, the error is raised here, while the code of the solver runs.
        for name in ("moves", "best"):
            object.__setattr__(self, name, tuple(map(str, getattr(self, name))))
        object.__setattr__(self, "stages", tuple(self.stages))


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, with the best answer so far. A solver that catches `KeyboardInterrupt` may raise this instead.

    >>> Interrupted(Answer(("up",))).answer.moves
    ('up',)

    Attributes:
        answer: The best answer so far.
        report: The same answer with what `Puzzle.solve` adds to it; `None` until the moves have been played through.
    """

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.answer = answer
        self.report: SolveReport | None = None


class LooksUp(Protocol):
    """A library, in which states are looked up before a solver is asked: a `Library`."""

    def before(self, puzzle: Any, solver: SolverFunction | None = None) -> Solver:  # noqa: ANN401 - as in Solver
        """A solver that looks states up here. For all others, it asks `solver`, or if that is `None`, the puzzle's."""

    def values_of(self, puzzle: Any, *, every: bool) -> ValuesNear | None:  # noqa: ANN401 - as in Solver
        """An object that looks up the values of states of a game; `None` if the library does not have them.

        Args:
            puzzle: The game.
            every: Whether all states will be looked up.
        """


class ValuesNear(Protocol):
    """The values of all states of a game in a library.

    Attributes:
        name: What the library is called.
    """

    name: str

    def look_up(self, rows: bytes) -> tuple[memoryview, memoryview]:
        """The values of states that are given as rows, and the moves to the end; see `Job.look_up`."""

    def failed(self, error: PuzzlekitError) -> None:
        """Reports that a look-up failed, so that the library is not asked any more."""


SolverFunction = Callable[..., Answer | Iterable[str]]
"""The functions that a plugin may register as solvers: a `Solver`, or a function with fewer arguments or a simpler
result; see `as_solver`."""


class Solver(Protocol):
    """A function that solves states: the engine's own, which is `optimal`, or a plugin's.

    It is given the puzzle, the text of a state as puzzlekit writes it, a budget, and a watch. It calls the watch with
    its progress as often as it likes. When the watch returns something true, it stops: with the best answer so far,
    whose `limit` may say what ran out, or with a `LimitError` if there is none. It raises `UnsolvableError` if it knows
    that no moves lead to the goal.

    The puzzle is `Any`, because a solver may be for one kind of puzzle only, and use its fields.

    >>> from puzzlekit import load, optimal
    >>> def cautious(puzzle, state, *, budget, watch):
    ...     return optimal(puzzle, state, budget=Budget(max_states=1000), watch=watch)
    >>> report = load("rotation").solve("213/456/789", cautious)
    >>> report.length, report.optimal, report.solver
    (9, True, 'cautious')
    """

    __name__: str

    def __call__(self, puzzle: Any, state: str, /, *, budget: Budget, watch: Watch) -> Answer:  # noqa: ANN401
        """Solves a state."""


class Deadline:
    """The watch that a solver is given. It stops the solver when the time is over, or when a person's watch says so.

    A solver may call it as often as it likes. The person's watch is called at most about twenty times a second.

    Args:
        seconds: How long the solver may take, from now on.
        watch: The person's watch.

    Attributes:
        over: Whether it stopped because the time was over.
        end: When the time is over, by `time.monotonic`; `None` if it never is.
    """

    def __init__(self, seconds: float | None, watch: Watch | None) -> None:
        check_watch(watch)
        self.over: bool = False
        self.end: float | None = None if seconds is None else time.monotonic() + seconds
        self._watch = watch
        self._next_look = 0.0
        self._stopped = False

    def __call__(self, progress: Progress, /) -> bool:
        """Returns `True` if the solver is to stop. After that, it always returns `True`."""
        now = time.monotonic()
        if self._stopped:
            return True
        if self.end is not None and now >= self.end:
            self.over = self._stopped = True
        elif self._watch is not None and now >= self._next_look:
            self._next_look = now + LOOK_EVERY
            self._stopped = bool(self._watch(progress))
        return self._stopped


def as_solver(function: SolverFunction, name: str | None = None) -> Solver:
    """Makes a function a solver.

    The function takes the puzzle and the state, and `budget` and `watch` by name if its signature has them. It may
    return an `Answer`, or only the names of moves; then nothing is proven of them. The names may come one by one, as
    from a generator.

    >>> solver = as_solver(lambda puzzle, state: ["A", "B"], "simple")
    >>> solver(None, "", budget=Budget(), watch=Deadline(None, None)).moves
    ('A', 'B')

    Args:
        function: The function.
        name: The solver's name; if it is `None`, the function's own name.

    Raises:
        PluginError: The function cannot be called like that.
    """
    title = name or str(getattr(function, "__name__", type(function).__name__))
    takes = arguments_of_solver(function, title)

    def solve(puzzle: Any, state: str, /, *, budget: Budget, watch: Watch) -> Answer:  # noqa: ANN401
        given = {"budget": budget, "watch": watch}
        answer = function(puzzle, state, **{key: given[key] for key in takes})
        return answer if isinstance(answer, Answer) else Answer(_collect(answer, watch))

    # `functools.wraps` would also copy the signature of the given function, which is another one. So two attributes are
    # copied.
    solve.__name__, solve.__doc__ = title, function.__doc__
    return solve


def _collect(moves: Iterable[str], watch: Watch) -> tuple[str, ...]:
    """Collects the names of moves, which may come one by one and without an end."""
    from puzzlekit.run.progress import Progress

    collected: list[str] = []
    for move in moves:
        collected.append(str(move))
        if watch(Progress(states=len(collected))):
            raise LimitError(f"stopped after {len(collected):,} moves that did not end")
    return tuple(collected)
