"""The dense store: for rules with a perfect index, its counts are those of a plain search, whatever the moves do."""

from __future__ import annotations

import random
import re
import string
from dataclasses import replace
from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import puzzlekit
from puzzlekit import Budget, Copy, End, Grid, Move, Rules, RulesError, Symmetry, UsageError, cycle, swap, toggle
from puzzlekit.run.engine import Engine
from puzzlekit.run.memory import held_bytes
from tests import boards, golden
from tests.naive import Naive
from tests.profiles import cases
from tests.support import RunOptions, grain_of
from tests.test_oracle import depths, expected

WITH_INDEX = {
    "slide:2,3",
    "slide:3,2",
    "turn:2,3",
    "turn:2,2",
    "lights:3,3",
    "lights:2,3,3",
    "burnt:4",
    "ring:9",
    "ring:11",
    "colours:2,4",
    "colours:slide",
}


def check_dense(rules: Rules, *, layers=None, grains=((0, 1, 1, 0),)) -> None:
    """Compares the dense store with the obvious search, for 1 and 2 threads, with and without symmetry."""
    layers = layers or Naive(rules.to_data()).layers()
    engine = Engine(rules)
    generated = engine.enumerate("rules", RunOptions(threads=1, store="sparse")).generated
    for threads, grain in ((1, None), (2, None), *((2, grain) for grain in grains)):
        report = engine.enumerate("rules", RunOptions(threads=threads, grain=grain_of(grain), store="dense"))
        assert (report.store, report.complete) == ("dense", True)
        assert depths(report) == expected(layers)
        plain = engine.enumerate(
            "rules", RunOptions(symmetry=False, threads=threads, grain=grain_of(grain), store="dense")
        )
        assert depths(plain) == expected(layers, symmetry=False)
        # `generated` counts each move of each open state, as the sparse store does without symmetry.
        assert (
            plain.generated
            == engine.enumerate("rules", RunOptions(symmetry=False, threads=1, store="sparse")).generated
        )
    assert generated <= plain.generated
    last = len(layers) - 1
    for most in {0, last // 2, last}:
        part = engine.enumerate("rules", RunOptions(max_depth=most, threads=1, store="dense"))
        assert depths(part) == expected(layers)[: most + 1]


def has_index(rules: Rules) -> bool:
    try:
        Engine(rules).enumerate("rules", RunOptions(max_depth=0, threads=1, store="dense"))
    except UsageError as error:
        if "the rules have no perfect index" not in str(error):
            raise
        return False
    return True


@pytest.mark.parametrize("name", boards.ALL)
def test_boards_of_every_shape(name):
    rules = boards.ALL[name]
    assert has_index(rules) == (name in WITH_INDEX)
    if has_index(rules):
        check_dense(rules)


def compose(first, then):
    """The product of two permutations: first one, then the other. `p[i]` is where cell `i` goes."""
    return tuple(then[cell] for cell in first)


def inverse(permutation):
    undone = [0] * len(permutation)
    for cell, to in enumerate(permutation):
        undone[to] = cell
    return tuple(undone)


@st.composite
def arrangements(draw):
    """Up to 7 cells of distinct symbols, permuted always or only if a blank is in a cell; maybe with a symmetry."""
    cells = draw(st.integers(2, 7))
    permutation = st.permutations(range(cells)).map(tuple)
    narrow = st.tuples(st.integers(0, cells - 1), st.integers(0, cells - 1)).map(
        lambda pair: tuple(pair[1] if c == pair[0] else pair[0] if c == pair[1] else c for c in range(cells))
    )
    moves = draw(
        st.lists(st.tuples(permutation | narrow, st.none() | st.integers(0, cells - 1)), min_size=1, max_size=5)
    )
    blank = draw(st.booleans())
    if not blank:
        moves = [(move, None) for move, _ in moves]
    symmetry = draw(st.none() | permutation)
    order = draw(permutation)
    symbols = [f"s{at}" for at in range(cells)]
    start = [symbols[at] for at in order]
    hole = draw(st.sampled_from(symbols))
    if symmetry and blank:
        # A symmetry must keep the blank in its cell. Otherwise another symbol would be the blank of the image.
        home = start.index(hole)
        to = symmetry.index(home)
        symmetry = list(symmetry)
        symmetry[to], symmetry[home] = symmetry[home], home
        symmetry = tuple(symmetry)
    if symmetry:
        closed = set(moves)
        while True:
            more = {
                (compose(compose(inverse(symmetry), move), symmetry), None if at is None else symmetry[at])
                for move, at in closed
            }
            if more <= closed:
                break
            closed |= more
        moves = sorted(closed, key=repr)
    rules = Rules(
        symbols=symbols,
        start=start,
        goal=[start],
        moves=[
            Move(then={to: Copy(cell) for cell, to in enumerate(move) if cell != to})
            .when({} if at is None else {at: hole})
            .named(str(number))
            for number, (move, at) in enumerate(dict.fromkeys(moves))
        ],
    )
    if symmetry:
        rules = replace(rules, symmetries=[Symmetry(tuple(symmetry)).fixing(start)])
    return rules


@settings(max_examples=cases(15, 400))
@given(arrangements())
def test_arrangements(rules):
    if has_index(rules):
        check_dense(rules)
    else:
        # The blank may reach a cell that it cannot leave, and play is over. Rules with such a cell have no index.
        stuck = any(not Engine(rules).legal_moves(state) for state in every_arrangement(rules))
        assert stuck


def every_arrangement(rules: Rules):
    engine = Engine(rules)
    symbols = len(rules.symbols)
    for order in permutations(range(symbols)):
        yield engine.notation.write(bytes(order), 0)


@st.composite
def placements(draw):
    """Up to 7 cells, one or two marks, lines that end play with any outcome, and true symmetries."""
    cells = draw(st.integers(1, 7))
    players = draw(st.sampled_from(["", "PQ"]))
    marks = draw(st.sampled_from(["xo", "xx"])) if players else "x"
    symmetry = draw(st.none() | st.permutations(range(cells)).map(tuple))
    group = [tuple(range(cells))]
    while symmetry and (after := compose(group[-1], symmetry)) != group[0]:
        group.append(after)
    line = st.tuples(
        st.sampled_from(["P", "Q", "draw", "over"] if players else ["over", "end"]),
        st.sampled_from(sorted(set(marks))),
        st.sets(st.integers(0, cells - 1), min_size=1, max_size=4),
    )
    lines = [
        (outcome, mark, frozenset(element[cell] for cell in where))
        for outcome, mark, where in draw(st.lists(line, max_size=4))
        for element in group
    ]
    start = ["."] * cells
    for cell in draw(st.sets(st.integers(0, cells - 1), max_size=2)):
        mark = draw(st.sampled_from(sorted(set(marks))))
        for element in group:
            start[element[cell]] = mark
    return Rules(
        symbols=draw(st.permutations([".", *sorted(set(marks))])),
        start=start,
        players=players,
        moves=[
            Move(then={cell: mark}, player=player).when({cell: "."}).named(f"{cell}")
            for player, mark in zip(players or [None], marks, strict=False)
            for cell in range(cells)
        ],
        ends=[End(outcome, dict.fromkeys(sorted(where), mark)) for outcome, mark, where in dict.fromkeys(lines)],
        stuck=draw(st.sampled_from(["draw", "loss", "win"])) if players else None,
        symmetries=[Symmetry(tuple(symmetry))] if symmetry else [],
    )


@settings(max_examples=cases(25, 800))
@given(placements())
def test_placements(rules):
    assert has_index(rules)
    check_dense(rules)


@st.composite
def colourings(draw):
    """Up to 8 cells of up to 4 symbols, permuted always or only if one is in a cell; maybe with a symmetry."""
    cells = draw(st.sampled_from([6, 7, 5, 8, 4, 3, 2]))
    permutation = st.permutations(range(cells)).map(tuple)
    turn = st.lists(st.integers(0, cells - 1), min_size=2, max_size=4, unique=True).map(
        lambda ring: tuple(ring[(ring.index(c) + 1) % len(ring)] if c in ring else c for c in range(cells))
    )
    symbols = "abcd"[: draw(st.sampled_from([2, 3, 4, 1]))]
    start = draw(st.permutations([symbols[cell % len(symbols)] for cell in range(cells)]))
    if draw(st.booleans()):
        start = draw(st.lists(st.sampled_from(symbols), min_size=cells, max_size=cells))
    blank = draw(st.sampled_from(start))
    guard = st.just(None) if draw(st.booleans()) else st.tuples(st.integers(0, cells - 1), st.just(blank))
    moves = draw(st.lists(st.tuples(turn | permutation, st.none() | guard), min_size=2, max_size=6, unique=True))
    symmetry = draw(st.none() | permutation.map(Symmetry))
    try:
        symmetry = symmetry and symmetry.fixing(start)
    except RulesError:
        symmetry = None  # the permutation carries cells with one symbol onto cells with two, so no renaming fits
    if symmetry:
        then = symmetry.cells
        renamed = {symbol: symmetry.symbols.get(symbol, symbol) for symbol in "abcd"}
        while more := {
            (compose(compose(inverse(then), move), then), at and (then[at[0]], renamed[at[1]])) for move, at in moves
        } - set(moves):
            moves += sorted(more, key=repr)
    return Rules(
        symbols="abcd",
        start=start,
        goal=[start],
        moves=[
            Move(then={to: Copy(cell) for cell, to in enumerate(move) if cell != to})
            .when({} if at is None else {at[0]: at[1]})
            .named(str(number))
            for number, (move, at) in enumerate(moves)
        ],
        symmetries=[symmetry] if symmetry else [],
    )


@settings(max_examples=cases(25, 800))
@given(colourings())
def test_colourings(rules):
    if has_index(rules):
        check_dense(rules, grains=[(0, states, 1, 0) for states in (1, 3, 12)])
    else:
        distinct = len(set(rules.start)) == len(rules.start)
        assert distinct or any(move.guard for move in rules.moves)


@st.composite
def toggles(draw):
    """Up to 9 cells of two symbols. Moves flip some of them. Maybe there is a true symmetry."""
    cells = draw(st.integers(1, 9))
    start = draw(st.lists(st.sampled_from("xo"), min_size=cells, max_size=cells))
    symmetry = draw(st.none() | st.permutations(range(cells)).map(lambda cells: Symmetry(tuple(cells))))
    try:
        symmetry = symmetry and symmetry.fixing(start)
    except RulesError:
        symmetry = None  # the permutation carries cells with one symbol onto cells with two, so no renaming fits
    flipped = draw(st.lists(st.frozensets(st.integers(0, cells - 1), min_size=1), min_size=1, max_size=9))
    while symmetry and (more := {frozenset(symmetry.cells[c] for c in one) for one in flipped} - set(flipped)):
        flipped += sorted(more, key=sorted)
    return Rules(
        symbols="xo",
        start=start,
        goal=[start],
        moves=[toggle(*sorted(one)).named(str(number)) for number, one in enumerate(flipped)],
        symmetries=[symmetry] if symmetry else [],
    )


@settings(max_examples=cases(25, 800))
@given(toggles())
def test_toggles(rules):
    assert has_index(rules)
    check_dense(rules)


@st.composite
def dials(draw):
    """Up to 5 cells of 3 or 5 symbols and a wall. Moves turn some cells by constants. Maybe there is a symmetry."""
    modulus = draw(st.sampled_from([3, 3, 5]))
    cells = draw(st.integers(1, 5 if modulus == 3 else 3))
    symbols = "abcde"[:modulus]
    symmetry = draw(st.none() | st.permutations(range(cells)).map(lambda cells: Symmetry(tuple(cells))))
    press = st.dictionaries(st.integers(0, cells - 1), st.integers(1, modulus - 1), min_size=1)
    presses = draw(st.lists(press, min_size=1, max_size=6))
    while symmetry:
        turned = [{symmetry.cells[cell]: by for cell, by in press.items()} for press in presses]
        if all(press in presses for press in turned):
            break
        presses += [press for press in turned if press not in presses]
    circle = dict(zip(symbols, symbols[1:] + symbols[:1], strict=True))

    def turn(cell, by):
        where = {symbol: symbol for symbol in symbols}
        for _ in range(by):
            where = {symbol: circle[to] for symbol, to in where.items()}
        return Copy(cell, map=where)

    return Rules(
        symbols=symbols + "#",
        start="a" * cells + "#",
        goal=["a" * cells + "#"],
        moves=[
            Move(then={cell: turn(cell, by) for cell, by in sorted(press.items())}).named(str(number))
            for number, press in enumerate(presses)
        ],
        symmetries=[Symmetry((*symmetry.cells, cells))] if symmetry else [],
    )


@settings(max_examples=cases(20, 600))
@given(dials())
def test_dials(rules):
    assert has_index(rules)
    check_dense(rules)
    # Algebra finds the fewest presses back to the start. They are those from the start to the opposite state.
    engine, symbols = Engine(rules), rules.symbols[:-1]
    opposite = {symbol: symbols[-at] if at else symbol for at, symbol in enumerate(symbols)}
    for depth, layer in enumerate(Naive(rules.to_data()).layers()):
        for cells, _ in sorted(layer.raw)[:5]:
            solution = engine.solve("".join(opposite.get(cell, cell) for cell in cells), Budget())
            assert (len(solution.moves), solution.optimal) == (depth, True)


@pytest.mark.parametrize("twists", [False, True])
def test_symmetries_of_one_class_stand_for_each_other(twists):
    """Neighbours in a ring of four are exchanged, or turned over: the square has eight symmetries, in five classes."""
    ring, over = "abcd", "efgh"
    pairs = [(at, (at + 1) % 4) for at in range(4)]
    moves = [swap(*pair) for pair in pairs]
    if twists:
        turned = dict(zip(ring + over, over + ring, strict=True))
        moves += [Move({cell: Copy(cell, map=turned) for cell in pair}) for pair in pairs]

    def symmetry(cells):
        renamed = {
            names[at]: names[to] for names in ((ring, over) if twists else (ring,)) for at, to in enumerate(cells)
        }
        return Symmetry(cells, renamed)

    symmetries = [symmetry((1, 2, 3, 0)), symmetry((1, 0, 3, 2))]
    rules = Rules(
        symbols=ring + over * twists,
        start=ring,
        moves=[move.named(str(at)) for at, move in enumerate(moves)],
        symmetries=symmetries,
    )
    assert Engine(rules).symmetry_order == 8
    check_dense(rules)


def test_the_store_is_chosen_and_said():
    puzzle = puzzlekit.load("rotation")
    assert (puzzle.enumerate().store, puzzle.enumerate(store="sparse").store) == ("dense", "sparse")
    assert puzzle.enumerate().store_reason.startswith("a perfect index takes ")
    tight = puzzlekit.load("rotate:3,4").enumerate(max_depth=3, memory=held_bytes() + 60 * 2**20)
    assert tight.store == "sparse"
    assert "a perfect index would take" in tight.store_reason
    pairs = {at: Copy(at ^ 1) for at in range(8)}
    few = Rules(symbols=range(8), start=range(8), moves=[Move(then=pairs).named("swap")])
    report = Engine(few).enumerate("few", RunOptions(threads=1))
    assert (report.store, report.store_reason) == ("dense", "a perfect index takes 42 bytes")  # four kinds of pieces
    # The symmetries of the Fano plane, on eight points.
    turns = [cycle(*range(7)).named("on"), cycle([0, 7], [1, 6], [2, 3], [4, 5]).named("around")]
    report = Engine(Rules(symbols=range(8), start=range(8), moves=turns)).enumerate("few", RunOptions(threads=1))
    assert (report.store, report.store_reason) == ("sparse", "only 168 states can be reached")
    with pytest.raises(UsageError, match="there is no store 'none'; give one of auto, dense, sparse"):
        puzzle.enumerate(store="none")


def chosen(rules: Rules, max_depth: int | None = None) -> tuple[str, str]:
    report = Engine(rules).enumerate("rules", RunOptions(max_depth=max_depth, threads=2))
    return report.store, report.store_reason


def test_an_index_of_which_hardly_anything_is_reached_is_left_alone():
    # On a path, a blank passes the other symbols, but these never pass each other.
    path = ".aaaaaaaaaabbbbbbbbbb"
    moves = [swap(a, b).when({a: "."}).named(f"{a} {b}") for p in range(20) for a, b in ((p, p + 1), (p + 1, p))]
    assert chosen(Rules(symbols=".ab", start=path, moves=moves)) == ("sparse", "only 21 states can be reached")
    # Play reaches every number of the index of these toggles, but the first depths have few states.
    lights = boards.lights(4, 6)
    few = Engine(lights).enumerate("lights", RunOptions(max_depth=2, threads=1, store="sparse")).states
    assert chosen(lights, 2) == ("sparse", f"only {few} states can be reached to depth 2")
    assert chosen(lights)[0] == "dense"
    # Two rings that exchange no symbols; and a single ring that has few arrangements.
    rings = Rules(
        symbols="abcd",
        start="aaaaaaaabbbbbbbbcccccccc",
        moves=[cycle(*range(first, first + 8)).named(f"{first}") for first in (0, 8, 16)],
    )
    assert chosen(rings)[0] == "dense"  # each ring is a kind of pieces that all look alike, and there is one state
    eights = replace(rings, start="abcdabcd" * 3)
    assert chosen(eights)[0] == "sparse"
    ring = Rules(symbols="ab", start="ab" * 10, moves=[cycle(*range(20)).named("on")])
    assert chosen(ring) == ("sparse", "at most 20 states can be reached")
    many = [cycle(*range(first, first + 16)).named(f"{first}") for first in (0, 16)]
    swaps = [swap(a, a + 1).named(f"{a} {a + 1}") for a in (*range(15), *range(16, 31))]
    halves = Rules(symbols=range(32), start=range(32), moves=[*many, *swaps])
    assert Engine(halves).plan("halves", RunOptions(), None).store_reason == (
        "only 437763136697395052544000000 states can be reached"
    )


def test_an_index_that_takes_longer_to_plan_than_to_do_without_is_left_alone():
    rng, moves = random.Random(1), []
    for number in range(12):
        wide = rng.sample(range(9), 9)
        moves.append(Move(then={to: Copy(c) for c, to in enumerate(wide) if c != to}).named(f"wide {number}"))
    assert chosen(Rules(symbols="abcd", start="aaabbccdd", moves=moves))[0] == "sparse"
    grid = Grid(4, 8)
    slides = [swap(a, b).when({a: "."}).named(f"{d}{a}") for a, b, d in grid.steps()]
    engine = Engine(Rules(symbols=".ab", start="...." + "a" * 14 + "b" * 14, moves=slides))
    plan = engine.plan("rules", RunOptions(), None)
    assert (plan.store, plan.store_reason) == ("sparse", "the rules have no perfect index")


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_a_dense_run_is_stopped_within_a_depth_and_goes_on(threads, tmp_path):
    known = golden.numbers(golden.read()["tictactoe:5,4,4"]["depths"])
    seen = []

    def stop(progress):
        seen.append(progress)
        return progress.depth > 5 and 0 < progress.expanded < progress.frontier

    puzzle = puzzlekit.load("tictactoe:5,4,4")
    report = puzzle.enumerate(store="dense", threads=threads, out=tmp_path / "job", watch=stop)
    assert (report.stopped, report.complete, report.max_depth) == ("watch", False, seen[-1].depth)
    assert [depth.states for depth in report.depths] == known[: report.max_depth + 1]
    resumed = puzzlekit.resume(tmp_path / "job", threads=threads)
    assert (resumed.complete, [depth.states for depth in resumed.depths]) == (True, known)


def test_the_dense_store_is_refused_to_rules_without_an_index():
    with pytest.raises(UsageError, match="the rules have no perfect index; leave the store to the engine"):
        Engine(boards.ALL["pegs"]).enumerate("pegs", RunOptions(threads=1, store="dense"))


def flips(count: int) -> Rules:
    """A stack of pancakes. Each move turns the topmost ones over."""
    moves = [
        Move(then={cell: Copy(top - 1 - cell) for cell in range(top) if 2 * cell != top - 1}).named(f"{top}")
        for top in range(2, count + 1)
    ]
    return Rules(symbols=range(count), start=range(count), moves=moves)


# The On-Line Encyclopedia of Integer Sequences, A092113, and the pancake numbers, A058986.
@pytest.mark.parametrize(
    ("count", "row"),
    [
        (4, [1, 3, 6, 11, 3]),
        (5, [1, 4, 12, 35, 48, 20]),
        (6, [1, 5, 20, 79, 199, 281, 133, 2]),
        (7, [1, 6, 30, 149, 543, 1357, 1903, 1016, 35]),
    ],
)
@pytest.mark.parametrize("grain", [None, (0, 1, 1, 0), (0, 30, 1, 0)])
def test_moves_may_permute_all_cells(count, row, grain):
    for threads in (1, 2):
        options = RunOptions(threads=threads, store="dense", grain=grain_of(grain))
        assert [depth.states for depth in Engine(flips(count)).enumerate("flips", options).depths] == row


def test_moves_across_many_blocks_are_counted():
    report = Engine(flips(9)).enumerate("flips", RunOptions(store="dense"))
    assert (report.states, report.max_depth) == (362_880, 10)
    assert depths(report) == depths(Engine(flips(9)).enumerate("flips", RunOptions(store="sparse")))


def test_the_reason_names_the_move_in_the_way():
    two = Rules(
        symbols="abc", start="abc", moves=[swap(0, 1).when({0: "a"}).named("x"), swap(1, 2).when({1: "b"}).named("y")]
    )
    new = Rules(symbols="abcd", start="abc", moves=[Move(then={0: "d"}).named("paint")])
    more = Rules(
        symbols="abc", start="abc", moves=[swap(0, 1).when({0: "a", 2: "c"}).named("x"), swap(1, 2).named("y")]
    )

    def twisting(cells, ring, middle=""):
        """Pieces on a ring of cells, which turn over as they go on, and others that go around in the middle."""
        turned = {piece: f"{piece}+" for piece in ring} | {f"{piece}+": piece for piece in ring}
        on = {to: Copy(at, turned) for at, to in zip(cells, cells[1:] + cells[:1], strict=True)}
        centre = [*range(len(ring), len(ring) + len(middle))]
        around = {to: Copy(at, turned) for at, to in zip(centre, centre[1:] + centre[:1], strict=True)}
        return Rules(symbols=[*turned, *middle], start=[*ring, *middle], moves=[Move(on | around).named("on")])

    def swapped(first, second, *maps):
        """Two pieces that change places, and are turned by each of some maps on the way."""
        symbols = sorted({symbol for given in maps for symbol in given} | {first, second})
        moves = [Move({0: Copy(1, given), 1: Copy(0, given)}).named(f"{at}") for at, given in enumerate(maps)]
        return Rules(symbols=symbols, start=[first, second], moves=moves)

    other = {"a0": "a1", "a1": "a2", "a2": "a0", "x0": "x1", "x1": "x0"}
    # These four turns of a piece are no circle: each turn undoes itself.
    pairs = [{f"{p}{n}": f"{p}{n ^ by}" for p in "ab" for n in range(4)} for by in (1, 2)]
    guarded = twisting([0, 1, 2], "abc")
    guarded = replace(guarded, moves=[*guarded.moves, swap(0, 1).when({2: "c"}).named("if")])
    # The pieces in the middle are of another kind.
    assert has_index(twisting([0, 1, 2], "abc"))
    assert has_index(twisting([0, 1, 2], "abc", "xy"))
    assert has_index(swapped("a0", "a1", other))  # two pieces that look alike, one of them twisted
    circles = (
        "the moves twist pieces, but their maps do not turn all pieces of a kind around circles by the same number of "
        "twists"
    )
    for rules, why in (
        (swapped("a0", "x0", other), circles),
        (swapped("a0", "b0", *pairs), circles),
        (guarded, 'the moves twist pieces, but the move "if" has a guard'),
        (
            twisting([*range(13)], "abcdefghijklm"),
            "the moves twist 13 pieces of a kind, and an index takes at most 12",
        ),
        (two, 'the move "x" needs "a" and the move "y" needs "b"'),
        (new, 'the move "paint" does more than rearrange cells'),
        (more, 'the move "x" needs more than one symbol in one cell'),
        (flips(17), "it takes at most 16 cells with distinct symbols, and these are 17"),
    ):
        reason = f"the rules have no perfect index: {why}"
        assert Engine(rules).plan("rules", RunOptions(), None).store_reason == reason
        with pytest.raises(UsageError, match=f"{reason}; leave the store to the engine"):
            Engine(rules).enumerate("rules", RunOptions(store="dense"))


def test_what_has_no_cheap_index_is_left_to_the_sparse_store():
    # Two moves with the same effect are two moves.
    twice = Rules(
        symbols=".x",
        start="....",
        moves=[Move(then={cell: "x"}).when({cell: "."}).named(f"{cell}{again}") for cell in range(4) for again in "ab"],
    )
    assert not has_index(twice)
    # The rules have 256 symmetries, with which the dense store would have much work for each row.
    swaps = [Symmetry(tuple(c ^ 1 if c // 2 == pair else c for c in range(16))) for pair in range(8)]
    many = Rules(
        symbols=".x",
        start="." * 16,
        moves=[Move(then={cell: "x"}).when({cell: "."}).named(f"{cell}") for cell in range(16)],
        symmetries=swaps,
    )
    assert not has_index(many)


def test_a_run_takes_no_more_than_was_estimated():
    engine = Engine(puzzlekit.load("tictactoe:5,4,4").rules())
    needs = engine.plan("rules", RunOptions(max_depth=9, store="dense"), None).memory_bytes
    held = []
    engine.enumerate(
        "rules", RunOptions(max_depth=9, threads=1, store="dense"), lambda progress: held.append(progress.store_bytes)
    )
    assert 0 < max(held) <= needs


def twiddle(rows: int, columns: int) -> Rules:
    """Pieces with four turns; a move turns a block of four, and each piece of it, clockwise."""
    pieces = string.ascii_lowercase[: rows * columns]
    turned = {f"{piece}{turn}": f"{piece}{(turn + 1) % 4}" for piece in pieces for turn in range(4)}
    moves = []
    for row, column in product(range(rows - 1), range(columns - 1)):
        left, right = row * columns + column, row * columns + column + 1
        around = [left, right, right + columns, left + columns]
        ways = zip(around, [*around[1:], left], strict=True)
        moves.append(Move({to: Copy(at, turned) for at, to in ways}).named(str(left)))
    return Rules(symbols=list(turned), start=[f"{piece}0" for piece in pieces], moves=moves)


def test_the_order_of_the_group_chooses_the_store():
    """The order of the group tells that play reaches 92,897,280 of the 2.4e10 numbers of the index."""
    plan = Engine(twiddle(3, 3)).plan("rules", RunOptions(), None)
    assert (plan.store, plan.store_reason) == ("sparse", "only 92897280 states can be reached")
    # In these rules, play reaches all numbers of the index, or a third of them.
    for rules in (boards.burnt(8), boards.corners(*"URF")):
        assert Engine(rules).plan("rules", RunOptions(), None).store == "dense"


def test_what_the_first_depths_foretell_chooses_the_store():
    """Up to depth 21 there are far fewer states than numbers of the index; up to depth 40 there are enough."""
    board = boards.slide(3, 4)
    store, reason = chosen(board, 21)
    assert store == "sparse"
    foretold = int(re.fullmatch(r"about (\d+) states can be reached to depth 21", reason)[1])
    counted = Engine(board).enumerate("rules", RunOptions(max_depth=21, store="sparse"))
    assert counted.states <= foretold <= 4 * counted.states
    for last in (40, None):
        assert Engine(board).plan("rules", RunOptions(max_depth=last), None).store == "dense"
