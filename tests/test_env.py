"""Environments: checked by Gymnasium, PettingZoo and OpenSpiel, and step by step against the puzzle's own moves."""

import subprocess
import sys
import warnings
from dataclasses import dataclass

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

import puzzlekit
from puzzlekit import MoveError, Puzzle, Rules, UsageError, count, swap
from puzzlekit.env import GameEnv, PuzzleEnv, PuzzleVectorEnv, to_open_spiel

# Rules with each shape of goal: one state, several, patterns and counts.
PUZZLES = ["rotation", "slider:2,3", "flipit", "rotate:2,2"]


@dataclass(frozen=True)
class Counted(Puzzle):
    """A puzzle with a pattern and a count for goals."""

    id = "counted"

    def rules(self):
        return Rules(
            symbols="ab.",
            start="aab.b",
            moves=[swap(cell, cell + 1) for cell in range(4)],
            goal=[{0: "b", 1: "b"}, count("a", of=[3, 4], at_least=2) & {0: "."}],
        )


@dataclass(frozen=True)
class Endless(Puzzle):
    """A puzzle without a goal."""

    id = "endless"

    def rules(self):
        return Rules(symbols="ab", start="ab", moves=[swap(0, 1)])


@pytest.mark.parametrize("name", PUZZLES)
def test_the_checker_of_gymnasium_has_nothing_to_say(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make("puzzlekit/Puzzle-v0", puzzle=name, render_mode="ansi")
        check_env(env.unwrapped)


@pytest.mark.parametrize("name", PUZZLES)
def test_an_environment_makes_the_puzzles_own_moves(name):
    puzzle = puzzlekit.load(name)
    env = PuzzleEnv(puzzle, max_steps=20, moves=3, render_mode="ansi")
    rng = np.random.default_rng(1)
    ends = set()
    for episode in range(20):
        row, info = env.reset(seed=7 if episode == 0 else None)
        assert info["seed"] == ("7" if episode == 0 else f"7/{episode}")
        state = puzzle.scramble(info["seed"], moves=3).state
        while True:
            assert puzzle.arrays.decode(row) == [state] == [env.render()]
            legal = [env.actions[action] for action in np.flatnonzero(info["action_mask"])]
            assert sorted(legal) == sorted(set(puzzle.legal_moves(state)))
            action = rng.integers(len(env.actions))
            if episode % 2 and not puzzle.is_solved(state):
                action = env.actions.index(puzzle.solve(state).moves[0])
            row, reward, terminated, truncated, info = env.step(action)
            assert reward == -1
            if env.actions[action] in legal:
                state = puzzle.apply(state, env.actions[action])
            assert terminated == (puzzle.is_solved(state) or not puzzle.legal_moves(state))
            ends |= {"terminated"} if terminated else {"truncated"} if truncated else set()
            if terminated or truncated:
                break
    assert "terminated" in ends


@pytest.mark.parametrize("name", [*PUZZLES, "counted"])
def test_copies_that_are_stepped_together_do_what_single_ones_do(name):
    puzzle = Counted() if name == "counted" else puzzlekit.load(name)
    count = 7
    envs = PuzzleVectorEnv(puzzle, count, max_steps=9, moves=2)
    singles = [PuzzleEnv(puzzle, max_steps=9, moves=2) for _ in range(count)]
    states, info = envs.reset(seed=3)
    each = [env.reset(seed=3 + place) for place, env in enumerate(singles)]
    ended = [False] * count
    rng, over = np.random.default_rng(2), 0
    for _ in range(30):
        for place, (row, single) in enumerate(each):
            assert row.tolist() == states[place].tolist()
            assert single["action_mask"].tolist() == info["action_mask"][place].tolist()
        actions = rng.integers(len(envs.actions), size=count)
        for place in range(0, count, 2):  # these go to the goal
            text = puzzle.arrays.decode(states[place : place + 1])[0]
            if not ended[place] and not puzzle.is_solved(text):
                actions[place] = envs.actions.index(puzzle.solve(text).moves[0])
        states, rewards, terminated, truncated, info = envs.step(actions)
        for place, env in enumerate(singles):
            if ended[place]:
                each[place] = env.reset()
                assert (rewards[place], terminated[place], truncated[place]) == (0, False, False)
                ended[place] = False
                continue
            row, reward, end, cut, single = env.step(actions[place])
            each[place] = (row, single)
            assert (reward, end, cut) == (rewards[place], terminated[place], truncated[place])
            ended[place] = end or cut
            over += end
    assert over > 3


def test_gymnasium_makes_many_at_once_and_wraps_them():
    envs = gymnasium.make_vec("puzzlekit/Puzzle-v0", num_envs=4, puzzle="slider")
    assert isinstance(envs.unwrapped, PuzzleVectorEnv)
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
    states, info = envs.reset(seed=1)
    assert envs.observation_space.contains(states)
    for _ in range(20):
        masks = info["action_mask"]
        actions = np.array([np.flatnonzero(mask)[0] for mask in masks])
        states, _, _, _, info = envs.step(actions)
        assert envs.observation_space.contains(states)


def test_what_a_job_knows_is_told(tmp_path):
    puzzle = puzzlekit.load("slider:2,3")
    puzzle.values(out=tmp_path / "job")
    envs = PuzzleVectorEnv(puzzle, 20, known=str(tmp_path / "job"))
    states, info = envs.reset(seed=5)
    texts = puzzle.arrays.decode(states)
    assert info["fewest"].tolist() == [puzzle.solve(text).length for text in texts]
    assert PuzzleEnv(puzzle, known=tmp_path / "job").reset(seed=5)[1]["fewest"] == info["fewest"][0]
    found = puzzlekit.transitions(puzzle)
    assert PuzzleVectorEnv(puzzle, 20, known=found).reset(seed=5)[1]["fewest"].tolist() == info["fewest"].tolist()
    with pytest.raises(UsageError, match="known has the states of slider:rows=2,columns=3, and the environment is of"):
        PuzzleEnv("slider", known=tmp_path / "job")


@pytest.mark.parametrize("name", ["tictactoe", "tictactoe:4,4,4", "dots_and_boxes:1,2", "kalah:2,2"])
def test_the_checkers_of_pettingzoo(name):
    game = pettingzoo.make("aec", "puzzlekit/game-v0", puzzle=name, max_steps=30)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        api_test(game, num_cycles=300)
        seed_test(lambda: GameEnv(name), num_cycles=50)
    # What it says of its own games with a mask, too.
    usual = ("Observation numpy array is all zeros", "Observation space for each agent probably should be")
    assert [
        str(each.message) for each in said if not str(each.message).startswith((*usual, "Observation is not"))
    ] == []


def test_a_game_is_played_to_its_end(tmp_path):
    puzzle = puzzlekit.load("tictactoe")
    puzzle.values(out=tmp_path / "job")
    env = GameEnv(puzzle, known=tmp_path / "job", render_mode="ansi")
    rng, results = np.random.default_rng(3), set()
    for _ in range(40):
        env.reset()
        state = puzzle.start
        while not env.terminations[env.agent_selection]:
            seen = env.observe(env.agent_selection)
            assert puzzle.arrays.decode(seen["observation"][None]) == [state] == [env.render()]
            legal = np.flatnonzero(seen["action_mask"])
            assert [env.actions[action] for action in legal] == puzzle.legal_moves(state)
            solved = puzzle.solve(state)
            assert env.infos["player_1"]["value"] == solved.value
            action = rng.choice(legal)
            state = puzzle.apply(state, env.actions[action])
            env.step(action)
        outcome = puzzle.outcome(state)
        assert (
            env.rewards
            == {
                "X": {"player_1": 1, "player_2": -1},
                "O": {"player_1": -1, "player_2": 1},
                "draw": {"player_1": 0, "player_2": 0},
            }[outcome]
        )
        results.add(outcome)
    assert results == {"X", "O", "draw"}
    env.reset(options={"state": "XX./OO./..."})
    with pytest.raises(MoveError, match=r"the action 0 cannot be done in XX\./OO\./\.\.\.:X; the actions are 2 \(2\)"):
        env.step(0)


@pytest.mark.parametrize("name", ["dots_and_boxes:1,2", "kalah:2,2", "six_mens_morris"])
def test_whoever_keeps_the_turn_acts_again(name):
    puzzle = puzzlekit.load(name)
    env, rng, kept = GameEnv(puzzle, max_steps=200), np.random.default_rng(5), 0
    players = puzzle.engine.notation.players
    for _ in range(6):
        env.reset()
        state = puzzle.start
        while not (env.terminations["player_1"] or env.truncations["player_1"]):
            agent = f"player_{1 + players.index(state[-1])}"
            assert (env.agent_selection, env.infos[agent]["state"]) == (agent, state)
            other = {"player_1": "player_2", "player_2": "player_1"}[agent]
            assert not env.observe(other)["action_mask"].any()
            legal = np.flatnonzero(env.observe(agent)["action_mask"])
            assert sorted(env.actions[action] for action in legal) == sorted(puzzle.legal_moves(state))
            action = rng.choice(legal)
            after = puzzle.apply(state, env.actions[action])
            kept += after[-1] == state[-1]
            state = after
            env.step(action)
        outcome = puzzle.outcome(state)
        sign = 0 if outcome not in players else 1 if outcome == players[0] else -1
        assert env.rewards == {"player_1": sign, "player_2": -sign}
    assert kept > 2


def test_a_game_for_points_tells_points_and_not_moves(tmp_path):
    puzzle = puzzlekit.load("kalah:2,2")
    puzzle.values(out=tmp_path / "job")
    env = GameEnv(puzzle, known=tmp_path / "job")
    env.reset()
    signs = set()
    while not env.terminations["player_1"]:
        state, info = env.infos["player_1"]["state"], env.infos["player_1"]
        solved = puzzle.solve(state)
        assert info == {"state": state, "value": solved.value, "score": solved.score}
        signs.add(np.sign(info["score"]))
        env.step(env.actions.index(solved.best[0]))
    assert {-1, 1} <= signs


def test_what_cannot_be_an_environment():
    with pytest.raises(UsageError, match=r"tictactoe is a game of two players; use puzzlekit\.env\.GameEnv"):
        PuzzleEnv("tictactoe")
    with pytest.raises(UsageError, match="rotation is no game of two"):
        GameEnv("rotation")
    with pytest.raises(UsageError, match="rotation is no game of two, and OpenSpiel plays games"):
        to_open_spiel("rotation")
    with pytest.raises(UsageError, match="has no goal, so it is never solved"):
        PuzzleEnv(Endless())
    env = PuzzleVectorEnv("rotation", 2)
    env.reset(seed=1)
    for wrong in ([0, 4], [-1, 0], [0.5, 1], ["A", "B"]):
        with pytest.raises(UsageError, match="give numbers from 0 to 3"):
            env.step(wrong)
    with pytest.raises(UsageError, match="give one for each of 2 copies"):
        env.step([0, 1, 2])
    with pytest.raises(UsageError, match="3 seeds are given for 2 copies"):
        env.reset(seed=[1, 2, 3])


def test_importing_puzzlekit_imports_no_environment():
    program = (
        "import sys, puzzlekit.cli; print([n for n in ('gymnasium', 'pettingzoo', 'pyspiel') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_open_spiel_plays_games(capfd):
    pyspiel = pytest.importorskip("pyspiel")
    game = to_open_spiel("tictactoe")
    assert to_open_spiel("tictactoe").get_type().short_name == "puzzlekit_tictactoe"
    pyspiel.random_sim_test(game, 10, True, False)
    pyspiel.random_sim_test(pyspiel.load_game("puzzlekit_tictactoe"), 5, True, True)
    minimax = pytest.importorskip("open_spiel.python.algorithms.minimax")
    assert minimax.alpha_beta_search(to_open_spiel("tictactoe:3,3,2"))[0] == 1
    capfd.readouterr()
    short = to_open_spiel("tictactoe", max_moves=2).new_initial_state()
    for action in (0, 1):
        short.apply_action(action)
    assert short.is_terminal()
    assert short.returns() == [0, 0]
