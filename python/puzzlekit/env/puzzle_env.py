"""`PuzzleEnv`: a puzzle as one environment of Gymnasium."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import Env
from gymnasium.spaces import Discrete

from puzzlekit.env.vector_env import space_of_states
from puzzlekit.env.walks import Seeds, Walks, check_actions, the_puzzle, what_knows
from puzzlekit.run.checks import check_number

if TYPE_CHECKING:
    from os import PathLike

    from puzzlekit.env.walks import Known
    from puzzlekit.puzzle.puzzle import Puzzle

    Array = Any  # of NumPy; type checkers do not know before Python 3.12 that its arrays are buffers


class PuzzleEnv(Env[Any, Any]):
    """A puzzle as an environment: an episode goes from a scramble to the goal, and each step has the reward -1.

    >>> from puzzlekit.env import PuzzleEnv
    >>> env = PuzzleEnv("rotation", render_mode="ansi")
    >>> state, info = env.reset(options={"state": "412/653/789"})
    >>> for name in "AAABBB":
    ...     state, reward, terminated, truncated, info = env.step(env.actions.index(name))
    >>> reward, terminated, env.render()
    (-1.0, True, '123/456/789')

    After `reset(seed=7)` the state is that of `puzzle.scramble("7")`, and in the episodes after it, as long as no other
    seed is given, those of `"7/1"`, `"7/2"` and so on. `info["seed"]` tells it.

    Args:
        puzzle: The puzzle, or its text id.
        max_steps: The steps after which an episode is cut off.
        moves: How many random moves a scramble has; by the puzzle's own way if it is `None`.
        known: A job with the fewest moves to the goal, or its folder, or `Transitions`; then `info["fewest"]` has them.
        render_mode: `"ansi"` for texts of states.

    Attributes:
        actions: The name of each action: those of the moves.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 4}  # noqa: RUF012 - as in Gymnasium

    def __init__(
        self,
        puzzle: Puzzle | str,
        *,
        max_steps: int = 1000,
        moves: int | None = None,
        known: Known | str | PathLike[str] | None = None,
        render_mode: str | None = None,
    ) -> None:
        check_number("max_steps", max_steps, 1, 2**31)
        self.puzzle = the_puzzle(puzzle)
        self.render_mode = render_mode
        self._max_steps, self._moves = max_steps, moves
        self._walks = Walks(self.puzzle, 1, what_knows(known, self.puzzle))
        self.actions = self._walks.actions.names
        self.observation_space = space_of_states(self.puzzle)
        self.action_space = Discrete(len(self.actions))
        self._seeds, self._steps = Seeds(None), 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Begins an episode.

        Args:
            seed: The seed; the next one of the seed before if it is `None`.
            options: `{"state": text}` begins in that state.
        """
        super().reset(seed=seed)
        if seed is not None:
            self._seeds = Seeds(seed)
        given, more = (options or {}).get("state"), {}
        if given is None:
            more = {"seed": self._seeds.next()}
            scramble = self.puzzle.scramble
            done = scramble(more["seed"]) if self._moves is None else scramble(more["seed"], moves=self._moves)
            given = done.state
        self._walks.place(np.ones(1, bool), self._walks.row(given))
        self._steps = 0
        return self._walks.rows[0].copy(), self._info() | more

    def step(self, action: Any) -> Any:  # noqa: ANN401 - the types of Gymnasium
        """Does an action. One that cannot be done changes nothing and counts as a step."""
        walks = self._walks
        walks.move(check_actions(np.reshape(action, 1), len(self.actions)))
        self._steps += 1
        terminated = bool(walks.solved[0] or walks.stuck[0])
        truncated = not terminated and self._steps >= self._max_steps
        return walks.rows[0].copy(), -1.0, terminated, truncated, self._info()

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"action_mask": self._walks.mask()[0]}
        if (fewest := self._walks.fewest()) is not None:
            info["fewest"] = int(fewest[0])
        return info

    def action_masks(self) -> Array:
        """Which actions can be done, under the name that sb3-contrib's MaskablePPO asks for."""
        return self._walks.mask()[0].astype(bool)

    def render(self) -> str | None:
        """The state as a text, with `render_mode="ansi"`."""
        return self._walks.text(0) if self.render_mode == "ansi" else None
