"""The page in a real browser: play by clicks, drags, touch and keys; links, history and hints; accessibility."""

import datetime
import json
import re
from collections import Counter
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree

import pytest

import puzzlekit
from tests import browsers, web

PROGRAM = browsers.find_browser()
playwright = pytest.importorskip("playwright.sync_api")

ALL = ("flipit", "rotate", "rotation", "slider", "tictactoe")
DAY = "2026-11-22"


SIZES = (
    *("slider:4,4", "slider:5,5", "slider:6,6", "slider:rows=3,columns=4", "slider:2,2", "slider:2,3"),
    *("flipit:8,8", "rotate:5,5"),
    *(f"python/puzzlekit/gallery/{name}.py:{size}" for name, size in [("hanoi", 3), ("hanoi", 2), ("pancakes", 4)]),
    "python/puzzlekit/gallery/connect_four.py:4,4,4",
    *(f"tests/fixtures/hexes.py:{size}" for size in (2, 5)),
)
"""The sizes that tests ask for. A server has all others, too, but a folder of files has those alone that it names."""

QUICK_SIZES = ("slider:2,2", "slider:5,5", "flipit:8,8", "python/puzzlekit/gallery/hanoi.py:2")
"""Those that the quick run asks a folder for."""

ON_A_SERVER = pytest.mark.parametrize("served", ["server"], indirect=True)
"""Marks a test of something that a folder of files does not have."""

ON_BOTH = pytest.mark.parametrize("served", ["server", "files"], indirect=True)
"""Marks a test that the quick run makes on a folder of files, too: one for each kind of question to its engine.

`tests/test_web_site.py` compares all answers of that engine with those of a server.
"""


@pytest.fixture(scope="module")
def server():
    """A server whose short searches end after four seconds: some boards here take all that they are given."""
    with web.serving(*ALL, *web.gallery(), "tests/fixtures/hexes.py", str(web.EVIL), short_seconds=4) as made:
        yield made
        assert not any("Traceback" in line for line in made.lines), made.lines


@pytest.fixture(scope="module")
def files(request, tmp_path_factory, server):
    puzzles, sizes = [*ALL, *web.gallery(), "tests/fixtures/hexes.py", str(web.EVIL)], SIZES
    if web.is_quick(request.session):  # what the tests marked by `ON_BOTH` ask for
        puzzles, sizes = ["flipit", "rotation", "slider", "tictactoe", str(web.EVIL)], QUICK_SIZES
    with web.files(web.shared(tmp_path_factory, "pages"), server, puzzles, sizes) as made:
        yield made


@pytest.fixture(scope="module", params=["server", pytest.param("files", marks=pytest.mark.slow)])
def served(request):
    """The pages of a server, and those of a folder of files, which have the engine in them.

    The quick run takes the folder only where its engine answers something new; the page itself is the same.
    """
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        made = driver.chromium.launch(executable_path=PROGRAM, args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture(scope="module")
def desk(browser):
    with browsers.desk(browser) as page:
        yield page


@pytest.fixture
def player(desk, served):
    """A page on which nothing was played. Any error or warning of the browser fails the test."""
    with browsers.visiting(desk, served) as made:
        yield made


LARGE = puzzlekit.load("slider:5,5").scramble("a").state.replace(",", "%2C")
"""A board for which the fewest moves are not found within a minute."""

CUBE_OF_STICKERS = puzzlekit.load(str(web.ROOT / "python" / "puzzlekit" / "gallery" / "cube3.py"))
CUBE = CUBE_OF_STICKERS.apply(CUBE_OF_STICKERS.apply(CUBE_OF_STICKERS.start, "R'"), "U2").replace("/", "%2F")
"""A cube that two turns solve."""


@ON_BOTH
def test_the_first_board_is_there_before_anything_is_asked(player):
    """The page brings it along. Neither a server nor the engine has to answer before it is seen."""
    for asked in ("**/api/*", "**/engine.bin"):
        player.page.route(asked, lambda _: None)  # it waits for ever
    for puzzle in ("slider", "tictactoe"):
        player.page.goto(player.served.page(puzzle))
        player.page.locator("#board .piece").first.wait_for(state="attached")
        assert player.status() in ("To begin, press a tile.", "X to move.")
    player.page.unroute_all(behavior="ignoreErrors")
    player.open("slider")
    link = player.link()
    assert link.startswith("#seed=")
    before = player.page.locator("#board svg:not(.room)").inner_html()
    player.open("slider", link)
    assert player.page.locator("#board svg:not(.room)").inner_html() == before, "its link leads to it"


# Solved by hand

BOARDS = {
    "flipit": f"#daily={DAY}",
    "rotate": "#state=bdc%2Faef%2Fghi",
    "rotation": "#state=412%2F653%2F789",
    "slider": "#state=1%2C2%2C5%2C3%2C4%2C0%2C6%2C7%2C8",
    "hanoi:3": "",
    "knights": "",
    "lights_out": "#seed=a",
    "river": "",
    "cube2_stickers": "#seed=a",
    "pancakes:4": "#state=bdca",
    "cube3": f"#state={CUBE}",
    "klotski": "",
}
MOST_MOVES = 8
"""The most moves of a solution that a test makes by hand."""


QUICK = {"click": ("flipit", "rotate", "hanoi:3", "river", "klotski"), "type": ("rotation", "hanoi:3")}
"""What the quick run solves by hand: each kind of gesture by the mouse, and by keys a turn and a choice of moves."""


@pytest.mark.parametrize(
    ("hand", "puzzle"),
    [
        pytest.param(hand, puzzle, marks=() if puzzle in QUICK[hand] else pytest.mark.slow)
        for hand in QUICK
        for puzzle in BOARDS
    ],
)
def test_puzzles_are_solved(player, puzzle, hand):
    """The moves are made by clicks and drags, or by keys alone. Of a long solution, only the first moves are made."""
    player.open(puzzle, BOARDS[puzzle])
    moves = player.solution()["moves"]
    assert moves
    for move in moves[:MOST_MOVES]:
        getattr(player, hand)(move)
    if len(moves) <= MOST_MOVES:
        assert player.status().endswith(f"Solved in {len(moves)} move{'s' * (len(moves) > 1)}.")
        assert player.counts() == f"Your moves: {len(moves)}. The fewest: {len(moves)}."
    else:
        assert len(player.solution()["moves"]) == len(moves) - MOST_MOVES


def test_arrow_keys_make_moves_from_anywhere_on_the_page(player):
    player.open("slider", "#state=1%2C2%2C5%2C3%2C4%2C0%2C6%2C7%2C8")
    for key in ("ArrowUp", "ArrowLeft", "ArrowLeft"):
        player.page.keyboard.press(key)
    player.settle()
    assert player.status() == "Move 3: L. Solved in 3 moves."
    player.page.locator("#undo").click()
    player.settle()
    player.page.keyboard.press("ArrowLeft")
    player.settle()
    assert player.counts().startswith("Your moves: 3."), "from a button, too"
    player.more()
    player.page.locator("#state").focus()
    player.page.keyboard.press("ArrowRight")
    player.page.locator("#slider").focus()
    player.page.keyboard.press("ArrowLeft")
    player.settle()
    assert player.moment()["made"] == ["U", "L"], "what needs the arrows itself has them"


def test_arrows_go_from_one_round_button_to_the_next(player):
    player.open("rotate", "#state=bdc%2Faef%2Fghi")
    player.tab("document.activeElement.ariaLabel === 'Turn 1'")
    said = []
    for key in ("Right", "Right", "Down", "Left", "Left", "Up"):
        player.page.keyboard.press(f"Arrow{key}")
        said.append(player.page.evaluate("document.activeElement.ariaLabel"))
    assert said == ["Turn 2", "Turn 2", "Turn 5", "Turn 4", "Turn 4", "Turn 1"]
    for _ in range(3):
        player.page.keyboard.press("Space")
    player.settle()
    assert player.moment()["made"] == ["1", "1", "1"]


def test_letters_make_moves_from_anywhere_unless_somebody_says_no(player):
    player.open("rotation", "#state=412%2F653%2F789")
    player.page.get_by_text("Moves and keys").click()
    player.page.locator("#keys").get_by_text("A B C D").wait_for()
    assert "Enter" not in player.page.locator("#keys").text_content(), "no cell of it can be pressed"
    player.page.locator("#anywhere").uncheck()
    player.page.keyboard.press("a")
    player.settle()
    assert player.counts().startswith("Your moves: 0.")
    player.cell(4).focus()
    player.page.keyboard.press("a")
    player.page.locator("#anywhere").check()
    for key in "Aabbb":
        player.page.keyboard.press(key)
    player.settle()
    assert player.status() == "Move 6: B. Solved in 6 moves."
    player.page.keyboard.press("Control+z")
    player.settle()
    assert player.counts().startswith("Your moves: 5.")
    player.page.keyboard.press("Control+y")
    player.settle()
    assert player.status().endswith("Solved in 6 moves.")


def test_a_finger_plays(browser, served):
    with browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True) as context:
        player = browsers.Player(context.new_page(), served).open("slider", "#state=1%2C0%2C2%2C3%2C4%2C5%2C6%2C7%2C8")
        player.cell(0).tap()
        player.settle()
        assert player.status() == "Move 1: L. Solved in 1 move."
        player.open("knights")
        first = player.solution()["moves"][0]
        gesture, _ = player.gesture(first)
        for cell in gesture["cells"]:
            player.cell(cell).tap()
        player.settle()
        assert player.status() == f"Move 1: {first}."
        assert player.troubles == []


