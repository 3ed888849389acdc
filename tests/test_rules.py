"""Faulty rules: each fault is one sentence that names the thing at fault."""

import itertools
import json
import re
from dataclasses import dataclass

import numpy as np
import pytest

from puzzlekit import (
    Beside,
    Copy,
    End,
    Goal,
    Grid,
    HexGrid,
    Move,
    PluginError,
    Puzzle,
    Ring,
    Rules,
    RulesError,
    Symmetry,
    UsageError,
    _core,
    anything_but,
    connected,
    count,
    cycle,
    over,
    parameter,
    put,
    swap,
    toggle,
    unless,
    win,
)
from puzzlekit.describe.oddities import oddities
from puzzlekit.run.engine import Engine
from tests.support import RunOptions


def rules(**changes):
    """Two cells, two marks and a mirror, with the given changes."""
    given = {
        "symbols": ".XO",
        "start": "..",
        "players": "XO",
        "moves": [put(cell, mark).when({cell: "."}).by(mark) for mark in "XO" for cell in (0, 1)],
        "ends": [win(mark, {0: mark, 1: mark}) for mark in "XO"],
        "stuck": "draw",
        "symmetries": [Symmetry((1, 0), name="mirror")],
    }
    return Rules(**{**given, **changes})


def test_these_rules_are_sound():
    assert Engine(rules()).symmetry_order == 2


PUZZLE = {"players": "", "ends": [], "stuck": None, "moves": [put(0, "X"), put(1, "X")]}

