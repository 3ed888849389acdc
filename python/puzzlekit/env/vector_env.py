"""`PuzzleVectorEnv`: many copies of a puzzle that make their steps together, even thousands, for Gymnasium."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.spaces import Discrete, MultiDiscrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from puzzlekit.env.walks import Seeds, Walks, check_actions, the_puzzle, what_knows
from puzzlekit.errors import UsageError
from puzzlekit.run.checks import check_number

if TYPE_CHECKING:
    from os import PathLike

    from puzzlekit.env.walks import Known
    from puzzlekit.puzzle.puzzle import Puzzle

    Array = Any  # of NumPy; type checkers do not know before Python 3.12 that its arrays are buffers


class PuzzleVectorEnv(VectorEnv[Any, Any, Any]):
    """Many copies of a puzzle that make their steps together. Each begins in a scramble.

    >>> import puzzlekit
    >>> from puzzlekit.env import PuzzleVectorEnv
    >>> envs = PuzzleVectorEnv("rotation", 3)
    >>> states, info = envs.reset(seed=7)
    >>> states.shape, info["action_mask"][0].tolist()
    ((3, 9), [1, 1, 1, 1])
    >>> states, rewards, terminated, truncated, info = envs.step([0, 1, 2])
    >>> rewards.tolist()
    [-1.0, -1.0, -1.0]

    Each copy behaves like a `PuzzleEnv` with the same arguments. Its seed is `seed` plus its place: `seed`, `seed + 1`
    and so on. When the episode of a copy has ended, the next step begins a new one, whatever the action, with the
    reward 0 (Gymnasium's `AutoresetMode.NEXT_STEP`).

    Args:
        puzzle: The puzzle, or its text id.
        num_envs: The number of copies.
        max_steps: The number of steps after which an episode is cut off.
        moves: The number of random moves in a scramble; `None` for the puzzle's own way to scramble.
        known: A job with the fewest moves to the goal, or its folder, or `Transitions`. With it, `info["fewest"]` has
            the fewest moves.

    Attributes:
        actions: The name of each action, which is that of a move.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as in Gymnasium
        "autoreset_mode": AutoresetMode.NEXT_STEP,
        "render_modes": ["ansi"],
        "render_fps": 4,
    }

    def __init__(  # noqa: PLR0913 - each is an option of the environment
        self,
        puzzle: Puzzle | str,
        num_envs: int = 1,
        *,
        max_steps: int = 1000,
        moves: int | None = None,
        known: Known | str | PathLike[str] | None = None,
        render_mode: str | None = None,
    ) -> None:
        check_number("num_envs", num_envs, 1, 2**31)
        check_number("max_steps", max_steps, 1, 2**31)
        self.puzzle: Puzzle = the_puzzle(puzzle)
        self.num_envs: int = num_envs
        self.render_mode: str | None = render_mode
        self._max_steps, self._moves = max_steps, moves
        self._walks = Walks(self.puzzle, num_envs, what_knows(known, self.puzzle))
        self.actions: tuple[str, ...] = self._walks.actions.names
        self.single_observation_space = space_of_states(self.puzzle)
        self.single_action_space = Discrete(len(self.actions))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._seeds = [Seeds(None) for _ in range(num_envs)]
        self._steps: Array = np.zeros(num_envs, np.int64)
        self._ended: Array = np.zeros(num_envs, bool)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begins an episode in each copy.

        Args:
            seed: The seed of the first copy, and each next copy has the next number; or a list with a seed for each
                copy.
            options: `{"state": text}` lets all copies begin in that state.
        """
        super().reset(seed=seed if isinstance(seed, int) else None)
        if seed is not None:
            seeds = [seed + place for place in range(self.num_envs)] if isinstance(seed, int) else seed
            if len(seeds) != self.num_envs:
                raise UsageError(f"{len(seeds)} seeds are given for {self.num_envs} copies; give one for each")
            self._seeds = list(map(Seeds, seeds))
        everywhere = np.ones(self.num_envs, bool)
        given = (options or {}).get("state")
        rows = self._scrambles(everywhere) if given is None else self._walks.row(given)
        self._walks.place(everywhere, rows)
        self._steps[:], self._ended[:] = 0, False
        return self._walks.rows.copy(), self._info()

    def _scrambles(self, which: Array) -> Array:
        scramble = self.puzzle.scramble
        seeds = [self._seeds[place].next() for place in np.flatnonzero(which)]
        texts = [(scramble(seed) if self._moves is None else scramble(seed, moves=self._moves)).state for seed in seeds]
        return np.asarray(self.puzzle.arrays.encode(texts))

    def step(self, actions: Any) -> Any:  # noqa: ANN401 - the types of Gymnasium
        """Does an action in each copy.

        Returns what Gymnasium says: the states, the rewards, which episodes have ended, which were cut off, and info.
        If an action cannot be done, nothing changes, but it counts as a step. Each step has the reward -1. An episode
        ends in a solved state or in a state without a move. It is cut off after `max_steps`.
        """
        chosen = check_actions(actions, len(self.actions))
        if chosen.shape != (self.num_envs,):
            raise UsageError(f"the actions have the shape {chosen.shape}; give one for each of {self.num_envs} copies")
        anew, walks = self._ended, self._walks
        if anew.any():
            walks.move(chosen, anew, self._scrambles(anew))
        else:
            walks.move(chosen)
        self._steps += 1
        self._steps[anew] = 0
        terminated = (walks.solved | walks.stuck) & ~anew
        truncated = (self._steps >= self._max_steps) & ~terminated
        rewards = np.where(anew, 0.0, -1.0)
        self._ended = terminated | truncated
        return walks.rows.copy(), rewards, terminated, truncated, self._info()

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"action_mask": self._walks.mask()}
        if (fewest := self._walks.fewest()) is not None:
            info["fewest"] = fewest
        # For each key of `info`, wrappers of Gymnasium read a second array under `_key`: which copies have a value.
        # Here, all copies have one.
        return info | {f"_{key}": np.ones(self.num_envs, bool) for key in info}

    def render(self) -> tuple[str, ...] | None:
        """The states as texts if `render_mode` is `"ansi"`; otherwise `None`."""
        return tuple(self.puzzle.arrays.decode(self._walks.rows)) if self.render_mode == "ansi" else None


def space_of_states(puzzle: Puzzle) -> MultiDiscrete:
    """The space of states as arrays: for each cell, the place of its symbol in the list of symbols."""
    notation = puzzle.engine.notation
    return MultiDiscrete(np.full(notation.cells, len(notation.symbols)), dtype=np.uint8)  # type: ignore[arg-type]
