"""The conformance suite: what every puzzle must satisfy. Plugin authors run it in their own tests."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from puzzlekit.errors import PuzzlekitError

if TYPE_CHECKING:
    from puzzlekit.describe.puzzle import Puzzle


def check_puzzle(puzzle: Puzzle, *, states: int = 500) -> None:
    """Checks a puzzle from end to end; each message says what to change.

    Text ids and the texts of states must be read back as they were written. The rules must compile, and be the same
    each time. A name must never mean two moves. Symmetric states must have one canonical form. The counts must be the
    same with and without symmetry, and for 1 and 2 threads.

    >>> import puzzlekit
    >>> check_puzzle(puzzlekit.load("tictactoe"))

    Args:
        puzzle: The puzzle, with the parameters to check it with. With small ones the check is quick.
        states: How many states to look at one by one, and about how many to enumerate.

    Raises:
        AssertionError: The puzzle breaks a promise.
    """
    _check_identity(puzzle)
    _check_rules(puzzle)
    for state in _walk(puzzle, states):
        _check_state(puzzle, state)
    _check_counts(puzzle, states)


def _fail(message: str) -> None:
    # Raised, not asserted, since the checks must also work under python -O.
    raise AssertionError(message)


def _check_identity(puzzle: Puzzle) -> None:
    kind = type(puzzle)
    try:
        kind.check_type()
    except PuzzlekitError as error:
        _fail(str(error))
    if not (kind.__doc__ or "").strip() or kind.__doc__ == f"{kind.__name__}()":
        _fail(f"{kind.__name__} has no docstring; its first line is what `puzzlekit list` shows")
    puzzle_id, _, values = str(puzzle).partition(":")
    if puzzle_id != kind.id or kind.from_text(values) != puzzle:
        _fail(f"the text id {str(puzzle)!r} is read back as {kind.from_text(values)!r}; do not override __str__")
    if copy.copy(puzzle) != puzzle:
        _fail(f"{puzzle!r} is not equal to its copy; keep all parameters in fields")


def _check_rules(puzzle: Puzzle) -> None:
    try:
        engine = puzzle.engine
    except PuzzlekitError as error:
        _fail(str(error))
    if puzzle.rules().to_data() != puzzle.rules().to_data():
        _fail(f"rules() of {puzzle} differs from call to call; make it depend on the fields alone")
    if not engine.legal_moves(puzzle.start):
        _fail(f"{puzzle} has no move at the start {puzzle.start}; check the guards of the moves")


def _walk(puzzle: Puzzle, limit: int) -> list[str]:
    """The first states that play reaches, breadth first."""
    found = {puzzle.start}
    order = [puzzle.start]
    for state in order:
        if len(order) >= limit:
            break
        successors = (puzzle.apply(state, move) for move in puzzle.legal_moves(state))
        new = [after for after in dict.fromkeys(successors) if after not in found]
        found.update(new)
        order += new
    return order[:limit]


def _check_state(puzzle: Puzzle, state: str) -> None:
    board, colon, player = state.partition(":") if puzzle.engine.is_game else (state, "", "")
    single = all(len(symbol) == 1 for symbol in puzzle.engine.notation.symbols)
    spaced = f"{' '.join(board) if single else board}\n{colon} {player} "
    if puzzle.read(spaced) != state:
        _fail(f"the state {state} is read back as {puzzle.read(spaced)}; choose symbols that can be told apart")
    moves = puzzle.legal_moves(state)
    if len(set(moves)) != len(moves):
        _fail(f"two moves of one name can be made in {state}; the moves are {', '.join(moves)}")
    number = puzzle.number(state)
    if number is not None and puzzle.numbered(number).state != state:
        _fail(f"{state} has the number {number}, which numbered takes for {puzzle.numbered(number).state}; mend either")
    if (puzzle.outcome(state) is None) != bool(moves):
        _fail(f"{state} has the outcome {puzzle.outcome(state)} and {len(moves)} moves; check the ends")
    canonical = puzzle.canonical(state)
    if puzzle.canonical(canonical) != canonical or puzzle.key(canonical) != puzzle.key(state):
        _fail(f"the canonical form {canonical} of {state} has another canonical form; check the symmetries")
    children, _, _ = puzzle.expand(puzzle.encode([state]))
    if puzzle.decode(children) != [puzzle.apply(state, move) for move in moves]:
        _fail(f"expand and apply disagree on {state}; please report this as a bug of puzzlekit")


def _check_counts(puzzle: Puzzle, states: int) -> None:
    max_depth = 0
    while (report := puzzle.enumerate(max_depth=max_depth, threads=1)).raw_states < states and not report.complete:
        max_depth += 1
    two_threads = puzzle.enumerate(max_depth=max_depth, threads=2)
    if report.depths != two_threads.depths:
        _fail(f"{puzzle} has other counts with two threads; please report this as a bug of puzzlekit")
    plain = puzzle.enumerate(max_depth=max_depth, symmetry=False)
    if [depth.raw_states for depth in report.depths] != [depth.states for depth in plain.depths]:
        _fail(f"{puzzle} has other raw counts without symmetry; please report this as a bug of puzzlekit")
