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
from tests.test_kept_values import hold_against_naive, same
from tests.test_solve import check_scores, check_values
from tests.test_values import compare, plain_values

QUICK = ["dots_and_boxes:1,1", "othello:3,3", "hex:2", "domineering:2,3"]
SLOW = [
    *("dots_and_boxes:1,2", "kalah:2,3", "kalah:2,1,true", "othello:3,4", "teeko:3,2", "teeko:3,3", "hex:3"),
    *("breakthrough:3,2,1", "breakthrough:3,3,1", "quarto:2,2", "quarto:3,2", "domineering:4,4"),
    *("chomp3d:2,2,1", "chomp3d:2,3,4"),
]


def each(quick, slow):
    """The parameters of a test: games for every run, and games for the slow one."""
    return [*quick, *(pytest.param(text, marks=pytest.mark.slow) for text in slow)]


def declared(text):
    """The rules of a game, with the symmetries that the engine finds written out, so that a plain search reads them."""
    rules = gallery.load(text).rules()
    return replace(rules, symmetries=puzzlekit.symmetries(rules).generators) if rules.symmetries == "auto" else rules


@pytest.mark.parametrize("text", each(QUICK, SLOW))
def test_a_plain_search_of_the_rules_finds_the_values(text, tmp_path):
    rules = declared(text)
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


@pytest.mark.parametrize("text", each(["dots_and_boxes:1,2"], ["kalah:2,2", "kalah:2,2,true", "othello:3,4"]))
def test_a_search_without_rules_finds_all_points(text, tmp_path):
    game = gallery.load(text)
    start, after = getattr(by_hand, game.id)(*vars(game).values())
    reached = by_hand.values(start, after, lambda _: "draw", lambda state: state[-1])
    known = {state: by_hand.margin(state, after, COUNTED[game.id]) for state in reached}
    for symmetry in (True, False):
        report = game.values(symmetry=symmetry)
        assert report.start.score == known[start]
        assert same(game.values(symmetry=symmetry, out=tmp_path / str(symmetry))) == same(report)
    assert {each.score: each.states for each in report.scores} == Counter(known.values())


COUNTED = {
    "dots_and_boxes": lambda state: len(state[1][state[2]]) - len(state[1][1 - state[2]]),
    "kalah": lambda state: sum(state[0][state[1]]) - sum(state[0][1 - state[1]]),
    "othello": lambda state: len(state[0]) - len(state[1]),
}
"""For each game with a score, the points of the player to move where play is over."""
