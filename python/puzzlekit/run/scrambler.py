"""The protocol of scramblers: the arguments of a scrambler, its answer, and the checks of the answer.

`docs/plugins.md` explains it for authors.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import islice
from typing import Any, Protocol

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
from puzzlekit.run.answers import ScrambleReport
from puzzlekit.run.checks import MOST_MOVES, check_moves
from puzzlekit.run.random import Random
from puzzlekit.run.seeds import check_seed
from puzzlekit.run.signatures import arguments_of_scrambler
from puzzlekit.run.solver import Budget

LOOK_AT = 10_000
"""The most states that are stored by the search that checks whether the state of a scrambler can be reached."""

LOOK_SECONDS = 0.1
"""The most seconds of the search that checks whether a state can be reached. Often, algebra finds that out at once."""

_NO_NUMBER = 2**64 - 1
"""The number that `rank_rows` returns for a state that has no number in the perfect index."""

ScramblerFunction = Callable[..., ScrambleReport | str | Iterable[str]]
"""The functions that a plugin may register as scramblers: a `Scrambler`, or a function with fewer arguments or a
simpler result; see `as_scrambler`."""


class Scrambler(Protocol):
    """A function that makes random states: the engine's own, which is named `random`, or a plugin's.

    It is given the puzzle, random numbers that the puzzle and the seed determine, the seed itself, and how many moves
    to make if a number was asked for. It uses no other random numbers, so that the same seed gives the same state for
    ever. The state must be one that play can reach, and must not be solved or over.

    >>> from puzzlekit import load
    >>> def twice(puzzle, random):
    ...     return [random.choose(puzzle.legal_moves(puzzle.start))] * 2
    >>> report = load("rotation").scramble("a seed", scrambler=twice)
    >>> report.state, report.moves, report.scrambler
    ('123/876/549', ('C', 'C'), 'twice')
    """

    __name__: str

    def __call__(
        self,
        puzzle: Any,  # noqa: ANN401 - every Puzzle
        random: Random,
        /,
        *,
        seed: str,
        moves: int | None,
    ) -> ScrambleReport:
        """A random state."""


def as_scrambler(function: ScramblerFunction, name: str | None = None) -> Scrambler:
    """Makes a function a scrambler.

    The function takes the puzzle and the random numbers, and `seed` and `moves` by name if its signature has them. It
    may return a `ScrambleReport`, the text of a state, or the names of moves from the start, as a list or one by one,
    as a generator does.

    >>> from puzzlekit import Random, load
    >>> scrambler = as_scrambler(lambda puzzle, random: ["A"], "simple")
    >>> scrambler(load("rotation"), Random(""), seed="", moves=None).state
    '413/526/789'

    Args:
        function: The function.
        name: The scrambler's name; if it is `None`, the function's own name.

    Raises:
        PluginError: The function cannot be called like that.
    """
    title = name or str(getattr(function, "__name__", type(function).__name__))
    takes = arguments_of_scrambler(function, title)

    def scramble(puzzle: Any, random: Random, /, *, seed: str, moves: int | None) -> ScrambleReport:  # noqa: ANN401
        if moves is not None and "moves" not in takes:
            raise UsageError(f"the scrambler {title} chooses itself how many moves it makes; leave their number out")
        given = {"seed": seed, "moves": moves}
        made = function(puzzle, random, **{key: given[key] for key in takes})
        if isinstance(made, ScrambleReport):
            return made
        if isinstance(made, str):
            return ScrambleReport(str(puzzle), puzzle.read(made), seed, None, f"the scrambler {title}")
        names = tuple(map(str, islice(made, MOST_MOVES + 1)))
        if len(names) > MOST_MOVES:
            raise PluginError(f"the scrambler {title} makes more than {MOST_MOVES:,} moves; let it end")
        state = puzzle.start
        for move in names:
            state = puzzle.engine.apply(state, move)
        return ScrambleReport(str(puzzle), state, seed, names, f"the scrambler {title}")

    # `functools.wraps` would also copy the signature of the given function, which is another one. So two attributes are
    # copied.
    scramble.__name__, scramble.__doc__ = title, function.__doc__
    return scramble


def scrambled(
    puzzle: Any,  # noqa: ANN401 - every Puzzle
    scrambler: ScramblerFunction,
    seed: str,
    moves: int | None,
) -> ScrambleReport:
    """Calls a scrambler with a seed, and checks the state that it makes.

    Raises:
        UsageError: The scrambler refuses the puzzle or the number of moves.
        PluginError: The scrambler failed, or play cannot reach its state.
    """
    check_seed(seed)
    check_moves("moves", moves)
    asked = as_scrambler(scrambler)
    try:
        with plugin_code():
            report = asked(puzzle, Random(f"{puzzle}/{seed}"), seed=seed, moves=moves)
        report = dataclasses.replace(
            report, puzzle=str(puzzle), state=puzzle.read(report.state), seed=seed, scrambler=asked.__name__
        )
        wrong = fault(puzzle, report)
    except PuzzlekitError as error:
        if isinstance(error, MoveError | StateError):  # it is the scrambler that names moves and states
            raise PluginError(
                f"the scrambler {asked.__name__} failed on the seed {seed}: {error}; report it"
            ) from error
        raise
    except (Exception, SystemExit) as error:  # a plugin may fail in any way
        raise PluginError(f"the scrambler {asked.__name__} failed on the seed {seed} with {one_line(error)}") from error
    if wrong is not None:
        raise PluginError(f"the scrambler {asked.__name__} gives {wrong}; report it")
    return report


def fault(puzzle: Any, report: ScrambleReport) -> str | None:  # noqa: ANN401
    """Returns what is wrong with a random state; `None` if nothing is, as far as this is known without a long search.

    If the report has moves, they are made one after another from the start. Otherwise `_may_be_reached` checks the
    state.
    """
    state = report.state
    if report.moves is not None:
        after = puzzle.start
        for move in report.moves:
            after = puzzle.engine.apply(after, move)
        if after != state:
            return f"{state} with moves that lead to {after}"
    elif not _may_be_reached(puzzle, state):
        return f"{state}, which play does not reach"
    if puzzle.outcome(state) is not None:
        return f"{state}, where play is over"
    return f"{state}, which is solved" if puzzle.is_solved(state) else None


@lru_cache(maxsize=16)
def _few_states(engine: Any) -> frozenset[bytes] | None:  # noqa: ANN401
    """All states that play reaches, as rows of bytes; `None` if there are more than a short search finds."""
    width = engine.row_bytes
    frontier = bytes(engine.encode([engine.start]))
    found = {frontier}
    while frontier and len(found) <= LOOK_AT:
        children = bytes(engine.expand(frontier)[0])
        fresh = {children[at : at + width] for at in range(0, len(children), width)} - found
        found |= fresh
        frontier = b"".join(sorted(fresh))
    return None if frontier else frozenset(found)


def _may_be_reached(puzzle: Any, state: str) -> bool:  # noqa: ANN401
    """Returns `False` if the perfect index, algebra or a short search shows that play never leads to a state."""
    try:
        start, number = puzzle.arrays.rank_rows(puzzle.arrays.encode([puzzle.start, state]))
        if start != _NO_NUMBER and number == _NO_NUMBER:
            return False
    except UsageError:  # the rules have no such index
        pass
    engine = puzzle.engine
    few = _few_states(engine)
    if few is not None:
        return bytes(engine.encode([state])) in few
    reversible = engine.draws_evenly or engine.window == "inverse-closed"
    if not reversible or not puzzle.is_solved(puzzle.start):
        return True
    # The start is solved, and each move can be undone. So play reaches a state exactly if the state can be solved.
    if overridable.why_unsolvable(puzzle, state) is not None:
        return False
    try:
        engine.solve(state, Budget(max_states=LOOK_AT, seconds=LOOK_SECONDS))
    except UnsolvableError:
        return False
    except LimitError:
        pass
    return True