def test_what_turns_is_told_aloud(player):
    player.open("cube3", f"#state={CUBE}")
    assert player.cell(4).get_attribute("aria-label") == "row 5, column 8: red, press for R or R' or R2"
    player.cell(4).click()
    player.settle()
    player.cell(4).click(modifiers=["Shift"])
    player.settle()
    assert player.moment()["made"] == ["R", "R'"]
    player.page.keyboard.press("Shift+r")
    player.settle()
    assert player.moment()["made"] == ["R", "R'"], "no button of this board turns R"
    assert player.cell(0).get_attribute("aria-label").startswith("row 6, column 9: ")
    assert player.page.locator("#board .pressable").count() == 6
    player.open("cube2_stickers", "#seed=a")
    buttons = player.page.locator("#board .point")
    assert [button.get_attribute("aria-label") for button in buttons.all()] == [
        f"Turn {face}; with Shift {face}'" for face in "URF"
    ]
    assert [button.text_content() for button in buttons.all()] == ["U ", "R ", "F "]
    buttons.first.click()
    player.page.keyboard.press("Shift+u")
    player.page.keyboard.press("f")
    player.settle()
    assert player.moment()["made"] == ["U", "U'", "F"]
    buttons.first.click(button="right")
    player.page.locator("#choices").get_by_role("button", name="U2", exact=True).click()
    player.settle()
    assert player.moment()["made"] == ["U", "U'", "F", "U2"]
    player.open("sokoban")
    assert player.page.locator("#board .pressable").count() == 0, "any cell may be the next one"


def test_a_gesture_of_several_moves_asks_which(player):
    player.open("hanoi:3")
    player.cell(0).click()
    choices = player.page.locator("#choices button")
    assert choices.all_text_contents() == ["AB", "AC"]
    player.page.keyboard.press("Escape")
    assert player.counts().startswith("Your moves: 0.")
    player.click("AC")
    assert player.state() == "CAA"


# FlipIT as its source has it


def test_the_daily_of_flipit(player):
    player.open("flipit", f"#daily={DAY}")
    puzzle = puzzlekit.load("flipit")
    daily = puzzle.daily(DAY)
    assert player.page.locator("#title").text_content() == f"Board of {DAY}, number {daily.number}"
    assert player.page.locator("#counts").get_by_text("The fewest: 3.").wait_for() is None
    presses = [int(move) - 1 for move in daily.moves]
    other = next(cell for cell in range(16) if cell not in presses)
    for cell in (presses[0], other, presses[1], other):
        player.cell(cell).click()
        player.settle()
    marked = player.page.locator("#board .mark")
    assert marked.count() == 2
    assert player.counts() == "Your moves: 2. The fewest: 3."
    assert "pressed" in player.cell(presses[0]).get_attribute("aria-label")
    assert "pressed" not in player.cell(other).get_attribute("aria-label")
    player.cell(presses[2]).click()
    player.settle()
    assert player.status().endswith("Solved in 3 moves.")
    player.unfold("sharing")
    player.page.locator("#share").click()
    player.settle()
    address = f"{player.served.page('flipit')}#daily={DAY}"
    assert player.page.locator("#shared").text_content() == f"FlipIT {DAY}: 3 moves (the fewest: 3)\n{address}"
    assert not any(str(cell + 1) in address.rpartition("#")[2].replace(DAY, "") for cell in presses)
    player.open()
    assert "solved 1, today in 3" in player.page.locator("[data-puzzle=flipit] .played").text_content() or DAY not in (
        player.page.locator(".cards").get_attribute("data-today")
    )


@ON_BOTH
def test_numbers_of_many_digits_are_exact(player):
    """The number is more than 2^53. The page shows every digit, and the number leads back to the same board."""
    flipit = puzzlekit.load("flipit:8,8")
    scrambled = flipit.scramble("7")
    player.open("flipit:8,8", "#seed=7")
    assert scrambled.number > 2**63
    assert player.page.locator("#title").text_content().endswith(f", number {scrambled.number}")
    player.more()
    player.page.locator("#number").fill(str(scrambled.number))
    player.page.locator("#by-number button").click()
    player.settle()
    assert (player.state(), player.link()) == (scrambled.state, f"#number={scrambled.number}")
    assert player.page.locator("#title").text_content() == f"Board {scrambled.number}"


def test_boards_of_flipit_by_number_by_moves_and_at_random(player):
    player.open("flipit")
    for _ in range(3):  # a random one takes three presses
        player.page.locator("#random").click()
        player.settle()
        player.page.locator("#counts").get_by_text("The fewest: 3.").wait_for()
    player.more()
    player.page.locator("#mixed").fill("1")
    player.page.locator("#by-moves button").click()
    player.settle()
    player.page.locator("#counts").get_by_text("The fewest: 1.").wait_for()
    assert player.page.locator("label[for=number]").text_content().strip().startswith("By number, from 0 to 65535")
    for number, title in (("0", "Board 0"), ("65535", "Board 65535")):
        player.page.locator("#number").fill(number)
        player.page.locator("#by-number button").click()
        player.settle()
        assert player.page.locator("#title").text_content() == title
        fewest = puzzlekit.load("flipit").solve(puzzlekit.load("flipit").numbered(int(number)).state).length
        player.page.locator("#counts").get_by_text(f"The fewest: {fewest}.").wait_for()
        assert player.link() == f"#number={number}"
    player.page.locator("#number").fill("65536")
    player.page.locator("#by-number button").click()
    player.settle()
    assert "give a whole number from 0 to 65535" in player.page.locator("#fault").text_content()
    player.troubles.clear()  # the browser notes each answer of 400


# Solvers, hints, values


@ON_A_SERVER
def test_the_stages_of_rotation(player):
    player.open("rotation", "#state=312%2F456%2F789")
    assert player.page.locator("#solver").input_value() == "staged", "the view says which solver comes first"
    player.page.locator("#counts").get_by_text("The fewest:").wait_for()
    player.page.locator("#solve").click()
    player.settle()
    found = puzzlekit.load("rotation").solve("312456789", puzzlekit.solvers(puzzlekit.load("rotation"))["staged"])
    optimum = puzzlekit.load("rotation").solve("312456789").length
    words = player.page.locator("#found").text_content()
    assert words == f"{found.length} moves by staged; the fewest are {optimum}."
    stages = player.page.locator("#stages li")
    assert stages.count() == 8
    assert stages.nth(0).text_content() == "the 1 is placed: A A A"
    assert stages.nth(3).text_content() == "the 7 is placed: nothing to do"
    assert stages.nth(0).get_attribute("aria-current") == "step"
    # After a move, the stages from there stand beside the fewest from there.
    player.page.locator("#step").click()
    player.settle()
    puzzle, state = puzzlekit.load("rotation"), player.state()
    fewest, staged = puzzle.solve(state).length, puzzle.solve(state, puzzlekit.solvers(puzzle)["staged"]).length
    assert fewest < staged
    player.page.locator("#stop").click()
    player.page.locator("#solve").click()
    player.page.locator("#found").get_by_text(f"{staged} moves by staged; the fewest are {fewest}.").wait_for()
    player.page.locator("#undo").click()
    player.settle()
    player.page.locator("#solve").click()
    player.settle()
    for _ in range(4):
        player.page.locator("#step").click()
        player.settle()
    assert stages.nth(1).get_attribute("aria-current") == "step"
    assert stages.nth(0).get_attribute("class") == "done"
    for _ in range(found.length - 4):
        player.page.locator("#step").click()
    player.settle()
    assert player.status().endswith(f"Solved in {found.length} moves.")
    assert player.page.locator("#stages .done").count() == 8


def test_a_solution_plays_by_itself_and_can_be_stopped(player):
    player.page.emulate_media(reduced_motion="no-preference")  # it plays faster then
    player.open("slider", "#seed=7")
    player.page.locator("#solve").click()
    player.settle()
    run = player.page.locator("#run")
    run.click()
    assert run.text_content() == "Pause"
    player.page.locator("#counts").get_by_text(re.compile("Your moves: [2-9]")).wait_for()
    run.click()
    player.settle()
    assert run.get_attribute("aria-pressed") == "false"
    made = player.moment()["made"]
    assert len(made) >= 2
    player.page.wait_for_timeout(600)
    assert player.moment()["made"] == made
    player.page.locator("#undo").click()
    player.settle()
    assert player.moment()["made"] == made[:-1], "one move is taken back, as of one's own"
    assert player.page.locator("#solution").is_hidden(), "it was put away"


def test_peg_solitaire_is_for_players(player):
    """Each jump takes a peg, so at least 31 are needed; and no words of the command line are said."""
    player.open("pegs")
    words = re.compile(r"fewest: 31\.|fewest: 31\+, a bound; not known")
    player.page.locator("#counts").get_by_text(words).wait_for(timeout=60_000)
    cross = ".../.o./..ooo../...o.../...o.../.../..."
    player.open("pegs", f"#state={cross.replace('/', '%2F')}")
    player.page.locator("#counts").get_by_text("The fewest: 5.").wait_for()
    assert player.status() == "To begin, drag a disk."
    player.page.locator("#hint3").click()
    player.settle()
    assert player.status().startswith("5 moves left. Move from row ")
    player.page.locator("#solve").click()
    player.settle()
    for _ in range(5):
        player.page.locator("#step").click()
        player.settle()
    assert player.status().endswith("Solved in 5 moves.")
    assert "--" not in player.page.locator("main").inner_text()


