"""`to_open_spiel`: makes a game of OpenSpiel from a game, so that OpenSpiel's algorithms can play it."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from puzzlekit.env.walks import the_puzzle
from puzzlekit.errors import UsageError
from puzzlekit.run.checks import check_number

if TYPE_CHECKING:
    from puzzlekit.puzzle.puzzle import Puzzle


def to_open_spiel(game: Puzzle | str, *, max_moves: int = 1000) -> Any:  # noqa: ANN401 - a pyspiel.Game
    """A game of two players as a `pyspiel.Game`. OpenSpiel knows it as `puzzlekit_tictactoe_4_4_2`, say.

    An action is a number: a place in the list of the names of moves, which has each name once. The returns are 1 and
    -1, or both 0.

    Args:
        game: The game, or its text id.
        max_moves: The number of moves after which play is a draw, since in OpenSpiel every game must end.

    Raises:
        UsageError: OpenSpiel is not installed, or this is no game of two players.
    """
    puzzle = the_puzzle(game)
    check_number("max_moves", max_moves, 1, 2**31 - 1)
    if not puzzle.engine.is_game:
        raise UsageError(f"{puzzle} is no game of two, and OpenSpiel plays games; use puzzlekit.env.PuzzleEnv")
    return _kind(puzzle, max_moves)()


@cache
def _kind(puzzle: Puzzle, max_moves: int) -> Any:  # noqa: ANN401 - the classes of OpenSpiel have no types
    """The class of a game. Registers the class with OpenSpiel under its name, which cannot be undone."""
    try:
        import numpy as np
        import pyspiel
    except ModuleNotFoundError as error:
        raise UsageError(f"{error.name} is not installed; to_open_spiel needs it: pip install open_spiel") from error

    engine, arrays = puzzle.engine, puzzle.arrays
    names = tuple(dict.fromkeys(engine.move_names))
    number = {name: place for place, name in enumerate(names)}
    symbols, players = len(engine.notation.symbols), engine.notation.players
    shape = [engine.notation.cells * symbols + 2]
    # Names in OpenSpiel consist of letters, digits and underscores.
    name = "puzzlekit_" + re.sub(r"\W+", "_", str(puzzle)) + (f"_in_{max_moves}" if max_moves != 1000 else "")
    kind = pyspiel.GameType(
        short_name=name,
        long_name=str(puzzle),
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={},
    )
    facts = pyspiel.GameInfo(
        num_distinct_actions=len(names),
        max_chance_outcomes=0,
        num_players=2,
        min_utility=-1.0,
        max_utility=1.0,
        utility_sum=0.0,
        max_game_length=max_moves,
    )

    class Game(pyspiel.Game):  # type: ignore[misc]  # OpenSpiel has no types
        """The game."""

        def __init__(self, params: dict[str, Any] | None = None) -> None:
            super().__init__(kind, facts, params or {})

        def new_initial_state(self, state: object = None) -> State:
            """The start."""
            del state
            return State(self)

        def make_py_observer(self, iig_obs_type: object = None, params: object = None) -> Observer:
            """The observer, which turns states into arrays."""
            del iig_obs_type, params
            return Observer()

    class State(pyspiel.State):  # type: ignore[misc]  # as above
        """A state, and the number of moves that led to it."""

        def __init__(self, game: Game) -> None:
            super().__init__(game)
            self.text, self.moves = puzzle.start, 0
            self._look()

        def _look(self) -> None:
            self.outcome = puzzle.outcome(self.text)
            if self.outcome is None and self.moves >= max_moves:
                self.outcome = "draw"
            self.player = players.index(self.text.rpartition(":")[2])

        def current_player(self) -> int:
            """The player to move."""
            return self.player if self.outcome is None else int(pyspiel.PlayerId.TERMINAL)

        def _legal_actions(self, player: int) -> list[int]:
            del player
            return sorted(number[move] for move in puzzle.legal_moves(self.text))

        def _apply_action(self, action: int) -> None:
            self.text = engine.apply(self.text, names[action])
            self.moves += 1
            self._look()

        def _action_to_string(self, player: int, action: int) -> str:
            return f"{players[player]}: {names[action]}"

        def is_terminal(self) -> bool:
            """Returns `True` if play is over."""
            return self.outcome is not None

        def returns(self) -> list[float]:
            """The result of each player: 1 and -1, or both 0."""
            if self.outcome not in players:
                return [0.0, 0.0]
            return [1.0, -1.0] if players.index(self.outcome) == 0 else [-1.0, 1.0]

        def __str__(self) -> str:
            return str(self.text)

    class Observer:
        """States as arrays: for each cell and symbol, 1 if the cell holds it, or 0; and 1 for the player to move."""

        def __init__(self) -> None:
            self.tensor: Any = np.zeros(shape, np.float32)
            self.dict = {"observation": self.tensor}

        def set_from(self, state: State, player: int) -> None:
            """Writes a state into the array."""
            del player
            row: Any = np.asarray(arrays.encode([state.text]))[0]
            self.tensor[:] = 0
            places: Any = np.arange(len(row) - 1) * symbols + row[:-1]
            self.tensor[places] = 1
            self.tensor[-2 + int(row[-1])] = 1

        def string_from(self, state: State, player: int) -> str:
            """A state as a text."""
            del player
            return str(state.text)

    pyspiel.register_game(kind, Game)
    return Game
