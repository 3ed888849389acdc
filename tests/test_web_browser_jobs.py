"""The pages of a game and a puzzle that jobs have counted, in a real browser: all answers come from the jobs."""

import pytest

import puzzlekit
from puzzlekit.plugins.loader import Plugins
from puzzlekit.web.limits import Limits
from puzzlekit.web.offers import offers
from tests import browsers, web

PROGRAM = browsers.find_browser()
playwright = pytest.importorskip("playwright.sync_api")

NO_SEARCH = Limits(states=1, long_seconds=1, short_seconds=1, **web.FEW)
"""Limits so low that no search has an answer."""


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("jobs")
    puzzlekit.load("tictactoe").values(out=root / "game")
    puzzlekit.load("slider:2,3").enumerate(out=root / "puzzle", backward=True)
    return root


@pytest.fixture(scope="module")
def served(folders):
    chosen = offers(Plugins.discover(), [], [str(folders / "game"), str(folders / "puzzle")])
    with web.threaded(NO_SEARCH, *chosen) as made:
        yield made


@pytest.fixture(scope="module")
def page():
    """A page in a browser that all tests of this file share, since starting one takes longer than the tests."""
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=PROGRAM, args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 1100, "height": 900})
        context.set_default_timeout(30_000)
        yield context.new_page()
        browser.close()


@pytest.fixture
def player(page, served):
    made = browsers.Player(page, served)
    yield made
    assert made.troubles == []


def fresh(player):
    """Opens the address of a page in a new page, as another person would."""
    address = player.page.url
    player.page.goto("about:blank")
    player.page.goto(address)
    player.settle()


def press(player, name):
    player.page.locator(f"#{name}").click()
    player.settle()
    return player.status()


def test_a_game_is_played_from_its_job(player, folders):
    game, solver = puzzlekit.load("tictactoe"), puzzlekit.open_job(folders / "game").solver
    state = "XX./OO./...:X"
    player.open("tictactoe", "#state=XX.%2FOO.%2F...%3AX")
    answer = game.solve(state, solver)
    assert (answer.value, answer.length) == ("win", 1)
    hint = "Who is to move wins. With best play, it ends in 1 move."
    assert press(player, "hint1") == hint
    places = {f"row {1 + int(move) // 3}, column {1 + int(move) % 3}": move for move in game.legal_moves(state)}
    assert places[press(player, "hint3").partition(" Press ")[2].rstrip(".")] in answer.best
    # The page shows what each move is worth.
    player.page.locator("#values").check()
    player.page.locator("#board .worth").first.wait_for()
    after = [game.solve(game.apply(state, move), solver).value for move in game.legal_moves(state)]
    signs = {"win": "Loss", "draw": "Draw", "loss": "Win"}
    assert player.page.locator("#board .worth").all_text_contents() == [signs[value] for value in after]
    player.page.locator("#values").uncheck()
    # The page shows best play.
    assert player.page.locator("#solver").input_value() == "job"
    press(player, "solve")
    assert player.page.locator("#found").text_content().endswith("by job.")
    # The opponent answers a mistake with the move that wins. The link has both moves.
    worst = next(move for move, value in zip(game.legal_moves(state), after, strict=True) if value == "win")
    player.click(worst)
    made = player.moment()["made"]
    assert made[0] == worst
    assert made[1] in game.solve(game.apply(state, worst), solver).best
    fresh(player)
    assert player.moment()["made"] == made
    assert player.moment()["over"]
    press(player, "restart")
    assert (player.state(), player.moment()["made"]) == (state, [])
    assert press(player, "hint1") == hint
    press(player, "redo")
    assert player.moment()["made"] == made, "the move comes back together with its answer"


def test_a_puzzle_is_solved_from_its_job(player, folders):
    puzzle, solver = puzzlekit.load("slider:2,3"), puzzlekit.open_job(folders / "puzzle").solver
    state = puzzle.scramble("a").state
    answer = puzzle.solve(state, solver)
    player.open("slider:2,3", f"#state={state.replace(',', '%2C').replace('/', '%2F')}")
    fewest = player.page.locator("#counts")
    fewest.get_by_text(f"The fewest: {answer.length}.").wait_for()
    assert press(player, "hint1") == f"{answer.length} moves left."
    way = press(player, "hint3").partition(". Press ")[2].rstrip(".")
    view = puzzle.view()
    better = [
        move
        for move in puzzle.legal_moves(state)
        if puzzle.solve(puzzle.apply(state, move), solver).length == answer.length - 1
    ]
    assert way in [view.by_hand(state, move).words.removeprefix("press ") for move in better]
    player.page.locator("#values").check()
    player.page.locator("#board .worth").first.wait_for()
    after = {name: puzzle.solve(puzzle.apply(state, name), solver).length for name in puzzle.legal_moves(state)}
    assert sorted(map(int, player.page.locator("#board .worth").all_text_contents())) == sorted(after.values())
    player.page.locator("#values").uncheck()
    press(player, "solve")
    assert player.page.locator("#found").text_content() == f"{answer.length} moves, the fewest, by job."
    for _ in range(3):
        press(player, "step")
    made = player.moment()["made"]
    fresh(player)
    assert player.moment()["made"] == made
    assert press(player, "hint1") == f"{answer.length - 3} moves left."
    # The slider of the history leads back to the first board, and forward to the last one.
    player.page.locator("#slider").focus()
    player.page.keyboard.press("Home")
    player.settle()
    assert player.state() == state
    player.page.keyboard.press("End")
    player.settle()
    press(player, "solve")
    for _ in range(answer.length - 3):
        press(player, "step")
    assert player.status().endswith(f"Solved in {answer.length} moves.")
    assert player.counts() == f"Your moves: {answer.length}. The fewest: {answer.length}."
