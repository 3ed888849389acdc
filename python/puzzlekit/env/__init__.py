"""Puzzles and games as environments for learning, of Gymnasium, PettingZoo and OpenSpiel; see docs/environments.md.

To import this package registers `puzzlekit/Puzzle-v0` with Gymnasium, and `puzzlekit/game-v0` with PettingZoo. It needs
the extra `gym`; `to_open_spiel` needs OpenSpiel, too.
"""

from puzzlekit.env.registered import register
from puzzlekit.env.vector_env import PuzzleVectorEnv

from puzzlekit.env.game_env import GameEnv  # isort: skip
from puzzlekit.env.puzzle_env import PuzzleEnv
from puzzlekit.env.spiel import to_open_spiel

__all__ = ["GameEnv", "PuzzleEnv", "PuzzleVectorEnv", "to_open_spiel"]

register()