FAULTS = {
    "no symbols": ({"symbols": "", "start": ""}, "0 symbols; give between 1 and 256"),
    "too many symbols": ({"symbols": range(257)}, "257 symbols"),
    "no cells": ({"start": ""}, "the start has 0 cells"),
    "too many cells": ({"start": "." * 2049}, "2049 cells; give between 1 and 2048"),
    "symbol twice": ({"symbols": ".XOX"}, 'the symbol "X" is listed twice'),
    "symbol with a space": ({"symbols": [".", "X", "O", "a b"]}, 'the symbol "a b" cannot be written'),
    "symbol with a control character": ({"symbols": [".", "X", "O", "\x1c"]}, 'the symbol "\\u{1c}" cannot be written'),
    "player with a space": ({"players": ["X", "O "]}, 'the player "O " cannot be written'),
    "player without a name": ({"players": ["X", ""]}, 'the player "" cannot be written'),
    "player named draw": ({"players": ["X", "draw"]}, 'a player is named "draw"'),
    "outcome without a name": ({"ends": [End(" ", {0: "X"})]}, 'an end has the outcome " ", which says nothing'),
    "goal of a game": ({"goal": ["XX"]}, "the rules have a goal and two players"),
    "several symbols in one text": ({"moves": [put(0, "X").when({0: ".X"})]}, "for any of several symbols give a set"),
    "symbol with a colon": ({"symbols": [".", "X", "O", ":"]}, 'the symbol ":" cannot be written'),
    "unknown symbol in the start": ({"start": ".Z"}, 'the start names the unknown symbol "Z"; the symbols are . X O'),
    "three players": ({"players": "XOP"}, "the players are X, O, P; a game has two (docs/limits.md, Three players"),
    "over without a score": ({"ends": [over({0: "X"})]}, "the rules have no score; give Rules(score=...)"),
    "two passes": (
        {"moves": [put(0, "X").when({0: "."}).by("X"), Move({}).named("pass")], "stuck": "pass"},
        'stuck="pass" adds the forced pass of that name',
    ),
    "one player twice": ({"players": "XX"}, "name one, or two that differ"),
    "unknown symbol in a guard": ({"moves": [put(0, "X").when({1: "Z"})]}, 'the move "0" names the unknown symbol "Z"'),
    "unknown symbol in an effect": ({"moves": [put(0, "Z").named("go")]}, 'the move "go" names the unknown symbol "Z"'),
    "unknown symbol in a map": (
        {"moves": [Move(then={0: Copy(1, {"Z": "X"})})]},
        'the move "0" names the unknown symbol "Z"',
    ),
    "cell out of range": (
        {"moves": [put(2, "X")]},
        'the move "0" names cell 2, which is out of range; cells go from 0 to 1, since the start has 2: mend that',
    ),
    "cell below zero": ({"moves": [put(-1, "X")]}, 'the move "0" names cell -1, which is out of range'),
    "guard out of range": ({"moves": [put(0, "X").when({7: "X"})]}, 'the move "0" names cell 7'),
    "a cell beyond all numbers": (
        {"moves": [put(2**70, "X")]},
        'the move "0" names cell 1180591620717411303424, which is out of range; cells go from 0 to 2047 at most',
    ),
    "a copy from beyond all numbers": ({"moves": [Move(then={0: Copy(-(10**5000))})]}, "a cell of more than 30 digits"),
    "half a character as a symbol": ({"symbols": [".", "X", "\ud800"]}, "'\\ud800', which holds half of a character"),
    "half a character in a name": ({"symmetries": [Symmetry((1, 0), name="\ud800")]}, "holds half of a character"),
    "half a character as an outcome": ({"ends": [End("\udfff", {0: "X"})]}, "an end uses '\\udfff', which holds half"),
    "half a character as stuck": ({"stuck": "\ud800"}, "stuck uses '\\ud800', which holds half of a character"),
    "an empty name": ({"moves": [Move({0: "X"}, name="")]}, "a move has an empty name"),
    "a name of a space": ({"moves": [Move({0: "X"}, name=" ")]}, "the name ' ', which begins or ends with a space"),
    "a name with a comma": ({"moves": [Move({0: "X"}, name="0,")]}, "the name '0,' with a comma, which stands between"),
    "a name with a space at its end": ({"moves": [Move({0: "X"}, name="go ")]}, "begins or ends with a space"),
    "a name with a line end": ({"moves": [Move({0: "X"}, name="a\nb")]}, "in which '\\n' cannot be typed"),
    "a name with an escape": ({"moves": [Move({0: "X"}, name="a\x1b[31mb")]}, "in which '\\x1b' cannot be typed"),
    "a name from right to left": ({"moves": [Move({0: "X"}, name="\u202eog")]}, "in which '\\u202e' cannot be typed"),
    "writes that are no pairs": ({"moves": [Move(then=[3])]}, 'the move "0" writes 3; give pairs of a cell and'),
    "a map that is none": ({"moves": [Move(then={0: Copy(1, 3)})]}, "turns symbols into others by 3; give a mapping"),
    "a symmetry without cells": ({"symmetries": [Symmetry(None)]}, "has the cells None; list for each cell"),
    "copy from nowhere": ({"moves": [Move(then={0: Copy(9)})]}, 'the move "0" names cell 9'),
    "two writes to one cell": ({"moves": [cycle(0, 1, 0)]}, 'the move "0" writes cell 0 twice; write each cell once'),
    "a guard that never holds": (
        {"moves": [put(0, "X").when({0: "."}).when({0: "O"})]},
        'the move "0" allows no symbol in cell 0, so it never holds',
    ),
    "an empty set": ({"moves": [put(0, "X").when({0: set()})]}, 'the move "0" allows no symbol in cell 0'),
    "unknown player": ({"moves": [put(0, "X").by("Z")]}, 'the unknown player "Z"; the players are X O'),
    "a player in a puzzle": (
        {"players": "", "ends": [], "stuck": None, "moves": [put(0, "X").by("X")]},
        "the rules name no players; give both in Rules(players=...)",
    ),
    "duplicate move name": (
        {"moves": [put(0, "X").by("X").named("go"), put(1, "X").by("X").named("go")]},
        'two moves of player X are named "go" and some state may allow both',
    ),
    "duplicate move name, any player": (
        {"moves": [put(0, "X").named("go"), put(1, "O").by("O").named("go")]},
        'two moves of player O are named "go"',
    ),
    "duplicate move name, with a state that allows both": (
        {"symmetries": [], "start": ".O", "moves": [put(0, "X").named("go"), put(1, "X").when({0: "X"}).named("go")]},
        'are named "go" and some state may allow both, such as XO, which play may never reach; narrow their guards so '
        "that they exclude each other (a slide needs what "
        "stops it), or say whose each is with by, or give them different names",
    ),
    "duplicate move name, two cells that may differ": (
        {
            "symmetries": [],
            "moves": [put(0, "X").when_different(0, 1).named("go"), put(1, "O").when({0: "X"}).by("O").named("go")],
        },
        'two moves of player O are named "go" and some state may allow both, such as X.:O, which play may never reach',
    ),
    "a cell compared with itself": (
        {"moves": [put(0, "X").when_equal(1, 1)]},
        'the move "0" compares cell 1 with itself; name two cells',
    ),
    "a cell to compare that is not there": ({"moves": [put(0, "X").when_different(0, 2)]}, 'the move "0" names cell 2'),
    "cells that are no pair": ({"moves": [Move({0: "X"}, equal=[3])]}, 'the move "0" compares 3; give pairs of cells'),
    "two cells equal and different": (
        {"moves": [put(0, "X").when_equal(0, 1).when_different(1, 0)]},
        'the move "0" has a guard that never holds, because of the cells that must be equal or different',
    ),
    "two cells that cannot be equal": (
        {"moves": [put(0, "X").when({0: "X", 1: {".", "O"}}).when_equal(0, 1)]},
        'the move "0" has a guard that never holds',
    ),
    "a count without a symbol": (PUZZLE | {"goal": count(set(), at_least=1)}, "the goal counts cells without a symbol"),
    "a count of an unknown symbol": (
        PUZZLE | {"goal": count("Z", at_least=1)},
        'the goal names the unknown symbol "Z"',
    ),
    "a count of a cell twice": (PUZZLE | {"goal": count("X", at_least=1, of=[1, 1])}, "the goal counts cell 1 twice"),
    "a count that asks for too many": (
        PUZZLE | {"goal": count("X", at_least=3)},
        "the goal wants at least 3 cells with X, so it never holds: there can be 0 to 2; give a number that there can ",
    ),
    "a count that contradicts the pattern": (
        PUZZLE | {"goal": [".X", count("X", at_most=0) & {1: "X"}]},
        "goal 2 wants no cell with X, so it never holds: there can be 1 to 2",
    ),
    "a count that no move changes": (
        PUZZLE | {"moves": [swap(0, 1)], "goal": count("X", at_least=1, at_most=1)},
        "the goal wants exactly 1 cell with X, so it never holds: no move changes their number, which is 0",
    ),
    "a count that is broken by a symmetry": (
        PUZZLE | {"goal": count("X", at_most=0, of=[0])},
        'the symmetry "mirror" carries the goal no cell of [0] with X onto no goal',
    ),
    "an unknown winner": ({"ends": [win("Z", {0: "X"})]}, 'an end is won by "Z", but the players are X and O'),
    "a winner in a puzzle": (
        {"players": "", "stuck": None, "moves": [put(0, "X")], "ends": [win("X", {0: "X"})]},
        'an end is won by "X", but the rules name no players; give both in Rules(players=...)',
    ),
    "symbols without an order": ({"symbols": {".", "X", "O"}}, "the list of symbols is {"),
    "symbols that are no list": ({"symbols": 3}, "the list of symbols is 3; give a string or a list"),
    "moves that are no list": ({"moves": put(0, "X")}, "give a list of puzzlekit.Move"),
    "one move": ({"moves": cycle(0, 1)}, "moves is a single Move; put it into a list, [...], or give a list of"),
    "a list in the moves": ({"moves": [[put(0, "X"), put(1, "X")]]}, "moves holds a list of 2; give objects of"),
    "a function as a map": ({"moves": [Move({0: Copy(1, lambda s: s)})]}, "into others by a lambda; give a mapping"),
    "symbols run together": (
        PUZZLE | {"symbols": range(12), "start": ["1", "0"], "goal": "1010", "moves": [swap(0, 1)]},
        "the goal has 4 cells, and the start has 2; put spaces between the symbols",
    ),
    "moves of another kind": ({"moves": ["up"]}, "moves holds 'up'; give objects of puzzlekit.Move"),
    "ends of another kind": ({"ends": [{0: "X"}]}, "ends holds {0: 'X'}; give objects of puzzlekit.End"),
    "a goal that is no state": ({"goal": [1]}, "the goal is 1; give a state, a pattern or a count"),
    "columns that are no number": ({"columns": "2"}, "columns is '2'; give a divisor"),
    "an advance that is no number": ({"moves": [Move(then={0: Copy(0, advance=1.5)})]}, "advances by 1.5"),
    "unknown symbol in an end": ({"ends": [win("X", {0: "Z"})]}, 'the end "X" names the unknown symbol "Z"'),
    "unknown symbol in the goal": (PUZZLE | {"goal": ["Z."]}, 'the goal names the unknown symbol "Z"'),
    "a goal of the wrong length": (
        PUZZLE | {"goal": ["X.X"]},
        "the goal has 3 cells, and the start has 2; give both the same number",
    ),
    "stuck": ({"stuck": "tie"}, 'stuck is "tie"; say "draw", "loss", "win" or "pass"'),
    "stuck in a puzzle": (
        {"players": "", "ends": [], "moves": [put(0, "X")]},
        'stuck is "draw", but the rules have one player; leave stuck out',
    ),
    "a symmetry too short": (
        {"symmetries": [Symmetry((0,), name="s")]},
        'the symmetry "s" lists 1 cells, but the start has 2; list where each cell goes, and a cell that stays as',
    ),
    "a symmetry that is no permutation": (
        {"symmetries": [Symmetry((0, 0), name="s")]},
        'the symmetry "s" sends no cell to cell 1',
    ),
    "symbols that are no permutation": (
        {"symmetries": [Symmetry((0, 1), {"X": "O"}, name="s")]},
        'the symmetry "s" turns no symbol into "X"',
    ),
    "a swap in a puzzle": (
        {
            "players": "",
            "ends": [],
            "stuck": None,
            "moves": [put(0, "X")],
            "symmetries": [Symmetry((0, 1), swap_players=True)],
        },
        "swaps the players, but the rules do not name two",
    ),
    "a symmetry broken by a move": (
        {"moves": [put(0, "X").when({0: "."}).by("X")]},
        'the symmetry "mirror" carries the move "0" of player X onto no move of the rules',
    ),
    "a symmetry broken by an end": (
        {"ends": [win("X", {0: "X"})]},
        'the symmetry "mirror" carries the end "X" {0: X} onto no end with the outcome "X"',
    ),
    "a symmetry broken by the outcome": (
        {"ends": [win("X", {0: "X"}), win("O", {1: "X"})]},
        'the symmetry "mirror" carries the end "X" {0: X} onto no end with the outcome "X"',
    ),
    "a symmetry broken by the start": ({"start": ".X"}, 'the symmetry "mirror" does not carry the start onto itself'),
    "a symmetry broken by the goal": (
        PUZZLE | {"goal": ["X."]},
        'the symmetry "mirror" carries the goal {0: X, 1: .} onto no goal',
    ),
    "a false swap of players": (
        {"symmetries": [Symmetry((0, 1), swap_players=True, name="colours")]},
        'the symmetry "colours" carries the move "0" of player X onto no move',
    ),
    "columns that do not divide": ({"columns": 3}, "columns is 3; give a divisor of the number of cells, which is 2"),
    "a cell that is no number": ({"moves": [put("a", "X")]}, "the move \"0\" uses 'a' as a cell"),
    "a symbol that is no text": ({"moves": [put(0, 1.5)]}, 'the move "0" uses 1.5 as a symbol'),
    "a map and an advance": ({"moves": [Move(then={0: Copy(0, {"X": "O"}, 1)})]}, "both a map and an advance"),
}


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ({}, "a count of X has no number; give at_least, at_most, or both"),
        ({"at_least": -1}, "a count has at_least=-1; give a whole number from 0, and less than 2^63"),
        ({"at_least": 2**63}, f"a count has at_least={2**63}; give a whole number from 0, and less than 2^63"),
        ({"at_most": "2"}, "a count has at_most='2'; give a whole number from 0, and less than 2^63"),
        ({"at_most": 1, "of": 3}, "a count is of 3; give a list of cells"),
        ({"at_most": 1, "of": ["a"]}, "a count uses 'a' as a cell; give a whole number"),
    ],
)
def test_counts_that_make_no_sense(bounds, message):
    with pytest.raises(RulesError) as caught:
        count("X", **bounds)
    assert str(caught.value) == message