def test_hints_of_three_strengths(player):
    player.open("rotation", "#state=412%2F653%2F789")
    said = []
    for strength in (1, 2, 3):
        player.page.locator(f"#hint{strength}").click()
        player.settle()
        said.append(player.status())
        assert player.page.locator("#board .hinted").count() == (0, 4, 1)[strength - 1]
    assert said[0] == "6 moves left."
    assert said[1] == (
        "6 moves left. See the marks. They are row 1, column 1; row 1, column 2; row 2, column 1; row 2, column 2."
    )
    assert said[2] == "6 moves left. Turn A."
    assert player.page.locator("#board .hinted").get_attribute("aria-label") == "Turn A"


def test_the_strongest_hint_marks_the_cell_that_is_pressed(player):
    """The press changes five cells. The hint marks only the cell to press, and calls it as the page does."""
    flipit = puzzlekit.load("flipit")
    state = flipit.apply(flipit.start, "6")
    player.open("flipit", f"#state={state.replace('/', '%2F')}")
    player.page.set_viewport_size({"width": 390, "height": 500})  # the button is out of sight of the board
    player.page.locator("#hint3").click()
    player.settle()
    assert player.page.locator("#board").bounding_box()["y"] >= 0
    assert player.status() == "1 move left. Press row 2, column 2."
    hinted = player.page.locator("#board .hinted")
    assert hinted.count() == 1
    assert player.page.locator("circle.advice").count() == 2, "the ring around a disk is round"
    hinted.click()
    player.settle()
    assert player.moment()["why"] == "solved"


@ON_BOTH
def test_values_are_marked_and_said(player):
    player.open("tictactoe", "#state=XX.%2FOO.%2F...%3AX")
    player.page.locator("#opponent").select_option("")
    player.page.locator("#values").check()
    player.page.locator("#board .worth").first.wait_for()
    assert player.page.locator("#board .worth").all_text_contents() == ["Win", "Draw", "Loss", "Loss", "Loss"]
    assert player.cell(2).get_attribute("aria-label") == "row 1, column 3: empty, win"
    player.open("rotation", "#state=412%2F653%2F789")
    player.page.locator("#values").check()
    player.page.locator("#board .worth").first.wait_for()
    _, found = player.served.ask("values", puzzle="rotation", state="412653789")
    distances = {each["move"]: each["value"] for each in found["moves"]}
    assert player.page.locator("#board .point .worth").all_text_contents() == [str(distances[move]) for move in "ABCD"]
    player.page.locator("#values").uncheck()
    player.settle()
    assert player.page.locator("#board .worth").count() == 0


def test_a_column_has_one_value_where_its_disk_comes_to_lie(player):
    player.open("connect_four:4,4,4", "#state=..../..../X.../OXXO%3AO")
    player.page.locator("#values").check()
    player.page.locator("#board .worth").first.wait_for()
    words = player.page.locator("#board .worth").all_text_contents()
    assert words == ["Draw", "Draw", "Draw", "Win"]
    assert [player.cell(cell).locator(".worth").count() for cell in (4, 9, 10, 11)] == [1] * 4
    assert player.status() == "Yellow to move.", "a player is called as the pieces are"
    frame = player.page.locator("#board rect").first
    assert frame.evaluate("(it) => getComputedStyle(it).fill") == "rgb(29, 95, 168)"
    assert player.page.locator("#board .field circle").count() == 16, "the cells are holes"


def test_moves_need_not_wait_for_the_fewest_or_for_values(player):
    """The values of the board take long. A line says so, moves can be made meanwhile, and a button stops the search."""
    player.open("slider:5,5", f"#state={LARGE}")
    player.click(puzzlekit.load("slider:5,5").legal_moves(player.state())[0])
    # A bound from below may be known already.
    assert re.match(r"Your moves: 1\. The fewest: (…|\d+\+), still counting\.", player.counts()), player.counts()
    player.page.locator("#undo").click()
    values, waiting = player.page.locator("#values"), player.page.locator("#valuing")
    values.check()
    waiting.get_by_text("Weighing the moves").wait_for()
    player.page.keyboard.press("ArrowUp")
    player.settle()
    assert player.counts().startswith("Your moves: 1.")
    waiting.get_by_text("Weighing the moves").wait_for()
    waiting.get_by_role("button").click()
    waiting.wait_for(state="hidden")
    assert not values.is_checked()
    values.check()
    waiting.get_by_text("Weighing the moves").wait_for()
    values.uncheck()
    waiting.wait_for(state="hidden")
    assert player.page.locator("#board .worth").count() == 0


@ON_A_SERVER
def test_another_board_stops_what_was_asked_of_the_one_before(player):
    left = []
    player.page.on("requestfailed", lambda request: left.append(request.url.rpartition("/")[2]))
    player.open("slider:5,5", f"#state={LARGE}")
    for count in (1, 2):
        player.page.locator("#counts").get_by_text("still counting").wait_for()
        player.page.locator("#random").click()
        player.settle()
        assert left == ["fewest"] * count
    player.page.locator("#counts").get_by_text(re.compile(r"The fewest: \d+\+, still counting")).wait_for()


@ON_A_SERVER
def test_a_bound_says_that_it_is_one(player):
    """The answer is given by the test, since the search would take ten seconds."""
    found = {"fewest": None, "at_least": 42, "at_most": 1234, "solvable": True, "why": "no answer within 10 seconds"}
    answer = json.dumps({"answer": found}) + "\n"
    player.page.route("**/api/fewest", lambda route: route.fulfill(body=answer))
    player.open("slider:10,10")
    player.page.locator("#counts").get_by_text("not known").wait_for()
    assert player.counts() == "Your moves: 0. The fewest: 42 to 1234, bounds; not known."


@ON_A_SERVER
def test_what_cannot_be_solved_is_said(player):
    player.open("slider", "#state=0%2C2%2C1%2C3%2C4%2C5%2C6%2C7%2C8")
    player.page.locator("#counts").get_by_text("cannot be solved").wait_for()
    assert "its parity is odd" in player.counts()


def optimal(player):
    """Chooses the engine's own solver. A folder of files has no other one, and no choice."""
    if player.page.locator("#solver").count():
        player.page.locator("#solver").select_option("optimal")


def test_a_search_is_cancelled(player):
    def search():
        """Begins a search that does not end within the minute that a search may take."""
        player.open("slider:5,5", f"#state={LARGE}")
        optimal(player)
        player.page.locator("#solve").click()
        player.page.locator("#progress").get_by_text("Searching:").wait_for()

    search()
    player.page.locator("#cancel").focus()
    player.page.keyboard.press("Enter")
    player.settle()
    assert player.status() == "Cancelled."
    assert player.page.evaluate("document.activeElement.id") == "solve", "the focus goes back"
    assert player.page.locator("#search").is_hidden()
    # A move stops the search, too, so nobody has to wait for a search in order to go on.
    search()
    player.page.keyboard.press("ArrowUp")
    player.settle()
    assert player.counts().startswith("Your moves: 1.")
    # Leaving the page stops its searches, too: the next page need not wait for them.
    for _ in range(2):
        search()
        player.page.goto("about:blank")
    player.open("rotation", "#state=412%2F653%2F789")
    optimal(player)
    player.page.locator("#solve").click()
    player.page.locator("#found").get_by_text("6 moves, the fewest").wait_for(timeout=25_000)


# Games


def test_a_game_is_lost_against_perfect_play(player):
    player.open("tictactoe")
    player.page.locator("#second").check()
    player.settle()
    puzzle = puzzlekit.load("tictactoe")
    assert len(player.moment()["made"]) == 1
    assert player.page.locator("#undo").is_disabled(), "the opponent's first move stays"
    player.page.locator("#second").uncheck()
    player.settle()
    assert player.moment()["made"] == []
    player.page.locator("#second").check()
    player.settle()
    while not player.moment()["over"]:
        state = player.state()
        worst = min(
            puzzle.legal_moves(state),
            key=lambda move: {"win": -1, "draw": 0, "loss": 1}[worth(puzzle, puzzle.apply(state, move))],
        )
        player.click(worst)
    assert player.status().endswith("X wins: you lost.")
    player.page.locator("#second").uncheck()
    player.settle()
    assert player.moment()["over"], "a game that was begun stays as it is"
    assert player.page.locator("#end-words").text_content() == "X wins: you lost."
    assert player.page.locator("#end.good").count() == 0, "the tick is for who won"
    player.page.locator("#board .won").first.wait_for()
    assert player.page.locator("#board .won").count() == 3, "the row that won is marked"
    player.page.locator("#tell").click()
    player.settle()
    assert player.page.locator("#shared").text_content().startswith("Tic-tac-toe: X wins: you lost.")
    player.page.locator("#again").click()
    player.settle()
    assert player.moment()["made"] == []
    assert player.page.locator("#end").is_hidden()


