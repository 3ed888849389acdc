"""The searches for one state: the fewest moves, hints, solutions, values, and the move of an opponent."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from puzzlekit.errors import LimitError, PuzzlekitError, UnsolvableError, UsageError
from puzzlekit.puzzle.solving import optimal
from puzzlekit.run import overridable
from puzzlekit.run.progress import Progress
from puzzlekit.run.random import Random
from puzzlekit.run.value_codes import DRAW, NAMES, SIGNS, TURNED, WIN
from puzzlekit.view.view import view_of
from puzzlekit.web.shown import MOST_HISTORY, changed, history, symbols_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from puzzlekit.plugins.loader import Plugins
    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.answers import SolveReport
    from puzzlekit.run.solver import SolverFunction
    from puzzlekit.run.watch import Watch
    from puzzlekit.web.known import Known
    from puzzlekit.web.limits import Limits
    from puzzlekit.web.request_fields import Request

CHANCE = {"perfect": 0, "strong": 10, "fair": 35, "weak": 70}
"""For each skill of an opponent, the percentage of its moves that are random."""


def _mover(state: str) -> str:
    """The name of the player to move, from the text of a game's state."""
    return state.rpartition(":")[2]


FOR_OTHER = {NAMES[value]: NAMES[turned] for value, turned in TURNED.items()}
"""The value for the player who has just moved, from the value for the player to move."""

UNSOLVABLE = "no moves lead from there to the goal, says a job that has all states which play can reach"
"""The reason that is shown if a job says that a state of a puzzle cannot be solved."""

LEAST_SECONDS = 0.5
"""The states of a list share the time that is left, but they have at least this many seconds together."""

NOTHING = Progress()
"""A progress without figures, for calling a watch only to ask whether to stop."""


@dataclass(frozen=True)
class Worth:
    """The value of a state.

    Attributes:
        value: In a game, `"win"`, `"draw"` or `"loss"`; in a puzzle, the fewest moves to the goal; `None` if it is not
            known.
        left: How many moves best play takes to the end; `None` if that is not known.
        why: Why the value is not known; `None` if it is known.
        score: In a game with a score, the points of the player to move, less those of the other; `None` without one.
    """

    value: str | int | None
    left: int | None
    why: str | None
    score: int | None = None


UNKNOWN = "the value is not known within the limits of this page"
"""The reason that is shown if the value of a state of a game is not known."""

UNPROVEN = "the fewest moves are not known within the seconds of this page"
"""The reason that is shown if the fewest moves of a state of a puzzle are not known."""


