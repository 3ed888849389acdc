"""Boards with holes, of hexagons and in a ring; states as people draw them."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from puzzlekit import Beside, Copy, Grid, HexGrid, Move, Ring, Rules, RulesError, StateError, anything_but, put, swap
from puzzlekit.describe.places import generators
from puzzlekit.run.engine import Engine
from puzzlekit.testing.plain import naive
from puzzlekit.view.layout import spots
from tests.naive import Naive
from tests.support import RunOptions

PEGS = """
      ooo
      ooo
    ooooooo
    ooo.ooo
    ooooooo
      ooo
      ooo
"""


def jumps(grid):
    """The moves of peg solitaire on a board."""
    for line in grid.lines(3):
        rows, columns = ({place[axis] for place in map(grid.place, line)} for axis in (0, 1))
        for first, over, last in (line, line[::-1]) if 1 in (len(rows), len(columns)) else ():
            hole = Move({first: ".", over: ".", last: "o"}).when({first: "o", over: "o", last: "."})
            yield hole.named(f"{first}-{last}")


def order(symmetries, cells):
    """The order of the group that symmetries generate."""
    group, pending = {tuple(range(cells))}, [tuple(range(cells))]
    while pending:
        element = pending.pop()
        for symmetry in symmetries:
            image = tuple(symmetry.cells[cell] for cell in element)
            if image not in group:
                group.add(image)
                pending.append(image)
    return len(group)


@pytest.fixture(scope="module")
def english():
    grid = Grid.drawn(PEGS)
    return Engine(
        Rules(symbols=".o", start=PEGS, moves=jumps(grid), board=grid, symmetries=grid.symmetries(), goal=[{16: "o"}])
    )


def test_a_drawn_board_numbers_its_cells_alone(english):
    grid = Grid.drawn(PEGS)
    assert (grid.rows, grid.columns, grid.cells, len(grid.holes)) == (7, 7, 33, 16)
    assert (grid.place(0), grid.place(6), grid.cell(3, 3)) == ((0, 2), (2, 0), 16)
    assert len(english.move_names) == 76
    assert english.symmetry_order == 8
    # The counts of English peg solitaire from the centre: https://oeis.org/A112737.
    depths = english.enumerate("pegs", RunOptions(max_depth=7)).depths
    assert [depth.states for depth in depths] == [1, 1, 2, 8, 39, 171, 719, 2757]


def test_states_of_a_drawn_board_are_written_without_its_holes(english):
    assert english.start == "ooo/ooo/ooooooo/ooo.ooo/ooooooo/ooo/ooo"
    notation = english.notation
    assert english.canonical(PEGS) == english.start
    assert notation.write(*notation.read(english.start.replace("/", ""))) == english.start
    assert notation.board(english.start).splitlines()[1:4] == ["    o o o", "o o o o o o o", "o o o . o o o"]
    assert notation.write(*notation.read(notation.board(english.start))) == english.start


def test_walls_and_holes_count_the_same(english):
    walls = Grid(7, 7)
    start = [
        "#" if (row < 2 or row > 4) and (column < 2 or column > 4) else "." if (row, column) == (3, 3) else "o"
        for row, column in map(walls.place, walls)
    ]
    rules = Rules(symbols="#.o", start=start, moves=jumps(walls), columns=7, symmetries=walls.symmetries())
    with_walls = Engine(rules)
    assert with_walls.word_bits == english.word_bits == 64
    assert [
        (depth.states, depth.raw_states, depth.open)
        for depth in with_walls.enumerate("w", RunOptions(max_depth=6)).depths
    ] == [
        (depth.states, depth.raw_states, depth.open) for depth in english.enumerate("h", RunOptions(max_depth=6)).depths
    ]
    # A state with a wall in another place cannot be reached by play, but the engine must read it.
    moved = with_walls.start.replace("##ooo", "#o#oo", 1)
    naive = Naive(rules.to_data())
    after = {cells for _, (cells, _) in naive.successors((tuple(moved.replace("/", "")), 0))}
    found = {tuple(with_walls.apply(moved, move).replace("/", "")) for move in with_walls.legal_moves(moved)}
    assert found == after
    assert len(found) == 4
    assert with_walls.key(moved) == with_walls.key(with_walls.canonical(moved)) != with_walls.key(with_walls.start)


@given(st.integers(1, 4), st.integers(1, 4), st.data())
def test_holes_leave_what_has_no_hole(rows, columns, data):
    places = list(itertools.product(range(rows), range(columns)))
    holes = data.draw(st.sets(st.sampled_from(places), max_size=len(places) - 1))
    whole, grid = Grid(rows, columns), Grid(rows, columns, holes)
    cells = {whole.cell(*place): cell for cell, place in enumerate(place for place in places if place not in holes)}

    def kept(found):
        return [tuple(cells[cell] for cell in some) for some in found if all(cell in cells for cell in some)]

    assert [grid.place(cell) for cell in grid] == [place for place in places if place not in holes]
    for length in (1, 2, 3):
        assert grid.lines(length) == kept(whole.lines(length))
    assert [step[:2] for step in grid.steps()] == kept(step[:2] for step in whole.steps())
    directions = {step[:2]: step[2] for step in whole.steps()}
    assert all(
        directions[whole.cell(*grid.place(a)), whole.cell(*grid.place(b))] == name for a, b, name in grid.steps()
    )
    for cell in grid:
        on_whole = whole.cell(*grid.place(cell))
        for diagonal in (False, True):
            near = [cells[other] for other in whole.neighbours(on_whole, diagonal=diagonal) if other in cells]
            assert grid.neighbours(cell, diagonal=diagonal) == near
    blocks = [whole.block(corner) for corner in whole.corners()]
    assert [tuple(grid.block(corner)) for corner in grid.corners()] == kept(blocks)
    assert sum(grid.row_lengths) == grid.cells


@given(st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1))
def test_symmetries_of_a_board_with_holes_are_all_of_them(places):
    holes = set(itertools.product(range(4), range(4))) - places
    grid = Grid(4, 4, holes)
    squares = [lambda r, c: (r, c), lambda r, c: (c, -r), lambda r, c: (-r, -c), lambda r, c: (-c, r)]
    maps = [*squares, *((lambda r, c, turn=turn: turn(c, r)) for turn in squares)]

    def at_corner(some):
        top, left = min(r for r, _ in some), min(c for _, c in some)
        return [(r - top, c - left) for r, c in some]

    real = [grid.place(cell) for cell in grid]
    numbers = {place: cell for cell, place in enumerate(at_corner(real))}
    images = (at_corner([move(*place) for place in real]) for move in maps)
    expected = {tuple(numbers[place] for place in image) for image in images if set(image) == set(numbers)}
    if holes:
        found = grid.symmetries()
        assert order(found, grid.cells) == len(expected)
        assert {symmetry.cells for symmetry in found} <= expected
        assert {symmetry.cells for symmetry in grid.rotations()} <= expected


def test_a_ring_of_cells_around_a_hole_can_be_turned():
    grid = Grid.drawn("ooo/o#o/ooo")
    assert (grid.cells, grid.corners(3, 3), grid.block(0, 3, 3)) == (8, [0], [0, 1, 2, 4, 7, 6, 5, 3])
    assert grid.corners(2, 2) == []
    assert order(grid.symmetries(), 8) == 8


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Grid(2, 2, [(2, 0)]), "no place for a hole in row 2, column 0 of a grid of 2 rows and 2 columns"),
        (lambda: Grid(1, 1, [(0, 0)]), "all places of a grid of 1 rows and 1 columns, numbered from 0 are holes"),
        (lambda: Grid(2, 2, [(0, 1)]).cell(0, 1), "there is a hole in row 0, column 1"),
        (lambda: Grid(3, 3, [(0, 1)]).block(0), "no block of 2 by 2 begins at cell 0"),
        (lambda: Grid.drawn("  \n "), "drawn without a cell"),
        (lambda: Grid.drawn(7), "drawn as 7; give a text of lines"),
        (lambda: HexGrid([]), "has no places; give at least one"),
        (lambda: HexGrid.hexagon(0), "a hexagon has 0 cells on a side; give a whole number from 1"),
        (lambda: HexGrid.triangle(2).cell(0, 1), "no cell in row 0, column 1"),
        (lambda: HexGrid.triangle(2).place(3), "no cell 3 on this board; cells go from 0 to 2"),
        (lambda: HexGrid.triangle(2).lines(0), "a line of 0 cells is none"),
        (lambda: Ring(2), "a ring has 2 cells; give a whole number from 3"),
        (lambda: Ring(4).arc(4, 2), "no cell 4 in a ring of 4 cells"),
        (lambda: Ring(4).arc(0, 5), "an arc of 5 cells is none of a ring of 4; give 1 to 4"),
        (lambda: Ring(4).neighbours(4), "no cell 4 in a ring of 4 cells"),
        (lambda: Ring(4).lines(0), "a line of 0 cells is none"),
    ],
)
def test_what_is_no_board_is_told_in_a_sentence(make, message):
    with pytest.raises(RulesError, match=message):
        make()


@pytest.mark.parametrize(
    ("board", "cells", "lines", "symmetries", "rotations"),
    [
        (HexGrid.hexagon(1), 1, 0, 1, 1),
        (HexGrid.hexagon(2), 7, 3, 12, 6),
        (HexGrid.hexagon(5), 61, 3 * (3 + 4 + 5 + 6) * 2 + 3 * 7, 12, 6),
        (HexGrid.triangle(5), 15, 3 * (1 + 2 + 3), 6, 3),
        (HexGrid.rhombus(3, 3), 9, 3 + 3 + 1, 4, 2),
        (HexGrid.rhombus(2, 3), 6, 2, 2, 2),
        (HexGrid([(0, 0), (0, 1), (1, 1)]), 3, 0, 2, 1),
    ],
    ids=str,
)
def test_boards_of_hexagons(board, cells, lines, symmetries, rotations):
    assert (board.cells, len(board.lines(3))) == (cells, lines)
    assert order(board.symmetries(), cells) == symmetries
    assert order(board.rotations(), cells) == rotations
    steps = {step[:2] for step in board.steps()}
    assert steps == {(b, a) for a, b in steps} == {(cell, other) for cell in board for other in board.neighbours(cell)}
    assert {frozenset(pair) for pair in board.lines(2)} == {frozenset(pair) for pair in steps}
    # A symmetry carries neighbours onto neighbours.
    for symmetry in board.symmetries():
        assert {(symmetry.cells[a], symmetry.cells[b]) for a, b in steps} == steps
    assert all(board.cell(*board.place(cell)) == cell for cell in board)


def test_no_symmetry_of_a_hexagonal_board_is_missed():
    places = HexGrid.hexagon(3).places
    found = generators(places, [(str(n), lambda r, c: (c, r)) for n in range(3)])
    assert len(found) == 1, "a map that adds nothing is no generator"


@pytest.mark.parametrize(("ring", "cells", "symmetries"), [(Ring(3), 3, 6), (Ring(8), 8, 16), (Ring(8, True), 9, 16)])
def test_rings(ring, cells, symmetries):
    assert (ring.cells, order(ring.symmetries(), cells), order(ring.rotations(), cells)) == (
        cells,
        symmetries,
        symmetries // 2,
    )
    steps = {step[:2] for step in ring.steps()}
    assert steps == {(cell, other) for cell in ring for other in ring.neighbours(cell)}
    for symmetry in ring.symmetries():
        assert {(symmetry.cells[a], symmetry.cells[b]) for a, b in steps} == steps
    assert len({step[2] for step in ring.steps() if step[0] == ring.length}) == (ring.length if ring.centre else 0)


def test_lines_of_a_ring():
    assert len(Ring(8).lines(3)) == 8
    assert len(Ring(8, centre=True).lines(3)) == 12
    assert Ring(5).lines(5) == [(0, 1, 2, 3, 4)]
    assert Ring(5).lines(6) == []
    assert Ring(3, centre=True).lines(1) == [(0,), (1,), (2,), (3,)]


@pytest.mark.parametrize("board", [HexGrid.triangle(4), Ring(5, centre=True), Grid(3, 3, [(0, 0), (1, 1)])], ids=str)
def test_every_board_says_how_its_states_are_written(board):
    start = "o" * (board.cells - 1) + "."
    moves = [swap(a, b).when({a: "o", b: "."}).named(f"{a}-{b}") for a, b, _ in board.steps()]
    rules = Rules(symbols=".o", start=start, moves=moves, board=board, symmetries=[])
    engine = Engine(rules)
    assert [len(row) for row in engine.start.split("/")] == list(board.row_lengths)
    notation = engine.notation
    assert notation.write(*notation.read(notation.board(engine.start))) == engine.start
    counts = [len(layer.raw) for layer in Naive(rules.to_data()).layers()]
    assert [depth.raw_states for depth in engine.enumerate("board", RunOptions()).depths] == counts


def made(**changes):
    return Rules(**{"symbols": "ab", "start": "abba", "moves": [swap(0, 1)], **changes})


@pytest.mark.parametrize(
    ("start", "columns"),
    [
        ("abba", None),
        ("ab/ba", 2),
        ("ab\nba", 2),
        ("\n  a b\n  b a\n", 2),
        ("a/b/b/a", 1),
        ("ab ba", None),
        ("a,b,b,a", None),
    ],
)
def test_a_start_may_be_drawn(start, columns):
    rules = made(start=start)
    assert (rules.start, rules.columns) == (tuple("abba"), columns)


def test_goals_may_be_drawn():
    for goal in ("ba/ab", "ba\nab", ["b a a b"], [("b", "a", "a", "b")], ("b", "a", "a", "b")):
        rules = made(goal=goal, columns=2)
        assert Engine(rules).goal == "ba/ab", goal
    assert Engine(made(goal="b/aab")).goal == "baab"
    several = made(goal=["ab/ba", {0: anything_but("a")}], columns=2).to_data()["goal"]
    assert (len(several[0]), several[1]) == (4, ((0, ("b",)),))


def test_drawings_of_long_symbols():
    names = ["red", "blue"]
    rules = Rules(symbols=names, start="red blue / blue red", goal="blue, red, red, blue", moves=[swap(0, 1)])
    assert (rules.start, rules.columns) == (("red", "blue", "blue", "red"), 2)
    assert Engine(rules).goal == "blue,red,red,blue"
    numbers = Rules(symbols=range(12), start="10 11/1 0", goal=[10, 11, 0, 1], moves=[swap(0, 1)])
    assert numbers.start == ("10", "11", "1", "0")
    assert Engine(numbers).goal == "10,11,0,1"
    assert Rules(symbols=[1, 0, 10], start="10", moves=[]).start == ("1", "0")


def test_a_list_of_symbols_is_one_state():
    for symbols in (["red", "blue"], range(2), "ab"):
        rules = Rules(symbols=symbols, start=list(symbols), goal=list(symbols)[::-1], moves=[swap(0, 1)])
        assert [held for _, (held,) in rules.to_data()["goal"][0]] == list(map(str, symbols))[::-1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"start": "ab/b"}, r"the start is drawn in rows of 2, 1 cells; draw rows of one length, or give the board"),
        (
            {"start": "ab/ba", "columns": 4},
            "the start is drawn in rows of 2, 2 cells, and the board has rows of 4; draw",
        ),
        ({"goal": "b/aab", "columns": 2}, "the goal is drawn in rows of 1, 3 cells, and the board has rows of 2, 2"),
        ({"goal": ["ab", "ba/abb"]}, "goal 1 has 2 cells, and the start has 4; give both the same number"),
        ({"goal": ["a", "b"]}, "goal lists 2 symbols, and a state has 4 cells; give a symbol for each, or a list of"),
        ({"board": Grid(2, 2), "columns": 2}, "the rules have a board and columns; give a Grid, a HexGrid or a Ring"),
        ({"board": 2}, "the rules have the board 2; give a Grid"),
        ({"board": Grid(2, 3)}, "the start has 4 cells, and the board 6; give each its symbol"),
        ({"board": Grid(2, 3, [(0, 0), (1, 1)]), "start": "ab/ba/"}, None),
        ({"board": Grid(2, 3, [(0, 0), (1, 1)]), "start": "aba/b"}, "drawn in rows of 3, 1 cells, and the board has"),
    ],
)
def test_drawings_of_the_wrong_form(changes, message):
    if message is None:
        assert made(**changes).row_lengths == (2, 2)
        return
    with pytest.raises(RulesError, match=message):
        made(**changes).to_data()


def test_marks_of_holes_are_no_cells():
    picture = "#ab\nb#a"
    rules = made(start=picture, board=Grid.drawn(picture))
    assert (Engine(rules).start, rules.board.holes) == ("ab/ba", ((0, 0), (1, 1)))
    # A character that usually marks a hole stands for a cell if it is a symbol of the rules.
    walled = made(symbols="ab#", start=picture, columns=3)
    assert walled.start == tuple("#abb#a")


def test_a_move_that_copies_from_a_wall_writes_what_the_wall_holds():
    engine = Engine(Rules(symbols="ab#", start="#ab", moves=[Move({1: Copy(0, {"#": "b"})}), put(2, "a")]))
    assert engine.word_bits == 32
    assert {engine.apply(engine.start, "0"), engine.apply(engine.start, "1")} == {"#bb", "#aa"}


def morris():
    """A game with two phases: players put stones from their hands on the board, and then move them."""
    grid = Grid.drawn("oo/o#/oo")
    board = Beside(grid, 2)
    hand = dict(zip("XO", board.extra, strict=True))
    moves = [
        Move({cell: own, hand[own]: left - 1}).when({cell: ".", hand[own]: left}).named(cell).by(own)
        for own in "XO"
        for cell in grid
        for left in (1, 2)
    ]
    moves += [
        swap(a, b).when({a: own, b: ".", hand[own]: 0}).named(f"{a}-{b}").by(own)
        for own in "XO"
        for a, b, _ in grid.steps()
    ]
    return Rules(
        symbols=".XO012",
        start="""
            ..
            .#
            ..
            22
        """,
        moves=moves,
        players="XO",
        stuck="loss",
        board=board,
        symmetries=board.symmetries(),
    )


def test_cells_beside_a_board():
    rules = morris()
    engine = Engine(rules)
    assert (engine.start, engine.notation.row_lengths) == (".././../22:X", (2, 1, 2, 2))
    assert engine.notation.board(engine.start) == ". .\n.\n. .\n\n2 2"
    assert [symmetry.cells for symmetry in rules.symmetries] == [(3, 4, 2, 0, 1, 5, 6)]
    report = engine.enumerate("morris", RunOptions(max_depth=100))
    plain = Engine(replace(rules, symmetries=())).enumerate("morris", RunOptions(max_depth=100))
    assert [depth.raw_states for depth in report.depths] == [depth.states for depth in plain.depths]
    assert [depth.states for depth in plain.depths] == [n for n, _, _ in naive(rules.to_data(), 10**6)]
    assert report.states < plain.states
    drawn = spots(7, rules.board, rules.row_lengths)
    assert [(spot.x, spot.y) for spot in drawn[3:]] == [(0.5, 2.5), (1.5, 2.5), (0.5, 4.0), (1.5, 4.0)]
    assert [spot.name for spot in drawn[5:]] == ["place 1 beside the board", "place 2 beside the board"]
    assert Beside(Ring(3, centre=True), 1).picture("abcde") == "a b c\nd\n\ne"
    assert Beside(HexGrid.triangle(2), 2).symmetries()[0].cells[3:] == (3, 4)


@pytest.mark.parametrize(
    ("board", "count", "message"),
    [
        (None, 1, "cells are beside None; give a Grid, a HexGrid or a Ring"),
        (Beside(Ring(3), 1), 1, "give a Grid, a HexGrid or a Ring"),
        (Ring(3), 0, "there are 0 cells beside the board; give a whole number from 1"),
        (Ring(3), True, "there are True cells beside the board"),
    ],
)
def test_cells_beside_nothing(board, count, message):
    with pytest.raises(RulesError, match=message):
        Beside(board, count)


def test_more_cells_than_the_board_has():
    message = (
        r"the start has 6 cells, and the board 4; .*; for 2 beside it, as in a hand, give board=Beside\(board, 2\)"
    )
    with pytest.raises(RulesError, match=message):
        Rules(symbols=".2", start="....22", moves=[], board=Grid(2, 2))
    with pytest.raises(RulesError, match=r"the start has 3 cells, and the board 4; give each its symbol$"):
        Rules(symbols=".2", start="...", moves=[], board=Grid(2, 2))


def test_a_state_is_read_with_marks_for_its_holes(english):
    text = english.start
    drawn = "\n".join(line.ljust(7).replace(" ", "#") for line in PEGS.replace("\n    ", "\n").strip("\n").splitlines())
    assert drawn.count("#") == 16
    assert english.notation.read(drawn) == english.notation.read(text)
    with pytest.raises(StateError, match='has "#" in cell'):
        english.notation.read(f"{drawn}#")
    with pytest.raises(StateError, match="has 32 cells; give 33"):
        english.notation.read(drawn.replace("o", "#", 1).replace("#", "", 1))
    # The names of the players are characters that mark holes: they must be read as names.
    game = Engine(replace(morris(), players="X#", moves=[put(0, "X").when({0: "."}).by("#")], symmetries=()))
    assert game.notation.read("../.#/../22:#") == (bytes([0, 0, 0, 0, 0, 5, 5]), 1)
    whole = Engine(Rules(symbols=".o", start="....", moves=[put(0, "o")], columns=2, goal=["oooo"]))
    with pytest.raises(StateError, match='has "#" in cell 0'):
        whole.notation.read("#....")
    square = Engine(Rules(symbols=".o", start="....", moves=[put(0, "o")], board=Grid(2, 2)))
    with pytest.raises(StateError, match='has "#" in cell 0'):
        square.notation.read("#....")