def test_a_play_is_reviewed(player):
    """The review lists how many moves each of the person's moves has cost, and shows the better move on its board."""
    player.open("rotation", "#state=412%2F653%2F789")
    rotation = puzzlekit.load("rotation")
    state, lost = "412/653/789", []
    way = ["B", *rotation.solve(rotation.apply(state, "B")).moves]
    for move in way:
        after = rotation.apply(state, move)
        lost.append(rotation.solve(after).length + 1 - rotation.solve(state).length)
        state = after
        player.click(move)
    assert lost[0] > 0
    assert set(lost[1:]) == {0}
    player.page.locator("#judge").click()
    player.settle()
    strip = player.page.locator("#review button")
    assert strip.all_text_contents() == [
        f"{move}{f'+{cost}' if cost else '✓'}" for move, cost in zip(way, lost, strict=True)
    ]
    assert player.status() == f"{len(way) - 1} of {len(way)} moves were the best there."
    player.page.locator("#tell").click()
    player.settle()
    told = player.page.locator("#shared").text_content().splitlines()
    assert "with help" not in told[0]
    assert told[1] == "🟨🟥"[lost[0] > 1] + "🟩" * (len(way) - 1)
    strip.first.click()
    player.settle()
    assert player.moment()["made"] == []
    assert player.status().endswith("Turn A.")
    player.click("A")
    assert player.page.locator("#review").is_hidden(), "another way is another play"


def test_the_end_shows_the_way_and_saves_a_picture(player):
    player.open("slider", "#state=1%2C2%2C5%2C3%2C4%2C0%2C6%2C7%2C8")
    moves = player.solution()["moves"]
    for move in moves:
        player.click(move)
    way = player.page.locator("#way li")
    way.first.wait_for()
    assert way.locator("span").all_text_contents() == [
        "start",
        *(f"move {place}" for place in range(1, len(moves) + 1)),
    ]
    assert way.locator("svg .piece").count() == 9 * (len(moves) + 1)
    player.page.set_viewport_size({"width": 375, "height": 667})
    size = player.page.locator("#end.good h3").evaluate("(it) => getComputedStyle(it).fontSize")
    tick = player.page.locator("#end.good h3").evaluate("(it) => getComputedStyle(it, '::before').content")
    assert (size, "✓" in tick) == ("28px", True)
    boxes = [button.bounding_box() for button in player.page.locator("#end .next > *").all()]
    assert len(boxes) == 5
    assert len({round(box["y"]) for box in boxes}) == 2, "on a phone, the buttons are in two rows"
    assert player.page.locator("#end .next > *").evaluate_all(
        "(all) => all.every((it) => it.scrollWidth <= it.clientWidth)"
    )
    with player.page.expect_download() as download:
        player.page.locator("#picture").click()
    assert download.value.suggested_filename == "slider.png"
    pixels = Path(download.value.path()).read_bytes()
    assert pixels.startswith(b"\x89PNG")
    assert int.from_bytes(pixels[16:20]) == int.from_bytes(pixels[20:24]) > 1080, "wide and high"
    assert len(pixels) > 5_000, "an empty picture has fewer bytes"


def test_on_a_phone_help_stands_right_below_the_board(player):
    player.page.set_viewport_size({"width": 390, "height": 844})
    player.open("cube3")
    for name in ("#body", "#board", ".quick"):
        box = player.page.locator(name).bounding_box()
        assert box["y"] + box["height"] <= 844, f"a cube, its net and the buttons are in sight: {name}"
    player.open("tictactoe")
    tops = [player.page.locator(name).bounding_box()["y"] for name in ("#board", ".quick", "#hint3", "#moves")]
    assert tops == sorted(tops)
    primary = player.page.locator(".primary:visible")
    assert primary.evaluate_all("(all) => all.map(({ id }) => id)") == ["hint"], "New game throws the board away"
    assert player.page.locator("#undo").is_hidden()
    assert player.page.locator("#begin").is_visible()
    player.cell(4).click()
    player.page.locator("#restart").wait_for()
    player.settle()
    rows = {player.page.locator(name).bounding_box()["y"] for name in ("#undo", "#redo", "#restart", "#begin")}
    assert len(rows) == 1
    player.page.set_viewport_size({"width": 1280, "height": 900})
    player.open("tictactoe")
    assert player.page.locator("#branches").is_hidden(), "no move is made yet"
    player.cell(4).click()
    player.page.locator("#lines-of-moves [aria-current]").wait_for()
    assert player.page.locator(".beside #how p").is_visible(), "the column beside a game has the rules and the moves"
    boxes = [player.page.locator(name).bounding_box() for name in (".playing", ".below", "aside")]
    assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"] + 1
    assert boxes[2]["x"] > boxes[1]["x"] + boxes[1]["width"]


def test_a_game_is_reviewed(player):
    """The person's second corner gives the draw away, which the review shows."""
    player.open("tictactoe")
    player.page.locator("#opponent").select_option("")
    for move in ("0", "1", "2", "4", "5", "7"):
        player.click(move)
    assert player.status().endswith("O wins.")
    player.page.locator("#judge").click()
    player.settle()
    game, state, lost = puzzlekit.load("tictactoe"), puzzlekit.load("tictactoe").start, []
    ranks = {"loss": 0, "draw": 1, "win": 2}
    for move in ("0", "1", "2", "4", "5", "7"):
        after = game.apply(state, move)
        lost.append(ranks[worth(game, state)] - (2 - ranks[worth(game, after)]))
        state = after
    assert max(lost) > 0
    signs = [f"+{cost}" if cost else "✓" for cost in lost]
    assert player.page.locator("#review small").all_text_contents() == signs


def test_an_answer_is_taken_back_and_who_plays_survives_a_reload(player):
    player.open("tictactoe")
    player.cell(4).click()
    player.settle()
    assert len(player.moment()["made"]) == 2
    assert re.fullmatch(r"The opponent plays row \d, column \d\. X to move\.", player.status())
    player.page.locator("#undo").click()
    player.settle()
    assert player.moment()["made"] == []
    player.page.locator("#redo").click()
    player.settle()
    assert len(player.moment()["made"]) == 2
    player.page.locator("#opponent").select_option("")
    player.cell(next(cell for cell in range(9) if player.position()["cells"][cell] == ".")).click()
    player.settle()
    assert len(player.moment()["made"]) == 3, "two people play"
    player.page.locator("#begin").click()
    player.settle()
    player.page.locator("#opponent").select_option("weak")
    player.page.locator("#second").check()
    player.settle()
    player.cell(next(cell for cell in range(9) if player.position()["cells"][cell] == ".")).click()
    player.settle()
    made = player.moment()["made"]
    assert len(made) == 3
    player.page.reload()
    player.settle()
    assert player.moment()["made"] == made
    assert player.page.locator("#opponent").input_value() == "weak"
    assert player.page.locator("#second").is_checked()
    player.page.locator("#undo").click()
    player.settle()
    assert player.moment()["made"] == made[:1], "the answer is taken back with the move"
    assert player.page.locator("#undo").is_disabled(), "the opponent's first move stays"
    player.page.locator("#opponent").select_option("")
    player.settle()
    player.page.reload()
    player.settle()
    assert player.page.locator("#opponent").input_value() == ""


def test_the_way_back_leads_to_the_board_before(player):
    player.open("slider", "#seed=7")
    for move in player.solution()["moves"][:2]:
        player.click(move)
    before = player.moment()
    assert len(before["made"]) == 2
    player.page.locator("#random").click()
    player.settle()
    other = player.moment()
    assert other["made"] == []
    assert other["state"] != before["state"]
    player.page.go_back()
    player.settle()
    assert player.moment() == before
    assert player.counts().startswith("Your moves: 2.")
    player.page.go_forward()
    player.settle()
    assert player.moment() == other


COUNTED = """
window.moved = [];
const animate = Element.prototype.animate;
Element.prototype.animate = function (frames, timing) {
  window.moved.push([Number(this.dataset.at), timing.delay ?? 0, frames.length]);
  return animate.call(this, frames, timing);
};
"""
"""A script that records each motion on a page: the cell, the delay, and how many places the piece goes through."""


def test_pieces_move_unless_somebody_asks_for_less_motion(browser, served):
    with browser.new_context(viewport={"width": 1100, "height": 900}) as context:
        player = browsers.Player(context.new_page(), served)
        player.page.add_init_script(COUNTED)

        def moved():
            """The motions since the last look."""
            player.settle()
            return player.page.evaluate("window.moved.splice(0)")

        def moves(puzzle, link, move):
            """The motions of a move, which are none for somebody who asks for less motion."""
            player.page.emulate_media(reduced_motion="reduce")
            player.open(puzzle, link)
            player.click(move)
            player.page.locator("#undo").click()
            assert moved() == []
            player.page.emulate_media(reduced_motion="no-preference")
            player.click(move)
            return moved()

        slide = moves("slider", "#state=1%2C4%2C2%2C3%2C0%2C5%2C6%2C7%2C8", "U")
        assert slide[0] == [4, 0, 2], "one tile slides down"
        assert slide[1:] == [], "it is not the end"
        turn = moves("rotation", "#state=412%2F653%2F789", "A")
        assert [(cell, places) for cell, _, places in turn] == [(0, 9), (1, 9), (3, 9), (4, 9)], "on an arc"
        flips = moves("flipit", f"#daily={DAY}", "5")
        assert len(flips) == 6
        assert min(flips, key=lambda flip: flip[1])[:2] == [4, 0], "what is pressed turns first"
        player.open("slider", "#state=1%2C0%2C2%2C3%2C4%2C5%2C6%2C7%2C8")
        assert moved() == [], "a board that is laid does not move"
        player.click("L")
        # A wave at the end. The page lets nobody evaluate texts, so Playwright cannot wait for that in the page itself.
        while player.page.evaluate("window.moved.length") <= 9:
            player.page.wait_for_timeout(10)