def test_guards_and_goals_as_data():
    """The rules are the JSON that docs/rules.md shows."""
    move = put(2, ".").when({0: {"a", "b"}}).when_equal(0, 1).when_different(1, 2).named("take")
    goal = [{0: "."}, count("a", at_most=1), count({"a", "b"}, at_least=1, of=[1, 2]) & {0: "."}]
    data = Rules(symbols=".ab", start="abb", moves=[move], goal=goal).to_data()
    assert json.loads(json.dumps(data["moves"])) == [
        {
            "name": "take",
            "player": None,
            "when": [[0, ["a", "b"]]],
            "equal": [[0, 1]],
            "different": [[1, 2]],
            "then": [[2, "."]],
        }
    ]
    assert json.loads(json.dumps(data["goal"])) == [
        [[0, ["."]]],
        {"counts": [{"symbols": ["a"], "at_most": 1}]},
        {"when": [[0, ["."]]], "counts": [{"symbols": ["a", "b"], "at_least": 1, "of": [1, 2]}]},
    ]


def test_moves_that_differ_in_what_is_equal_share_a_name():
    """One move needs two cells to be equal, and the other needs them to differ, so no state allows both moves."""
    moves = [put(2, "a").when_equal(0, 1).named("go"), put(2, "b").when_different(1, 0).named("go")]
    engine = Engine(Rules(symbols="abc", start="abc", moves=moves))
    assert [engine.apply(state, "go") for state in ("aac", "abc")] == ["aaa", "abb"]


