"""Views: every legal move has a gesture, looks differ in more than colour, and pictures are well-formed."""

import json
import random
import re
from dataclasses import replace
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import puzzlekit
from puzzlekit import Caption, Copy, Grid, HexGrid, Move, Ring, Rules, RulesError, Spot, cycle, put, swap, toggle
from puzzlekit.run.engine import Engine
from puzzlekit.view.characters import board, plain, squeezed, width
from puzzlekit.view.gestures import Gesture, Option
from puzzlekit.view.layout import LINES, half_height, half_width, piled
from puzzlekit.view.looks import COLOURS, Look, contrast, home_colour
from puzzlekit.view.view import View
from puzzlekit.view.view_data import view_data, view_of_data
from tests import gallery
from tests.gallery import FILES
from tests.pictures import FOLDER, pictures
from tests.test_oracle import random_rules

BUILT_IN = sorted(puzzlekit.puzzles())
PUZZLES = [*BUILT_IN, *map(str, FILES.values())]


QUICK = {
    *BUILT_IN,
    "cube2_stickers",
    "dots_and_boxes",
    "hanoi",
    "hex",
    "kalah",
    "klotski",
    "lights_out",
    "mu_torere",
    "river",
}
"""The puzzles that the quick run looks at: each kind of board, of piece and of gesture."""


@pytest.fixture(
    params=[pytest.param(text, marks=() if Path(text).stem in QUICK else pytest.mark.slow) for text in PUZZLES],
    ids=lambda text: text.rpartition("/")[2],
)
def puzzle(request):
    return puzzlekit.load(request.param)


def walk(puzzle, moves=60, seed=1):
    """The states of a random play, each with the moves that led to it."""
    chosen, state, made = random.Random(seed), puzzle.start, []
    for _ in range(moves):
        yield state, tuple(made)
        legal = puzzle.legal_moves(state)
        if not legal:
            state, made = puzzle.start, []
            continue
        made.append(chosen.choice(legal))
        state = puzzle.apply(state, made[-1])


def test_every_legal_move_has_a_gesture_and_no_other_has(puzzle):
    view = puzzle.view()
    for state, _ in walk(puzzle, 25):
        legal = puzzle.legal_moves(state)
        live = view.live(state, legal)
        by_hand = {move for chance in live if view.gestures[chance.gesture].kind != "key" for move in chance.moves}
        assert by_hand == set(legal)
        by_key = {move for chance in live if view.gestures[chance.gesture].kind == "key" for move in chance.moves}
        assert by_key <= set(legal)


def test_looks_do_not_differ_in_colour_alone(puzzle):
    looks = puzzle.view().looks
    shown = [(look.shape, look.text, look.colour if look.colour in ("black", "white") else "") for look in looks]
    assert len(set(shown)) == len(shown)
    for look in looks:
        assert look.colour in COLOURS or contrast(look.ink, look.fill) >= 4.5


def test_a_board_of_any_size_is_a_gradient_that_can_be_read():
    """Pieces of one row have one hue. No two pieces of a board have the same colour."""
    for rows, columns in product(range(1, 11), repeat=2):
        places = [
            (row / max(rows - 1, 1), column / max(columns - 1, 1)) for row in range(rows) for column in range(columns)
        ]
        colours = [home_colour(row, column) for row, column in places]
        assert len(set(colours)) == rows * columns
        assert {Look("tile", "1", colour).ink for colour in colours} == {"#14202b"}
        assert all(contrast("#14202b", colour) >= 4.5 for colour in colours)


def test_pieces_are_coloured_by_their_home():
    view = puzzlekit.load("slider:4,4").view()
    colours = [look.colour for look in view.looks]
    assert colours[1:4] == [home_colour(0, column / 3) for column in (1, 2, 3)]
    assert colours[4] == home_colour(1 / 3, 0)
    assert view.looks[0].shape == "none"


def test_blocks_have_one_colour_each():
    klotski = puzzlekit.load(str(FILES["klotski"]))
    colours = dict(zip(klotski.view().symbols, (look.colour for look in klotski.view().looks), strict=True))
    assert colours["^"] == colours["v"]
    assert len({colours[name] for name in "1234"}) == 1
    assert len({colours[name] for name in "^<1o"}) == 4


def test_cells_lie_apart_and_inside(puzzle):
    view = puzzle.view()
    assert [spot.cell for spot in view.spots] == list(range(len(view.spots)))
    for spot in view.spots:
        if spot.shape != "stack":
            wide, high = half_width(spot), half_height(spot)
            assert wide - 0.01 < spot.x < view.width - wide + 0.01
            assert high - 0.01 < spot.y < view.height - high + 0.01
        for other in view.spots[: spot.cell]:
            least = 0.24 if {*LINES} & {spot.shape, other.shape} else 0.98
            assert (spot.x - other.x) ** 2 + (spot.y - other.y) ** 2 > least


