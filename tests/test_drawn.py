"""Estimates of how many states each depth has, beside counts; and play that goes back, beside play."""

import re
from dataclasses import dataclass

import pytest

import puzzlekit
from puzzlekit import Puzzle, Rules, Score, put
from puzzlekit.jobs.shards import sample as sampling
from puzzlekit.run import drawn as drawing
from puzzlekit.run.drawn import drawn
from puzzlekit.run.engine import Engine
from puzzlekit.shards import plan_in_shards


def all_states(engine):
    """The rows of all states, and of each the rows that it leads to, found by a plain search."""
    found, left = {}, [bytes(engine.encode([engine.start]))]
    while left:
        state = left.pop()
        children = bytes(engine.expand(state)[0])
        found[state] = {children[at : at + len(state)] for at in range(0, len(children), len(state))}
        left += found[state] - found.keys() - set(left)
    return found


@pytest.mark.parametrize("name", ["tictactoe:3,2,2", "connect_four:3,3,3"])
def test_play_that_goes_back_finds_all_states_before_a_state(name):
    engine = puzzlekit.load(name).engine
    found = all_states(engine)
    before = {state: {each for each, after in found.items() if state in after} for state in found}
    strange = 0
    for state, known in before.items():
        rows = bytes(engine.undo(state)[0])
        undone = {rows[at : at + len(state)] for at in range(0, len(rows), len(state))}
        assert known <= undone
        for other in undone - known:  # play is over there, or does not reach it
            children = bytes(engine.expand(other)[0])
            assert other not in found or not children
            strange += 1
    assert strange < 2 * len(found)


def test_disks_in_the_air_are_not_gone_back_to():
    engine = puzzlekit.load("connect_four:3,3,3").engine
    before, after = engine.undo(bytes(engine.encode([".../O../X..:X"])))
    assert (engine.decode(before), list(after)) == ([".../.../X..:O"], [0])


def test_estimates_are_near_the_counts(monkeypatch):
    monkeypatch.setattr(drawing, "KNOWN", 100)
    game = puzzlekit.load("connect_four:4,3,3")
    known = game.enumerate()
    found = drawn(game.engine)
    assert len(found.depths) == len(known.depths)
    for told, counted in list(zip(found.depths, known.depths, strict=True))[:5]:
        assert (told.states, told.open) == (counted.states, counted.open)
    assert 0 < found.error < 0.2
    assert sum(depth.states for depth in found.depths) == pytest.approx(known.states, rel=0.25)
    assert sum(depth.made for depth in found.depths) == pytest.approx(known.generated, rel=0.25)


def test_a_plan_has_all_depths_from_an_estimate(monkeypatch, command):
    monkeypatch.setattr(sampling, "SAMPLE_SUCCESSORS", 1000)
    monkeypatch.setattr(drawing, "KNOWN", 100)
    game = puzzlekit.load("connect_four:4,3,3")
    plan = plan_in_shards(game, puzzlekit.shards.executor("processes:2"))
    known = game.enumerate()
    assert (plan.total.scope, plan.total.depths) == ("drawn", len(known.depths))
    assert plan.total.states == pytest.approx(known.states, rel=0.25)
    assert {depth.source for depth in plan.depths} == {"sample", "drawn"}
    out = command("enumerate", str(game), "--on", "processes:2", "--dry-run").out
    assert re.search(r"^total   .* are estimates, with a standard error of \d+ %$", out, re.MULTILINE)
    less = plan_in_shards(game, puzzlekit.shards.executor("processes:2"), max_depth=9)
    assert less.total.depths == 10


def marks(**changed):
    """Players fill three cells, each with a mark of their own."""
    moves = [put(cell, own).when({cell: "."}).by(own).named(f"{own}{cell}") for own in "XO" for cell in range(3)]
    return Rules(**{"symbols": ".XO", "start": "...", "players": "XO", "moves": moves} | changed)


def test_games_for_points_are_estimated_like_others():
    assert drawn(Engine(marks(score=Score("X", {"X": 1})))) == drawn(Engine(marks()))


def test_moves_of_both_players_are_left_alone():
    nim = [put(cell, "X").when({cell: "."}) for cell in range(3)]
    assert not Engine(marks(symbols=".X", moves=nim)).undoes


def test_a_guard_that_names_a_cell_twice_holds_for_both():
    move = put(0, "b").when({0: "a"}).when({0: ("a", "c")})
    engine = Engine(Rules(symbols="abc", start="a", moves=[move]))
    assert engine.decode(engine.undo(bytes(engine.encode(["b"])))[0]) == ["a"]


@dataclass(frozen=True)
class Row(Puzzle):
    """Eight cells, each of which goes from . to X and from there to O."""

    id = "row"

    def rules(self):
        moves = [put(cell, to).when({cell: at}) for cell in range(8) for at, to in (".X", "XO")]
        return Rules(symbols=".XO", start="." * 8, moves=moves, goal=["O" * 8])


def test_a_plan_of_a_count_from_the_goal_draws_nothing(monkeypatch):
    monkeypatch.setattr(sampling, "SAMPLE_SUCCESSORS", 300)
    inside = puzzlekit.shards.executor("processes:2")
    assert plan_in_shards(Row(), inside).total.scope == "drawn"
    plan = plan_in_shards(Row(), inside, backward=True)
    assert (plan.total.scope, plan.error) == ("at least", None)


@pytest.mark.parametrize("name", ["slider:2,3", "mu_torere"])
def test_without_a_depth_in_each_state_nothing_is_told(name):
    assert drawn(puzzlekit.load(name).engine) is None


def test_moves_that_are_not_plain_are_left_alone():
    rules = Rules(
        symbols=".X", start="..", moves=[put(cell, "X").when({cell: "."}).unless({0: "X"}) for cell in (0, 1)]
    )
    assert not Engine(rules).undoes
    assert drawn(Engine(rules)) is None
