"""Proofs of games for points whose play can come back to a state: what a player can force is proven, and no more."""

import random
import shutil
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from puzzlekit import Move, Rules, Score, put
from puzzlekit.jobs import proving
from puzzlekit.proof.claims import WrongError
from tests.naive import Naive
from tests.profiles import cases
from tests.support import puzzle_of
from tests.test_proof import PROGRAMS, both, claims_of, job_of, prove, quick
from tests.worth import for_points, games_with_cycles, goes_round, plain_scores


def circle(endless):
    """Two states that lead to each other alone. X moves in the first one, and O in the second."""
    moves = [Move({0: "b"}, player="X").when({0: "a"}), Move({0: "a"}, player="O").when({0: "b"})]
    score = Score("X", {"a": 1})
    data = puzzle_of(Rules("ab", "a", moves, "XO", score=score, endless=endless)).rules().to_data()
    run = proving.Run(symmetry=True, complete=True, backward=False, counts=((1, 1), (1, 1)))

    def claims(points):
        """X is claimed to be worth `points` in both states."""
        word = ("draw", "win", "loss")
        of_mover = [points, -points]
        return [
            proving.Claim(bytes([at]), at, 1, None, word[(own > 0) - (own < 0)], None, own)
            for at, own in enumerate(of_mover)
        ]

    return data, run, claims


@PROGRAMS
@pytest.mark.parametrize("endless", [-3, 0, 2])
def test_points_that_agree_in_a_circle_are_those_of_play_that_never_ends(program, endless):
    data, run, claims = circle(endless)
    assert program(data, run, claims(endless)).values == 2
    for other in {-3, -1, 0, 1, 2, 5} - {endless}:
        name = "X" if other > endless else "O"
        with pytest.raises(WrongError, match=rf"points to {name}, who cannot force them: play may never end"):
            program(data, run, claims(other))


@PROGRAMS
def test_without_points_for_play_that_never_ends_nothing_is_true_of_it(program):
    data, run, claims = circle(None)
    for points in (-1, 0, 1):
        with pytest.raises(WrongError, match="who cannot force them"):
            program(data, run, claims(points))


def test_points_that_hang_on_no_play_without_end_need_none(tmp_path):
    """X may go round, and is better off with the end."""
    moves = [put(0, "b").when({0: "a"}).by("X").named("on"), put(0, "a").when({0: "b"}).by("O").named("back")]
    stops = [Move({0: "c"}).when({0: held}).by(own).named("stop") for held, own in (("a", "X"), ("b", "O"))]
    rules = Rules("abc", "a", [*moves, *stops], "XO", score=Score("X", {"c": 1}))
    assert both(job_of(puzzle_of(rules), tmp_path / "job", "values")).values == 4


def scored_with_cycles(seed):
    """A random game for points in which play can come back to a state."""
    rng = random.Random(seed)
    while True:
        rules = for_points(games_with_cycles(rng), rng)
        if goes_round(rules):
            return rules


@settings(max_examples=cases(5, 300))
@given(st.integers(0, 2**32).map(scored_with_cycles))
def test_random_games_for_points_with_cycles_are_proven(tmp_path_factory, rules):
    folder = tmp_path_factory.getbasetemp() / "points"
    for symmetry in (True, False):
        shutil.rmtree(folder, ignore_errors=True)
        job = job_of(puzzle_of(rules), folder, "values", symmetry=symmetry)
        assert both(job).values == sum(depth["states"] for depth in job.status()["depths"])


@settings(max_examples=cases(4, 300))
@given(st.integers(0, 2**32).map(scored_with_cycles), st.sampled_from([-4, -1, 1, 4]))
def test_points_of_other_play_without_end_are_found(tmp_path_factory, rules, more):
    """Points that agree with each other everywhere, and are those of the game in which going round is worth another."""
    folder = tmp_path_factory.getbasetemp() / "forged"
    shutil.rmtree(folder, ignore_errors=True)
    data, run, claims = claims_of(job_of(puzzle_of(rules), folder, "values", symmetry=False))
    naive = Naive(data)
    states = [state for layer in naive.layers() for state in layer.raw]
    other = plain_scores(naive, states, data["score"]["endless"] + more)

    def forged(claim):
        turn = claim.depth % 2 if claim.player is None else claim.player
        value, score = other[tuple(naive.symbols[code] for code in claim.cells), turn]
        return replace(claim, value=value, score=score)

    changed = [forged(claim) for claim in claims]
    assume(changed != claims)
    for program in (prove, quick):
        with pytest.raises(WrongError, match="cannot force"):
            program(data, replace(run, ends=None, longest=None), changed)
