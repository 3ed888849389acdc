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
from puzzlekit.run.checks import check_is_puzzle, check_number, check_seconds
from puzzlekit.run.engine.machine import memory_limit
from puzzlekit.run.progress import Progress
from puzzlekit.run.random import Random
from puzzlekit.run.reached import Reached, StoppedError
from puzzlekit.run.seeds import check_seed, seed_or_new
from puzzlekit.run.solver import Budget, Deadline

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Sequence

    from puzzlekit.puzzle.protocols import Solvable
    from puzzlekit.run.watch import Watch

    Counted = tuple[Reached, array[int]]
    Look = Callable[[Progress], bool]

MOST_COUNTED = 4_000_000
"""The most states that are counted for an even draw. They take some seconds and about 100 MB."""

LOOK_AFTER = 1024
"""The watch is asked each time that so many states have been written as texts."""

EVENLY = "each state that needs this number of moves equally likely"
SEARCHED = "found by a search: not all such states are equally likely"


def scramble_needing(
    puzzle: Solvable, needs: int, seed: str | None = None, *, seconds: float = 30, watch: Watch | None = None
) -> ScrambleReport:
    """A random state that needs exactly `needs` moves to the goal.

    >>> import puzzlekit
    >>> puzzle = puzzlekit.load("rotation")
    >>> report = puzzlekit.scramble_needing(puzzle, 5, "tea")
    >>> report.method, puzzle.solve(report.state).length
    ('each state that needs this number of moves equally likely', 5)

    If play reaches no more than 4,000,000 states, all of them are counted, and the draw is even. Otherwise, the
    end of a random walk is solved. While it needs too few moves, the walk goes on by as many moves as are lacking. Then
    not all such states are equally likely, and `method` says so.

    Args:
        puzzle: The puzzle.
        needs: How many moves.
        seed: Any text; a random one if it is `None`.
        seconds: How long it may take.
        watch: As in `Puzzle.enumerate`.

    Raises:
        UsageError: No state needs that number of moves, the rules have no goal, or they are those of a game.
        LimitError: No state was found within the time.
    """
    check_is_puzzle(puzzle)
    check_number("needs", needs, 1, 10**6)
    check_seconds("seconds", seconds)
    check_goal(puzzle, "in which no state needs a number of moves; leave needs out")
    seed = seed_or_new(seed)
    check_seed(seed)
    random = Random(f"{puzzle}/needs {needs}/{seed}")
    deadline = Deadline(seconds, watch)
    try:
        listed = counted_states(puzzle, deadline)
        if listed is None:
            return _searched(puzzle, needs, seed, seconds, random, watch)
        reached, fewest = listed
        numbers = [number for number, moves in enumerate(fewest) if moves == needs]
        if not numbers:
            raise UsageError(f"no state of {puzzle} needs {needs} moves; the most that one needs is {max(fewest)}")
        texts = texts_of(reached, numbers, deadline)
    except StoppedError:
        if deadline.over:
            raise LimitError(
                f"not all states of {puzzle} were counted within {seconds:g} s; give more seconds"
            ) from None
        raise LimitError(f"stopped before the states of {puzzle} were counted; nothing is drawn") from None
    return _report(puzzle, texts[random.below(len(texts))], needs, seed, EVENLY)


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


def counted_states(puzzle: Solvable, look: Look) -> Counted | None:
    """All states that play reaches, and the fewest moves of each to the goal; `None` if there are too many states.

    The result for the puzzle that was asked about last is kept.

    Raises:
        StoppedError: The watch stopped it.
    """
    kept = _kept(puzzle)
    if not kept:
        kept.append(_counted(puzzle, look))
    return kept[0]


@lru_cache(maxsize=1)
def _kept(_puzzle: Solvable) -> list[Counted | None]:
    """A list for the result of `counted_states`, which is empty at first. It is kept for the last puzzle only."""
    return []


def _counted(puzzle: Solvable, look: Look) -> Counted | None:
    count = overridable.count_reachable(puzzle)
    if count is not None and count > MOST_COUNTED:
        return None
    try:
        reached = Reached(puzzle.engine, Budget(max_states=MOST_COUNTED), look)
        return reached, reached.distances(reached.solved())
    except LimitError:
        return None


def texts_of(reached: Reached, numbers: Sequence[int], look: Look) -> list[str]:
    """The texts of states, sorted.

    Raises:
        StoppedError: The watch stopped it.
    """
    texts: list[str] = []
    for done, number in enumerate(numbers):
        if done % LOOK_AFTER == 0 and look(Progress(states=reached.count, frontier=len(numbers), expanded=done)):
            raise StoppedError
        texts.append(reached.text(number))
    return sorted(texts)


def _searched(  # noqa: PLR0913 - what `scramble_needing` was given
    puzzle: Solvable, needs: int, seed: str, seconds: float, random: Random, watch: Watch | None
) -> ScrambleReport:
    """Walks at random, solves in the fewest moves, and walks on by as many moves as are lacking.

    A state on a shortest solution needs as many moves as the solution has left. So a solution that is too long is
    followed until `needs` moves are left.
    """
    end, state = time.monotonic() + seconds, ""
    lacking, stopped = needs, False

    def look(progress: Progress) -> bool:
        nonlocal stopped
        stopped = watch is not None and bool(watch(progress))
        return stopped

    while (left := end - time.monotonic()) > 0:
        state = _walked(puzzle, state, lacking, random) or (
            overridable.scramble(puzzle, f"{seed}/{random.below(2**63)}", needs).state
        )
        solved: Any = None
        try:
            solved = solve(puzzle, state, None, budget=Budget(memory=memory_limit(None), seconds=left), watch=look)
        except UnsolvableError:
            state = ""
            continue
        except LimitError:
            break
        if not solved.optimal:
            break
        lacking = needs - len(solved.moves)
        if lacking <= 0:
            for move in solved.moves[:-lacking]:
                state = puzzle.engine.apply(state, move)
            return _report(puzzle, state, needs, seed, SEARCHED)
    if stopped:
        raise LimitError(f"stopped before a state of {puzzle} that needs {needs} moves was found; nothing is drawn")
    raise LimitError(
        f"no state of {puzzle} that needs {needs} moves was found within {seconds:g} s; give more seconds, "
        "or fewer moves"
    )


def _walked(puzzle: Solvable, state: str, moves: int, random: Random) -> str:
    """The state after some random moves, none of which undoes the one before if another can be made.

    It is empty if `state` is empty, or if no move can be made on the way.
    """
    before = ""
    for _ in range(moves if state else 0):
        after = [puzzle.engine.apply(state, move) for move in puzzle.engine.legal_moves(state)]
        ahead = [each for each in after if each != before] or after
        if not ahead:
            return ""
        before, state = state, ahead[random.below(len(ahead))]
    return state
