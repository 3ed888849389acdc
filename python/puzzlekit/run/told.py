"""The answers of methods that a puzzle may define its own way. A stranger's method may fail, or answer nonsense."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from puzzlekit.errors import PluginError, PuzzlekitError, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from puzzlekit.run.answers import ScrambleReport


def guide(puzzle: Any) -> str:  # noqa: ANN401 - every Puzzle
    """The text of `Puzzle.guide`.

    Raises:
        PluginError: The method failed, or returned something else. So it is with all functions here.
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
    from puzzlekit.run.answers import ScrambleReport

    found: ScrambleReport = _answer(puzzle, "numbered", ScrambleReport, number)
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
}


def _answer(puzzle: Any, name: str, kind: Any, *arguments: object) -> Any:  # noqa: ANN401 - every Puzzle, any answer
    try:
        answer = getattr(puzzle, name)(*arguments)
    except PuzzlekitError:
        raise
    except (Exception, SystemExit) as error:
        raise PluginError(f"{puzzle}: {name}() failed with {one_line(error)}") from error
    if not isinstance(answer, kind):
        raise PluginError(f"{puzzle}: {name}() returned {answer!r}; return {_WANTED[name]}")
    return answer