class Searches:
    """The verbs that search. Each answers one request. If a job has the answer, it is looked up there instead.

    Args:
        plugins: The plugins whose solvers may be asked for.
        known: The jobs.
        limits: What a request may cost.
        watch: Takes note of progress, and says whether to stop.
    """

    def __init__(self, plugins: Plugins, known: Known, limits: Limits, watch: Watch) -> None:
        self._plugins = plugins
        self._known = known
        self._limits = limits
        self._watch = watch

    def fewest(self, puzzle: Puzzle, request: Request) -> dict[str, Any]:
        """The fewest moves from a state to the goal, or bounds on their number."""
        if puzzle.engine.is_game:
            raise UsageError(f"{puzzle.id} is a game, which has no fewest moves; ask for its values")
        state = puzzle.read(request.text("state") or "")
        data: dict[str, Any] = dict.fromkeys(("fewest", "at_least", "at_most", "solvable", "why", "moves"))
        if puzzle.is_solved(state):
            return data | {"fewest": 0, "at_least": 0, "at_most": 0, "solvable": True, "moves": []}
        try:
            found = self._known.solve(puzzle, state, self._watch)
            if found is None or not found.optimal:  # a job without distances gives any solution, not a shortest one
                found = self._searched(puzzle, state, optimal, self._limits.short_seconds)
        except UnsolvableError as error:
            return data | {"solvable": False, "why": str(error)}
        except LimitError as error:
            data |= {"at_least": error.lower_bound, "why": str(error)}
        else:
            least = found.length if found.optimal else found.lower_bound
            return data | {
                "fewest": found.length if found.optimal else None,
                "at_least": least,
                "at_most": found.length,
                "solvable": True,
                "moves": found.moves,
            }
        other = overridable.default_solver(puzzle)
        if other is not optimal:
            try:
                found = self._searched(puzzle, state, other)
                data |= {"at_most": found.length, "solvable": True, "moves": found.moves}
            except UnsolvableError as error:
                data |= {"solvable": False, "why": str(error)}
            except LimitError:  # a solver of the puzzle that searches, and has reached a limit, too
                pass
        return data

    def hint(self, puzzle: Puzzle, request: Request) -> dict[str, Any]:
        """A hint, of the strength that was asked for."""
        state, strength = puzzle.read(request.text("state") or ""), int(request.given.get("strength", 3))
        found = self._solved(puzzle, state)
        if not found.proven:
            raise LimitError(UNKNOWN)
        moves = found.best or found.moves
        left = found.length if found.repeats is None else None
        data: dict[str, Any] = {"left": left, "proven": found.optimal, "value": found.value, "score": found.score}
        if strength > 1 and moves:
            data["cells"] = changed(puzzle, state, puzzle.apply(state, moves[0]))
        if strength > 2 and moves:
            data["move"] = moves[0]
            by_hand = view_of(puzzle).by_hand(state, moves[0])
            if by_hand is not None:
                data |= {"how": by_hand.words, "cells": by_hand.cells or data["cells"], "gesture": by_hand.gesture}
        return data

    def solve(self, puzzle: Puzzle, request: Request) -> dict[str, Any]:
        """A solution, with the states that it goes through."""
        state, name = puzzle.read(request.text("state") or ""), request.text("solver")
        job = self._known.solver(puzzle)
        if name is None or (job is not None and name == job.__name__):
            found = self._solved(puzzle, state)
        else:
            found = self._searched(puzzle, state, self._plugins.solver(puzzle, name))
        if not found.proven:
            raise LimitError(UNKNOWN)
        states = [state]
        for move in found.moves[:MOST_HISTORY]:
            states.append(puzzle.apply(states[-1], move))
        return {**found.to_data(), "history": history(puzzle, states)}

    def values(self, puzzle: Puzzle, request: Request) -> dict[str, Any]:
        """The value of each move that can be made."""
        state = puzzle.read(request.text("state") or "")
        after = {move: puzzle.apply(state, move) for move in puzzle.legal_moves(state)}
        found = self._worths(puzzle, list(dict.fromkeys([state, *after.values()])))
        moves = []
        for move, then in after.items():
            worth = found[then]
            if puzzle.engine.is_game and _mover(then) != _mover(state):
                score = None if worth.score is None else -worth.score
                worth = replace(worth, value=FOR_OTHER.get(str(worth.value)), score=score)
            moves.append({"move": move, "state": then, "cells": symbols_of(puzzle, then), **asdict(worth)})
        return {**asdict(found[state]), "moves": moves}

    def _worths(self, puzzle: Puzzle, states: Sequence[str]) -> dict[str, Worth]:
        """The value of each state for the player to move.

        All states together may take as long as one search. If one state takes long, less time is left for the next
        ones.
        """
        end = time.monotonic() + self._limits.long_seconds
        found = self._looked_up(puzzle, states)
        for state in states:
            if state in found:
                continue
            seconds = max(end - time.monotonic(), LEAST_SECONDS) / (len(states) - len(found))
            try:
                report = self._searched(puzzle, state, optimal, min(seconds, self._limits.short_seconds))
            except PuzzlekitError as error:
                if self._watch(NOTHING):
                    raise
                found[state] = Worth(None, None, str(error))
            else:
                if not report.proven:
                    found[state] = Worth(None, None, UNKNOWN)
                elif report.value is None and not report.optimal:
                    found[state] = Worth(None, None, UNPROVEN)
                elif report.value is None:
                    found[state] = Worth(report.length, report.length, None)
                else:
                    left = report.length if report.optimal and report.repeats is None else None
                    found[state] = Worth(report.value, None if puzzle.engine.is_scored else left, None, report.score)
        return found

    def _looked_up(self, puzzle: Puzzle, states: Sequence[str]) -> dict[str, Worth]:
        """The values that a job has, by state. States that it does not have are left out."""
        job, known = self._known.solver(puzzle), self._known.worths(puzzle, states)
        found = {}
        for state, each in zip(states, known or (), strict=known is not None):
            left = each.moves if each.moves >= 0 else None
            if puzzle.engine.is_scored and each.value:
                sign = SIGNS.get(each.value, 0)
                found[state] = Worth(NAMES[each.value], None, None, sign * each.moves)
            elif puzzle.engine.is_game and each.value:
                found[state] = Worth(NAMES[each.value], left, None)
            elif each.value == WIN and left is not None:
                found[state] = Worth(left, left, None)
            elif each.value == DRAW or (not each.value and job is not None and job.complete):
                found[state] = Worth(None, None, UNSOLVABLE)
        return found

    def reply(self, puzzle: Puzzle, request: Request) -> dict[str, Any]:
        """The move of an opponent."""
        if not puzzle.engine.is_game:
            raise UsageError(f"{puzzle.id} is no game, so nobody replies; ask for a hint")
        state = puzzle.read(request.text("state") or "")
        legal = puzzle.legal_moves(state)
        if not legal:
            raise UsageError(f"play is over in {state}; begin again")
        random = Random(f"{puzzle}/{state}/{request.text('seed') or ''}")
        if random.below(100) < CHANCE[str(request.given["skill"])]:
            return {"move": random.choose(legal), "value": None}
        try:
            found = self._solved(puzzle, state, optimal, self._limits.short_seconds)
        except LimitError:
            if self._watch(NOTHING):
                raise
            return {"move": random.choose(legal), "value": None}
        return {"move": random.choose(found.best or legal), "value": found.value}

    def _solved(
        self, puzzle: Puzzle, state: str, solver: SolverFunction | None = None, seconds: float | None = None
    ) -> SolveReport:
        """Looks up the answer for a state in a job. If there is none, searches for it within the limits."""
        return self._known.solve(puzzle, state, self._watch) or self._searched(puzzle, state, solver, seconds)

    def _searched(
        self, puzzle: Puzzle, state: str, solver: SolverFunction | None = None, seconds: float | None = None
    ) -> SolveReport:
        """Solves a state within the limits, without a job.

        Raises:
            LimitError: There is no answer within the limits. The message names no option of the command line, because a
                page has none.
        """
        limits = self._limits
        try:
            return puzzle.solve(
                state,
                solver,
                max_states=limits.states,
                memory=limits.memory,
                seconds=seconds or limits.long_seconds,
                watch=self._watch,
            )
        except LimitError as error:
            if error.within is None:
                raise
            needed = (
                f"; if moves lead to the goal, at least {error.lower_bound} are needed" if error.lower_bound else ""
            )
            told = LimitError(f"no answer was found within {error.within}, the most that this page may take{needed}")
            told.lower_bound = error.lower_bound
            raise told from None