def test_what_undoes_a_move_that_compares_cells_is_found():
    """The rules are an example of docs/rules.md."""
    take = put(1, ".").when_equal(0, 1).when({0: {"a", "b"}}).named("take")
    give = Move({1: Copy(0)}).when({0: {"a", "b"}, 1: "."}).named("give")
    exchange = swap(2, 3).when_different(2, 3).named("exchange")

    def window(*moves):
        return Engine(Rules(symbols=".ab", start="aaab", moves=moves)).window

    assert window(take, give, exchange) == window(exchange) == "inverse-closed"
    assert window(take, exchange) == window(take, Move({1: Copy(0)}).when({0: "a", 1: "."})) == "directed"


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_named(fault):
    changes, message = FAULTS[fault]
    with pytest.raises(RulesError) as caught:
        Engine(rules(**changes))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_true_swap_of_players_is_accepted():
    swapped = Symmetry((0, 1), {"X": "O", "O": "X"}, swap_players=True, name="colours")
    engine = Engine(rules(symmetries=[swapped]))
    assert engine.symmetry_order == 2
    assert engine.canonical("X.:O") == engine.canonical("O.:X") == "O.:X"
    # A symmetry that swaps the players does not keep whose turn it is, so no enumeration uses it.
    report = engine.enumerate("rules", RunOptions(threads=1))
    assert report.symmetry_order == 1
    assert report.states == report.raw_states == 5