def test_the_data_is_json_and_complete(puzzle):
    view = puzzle.view()
    data = json.loads(json.dumps(view.as_dict()))
    assert data["schema"] == "puzzlekit.view/1"
    assert data == view.as_dict()
    assert len(data["cells"]) == len(view.spots)
    names = {move for gesture in data["gestures"] if gesture["kind"] != "key" for move in gesture["moves"]}
    assert names == set(puzzle.engine.move_names)


def test_pictures_are_well_formed(puzzle):
    for state, made in walk(puzzle, 2):
        root = ElementTree.fromstring(str(puzzle.picture(state, made)))
        assert root.tag.endswith("svg")
        cells = [each.get("data-cell") for each in root.iter() if "cell" in (each.get("class") or "").split()]
        assert cells == [str(cell) for cell in range(len(puzzle.view().spots))]


def kinds(text_id):
    return {gesture.kind for gesture in puzzlekit.load(text_id).view().gestures}


def gesture(view, kind, move):
    return [each for each in view.gestures if each.kind == kind and move in each.moves]


def test_the_built_in_puzzles_are_played_as_their_sources_show():
    tiles = puzzlekit.load("slider:3,4").view()
    live = tiles.live(start := puzzlekit.load("slider:3,4").start, puzzlekit.load("slider:3,4").legal_moves(start))
    pressed = {tiles.gestures[it.gesture].cells: it.moves for it in live if tiles.gestures[it.gesture].kind == "press"}
    assert pressed == {(1,): ("R",), (4,): ("D",)}
    assert {each.key: each.moves for each in tiles.gestures if each.kind == "key"}.items() >= {
        ("ArrowRight", ("R",)),
        ("ArrowLeft", ("L",)),
        ("ArrowUp", ("U",)),
        ("ArrowDown", ("D",)),
    }
    rotation = puzzlekit.load("rotation").view()
    buttons = {each.label: (each.x, each.y) for each in rotation.gestures if each.kind == "point"}
    assert buttons == {"A": (1, 1), "B": (2, 1), "C": (1, 2), "D": (2, 2)}
    flips = puzzlekit.load("flipit:3,5").view()
    assert {each.moves: each.cells for each in flips.gestures} == {(str(cell + 1),): (cell,) for cell in range(15)}
    assert flips.marked(["4", "9", "4", "1"]) == (0, 8)
    assert [look.colour for look in flips.looks] == ["white", "black"]
    small = puzzlekit.load("flipit:2,2").view()  # each press flips all four disks
    assert {each.moves: each.cells for each in small.gestures if each.kind == "press"} == {
        (str(cell + 1),): (cell,) for cell in range(4)
    }
    board = puzzlekit.load("tictactoe:4,5,3").view()
    assert [each.cells for each in board.gestures if each.kind == "press"] == [(cell,) for cell in range(20)]


def test_the_gallery_is_played_by_hand():
    """The expected gestures were chosen by looking at the pictures: a person would make the moves in this way."""
    expected = {
        "pegs": ("drag", "0-2", (0, 2)),
        "knights": ("drag", "0-5", (0, 5)),
        "connect_four": ("press", "2", (1, 5, 9, 13)),
        "pancakes": ("press", "5", (4,)),
        "chomp": ("press", "7", (7,)),
        "klotski": ("drag", "14-18", (14, 18)),
        "rush_hour": ("drag", "A+1", (12, 13)),
        "hexapawn": ("drag", "3-0", (3, 0)),
        "mu_torere": ("press", "centre", (8,)),
        "lights_out": ("press", "4", (4,)),
        "nim": ("press", "B-2", (1,)),
        "cube3": ("press", "R2", (4,)),
    }
    for name, (kind, move, cells) in expected.items():
        found = gesture(puzzlekit.load(str(FILES[name])).view(), kind, move)
        assert cells in [each.cells for each in found], name


def test_a_face_is_turned_at_its_middle():
    """On a net, the stickers that a turn takes on other faces lie far away; those of its own face lie around it."""
    cube = puzzlekit.load(str(FILES["cube3"])).view()
    middles = {each.cells: each.moves for each in cube.gestures}
    assert middles == {
        (9 * at + 4,): (face, f"{face}'", f"{face}2") for at, face in enumerate(("R", "L", "U", "D", "F", "B"))
    }
    small = puzzlekit.load(str(FILES["cube2_stickers"])).view()
    buttons = {each.moves[0]: (each.kind, each.x, each.y) for each in small.gestures}
    assert buttons == {"U": ("point", 3, 1), "R": ("point", 5, 3), "F": ("point", 3, 3)}


