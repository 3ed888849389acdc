"""Games that are played for points, and games with passes: their rules, and what every verb answers."""

import json
import random
import re
from dataclasses import dataclass

import pytest

import puzzlekit
from puzzlekit import Move, Puzzle, Rules, RulesError, Score, over, put, win
from puzzlekit.run.engine import Engine
from puzzlekit.testing.plain import naive
from tests import by_hand, gallery


def takes(**changed):
    """Three cells, which players fill in turn; a mark in the first cell is worth two points, in others one."""
    given = {
        "symbols": ".XO",
        "start": "...",
        "players": "XO",
        "moves": [put(cell, own).when({cell: "."}).named(str(cell)).by(own) for own in "XO" for cell in range(3)],
        "score": Score("X", {"X": 1}) + Score("O", {"O": 1}) + Score("X", {"X": 1, "O": -1}, of=[0]),
    }
    return Rules(**given | changed)


def made(**changed):
    return Engine(takes(**changed))


PUBLISHED = {1: "DLWLWD", 2: "WLLLWW", 3: "DWWWWL", 4: "WWW"}
"""For each number of pits, the values of Kalah with 1, 2, 3 and more seeds in each pit, for the player who begins.

They are those of G. Irving, J. Donkers and J. Uiterwijk: Solving Kalah, ICGA Journal 23 (2000). A last seed in an empty
pit goes to the store even if none are opposite.
"""


@pytest.mark.parametrize(
    ("pits", "seeds"),
    [
        pytest.param(pits, seeds, marks=[pytest.mark.slow] if pits * seeds > 4 else [])
        for pits, row in PUBLISHED.items()
        for seeds in range(1, len(row) + 1)
    ],
)
def test_kalah_has_the_values_that_are_published(pits, seeds):
    start = gallery.load(f"kalah:{pits},{seeds},true").values().start
    assert start.value[0].upper() == PUBLISHED[pits][seeds - 1]
    assert (start.score > 0) - (start.score < 0) == {"W": 1, "D": 0, "L": -1}[PUBLISHED[pits][seeds - 1]]


@pytest.mark.parametrize("size", [(4, 5), pytest.param((6, 6), marks=pytest.mark.slow)])
def test_endgames_of_othello_are_solved(size):
    game, rng, compared = gallery.load("othello:{},{}".format(*size)), random.Random(6), 0
    while compared < 5:
        state = game.start
        while state.count(".") > 9 and game.outcome(state) is None:
            state = game.apply(state, rng.choice(game.legal_moves(state)))
        if game.outcome(state) is not None:
            continue
        text, _, player = state.replace("/", "").partition(":")
        discs = {mark: frozenset(divmod(at, size[1]) for at, held in enumerate(text) if held == mark) for mark in "XO"}
        own = (discs[player], discs["XO".replace(player, "")], player == "O")
        after = by_hand.othello(*size)[1]
        assert game.solve(state).score == by_hand.margin(own, after, lambda state: len(state[0]) - len(state[1]))
        compared += 1


def test_the_plain_search_counts_passes_and_points_alike():
    game = gallery.load("othello:rows=3,columns=4")
    found = game.enumerate(symmetry=False)
    counted = [(depth.raw_states, depth.open, {k: v for k, v in depth.ended.items() if v}) for depth in found.depths]
    assert naive(game.rules().to_data(), 1000) == counted


def test_every_verb_tells_the_same_points(tmp_path):
    game, folder = gallery.load("othello:rows=3,columns=4"), tmp_path / "job"
    report = game.values(out=folder)
    assert report.start == game.values().start
    assert sum(each.states for each in report.scores) == report.states == 382
    assert [each.score for each in report.scores] == sorted(each.score for each in report.scores)
    job = puzzlekit.open_job(folder)
    state = game.start
    while game.outcome(state) is None:
        searched, looked = game.solve(state), game.solve(state, job.solver)
        assert (searched.score, searched.value) == (looked.score, looked.value)
        assert set(searched.best) <= set(looked.best)
        assert looked.repeats is None
        state = game.apply(state, searched.best[0])
    to = tmp_path / "states.csv"
    job.export(to)
    head, first, *_ = to.read_text().splitlines()
    assert head.split(",")[:6] == ["depth", "state", "orbit_size", "outcome", "value", "score"]
    assert first.split(",")[4:6] == ["win", "12"]
    job.verify()