def test_the_colours_can_be_chosen(player):
    ground = "getComputedStyle(document.body).backgroundColor"
    player.open("slider")
    light = player.page.evaluate(ground)
    player.page.locator("#theme").select_option("dark")
    dark = player.page.evaluate(ground)
    assert dark != light
    player.page.reload()
    player.settle()
    assert player.page.evaluate(ground) == dark
    assert player.page.locator("#theme").input_value() == "dark"
    player.page.locator("#theme").select_option("")
    assert player.page.evaluate(ground) == light


SHIFTED = """
() => new Promise((found) => {
  let sum = 0;
  const add = (list) => list.getEntries().forEach(({ value }) => (sum += value));
  new PerformanceObserver(add).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => found(sum), 300);
})
"""
"""How much of a page has shifted since it was called."""


@pytest.mark.parametrize("puzzles", [("flipit", "rotate"), pytest.param(ALL, marks=pytest.mark.slow)])
def test_boards_are_large_and_do_not_shift(player, puzzles):
    for width in (390, 1280):
        player.page.set_viewport_size({"width": width, "height": 900})
        player.open()
        assert player.page.evaluate(SHIFTED) < 0.05, width
    for puzzle in puzzles:
        player.open(puzzle)
        assert player.page.evaluate(SHIFTED) < 0.05, puzzle
        board, title = (player.page.locator(name).bounding_box() for name in ("#board", "h1"))
        assert 480 <= board["width"] <= 580, puzzle
        tray = player.page.locator("#board rect.tray").bounding_box()
        assert abs(tray["x"] - title["x"]) < 1, "the frame begins where the title does"


def test_figures_sizes_and_keys_of_the_history(player):
    player.open("rotation", "#state=412%2F653%2F789")
    player.page.locator("#counts").get_by_text("The fewest: 6.").wait_for()
    assert player.counts() == "Your moves: 0. The fewest: 6."
    assert player.status() == "To begin, press a round button."
    assert player.page.locator("#time").text_content() == "", "the time begins with the first move"
    player.click("A")
    assert re.fullmatch(r"Time\s*0:0[0-9]", player.page.locator("#time").inner_text())
    player.page.locator("h1").click()
    player.page.keyboard.press("ArrowLeft")
    player.settle()
    assert player.moment()["made"] == []
    player.page.keyboard.press("ArrowRight")
    player.settle()
    assert player.moment()["made"] == ["A"]
    player.more()
    # A label names its field alone, and not the button beside it.
    assert player.page.get_by_label("By seed", exact=True).get_attribute("id") == "seed"
    player.open("slider")
    player.unfold("sizes")
    sizes = player.page.locator(".sizes a")
    assert sizes.all_text_contents() == ["2 by 2", "3 by 3", "4 by 4", "5 by 5", "6 by 6"]
    assert player.page.locator(".sizes [aria-current]").text_content() == "3 by 3"
    sizes.nth(2).click()
    player.page.wait_for_url("**/play/slider*columns*")
    assert player.settle().page.locator("h1").text_content().startswith("Slider 4 by 4")


def test_a_board_is_set_up(player):
    def set_up(puzzle, link="", pressed=()):
        player.open(puzzle, link)
        player.more()
        player.page.locator("#edit").click()
        player.settle()
        for cell in pressed:
            player.cell(cell).click()

    set_up("lights_out")
    said = player.page.locator("#setup-words")
    assert player.page.locator("#status").is_hidden(), "it is about the other board"
    lamp = player.cell(0).get_attribute("aria-label")
    player.cell(0).click()
    assert player.cell(0).get_attribute("aria-label") != lamp, "the next symbol is there"
    player.page.locator("#setup-away").click()
    player.settle()
    assert player.cell(0).get_attribute("aria-label") == lamp
    set_up("rotation", "#state=123%2F456%2F789", pressed=(0, 1))
    said.get_by_text("The fewest: 9.").wait_for()
    player.page.locator("#setup-play").click()
    assert player.settle().state() == "213/456/789"
    assert player.page.locator("#setup").is_hidden()
    set_up("slider", "#seed=7", pressed=(0, 1))
    said.get_by_text("This cannot be solved").wait_for()
    set_up("klotski")
    player.cell(17).click()
    said.get_by_text("where it is always there").wait_for()
    assert player.page.locator("#setup-play").is_disabled()
    set_up("tictactoe")
    for _ in range(2):
        player.cell(4).click()
    player.page.locator("#setup-player").click()
    said.get_by_text("This is a board.").wait_for()
    player.page.locator("#setup-play").click()
    assert player.settle().state() == ".../.X./...:O"
    player.troubles.clear()  # the browser notes the answers of 400


def test_a_block_follows_the_pointer(player):
    player.open("klotski")
    assert player.status() == "To begin, drag a block."
    (x, y), block = player.middle(17), "document.querySelectorAll('#board .piece[transform]').length"
    player.page.mouse.move(*player.middle(13))
    player.page.mouse.down()
    player.page.mouse.move(x, y)
    assert player.page.evaluate(block) == 1
    player.page.mouse.up()
    assert player.page.evaluate(block) == 0


def test_boards_of_other_days(player):
    today = datetime.datetime.now(datetime.UTC).date()
    days = [(today - datetime.timedelta(days=at)).isoformat() for at in range(4)]
    player.open("flipit", f"#daily={days[0]}")
    kept = {"flipit": {"solved": 2, "days": {days[1]: 3, days[2]: 5}}}
    player.page.evaluate("(kept) => localStorage.setItem('puzzlekit-played', JSON.stringify(kept))", kept)
    player.page.reload()
    player.settle()
    assert player.page.locator("#row").text_content() == "Days in a row: 2.", "up to yesterday"
    for move in player.solution()["moves"]:
        player.click(move)
    assert player.page.locator("#row").text_content() == "Days in a row: 3."
    player.more()
    player.unfold("archive")
    buttons = player.page.locator("#days button")
    assert buttons.nth(0).get_attribute("aria-label") == f"{days[0]}, solved in 3"
    assert buttons.nth(2).get_attribute("aria-label") == f"{days[2]}, solved in 5"
    buttons.nth(3).click()
    player.settle()
    assert player.link().startswith(f"#daily={days[3]}")
    player.open()
    words = player.page.locator("article[data-puzzle='flipit'] .played").text_content()
    assert words == "You: solved 3, today in 3, 3 days in a row."


def test_what_was_begun_goes_on(player):
    player.open("slider", "#state=1%2C4%2C2%2C3%2C0%2C5%2C6%2C7%2C8")
    player.click("U")
    state = player.state()
    player.open()
    player.page.locator("[data-puzzle=slider]").get_by_role("link", name="Go on").click()
    player.page.wait_for_url("**/play/slider*#**")
    assert player.settle().moment()["made"] == ["U"]
    assert player.state() == state
    for move in player.solution()["moves"]:
        player.click(move)
    player.open()
    assert player.page.get_by_role("link", name="Go on").count() == 0


def test_names_of_things_are_words(player):
    """No character of a state is read aloud for a thing that has a name."""
    for puzzle, cell, words in (("sokoban", 8, "keeper"), ("lights_out", 4, "dark"), ("klotski", 1, "block")):
        player.open(puzzle, f"#state={quote(puzzlekit.load(files[0]).start)}" if (files := found(puzzle)) else "")
        assert words in player.cell(cell).get_attribute("aria-label"), puzzle


@ON_A_SERVER
def test_a_press_is_seen_while_the_server_thinks(player):
    player.open("rotation", "#state=412%2F653%2F789")
    held, released = [], []  # questions to the server wait until the test lets them go
    player.page.route("**/api/play", lambda route: route.continue_() if released else held.append(route))
    player.page.get_by_role("button", name="Turn A", exact=True).click()
    while not held:
        player.page.wait_for_timeout(10)
    assert player.page.locator("#board").get_attribute("aria-busy") == "true"
    released.append(True)
    for route in held:
        route.continue_()
    player.settle()
    assert player.page.locator("#board").get_attribute("aria-busy") == "false"


def test_the_first_page_is_searched(player):
    player.open()
    cards = player.page.locator(".card:visible")
    every = cards.count()
    assert every >= 12
    assert player.page.get_by_role("link", name=re.compile("^Play ")).count() == every, "each card says how to begin"
    assert player.page.locator(".primary").count() == 1
    player.page.get_by_label("Find a puzzle").fill("hanoi TOWER")
    assert cards.count() == 1
    assert player.page.locator("#found").text_content() == "1 found."
    player.page.get_by_label("Find a puzzle").fill("")
    assert cards.count() == every


def test_the_best_known_solution_is_there_at_once_and_can_be_taken(player):
    player.open("slider:5,5", f"#state={LARGE}")
    player.page.locator("#counts").get_by_text(re.compile("fewest: .*[0-9], bounds; not known")).wait_for()
    optimal(player)
    player.page.locator("#solve").click()
    player.page.locator("#found").get_by_text("are needed (a bound)").wait_for()
    take = player.page.locator("#cancel")
    take.wait_for()
    assert take.text_content() == "Take it"
    assert player.page.locator("#search progress").is_visible()
    take.click()
    player.settle()
    assert player.page.locator("#solution").is_visible(), "what was found is kept"
    assert player.page.locator("#fault").is_hidden()
    words = player.page.locator("#found").text_content()
    assert f"{re.search('([0-9]+), bounds', player.counts())[1]} moves" in words
    player.page.locator("#step").click()
    player.settle()
    assert len(player.moment()["made"]) == 1


