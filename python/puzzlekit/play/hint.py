"""Hints of three levels: how many moves are left, in which part of the board the next move is, and which move it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from puzzlekit.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.answers import SolveReport

LEVELS = ("1", "2", "3")
"""The levels that may be typed after `hint`. Without a level, `hint` means the last one."""


def level_of(words: Sequence[str]) -> int:
    """The level of a hint, from the words typed after `hint`, such as `2` or `--level 2`.

    >>> level_of(["--level", "1"]), level_of([])
    (1, 3)

    Raises:
        UsageError: The words name no level.
    """
    asked = [word for word in " ".join(words).replace("=", " ").split() if word != "--level"]
    if not asked:
        return len(LEVELS)
    if len(asked) > 1 or asked[0] not in LEVELS:
        raise UsageError(
            f'there is no hint "{" ".join(asked)}"; type hint 1 (how far), hint 2 (where) or hint 3 (move)'
        )
    return int(asked[0])


def hint(puzzle: Puzzle, solution: SolveReport, level: int) -> str:
    """The text of a hint, made from a solution of the state.

    >>> from puzzlekit import load
    >>> puzzle = load("rotation")
    >>> solution = puzzle.solve("412/653/789")
    >>> [hint(puzzle, solution, level) for level in (1, 2, 3)]
    ['6 moves are left at best', 'the next move is in rows 1 to 2, columns 1 to 2', 'A']
    >>> flipit = load("flipit")
    >>> hint(flipit, flipit.solve(flipit.apply(flipit.start, "5")), 3)
    '5, which is row 2, column 1'
    """
    moves = solution.best or solution.moves
    if level == 1:
        return how_far(solution)
    if level < len(LEVELS):
        return where(puzzle, solution.state, moves[0])
    from puzzlekit.view.view import view_of

    # The hint is the name of the move, since that is what a person types. If the name is only a number, the hint also
    # says which cell to press.
    by_hand = view_of(puzzle).by_hand(solution.state, moves[0]) if moves[0].isdigit() else None
    if by_hand is None or len(by_hand.cells) != 1:
        return moves[0]
    return f"{moves[0]}, which is {by_hand.words.removeprefix('press ')}"


def how_far(solution: SolveReport) -> str:
    """Says how many moves are left, as far as that is proven, in words."""
    moves = f"{solution.length} move{'' if solution.length == 1 else 's'}"
    if solution.repeats is not None:
        return f"{solution.value_in_words}: best play can go on for ever"
    if solution.lacks_moves:
        return f"{solution.value_in_words}, in a number of moves that is not known"
    if solution.value is not None:
        return f"{solution.value_in_words}, in {moves} by best play"
    if solution.optimal:
        return f"{moves} {'is' if solution.length == 1 else 'are'} left at best"
    return f"{moves} do, and at least {solution.lower_bound or 1} are needed"


def where(puzzle: Puzzle, state: str, move: str) -> str:
    """The part of the board that a move changes, in words."""
    notation = puzzle.engine.notation
    (before, _), (after, _) = notation.read(state), notation.read(puzzle.apply(state, move))
    places = [(row, column) for row, length in enumerate(notation.row_lengths, 1) for column in range(1, length + 1)]
    changed = [place for place, old, new in zip(places, before, after, strict=True) if old != new]
    if not changed:
        return "the next move changes no cell"
    rows, columns = _span([row for row, _ in changed]), _span([column for _, column in changed])
    in_rows = f"row{rows}, " if len(notation.row_lengths) > 1 else ""
    return f"the next move is in {in_rows}column{columns}"


def _span(numbers: Sequence[int]) -> str:
    first, last = min(numbers), max(numbers)
    return f" {first}" if first == last else f"s {first} to {last}"