def test_points_are_told_in_words(command):
    name = str(gallery.FILES["othello"])
    result = command("solve", name)
    assert result.err.startswith("puzzlekit: 8 behind for the player to move, best moves 1 4 11 14; 10 moves")
    data = json.loads(command("solve", name, "--json").out)
    assert (data["value"], data["score"], data["length"]) == ("loss", -8, 10)
    result = command("values", name)
    assert "the start is 8 behind" in result.out
    assert "+16     499" in result.out
    data = json.loads(command("values", name, "--json").out)
    assert data["start"] == {"value": "loss", "moves": None, "score": -8}
    assert data["scores"][-1] == {"score": 16, "states": 499}


def test_a_weak_opponent_looks_at_points():
    game = gallery.load("othello")
    reached, seen = game.engine.foresee(game.start, 3, 100_000)
    assert reached == 3
    assert {each.move for each in seen} == {"1", "4", "11", "14"}
    assert all(each.score is not None for each in seen)
    assert len({each.worth for each in seen}) == 1  # the states after these moves are images of each other


def test_whoever_has_no_other_move_passes():
    game = gallery.load("othello:rows=3,columns=4")
    state, passed = game.start, 0
    frontier, seen = [state], set()
    while frontier:
        state = frontier.pop()
        for move in game.legal_moves(state):
            after = game.apply(state, move)
            if move == "pass":
                passed += 1
                assert game.legal_moves(state) == ["pass"]
                assert after.rpartition(":")[0] == state.rpartition(":")[0]
                assert game.legal_moves(after) != ["pass"]
            if after not in seen:
                seen.add(after)
                frontier.append(after)
    assert passed > 10


def test_points_of_cells_and_of_ends():
    # Cell 0 and another, against one.
    assert Engine(takes()).values("takes", puzzlekit.RunOptions(), None, None).start.score == 2
    # Whoever fills the first cell ends play and loses 4 points: in the end that is X.
    ends = [over({0: "X"}, score=-4), over({0: "O"}, score=4)]
    assert Engine(takes(ends=ends)).values("takes", puzzlekit.RunOptions(), None, None).start.score == -4


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"players": ""}, "scores are of games of two"),
        ({"ends": [win("X", {0: "X"})]}, 'an end has the outcome "X", and the rules have a score'),
        ({"score": None, "ends": [over({0: "X"}, score=1)]}, "an end has the score 1, but the rules have no score"),
        ({"stuck": "loss"}, 'stuck is "loss", and the rules have a score'),
        ({"score": Score("Z", {"X": 1})}, 'the unknown player "Z"'),
        ({"score": Score("X", {"Z": 1})}, 'the score names the unknown symbol "Z"'),
        ({"score": Score("X", {"X": 10**9})}, "the score may be 1000000000 points"),
        ({"score": Score("X", {"X": 10**30})}, f"points; no state may have more than {2**24}"),
        ({"score": Score("X", {"X": 1}, of=[7])}, "the score names cell 7"),
        ({"score": {"X": 1}}, "give a puzzlekit.Score"),
        ({"score": None, "endless": 0}, "endless is 0, and the rules have no score"),
        ({"endless": 1.5}, "a score has 1.5 points"),
        ({"moves": [Move({0: "X"}, forced=True)]}, "is a pass, and has a guard or writes cells"),
        ({"symmetries": [puzzlekit.Symmetry((1, 0, 2))]}, "changes the score of some state"),
    ],
)
def test_what_makes_no_sense_is_refused(changed, said):
    if changed.get("players") == "":
        changed = changed | {"moves": [put(0, "X").when({0: "."})]}
    with pytest.raises(RulesError, match=re.escape(said)):
        made(**changed)


