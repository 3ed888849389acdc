"""Registers the environments, so that `gymnasium.make`, `gymnasium.make_vec` and `pettingzoo.make` find them."""

from __future__ import annotations

from puzzlekit.errors import UsageError

PUZZLE, GAME = "puzzlekit/Puzzle-v0", "puzzlekit/game-v0"


def register() -> None:
    """Registers the environments, once.

    Raises:
        UsageError: Gymnasium or PettingZoo is not installed.
    """
    try:
        import gymnasium
        import pettingzoo
    except ModuleNotFoundError as error:
        raise UsageError(
            f"{error.name} is not installed, which environments need; pip install 'puzzlekit-core[gym]'"
        ) from error
    if PUZZLE not in gymnasium.registry:
        gymnasium.register(
            PUZZLE,
            entry_point="puzzlekit.env.puzzle_env:PuzzleEnv",
            vector_entry_point="puzzlekit.env.vector_env:PuzzleVectorEnv",
        )
    if GAME not in pettingzoo.aec_registry:
        pettingzoo.register("aec", GAME, entry_point="puzzlekit.env.game_env:GameEnv")