def test_moves_that_no_state_allows_together_may_share_a_name():
    moves = [put(0, "X").when({0: "."}).named("go"), put(1, "X").when({0: "X", 1: "."}).named("go")]
    engine = Engine(rules(moves=moves, symmetries=[]))
    assert engine.legal_moves("..:X") == ["go"]
    assert engine.apply("X.:O", "go") == "XX:X"


def test_a_start_that_no_renaming_fixes():
    with pytest.raises(RulesError, match="no change of symbols"):
        Symmetry((1, 2, 0), name="turn").fixing("aab")


def test_outcomes_that_hold_at_once():
    both = {0: "X", 1: "O"}
    for ends in ([win("X", both), win("O", both)], [win("O", both), win("X", both)]):
        engine = Engine(rules(ends=ends, symmetries=[]))
        # The player who has just moved wins.
        assert engine.outcome("XO:X") == "O"
        assert engine.outcome("XO:O") == "X"
    # Otherwise the outcome that is named first counts, wherever its end stands in the list.
    ends = [End("draw", {0: "O"}), win("X", both), End("draw", both)]
    assert Engine(rules(ends=ends, symmetries=[])).outcome("XO:O") == "draw"
    ends = [win("O", {0: "O"}), End("draw", both), win("X", both)]
    assert Engine(rules(ends=ends, symmetries=[])).outcome("XO:X") == "X"


def test_a_swap_of_players_keeps_values():
    # Both players win with the same two cells. Of the two, the one who has just moved wins, so the swap is a symmetry.
    swap = Symmetry((1, 0), swap_players=True, name="swap")
    move = Move({0: "b", 1: "b"}).when({0: ".", 1: "."}).named("x")
    engine = Engine(Rules(".b", "..", [move], "PQ", ends=[win("P", {0: "b"}), win("Q", {1: "b"})], symmetries=[swap]))
    assert engine.key("bb:P") == engine.key("bb:Q")
    assert (engine.outcome("bb:P"), engine.outcome("bb:Q")) == ("Q", "P")


def test_builders():
    engine = Engine(Rules(symbols="abc", start="abc", moves=[cycle(0, 1, 2).named("c"), swap(0, 2).named("s")]))
    assert engine.apply("abc", "c") == "cab"
    assert engine.apply("abc", "s") == "cba"
    engine = Engine(Rules(symbols="abc", start="abc", moves=[toggle(0, 1, 2)]))
    assert engine.apply("abc", "0") == "bca"


def test_ends_of_a_puzzle():
    engine = Engine(Rules(symbols="ab", start="a", moves=[put(0, "b")], ends=[End("over", {0: "b"})]))
    report = engine.enumerate("rules", RunOptions(threads=1))
    assert (report.states, report.outcomes) == (2, {"over": 1})


