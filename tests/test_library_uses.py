"""The commands that look states up in a library before they search: play, draw, survey and the page."""

from __future__ import annotations

import json
import shutil

import pytest

import puzzlekit
from puzzlekit import Library, survey
from puzzlekit.plugins.loader import Plugins
from puzzlekit.run.engine import Engine
from puzzlekit.web import request_fields, tasks
from puzzlekit.web.limits import Limits
from puzzlekit.web.offers import Shelf, offers
from puzzlekit.web.pool import Setting

GAME = "XO./.../...:X"
LIMITS = Limits(states=1, long_seconds=1, short_seconds=1)
"""Limits so low that a search finds hardly anything."""


@pytest.fixture(scope="module")
def works(tmp_path_factory):
    base = tmp_path_factory.mktemp("uses")
    for name, text in (("game", "tictactoe"), ("slider", "slider:2,3"), ("large", "slider:2,4")):
        puzzlekit.load(text).values(out=base / name)
        Library(base / "works").add(base / name)
    return base / "works"


@pytest.fixture
def no_search(monkeypatch):
    """Makes every search fail, so that answers can only come from a library."""

    def searched(*_, **__):
        raise AssertionError("a search")

    monkeypatch.setattr(Engine, "solve", searched)


@pytest.mark.usefixtures("no_search")
def test_play_takes_hints_and_solutions_from_a_library(command, works):
    moves = command("solve", "slider:2,3", "345/012", "--library", str(works)).out.split()
    puzzle = puzzlekit.load("slider:2,3")
    seed = next(str(seed) for seed in range(100) if puzzle.scramble(str(seed)).state != puzzle.start)
    state = puzzle.scramble(seed).state
    best = puzzle.solve(state, library=Library(works))
    result = command("play", "slider:2,3", "--seed", seed, "--library", str(works), given="hint 1\nhint\nsolve\nquit\n")
    assert result.code == 0
    assert f"{best.length} moves are left at best" in result.out
    assert " ".join(best.moves) in result.out
    assert len(moves) == 21


def test_play_answers_from_a_library(command, works, monkeypatch):
    def searched(*_, **__):
        raise AssertionError("a search")

    monkeypatch.setattr(Engine, "solve", searched)
    monkeypatch.setattr(Engine, "foresee", searched)
    for strength in ("1", "3", "5"):
        result = command("play", "tictactoe", "--strength", strength, "--library", str(works), given="5\nquit\n")
        assert result.code == 0
        assert "I play " in result.out
    both = command("play", "tictactoe", "--job", "x", "--library", str(works))
    assert (both.code, "give one of them" in both.err) == (2, True)


@pytest.mark.usefixtures("no_search")
def test_draw_takes_the_way_from_a_library(command, works):
    result = command("draw", "slider:2,3", "345/012", "--solve", "--library", str(works), "--json")
    assert len(json.loads(result.out)["moves"]) == 21
    alone = command("draw", "slider:2,3", "345/012", "--library", str(works))
    assert (alone.code, "without --solve" in alone.err) == (2, True)


def test_a_survey_of_drawn_states_looks_them_up(command, works, monkeypatch):
    puzzle = puzzlekit.load("slider:2,4")
    searched = survey(puzzle, sample=12, seed="tea", max_states=10_000)
    with monkeypatch.context() as patch:
        patch.setattr(Engine, "solve", None)
        found = survey(puzzle, sample=12, seed="tea", max_states=10_000, library=Library(works))
    assert found.fewest == searched.fewest
    assert (found.looked_up, searched.looked_up) == ({str(works): 12}, {})
    arguments = ("survey", "slider:2,4", "--sample", "12", "--seed", "tea", "--max-states", "10000")
    result = command(*arguments, "--library", str(works))
    assert f"the fewest moves of 12 states are proven by the library at {works}" in result.out
    data = json.loads(command(*arguments, "--library", str(works), "--json").out)
    assert data["looked_up"] == {str(works): 12}
    refused = command("survey", "slider:2,3", "--phase", "0??/???", "--cases", "--library", str(works))
    assert refused.code == 2


