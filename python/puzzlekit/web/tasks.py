"""What each verb does, in a process of its own: a request that was checked goes in, plain data comes out."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from puzzlekit.describe import parameters
from puzzlekit.describe.solving import optimal
from puzzlekit.errors import LimitError, PuzzlekitError, UnsolvableError, UsageError
from puzzlekit.play.game import Game
from puzzlekit.run.random import Random
from puzzlekit.run.report import Progress
from puzzlekit.web.asked import MOST_MOVES, VERBS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from puzzlekit.describe.puzzle import Puzzle
    from puzzlekit.describe.view import View
    from puzzlekit.run.answers import SolveReport
    from puzzlekit.run.report import Watch
    from puzzlekit.run.solver import SolverFunction
    from puzzlekit.web.asked import Request
    from puzzlekit.web.limits import Limits
    from puzzlekit.web.offers import Shelf

CHANCE = {"perfect": 0, "strong": 10, "fair": 35, "weak": 70}
"""In how many of 100 moves an opponent of each skill moves at random."""

HARDEST = 6
"""How many of the hardest states are shown."""

MOST_HISTORY = MOST_MOVES
"""After how many moves an answer shows no more states one by one."""

MOST_VIEWS = 16
"""How many views are kept."""

MOST_WORDS = 200
"""The most words of a line of the line mode."""

LONGEST_NUMBER = 200
"""The most digits of a number of a state."""

DISK = 10**9
"""How many bytes the files of a count may take until it is done."""

TURNED = {"win": "loss", "draw": "draw", "loss": "win"}
"""What the value of a state for who is to move is worth to who has just moved."""

NOTHING = Progress()
"""Given to a watch that is asked whether to stop, by what has no figures to tell."""


class Tasks:
    """Does what requests ask.

    Args:
        shelf: The puzzles.
        limits: What a request may cost.
        watch: Takes note of progress, and says whether to stop.
    """

    def __init__(self, shelf: Shelf, limits: Limits, watch: Watch) -> None:
        self._shelf = shelf
        self._limits = limits
        self._watch = watch
        self._views: dict[tuple[type[Puzzle], str], View] = {}

    def do(self, request: Request) -> dict[str, Any]:
        """The answer to a request.

        Raises:
            PuzzlekitError: It cannot be answered; the message says why.
        """
        puzzle = self._shelf.puzzle(request.text("puzzle") or "")
        action: Callable[[Puzzle, Request], dict[str, Any]] = getattr(self, f"_{request.verb}")
        return {"schema": VERBS[request.verb].schema, **action(puzzle, request)}

    def _view(self, puzzle: Puzzle) -> View:
        """How a puzzle is drawn. The views that were asked for last are kept."""
        key = (type(puzzle), str(puzzle))
        view = self._views.pop(key, None) or puzzle.view()
        self._views[key] = view
        while len(self._views) > MOST_VIEWS:
            del self._views[next(iter(self._views))]
        return view

    def _describe(self, puzzle: Puzzle, request: Request) -> dict[str, Any]:
        del request  # it names the puzzle alone
        engine = puzzle.engine
        solvers = self._shelf.plugins.solvers(puzzle)
        return {
            "puzzle": str(puzzle),
            "id": puzzle.id,
            "summary": (puzzle.__doc__ or "").strip().partition("\n")[0],
            "guide": puzzle.guide(),
            "parameters": [parameter_data(puzzle, field) for field in dataclasses.fields(puzzle)],  # type: ignore[arg-type]
            "game": engine.is_game,
            "players": list(engine.notation.players),
            "start": puzzle.start,
            "start_is_solved": not engine.is_game and puzzle.is_solved(puzzle.start),
            "goal": engine.goal,
            "goal_cells": None if engine.goal is None else symbols_of(puzzle, engine.goal),
            "numbered": puzzle.number(puzzle.start) is not None,
            "solvers": list(solvers),
            "default_solver": str(getattr(puzzle.default_solver(), "__name__", "")),
            "toggles": engine.toggles is not None,
            "view": self._view(puzzle).as_dict(),
            "cells": symbols_of(puzzle, puzzle.start),
        }

    def _scramble(self, puzzle: Puzzle, request: Request) -> dict[str, Any]:
        seed, moves, daily, number = (request.given.get(name) for name in ("seed", "moves", "daily", "number"))
        if sum(given is not None for given in (seed, daily, number)) > 1:
            raise UsageError("a state is of a seed, of a day or of a number; give one of the three")
        if number is not None:
            found = puzzle.numbered(read_number(number))
        elif daily is not None:
            found = puzzle.daily(daily)
        else:
            found = puzzle.scramble(seed, moves=moves)
        return {**found.to_data(), "cells": symbols_of(puzzle, found.state)}

    def _play(self, puzzle: Puzzle, request: Request) -> dict[str, Any]:
        game = Game(puzzle, request.text("state"))
        states = [game.state, *(game.make(move).state for move in request.moves)]
        view, moment = self._view(puzzle), game.moment()
        data: dict[str, Any] = {
            "moment": moment.to_data(),
            "board": puzzle.board(game.state, game.moves),
            "cells": symbols_of(puzzle, game.state),
            "chances": [dataclasses.asdict(chance) for chance in view.live(game.state, moment.legal)],
            "marked": view.marked(game.moves),
        }
        return data | {"history": history(puzzle, states)} if request.given.get("history") else data

    def _words(self, puzzle: Puzzle, request: Request) -> dict[str, Any]:
        from puzzlekit.play.session import Session

        session = Session(puzzle, request.text("state") or puzzle.start, max_states=self._limits.states)
        for move in request.moves:
            session.game.make(move)
        line = request.text("line")
        if line is not None and len(line.split()) > MOST_WORDS:
            raise UsageError(f"the line has {len(line.split())} words; give at most {MOST_WORDS}")
        lines = session.greet() if line is None else session.answer(line)
        return {"lines": lines, "moves": session.moves, "over": session.over}

    def _fewest(self, puzzle: Puzzle, request: Request) -> dict[str, Any]:
        refuse_game(puzzle, "fewest moves")
        state = puzzle.read(request.text("state") or "")
        data: dict[str, Any] = dict.fromkeys(("fewest", "at_least", "at_most", "solvable", "why"))
        if puzzle.is_solved(state):
            return data | {"fewest": 0, "at_least": 0, "at_most": 0, "solvable": True}
        try:
            found = self._solve_with(puzzle, state, optimal, self._limits.short_seconds)
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
            }
        other = puzzle.default_solver()
        if other is not optimal:
            try:
                data |= {"at_most": self._solve_with(puzzle, state, other).length, "solvable": True}
            except UnsolvableError as error:
                data |= {"solvable": False, "why": str(error)}
            except LimitError:  # a method of the puzzle that searches, too
                pass
        return data

    def _hint(self, puzzle: Puzzle, request: Request) -> dict[str, Any]:
        state, strength = puzzle.read(request.text("state") or ""), int(request.given.get("strength", 3))
        found = self._solve_with(puzzle, state)
        moves = found.best or found.moves
        data: dict[str, Any] = {"left": found.length, "proven": found.optimal, "value": found.value}
        if strength > 1 and moves:
            data["cells"] = changed(puzzle, state, puzzle.apply(state, moves[0]))
        if strength > 2 and moves:
            data["move"] = moves[0]
        return data

    def _solve(self, puzzle: Puzzle, request: Request) -> dict[str, Any]:
        state, name = puzzle.read(request.text("state") or ""), request.text("solver")
        solver = None if name is None else self._shelf.plugins.solver(puzzle, name)
        found = self._solve_with(puzzle, state, solver)
        states = [state]
        for move in found.moves[:MOST_HISTORY]:
            states.append(puzzle.apply(states[-1], move))
        return {**found.to_data(), "history": history(puzzle, states)}

    def _values(self, puzzle: Puzzle, request: Request) -> dict[str, Any]:
        state = puzzle.read(request.text("state") or "")
        moves = []
        for move in dict.fromkeys(puzzle.legal_moves(state)):
            after = puzzle.apply(state, move)
            value, why = self._value(puzzle, after)
            if puzzle.engine.is_game:
                value = TURNED.get(str(value))
            moves.append({"move": move, "state": after, "cells": symbols_of(puzzle, after), "value": value, "why": why})
        value, why = self._value(puzzle, state)
        return {"value": value, "why": why, "moves": moves}

    def _value(self, puzzle: Puzzle, state: str) -> tuple[str | int | None, str | None]:
        """What a state is worth for who is to move, and why that is not known if it is not."""
        try:
            found = self._solve_with(puzzle, state, optimal, self._limits.short_seconds)
        except PuzzlekitError as error:
            if self._watch(NOTHING):
                raise
            return None, str(error)
        return (found.length if found.value is None else found.value), None

    def _reply(self, puzzle: Puzzle, request: Request) -> dict[str, Any]:
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
            found = self._solve_with(puzzle, state, optimal, self._limits.short_seconds)
        except LimitError:
            if self._watch(NOTHING):
                raise
            return {"move": random.choose(legal), "value": None}
        return {"move": random.choose(found.best or legal), "value": found.value}

    def _explore(self, puzzle: Puzzle, request: Request) -> dict[str, Any]:
        del request  # it names the puzzle alone
        import tempfile
        from pathlib import Path

        from puzzlekit.jobs.job import Job

        most, known = self._limits.states, puzzle.count_reachable()
        if known is not None and known > most:
            raise LimitError(f"{puzzle} has {known:,} states, and the page counts up to {most:,}; use the command line")

        def watch(progress: Progress) -> bool:
            return bool(self._watch(progress)) or progress.states > most

        backward = not puzzle.engine.is_game and bool(puzzle.rules().goal)
        with tempfile.TemporaryDirectory(prefix="puzzlekit-") as folder:
            place = Path(folder) / "job"
            report = puzzle.enumerate(
                backward=backward, threads=1, memory=self._limits.memory, disk=DISK, watch=watch, out=place
            )
            if self._watch(NOTHING):
                raise LimitError("the count was stopped")
            hardest = Job(place, lambda *_: puzzle).hardest(HARDEST) if report.depths else []
        return {
            "backward": backward,
            "complete": report.complete,
            "stopped": report.stopped,
            "depths": [
                {"depth": depth.depth, "states": depth.states, "raw_states": depth.raw_states}
                for depth in report.depths
            ],
            "states": report.states,
            "raw_states": report.raw_states,
            "unsolvable": report.raw_unsolvable,
            "hardest": [
                {"state": hard.state, "depth": hard.depth, "cells": symbols_of(puzzle, hard.state)} for hard in hardest
            ],
        }

    def _solve_with(
        self, puzzle: Puzzle, state: str, solver: SolverFunction | None = None, seconds: float | None = None
    ) -> SolveReport:
        """Solves a state within the limits."""
        limits = self._limits
        return puzzle.solve(
            state,
            solver,
            max_states=limits.states,
            memory=limits.memory,
            seconds=seconds or limits.long_seconds,
            watch=self._watch,
        )


def parameter_data(puzzle: Puzzle, field: dataclasses.Field[Any]) -> dict[str, Any]:
    """What a page needs to let a person choose a parameter."""
    return {
        "name": field.name,
        "value": getattr(puzzle, field.name),
        "kind": parameters.kind(field),
        "least": field.metadata.get("minimum"),
        "most": field.metadata.get("maximum"),
        "help": str(field.metadata.get("help", "")),
    }


def read_number(text: str) -> int:
    """The number of a state, as a person types it.

    >>> read_number(" 65535 ")
    65535

    Raises:
        UsageError: It is no number, or one of too many digits.
    """
    digits = text.strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) <= LONGEST_NUMBER):
        raise UsageError(f"the number is {text[:40]!a}; give up to {LONGEST_NUMBER} digits")
    return int(digits)


def symbols_of(puzzle: Puzzle, state: str) -> list[str]:
    """The symbol of each cell of a state."""
    notation = puzzle.engine.notation
    return [notation.symbols[code] for code in notation.read(state)[0]]


def history(puzzle: Puzzle, states: Sequence[str]) -> list[dict[str, Any]]:
    """States one after another, for a reader who goes through them."""
    return [{"state": state, "cells": symbols_of(puzzle, state)} for state in states[: MOST_HISTORY + 1]]


def changed(puzzle: Puzzle, before: str, after: str) -> list[int]:
    """The cells in which two states differ."""
    pairs = zip(symbols_of(puzzle, before), symbols_of(puzzle, after), strict=True)
    return [cell for cell, (old, new) in enumerate(pairs) if old != new]


def refuse_game(puzzle: Puzzle, what: str) -> None:
    """Refuses a question that only puzzles have an answer to.

    Raises:
        UsageError: The puzzle is a game.
    """
    if puzzle.engine.is_game:
        raise UsageError(f"{puzzle.id} is a game, which has no {what}; ask for its values")