def test_a_button_shows_which_way_it_turns():
    for cells, arrow in (((0, 1, 3, 2), "↻"), ((0, 2, 3, 1), "↺")):
        button = View.of(Rules("1234", "12/34", [cycle(*cells).named("turn")])).gestures[0]
        assert (button.kind, button.turn) == ("point", arrow)
    half = (cycle(0, 1, 3, 2) ** 2).named("half")
    assert View.of(Rules("1234", "12/34", [half])).gestures[0].turn == ""


def test_a_cell_that_all_moves_of_a_name_fill_is_pressed():
    """The moves of a name turn over other discs, or take other boxes; the cell of the name is the one they all fill."""
    for name, first in (("othello", ("1", "4", "11", "14")), ("dots_and_boxes", ("0", "1", "2"))):
        puzzle = puzzlekit.load(str(FILES[name]))
        kinds = {move: (each.kind, each.cells) for each in puzzle.view().gestures for move in each.moves}
        assert kinds.pop("pass", ("button",))[0] == "button"
        assert len(kinds) >= len(first)
        assert kinds == {move: ("press", (int(move),)) for move in kinds}
        assert puzzle.legal_moves(puzzle.start)[: len(first)] == list(first)


def test_the_net_of_a_cube_is_folded():
    """The middles of the facets are the points in space by which the file of the cube numbers its stickers."""
    view = puzzlekit.load(str(FILES["cube3"])).view()
    points = [
        tuple(round(sum(getattr(corner, axis) for corner in facet.corners) / 4, 6) for axis in "xyz")
        for facet in view.body
    ]
    faces = [(0, 1), (0, -1), (1, 1), (1, -1), (2, 1), (2, -1)]
    assert points == [
        point
        for axis, sign in faces
        for point in product((-1.5, -1, 0, 1, 1.5), repeat=3)
        if point[axis] == 1.5 * sign and sum(abs(at) == 1.5 for at in point) == 1
    ]
    corners = {(corner.x, corner.y, corner.z) for facet in view.body for corner in facet.corners}
    assert len(corners) == 4**3 - 2**3, "facets meet at their corners"
    with pytest.raises(puzzlekit.RulesError, match="no net of a cube"):
        puzzlekit.load("slider").view().changed(fold=1)


def test_the_data_of_an_older_view_lack_what_is_newer():
    view = puzzlekit.load("slider").view()
    data = view_data(view)
    del data["captions"], data["walls"], data["frame"]
    assert view_of_data(data, view.symbols, 9) == view


@pytest.mark.parametrize("part", ["looks", "gestures", "spots"])
def test_the_data_of_a_view_have_all_of_its_parts(part):
    view = puzzlekit.load("slider").view()
    data = json.loads(json.dumps(view_data(view)))
    assert view_of_data(data, view.symbols, 9) == view
    del data[part]
    with pytest.raises(puzzlekit.CorruptError, match="cannot be read"):
        view_of_data(data, view.symbols, 9)


def test_sides_belong_to_players():
    view = puzzlekit.load(f"{FILES['hex']}:4").view()
    assert [(side.symbol, len(side.lines)) for side in view.sides] == [("X", 7), ("X", 7), ("O", 7), ("O", 7)]
    upper, lower, left, right = (list(side.lines) for side in view.sides)
    assert max(line.y2 for line in upper) < min(line.y1 for line in lower)
    assert max(line.x1 - 0.5 * line.y1 for line in left) < min(line.x1 - 0.5 * line.y1 for line in right)
    assert len({line for side in view.sides for line in side.lines}) == 28, "no edge belongs to both"


def test_two_things_that_turn_at_once_get_a_button():
    board = Grid(2, 6)
    both = (cycle(0, 1, 7, 6) * cycle(4, 5, 11, 10)).named("both")
    view = View.of(Rules("abcdefghijkl", "abcdefghijkl", [both]), board=board)
    assert [(each.kind, each.moves) for each in view.gestures] == [("button", ("both",))]
    far = (cycle(0, 1, 7, 6) * cycle(2, 4, 10)).named("far")
    view = View.of(Rules("abcdefghijkl", "abcdefghijkl", [far]), board=board)
    assert [(each.kind, each.x, each.y) for each in view.gestures] == [("point", 1.0, 1.0)]


def test_a_shared_gesture_is_a_choice():
    puzzle = puzzlekit.load(f"{FILES['nim']}:first=2")
    live = puzzle.view().live(puzzle.start, puzzle.legal_moves(puzzle.start))
    assert sorted(live[0].moves) == ["A-1", "A-2"]


