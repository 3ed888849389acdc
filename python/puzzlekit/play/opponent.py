"""An opponent in a game that plays as well as it is asked to, so that a person can win."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from puzzlekit.jobs.answers import JobSolver
from puzzlekit.run.checks import check_number

if TYPE_CHECKING:
    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.answers import Foreseen
    from puzzlekit.run.solver import SolverFunction

SIGHT = {1: 1, 2: 2, 3: 4, 4: 8}
"""The number of moves that each strength but the last looks ahead. With one, the opponent wins if it can win at once.
With two, it also stops the other player from winning at once."""

PERFECT = 5
"""The strength that plays perfectly: it finds the value of the state."""

POSITIONS = 2_000_000
"""The number of positions that may be searched for one move. That takes some seconds at most."""


class Opponent:
    """Chooses moves by what it sees some moves ahead. Of moves that look alike, a seed decides.

    >>> from puzzlekit import load
    >>> Opponent(2, "a seed").choose(load("tictactoe"), "XX./.O./...:O")
    '2'

    Args:
        strength: From 1, which looks one move ahead, to 5, which plays perfectly as far as limits allow.
        seed: What makes the same choices again; `None` for others each time.
        solver: What knows the value; the puzzle's own if it is `None`. If it is that of a job with values, weaker
            strengths take what they see from there, too.

    Raises:
        UsageError: There is no such strength.
    """

    def __init__(self, strength: int, seed: str | None = None, solver: SolverFunction | None = None) -> None:
        check_number("strength", strength, 1, PERFECT)
        self._strength = strength
        self._solver = solver
        self._seed = random.SystemRandom().getrandbits(64) if seed is None else seed

    def choose(self, puzzle: Puzzle, state: str, *, max_states: int = 2_000_000) -> str:
        """A move in a state in which play goes on.

        Args:
            puzzle: The game.
            state: The state.
            max_states: How many states perfect play may store.
        """
        moves = self._equals(puzzle, state, max_states)
        # The choice depends on the state and the seed, not on the moves before. So `undo` does not change it.
        return random.Random(f"{self._seed}/{state}").choice(moves)

    def _equals(self, puzzle: Puzzle, state: str, max_states: int) -> list[str]:
        """The moves that look best."""
        if self._strength == PERFECT:
            return list(puzzle.solve(state, self._solver, max_states=max_states).best)
        seen = self._seen(puzzle, state, SIGHT[self._strength])
        best = max(each.worth for each in seen)
        return [each.move for each in seen if each.worth == best]

    def _seen(self, puzzle: Puzzle, state: str, ahead: int) -> list[Foreseen]:
        """What each move forces within `ahead` moves, looked up in a job, or else found by a search."""
        known = self._solver.foresee(puzzle.engine, state, ahead) if isinstance(self._solver, JobSolver) else None
        return known or puzzle.engine.foresee(state, ahead, POSITIONS)[1]
