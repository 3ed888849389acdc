"""`GameEnv`: a game of two players as an environment of PettingZoo, whose agents take turns (its AEC interface)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import AECEnv

from puzzlekit.env.walks import Actions, the_puzzle, what_knows
from puzzlekit.errors import MoveError, UsageError
from puzzlekit.run.checks import check_number
from puzzlekit.run.value_codes import NAMES

if TYPE_CHECKING:
    from os import PathLike

    from puzzlekit.env.walks import Known
    from puzzlekit.puzzle.puzzle import Puzzle

AGENTS = ("player_1", "player_2")


class GameEnv(AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """A game of two players. The agents are `player_1` and `player_2`. At the end they get 1 and -1, or both 0.

    >>> from puzzlekit.env import GameEnv
    >>> env = GameEnv("tictactoe")
    >>> env.reset()
    >>> for name in "048":
    ...     env.step(env.actions.index(name))
    >>> env.agent_selection, env.infos["player_1"]["state"]
    ('player_2', 'X../.O./..X:O')
    >>> env.observe("player_2")["action_mask"].tolist()
    [0, 1, 1, 1, 0, 1, 1, 1, 0]
    >>> env.observe("player_1")["action_mask"].tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 0]

    An observation has two parts: the state as `Arrays.encode` makes it, whose last byte says which player is to move;
    and a mask with 1 for each action that can be done. For the agent that is not to move, the mask is all zeros.
    `infos` have the state as a text.

    Args:
        puzzle: The game, or its text id.
        max_steps: The number of moves after which a game is cut off.
        known: A job with the values of all states, or its folder. With it, `infos` have `value`, which is `"win"`,
            `"draw"` or `"loss"` for the player to move; and `moves`, the number of moves to the end, or -1 if that is
            not known. In a game for points, they have `score` instead of `moves`: the points of the player to move
            minus those of the other player.
        render_mode: `"ansi"` for texts of states.

    Attributes:
        actions: The name of each action, which is that of a move.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as in PettingZoo
        "name": "puzzlekit_game_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        puzzle: Puzzle | str,
        *,
        max_steps: int = 1000,
        known: Known | str | PathLike[str] | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        check_number("max_steps", max_steps, 1, 2**31)
        self.puzzle: Puzzle = the_puzzle(puzzle)
        if not self.puzzle.engine.is_game:
            raise UsageError(f"{self.puzzle} is no game of two; use puzzlekit.env.PuzzleEnv")
        self.render_mode = render_mode
        self._max_steps, self._known = max_steps, what_knows(known, self.puzzle)
        self._actions = Actions(self.puzzle)
        self.actions: tuple[str, ...] = self._actions.names
        self.possible_agents: list[str] = list(AGENTS)
        self.agents: list[str] = []
        notation = self.puzzle.engine.notation
        row = Box(0, max(len(notation.symbols), 2) - 1, (notation.cells + 1,), np.uint8)
        mask = Box(0, 1, (len(self.actions),), np.int8)
        self.observation_spaces: dict[str, Dict] = {
            agent: Dict({"observation": row, "action_mask": mask}) for agent in AGENTS
        }
        self.action_spaces: dict[str, Discrete] = {agent: Discrete(len(self.actions)) for agent in AGENTS}

    def observation_space(self, agent: str) -> Dict:
        """The space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """The space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a game.

        Args:
            seed: It has no effect: nothing in a game is left to chance.
            options: `{"state": text}` lets the game begin in that state.
        """
        del seed
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self._steps = 0
        self._row: Any = np.array(self.puzzle.arrays.encode([(options or {}).get("state", self.puzzle.start)]))
        self._looked()

    def _looked(self) -> None:
        """Finds the actions that can be done in the state, and whether play is over."""
        self._children, choices = self._actions.after(self._row)
        self._choices = choices[0]
        self._state = self.puzzle.arrays.decode(self._row)[0]
        self.agent_selection = AGENTS[int(self._row[0, -1])]
        info: dict[str, Any] = {"state": self._state}
        if self._known is not None:
            value, moves, _ = (np.asarray(column) for column in self._known.look_up(self._row))
            word, number = NAMES.get(int(value[0])), int(moves[0])
            scored = self.puzzle.engine.is_scored
            info |= {
                "value": word,
                **({"score": -number if word == "loss" else number} if scored else {"moves": number}),
            }
        self.infos = {agent: dict(info) for agent in AGENTS}
        over = not (self._choices >= 0).any()
        if over:
            outcome, players = self.puzzle.outcome(self._state), self.puzzle.engine.notation.players
            if outcome in players:
                for agent, player in zip(AGENTS, players, strict=True):
                    self.rewards[agent] = 1.0 if player == outcome else -1.0
        self.terminations = dict.fromkeys(AGENTS, over)
        self.truncations = dict.fromkeys(AGENTS, not over and self._steps >= self._max_steps)

    def observe(self, agent: str) -> dict[str, Any]:
        """The state, and the actions that the agent can do, as arrays."""
        mask = (self._choices >= 0).astype(np.int8)
        if agent != self.agent_selection:
            mask[:] = 0
        return {"observation": self._row[0].copy(), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Does an action of the agent to move. When play is over, the action must be `None`.

        Raises:
            MoveError: The action cannot be done. With PettingZoo's `TerminateIllegalWrapper`, the game ends instead.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        choice = -1 if action is None or not 0 <= action < len(self.actions) else int(self._choices[action])
        if choice < 0:
            names = ", ".join(f"{number} ({self.actions[number]})" for number in np.flatnonzero(self._choices >= 0))
            raise MoveError(f"the action {action} cannot be done in {self._state}; the actions are {names}")
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._row = self._children[choice : choice + 1]
        self._steps += 1
        self._looked()
        self._accumulate_rewards()

    def render(self) -> str | None:
        """The state as a text if `render_mode` is `"ansi"`; otherwise `None`."""
        return self._state if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Does nothing: there is nothing to close."""
