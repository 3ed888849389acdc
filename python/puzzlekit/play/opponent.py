"""An opponent in a game. It can be made to look only some moves ahead, so that a person can win."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from puzzlekit.jobs.answers import Sees
from puzzlekit.run.checks import check_number

if TYPE_CHECKING:
    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.answers import Foreseen
    from puzzlekit.run.solver import SolverFunction

SIGHT = {1: 1, 2: 2, 3: 4, 4: 8}
"""The number of moves that each strength looks ahead, except the last. With one move, the opponent sees a move that
wins at once. With two, it also sees that the other player could win at once."""

PERFECT = 5
"""The strength that plays perfectly: it finds the proven value of the state."""

POSITIONS = 2_000_000
"""The most positions that are searched for one move, which takes some seconds at most."""


class Opponent:
    """Chooses moves by looking some moves ahead. A seed decides between moves that look equally good.

    >>> from puzzlekit import load
    >>> Opponent(2, "a seed").choose(load("tictactoe"), "XX./.O./...:O")
    '2'

    Args:
        strength: From 1, which looks one move ahead, to 5, which plays perfectly as far as limits allow.
        seed: With the same seed, the choices are the same. `None` for new ones each time.
        solver: The solver that finds values; `None` for the puzzle's own. If it looks values up in a job, weaker
            strengths look there for what they see, too.

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
            max_states: The most states that perfect play may store.
        """
        moves = self._equals(puzzle, state, max_states)
        # The choice depends on the state and the seed, not on earlier moves. So it is the same after `undo`.
        return random.Random(f"{self._seed}/{state}").choice(moves)

    def _equals(self, puzzle: Puzzle, state: str, max_states: int) -> list[str]:
        """The moves that look equally good, and better than all others."""
        if self._strength == PERFECT:
            return list(puzzle.solve(state, self._solver, max_states=max_states).best)
        seen = self._seen(puzzle, state, SIGHT[self._strength])
        best = max(each.worth for each in seen)
        return [each.move for each in seen if each.worth == best]

    def _seen(self, puzzle: Puzzle, state: str, ahead: int) -> list[Foreseen]:
        """Returns what each move leads to within `ahead` moves: looked up in a job, or else found by a search."""
        known = self._solver.foresee(puzzle.engine, state, ahead) if isinstance(self._solver, Sees) else None
        return known or puzzle.engine.foresee(state, ahead, POSITIONS)[1]