def test_a_survey_of_a_game_takes_all_values_from_a_library(works, monkeypatch):
    game = puzzlekit.load("tictactoe")

    def first(puzzle, state):
        return puzzle.legal_moves(state)[:1]

    for solver in (None, first):
        counted = survey(game, solver)
        with monkeypatch.context() as patch:
            patch.setattr(Engine, "values", None)
            found = survey(game, solver, library=Library(works, name="works"))
        assert (found.values, found.fewest, found.excess) == (counted.values, counted.fewest, counted.excess)
        assert (found.looked_up, counted.looked_up) == ({"works": 4520}, {})
    other = puzzlekit.load("tictactoe:3,2,2")
    assert survey(other, library=Library(works)).looked_up == {}


def test_values_without_distances_do_not_serve_a_survey(tmp_path):
    game = puzzlekit.load("tictactoe")
    game.values(out=tmp_path / "job", distances=False)
    Library(tmp_path / "works").add(tmp_path / "job")
    found = survey(game, library=Library(tmp_path / "works"))
    assert (found.looked_up, found.fewest) == ({}, survey(game).fewest)


def page(works, *named, limits=LIMITS):
    plugins = Plugins.discover()
    return tasks.Tasks(Shelf(offers(plugins, named), plugins), limits, lambda _: 0, [str(works)])


def do(what, verb, **fields):
    return what.do(request_fields.read(verb, fields))


@pytest.mark.usefixtures("no_search")
def test_the_page_asks_a_library(works):
    shown = page(works, "slider:2,3", "tictactoe")
    given = {"puzzle": "slider:2,3", "state": "345/012"}
    assert do(shown, "fewest", **given)["fewest"] == 21
    assert do(shown, "hint", **given, strength=1)["left"] == 21
    solved = do(shown, "solve", **given)
    assert (solved["length"], solved["solver"], solved["library"]) == (21, "library", "this server")
    described = do(shown, "describe", puzzle="slider:2,3")
    assert described["default_solver"] == "library"
    game = {"puzzle": "tictactoe", "state": GAME}
    assert do(shown, "values", **game)["value"] == "win"
    assert do(shown, "hint", **game, strength=3)["move"] in "346"
    assert do(shown, "reply", **game, skill="perfect")["move"] in "346"
    assert do(shown, "words", puzzle="tictactoe", state=GAME, moves=[], line="hint")["lines"]
    # No answer tells the page where the library is.
    assert str(works) not in json.dumps([solved, described, do(shown, "values", **game)])


def test_the_page_searches_what_a_library_lacks(works):
    shown = page(works, "slider:2,2", "tictactoe", limits=Limits())
    assert do(shown, "fewest", puzzle="slider:2,2", state="10/23")["fewest"] == 1
    assert do(shown, "describe", puzzle="slider:2,2")["default_solver"] == "optimal"
    assert do(shown, "values", puzzle="tictactoe", state="XX./.../...:O")["value"] is not None


def test_the_page_searches_if_a_library_is_damaged(works, tmp_path, capsys):
    shutil.copytree(works, tmp_path / "works")
    states = tmp_path / "works" / puzzlekit.load("slider:2,3").engine.fingerprint / "states"
    states.write_bytes(bytes(states.stat().st_size))
    shown = page(tmp_path / "works", "slider:2,3", limits=Limits())
    for _ in range(2):
        assert do(shown, "fewest", puzzle="slider:2,3", state="345/012")["fewest"] == 21
        assert do(shown, "solve", puzzle="slider:2,3", state="345/012")["solver"] == "optimal"
    assert capsys.readouterr().err.count("the library is damaged") == 1


def test_the_processes_of_the_page_are_told_of_the_libraries(works):
    line = json.loads(Setting([], Limits(), libraries=[str(works)]).line())
    assert line["libraries"] == [str(works)]