def test_boards_tell_where_cells_lie():
    def spots(board):
        rules = Rules(".x", "." * board.cells, [put(0, "x").when({0: "."})], board=board)
        return View.of(rules)

    holes = spots(Grid(3, 3, holes=[(0, 0), (1, 1)]))
    assert [(spot.x, spot.y) for spot in holes.spots[:3]] == [(1.5, 0.5), (2.5, 0.5), (0.5, 1.5)]
    hexagons = spots(HexGrid.hexagon(2))
    assert {spot.shape for spot in hexagons.spots} == {"hexagon"}
    assert (hexagons.spots[3].x, hexagons.width) == (1.5, 3)
    assert hexagons.spots[3].name == "row 2, column 2"
    ring = spots(Ring(6, centre=True))
    assert ring.spots[6].x == pytest.approx(ring.width / 2, abs=0.001)
    assert ring.spots[0].y == 0.5


def test_the_one_player_of_a_puzzle_moves():
    rules = Rules(".x", "..", [put(cell, "x").when({cell: "."}).by("me") for cell in range(2)], players=["me"])
    view = View.of(rules)
    assert [chance.moves for chance in view.live("..", Engine(rules).legal_moves(".."))][:2] == [("0",), ("1",)]


def test_any_other_board_is_drawn_as_its_picture():
    class Slanted:
        cells, row_lengths, hole_marks = 4, (2, 2), " "

        def picture(self, names):
            return f"{names[0]}   {names[1]}\n  {names[2]}   {names[3]}"

    rules = Rules(".x", "....", [put(0, "x").when({0: "."})], board=Slanted())
    assert [(spot.x, spot.y) for spot in View.of(rules).spots] == [(0.5, 0.5), (1.5, 0.5), (1, 1.5), (2, 1.5)]


def test_what_is_put_over_a_full_start_is_put_into_empty_cells():
    moves = [put(cell, mark).when({cell: 0}).by(mark) for mark in "12" for cell in range(4)]
    looks = View.of(Rules("012", "0000", moves, players="12")).looks
    assert [(look.shape, look.text) for look in looks] == [("none", ""), ("disk", "1"), ("disk", "2")]


def test_a_guard_that_compares_cells_is_kept():
    moves = [put(1, ".").when_equal(0, 1).when({1: {"a", "b"}}).named("take")]
    view = View.of(Rules(".ab", "aab", [*moves, put(2, ".").when({2: "b"}).named("other")]))
    assert [view.gestures[it.gesture].moves for it in view.live("aab", ["take", "other"])] == [("take",), ("other",)]
    assert [view.gestures[it.gesture].moves for it in view.live("abb", ["take", "other"])] == [("other",)]


HOSTILE = ['<&">', "]]>", "\x00\x1b[31m", "'\u202e", "🙂"]


def test_texts_of_puzzles_are_escaped():
    moves = [swap(a, b).when({a: HOSTILE[0]}).named(f"</text><script>&{a}") for a, b, _ in Grid(1, 5).steps()]
    rules = Rules(HOSTILE, HOSTILE, moves, columns=5)
    view = View.of(rules)
    text = view.draw(",".join(HOSTILE))
    root = ElementTree.fromstring(text)
    assert "<script" not in text
    texts = [each.text for each in root.iter() if each.tag.endswith("text")]
    assert "]]>" in texts
    assert "\x00" not in text
    assert "\x1b" not in text
    assert root.find("{http://www.w3.org/2000/svg}title").text.startswith('<&">')


def test_a_piece_on_several_cells_is_put_by_a_drag():
    moves = [
        Move({a: symbol, b: symbol}).when({a: ".", b: "."}).named(f"{symbol}{a}{b}")
        for symbol, lines in (("v", [(0, 2), (1, 3)]), ("h", [(0, 1), (2, 3)]))
        for a, b in lines
    ]
    off = Move({0: ".", 1: "."}).when({0: "h", 1: "h"}).named("off")
    view = View.of(Rules(".vh", "....", [*moves, off], columns=2))
    live = {view.gestures[it.gesture].cells: it.moves for it in view.live("../..", [move.name for move in moves])}
    assert live == {
        (0, 2): ("v02",),
        (2, 0): ("v02",),
        (1, 3): ("v13",),
        (3, 1): ("v13",),
        (0, 1): ("h01",),
        (1, 0): ("h01",),
        (2, 3): ("h23",),
        (3, 2): ("h23",),
    }
    assert {view.gestures[it.gesture].cells: it.moves for it in view.live("hh/..", ["off"])} == {
        (0, 1): ("off",),
        (1, 0): ("off",),
    }


def pairs(view):
    return {(join.first, join.second, join.across, join.down) for join in view.joins}


