"""Parts of the suite about scrambles, which must be states that play reaches, and about the solutions of solvers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from puzzlekit.errors import LimitError, PuzzlekitError, UnsolvableError, UsageError
from puzzlekit.puzzle.puzzle import Puzzle
from puzzlekit.puzzle.solving import optimal
from puzzlekit.run.engine.machine import memory_limit
from puzzlekit.run.scrambler import as_scrambler
from puzzlekit.run.solver import Budget, as_solver
from puzzlekit.testing.subject import Looked, Subject, fail

if TYPE_CHECKING:
    from collections.abc import Callable

    from puzzlekit.run.answers import ScrambleReport
    from puzzlekit.run.solver import Answer, SolverFunction

SEEDS = tuple(map(str, range(5)))

DAY = "2026-01-01"

MOST_STATES = 100_000
"""The most states that a solver may store for one answer."""


def scrambles(subject: Subject) -> Looked:
    """Checks the scrambles of the puzzle and of plugins: a seed always gives the same state, and play reaches it."""
    puzzle = subject.puzzle
    for seed in SEEDS:
        _scramble(subject, f"the seed {seed}", f"the scramble of the seed {seed}", partial(puzzle.scramble, seed))
    _scramble(subject, f"the day {DAY}", f"the state of the day {DAY}", partial(puzzle.daily, DAY))
    times, notes = len(SEEDS) + 1, []
    for name, scrambler in subject.scramblers.items():
        for seed in SEEDS:
            # The base class's method is called: a puzzle that overrides `scramble` may not take the argument
            # `scrambler`.
            try:
                make = partial(Puzzle.scramble, puzzle, seed, scrambler=as_scrambler(scrambler, name))
                make()
            except UsageError as error:
                notes.append(f"the scrambler {name} makes nothing of {puzzle}: {error}")
                break
            except PuzzlekitError as error:
                fail(str(error))
            times += 1
            _scramble(subject, f"the scrambler {name} with the seed {seed}", f"the scrambler {name}", make)
    return Looked(times, tuple(notes))


def _scramble(subject: Subject, given: str, what: str, make: Callable[[], ScrambleReport]) -> None:
    puzzle = subject.puzzle
    try:
        scrambled = make()
        again = make()
    except PuzzlekitError as error:
        fail(f"{what} fails: {error}")
    if again.state != scrambled.state:
        fail(f"{given} gives {scrambled.state} and then another state; draw from puzzlekit.Random alone")
    if subject.walked_all and scrambled.state not in subject.walked:
        fail(f"{given} gives {scrambled.state}, which play does not reach; scramble by moves from the start")
    if scrambled.moves is not None:
        state = puzzle.start
        for move in scrambled.moves:
            try:
                state = puzzle.apply(state, move)
            except UsageError as error:
                fail(f"{given} gives moves of which one cannot be made: {error}; give those that lead there, or None")
        if state != scrambled.state:
            fail(
                f"{given} gives {scrambled.state} with moves that lead to {state}; give those that lead there, or None"
            )


def solutions(subject: Subject) -> Looked:
    """Makes the moves of each solver's solution. If a solver claims the fewest moves, fewer must not be enough."""
    puzzle = subject.puzzle
    if not puzzle.engine.is_game and puzzle.engine.goal is None and not puzzle.rules().goal:
        return Looked(0, ("the rules have no goal, so there is nothing to solve; give Rules a goal if there is one",))
    asked: dict[str, SolverFunction | None] = {} if puzzle.engine.is_game else {"its own solver": None}
    asked |= {name: solver for name, solver in subject.solvers.items() if solver is not optimal}
    times = 0
    for state in subject.sample(5):
        known = _known(subject, state)
        reason = puzzle.why_unsolvable(state)
        if known is not None and reason is not None:
            fail(f"why_unsolvable says of {state} that {reason}, and {len(known.moves)} moves solve it; mend it")
        for name, solver in asked.items():
            times += _solved(subject, state, name, solver, known)
    return Looked(times)


def _known(subject: Subject, state: str) -> Answer | None:
    """The answer of the engine's own solver for a state; `None` if it finds none."""
    try:
        budget = Budget(max_states=MOST_STATES, memory=memory_limit(subject.memory))
        return optimal(subject.puzzle, state, budget=budget)
    except (UnsolvableError, LimitError):
        return None


def _solved(subject: Subject, state: str, name: str, solver: SolverFunction | None, known: Answer | None) -> int:
    """Asks a solver for an answer, and checks it. Returns the number of answers that were checked.

    The number is 1; it is 0 if the solver reached a limit or no moves lead to the goal.
    """
    puzzle, method = subject.puzzle, solver and as_solver(solver, name)
    try:
        answer = puzzle.solve(state, method, max_states=MOST_STATES, memory=subject.memory)
    except LimitError:  # a solver may give up at a limit
        return 0
    except UnsolvableError:
        if known is not None and not puzzle.engine.is_game:
            fail(f"{name} says that nothing solves {state}, and {len(known.moves)} moves do; mend the solver {name}")
        return 0
    except PuzzlekitError as error:
        fail(str(error))
    if known is None or not known.optimal or puzzle.engine.is_game:
        return 1
    fewest, bound = len(known.moves), answer.lower_bound or 0
    if (answer.optimal and answer.length > fewest) or bound > fewest:
        fail(
            f"{name} says that {max(bound, answer.length)} moves are the fewest from {state}, and {fewest} are enough; "
            "say that only if it is proven"
        )
    return 1
