"""Answers about positions of large games: values, limits and distances; and opponents of every strength."""

import json
import random
import time

import pytest

import puzzlekit
from puzzlekit import Budget, Move, Rules, UsageError, put
from puzzlekit.cli.solve import describe
from puzzlekit.play.opponent import Opponent
from puzzlekit.play.session import Session
from puzzlekit.run.engine import Engine
from tests import gallery

FOUR = gallery.load("connect_four")


def test_a_game_of_many_positions_has_its_value():
    # Both games are draws: four in a row on 4 by 4, and connect four on 4 by 4. The engine does not try to search all
    # 161,029 boards of the latter.
    for game in (puzzlekit.load("tictactoe:4,4,4"), FOUR):
        report = game.solve(game.start)
        assert (report.value, report.proven, report.length) == ("draw", True, 16)
        state = game.start
        for move in report.moves:
            state = game.apply(state, move)
        assert game.outcome(state) == "draw"


def test_the_distance_is_that_of_best_play():
    # Three in a row on 4 by 4 is a win. The length of best play fits those of the positions after each move.
    game = puzzlekit.load("tictactoe:4,4,3")
    report = game.solve(game.start, distance=True)
    assert (report.value, report.optimal, report.length) == ("win", True, 5)
    for move in game.legal_moves(game.start)[:8]:
        after = game.solve(game.apply(game.start, move), distance=True)
        assert after.optimal
        assert (after.value == "loss" and after.length + 1 == report.length) == (move in report.best)
        assert after.value != "loss" or after.length + 1 >= report.length
    soon = game.solve(game.start)
    assert soon.value == "win"
    assert soon.best[0] in report.best


def test_tables_of_any_size_find_the_same_value(process):
    for memory in ("5k", "1MiB", "1GiB"):
        data = json.loads(process("solve", "tictactoe:4,3,3", "--memory", memory, "--json").out)
        assert (data["value"], data["proven"]) == ("win", True)


def test_a_limit_leaves_the_best_move_so_far(command):
    game = puzzlekit.load("tictactoe:8,8,5")
    report = game.solve(game.start, max_states=1000)
    assert (report.value, report.proven, report.optimal) == (None, False, False)
    assert report.moves == report.best
    assert report.searched["moves ahead"] >= 2
    assert describe(report).startswith("the value is not proven, ")
    # O must stop four in a row with one end open, which a short look sees.
    row = "XXXX..../OOO...../" + "/".join(["........"] * 6) + ":O"
    assert game.solve(row, max_states=1000).best == ("4",)
    result = command("solve", "tictactoe:8,8,5", "--max-states", "1000", "--json")
    data = json.loads(result.out)
    assert (result.code, data["proven"], data["value"], len(data["best"])) == (0, False, None, 1)
    begun = time.monotonic()
    report = game.solve(game.start, seconds=0.3)
    assert not report.proven
    assert time.monotonic() - begun < 30
    assert not game.solve(game.start, watch=lambda _: True).proven


def test_a_win_found_is_told_even_if_play_can_repeat_itself():
    # With `max_states=1` no position can be stored, but a win in one move is found.
    game = gallery.load("hexapawn")
    report = game.solve(game.start, max_states=1)
    whole = game.solve(game.start)
    assert (report.value, report.best) in ((whole.value, whole.best), (None, report.best))
    assert report.best[0] in game.legal_moves(game.start)


def test_a_look_ahead_tells_ends_that_are_near():
    game = puzzlekit.load("tictactoe")
    reached, seen = game.engine.foresee("XX./OO./...:X", 1, 1000)
    assert reached == 1
    assert {each.move: each.value for each in seen} == {"2": "win", **dict.fromkeys("5678")}
    reached, seen = game.engine.foresee("XX./OO./...:X", 2, 1000)
    assert {each.move: (each.value, each.length) for each in seen} == {
        "2": ("win", 1),
        "5": (None, 0),
        **dict.fromkeys("678", ("loss", 2)),
    }
    assert [each.move for each in sorted(seen, key=lambda each: each.worth, reverse=True)][:2] == ["2", "5"]
    assert game.engine.foresee("XXX/OO./...:O", 3, 1000) == (0, [])
    # 100 positions are enough to look some moves ahead, but not 9.
    assert puzzlekit.load("tictactoe:6,6,4").engine.foresee("." * 36 + ":X", 9, 100)[0] < 9


