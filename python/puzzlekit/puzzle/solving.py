"""Asks a solver, the chosen one or the default, about a state. Its moves are made before its answer is believed."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from puzzlekit.errors import (
    LimitError,
    MoveError,
    PluginError,
    PuzzlekitError,
    StateError,
    UnsolvableError,
    UsageError,
    one_line,
    plugin_code,
)
from puzzlekit.run import overridable
from puzzlekit.run.checks import check_is_puzzle, read_texts, shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from puzzlekit.draw.svg import Picture
    from puzzlekit.puzzle.protocols import Solvable
    from puzzlekit.run.answers import SolveReport
    from puzzlekit.run.engine import Engine
    from puzzlekit.run.solver import Answer, Budget, Deadline, Solver, SolverFunction
    from puzzlekit.run.watch import Watch

MOST_AIMS = 16
"""Engines compiled for another goal or for fewer moves are kept for the next call: at most this many."""


def optimal(puzzle: Solvable, state: str, *, budget: Budget | None = None, watch: Watch | None = None) -> Answer:
    """The engine's own solver: the fewest moves to the goal, or the value of a game's state and best play.

    It uses algebra, or searches from both ends, or depth-first with lower bounds that follow from the rules.
    docs/solving.md says which is used when.

    >>> from puzzlekit import load
    >>> optimal(load("rotation"), "412/653/789").moves
    ('A', 'A', 'A', 'B', 'B', 'B')

    Raises:
        UnsolvableError: No moves lead to the goal.
        LimitError: A limit was reached and there is no answer, or the watch stopped the search.
        StateError: The text is no state of this puzzle.
    """
    check_is_puzzle(puzzle)
    return puzzle.engine.solve(state, _read_budget(budget), watch)


def shorten(
    puzzle: Solvable, state: str, moves: Iterable[str], *, budget: Budget | None = None, watch: Watch | None = None
) -> Answer:
    """Makes a solution of a state shorter, by the engine's own solver: for solvers that have found some solution.

    It does what `optimal` does, but begins with the given moves. So the answer is never longer than they are, and it is
    proven to be the shortest if that can be done.

    >>> from puzzlekit import load
    >>> shorten(load("rotation"), "412/653/789", "AAABBBAAAA").moves
    ('A', 'A', 'A', 'B', 'B', 'B')

    Args:
        puzzle: The puzzle.
        state: The state.
        moves: The names of moves that lead from the state to the goal.
        budget: The limits of the search; without a limit of time, it takes some seconds.
        watch: Called with the progress. If it returns something true, the search stops.

    Raises:
        MoveError: A move cannot be made.
        UsageError: The moves do not lead to the goal, or the puzzle is a game.
    """
    check_is_puzzle(puzzle)
    given, engine = read_texts("moves", moves, "the names of moves"), puzzle.engine
    if engine.is_game:
        raise UsageError(f'"{puzzle}" is a game, whose play is not made shorter; give a puzzle')
    after = state
    for move in given:
        after = engine.apply(after, move)
    if not engine.is_solved(after):
        raise UsageError(f"the moves lead from {state} to {after}, which is not solved; give moves that solve it")
    return engine.solve(state, _read_budget(budget), watch, given)


def _read_budget(budget: Budget | None) -> Budget:
    from puzzlekit.run.solver import Budget

    if budget is not None and not isinstance(budget, Budget):
        raise UsageError(f"budget is {shown(budget)}; give a puzzlekit.Budget")
    return budget or Budget()


def solve(  # noqa: PLR0913 - the options of `Puzzle.solve`
    puzzle: Solvable,
    state: str,
    solver: SolverFunction | None,
    *,
    budget: Budget,
    watch: Watch | None = None,
    goal: str | None = None,
    only_moves: tuple[str, ...] | None = None,
    every: int | None = None,
) -> SolveReport:
    """Does the work of `Puzzle.solve`, which documents the arguments and errors."""
    from puzzlekit.run.answers import SolveReport
    from puzzlekit.run.ending import within
    from puzzlekit.run.solver import Deadline, Interrupted, as_solver

    state, engine = puzzle.read(state), puzzle.engine
    if goal is None and only_moves is None:
        asked = as_solver(solver or overridable.default_solver(puzzle))
        reason = overridable.why_unsolvable(puzzle, state)
        if reason is not None:
            raise UnsolvableError(f"no moves lead from {state} to the goal: {reason}")
    else:
        if solver is not None and getattr(solver, "__name__", "") != optimal.__name__:
            raise UsageError("another goal or fewer moves are for the engine's own solver; leave the other solver out")
        engine = _aimed_engine(puzzle, goal, only_moves)
        asked = _solver_of(engine)
    deadline, begun = Deadline(budget.seconds, watch), time.perf_counter()
    interrupted: Interrupted | None = None
    try:
        with within(deadline):
            answer = ask(asked, puzzle, state, budget, deadline)
    except Interrupted as error:
        interrupted, answer = error, error.answer
    except UnsolvableError as error:
        if only_moves is not None and not set(puzzle.engine.move_names) <= set(only_moves):
            raise UnsolvableError(
                f"{error}; only the moves {', '.join(only_moves)} were allowed, and others may lead there"
            ) from error
        raise
    except LimitError as error:
        better = _with_bound(error, engine, state, budget, deadline)
        if better is None:
            raise
        raise better from error
    taken = time.perf_counter() - begun
    fault = fault_of_answer(engine, state, answer)
    if fault is not None:
        raise PluginError(f"the solver {asked.__name__} {fault}; report it")
    length = len(answer.moves)
    bound = answer.lower_bound if engine.is_game else max(answer.lower_bound or 0, engine.least_moves(state) or 0)
    proven = answer.optimal or (not engine.is_game and length == bound)
    report = SolveReport(
        puzzle=str(puzzle),
        state=state,
        moves=answer.moves,
        optimal=proven,
        solver=asked.__name__ if answer.library is None else "library",
        seconds=taken,
        value=answer.value,
        best=answer.best,
        lower_bound=length if answer.optimal and answer.value is None else bound or None,
        stages=answer.stages,
        searched=answer.searched,
        method=answer.method,
        reason=answer.reason,
        limit=None if proven else "seconds" if deadline.over else answer.limit,
        proven=answer.proven,
        score=answer.score,
        library=answer.library,
        repeats=_repeats(engine, state, answer) if engine.is_game else None,
        strip=partial(_first, puzzle, state, answer),
    )
    if interrupted is not None:
        interrupted.report = report
        raise interrupted
    return report if every is None else _listed(engine, state, answer, report, every, budget, deadline)


def _with_bound(error: LimitError, engine: Engine, state: str, budget: Budget, deadline: Deadline) -> LimitError | None:
    """The error of a solver that reached a limit, completed by two facts: whether the time was over, and a lower bound.

    The bound is `least_moves`, the number of moves that are needed at least. `None` if the error has both facts
    already, as that of the engine's own solver.
    """
    least = 0 if engine.is_game else engine.least_moves(state) or 0
    told = deadline.over and "seconds" not in str(error)
    if not told and (error.lower_bound is not None or least <= 1):
        return None
    late = f"no answer for {state} within {budget.seconds or 0:g} seconds; give more, or another solver"
    needed = f"; if moves lead to the goal, at least {least} are needed" if least > 1 else ""
    found = LimitError(f"{late if told else error}{needed}")
    found.lower_bound, found.within = error.lower_bound or least or None, error.within
    return found


def _repeats(engine: Engine, state: str, answer: Answer) -> int | None:
    """If best play comes back to a position: the number of moves before that position came first.

    Positions are compared up to symmetry. `None` if the last position did not come before.
    """
    states = [state]
    for move in answer.moves:
        states.append(engine.apply(states[-1], move))
    if not answer.proven or len(states) == 1 or engine.outcome(states[-1]) is not None:
        return None
    keys = [engine.key(each) for each in states]
    return next((at for at, key in enumerate(keys[:-1]) if key == keys[-1]), None)


def _listed(  # noqa: PLR0913 - what `solve` has found so far
    engine: Engine, state: str, answer: Answer, report: SolveReport, every: int, budget: Budget, watch: Watch
) -> SolveReport:
    """Adds all shortest solutions to a report, but at most `every`.

    Raises:
        UsageError: The rules are those of a game, or the fewest moves are not proven.
    """
    if engine.is_game or not report.optimal:
        raise UsageError(
            "all shortest solutions are listed of puzzles alone, if the fewest moves are proven; leave that out, or "
            "give more time"
        )
    solutions, all_solutions = engine.every(state, answer, every, budget, watch)
    return replace(report, solutions=solutions, all_solutions=all_solutions)


def ask(asked: Solver, puzzle: Solvable, state: str, budget: Budget, watch: Watch) -> Answer:
    """Asks a solver. The moves of its answer are not checked here.

    Raises:
        PluginError: The solver failed.
    """
    try:
        with plugin_code():
            return asked(puzzle, state, budget=budget, watch=watch)
    except PuzzlekitError as error:
        if isinstance(error, MoveError | StateError):  # the solver's fault, since the given state was read
            raise PluginError(f"the solver {asked.__name__} failed on {state}: {error}; report it") from error
        raise
    except (Exception, SystemExit) as error:  # a plugin may fail in any way
        raise PluginError(f"the solver {asked.__name__} failed on {state} with {one_line(error)}") from error


def _first(puzzle: Solvable, state: str, answer: Answer, most: int) -> Picture:
    """A strip of pictures of the first states of a solution."""
    from puzzlekit.puzzle.strip import strip

    return strip(puzzle, state, answer.moves[:most], [stage for stage in answer.stages if stage.begins < most])


@lru_cache(maxsize=MOST_AIMS)
def _aimed_engine(puzzle: Solvable, goal: str | None, only_moves: tuple[str, ...] | None) -> Engine:
    """The engine of a puzzle's rules with another goal, or with fewer moves, or both."""
    from puzzlekit.puzzle.aim import aimed
    from puzzlekit.run.engine import Engine

    return Engine(aimed(overridable.rules(puzzle), goal, only_moves))


