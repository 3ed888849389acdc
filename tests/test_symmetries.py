"""Symmetries that the engine finds: how many they are, counts with them, and those that a job keeps."""

from __future__ import annotations

import contextlib
import json
import math
import random
from dataclasses import replace
from itertools import combinations, permutations, product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import puzzlekit
from puzzlekit import Copy, Grid, JobError, Move, Rules, RulesError, Symmetry, cycle, put, swap, toggle, win
from puzzlekit.run.engine import Engine
from puzzlekit.run.job_parts import JobFolder
from tests.boards import ALL
from tests.profiles import cases
from tests.support import RunOptions
from tests.test_oracle import compare, layered_rules, lively_rules, reversible_rules, symmetrised


def cube(size: int, coloured: bool) -> Rules:
    """A cube by its stickers, with both turns of each outer layer."""
    last = size - 1
    stickers = []
    for axis, side in product(range(3), (0, last)):
        for place in product(range(size), repeat=2):
            at = [*place[:axis], side, *place[axis:]]
            stickers.append((*at, axis, 1 if side else -1))

    def turned(axis: int, sticker: tuple[int, ...]) -> tuple[int, ...]:
        first, second = (other for other in range(3) if other != axis)
        at, normal, way = list(sticker[:3]), sticker[3], sticker[4]
        at[first], at[second] = last - sticker[second], sticker[first]
        if normal == first:
            return (*at, second, way)
        return (*at, first, -way) if normal == second else (*at, axis, way)

    moves = []
    for axis, side in product(range(3), (0, last)):
        layer = [sticker for sticker in stickers if sticker[axis] == side]
        pairs = [(stickers.index(turned(axis, sticker)), stickers.index(sticker)) for sticker in layer]
        moves.append(Move(then=[(to, Copy(source)) for to, source in pairs if to != source]))
        moves.append(Move(then=[(source, Copy(to)) for to, source in pairs if to != source]))
    held = [place // size**2 if coloured else place for place in range(len(stickers))]
    return Rules(symbols=sorted(set(held)), start=held, moves=moves)


def pegs(walls: bool) -> Rules:
    """English peg solitaire, on 33 cells, or on 49 of which 16 are walls."""
    board = [(row, column) for row, column in product(range(7), repeat=2) if 2 <= row <= 4 or 2 <= column <= 4]
    cells = list(product(range(7), repeat=2)) if walls else board
    moves = []
    for (row, column), (down, right) in product(board, ((0, 1), (1, 0), (0, -1), (-1, 0))):
        jump = [(row + step * down, column + step * right) for step in range(3)]
        if all(place in board for place in jump):
            one, over, to = map(cells.index, jump)
            moves.append(Move(then={one: ".", over: ".", to: "o"}).when({one: "o", over: "o", to: "."}))
    start = ["#" if place not in board else "." if place == (3, 3) else "o" for place in cells]
    centre = {at: held.replace("o", ".") if cells[at] != (3, 3) else "o" for at, held in enumerate(start)}
    return Rules(symbols=".o#", start=start, moves=moves, goal=[centre])


def qubic() -> Rules:
    """Four in a row in a cube of 4 by 4 by 4."""
    places = list(product(range(4), repeat=3))
    lines = set()
    for start, way in product(places, product((-1, 0, 1), repeat=3)):
        line = [tuple(at + step * by for at, by in zip(start, way, strict=True)) for step in range(4)]
        if any(way) and all(place in places for place in line):
            lines.add(frozenset(map(places.index, line)))
    assert len(lines) == 76
    return Rules(
        symbols=".XO",
        start="." * 64,
        players="XO",
        moves=[put(cell, mark).when({cell: "."}).by(mark) for mark in "XO" for cell in range(64)],
        ends=[win(mark, dict.fromkeys(line, mark)) for mark in "XO" for line in sorted(map(sorted, lines))],
    )


def installed(puzzle: str) -> Rules:
    return puzzlekit.load(puzzle).rules()


ORDERS = {
    "tictactoe": (installed, 8),
    "tictactoe:4,3,3": (installed, 4),
    "tictactoe:4,4,4": (installed, 32),
    "tictactoe:5,5,5": (installed, 32),
    "tictactoe:5,5,4": (installed, 8),
    "rotate": (installed, 4),
    "rotation": (installed, 4),
    "slider": (installed, 2),
    "slider:3,4": (installed, 1),
    "slider:10,10": (installed, 2),
    "flipit": (installed, 8),
    "qubic": (lambda _: qubic(), 192),
    "pegs": (lambda _: pegs(False), 8),
    "pegs with walls": (lambda _: pegs(True), 8),
    "2x2x2 cube": (lambda _: cube(2, True), 48),
    "3x3x3 cube": (lambda _: cube(3, True), 48),
    "3x3x3 cube of 54 symbols": (lambda _: cube(3, False), 48),
}


@pytest.mark.parametrize("name", ORDERS)
def test_orders(name):
    make, order = ORDERS[name]
    found = puzzlekit.symmetries(make(name))
    assert (found.order, found.whole, found.complete) == (order, order, True)
    assert found == puzzlekit.symmetries(make(name))
    # The symmetries that were found can be declared, and generate the same group.
    rules = replace(make(name), symmetries=found.generators)
    assert Engine(rules).symmetry_order == found.elements
    assert puzzlekit.symmetries(rules) == found


def test_symmetries_that_are_left_out_are_told():
    # Seven lamps may be exchanged in 5,040 ways. Of these, 720 are kept: all that leave one lamp in its place. To turn
    # the lamps as a ring is none of them, so each choice of symmetries joins states that the other keeps apart.
    ring = Symmetry((1, 2, 3, 4, 5, 6, 0))
    rules = Rules("01", "0" * 7, [toggle(lamp) for lamp in range(7)], goal="1" * 7, symmetries=[ring])
    found = puzzlekit.symmetries(rules)
    assert (found.order, found.whole, found.complete) == (720, math.factorial(7), False)
    counts = [
        [depth.states for depth in Engine(replace(rules, symmetries=given)).enumerate("lamps", RunOptions()).depths]
        for given in ([ring], "auto", found.generators)
    ]
    assert counts == [[1, 1, 3, 5, 5, 3, 1, 1], *[[1, 2, 2, 2, 2, 2, 2, 1]] * 2]


def test_players_change_places():
    found = puzzlekit.symmetries(installed("tictactoe"))
    assert (found.order, found.elements, found.swaps_players) == (8, 16, True)
    assert found.orbits == ((0, 2, 6, 8), (1, 3, 5, 7), (4,))
    assert not puzzlekit.symmetries(installed("slider")).swaps_players


def test_symmetries_without_effect_are_divided_out():
    # On 7 by 7, all 16! permutations of the walls leave every state as it is.
    assert puzzlekit.symmetries(pegs(True)).idle == math.factorial(16)
    assert puzzlekit.symmetries(pegs(False)).idle == 1
    # The six centres never move, so permuting them changes no state. Nor does turning the stickers of all corners
    # together, or exchanging those of all edges.
    assert puzzlekit.symmetries(cube(3, False)).idle == math.factorial(6) * 3 * 2


def test_a_group_too_large_is_cut():
    # Four in a row on 3 by 4: only whole rows win, so the cells of each row can be permuted, and the rows, too.
    found = puzzlekit.symmetries(installed("tictactoe:3,4,4"))
    assert found.whole == math.factorial(4) ** 3 * math.factorial(3) == 82_944
    assert 1000 < found.elements <= 4096
    rules = replace(installed("tictactoe:3,4,4"), symmetries="auto")
    assert Engine(rules).symmetry_order == found.elements
    report = Engine(rules).enumerate("rows", RunOptions(max_depth=5))
    plain = Engine(rules).enumerate("rows", RunOptions(max_depth=5, symmetry=False))
    assert [depth.raw_states for depth in report.depths] == [depth.states for depth in plain.depths]


@pytest.mark.parametrize("name", ALL)
def test_counts_with_found_symmetries_are_right(name):
    # The obvious search uses the symmetries that were found, as if an author had declared them.
    rules = replace(ALL[name], symmetries=puzzlekit.symmetries(ALL[name]).generators)
    engine, _, _ = compare(rules, widths=[0])
    auto = Engine(replace(rules, symmetries="auto"))
    assert auto.enumerate("rules", RunOptions()).depths == engine.enumerate("rules", RunOptions()).depths


def test_what_is_declared_makes_no_difference():
    rules = installed("slider")
    assert puzzlekit.symmetries(replace(rules, symmetries=())) == puzzlekit.symmetries(rules)
    with pytest.raises(RulesError, match="carries the end"):
        puzzlekit.symmetries(replace(installed("tictactoe"), symmetries=[Symmetry((1, 0, *range(2, 9)))]))


def test_rules_say_auto():
    rules = replace(installed("tictactoe:4,4,4"), symmetries="auto")
    assert rules.to_data()["symmetries"] == "auto"
    assert Engine(rules).enumerate("auto", RunOptions(max_depth=2)).symmetry_order == 32
    with pytest.raises(RulesError, match=r"symmetries is 'all'; give a list of puzzlekit\.Symmetry, or \"auto\""):
        replace(rules, symmetries="all")
    data = rules.to_data() | {"symmetries": "all"}
    with pytest.raises(RulesError, match='expected a list of symmetries, or "auto"'):
        puzzlekit._core.Engine(json.dumps(data))


def test_a_job_keeps_what_was_found(tmp_path):
    grid = Grid(2, 3)
    auto = Rules(
        symbols="ABCDEF",
        start="ABCDEF",
        moves=[cycle(*grid.block(corner)) for corner in grid.corners()],
        symmetries="auto",
    )
    place = JobFolder(folder=str(tmp_path / "job"), puzzle="turns")
    Engine(auto).enumerate("turns", RunOptions(max_depth=3), job=place)
    generators = json.loads((tmp_path / "job" / "puzzle.json").read_text())["rules"]["symmetries"]
    assert len(generators) == 1
    # The same rules with these symmetries declared can go on with the job, since they have the same digest.
    names = [Symmetry(tuple(g["cells"]), g["symbols"], g["swap_players"], g["name"]) for g in generators]
    declared = replace(auto, symmetries=names)
    again = replace(place, resume=True)
    report = Engine(declared).enumerate("turns", RunOptions(max_depth=100), job=again)
    assert report.raw_states == 120  # of 720 arrangements
    with pytest.raises(JobError, match="the rules of turns are not those"):
        Engine(replace(auto, moves=auto.moves[:1])).enumerate("turns", RunOptions(), job=again)


def test_symmetries_may_be_few():
    # Moves swap pairs of cells, each under another condition.
    pairs = list(combinations(range(4), 2))[:4]
    rules = Rules(
        symbols="ABCD", start="ABCD", moves=[swap(*pair).when({0: "ABCD"[at]}) for at, pair in enumerate(pairs)]
    )
    found = puzzlekit.symmetries(rules)
    assert (found.order, found.generators, found.orbits) == (1, (), ((0,), (1,), (2,), (3,)))


def declared_by_hand(rules: Rules) -> int:
    """The number of symmetries of rules: every candidate is declared, and counted if it is accepted."""
    symbols, accepted = list(rules.to_data()["symbols"]), 0
    swaps = (False, True) if rules.players else (False,)
    cells = range(len(rules.to_data()["start"]))
    for order, renamed, swap_players in product(permutations(cells), permutations(symbols), swaps):
        declared = Symmetry(order, dict(zip(symbols, renamed, strict=True)), swap_players)
        with contextlib.suppress(RulesError):
            Engine(replace(rules, symmetries=[declared]))
            accepted += 1
    return accepted


@settings(max_examples=cases(12, 250))
@given(st.integers(0, 2**32), st.sampled_from([lively_rules, layered_rules, reversible_rules]))
def test_all_symmetries_of_random_rules_are_found(seed, kind):
    rng = random.Random(seed)
    rules = replace(symmetrised(kind(rng), rng), symmetries=())
    assume(len(rules.to_data()["start"]) <= 4 and len(rules.to_data()["symbols"]) <= 3)
    found = puzzlekit.symmetries(rules)
    assert found.complete
    assert found.whole * found.idle * (2 if found.swaps_players else 1) == declared_by_hand(rules)


@settings(max_examples=cases(26, in_long=500))
@given(st.integers(0, 2**32), st.sampled_from([lively_rules, layered_rules, reversible_rules]))
def test_counts_of_random_rules_with_found_symmetries_are_right(seed, kind):
    rng = random.Random(seed)
    rules = replace(symmetrised(kind(rng), rng), symmetries=())
    found = puzzlekit.symmetries(rules)
    engine, _, _ = compare(replace(rules, symmetries=found.generators), widths=[0])
    auto = Engine(replace(rules, symmetries="auto"))
    assert auto.enumerate("rules", RunOptions()).depths == engine.enumerate("rules", RunOptions()).depths


def test_a_symmetry_is_a_list_or_a_mapping_of_all_cells():
    assert Symmetry({0: 2, 1: 1, 2: 0}).cells == Symmetry([2, 1, 0]).cells == (2, 1, 0)
    with pytest.raises(RulesError, match="a symmetry maps 2 cells, and cell 1 is not one of them"):
        Symmetry({0: 2, 2: 0})
    with pytest.raises(RulesError, match=r'the symmetry "m" has the cells \{0, 1\}; list for each cell'):
        Symmetry({0, 1}, name="m")
    with pytest.raises(RulesError, match=r"the start is \{0: 'a', 1: 'b'\}; give a string, or a list"):
        Rules("ab", {0: "a", 1: "b"}, [])


def test_a_symmetry_without_a_name_is_named_by_its_place():
    rules = Rules("ab", "aab", [swap(0, 1)], symmetries=[Symmetry((1, 0, 2)), Symmetry((2, 1, 0))])
    with pytest.raises(RulesError, match='the symmetry "number 2" carries the move "0" onto no move'):
        Engine(rules)