def test_a_fixing_symmetry_must_fit():
    with pytest.raises(RulesError, match="is no permutation of the 2 cells of 'ab'"):
        Symmetry((5, 0)).fixing("ab")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Grid(1.5, 3), "a grid has 1.5 rows or columns"),
        (lambda: Grid(3, 3).cell(0, 3), "there is no cell in row 0, column 3 of a grid of 3 rows and 3 columns"),
        (lambda: Grid(3, 3).cell(1, -1), "there is no cell in row 1, column -1"),
        (lambda: Grid(2, 3).place(99), "there is no cell 99"),
        (lambda: Grid(3, 3).neighbours(-1), "there is no cell -1"),
        (lambda: Grid(3, 3).neighbourhood(9), "there is no cell 9"),
        (lambda: Grid(3, 3).block(2), "no block of 2 by 2 begins at cell 2"),
        (lambda: Grid(3, 3).block(0, 4, 4), "no block of 4 by 4 begins at cell 0"),
        (lambda: Grid(3, 3).lines(0), "a line of 0 cells is none"),
    ],
)
def test_cells_outside_a_grid_are_refused(call, message):
    with pytest.raises(RulesError, match=message):
        call()


def test_numbers_of_other_types_are_numbers():
    made = Rules(symbols=[np.int64(0), 1], start=[0, 1], moves=[put(np.int64(0), np.int8(1))])
    assert Engine(made).apply("01", "0") == "11"


@pytest.mark.slow
def test_tables_of_many_symmetries_stay_small_or_are_refused():
    def ring(cells):
        turn = Symmetry((*range(1, cells), 0), name="turn")
        flip = Symmetry(tuple(reversed(range(cells))), name="flip")
        return Rules(".x", "." * cells, [toggle(cell) for cell in range(cells)], symmetries=[turn, flip])

    engine = Engine(ring(256))
    assert engine.symmetry_order == 512
    report = engine.enumerate("ring", RunOptions(max_depth=3, threads=1))
    # Up to rotation and reflection: one ring without marks, one with one mark, 128 with two, 5,461 with three.
    assert [depth.states for depth in report.depths] == [1, 1, 128, 5461]
    with pytest.raises(RulesError, match="the tables of 4096 symmetries of 2048 cells do not fit 1 GiB"):
        Engine(ring(2048))


def test_many_moves_of_one_name_and_many_symbols_are_checked_at_once():
    rules_ = Rules(
        range(64), [0], [put(0, b).when({0: a}).named(f"{a} {b}") for a in range(64) for b in range(64) if a != b]
    )
    assert Engine(rules_).window == "inverse-closed"


def test_a_grid_needs_cells():
    with pytest.raises(RulesError, match="0 rows and 3 columns has no cells"):
        Grid(0, 3)


@pytest.mark.parametrize(
    ("rows", "columns", "order"), [(1, 1, 1), (1, 4, 2), (2, 2, 8), (3, 3, 8), (2, 3, 4), (5, 5, 8)]
)
def test_grids_have_their_symmetries(rows, columns, order):
    grid = Grid(rows, columns)
    made = Rules(
        symbols=".x", start="." * grid.cells, moves=[toggle(cell) for cell in grid], symmetries=grid.symmetries()
    )
    assert Engine(made).symmetry_order == order


def test_clockwise_turns_have_rotations_but_no_reflections():
    grid = Grid(3, 3)
    tiles = "ABCDEFGHI"
    moves = [cycle(*grid.block(corner)) for corner in grid.corners()]
    turning = [symmetry.fixing(tiles) for symmetry in grid.rotations()]
    assert Engine(Rules(symbols=tiles, start=tiles, moves=moves, symmetries=turning)).symmetry_order == 4
    flipping = [symmetry.fixing(tiles) for symmetry in grid.symmetries()]
    with pytest.raises(RulesError, match='the symmetry "top to bottom" carries the move "0" onto no move'):
        Engine(Rules(symbols=tiles, start=tiles, moves=moves, symmetries=flipping))


def test_moves_of_anyone_and_of_a_player_have_names_of_their_own():
    moves = [put(0, "X").by("X"), put(1, "X"), put(1, "O").by("O"), put(2, "O"), put(2, "X").by("X")]
    rules = Rules(symbols=".XO", start="...", players="XO", moves=moves)
    assert [move["name"] for move in rules.to_data()["moves"]] == ["0", "1", "2", "3", "4"]
    assert Engine(rules).legal_moves("...:X") == ["0", "1", "3", "4"]
    # A move without a name is named after its place among the moves of its player.
    apart = [put(0, mark).by(mark) for mark in "XOXO"]
    names = [move["name"] for move in Rules(symbols=".XO", start=".", players="XO", moves=apart).to_data()["moves"]]
    assert names == ["0", "0", "1", "1"]