WAITED = """
window.waits = [];
const later = window.setTimeout;
window.setTimeout = (action, wait) => {
  window.waits.push(wait);
  return later(action, wait);
};
"""
"""A script that records each wait on a page, in milliseconds."""


def test_a_solution_plays_in_sight_on_a_phone_and_a_long_one_quickly(browser, served):
    with browser.new_context(viewport={"width": 375, "height": 667}) as context:
        context.set_default_timeout(30_000)
        player = browsers.Player(context.new_page(), served)
        player.page.add_init_script(WAITED)
        player.open("klotski")
        player.page.locator("#solve").click()
        player.page.locator("#found").get_by_text(re.compile("[0-9]{3} moves")).wait_for()
        length = int(re.search("([0-9]{3}) moves", player.page.locator("#found").text_content())[1])
        player.page.evaluate("window.waits.length = 0")
        player.page.locator("#run").click()
        player.page.locator("#counts").get_by_text(re.compile("Your moves: [3-9]")).wait_for()
        player.page.locator("#run").click()
        player.settle()
        box = player.page.locator("#board").bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 667
        # After so long a line tells of a request, and the engine in a page is given up.
        patience = (200, 10_000)
        waits = [wait for wait in player.page.evaluate("window.waits") if wait not in patience]
        assert len(waits) >= 2
        assert max(waits) <= 50_000 / length < 450, "a long one plays faster than a short one"
        assert player.troubles == []


def worth(puzzle, state):
    """The value of a state for the player to move."""
    end = puzzle.outcome(state)
    if end is None:
        return puzzle.solve(state).value
    return "draw" if end == "draw" else "loss"


@pytest.mark.slow
def test_a_game_is_drawn_by_perfect_play(player):
    player.open("tictactoe")
    while not player.moment()["over"]:
        player.click(player.solution()["best"][0])
    assert player.status().endswith("The game is over: draw.")


def test_columns_and_rings_are_played(player):
    player.open("connect_four:4,4,4")
    player.page.locator("#opponent").select_option("weak")
    player.cell(1).click()
    player.settle()
    assert len(player.moment()["made"]) == 2
    player.open("mu_torere")
    player.page.locator("#opponent").select_option("")
    player.click(player.moment()["legal"][0])
    assert len(player.moment()["made"]) == 1


# Links and history


def test_a_link_brings_anyone_to_the_same_board(player, browser, served):
    player.open("flipit", "#seed=7")
    state = player.state()
    player.cell(3).click()
    player.settle()
    player.unfold("sharing")
    player.page.locator("#link").click()
    player.settle()
    link = player.page.locator("#shared").text_content()
    assert link == f"{served.page('flipit')}#state={state.replace('#', '%23').replace('/', '%2F')}"
    whole = player.page.url
    assert whole.endswith("#seed=7&moves=4")
    with browser.new_context() as context:
        other = browsers.Player(context.new_page(), served)
        for address, made in ((link, []), (whole, ["4"])):
            other.page.goto("about:blank")
            other.page.goto(address)
            other.settle()
            other.puzzle = player.puzzle
            assert (other.moment()["made"], other.position()["moment"]["state"] == state) == (made, not made)
            assert other.page.locator("#board .mark").count() == len(made)
        assert other.troubles == []


def test_a_page_that_is_loaded_again_has_the_same_board(player):
    player.open("rotation")
    player.click("A")
    player.click("C")
    before = player.position()
    player.page.reload()
    player.settle()
    assert player.position() == before
    assert player.page.locator("#board text").all_text_contents()[:9] == before["cells"]


@ON_BOTH
def test_broken_links_are_told(player):
    player.open("slider", "#state=nonsense")
    assert "nonsense" in player.page.locator("#fault").text_content()
    player.troubles.clear()  # the browser notes each answer of 400
    player.page.locator("#random").click()
    player.settle()
    assert player.page.locator("#fault").is_hidden()
    player.open("slider", "#state=%E0%A4%A&moves=,,&nothing=1&=2")
    assert player.status() == "To begin, press a tile."


@pytest.mark.parametrize("link", ["state=nonsense", "daily=2026-13-45", "number=7", "state=12&moves=U"])
def test_after_a_broken_link_there_is_a_board_all_the_same(player, link):
    player.open("slider", f"#{link}")
    assert player.page.locator("#fault").text_content() not in ("", None)
    player.troubles.clear()  # the browser notes each answer of 400
    assert player.status() == "To begin, press a tile."
    assert player.link().startswith("#seed="), "the address is that of the board"
    player.page.locator("#hint3").click()
    player.settle()
    assert "Press row" in player.status()


def test_a_link_with_moves_that_cannot_be_made_has_its_board(player):
    player.open("slider", "#state=1%2C2%2C5%2C3%2C4%2C0%2C6%2C7%2C8&moves=U,X")
    assert 'The move "X" cannot be made' in player.page.locator("#fault").text_content()
    player.troubles.clear()  # the browser notes each answer of 400
    assert player.state() == "1,2,5/3,4,0/6,7,8".replace(",", "")
    assert player.moment()["made"] == []


def test_the_history(player):
    player.open("rotation", "#state=412%2F653%2F789")
    for move in "ABCD":
        player.click(move)
    states = [
        each["state"]
        for each in player.served.ask("play", puzzle="rotation", state="412653789", moves=list("ABCD"), history=True)[
            1
        ]["history"]
    ]
    player.page.locator("#undo").click()
    player.settle()
    assert player.state() == states[3]
    slider = player.page.locator("#slider")
    slider.focus()
    player.page.keyboard.press("Home")
    player.settle()
    assert (player.state(), slider.get_attribute("aria-valuetext")) == (states[0], "move 0 of 4")
    player.page.keyboard.press("End")
    player.settle()
    assert player.state() == states[4]
    player.page.locator("#restart").click()
    player.settle()
    assert player.state() == states[0]
    player.page.locator("#redo").click()
    player.settle()
    assert player.state() == states[1]
    player.click("D")
    assert player.moment()["made"] == ["A", "D"], "a new move takes the place of those that were undone"
    assert player.page.locator("#redo").is_disabled()


def test_a_body_is_turned(player):
    """Three faces of the cube are seen. A drag and arrows turn it, and make no move; a press of a face turns that."""
    player.open("cube3", f"#state={CUBE}")
    body = player.page.locator("#body")
    body.locator("text").first.wait_for(state="attached")

    def faces():
        """How many stickers of each colour are seen."""
        return Counter(body.locator("text").all_text_contents())

    first = faces()
    assert first.total() == 27
    assert player.status() == "To begin, press a face."
    box = body.bounding_box()
    player.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    player.page.mouse.down()
    player.page.mouse.move(box["x"] + 0.1 * box["width"], box["y"] + 0.6 * box["height"], steps=4)
    player.page.mouse.up()
    dragged = faces()
    assert dragged != first
    body.focus()
    for _ in range(12):  # half a turn
        player.page.keyboard.press("ArrowLeft")
    assert faces() != dragged
    assert player.moment()["made"] == []
    player.open("cube3", f"#state={CUBE}")
    for move in ("U2", "R"):
        player.click(move)
    assert sorted(faces().values()) == [9, 9, 9], "each face that is seen has one colour"
    assert player.page.locator("#board").bounding_box()["width"] < 0.9 * box["width"], "the net is the small picture"
    facet = body.locator("[data-facet='40']").last  # the middle of the front
    facet.click()
    facet.click(modifiers=["Shift"])
    facet.click(button="right")
    player.page.locator("#choices").get_by_role("button", name="F2", exact=True).click()
    player.settle()
    assert player.moment()["made"] == ["U2", "R", "F", "F'", "F2"]
    assert body.locator("text").first.is_hidden(), "a cube has colours alone, unless somebody asks for letters"
    player.page.locator("#letters").check()
    assert body.locator("text").first.is_visible()
    player.page.reload()
    player.settle()
    body.locator("text").first.wait_for()
    player.page.locator("#letters").uncheck()
    player.open("cube2_stickers", "#seed=a")
    body.locator("[data-facet='9']").last.click()  # at the corner of the front; its button stands between the cells
    player.settle()
    assert player.moment()["made"] == ["F"]
    player.open("slider")
    assert body.count() == 0


def test_moves_that_turn_others_over_are_made_on_the_board(player):
    """Each move of Othello changes several cells; the cell that its name stands for is pressed."""
    player.open("othello")
    player.page.locator("#opponent").select_option("")
    player.cell(1).click()
    player.settle()
    assert player.moment()["made"] == ["1"]
    assert player.page.locator("#buttons button").all_text_contents() == ["pass "]
    player.open("dots_and_boxes")
    player.page.locator("#opponent").select_option("")
    player.type("2")
    assert player.moment()["made"] == ["2"]


