"""Random states that need exactly N moves: drawn evenly if all states can be counted, otherwise found by a search."""

from __future__ import annotations

import time
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from puzzlekit.errors import LimitError, UnsolvableError, UsageError
from puzzlekit.puzzle.scrambling import drawn
from puzzlekit.puzzle.solving import solve
from puzzlekit.run import overridable
from puzzlekit.run.answers import ScrambleReport
from puzzlekit.run.checks import check_number, check_seconds, check_seed
from puzzlekit.run.engine.machine import memory_limit
from puzzlekit.run.random import Random
from puzzlekit.run.reached import Reached
from puzzlekit.run.solver import Budget

if TYPE_CHECKING:
    from array import array

    from puzzlekit.puzzle.protocols import Solvable

MOST_COUNTED = 4_000_000
"""The most states that are counted for an even draw. They take some seconds and about 100 MB."""

EVENLY = "each state that needs this number of moves equally likely"
SEARCHED = "found by a search: not all such states are equally likely"


def scramble_needing(puzzle: Solvable, needs: int, seed: str | None = None, *, seconds: float = 30) -> ScrambleReport:
    """A random state that needs exactly `needs` moves to the goal.

    >>> import puzzlekit
    >>> puzzle = puzzlekit.load("rotation")
    >>> report = puzzlekit.scramble_needing(puzzle, 5, "tea")
    >>> report.method, puzzle.solve(report.state).length
    ('each state that needs this number of moves equally likely', 5)

    If play reaches no more than 4,000,000 states, all of them are counted, and the draw is even. Otherwise, states
    after random walks are solved until one needs `needs` moves or more, and the solution is followed until `needs`
    moves are left. Then not all such states are equally likely, and `method` says so.

    Args:
        puzzle: The puzzle.
        needs: How many moves.
        seed: Any text; a random one if it is `None`.
        seconds: How long the search may take.

    Raises:
        UsageError: No state needs that number of moves, the rules have no goal, or they are those of a game.
        LimitError: No state was found within the time.
    """
    check_number("needs", needs, 1, 10**6)
    check_seconds("seconds", seconds)
    check_goal(puzzle, "in which no state needs a number of moves; leave needs out")
    if seed is None:
        import secrets

        seed = secrets.token_hex(8)
    check_seed(seed)
    random = Random(f"{puzzle}/needs {needs}/{seed}")
    listed = counted_states(puzzle)
    if listed is None:
        return _searched(puzzle, needs, seed, seconds, random)
    reached, fewest = listed
    numbers = [number for number, moves in enumerate(fewest) if moves == needs]
    if not numbers:
        raise UsageError(f"no state of {puzzle} needs {needs} moves; the most that one needs is {max(fewest)}")
    state = sorted(map(reached.text, numbers))[random.below(len(numbers))]
    return _report(puzzle, state, needs, seed, EVENLY)


def check_goal(puzzle: Solvable, otherwise: str) -> None:
    """Raises an error for a puzzle without a goal, and for a game.

    Raises:
        UsageError: The rules have no goal, or are those of a game; `otherwise` ends the sentence.
    """
    if puzzle.engine.is_game or not puzzle.engine.has_goal:
        kind = "a game of two" if puzzle.engine.is_game else "a puzzle without a goal"
        raise UsageError(f"{puzzle} is {kind}, {otherwise}")


def _report(puzzle: Solvable, state: str, needs: int, seed: str, method: str) -> ScrambleReport:
    number = overridable.number(puzzle, state)
    picture = partial(drawn, puzzle, state)
    return ScrambleReport(str(puzzle), state, seed, None, method, number, needs=needs, picture=picture)


@lru_cache(maxsize=1)
def counted_states(puzzle: Solvable) -> tuple[Reached, array[int]] | None:
    """All states that play reaches, with the fewest moves from each to the goal; `None` if there are too many."""
    count = overridable.count_reachable(puzzle)
    if count is not None and count > MOST_COUNTED:
        return None
    try:
        reached = Reached(puzzle.engine, Budget(max_states=MOST_COUNTED), lambda _: False)
        return reached, reached.distances(reached.solved())
    except LimitError:
        return None


def _searched(puzzle: Solvable, needs: int, seed: str, seconds: float, random: Random) -> ScrambleReport:
    """Finds a state after a random walk, solves it, and follows the solution until `needs` moves are left.

    This is exact: a state on a shortest solution needs as many moves as the solution has left.
    """
    end, length = time.monotonic() + seconds, needs
    while (left := end - time.monotonic()) > 0:
        state = overridable.scramble(puzzle, f"{seed}/{random.below(2**63)}", length)
        solved: Any = None
        try:
            solved = solve(puzzle, state.state, None, budget=Budget(memory=memory_limit(None), seconds=left))
        except UnsolvableError:
            continue
        except LimitError:
            break
        if not solved.optimal:
            break
        if len(solved.moves) >= needs:
            text = state.state
            for move in solved.moves[: len(solved.moves) - needs]:
                text = puzzle.engine.apply(text, move)
            return _report(puzzle, text, needs, seed, SEARCHED)
        length += 1
    raise LimitError(
        f"no state of {puzzle} that needs {needs} moves was found within {seconds:g} s; give more seconds, "
        "or fewer moves"
    )
