"""Outcomes that rules can have but a run never meets are counted as zero; those that they cannot have are left out."""

import json

import pytest

import puzzlekit
from puzzlekit import End, Rules, put, toggle, win
from puzzlekit.run.engine import Engine
from tests import boards


def outcomes(rules):
    return Engine(rules).outcomes


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("slide:2,3", ()),  # a blank is always on the board, and it can move from every cell
        ("turn:2,3", ()),  # moves without a guard
        ("hanoi:4", ()),  # the smallest disk moves from every peg
        ("pegs", ("solved", "stuck")),
        ("chase", ("caught", "B", "W", "draw")),
        ("nim", ("first", "second")),  # a player without a move loses, so nothing is drawn
    ],
)
def test_the_outcomes_that_rules_can_have(name, expected):
    assert outcomes(boards.ALL[name]) == expected


def test_a_puzzle_without_a_goal_is_never_solved():
    assert outcomes(Rules(symbols="ab", start="a", moves=[put(0, "b").when({0: "a"})])) == ("stuck",)


def test_a_game_can_be_won_by_each_player_and_drawn_if_one_may_be_without_a_move():
    def game(*moves, **options):
        return Rules(symbols="ab", start="aa", players="PQ", moves=moves, **options)

    assert outcomes(game(toggle(0))) == ("P", "Q")
    # When the second cell is filled, the second player has no move, so a draw is possible.
    some = (toggle(0).by("P"), put(1, "b").when({1: "a"}).by("Q"))
    assert outcomes(game(*some)) == ("P", "Q", "draw")
    assert outcomes(game(*some, stuck="loss")) == ("P", "Q")
    assert outcomes(game(toggle(0), ends=[End("tired", {1: "b"}), win("Q", {0: "b"})])) == ("tired", "Q", "P")


def test_every_depth_has_every_outcome():
    report = puzzlekit.load("tictactoe:2,2,2").enumerate()
    assert [depth.ended for depth in report.depths[:3]] == [{"X": 0, "O": 0, "draw": 0}] * 3
    assert report.depths[3].ended == {"X": 2, "O": 0, "draw": 0}
    assert report.outcomes == {"X": 2, "O": 0, "draw": 0}
    assert report.to_data()["outcomes"] == report.outcomes
    assert report.to_data()["depths"][0]["ended"] == {"X": 0, "O": 0, "draw": 0}
    assert puzzlekit.load("tictactoe:2,2,3").enumerate().outcomes == {"X": 0, "O": 0, "draw": 2}


def test_the_command_has_a_column_for_each_outcome(command):
    rows = [line.split() for line in command("enumerate", "tictactoe:2,2,3").out.splitlines()]
    assert ["depth", "states", "raw", "states", "open", "X", "wins", "O", "wins", "draw"] in rows
    assert ["all", "8", "35", "6", "0", "0", "2"] in rows
    assert json.loads(command("enumerate", "tictactoe:2,2,2", "--json").out)["outcomes"] == {"X": 2, "O": 0, "draw": 0}
    rows = [line.split() for line in command("enumerate", "flipit:2,3").out.splitlines()]
    assert ["depth", "states", "raw", "states", "open"] in rows
