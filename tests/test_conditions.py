"""Conditions of goals, ends and guards: counts of symbols, paths, and patterns that must not hold."""

import itertools
import json
from dataclasses import dataclass

import pytest

from puzzlekit import (
    End,
    Grid,
    HexGrid,
    Move,
    Puzzle,
    Ring,
    Rules,
    RulesError,
    Score,
    connected,
    count,
    cycle,
    over,
    put,
    unless,
    win,
)
from puzzlekit.describe.kept_rules import rules_of_data
from puzzlekit.run.engine import Engine
from puzzlekit.run.options import RunOptions
from tests.naive import Naive


def box(**more):
    """A box of four sides, the last of which is drawn by a move of another name."""
    sides = range(4)
    others = {side: [other for other in sides if other != side] for side in sides}
    draw = [put(side, "#").when({side: "."}).unless(dict.fromkeys(others[side], "#")) for side in sides]
    take = [put(side, "#").when({side: "."} | dict.fromkeys(others[side], "#")) for side in sides]
    moves = [move.named(f"side {place % 4}") for place, move in enumerate([*draw, *take])]
    return Rules(".#", "....", moves, **more)


def test_what_must_not_hold_tells_moves_of_one_name_apart_and_keeps_symmetries():
    engine = Engine(box(symmetries="auto"))
    assert engine.symmetry_order == 24
    assert engine.legal_moves("##..") == ["side 2", "side 3"]
    assert engine.enumerate("box", RunOptions(threads=1)).states == 5
    # Without the pattern, some state would allow both.
    first, *others = box().moves
    with pytest.raises(RulesError, match=r'named "side 0" and some state may allow both, such as \.###'):
        Engine(Rules(".#", "....", [Move(first.then, guard=first.guard, name=first.name), *others]))


def test_a_symmetry_that_breaks_a_condition_is_refused():
    turn = Ring(3).rotations()
    moves = [put(cell, "o").when({cell: "."}).unless({0: "o", 1: "o"}) for cell in range(3)]
    with pytest.raises(RulesError, match=r"carries the move .* onto no move"):
        Engine(Rules(".o", "...", moves, symmetries=turn))
    moves = [put(cell, "o").when({cell: "."}) for cell in range(3)]
    for wanted, words in [
        (count("o", at_least=2, of=[0, 1]), "exactly 2 cells of"),
        (unless({0: ".", 1: "."}), r"unless \{0: \., 1: \.\}"),
        (connected("o", [0], [1], Ring(3)), "a path from"),
    ]:
        with pytest.raises(RulesError, match=f"carries the end .*{words}"):
            Engine(Rules(".o", "...", moves, ends=[End("over", wanted)], symmetries=turn))
    one_each = [End("over", {cell: "o"} & count("o", at_least=2)) for cell in range(3)]
    for ends in ([End("over", count("o", at_least=2))], [End("over", unless(dict.fromkeys(range(3), ".")))], one_each):
        assert Engine(Rules(".o", "...", moves, ends=ends, symmetries=turn)).symmetry_order == 3


@dataclass(frozen=True)
class Majority(Puzzle):
    """Who holds more than half of five cells has won."""

    id = "majority"

    def rules(self):
        moves = [put(cell, mark).when({cell: "."}).named(cell).by(mark) for mark in "XO" for cell in range(5)]
        return Rules(".XO", ".....", moves, "XO", ends=[win(mark, count(mark, at_least=3)) for mark in "XO"])


def test_a_majority_is_an_end():
    game = Majority()
    solved = game.solve(game.start)
    assert (solved.value, solved.length) == ("win", 5)
    assert game.outcome("XOXOX:O") == "X"
    assert game.outcome("XOXO.:X") is None


def test_a_path_is_found_and_told_by_whatever_names_neighbours():
    grid = Grid(3, 3)
    sides = [grid.cell(0, column) for column in range(3)], [grid.cell(2, column) for column in range(3)]
    pairs = [(cell, other) for cell in grid for other in grid.neighbours(cell)]
    for board in (grid, pairs):
        moves = [put(cell, "o").when({cell: "."}) for cell in grid]
        rules = Rules(".o", "." * 9, moves, goal=connected("o", *sides, board), symmetries="auto", columns=3)
        engine = Engine(rules)
        assert engine.symmetry_order == 4
        assert engine.is_solved("o../oo./.o.")
        assert not engine.is_solved("o../.o./..o")
    assert len(connected("o", [0], [1], HexGrid.rhombus(2, 2)).paths[0].edges) == 5
    assert len(connected("o", [0], [1], Ring(5)).paths[0].edges) == 5