def test_the_list_of_moves_has_branches(player):
    """A move at an earlier place begins a line. The line before it stays, and a press or keys lead back to it."""
    player.open("slider", "#state=1%2C4%2C2%2C3%2C0%2C5%2C6%2C7%2C8")
    listed = player.page.locator("#lines-of-moves")
    player.click("U")
    player.page.locator("#branches summary").click()
    for move in "LD":
        player.click(move)
    assert listed.locator("li").all_text_contents() == ["Start1. U2. L3. D"]
    listed.get_by_role("button", name="1. U", exact=True).click()
    player.settle()
    assert player.moment()["made"] == ["U"]
    player.click("D")
    player.click("R")
    lines = ["Start1. U2. L3. D", "after move 1: 2. D3. R"]
    assert listed.locator("li").all_text_contents() == lines
    assert listed.locator(".on").all_text_contents() == ["Start", "1. U", "2. D", "3. R"]
    listed.get_by_role("button", name="3. D", exact=True).click()
    player.settle()
    assert player.moment()["made"] == ["U", "L", "D"], "the line that was left is there"
    seen = []
    for key in ("ArrowLeft", "ArrowLeft", "ArrowDown", "ArrowLeft", "Home", "End", "ArrowUp", "ArrowRight"):
        player.page.keyboard.press(key)
        player.settle()
        seen.append(player.moment()["made"])
    assert seen == [["U", "L"], ["U"], *[list(way) for way in ("UDR", "UD", "", "UDR", "ULD", "ULD")]]
    assert listed.locator("[aria-current]").text_content() == "3. D"
    assert player.page.evaluate("document.activeElement.textContent") == "3. D", "the focus goes along"
    for move in "UDR":  # what was made before begins no other line
        player.page.locator("#restart").click() if move == "U" else None
        player.settle().click(move)
    assert listed.locator("li").all_text_contents() == lines


@ON_A_SERVER
def test_parameters_lead_to_another_puzzle(player):
    player.open("slider:rows=3,columns=4")
    assert player.page.locator("h1").text_content() == "Slider 3 by 4"
    player.unfold("sizes")
    player.page.get_by_label("rows of the board").fill("2")
    player.page.get_by_role("button", name="Play with these").click()
    player.page.locator("h1[title='slider:rows=2,columns=4']").wait_for()
    player.settle()
    assert player.page.locator("#board .cell").count() == 8


@ON_A_SERVER
def test_a_text_may_be_empty(player):
    """A text parameter may be empty, so the form sends an empty text. The puzzle says what it needs."""
    player.open("sokoban")
    player.unfold("sizes")
    player.page.get_by_label("store").fill("")
    player.page.get_by_role("button", name="Play with these").click()
    player.page.wait_for_url("**/play/sokoban%3Astore%3D")
    assert "This cannot be shown" in player.page.locator("h1").text_content()
    player.troubles.clear()  # the browser notes the 404


@ON_BOTH
def test_what_was_played_with_other_parameters_stands_on_the_first_page(player):
    player.open("slider:2,2", "#state=1,0/2,3")
    player.page.keyboard.press("ArrowLeft")
    player.settle()
    assert player.status().endswith("Solved in 1 move.")
    player.open()
    played = player.page.locator("[data-puzzle=slider] .played")
    assert played.text_content() == "slider:rows=2,columns=2: solved 1."
    assert player.page.locator(".played:visible").count() == 1
    played.get_by_role("link").click()
    player.settle()
    assert player.page.locator("h1").get_attribute("title") == "slider:rows=2,columns=2"


def test_the_line_mode_is_on_the_page(player):
    player.open("rotation", "#state=412%2F653%2F789")
    player.page.locator("#words summary").click()
    player.page.locator("#lines:not(:empty)").wait_for()
    lines = player.page.locator("#lines")
    assert lines.text_content().splitlines()[2:] == ["Goal: 123/456/789", "4 1 2", "6 5 3", "7 8 9"]
    player.page.locator("#line").fill("a a")
    player.page.keyboard.press("Enter")
    player.settle()
    assert player.moment()["made"] == ["A", "A"]
    player.page.locator("#line").fill("hint")
    player.page.keyboard.press("Enter")
    player.settle()
    assert lines.text_content().endswith("> hint\nHint: A.")


@ON_BOTH
def test_an_opponent_answers_the_line_mode(player):
    player.open("tictactoe")
    player.page.locator("#words summary").click()
    player.page.locator("#lines:not(:empty)").wait_for()
    for line, made in (("4", 2), ("undo", 0), ("undo", 0), ("0", 2), ("restart", 0)):
        player.page.locator("#line").fill(line)
        player.page.keyboard.press("Enter")
        player.settle()
        assert len(player.moment()["made"]) == made
    assert player.page.locator("#lines").text_content().endswith("> restart\n. . .\n. . .\n. . .")


def count(player):
    """Counts the states, which a busy machine may not have done by itself in the moment that it has."""
    player.page.evaluate("const button = document.getElementById('count'); if (!button.hidden) button.click()")


@ON_BOTH
def test_a_small_board_is_counted_at_once(player):
    player.open("hanoi:2", path="explore")
    player.page.locator("#status").get_by_text("9 states").wait_for()
    assert player.page.locator("#scale").text_content() == "To scale"
    assert player.page.locator("#count").is_hidden()


def test_no_column_repeats_another_if_there_are_no_symmetries(player):
    player.open("slider:2,3", path="explore")
    count(player)
    player.page.locator("#status").get_by_text("360 states.", exact=True).wait_for()
    assert player.page.locator("#alike").is_hidden()
    assert player.page.locator("#rows tr").first.locator("td").count() == 2


def test_the_plot_is_whole_on_a_narrow_page(player):
    player.page.set_viewport_size({"width": 320, "height": 700})
    player.open("rotation", path="explore")
    count(player)
    player.page.locator("#depths").wait_for()
    hidden = player.page.locator(".scroll").evaluate("(each) => each.scrollWidth - each.clientWidth")
    bars = [box.bounding_box()["width"] for box in player.page.locator("#rows rect").all()]
    assert hidden == 0
    assert max(bars) > 40
    assert bars[10] == max(bars)


@ON_BOTH
def test_what_is_too_large_to_count_is_said(player):
    player.open("slider:5,5", path="explore")
    player.page.locator("#count").click()
    player.page.locator("#fault").get_by_text("slider:rows=5,columns=5 has ").wait_for()
    assert player.page.locator("#fault").text_content().endswith("use the command line.")
    player.troubles.clear()  # the browser may note the answer of 422


def test_looking_at_a_state_can_be_cancelled(player):
    player.open("slider:5,5", path="explore")
    player.page.locator("#state").fill(LARGE.replace("%2C", ","))
    player.page.locator("#look button").click()
    player.page.locator("#looking").get_by_text("Looking").wait_for()
    player.page.locator("#looking button").click()
    player.page.locator("#worth").get_by_text("Cancelled.").wait_for()
    player.page.locator("#state").fill("nonsense")
    player.page.locator("#look button").click()
    player.page.locator("#fault").get_by_text("nonsense").wait_for()
    player.troubles.clear()  # the browser notes the answer of 400


def test_exploring(player):
    player.open("rotation", path="explore")
    count(player)
    player.page.locator("#depths").wait_for()
    found = puzzlekit.load("rotation").enumerate(backward=True)
    assert player.page.locator("#status").text_content() == f"362,880 states, {found.states:,} up to symmetry."
    assert player.page.locator("#rows tr").count() == 16
    widths = [float(bar.get_attribute("width")) for bar in player.page.locator("#rows rect").all()]
    assert widths[0] < widths[1] - 2 < widths[2] - 4, "bars for 1 and a few states differ"
    assert player.page.locator("#scale").text_content() == "To a logarithmic scale"
    card = player.page.locator("#hardest li").first
    assert "15 moves" in card.text_content()
    player.page.locator("#look button").click()
    player.page.locator("#beside li").first.wait_for()
    assert player.page.locator("#worth").text_content() == "This state: 0 moves from the goal."
    assert player.page.locator("#beside li").count() == 4
    card.get_by_role("link").click()
    player.settle()
    player.page.locator("#counts").get_by_text("The fewest: 15.").wait_for()


# For everyone

PAGES = {
    "home": ("", "", "play"),
    "flipit": ("flipit", f"#daily={DAY}", "play"),
    "rotation": ("rotation", "", "play"),
    "tictactoe": ("tictactoe", "", "play"),
    "ring": ("mu_torere", "", "play"),
    "cube": ("cube2_stickers", "", "play"),
    "buttons": ("river", "", "play"),
    "choice": ("hanoi:3", "", "play"),
    "body": ("cube3", f"#state={CUBE}", "play"),
    "explore": ("slider:rows=2,columns=3", "", "explore"),
}


@pytest.fixture(scope="module")
def axe():
    return pytest.importorskip("axe_playwright_python.sync_playwright").Axe()


SCHEMES = [*zip(PAGES, ["light", "dark"] * 5, strict=False), ("rotation", "dark"), ("home", "dark")]
QUICKLY_SEEN = [("home", "light"), ("flipit", "dark"), ("tictactoe", "dark"), ("choice", "dark"), ("explore", "dark")]
"""The pages that axe checks in the quick run: each form of the page once."""


@pytest.mark.parametrize(
    ("name", "scheme"),
    [pytest.param(*each, marks=() if each in QUICKLY_SEEN else pytest.mark.slow) for each in SCHEMES],
)
def test_axe_finds_nothing(desk, served, axe, name, scheme):
    """The test uses all that pages have, on a server and in a folder of files."""
    look(desk, served, axe, name, scheme)


@ON_A_SERVER
def test_axe_finds_nothing_on_a_page_of_a_fault(desk, served, axe):
    look(desk, served, axe, "fault", "light")


