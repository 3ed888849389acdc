"""Values of the gallery's games beside plain searches: in memory, in a job, with and without symmetries, in each store.

One search reads the rules (`tests/naive.py`); another one is written from the description of the game
(`tests/by_hand.py`), and shares nothing with the rules.
"""

from collections import Counter, defaultdict
from dataclasses import replace

import pytest

import puzzlekit
from puzzlekit import UsageError
from puzzlekit.run.engine import Engine
from tests import by_hand, gallery
from tests.support import RunOptions
from tests.test_solve import check_scores, check_values
from tests.worth import compare, declared, hold_against_naive, plain_values, same

QUICK = [
    *("dots_and_boxes:1,1", "othello:3,3", "hex:2", "domineering:2,3"),
    *("mu_torere", "hexapawn:3,4", "nim:3,4,5", "chomp:3,4"),
]
SLOW = [
    *("dots_and_boxes:1,2", "kalah:2,3", "kalah:2,1,true", "othello:3,4", "teeko:3,2", "teeko:3,3", "hex:3"),
    *("breakthrough:3,2,1", "breakthrough:3,3,1", "quarto:2,2", "quarto:3,2", "domineering:4,4"),
    *("chomp3d:2,2,1", "chomp3d:2,3,4", "hexapawn:3,3", "hexapawn:4,3", "chomp:4,5"),
    *("connect_four:3,4", "connect_four:4,4", "connect_four:2,6,3"),
]


def each(quick, slow):
    """The parameters of a test: games for every run, and games for the slow one."""
    return [*quick, *(pytest.param(text, marks=pytest.mark.slow) for text in slow)]


@pytest.mark.parametrize("text", each(QUICK, SLOW))
def test_a_plain_search_of_the_rules_finds_the_values(text, tmp_path):
    rules = declared(gallery.load(text).rules())
    naive = compare(rules)
    hold_against_naive(rules, tmp_path)
    states = [state for layer in naive.layers() for state in layer.raw]
    if rules.score:
        check_scores(replace(rules, endless=0), 20, plain_values(naive, states))
    else:
        check_values(rules, 20)
    with pytest.raises(UsageError, match="the dense store"):
        Engine(rules).values("rules", RunOptions(store="dense"))


LOST = dict.fromkeys(["breakthrough", "domineering", "hex", "teeko", "six_mens_morris"], "loss") | {"chomp3d": "win"}
"""For each game without a score, the value of a state in which play is over, for the player to move."""

BY_HAND = ["breakthrough:3,3,1", "domineering:4,3", "hex:2", "chomp3d:2,2,3"]
BY_HAND_SLOW = ["teeko:3,3", "teeko:4,3", "hex:3", "six_mens_morris"]


@pytest.mark.parametrize("text", each(BY_HAND, BY_HAND_SLOW))
def test_a_search_without_rules_finds_the_values(text, tmp_path):
    game = gallery.load(text)
    mover = (lambda state: state[2]) if game.id == "six_mens_morris" else (lambda state: state[-1])
    start, after = getattr(by_hand, game.id)(*vars(game).values())
    known = by_hand.values(start, after, lambda _: LOST[game.id], mover)
    depths, distances = defaultdict(Counter), Counter()
    for depth, value, moves in known.values():
        depths[depth][value] += 1
        distances[value, moves] += moves is not None
    for symmetry in (True, False):
        report = game.values(symmetry=symmetry)
        assert [+Counter(each.raw_states) for each in report.depths] == [depths[depth] for depth in sorted(depths)]
        assert (report.start.value, report.start.moves) == known[start][1:]
        assert same(game.values(symmetry=symmetry, out=tmp_path / str(symmetry), store="sparse")) == same(report)
    found = {(value, each.moves): count for each in report.distances for value, count in each.states.items() if count}
    assert found == +distances


def margin_of(game):
    """The start by the description of a game, the moves from each state, and what a state is worth in points."""
    start, after = getattr(by_hand, game.id)(*vars(game).values())
    return start, after, lambda state: by_hand.margin(state, after, COUNTED[game.id])


@pytest.mark.parametrize("text", each(["dots_and_boxes:1,2"], ["kalah:2,2", "kalah:2,2,true", "othello:3,4"]))
def test_a_search_without_rules_finds_all_points(text, tmp_path):
    game = gallery.load(text)
    start, after, margin = margin_of(game)
    known = {state: margin(state) for state in by_hand.values(start, after, lambda _: "draw", lambda state: state[-1])}
    for symmetry in (True, False):
        report = game.values(symmetry=symmetry)
        assert report.start.score == known[start]
        assert same(game.values(symmetry=symmetry, out=tmp_path / str(symmetry))) == same(report)
    assert {each.score: each.states for each in report.scores} == Counter(known.values())


@pytest.mark.parametrize(
    "text",
    each(
        [
            *("othello:3,4", "dots_and_boxes:1,1", "dots_and_boxes:2,2"),
            *("kalah:1,4", "kalah:2,3", "kalah:3,1", "kalah:2,2,true"),
        ],
        ["othello", "dots_and_boxes:2,3", "kalah:3,3"],
    ),
)
def test_a_search_without_rules_finds_the_points_of_the_start(text):
    game = gallery.load(text)
    start, _, margin = margin_of(game)
    points = margin(start)
    word = ("draw", "win", "loss")[(points > 0) - (points < 0)]
    for symmetry in (True, False) if game.rules().symmetries else (True,):
        assert game.values(symmetry=symmetry).start == puzzlekit.run.values.StateValue(word, None, points)


COUNTED = {
    "dots_and_boxes": lambda state: len(state[1][state[2]]) - len(state[1][1 - state[2]]),
    "kalah": lambda state: sum(state[0][state[1]]) - sum(state[0][1 - state[1]]),
    "othello": lambda state: len(state[0]) - len(state[1]),
}
"""For each game with a score, the points of the player to move where play is over."""
