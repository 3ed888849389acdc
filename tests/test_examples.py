"""The gallery: every file loads, passes the checks, has the known counts, and says only what is true."""

import json
import re
from itertools import accumulate, product

import pytest

import puzzlekit
from puzzlekit.testing import check_puzzle
from tests import by_hand, gallery, golden
from tests.benchmarks import gallery as speeds
from tests.gallery import FILES, GOLDEN
from tests.test_counts import SLOW, check


def only_begun(facts):
    """Returns `True` if the quick run counts the first depths alone, since there are many states."""
    return "slow" in facts or (int(facts.get("raw", 0)) > 60_000 and bool(facts.keys() & {"depths", "raw_depths"}))


LARGE = [text_id for text_id, facts in GOLDEN.items() if "large" in facts or only_begun(facts)]
KALAH = ("kalah", "kalah:pits=2,seeds=2,alone=false")
"""The boards of Kalah that the quick run counts, one for each rule about the last seed."""
WEEKLY = {text_id for text_id in GOLDEN if text_id.startswith("kalah") and text_id not in KALAH}
RUNS = [
    pytest.param(text_id, marks=SLOW if only_begun(facts) or text_id in WEEKLY else [])
    for text_id, facts in GOLDEN.items()
]
HAND = [
    pytest.param(text_id, marks=SLOW if int(facts["raw"]) > 6_000 else [])
    for text_id, facts in GOLDEN.items()
    if "by_hand.py" in facts["source"]
]
SMALL = {
    "quarto": "2,2",
    "connect_four": "3,4",
    "othello": "3,4",
    "teeko": "3,2",
    "breakthrough": "4,2,1",
    "chomp3d": "2,2,3",
}
"""The sizes of the larger games that are checked in each run; all are checked in their default size by slow tests."""

LARGEST = {"six_mens_morris": pytest.mark.slow}  # it has no smaller size
ABOUT_RUNS = ("max_depth", "solution", "value", "score", "to_depth", "farthest", "unsolvable")


def test_there_are_enough_puzzles():
    assert len(FILES) >= 15


@pytest.mark.parametrize("name", FILES)
def test_an_example_is_one_short_file_named_after_its_puzzle(name):
    assert 15 <= gallery.lines(FILES[name]) <= 60
    puzzle = gallery.load(name)
    assert puzzle.id == name
    assert puzzle == type(puzzle)()
    assert str(puzzle) in GOLDEN, "add the counts of the default size to tests/counts/examples"


def test_every_count_is_of_an_example_and_has_a_source():
    for text_id, facts in GOLDEN.items():
        assert text_id.partition(":")[0] in FILES
        assert str(gallery.load(text_id)) == text_id, "write the id as the puzzle does"
        assert facts.get("source")
        assert len(facts) > 1


@pytest.mark.parametrize("name", [pytest.param(name, marks=LARGEST.get(name, ())) for name in FILES])
def test_an_example_conforms(name):
    check_puzzle(gallery.load(f"{name}:{SMALL[name]}" if name in SMALL else name), states=20)


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_an_example_conforms_in_full(name):
    check_puzzle(gallery.load(name), full=True)


def test_a_yard_that_makes_no_sense_is_refused():
    with pytest.raises(puzzlekit.UsageError, match="yard of rush_hour is AA; give 36 cells"):
        gallery.load("rush_hour:yard=AA")


@pytest.mark.parametrize(
    ("store", "message"),
    [
        ("5#/#_$.#/5#", "give one keeper, @ or +, among the characters"),
        ("5#/#@@.#/5#", "give one keeper, @ or +, among the characters"),
        ("5#/#@$x#/5#", "give one keeper, @ or +, among the characters"),
        ("7#/#@#_$.#/8#", "the keeper cannot get to each box and each mark"),
        ("", "give one keeper"),
        ("5#/#@$_#/5#", "give a mark at least, and a box for each"),
        ("5#/#@$.#/#__.#/5#", "give a mark at least, and a box for each"),
    ],
)
def test_a_store_that_makes_no_sense_is_refused(store, message):
    with pytest.raises(puzzlekit.UsageError, match=re.escape(f"store of sokoban is {store}; {message}")):
        gallery.load(f"sokoban:store={store}").engine  # noqa: B018 - it is compiled


def test_levels_are_read_as_they_are_passed_around():
    level = "  ####\n###  ####\n#     $ #\n# #  #$ #\n# . .#@ #\n#########\n"
    lines = gallery.load(f"sokoban:store={level.translate(str.maketrans(chr(10) + ' ', '|-'))}")
    short = gallery.load("sokoban:store=2-4#|3#--4#|#5-$-#|#-#--#$-#|#-.-.#@-#|9#|")
    assert lines.engine.start == short.engine.start
    assert lines.rules().to_data() == short.rules().to_data()
    assert short.solve(short.start).optimal
    line = gallery.load("rush_hour:yard=60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM 2332")
    drawn = gallery.load("rush_hour:yard=IBBx../I..LDD/JAAL../J.KEEM/FFK..M/GGHHHM")
    assert gallery.load("rush_hour").rules() == line.rules() == drawn.rules()