def test_names_of_moves_that_can_be_typed():
    names = ["go", "two words", "R'", "ß", "é", "→", "👩\u200d🚀", "0"]
    moves = [put(0, "b").when({0: "a"}).named(name) for name in names]
    engine = Engine(Rules(symbols=["a", "b"], start="a", goal="b", moves=moves[:1]))
    assert engine.move_names == ["go"]
    for move, name in zip(moves, names, strict=True):
        assert Engine(Rules(symbols="ab", start="a", goal="b", moves=[move])).move_names == [name]


def test_a_guard_beyond_all_numbers_is_refused_at_once():
    with pytest.raises(RulesError, match="a move names cell 9223372036854775808, which is out of range"):
        put(0, "X").when({2**63: "X"})


def test_a_name_given_at_once_is_a_text_as_with_named():
    assert Move({0: "b"}, name=3).name == put(0, "b").named(3).name == "3"


def test_rules_as_json_say_which_form_they_have():
    data = rules().to_data()
    assert data["schema"] == "puzzlekit.rules/1"
    without = {name: part for name, part in data.items() if name != "schema"}
    assert _core.Engine(json.dumps(without)).symmetry_order == 2
    for schema, said in (("puzzlekit.rules/2", '"puzzlekit.rules/2"'), (1, "1"), (None, "null")):
        with pytest.raises(RulesError, match=f'have the form {said}, and this version reads "puzzlekit.rules/1"'):
            _core.Engine(json.dumps(data | {"schema": schema}))
    for text in ("[]", "{", '{"symbols": []}', json.dumps(data | {"holes": []})):
        with pytest.raises(RulesError, match="the rules are malformed: "):
            _core.Engine(text)


def test_a_goal_that_lists_states_is_none_of_symbols():
    one = Rules(symbols="ab", start="a", goal=["b"], moves=[put(0, "b")])
    assert Engine(one).goal == "b"
    # The symbols "ab" and "ba" can also be read as states, since the board has two cells. In a goal, they are states.
    two = Rules(symbols=["a", "b", "ab", "ba"], start=["a", "b"], goal=["ab", "ba"], moves=[put(0, "b")])
    assert [pattern[0][1] for pattern in two.to_data()["goal"]] == [("a",), ("b",)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"symbols": itertools.count()}, "the list of symbols has more than 262,144 entries; give fewer"),
        ({"start": itertools.repeat("a")}, "the start has more than 262,144 entries"),
        ({"start": "a" * (2**20 + 1)}, "a state is drawn with more than 1,048,576 characters"),
        ({"moves": itertools.repeat(toggle(0))}, "the list of moves has more than 262,144 entries"),
        ({"goal": itertools.repeat({0: "a"})}, "the goal has more than 262,144 entries"),
        ({"players": itertools.repeat("P")}, "the list of players has more than 262,144 entries"),
    ],
)
def test_lists_that_never_end_are_refused(given, message):
    with pytest.raises(RulesError, match=message):
        Rules(**{"symbols": "ab", "start": "a", "moves": [toggle(0)], **given})


def test_symbols_of_a_guard_an_end_or_a_goal_are_any_that_come_one_after_another():
    def few():
        return (str(number) for number in range(1, 4))

    listed = ("1", "2", "3")
    for some in (range(1, 4), few(), {1: "x", 2: "y", 3: "z"}.keys(), iter([1, 2, 3])):
        assert Move({0: 0}).when({0: some}).guard == ((0, listed),)
    assert anything_but(few()).symbols == listed
    # What is read again says the same again.
    game = Rules(range(5), [1], [toggle(0)], players="AB", ends=[win("A", {0: few()})])
    puzzle = Rules(range(5), [0], [toggle(0)], goal={0: few()})
    several = Rules(range(5), [0], [toggle(0)], goal=[{0: few()}, {0: iter("4")}])
    for _ in range(2):
        assert game.to_data()["ends"][0]["when"] == ((0, listed),)
        assert puzzle.to_data()["goal"] == [((0, listed),)]
        assert several.to_data()["goal"] == [((0, listed),), ((0, ("4",)),)]
    for wrong in ({"1": 2}, b"12", 1.5):
        with pytest.raises(RulesError, match="as a symbol; give a string or a whole number"):
            Move({0: 0}).when({0: wrong})
    with pytest.raises(RulesError, match="has more than 262,144 entries"):
        Move({0: 0}).when({0: itertools.count()})