def test_parts_of_blocks_are_joined():
    klotski = puzzlekit.load(str(FILES["klotski"])).view()
    assert pairs(klotski) == {
        ("1", "2", 1, 0),
        ("3", "4", 1, 0),
        ("1", "3", 0, 1),
        ("2", "4", 0, 1),
        ("<", ">", 1, 0),
        ("^", "v", 0, 1),
    }
    yard = puzzlekit.load(f"{FILES['rush_hour']}").view()
    assert pairs(yard) == {(car, car, 1, 0) for car in "ABDEFGH"} | {(car, car, 0, 1) for car in "IJKLM"}
    # These puzzles have no blocks. A keeper also walks without a box, and a box is pushed without the one beside it.
    for name in ("sokoban", "pegs", "frogs", "hexapawn", "knights"):
        assert puzzlekit.load(str(FILES[name])).view().joins == ()
    assert puzzlekit.load("slider").view().joins == ()


def test_blocks_lie_on_the_board():
    """The corners of a block are round towards its inside."""
    klotski = puzzlekit.load(str(FILES["klotski"]))
    picture = ElementTree.fromstring(str(klotski.picture(klotski.start)))
    paths = [each.get("d") for each in picture.iter() if each.tag.endswith("path") and each.get("fill-opacity") is None]
    places = [tuple(map(float, pair)) for path in paths for pair in re.findall(r"(-?[\d.]+) (-?[\d.]+)", path)]
    assert len(places) > 100
    view = klotski.view()
    assert all(0 <= x <= view.width * 48 and 0 <= y <= view.height * 48 + 2 for x, y in places)


def test_two_blocks_alike_are_not_one():
    """Two trains `ab` go a step to the right or left. No move takes the `b` of one and the `a` of the next together."""
    steps = [
        Move({at: ".", at + 1: "a", at + 2: "b"}).when({at: "a", at + 1: "b", at + 2: "."}).named(f"{at}")
        for at in range(4)
    ]
    back = [(~step).named(f"back {at}") for at, step in enumerate(steps)]
    view = View.of(Rules(".ab", "abab..", [*steps, *back]))
    assert pairs(view) == {("a", "b", 1, 0)}
    assert plain(board(view, "abab..")) == "\n".join(
        ["┌───────┬───────┬───┬───┐", "│ a   b │ a   b │   │   │", "└───────┴───────┴───┴───┘"]
    )


def test_a_wheel_that_turns_both_ways_is_a_choice():
    forward = [Move({cell: Copy(cell, advance=1)}).named(f"{cell}+") for cell in range(3)]
    back = [(~move).named(f"{cell}-") for cell, move in enumerate(forward)]
    view = View.of(Rules("012", "000", [*forward, *back], goal="111"))
    assert [(each.cells, each.moves) for each in view.gestures] == [
        ((cell,), (f"{cell}+", f"{cell}-")) for cell in range(3)
    ]
    assert view.period == 0


def test_presses_of_more_colours_are_marked_until_they_undo_themselves():
    view = puzzlekit.load(f"{FILES['lights_out']}:colours=3").view()
    assert view.period == 3
    assert view.marked(["4"]) == (4,)
    assert view.marked(["4", "4"]) == (4,)
    assert view.marked(["4", "0", "4", "4"]) == (0,)


def luminance(colour):
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_texts_can_be_read_on_every_colour():
    """WCAG 2.2 demands a contrast of 4.5 for texts of any size."""
    for name, pair in puzzlekit.load("rotation").view().as_dict()["palette"].items():
        low, high = sorted((luminance(pair["fill"]), luminance(pair["text"])))
        assert (high + 0.05) / (low + 0.05) >= 4.5, name


def test_a_state_that_is_none_is_refused():
    view = puzzlekit.load("rotation").view()
    for text in ("", "123", "12345678x", "123/456/78", "123456789:X"):
        with pytest.raises(puzzlekit.StateError, match="is no text of a state of 9 cells"):
            view.draw(text)


def test_a_move_that_no_hand_makes_gets_a_button():
    mixed = Move({0: Copy(3), 3: Copy(1), 1: Copy(0)}).named("far")
    view = View.of(Rules("abcd", "abcd", [mixed, swap(0, 1).named("near")]))
    assert [(each.kind, each.moves) for each in view.gestures if each.kind == "button"] == [("button", ("far",))]
    assert {each.cells for each in view.gestures if each.kind == "drag"} == {(0, 1), (1, 0)}


def test_disks_lie_in_piles():
    tower = gallery.load("hanoi:disks=3,pegs=3")
    view = tower.view()
    assert plain(board(view, "AAB")) == "\n".join(
        ["    │        │        │", "   ▄▄▄       │        │", "  ▄▄▄▄▄   ▄▄▄▄▄▄▄     │"]
    )
    for state, _ in walk(tower, 30):
        cells = view.read(state)[0]
        spots = piled(view.spots, view.symbols, cells, view.width)
        for spot in spots:
            assert spot.size / 2 <= spot.x <= view.width - spot.size / 2
            below = [each for each in spots if each.x == spot.x and each.y > spot.y]
            assert [each.cell for each in below] == [
                cell for cell in range(spot.cell + 1, 3) if cells[cell] == cells[spot.cell]
            ], "a smaller disk lies higher"
        assert len({(spot.x, spot.y) for spot in spots}) == 3