@pytest.mark.parametrize("text_id", RUNS)
def test_what_is_known_is_found(text_id):
    facts = GOLDEN[text_id]
    puzzle = gallery.load(text_id)
    report = puzzle.enumerate(max_depth=int(facts["to_depth"]) if "to_depth" in facts else None)
    assert report.complete == ("to_depth" not in facts)
    counted = {key: value for key, value in facts.items() if key not in ABOUT_RUNS}
    compared = check(report.to_data(), counted)
    if "max_depth" in facts:
        assert report.max_depth == int(facts["max_depth"])
        compared += 1
    if "solution" in facts:
        solved = puzzle.solve(puzzle.start)
        assert solved.optimal
        assert len(solved.moves) == int(facts["solution"])
        compared += 1
    if "slow" in facts and ("value" in facts or "score" in facts):  # too many states for a search of one position
        start = puzzle.values(memory="4GiB").start
        assert start.value == facts.get("value", start.value)
        assert start.score == (int(facts["score"]) if "score" in facts else None)
        compared += 1
    elif "value" in facts:
        assert puzzle.solve(puzzle.start).value == facts["value"]
        compared += 1
    if "score" in facts and "slow" not in facts:
        assert puzzle.solve(puzzle.start).score == puzzle.values().start.score == int(facts["score"])
        compared += 1
    if "farthest" in facts:
        back = puzzle.enumerate(backward=True)
        assert (back.max_depth, back.raw_unsolvable) == (int(facts["farthest"]), int(facts["unsolvable"]))
        compared += 1
    assert compared >= 1


@pytest.mark.parametrize("text_id", LARGE)
def test_the_first_depths_of_large_ones_are_found(text_id):
    facts = GOLDEN[text_id]
    for key in facts.keys() & {"depths", "raw_depths"}:
        known = golden.numbers(facts[key])
        few = sum(total <= 20_000 for total in accumulate(known))
        assert few > 1
        report = gallery.load(text_id).enumerate(max_depth=few - 1)
        found = [depth.states if key == "depths" else depth.raw_states for depth in report.depths]
        assert found == known[:few]


@pytest.mark.parametrize("text_id", HAND)
def test_a_search_without_rules_finds_what_is_known(text_id):
    name, _, _ = text_id.partition(":")
    puzzle = gallery.load(text_id)
    found = by_hand.depths(*getattr(by_hand, name)(*vars(puzzle).values()))
    assert found == golden.numbers(GOLDEN[text_id]["raw_depths"])


@pytest.mark.parametrize("name", ["rush_hour", "sokoban", pytest.param("klotski", marks=SLOW)])
def test_a_search_without_rules_finds_the_farthest_state(name):
    facts = GOLDEN[name]
    found = by_hand.to_goal(*getattr(by_hand, name)(), by_hand.SOLVED[name])
    assert found == (int(facts["farthest"]), int(facts["unsolvable"]))


def rank(matrix, prime):
    """The rank of a matrix over the numbers modulo a prime."""
    rows, found = [list(row) for row in matrix], 0
    for column in range(len(rows[0])):
        pivot = next((row for row in rows[found:] if row[column] % prime), None)
        if pivot is None:
            continue
        rows.remove(pivot)
        inverse = pow(pivot[column], -1, prime)
        rows = [
            [(a - row[column] * inverse * b) % prime for a, b in zip(row, pivot, strict=True)] if at >= found else row
            for at, row in enumerate(rows)
        ]
        rows.insert(found, pivot)
        found += 1
    return found


@pytest.mark.parametrize("text_id", [text_id for text_id in GOLDEN if text_id.startswith("lights_out")])
def test_the_lights_that_can_be_reached_are_counted_by_algebra(text_id):
    puzzle = gallery.load(text_id)
    size, colours = puzzle.size, puzzle.colours
    lamps = list(product(range(size), repeat=2))
    presses = [[abs(a - x) + abs(b - y) <= 1 for x, y in lamps] for a, b in lamps]
    if colours in (2, 3):
        assert colours ** rank(presses, colours) == int(GOLDEN[text_id]["raw"])


@pytest.mark.parametrize("name", FILES)
def test_the_numbers_in_a_docstring_are_known(name):
    text = (golden.COUNTS / "examples" / f"{name}.txt").read_text(encoding="utf-8")
    missing = gallery.claims(FILES[name]) - gallery.numbers(text)
    assert not missing, f"the docstring of {name} names {missing}, which its known counts do not have"


def test_claims_are_found(tmp_path):
    path = tmp_path / "example.py"
    path.write_text('"""An example.\n\nIt has 1,234 states, 15 moves and 2x2 cells.\n\n    99 is drawn.\n"""')
    assert gallery.claims(path) == {1234, 15}


@pytest.mark.parametrize("text_id", ["hanoi:disks=3,pegs=4", "knights:w.w/.../b.b", "klotski:true"])
def test_the_command_line_takes_an_example(text_id, command):
    name, _, values = text_id.partition(":")
    done = command("enumerate", f"{FILES[name]}:{values}", "--json")
    assert done.code == 0
    assert json.loads(done.out)["puzzle"] == str(gallery.load(text_id))


def test_the_page_of_speeds_has_every_example():
    text = speeds.PAGE.read_text(encoding="utf-8")
    assert text.startswith(speeds.HEAD), "run `make bench-gallery`"
    rows = [line for line in text.splitlines() if line.startswith("| ")][1:]
    assert [re.match(r"\w+", row[2:])[0] for row in rows] == list(FILES)
    assert {row.count("|") for row in rows} == {len(speeds.COLUMNS) + 1}
    assert set(speeds.SIZES) == set(FILES)


def test_the_speed_of_an_example_is_measured():
    row = speeds.row("hanoi", quick=True, runs=1)
    assert row.startswith("| hanoi:9,4 | ")
    assert "| 131,328 | sparse, 32 bits | " in row


def test_the_page_of_the_gallery_is_current():
    assert gallery.PAGE.read_text(encoding="utf-8") == gallery.page(), "run `make docs`"