@pytest.mark.parametrize("make", [lambda: cycle(0), cycle, lambda: cycle([0, 1], [2]), lambda: cycle([])])
def test_a_cycle_that_changes_nothing_is_refused(make):
    with pytest.raises(RulesError, match="and changes nothing; name two cells or more"):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: Grid(10**5, 10**5),
        lambda: HexGrid.hexagon(10**6),
        lambda: HexGrid.triangle(10**6),
        lambda: HexGrid.rhombus(1, 10**6),
        lambda: Ring(10**10),
        lambda: Beside(Grid(2, 2), 10**10),
    ],
)
def test_boards_of_a_size_that_no_state_has_are_refused_at_once(make):
    with pytest.raises(RulesError, match=r"2,?048"):
        make()


def test_a_symmetry_that_renames_the_symbols_of_the_start_alone_is_told_the_remedy():
    """Two arrows, each turned by its own move. A symmetry that exchanges them must also rename their turned symbols."""
    symbols = ["A^", "Av", "B^", "Bv"]
    flip = {"A^": "Av", "Av": "A^", "B^": "Bv", "Bv": "B^"}
    moves = [Move({cell: Copy(cell, flip)}).named(str(cell)) for cell in (0, 1)]
    exchange = Symmetry((1, 0), name="over").fixing(["A^", "B^"])
    given = {"symbols": symbols, "start": ["A^", "B^"], "moves": moves}
    with pytest.raises(RulesError, match="or add the move, or rename the symbols, too, that the start does not have"):
        Engine(Rules(**given, symmetries=[exchange]))
    assert Engine(Rules(**given, symmetries="auto")).symmetry_order > 1


def test_an_end_without_an_outcome_is_named_as_it_was_written():
    for ends in (count("o", at_most=1), [count("o", at_most=1)]):
        with pytest.raises(RulesError, match=r"count\('o', at_most=1\); give .* puzzlekit.End, such as win\(\"X\","):
            Rules(".o", "..", [put(0, "o").when({0: "."})], players="AB", ends=ends)
    for goal, text in (
        (count({"x", "o"}, at_least=2, of=[0, 1]), "count({'o', 'x'}, at_least=2, of=(0, 1))"),
        (count(anything_but("."), at_most=3) & {4: "o", 5: {"x", "o"}}, None),
        (unless({0: "#"}) & count("o", at_least=1), "count('o', at_least=1) & unless({0: '#'})"),
        (connected("X", [0], [1], [(0, 1)]), "connected('X', (0,), (1,), ...)"),
        (Goal(), "{}"),
    ):
        assert repr(goal) == (text or "count(anything_but('.'), at_most=3) & {4: 'o', 5: {'o', 'x'}}")


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: count("X", at_least=1) | count("O", at_least=1), RulesError, "write one end, goal or move for each"),
        (lambda: {0: "X"} | count("O", at_least=1), RulesError, "write one end, goal or move for each"),
        (lambda: parameter(False, help="who cannot move wins"), UsageError, "write the field as name: bool = False"),
        (lambda: parameter(3), UsageError, "write parameter(3, least, greatest), or the field as name: int = 3"),
    ],
)
def test_what_a_beginner_may_write_is_told_the_remedy(make, error, message):
    with pytest.raises(error, match=re.escape(message)):
        make()


def test_several_patterns_none_of_which_may_hold():
    patterns = {0: "X"}, {1: "X", 2: "X"}
    one_by_one = put(3, "X").unless(patterns[0]).unless(patterns[1])
    assert put(3, "X").unless(*patterns) == one_by_one
    assert unless(*patterns) == unless(patterns[0]) & unless(patterns[1])


def test_an_argument_that_rules_do_not_have_is_told_the_nearest():
    @dataclass(frozen=True)
    class Wrong(Puzzle):
        """A name that Rules does not have."""

        id = "wrong"

        def rules(self):
            return Rules(".X", "..", [put(0, "X")], end=[])

    with pytest.raises(
        PluginError, match=r"TypeError: Rules\(\) has no argument end; did you mean ends or endless\? \(test_rules"
    ):
        _ = Wrong().engine


def test_what_is_odd_in_rules_is_noted():
    def of(moves, **more):
        return oddities(Rules(".o", "..", moves, **more).to_data())

    always = "a goal has no condition, so each state is solved; name what must hold"
    assert of([swap(0, 1)], goal="oo") == []
    assert of([swap(0, 1)], goal={}) == [always]
    assert of([]) == ["there are no moves"]
    idle = [put(0, "o").when({0: "o"}), Move({}), swap(0, 1).when_equal(0, 1), swap(0, 1).when({0: "o", 1: "o"})]
    assert of(idle) == ['the move "0" never changes anything, and 3 more do not either']
    assert of([swap(0, 1).when({0: "o", 1: "."}), toggle(0)]) == []