def test_lamps_walls_and_blocks_have_looks_of_their_own():
    lamps = gallery.load("lights_out").view()
    assert [(look.shape, look.name) for look in lamps.looks] == [("tile", "dark"), ("lamp", "lit")]
    several = gallery.load("lights_out:size=2,colours=3").view()
    assert [(look.shape, look.text) for look in several.looks] == [("tile", ""), ("lamp", "1"), ("lamp", "2")]
    yard = gallery.load("rush_hour").view()
    looks = dict(zip(yard.symbols, yard.looks, strict=True))
    assert looks["x"].shape == "wall"
    assert looks["A"].colour == "red", "the car of the goal"
    assert len({look.colour for look in yard.looks if look.shape == "tile"}) == 12
    # A wall that can be taken away is none.
    view = View.of(Rules(".x", "x.", [swap(0, 1)], goal=".x"))
    assert "wall" not in [look.shape for look in view.looks]


def test_pictures_are_those_that_were_looked_at():
    made = pictures()
    assert {path.stem for path in FOLDER.glob("*.svg")} == set(made)
    for name, text in made.items():
        known = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
        assert text + "\n" == known, f"look at the {name} that `python -m tests.pictures` writes"
        assert len(known) < 20_000


@settings(max_examples=40, deadline=None)
@given(random_rules(), st.integers(0, 2**32))
def test_views_of_random_rules(rules, seed):
    """The gestures make all legal moves and no others. Every state is drawn as SVG and in characters."""
    engine, view, chosen = Engine(rules), View.of(rules), random.Random(seed)
    state = engine.start
    for _ in range(8):
        legal = engine.legal_moves(state)
        live = view.live(state, legal)
        by_hand = {move for chance in live if view.gestures[chance.gesture].kind != "key" for move in chance.moves}
        assert by_hand == set(legal)
        ElementTree.fromstring(view.draw(state))
        lines = board(view, state)
        assert len({width("".join(glyph.text for glyph in line)) for line in lines}) == 1
        if not legal:
            break
        state = engine.apply(state, chosen.choice(legal))


def test_lines_between_dots_are_cells():
    """Nine dots have twelve lines, and each line is a cell that is pressed. On a terminal they are lines, too."""
    game = gallery.load("dots_and_boxes")
    view = game.view()
    shapes = [spot.shape for spot in view.spots]
    assert (shapes.count("across"), shapes.count("down"), shapes.count("square")) == (6, 6, 4)
    assert view.spots[0].name == "line across, row 1, column 1"
    lines = {spot.cell for spot in view.spots if spot.shape != "square"}
    assert {gesture.kind for gesture in view.gestures} == {"press"}
    assert {cell for gesture in view.gestures for cell in gesture.cells} == lines
    root = ElementTree.fromstring(view.draw(game.start))
    assert len([each for each in root.iter() if each.get("class") == "dot"]) == 9
    state = game.apply(game.apply(game.start, "0"), "2")
    assert plain(board(view, state)).splitlines()[:2] == ["•───•   •", "│ ·   ·"]


def test_pips_show_numbers():
    """Seeds are counted up in their pits, so the rules tell that the symbols are numbers."""
    kalah = gallery.load("kalah")
    view = kalah.view()
    assert [(look.shape, look.text) for look in view.looks[:3]] == [("pips", "0"), ("pips", "1"), ("pips", "2")]
    root = ElementTree.fromstring(view.draw(kalah.start))
    assert len([each for each in root.iter() if each.get("class") == "edge"]) == 6 * 2
    assert {gesture.kind for gesture in view.gestures} == {"press", "key"}, "a pit is pressed"
    assert view.by_hand(kalah.start, "2").cells == (1,)
    with pytest.raises(puzzlekit.RulesError, match="pips"):
        Look("pips", "many")
    assert all(look.shape != "pips" for name in ("lights_out", "rotation") for look in load(name).view().looks)


def load(name):
    return gallery.load(name) if name in FILES else puzzlekit.load(name)


def test_labels_stand_in_the_upper_edge_of_their_cells():
    rules = Rules(["3", "left"], ["3", "3", "left"], [put(0, "left")])
    view = View.of(rules).changed(labels={0: "missionaries", 1: "cannibals", 2: "boat"})
    assert plain(board(view, "3,3,left")).splitlines() == [
        "┌missionaries┬─cannibals──┬────boat────┐",
        "│     3      │     3      │    left    │",
        "└────────────┴────────────┴────────────┘",
    ]
    assert "long" not in plain(board(view.changed(labels={0: "long" * 9}), "3,3,left"))
    rotation = puzzlekit.load("rotation").view()
    assert "here" not in plain(board(rotation.changed(labels={0: "here"}), "123/456/789"))  # buttons lie on the edges