def look(desk, served, axe, name, scheme):
    """The test uses everything on a page, and then lets axe check it: in a light wide window or a dark narrow one."""
    width = 1280 if scheme == "light" else 320
    with browsers.visiting(desk, served, color_scheme=scheme, viewport={"width": width, "height": 800}) as player:
        player.open(*PAGES.get(name, ("nothing", "", "explore")))
        if name == "explore":
            count(player)
            player.page.locator("#hardest li").first.wait_for()
            player.page.locator("#look button").click()
            player.page.locator("#beside li").first.wait_for()
        elif name == "choice":
            player.cell(0).click()
        elif name == "fault":
            player.troubles.clear()  # the browser notes the 404
        elif name != "home":
            player.page.locator("#values").check()
            if name in ("flipit", "rotation", "tictactoe", "buttons"):
                player.page.locator("#board .worth, #buttons .worth").first.wait_for()
            player.page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
            player.page.locator("#solve").click()
            player.settle()
        found = axe.run(player.page).response["violations"]
        assert [(each["id"], [node["html"][:150] for node in each["nodes"]][:3]) for each in found] == []
        wide = player.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, "nothing sticks out to the side"


SMALL = """
() => {
  const room = document.querySelector("#board")?.getBoundingClientRect();
  const across = document.querySelector("#board")?.style.getPropertyValue("--across");
  const small = [];
  for (const each of document.querySelectorAll("button, a, input, select, summary")) {
    if (!each.checkVisibility({ opacityProperty: true }) || each.closest("p, .skip, .idle, [aria-hidden]")) continue;
    const held = each.type === "checkbox" ? each.closest("label") : each;
    const style = getComputedStyle(held, "::before");
    const box = held.getBoundingClientRect();
    const wide = Math.max(box.width, style.content === "none" ? 0 : parseFloat(style.width));
    const high = Math.max(box.height, style.content === "none" ? 0 : parseFloat(style.height));
    const most = each.matches(".cell") ? Math.min(44, room.width / across) : 44;
    if (Math.min(wide, high) < most - 0.6) small.push([each.outerHTML.slice(0, 90), wide, high]);
  }
  return small;
}
"""
"""What a finger can hardly hit: it has less than 44 pixels, or less than a cell of a board that fills the screen."""


@pytest.mark.parametrize(
    "more",
    [("mu_torere", "cube2_stickers", ""), pytest.param(("rotate:5,5", "flipit", "tictactoe"), marks=pytest.mark.slow)],
)
def test_everything_can_be_hit(player, served, more):
    """Buttons are at least 24 pixels wide and high, even for the widest board on the narrowest page.

    For a finger they have 44, and the cells of a board as many as the screen has for them.
    """
    page = player.page
    finger = page.context.new_cdp_session(page)
    for puzzle, path in (
        ("slider:10,10" if served.is_server else "slider:6,6", "play"),
        *((name, "play") for name in more),
        ("hanoi:2", "explore"),
    ):
        player.open(puzzle, path=path)
        if path == "explore":
            page.locator("#hardest li").first.wait_for()
        page.set_viewport_size({"width": 320, "height": 700})
        boxes = page.evaluate(
            "[...document.querySelectorAll('button, input, select, summary, a.button')]"
            ".filter((each) => each.checkVisibility()).map((each) => [each.outerHTML.slice(0, 80),"
            " each.getBoundingClientRect().width, each.getBoundingClientRect().height])"
        )
        assert [box for box in boxes if min(box[1:]) < 23.9] == [], puzzle
        page.set_viewport_size({"width": 390, "height": 800})
        finger.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
        try:
            assert page.evaluate("matchMedia('(pointer: coarse)').matches")
            page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
            assert page.evaluate(SMALL) == [], puzzle
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, puzzle
        finally:
            finger.send("Emulation.setTouchEmulationEnabled", {"enabled": False})
    finger.detach()


REACHED = """
() => {
  const cells = [...document.querySelectorAll('#board .cell')];
  const [found, pending] = [new Set([0]), [0]];
  while (pending.length) {
    const from = pending.pop();
    for (const key of ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight']) {
      cells[from].focus();
      cells[from].dispatchEvent(new KeyboardEvent('keydown', { key, shiftKey: true, bubbles: true }));
      const to = Number(document.activeElement.dataset.cell);
      if (!found.has(to)) {
        found.add(to);
        pending.push(to);
      }
    }
  }
  return [found.size, cells.length];
}
"""


@pytest.mark.parametrize(
    "puzzles",
    [
        ("mu_torere", "hexes", "sokoban", "cube2_stickers"),
        pytest.param(("slider:4,4", "hexes:5", "connect_four"), marks=pytest.mark.slow),
    ],
)
def test_arrows_reach_every_cell(player, puzzles):
    """Arrows lead from any cell to any other, on rows, rings, hexagons and nets, and around holes."""
    for puzzle in puzzles:
        player.open(puzzle)
        reached, cells = player.page.evaluate(REACHED)
        assert reached == cells, puzzle
    player.open("hexes:2")
    player.walk(3)
    player.page.keyboard.press("ArrowDown")
    assert player.page.evaluate("document.activeElement.dataset.cell") in ("5", "6")


def test_the_focus_is_seen_and_stays(player):
    player.open("tictactoe")
    player.page.locator("#opponent").select_option("")
    player.walk(4)
    outline = player.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    player.page.keyboard.press("Enter")
    player.settle()
    assert player.page.evaluate("document.activeElement.dataset.cell") == "4"
    assert player.cell(4).get_attribute("aria-label") == "row 2, column 2: X"
    assert player.page.locator("#board [tabindex='0']").count() == 1
    skip = player.open("tictactoe").page
    skip.keyboard.press("Tab")
    assert skip.evaluate("document.activeElement.textContent") == "Skip to the content"


def test_a_page_at_twice_the_size_and_a_very_wide_one(player):
    for width, height in ((640, 400), (3840, 2160)):
        player.page.set_viewport_size({"width": width, "height": height})
        player.open("rotation")
        assert player.page.evaluate("document.documentElement.scrollWidth") <= width
        box = player.page.locator("#board").bounding_box()
        assert abs(box["width"] - box["height"]) < 1
        assert box["width"] > 0.15 * width, "large screens have large boards"


@ON_BOTH
def test_texts_of_a_puzzle_stay_texts(player):
    player.page.on("dialog", lambda dialog: player.troubles.append(dialog.message))
    player.open("evil", "#state=%26%3C%26%26")
    player.settle()
    player.page.locator("#words summary").click()
    player.page.locator("#lines:not(:empty)").wait_for()
    assert "<img src=x onerror=alert(1)>" in player.page.locator("#lines").text_content()
    player.click("</script>")
    assert player.status() == "Move 1: </script>. Solved in 1 move."
    for move in player.moment()["legal"]:
        player.click(move)
    made = player.moment()["made"]
    assert len(made) == 5
    player.page.reload()
    player.settle()
    assert player.moment()["made"] == made, "names with any characters come back from the address"
    assert player.page.locator("#fault").is_hidden()
    player.open()
    assert player.page.locator("img:not([src$='/icon.svg'])").count() == 0


# Pictures


def shapes(elements):
    """The parts of a picture: the tag of each shape, its numbers and its text."""
    names = (
        "cx",
        "cy",
        "r",
        "x",
        "y",
        "width",
        "height",
        "rx",
        "d",
        "points",
        "font-size",
        "stroke-dasharray",
        "textLength",
    )
    found = []
    for tag, attributes, text in elements:
        if tag in ("rect", "circle", "polygon", "path", "text"):
            numbers = [float(n) for name in names for n in re.findall(r"-?\d+\.?\d*", attributes.get(name, ""))]
            found.append((tag, tuple(round(number, 1) for number in numbers), text))
    return sorted(found, key=str)


def found(name):
    """The file of a puzzle that is served from one."""
    folders = ("python/puzzlekit/gallery", "tests/fixtures")
    return [str(file) for folder in folders for file in (web.ROOT / folder).glob(f"{name}.py")]


DRAWN = [*ALL, "slider:4,4", "hanoi:3", "hexes", "cube2_stickers", "mu_torere", "sokoban", "hexapawn"]
DRAWN += ["klotski", "rush_hour", "hex"]  # blocks of several cells; sides


DRAW = """
async ([view, cells]) => {
  const { draw } = await import(document.querySelector("script[src$='/play.js']").src.replace("play.js", "draw.js"));
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  draw(svg, view, cells);
  const attributes = (each) => Object.fromEntries([...each.attributes].map(({ name, value }) => [name, value]));
  return [...svg.querySelectorAll("*")].map((each) => [each.tagName, attributes(each), each.textContent]);
}
"""
"""What the script of the page draws for a board: each element with its attributes and its text."""


def test_the_page_draws_what_draw_draws(player):
    """The script draws the same shapes as `puzzle.picture`. One page draws all puzzles."""
    player.open("slider")
    for name in DRAWN:
        files = found(name.partition(":")[0])
        puzzle = puzzlekit.load(name.replace(name.partition(":")[0], files[0], 1) if files else name)
        view = player.served.ask("describe", puzzle=name)[1]["view"]
        status, mixed = player.served.ask("scramble", puzzle=name, seed="7")
        state = mixed["state"] if status == 200 else puzzle.start
        cells = player.served.ask("play", puzzle=name, state=state)[1]["cells"]
        page = player.page.evaluate(DRAW, [view, cells])
        picture = ElementTree.fromstring(str(puzzle.picture(state)))
        board = next(each for each in picture.iter() if each.get("class") == "board")
        points = {id(each) for point in board.iter() if point.get("class") == "point" for each in point.iter()}
        tags = [
            (each.tag.rpartition("}")[2], each.attrib, each.text or "")
            for each in board.iter()
            if id(each) not in points
        ]
        assert shapes(page) == shapes(tags), name
        assert len(shapes(page)) > 3