def _solver_of(engine: Engine) -> Solver:
    def solver(_puzzle: Any, state: str, /, *, budget: Budget, watch: Watch) -> Answer:  # noqa: ANN401 - as in Solver
        return engine.solve(state, budget, watch)

    solver.__name__ = optimal.__name__
    return solver


def fault_of_answer(engine: Engine, state: str, answer: Answer) -> str | None:
    """Returns what is wrong with an answer for a state, found by playing its moves through; `None` if nothing is."""
    after = state
    for move in answer.moves:
        try:
            after = engine.apply(after, move)
        except MoveError as error:
            return f"leads from {state} to {after}, and {error}"
    return (_fault_of_value if engine.is_game else fault_of_solution)(engine, state, after, answer)


def fault_of_solution(engine: Engine, state: str, after: str, answer: Answer) -> str | None:
    """Returns what is wrong with an answer for a puzzle whose moves lead to `after`; see `fault_of_answer`."""
    if not engine.is_solved(after):
        return f"leads from {state} to {after}, which is not solved"
    if answer.value is not None or answer.best:
        return f"gives {state} a value or best moves, which are for games"
    bound, length = answer.lower_bound, len(answer.moves)
    if bound is not None and (bound > length or (answer.optimal and bound < length)):
        return f"gives {length} moves from {state}, against the bound of {bound} that it proves"
    begins = [0, *(stage.begins for stage in answer.stages), length]
    if begins != sorted(begins):
        places = ", ".join(str(stage.begins) for stage in answer.stages)
        return f"says that its stages begin after {places} moves, and gives {length} moves from {state}"
    return None


def _fault_of_value(engine: Engine, state: str, after: str, answer: Answer) -> str | None:
    """Returns what is wrong with an answer for a game whose play leads to `after`; see `fault_of_answer`."""
    wrong = [move for move in answer.best if move not in engine.legal_moves(state)]
    if wrong:
        return f"calls {wrong[0]} a best move in {state}, and it cannot be made there"
    if not answer.proven:
        return None if answer.value is None else f"gives {state} the value {answer.value}, and says it is not proven"
    if answer.value is not None and answer.best and not answer.moves:
        return None  # the value is known, but finding the moves took too long
    outcome, mover = engine.outcome(after), state.rpartition(":")[2]
    if outcome is None and answer.score is not None:
        return None  # play has no end, and the rules say how many points that gives
    found = "draw"  # also if play only repeats itself
    if outcome in engine.notation.players:
        found = "win" if outcome == mover else "loss"
    if answer.value != found:
        called = "gives no value to" if answer.value is None else f"calls a {answer.value}"
        return f"{called} {state}, and its play leads to {after}, a {found}"
    return None