def test_buttons_have_words():
    view = gallery.load("river").view()
    assert {gesture.label for gesture in view.gestures} >= {"1 missionary and 1 cannibal cross", "2 cannibals cross"}
    with pytest.raises(puzzlekit.RulesError, match="'walk'"):
        view.changed(buttons={"walk": "walk"})


def test_a_press_of_an_empty_cell_asks_which_move():
    """In Quarto, a press of a cell puts the piece there, and the next piece is chosen then."""
    quarto = gallery.load("quarto")
    view, state = quarto.view(), quarto.apply(quarto.start, "0")
    pressed = [chance for chance in view.live(state, quarto.legal_moves(state)) if len(chance.moves) > 1]
    assert len(pressed) == 9
    assert all(view.gestures[chance.gesture].kind == "press" and len(chance.moves) == 7 for chance in pressed)


def _star(*places):
    rules = Rules("abc", "abc", [swap(0, 1).named("x"), swap(1, 2).named("y")], goal="abc")
    return View.of(rules, places=list(places))


def test_cells_far_apart_are_drawn_in_few_characters():
    near, far = _star((0, 0), (4, 0), (0, 4)), _star((0, 0), (10_000, 0), (0, 10_000))
    assert plain(board(near, "abc")) == plain(board(far, "abc"))
    assert len(plain(board(far, "abc"))) < 200
    assert far.width == 10_001
    # What lies half a cell beside a middle moves with it, on both sides of a gap.
    place = squeezed([0.5, 1.5, 101.5, 102.5])
    assert [place(at) for at in (0, 0.5, 2, 101, 101.5, 103)] == [0, 0.5, 2, 5, 5.5, 7]
    assert [squeezed([0, 4, 8])(at) for at in (0, 3.5, 8.5)] == [0, 3.5, 8.5]


@pytest.mark.parametrize("place", [(10**7, 0), (float("nan"), 0), (0, float("inf")), (1,), (1, 2, 3), "ab", None, 5])
def test_what_is_no_place_is_refused(place):
    with pytest.raises(puzzlekit.RulesError, match=r"the place of cell 1 is .*; give how far its middle lies"):
        _star((0, 0), place, (0, 1))


def test_blocks_of_one_cell_are_seen_without_colours():
    klotski = puzzlekit.load(str(FILES["klotski"]))
    shown = plain(board(klotski.view(), klotski.start))
    assert shown.count("■") == klotski.start.count("o") == 4


def test_a_hole_with_cells_all_around_it_is_no_empty_cell():
    grid = Grid.drawn("...\n.#.\n...#")
    rules = Rules(".o", "o" + "." * 7, [swap(a, b).when({a: "o"}) for a, b, _ in grid.steps()], board=grid)
    assert plain(board(View.of(rules), "o../../...")).splitlines() == [
        "┌───┬───┬───┐",
        "│ ● │   │   │",
        "├───┼───┼───┤",
        "│   │░░░│   │",
        "├───┼───┼───┤",
        "│   │   │   │",
        "└───┴───┴───┘",
    ]


def test_a_lamp_that_turns_its_neighbours_while_it_is_lit_is_pressed():
    lamps = HexGrid.triangle(4)
    moves = [toggle(lamp, *lamps.neighbours(lamp)).when({lamp: {"r", "g"}}) for lamp in lamps]
    view = View.of(Rules(".rg", "r" * 10, moves, goal="." * 10, board=lamps))
    presses = [gesture for gesture in view.gestures if gesture.kind != "key"]
    assert {gesture.kind for gesture in presses} == {"press"}
    assert sorted(gesture.cells for gesture in presses) == [(lamp,) for lamp in lamps]


def test_round_buttons_do_not_touch():
    view = View.of(Rules(".o", "..", [swap(0, 1)], board=HexGrid([(0, 0), (0, 1)])))
    points = [
        Gesture("point", (Option(name),), x=x, y=view.spots[0].y, label=name) for name, x in (("8", 1.0), ("9", 1.2))
    ]
    assert re.search("8 .*9", plain(board(replace(view, gestures=tuple(points)), "..")))


