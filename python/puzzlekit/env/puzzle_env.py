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
    """A puzzle as an environment. An episode goes from a scramble to the goal, and each step has the reward -1.

    >>> from puzzlekit.env import PuzzleEnv
    >>> env = PuzzleEnv("rotation", render_mode="ansi")
    >>> state, info = env.reset(options={"state": "412/653/789"})
    >>> for name in "AAABBB":
    ...     state, reward, terminated, truncated, info = env.step(env.actions.index(name))
    >>> reward, terminated, env.render()
    (-1.0, True, '123/456/789')

    After `reset(seed=7)` the state is that of `puzzle.scramble("7")`. The episodes after it, as long as no other seed
    is given, begin with the scrambles of `"7/1"`, `"7/2"` and so on. `info["seed"]` of `reset` has this text.

    Args:
        puzzle: The puzzle, or its text id.
        max_steps: The number of steps after which an episode is cut off.
        moves: The number of random moves in a scramble; `None` for the puzzle's own way to scramble.
        known: A job with the fewest moves to the goal, or its folder, or `Transitions`. With it, `info["fewest"]` has
            the fewest moves.
        render_mode: `"ansi"` for texts of states.

    Attributes:
        actions: The name of each action, which is that of a move.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 4}  # noqa: RUF012 - as in Gymnasium

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
        self.puzzle: Puzzle = the_puzzle(puzzle)
        self.render_mode = render_mode
        self._max_steps, self._moves = max_steps, moves
        self._walks = Walks(self.puzzle, 1, what_knows(known, self.puzzle))
        self.actions: tuple[str, ...] = self._walks.actions.names
        self.observation_space = space_of_states(self.puzzle)
        self.action_space = Discrete(len(self.actions))
        self._seeds, self._steps = Seeds(None), 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Begins an episode.

        Args:
            seed: The seed; `None` for the next one after the seed before, such as `"7/1"`.
            options: `{"state": text}` lets the episode begin in that state.
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
        """Does an action. If it cannot be done, nothing changes, but it counts as a step."""
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
        """The actions that can be done, as a mask. MaskablePPO of sb3-contrib asks for this method by its name."""
        return self._walks.mask()[0].astype(bool)

    def render(self) -> str | None:
        """The state as a text if `render_mode` is `"ansi"`; otherwise `None`."""
        return self._walks.text(0) if self.render_mode == "ansi" else None