def test_conditions_come_back_from_data():
    grid = Grid(2, 2)
    wanted = count("X", at_least=2) & unless({0: "X", 3: "X"}) & connected({"X"}, [0], [3], grid) & {1: "X"}
    moves = [put(cell, mark).when({cell: "."}).when(count("O", at_most=2)).by(mark) for mark in "XO" for cell in grid]
    moves[0] = moves[0].unless({1: "O", 2: "O"})
    rules = Rules(".XO", "....", moves, "XO", ends=[win("X", wanted)])
    data = json.loads(json.dumps(rules.to_data()))
    kept = rules_of_data(data, None, None)
    assert [kept.moves[0].conditions, kept.ends[0].when] == [moves[0].conditions, wanted]
    assert Engine(kept).outcome("XX.O:O") == Engine(rules).outcome("XX.O:O") is None


def test_rules_with_walls_count_what_walls_hold():
    moves = [put(cell, "o").when({cell: "."}).when(count("o", at_most=2)) for cell in (1, 3)]
    rules = Rules(".o#", "o.#.", moves, goal=connected("o", [0], [3], [(0, 1), (1, 3), (2, 3)]))
    engine = Engine(rules)
    assert engine.enumerate("walls", RunOptions(threads=1)).outcomes == {"solved": 1, "stuck": 0}
    assert [len(layer.states) for layer in Naive(rules.to_data()).layers()] == [1, 2, 1]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: put(0, "o").when({1: "o"}).unless({1: "o"}), 'the move "0" has a guard that never holds, because of'),
        (lambda: put(0, "o").when(count("o", at_least=4)), 'the move "0" has a guard that never holds, because of'),
        (lambda: put(0, "o").unless({0: "a"}), 'the move "0" names the unknown symbol "a"'),
        (lambda: put(0, "o").when(connected("o", [0], [7], [])), "names cell 7, which is out of range"),
        (lambda: put(0, "o").when(connected("o", [], [1], [])), "wants a path without a symbol or a side"),
        (lambda: cycle(0, 1).unless({2: "o"}) * cycle(1, 2), "is made of others: a move has counts, paths or unless"),
    ],
)
def test_conditions_that_make_no_sense_are_refused(make, message):
    with pytest.raises(RulesError, match=message):
        Engine(Rules(".o", "...", [make()]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: unless(count("o", at_least=1)), "unless is given more than a pattern"),
        (lambda: unless("ab"), "unless has the pattern 'ab'; give a mapping"),
        (lambda: connected("o", [0], [1], 5), "a path is on 5; give a Grid"),
        (lambda: connected("o", [0], [1], [(0, 1, 2)]), r"a path has the neighbours \(0, 1, 2\)"),
        (lambda: connected("o", "ab", [1], []), "a path is of 'ab'; give a list of cells"),
    ],
)
def test_what_is_no_condition_is_refused(call, message):
    with pytest.raises(RulesError, match=message):
        call()


def test_a_move_with_conditions_is_undone_if_what_they_read_is_not_written():
    moves = [
        cycle(0, 1, 2).unless({3: "b", 4: "b"}).named("turn"),
        cycle(0, 2, 1).unless({3: "b", 4: "b"}).named("back"),
    ]
    assert Engine(Rules("ab", "aabab", moves)).window == "inverse-closed"
    # All cells of the count are moved onto each other.
    moves = [
        cycle(0, 1, 2).when(count("b", at_least=1)).named("turn"),
        cycle(0, 2, 1).when(count("b", at_least=1)).named("back"),
    ]
    assert Engine(Rules("ab", "aab", moves)).window == "inverse-closed"
    moves = [
        cycle(0, 1, 2).unless({0: "b", 3: "b"}).named("turn"),
        cycle(0, 2, 1).unless({0: "b", 3: "b"}).named("back"),
    ]
    assert Engine(Rules("ab", "aabb", moves)).window == "directed"


def test_a_count_ends_a_game_with_a_score():
    moves = [put(cell, mark).when({cell: "."}).named(cell).by(mark) for mark in "XO" for cell in range(4)]
    rules = Rules(".XO", "....", moves, "XO", ends=[over(count(".", at_most=1))], score=Score("X", {"X": 1, "O": -1}))
    assert Engine(rules).enumerate("count", RunOptions(threads=1)).outcomes == {"draw": 0, "X": 12, "O": 0}


def test_a_path_along_cells_that_always_fit():
    """A wall of stones that never change joins all cells beside it. Pairs of neighbours stay few, however long."""
    wall = 40
    along = [(cell, cell + 1) for cell in range(wall - 1)]
    beside = [(cell, wall + cell % 6) for cell in range(wall)]
    moves = [put(wall + cell, "o").when({wall + cell: "."}).named(f"{cell}") for cell in range(6)]
    goal = connected("o", [wall], [wall + 5], [*along, *beside, *along, *beside])
    rules = Rules(".o", "o" * wall + "......", moves, goal=[goal])
    engine, layers = Engine(rules), Naive(rules.to_data()).layers()
    report = engine.enumerate("wall", RunOptions(threads=1))
    assert [depth.states for depth in report.depths] == [len(layer.raw) for layer in layers]
    for both in itertools.product(".o", repeat=6):
        assert engine.is_solved("o" * wall + "".join(both)) == (both[0] == both[5] == "o")