def test_play_without_end_needs_its_points():
    hop = [Move({a: ".", b: "o"}).when({a: "o", b: "."}).named(f"{a}{b}") for a, b in ((0, 1), (1, 0))]
    stop = Move({0: "x"}).when({0: "o"}).named("stop").by("A")
    rules = Rules(".ox", "o.", [*hop, stop], "AB", score=Score("A", {"x": -1}))
    with pytest.raises(puzzlekit.UsageError, match="play may go on for ever"):
        Engine(rules).values("hops", puzzlekit.RunOptions(), None, None)


@dataclass(frozen=True)
class Round(Puzzle):
    """P may end play with 1 point, or go to b; from there, Q goes back, or gives P 3 points."""

    id = "round"

    def rules(self):
        named = {"go": ("P", "a", "b"), "end": ("P", "a", "x"), "back": ("Q", "b", "a"), "give": ("Q", "b", "y")}
        moves = [put(0, after).when({0: before}).named(name).by(who) for name, (who, before, after) in named.items()]
        return Rules("abxy", "a", moves, players="PQ", score=Score("P", {"x": 1, "y": 3}), endless=0)


def test_best_play_for_points_does_not_go_round(tmp_path):
    """To go to b keeps the point, since Q goes back. Whoever only keeps it goes round for ever, and gets none."""
    puzzle = Round()
    puzzle.values(out=tmp_path / "job")
    for solver in (None, puzzlekit.open_job(tmp_path / "job").solver):
        answer = puzzle.solve("a:P", *[solver][: solver is not None])
        assert (answer.score, answer.best, tuple(answer.moves)) == (1, ("end",), ("end",))
        answer = puzzle.solve("b:Q", *[solver][: solver is not None])
        assert (answer.score, answer.best, tuple(answer.moves)) == (-1, ("back",), ("back", "end"))


@dataclass(frozen=True)
class Straight(Puzzle):
    """P gets 1 point at once, or after two moves more. Play cannot come back."""

    id = "straight"

    def rules(self):
        named = {"now": ("P", "a", "x"), "later": ("P", "a", "b"), "on": ("Q", "b", "c"), "end": ("P", "c", "x")}
        moves = [put(0, after).when({0: before}).named(name).by(who) for name, (who, before, after) in named.items()]
        return Rules("abcx", "a", moves, players="PQ", score=Score("P", {"x": 1}))


def test_where_play_cannot_come_back_nobody_need_hurry(tmp_path):
    puzzle = Straight()
    assert puzzle.engine.never_repeats
    puzzle.values(out=tmp_path / "job")
    assert puzzle.solve("a:P").best == ("now", "later")
    assert puzzle.solve("a:P", puzzlekit.open_job(tmp_path / "job").solver).best == ("now", "later")


def test_rules_with_points_are_data():
    data = takes(ends=[over({0: "X"}, score=2)], endless=0).to_data()
    assert data["score"]["endless"] == 0
    assert data["score"]["sums"][2] == {"player": "X", "worth": {"X": 1, "O": -1}, "of": (0,)}
    assert data["ends"] == [{"when": ((0, ("X",)),), "wins": False, "score": 2}]
    assert takes(stuck="pass").to_data()["moves"][-1]["forced"] is True


def test_a_draw_that_never_ends_has_no_length(command):
    game = gallery.load("mu_torere")
    report = game.solve(game.start)
    assert (report.value, report.optimal) == ("draw", True)
    assert report.repeats is not None
    assert report.to_data()["length"] is None
    said = command("solve", str(gallery.FILES["mu_torere"]))
    assert f"play never ends: after {report.length} moves it is where it was after {report.repeats}" in said.err
