"""Counting backward from the goal: a state's depth is the number of moves that it needs, whatever the moves are."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings

import puzzlekit
from puzzlekit import UsageError
from puzzlekit.run.engine import Engine
from tests import boards
from tests.naive import Naive
from tests.profiles import cases
from tests.support import RunOptions
from tests.test_dense import arrangements
from tests.test_oracle import random_rules, reversible_rules
from tests.test_solve import distances, solved


def all_states(rules, naive):
    """Every way to fill the cells. If no move changes the number of a symbol, states have as many as the start."""
    held = Counter(naive.start[0])
    fixed = [count is not None for count in Engine(rules).core.conserved]
    symbols = list(naive.symbols)
    for cells in product(symbols, repeat=len(naive.start[0])):
        counts = Counter(cells)
        if all(counts[symbol] == held[symbol] for symbol, fix in zip(symbols, fixed, strict=True) if fix):
            yield (tuple(cells), 0)


def check_backward(rules):
    naive = Naive(rules.to_data())
    edges = {state: [after for _, after in naive.successors(state)] for state in all_states(rules, naive)}
    known = distances(edges, solved(naive, edges))
    raw = Counter(known.values())
    classes = Counter({naive.canonical(state): length for state, length in known.items()}.values())
    engine = Engine(rules)
    for store in ("auto", "sparse"):
        report = engine.enumerate("rules", RunOptions(threads=2, store=store, backward=True))
        assert (report.backward, report.complete) == (True, True)
        assert [depth.raw_states for depth in report.depths] == [raw[at] for at in range(len(raw))]
        assert [depth.states for depth in report.depths] == [classes[at] for at in range(len(raw))]
        assert [depth.open for depth in report.depths] == [depth.states for depth in report.depths]


@pytest.mark.parametrize("name", ["slide:2,3", "turn:2,3", "lights:2,3,3", "hanoi:4"])
def test_boards_of_every_shape(name):
    check_backward(boards.ALL[name])


@settings(max_examples=cases(15), suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(arrangements().filter(lambda rules: len(rules.start) < 6))
def test_arrangements(rules):
    check_backward(rules)


@settings(max_examples=cases(40))
@given(random_rules().filter(lambda rules: not rules.players))
def test_random_rules(rules):
    """If a move loses what it overwrites, only the sum is checked here; `test_distances.py` checks each depth."""
    rules = replace(rules, ends=[], symmetries=[], goal=[rules.start])
    report = Engine(rules).enumerate("rules", RunOptions(threads=1, backward=True))
    if report.unsolvable is None:
        check_backward(rules)
    else:
        # The count is over the states that play reaches: those that can be solved, and those that cannot.
        assert report.raw_states + report.raw_unsolvable == Engine(rules).enumerate("rules", RunOptions()).raw_states


def test_random_rules_whose_moves_lose_nothing():
    """The rules have half of the moves of reversible rules, so few of these moves are undone by another one."""
    checked, windows = 0, set()
    for seed in range(40):
        rules = reversible_rules(random.Random(seed))
        rules = replace(rules, moves=rules.moves[::2], players="", goal=[rules.start])
        if len(rules.symbols) ** len(rules.start) <= 1024:
            check_backward(rules)
            windows.add(Engine(rules).window)
            checked += Engine(rules).enumerate("rules", RunOptions(threads=1, backward=True)).raw_states > 2
    assert checked > 10
    assert windows == {"directed", "inverse-closed"}


def test_what_cannot_be_counted_back_is_refused():
    forwards = Engine(replace(boards.ALL["pegs"], goal=[]))
    with pytest.raises(UsageError, match="the rules have no goal, so there is no counting back from the goal"):
        forwards.enumerate("pegs", RunOptions(threads=1, backward=True))
    with pytest.raises(UsageError, match="the rules have two players"):
        Engine(boards.ALL["nim"]).enumerate("nim", RunOptions(threads=1, backward=True))


def test_a_job_remembers_its_direction(tmp_path, command):
    puzzle = puzzlekit.load("rotate:2,3")
    whole = puzzle.enumerate(out=tmp_path / "whole", backward=True)
    puzzle.enumerate(out=tmp_path / "part", backward=True, max_depth=3)
    resumed = puzzlekit.resume(tmp_path / "part", max_depth=99)
    assert (resumed.depths, resumed.backward) == (whole.depths, True)
    assert puzzlekit.open_job(tmp_path / "part").verify() == puzzlekit.open_job(tmp_path / "whole").verify()
    data = json.loads(command("enumerate", "rotate:2,3", "--backward", "--json").out)
    assert (data["backward"], data["max_depth"]) == (True, whole.max_depth)
    refused = command("enumerate", "tictactoe", "--backward", "--dry-run")
    assert (refused.code, refused.out) == (2, "")
    assert command("enumerate", "rotate:2,3", "--backward", "--dry-run").out.startswith("store   dense: ")
    plain = command("enumerate", "rotate:2,3", "--backward").out
    assert plain.startswith("rotate:rows=2,columns=3, states up to 2 symmetries, by moves needed to the goal\n")