def game_against(strength, seed):
    """The outcome of tic-tac-toe between perfect play, which begins, and an opponent."""
    game, state = puzzlekit.load("tictactoe"), "..../X....:O"
    opponent, chance = Opponent(strength, seed), random.Random(seed)
    while game.outcome(state) is None:
        own = state.endswith("O")
        state = game.apply(state, opponent.choose(game, state) if own else chance.choice(game.solve(state).best))
    return game.outcome(state)


def test_a_person_can_win_against_a_weak_opponent():
    outcomes = {strength: [game_against(strength, str(seed)) for seed in range(12)] for strength in (1, 2, 5)}
    assert outcomes[1].count("X") >= 6
    assert 1 <= outcomes[2].count("X") <= outcomes[1].count("X")
    assert outcomes[5] == ["draw"] * 12


def test_every_strength_takes_a_win_and_the_second_stops_one():
    game = puzzlekit.load("tictactoe")
    for strength in range(1, 6):
        assert {Opponent(strength, str(seed)).choose(game, "XX./OO./..X:O") for seed in range(9)} == {"5"}
        stops = {Opponent(strength, str(seed)).choose(game, "XX./.O./...:O") for seed in range(9)}
        assert (stops == {"2"}) == (strength > 1)
    # The same seed makes the same choices. Different seeds make different ones.
    first = [Opponent(1, str(seed)).choose(game, game.start) for seed in range(20)]
    assert first == [Opponent(1, str(seed)).choose(game, game.start) for seed in range(20)]
    assert len(set(first)) > 3
    with pytest.raises(UsageError, match="strength is 6; give a whole number from 1 to 5"):
        Opponent(6)


def test_strengths_in_a_session(command):
    game = puzzlekit.load("tictactoe")
    session = Session(game, "XX./OO./..X:O", opponent=True, second=True, strength=1, seed="a")
    assert session.greet()[-5:] == ["I play 5.", "X X .", "O O O", ". . X", "O wins: you lost."]
    plays = [
        command("play", "tictactoe", "--strength", "2", "--seed", seed, given="4\n").out.replace("> ", "")
        for seed in ("1", "1", "2", "3", "4", "5", "6")
    ]
    assert plays[0] == plays[1]
    assert len(set(plays)) > 1
    # With an opponent, the seed decides only its choices, so every play begins at the start.
    assert all(". . .\n. X .\n. . .\nI play " in play for play in plays)
    for arguments in (("tictactoe", "--two"), ("slider",)):
        refused = command("play", *arguments, "--strength", "3")
        assert (refused.code, refused.out) == (2, "")
        assert "--strength is for games against the computer" in refused.err


@pytest.mark.parametrize(("stuck", "value"), [("loss", "win"), ("win", "loss"), ("draw", "draw")])
def test_a_pass_at_will_that_writes_nothing_is_a_move(stuck, value):
    """`P` only passes, and `Q` fills the first cell: then `Q` cannot move any more."""
    moves = [Move({}, player="P").named("stay"), put(0, "Q").when({0: "."}).by("Q")]
    engine = Engine(Rules(".Q", "..", moves, "PQ", stuck=stuck))
    for state, length in ((".Q:P", 3), ("Q.:P", 1), ("..:Q", 2)):
        answer = engine.solve(state, Budget())
        mover = value if state.endswith("P") else {"win": "loss", "loss": "win", "draw": "draw"}[value]
        assert (answer.value, len(answer.moves), answer.method) == (mover, length, "alpha-beta")
