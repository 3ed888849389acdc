"""Makes the answer of each verb, as plain data, to a request that was checked. This runs in the processes of a pool."""

from __future__ import annotations

import base64
import dataclasses
import re
from typing import TYPE_CHECKING, Any

from puzzlekit.draw.pixels import png
from puzzlekit.errors import PuzzlekitError, StateError, UsageError
from puzzlekit.play.game import Game
from puzzlekit.puzzle.declaration import summary
from puzzlekit.run import overridable
from puzzlekit.view.roles import pattern_of
from puzzlekit.view.view import view_of
from puzzlekit.web.explored import Counter
from puzzlekit.web.known import Known
from puzzlekit.web.request_fields import VERBS
from puzzlekit.web.searches import Searches
from puzzlekit.web.shown import about, history, parameter_data, pictured, presets, symbols_of, title

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.watch import Watch
    from puzzlekit.web.limits import Limits
    from puzzlekit.web.offers import Shelf
    from puzzlekit.web.request_fields import Request

MOST_WORDS = 200
"""The most words of a line of the line mode."""

LONGEST_NUMBER = 200
"""The most digits of the number of a state in a request."""


class Tasks:
    """Answers requests.

    Args:
        shelf: The puzzles.
        limits: What a request may cost.
        watch: Takes note of progress, and says whether to stop.
        libraries: The libraries in which states are looked up.
    """

    def __init__(self, shelf: Shelf, limits: Limits, watch: Watch, libraries: Sequence[str] = ()) -> None:
        self._shelf = shelf
        self._limits = limits
        self._counter = Counter(limits, watch)
        self._known = Known(shelf.jobs, libraries)
        searches = Searches(shelf.plugins, self._known, limits, watch)
        self._actions: dict[str, Callable[[Puzzle, Request], dict[str, Any]]] = {
            "describe": self._describe,
            "picture": self._picture,
            "scramble": self._scramble,
            "play": self._play,
            "words": self._words,
            "fewest": searches.fewest,
            "hint": searches.hint,
            "solve": searches.solve,
            "values": searches.values,
            "reply": searches.reply,
            "explore": self._explore,
        }

    def do(self, request: Request) -> dict[str, Any]:
        """The answer to a request.

        Raises:
            PuzzlekitError: The request cannot be answered; the message says why.
        """
        puzzle = self._shelf.puzzle(request.text("puzzle") or "")
        try:
            return {"schema": VERBS[request.verb].schema, **self._actions[request.verb](puzzle, request)}
        except StateError as error:
            raise StateError(self._with_places(puzzle, str(error))) from None

    def _with_places(self, puzzle: Puzzle, message: str) -> str:
        """Replaces the numbers of cells in a message by their names on the page: "cell 0" by "row 1, column 1"."""
        spots = view_of(puzzle).spots
        return re.sub(r"\bcell (\d+)\b", lambda found: spots[int(found[1])].name or found[0], message)

    def _describe(self, puzzle: Puzzle, request: Request) -> dict[str, Any]:
        del request  # it has no field but the puzzle
        engine = puzzle.engine
        job = self._known.solver(puzzle)
        solvers = [*([] if job is None else [job.__name__]), *self._shelf.plugins.solvers(puzzle)]
        default = overridable.default_solver(puzzle) if job is None else job
        declared = dataclasses.fields(puzzle)  # type: ignore[arg-type]
        return {
            "puzzle": str(puzzle),
            "id": puzzle.id,
            "title": title(puzzle),
            "summary": summary(type(puzzle)),
            "guide": overridable.guide(puzzle),
            "about": about(puzzle),
            "parameters": [parameter_data(puzzle, field) for field in declared],
            "presets": presets(puzzle),
            "game": engine.is_game,
            "players": list(engine.notation.players),
            "start": puzzle.start,
            "start_is_solved": not engine.is_game and puzzle.is_solved(puzzle.start),
            "goal": engine.goal,
            "goal_cells": self._goal_cells(puzzle),
            "numbered": overridable.number(puzzle, puzzle.start) is not None,
            "solvers": solvers,
            "default_solver": str(getattr(default, "__name__", "")),
            "job": job is not None,
            "seconds": {"short": self._limits.short_seconds, "long": self._limits.long_seconds},
            "toggles": engine.toggles is not None,
            "view": view_of(puzzle).as_dict(),
            "cells": symbols_of(puzzle, pictured(puzzle)),
        }

    def _goal_cells(self, puzzle: Puzzle) -> list[str | None] | None:
        """The symbol that the goal wants in each cell, or nothing; `None` if the goal is no single pattern."""
        goal, view = puzzle.engine.goal, view_of(puzzle)
        if goal is not None:
            return [*symbols_of(puzzle, goal)]
        wanted = dict(pattern_of(overridable.rules(puzzle).to_data()["goal"][0])) if view.targets else {}
        if not wanted or view.spots[0].shape == "stack":
            return None
        return [wanted[cell][0] if len(wanted.get(cell, ())) == 1 else None for cell in range(len(view.spots))]

    def _picture(self, puzzle: Puzzle, request: Request) -> dict[str, Any]:
        del request  # it has no field but the puzzle
        return {"png": base64.b64encode(png(view_of(puzzle).draw(pictured(puzzle)))).decode()}

    def _scramble(self, puzzle: Puzzle, request: Request) -> dict[str, Any]:
        seed, moves, daily, number = (request.given.get(name) for name in ("seed", "moves", "daily", "number"))
        if sum(given is not None for given in (seed, daily, number)) > 1:
            raise UsageError("a state is of a seed, of a day or of a number; give one of the three")
        if number is not None:
            found = overridable.numbered(puzzle, read_number(number))
        elif daily is not None:
            found = overridable.daily(puzzle, daily)
        else:
            found = overridable.scramble(puzzle, seed, moves)
        return {**found.to_data(), "cells": symbols_of(puzzle, found.state)}

    def _play(self, puzzle: Puzzle, request: Request) -> dict[str, Any]:
        game = Game(puzzle, request.text("state"))
        states = [game.state, *(game.make(move).state for move in request.moves)]
        view, moment = view_of(puzzle), game.moment()
        data: dict[str, Any] = {
            "moment": moment.to_data(),
            "board": overridable.board(puzzle, game.state, game.moves),
            "cells": symbols_of(puzzle, game.state),
            "chances": [dataclasses.asdict(chance) for chance in view.live(game.state, moment.legal)],
            "marked": view.marked(game.moves),
        }
        return data | {"history": history(puzzle, states)} if request.given.get("history") else data

    def _words(self, puzzle: Puzzle, request: Request) -> dict[str, Any]:
        from puzzlekit.play.session import Session

        state, solver = request.text("state") or puzzle.start, self._known.first(puzzle)
        session = Session(puzzle, state, max_states=self._limits.states, solver=solver)
        for move in request.moves:
            session.game.make(move)
        line = request.text("line")
        if line is not None and len(line.split()) > MOST_WORDS:
            raise UsageError(f"the line has {len(line.split())} words; give at most {MOST_WORDS}")
        lines = session.greet() if line is None else session.answer(line)
        return {"lines": lines, "moves": session.moves, "over": session.over}

    def _explore(self, puzzle: Puzzle, request: Request) -> dict[str, Any]:
        del request  # it has no field but the puzzle
        folder = self._shelf.jobs.get(str(puzzle))
        if not folder:
            return self._counter.count(puzzle)
        try:
            return self._counter.kept(puzzle, folder)
        except PuzzlekitError as error:  # the page must not name folders
            raise type(error)(str(error).replace(folder, "its folder")) from None


def read_number(text: str) -> int:
    """Reads the number of a state, as a user types it.

    >>> read_number(" 65535 ")
    65535

    Raises:
        UsageError: The text is no number, or has too many digits.
    """
    digits = text.strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) <= LONGEST_NUMBER):
        raise UsageError(f"the number is {text[:40]!a}; give up to {LONGEST_NUMBER} digits")
    return int(digits)
