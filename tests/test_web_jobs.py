"""The page of a puzzle that a job has counted: answers are looked up in the job, or searched if it has none."""

import pytest

import puzzlekit
from puzzlekit.plugins.loader import Plugins
from puzzlekit.run.engine import Engine
from puzzlekit.web import request_fields, tasks
from puzzlekit.web.limits import Limits
from puzzlekit.web.offers import Shelf, offers
from tests import gallery, web

GAME, START = "XO./.../...:X", ".../.../...:X"
LIMITS = Limits(states=1, long_seconds=1, short_seconds=1)
"""Limits so low that a search finds hardly anything."""


TRACK = """
from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap


@dataclass(frozen=True)
class Track(Puzzle):
    id = "track"

    def rules(self):
        moves = [swap(1, 0).named("left"), swap(0, 3).named("on"), swap(1, 2).named("right")]
        guards = [{1: "a", 0: "."}, {0: "a", 3: "."}, {1: "a", 2: "."}]
        moves = [move.when(guard) for move, guard in zip(moves, guards)]
        return Rules(symbols=".a", start=".a..", goal="...a", moves=moves)
"""
"""The source of a puzzle in which a move to the right can never be undone, so that some states have no solution."""


def tasks_of(*folders, limits=LIMITS, named=()):
    plugins = Plugins.discover()
    return tasks.Tasks(Shelf(offers(plugins, named, [str(folder) for folder in folders]), plugins), limits, lambda _: 0)


def do(what, verb, **fields):
    return what.do(request_fields.read(verb, fields))


@pytest.fixture(scope="module")
def jobs(tmp_path_factory):
    """Folders of jobs: a game with and without distances, a puzzle with values, and one counted backward."""
    root = tmp_path_factory.mktemp("jobs")
    puzzlekit.load("tictactoe").values(out=root / "game")
    puzzlekit.load("tictactoe").values(out=root / "plain", distances=False)
    puzzlekit.load("slider:2,3").values(out=root / "puzzle")
    puzzlekit.load("slider:2,3").enumerate(out=root / "backward", backward=True)
    return root


@pytest.fixture
def no_search(monkeypatch):
    """Makes every search fail, so that answers can only come from jobs."""

    def searched(*_, **__):
        raise AssertionError("a search")

    monkeypatch.setattr(Engine, "solve", searched)


@pytest.fixture(scope="module")
def states():
    return [puzzlekit.load("slider:2,3").scramble(str(seed)).state for seed in range(12)]


@pytest.mark.parametrize("kind", ["puzzle", "backward"])
def test_a_puzzle_has_the_answers_of_a_search(kind, jobs, states):
    searched, looked = tasks_of(named=["slider:2,3"], limits=Limits()), tasks_of(jobs / kind)
    for state in states:
        given = {"puzzle": "slider:2,3", "state": state}
        fewest, known = do(searched, "fewest", **given), do(looked, "fewest", **given)
        # There may be several shortest solutions, so the moves may differ.
        assert {**known, "moves": None} == {**fewest, "moves": None}
        for moves in (known["moves"], fewest["moves"]):
            assert len(moves) == fewest["fewest"]
            assert (
                puzzlekit.load("slider:2,3").apply(state, " ".join(moves)) == puzzlekit.load("slider:2,3").engine.goal
            )
        found = do(looked, "solve", **given)
        assert (found["length"], found["optimal"], found["solver"]) == (fewest["fewest"], True, "job")
        assert found["history"][-1]["state"] == puzzlekit.load("slider:2,3").engine.goal
        hint = do(looked, "hint", **given, strength=1)
        assert (hint["left"], hint["proven"]) == (fewest["fewest"], True)
        assert do(looked, "values", **given) == do(searched, "values", **given)


@pytest.mark.parametrize("kind", ["game", "plain"])
def test_a_game_has_the_answers_of_a_search(kind, jobs):
    searched, looked = tasks_of(named=["tictactoe"], limits=Limits()), tasks_of(jobs / kind)
    game, state = puzzlekit.load("tictactoe"), GAME
    for move in ("4", "8", "2", "6", "3", "7"):
        given = {"puzzle": "tictactoe", "state": state}
        found, known = do(looked, "values", **given), do(searched, "values", **given)
        assert (found["value"], found["why"]) == (known["value"], None)
        assert [each["value"] for each in found["moves"]] == [each["value"] for each in known["moves"]]
        if kind == "game" and found["value"] != "draw":
            assert found["left"] == known["left"]
        assert do(looked, "hint", **given)["value"] == known["value"]
        assert do(looked, "solve", **given)["solver"] == "job"
        if game.legal_moves(state):
            best = {each["move"] for each in known["moves"] if each["value"] == known["value"]}
            replies = {do(looked, "reply", **given, skill="perfect", seed=str(seed))["move"] for seed in range(9)}
            assert replies <= best
            if kind == "game":
                assert replies <= set(game.solve(state, distance=True).best)
            state = game.apply(state, move)


@pytest.mark.usefixtures("no_search")
def test_nothing_is_searched(jobs, states):
    looked = tasks_of(jobs / "puzzle", jobs / "game")
    for text, state in (("slider:2,3", states[0]), ("tictactoe", GAME)):
        for verb in ("hint", "solve", "values"):
            do(looked, verb, puzzle=text, state=state)
        described = do(looked, "describe", puzzle=text)
        assert (described["job"], described["solvers"][0], described["default_solver"]) == (True, "job", "job")
    assert do(looked, "fewest", puzzle="slider:2,3", state=states[0])["fewest"] > 0
    assert do(looked, "reply", puzzle="tictactoe", state=GAME, skill="perfect")["value"] == "win"
    assert do(looked, "solve", puzzle="tictactoe", state=GAME, solver="job")["value"] == "win"
    told = do(looked, "words", puzzle="slider:2,3", state=states[0], line="hint 1")["lines"]
    assert "left at best" in told[0]
    with pytest.raises(puzzlekit.PuzzlekitError, match="a search"):
        do(looked, "solve", puzzle="tictactoe", state=GAME, solver="optimal")


