"""A play as events and plain data: undo, redo, repeating a play, and the data of one moment."""

import json
from dataclasses import dataclass

import pytest

import puzzlekit
from puzzlekit import Puzzle, UsageError
from puzzlekit.play.game import Game
from tests import boards


@pytest.fixture
def tictactoe():
    return puzzlekit.load("tictactoe")


def test_a_moment_of_a_game(tictactoe):
    game = Game(tictactoe)
    game.make("4")
    event = game.make("0", answer=True)
    assert event.to_data() == {"kind": "move", "move": "0", "answer": True, "state": "O../.X./...:X"}
    moment = game.moment().to_data()
    assert json.loads(json.dumps(moment)) == {
        "schema": "puzzlekit.moment/1",
        "puzzle": "tictactoe",
        "state": "O../.X./...:X",
        "number": None,
        "player": "X",
        "legal": ["1", "2", "3", "5", "6", "7", "8"],
        "made": ["4", "0"],
        "last": "0",
        "counted": 2,
        "can_redo": False,
        "over": False,
        "why": None,
        "value": None,
    }
    assert game.answers == (False, True)


def test_the_end_of_a_game(tictactoe):
    game = Game(tictactoe, "XX./OO./...")
    game.make("2")
    moment = game.moment()
    assert (moment.over, moment.why, moment.player, moment.legal) == (True, "X", None, ())
    with pytest.raises(puzzlekit.MoveError, match="play is over"):
        game.make("8")
    assert game.moment() == moment


def test_the_end_of_a_puzzle():
    @dataclass(frozen=True)
    class Pegs(Puzzle):
        """Pegs."""

        id = "pegs"

        def rules(self):
            return boards.pegs()

    game = Game(Pegs(), "oo../..../..../...o")
    (move,) = game.moment().legal
    game.make(move)
    assert (game.moment().over, game.moment().why) == (True, "stuck")
    game = Game(puzzlekit.load("slider"), "102/345/678")
    game.make(game.solve().moves[0])
    assert (game.moment().over, game.moment().why, game.moment().last) == (True, "solved", game.moves[0])


def test_undo_and_redo(tictactoe):
    game = Game(tictactoe)
    assert game.undo() is None
    assert game.redo() is None
    for move in "480":
        game.make(move)
    whole = game.moment()
    assert [game.undo().move, game.undo().move] == ["0", "8"]
    assert (game.moves, game.moment().can_redo) == (("4",), True)
    assert [game.redo().move, game.redo().state] == ["8", whole.state]
    assert game.moment() == whole
    assert game.redo() is None
    game.undo()
    game.make("1")
    assert game.redo() is None  # a new move was made after the undo, so there is nothing to redo


def test_the_value_of_a_state_is_known_once_it_was_asked_for(tictactoe):
    game = Game(tictactoe, "XX./OO./...")
    assert game.moment().value is None
    assert game.solve().best == ("2",)
    assert game.moment().value == "win"
    game.make("2")
    assert game.moment().value is None
    game.undo()
    assert game.moment().value == "win"
    slider = Game(puzzlekit.load("slider"), "120/345/678")
    slider.solve()
    assert slider.moment().value == 2


def test_moves_that_toggle_count_once_for_each_pair():
    flipit = puzzlekit.load("flipit")
    game = Game(flipit)
    for move in ("1", "16", "1", "5"):
        game.make(move)
    assert game.moment().counted == 2
    assert game.moment().number == flipit.number(game.state)


def test_a_play_is_played_again_from_its_data(tictactoe):
    game = Game(tictactoe, ".../.X./...:O")
    game.make("0")
    game.make("8", answer=True)
    game.undo()
    game.undo()
    game.redo()
    data = json.loads(json.dumps(game.to_data()))
    assert [event["kind"] for event in data["events"]] == ["move", "move", "undo", "undo", "redo"]
    again = Game.from_data(tictactoe, data)
    assert again.to_data() == game.to_data()
    assert again.moment() == game.moment()
    assert again.redo() == game.redo()
    assert again.answers == (False, True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.update(schema="other/1"), "give data of the schema puzzlekit.game/1"),
        (lambda data: data.update(events=None), "give data of the schema puzzlekit.game/1"),
        (lambda data: data.update(puzzle="slider"), 'one of "slider", not of "tictactoe"'),
        (lambda data: data.update(start="XX"), "has 2 cells; give 9"),
        (lambda data: data.update(start=5), "a state is a text, not 5"),
        (lambda data: data["events"][1].update(move="4"), "event 1 of the play is .*, which does not follow"),
        (lambda data: data["events"][1].update(state=".../.../...:X"), "event 1 of the play"),
        (lambda data: data["events"][0].update(kind="redo"), "event 0 of the play"),
        (lambda data: data["events"][0].update(kind=["move"]), "event 0 of the play"),
        (lambda data: data["events"].append({"kind": "undo"}), "event 2 of the play"),
        (lambda data: data["events"].append("undo"), "event 2 of the play is 'undo'"),
    ],
)
def test_data_that_is_no_play(tictactoe, change, message):
    game = Game(tictactoe)
    game.make("4")
    game.make("0")
    data = game.to_data()
    change(data)
    with pytest.raises(UsageError, match=message):
        Game.from_data(tictactoe, data)
    with pytest.raises(UsageError, match="there is no play to go on with"):
        Game.from_data(tictactoe, [data])