def test_walls_stand_around_the_cells_and_in_holes():
    rules = Rules("ab", "a" * 8, [put(0, "b").when({0: "a"})], board=Grid(3, 3, holes=[(1, 1)]))
    plain, walled = View.of(rules), View.of(rules).changed(walls=True)
    assert (walled.width, walled.height) == (plain.width + 2, plain.height + 2)
    assert [(spot.x - 1, spot.y - 1) for spot in walled.spots] == [(spot.x, spot.y) for spot in plain.spots]
    assert walled.changed(walls=False) == plain
    drawn = ElementTree.fromstring(walled.draw("a" * 8))
    around, tray = (next(each for each in drawn.iter() if each.get("class") == kind) for kind in ("walls", "tray"))
    assert (around.get("d").count("M"), tray.get("d").count("M")) == (1, 2), (
        "the hole is a wall, and no part of the tray"
    )
    stacked = [Spot(0, 0, 0, "stack")]
    with pytest.raises(RulesError, match="not all squares"):
        View.of(Rules("ab", "a", [put(0, "b")]), places=stacked).changed(walls=True)


def test_cells_in_a_frame_are_round_holes_of_its_colour():
    plain_view = View.of(Rules("ab", "aa", [put(0, "b")]))
    view = plain_view.changed(frame="#1d5fa8")
    assert (view.frame, view.as_dict()["frame"], plain_view.frame) == ("#1d5fa8", "#1d5fa8", "")
    assert plain_view.changed(frame="blue").frame == COLOURS["blue"]
    assert view.changed(frame="") == plain_view
    drawn = ElementTree.fromstring(view.draw("aa"))
    tray = next(each for each in drawn.iter() if each.get("class") == "tray")
    assert (tray.get("fill"), len(list(drawn.iter("{http://www.w3.org/2000/svg}circle")))) == ("#1d5fa8", 2)
    with pytest.raises(RulesError, match="has the colour 'azure'"):
        plain_view.changed(frame="azure")
    with pytest.raises(RulesError, match="not all squares; leave the frame out"):
        gallery.load("hanoi").view().changed(frame="#1d5fa8")


def test_names_of_banks_stand_in_the_middle_over_their_cells():
    view = gallery.load("river").view()
    assert [caption.x for caption in view.captions] == [view.spots[cell].x for cell in (0, 3)]


def test_captions_stand_beside_the_cells_which_move_to_make_room():
    plain_view = View.of(Rules("ab", "a" * 4, [put(0, "b").when({0: "a"})], board=Grid(2, 2)))
    view = plain_view.changed(captions=[Caption("<top>", 1, -0.25), Caption("left", -0.4, 1.5)])
    assert (view.width, view.height) == (plain_view.width + 0.75, plain_view.height + 0.5)
    assert [(spot.x, spot.y) for spot in view.spots][:2] == [(1.25, 1.0), (2.25, 1.0)]
    assert [(one["text"], one["x"], one["y"]) for one in view.as_dict()["captions"]] == [
        ("<top>", 1.75, 0.25),
        ("left", 0.35, 2.0),
    ]
    drawn = view.draw("aaaa")
    assert "&lt;top&gt;" in drawn
    assert "<top>" not in drawn
    assert view_of_data(json.loads(json.dumps(view_data(view))), view.symbols, 4) == view
    again = view.changed(captions=[Caption("c", 2, 2.7)])
    assert [caption.text for caption in again.captions] == ["<top>", "left", "c"]
    assert again.spots == view.spots


def test_captions_on_a_terminal_cover_nothing():
    puzzle = puzzlekit.load("tictactoe")
    below = [Caption("abc"[at], at + 0.5, 3.3) for at in range(3)]
    beside = [Caption(str(at), -0.3, at + 0.5) for at in (0, 2)]
    view = puzzle.view().changed(captions=[*below, *beside, Caption("hidden", 1.5, 1.5)])
    lines = plain(board(view, puzzle.start)).splitlines()
    assert [line[0] for line in lines] == list(" 0   2  ")
    assert lines[-1].split() == ["a", "b", "c"]
    assert "hidden" not in "".join(lines)
    comb = View.of(Rules("ab", "aa", [put(0, "b")], board=HexGrid([(0, 0), (0, 1)])))
    above = comb.changed(captions=[Caption("above", 1, -0.3), Caption("below", 1, comb.height + 0.3)])
    assert [line.strip() for line in plain(board(above, "aa")).splitlines()][::2] == ["above", "below"]


@pytest.mark.parametrize(
    ("caption", "words"),
    [
        ("left", "give a Caption"),
        (Caption("", 0, 0), "1 to 40 characters"),
        (Caption("a\nb", 0, 0), "one line"),
        (Caption("a" * 41, 0, 0), "1 to 40 characters"),
        (Caption("a", float("nan"), 0), "how far its middle lies"),
        (Caption("a", 0, "b"), "how far its middle lies"),  # type: ignore[arg-type]
    ],
)
def test_captions_that_cannot_be_drawn_are_refused(caption, words):
    with pytest.raises(RulesError, match=words):
        puzzlekit.load("slider").view().changed(captions=[caption])


def test_stacks_have_no_captions():
    with pytest.raises(RulesError, match="stacks"):
        puzzlekit.load("hanoi").view().changed(captions=[Caption("a", 0, 0)])