def test_what_a_job_does_not_have_is_searched(jobs):
    """Searched are a state that play never reaches, other parameters, another solver, and jobs that only count."""
    looked = tasks_of(jobs / "game", limits=Limits())
    unreached = "X../.../...:X"
    assert do(looked, "solve", puzzle="tictactoe", state=unreached)["solver"] == "optimal"
    assert do(looked, "values", puzzle="tictactoe", state=unreached)["value"] == "win"
    assert do(looked, "solve", puzzle="tictactoe:3,3,2", state=START)["solver"] == "optimal"
    assert do(looked, "solve", puzzle="tictactoe", state=START, solver="optimal")["solver"] == "optimal"
    assert not do(looked, "describe", puzzle="tictactoe:3,3,2")["job"]
    told = do(looked, "words", puzzle="tictactoe", state=unreached, line="hint 1")["lines"]
    assert told[0].startswith("Hint: win")
    with pytest.raises(puzzlekit.UsageError, match='"job"'):
        do(looked, "solve", puzzle="tictactoe:3,3,2", state=START, solver="job")


@pytest.mark.usefixtures("no_search")
@pytest.mark.parametrize("kind", ["backward", "puzzle"])
def test_what_cannot_be_solved_is_told_without_a_search(kind, tmp_path):
    """The puzzle has states from which no moves lead to the goal."""
    track, folder = tmp_path / "track.py", tmp_path / kind
    track.write_text(TRACK, encoding="utf-8")
    plugins = Plugins.discover()
    puzzle = plugins.parse(str(track))
    if kind == "backward":
        puzzle.enumerate(out=folder, backward=True)
    else:
        puzzle.values(out=folder)
    looked = tasks_of(folder)
    assert do(looked, "fewest", puzzle="track", state=puzzle.start)["fewest"] == 2
    found = do(looked, "fewest", puzzle="track", state="..a.")
    assert (found["solvable"], found["fewest"]) == (False, None)
    beside = do(looked, "values", puzzle="track", state=puzzle.start)
    assert sorted((each["move"], each["value"]) for each in beside["moves"]) == [("left", 1), ("right", None)]


def test_a_count_without_distances_to_the_goal_answers_nothing(tmp_path):
    puzzlekit.load("slider:2,3").enumerate(out=tmp_path / "job")
    looked = tasks_of(tmp_path / "job", limits=Limits())
    described = do(looked, "describe", puzzle="slider:2,3")
    assert (described["job"], "job" in described["solvers"]) == (False, False)
    assert do(looked, "fewest", puzzle="slider:2,3", state="102/345")["solvable"] is not None
    assert do(looked, "explore", puzzle="slider:2,3")["raw_states"] == 360


def test_a_damaged_job_is_not_asked_again(tmp_path, capsys):
    folder = tmp_path / "job"
    puzzlekit.load("tictactoe").values(out=folder)
    for file in [*folder.glob("depth-0000[0-4].values"), *folder.glob("depth-00009.*")]:
        file.write_bytes(bytes(byte ^ 255 for byte in file.read_bytes()))
    looked = tasks_of(folder, limits=Limits())
    for verb, fields in (("values", {}), ("hint", {}), ("solve", {}), ("reply", {"skill": "perfect"}), ("words", {})):
        found = do(looked, verb, puzzle="tictactoe", state=GAME, **fields)
        assert str(tmp_path) not in str(found), verb
        assert verb == "words" or found["value"] == "win"
    warned = capsys.readouterr().err
    assert (warned.count(str(folder)), warned.count("the page searches")) == (1, 1)
    with pytest.raises(puzzlekit.PuzzlekitError) as refused:
        do(looked, "explore", puzzle="tictactoe")
    assert str(tmp_path) not in str(refused.value)


def test_the_page_says_that_answers_are_looked_up(jobs):
    with web.serving("--job", str(jobs / "puzzle"), "rotation", **web.FEW) as served:
        status, _, body = served.request("GET", "/play/slider%3A2%2C3")
        page = body.decode()
        assert (status, "are looked up" in page, "<option selected>job</option>" in page) == (200, True, True)
        assert str(jobs) not in page
        assert "are looked up" not in served.request("GET", "/play/rotation")[2].decode()
        status, found = served.ask("solve", puzzle="slider:2,3", state="103/425", solver="job")
        assert (status, found["solver"], found["optimal"]) == (200, "job", True)


def test_points_are_told_with_a_job_and_without(tmp_path):
    file = str(gallery.FILES["othello"])
    puzzlekit.load(file).values(out=tmp_path / "job")
    state = puzzlekit.load(file).start
    for what in (tasks_of(named=[file], limits=Limits()), tasks_of(tmp_path / "job")):
        given = {"puzzle": "othello", "state": state}
        found = do(what, "values", **given)
        assert (found["value"], found["score"], found["left"]) == ("loss", -8, None)
        assert {(each["value"], each["score"]) for each in found["moves"]} == {("loss", -8)}
        hint = do(what, "hint", **given)
        assert (hint["score"], hint["left"], hint["proven"]) == (-8, 10, True)
        assert do(what, "solve", **given)["score"] == -8
