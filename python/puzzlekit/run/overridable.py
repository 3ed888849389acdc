"""Calls the methods that a puzzle may override, and checks what they return. They may fail or return nonsense."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from puzzlekit.errors import PluginError, PuzzlekitError, StateError, one_line, plugin_code

if TYPE_CHECKING:
    from collections.abc import Sequence

    from puzzlekit.run.answers import ScrambleReport
    from puzzlekit.run.solver import Solver


def rules(puzzle: Any) -> Any:  # noqa: ANN401 - every Puzzle, and its Rules
    """Calls `Puzzle.rules`, unchecked: `Puzzle.engine` has checked the result before. It cannot spoil a result."""
    with plugin_code():
        return puzzle.rules()


def guide(puzzle: Any) -> str:  # noqa: ANN401 - every Puzzle
    """The text of `Puzzle.guide`.

    Raises:
        PluginError: The method failed, or returned something else than a text. All functions of this module raise this
            if the method that they call fails or returns a value of another type.
    """
    return str(_answer(puzzle, "guide", str))


def board(puzzle: Any, state: str, moves: Sequence[str]) -> str:  # noqa: ANN401 - every Puzzle
    """The text of `Puzzle.board`."""
    return str(_answer(puzzle, "board", str, state, moves))


def why_unsolvable(puzzle: Any, state: str) -> str | None:  # noqa: ANN401 - every Puzzle
    """The reason of `Puzzle.why_unsolvable`; `None` if none is known."""
    reason: str | None = _answer(puzzle, "why_unsolvable", str | None, state)
    return reason


def number(puzzle: Any, state: str) -> int | None:  # noqa: ANN401 - every Puzzle
    """The number of `Puzzle.number`; `None` if states have none."""
    found: int | None = _answer(puzzle, "number", int | None, state)
    return found


def numbered(puzzle: Any, number: int) -> ScrambleReport:  # noqa: ANN401 - every Puzzle
    """The state of `Puzzle.numbered`."""
    return _scrambled(puzzle, "numbered", number)


def scramble(puzzle: Any, seed: str | None, moves: int | None) -> ScrambleReport:  # noqa: ANN401 - every Puzzle
    """The state of `Puzzle.scramble`."""
    return _scrambled(puzzle, "scramble", seed, moves=moves)


def daily(puzzle: Any, date: str) -> ScrambleReport:  # noqa: ANN401 - every Puzzle
    """The state of `Puzzle.daily`."""
    return _scrambled(puzzle, "daily", date)


def default_solver(puzzle: Any) -> Solver:  # noqa: ANN401 - every Puzzle
    """The solver of `Puzzle.default_solver`."""
    found: Solver = _answer(puzzle, "default_solver", Callable)
    return found


def count_reachable(puzzle: Any) -> int | None:  # noqa: ANN401 - every Puzzle
    """The number of `Puzzle.count_reachable`; `None` if it is not known."""
    found: int | None = _answer(puzzle, "count_reachable", int | None)
    return found


_WANTED = {
    "guide": "a text",
    "board": "a text",
    "why_unsolvable": "a text, or None if nothing is known",
    "number": "a whole number, or None if states have none",
    "numbered": "a puzzlekit.ScrambleReport",
    "count_reachable": "a whole number, or None if it is not known",
    "scramble": "a puzzlekit.ScrambleReport",
    "daily": "a puzzlekit.ScrambleReport",
    "default_solver": "a solver, such as puzzlekit.optimal",
}


def _scrambled(puzzle: Any, name: str, *arguments: object, **named: object) -> ScrambleReport:  # noqa: ANN401
    """Calls a method that returns a `ScrambleReport`, and checks the types of its fields and its state."""
    from puzzlekit.run.answers import ScrambleReport

    found: ScrambleReport = _answer(puzzle, name, ScrambleReport, *arguments, **named)
    moves = () if found.moves is None else found.moves
    texts = [found.puzzle, found.state, found.seed, found.method, *(moves if isinstance(moves, tuple) else [None])]
    if not all(isinstance(text, str) for text in texts) or not isinstance(found.number, int | None):
        raise PluginError(
            f"{puzzle}: {name}() returned {found!r:.200}; give it texts, a tuple of names or None, and a whole number "
            "or None"
        )
    try:
        puzzle.read(found.state)
    except StateError as error:
        raise PluginError(f"{puzzle}: {name}() returned a state that is none: {error}") from error
    return found


def _answer(puzzle: Any, name: str, kind: Any, *arguments: object, **named: object) -> Any:  # noqa: ANN401
    try:
        with plugin_code():
            answer = getattr(puzzle, name)(*arguments, **named)
    except PuzzlekitError:
        raise
    except (Exception, SystemExit) as error:
        raise PluginError(f"{puzzle}: {name}() failed with {one_line(error)}") from error
    if not isinstance(answer, kind):
        raise PluginError(f"{puzzle}: {name}() returned {answer!r}; return {_WANTED[name]}")
    return answer
