"""The JSON interface of the page: answers have the fields that docs/web-api.md lists, and the puzzle's own values."""

import contextlib
import json
import random
import socket
import subprocess
import sys
import threading
import time
from http.client import HTTPConnection

import pytest

import puzzlekit
from puzzlekit.plugins.loader import Plugins
from puzzlekit.run.progress import Progress
from puzzlekit.web import request_fields, serving
from puzzlekit.web.limits import Limits
from puzzlekit.web.offers import Offer, Shelf, offers
from puzzlekit.web.tasks import Tasks
from tests import web
from tests.web_api_page import page

STATE = "213/456/789"


@pytest.fixture(scope="module")
def served():
    with web.serving(
        "rotation", "slider", "tictactoe", "flipit", "rotate", "python/puzzlekit/gallery/hanoi.py", str(web.EVIL)
    ) as one:
        yield one


@pytest.fixture(scope="module")
def shelf():
    plugins = Plugins.discover()
    return Shelf(
        offers(plugins, ["rotation", "slider", "tictactoe", "flipit", "python/puzzlekit/gallery/hanoi.py"]), plugins
    )


@pytest.fixture
def tasks(shelf):
    return Tasks(shelf, Limits(), lambda _: False)


def do(tasks, verb, **fields):
    return tasks.do(request_fields.read(verb, fields))


EXAMPLES = {
    "describe": {"puzzle": "flipit"},
    "picture": {"puzzle": "flipit"},
    "scramble": {"puzzle": "flipit", "seed": "a"},
    "play": {"puzzle": "rotation", "state": STATE, "moves": ["A", "B"], "history": True},
    "words": {"puzzle": "rotation", "state": STATE, "line": "hint"},
    "fewest": {"puzzle": "rotation", "state": STATE},
    "hint": {"puzzle": "rotation", "state": STATE, "strength": 3},
    "solve": {"puzzle": "rotation", "state": STATE, "solver": "staged"},
    "values": {"puzzle": "rotation", "state": STATE},
    "reply": {"puzzle": "tictactoe", "state": "X../.../...:O", "skill": "perfect"},
    "explore": {"puzzle": "slider:2,3"},
}


@pytest.mark.parametrize("verb", request_fields.VERBS)
def test_answers_have_the_fields_of_the_page(verb, tasks):
    found = do(tasks, verb, **EXAMPLES[verb])
    assert found.pop("schema") == request_fields.VERBS[verb].schema
    absent = {"value", "best", "scrambler", "lower_bound", "searched"}  # fields that only some answers have
    assert set(found) - set(request_fields.VERBS[verb].answer) == set()
    assert set(request_fields.VERBS[verb].answer) - set(found) <= absent
    json.dumps(found)


def test_the_page_of_the_interface_is_current():
    text = (web.ROOT / "docs" / "web-api.md").read_text(encoding="utf-8")
    assert text == page(), "run `make docs`"


def test_the_limits_are_those_of_the_page():
    text = (web.ROOT / "docs" / "serve.md").read_text(encoding="utf-8").partition("## What it may cost")[2]
    limits = Limits()
    told = [
        f"| {limits.body_bytes // 1024} KiB |",
        f"| {limits.header_bytes // 1024} KiB |",
        f"arrived whole | {limits.request_seconds:g} s |",
        f"not read | {limits.reader_seconds:g} s |",
        f"at once | {limits.connections} |",
        f"| {request_fields.MOST_MOVES:,}; {request_fields.MOST_TEXT:,} |",
        f"to a move | {limits.quick_seconds:g} s |",
        f"a search | {limits.long_seconds:g} s, {limits.states:,} states, {limits.memory // 1024**3} GiB |",
        f"waiting | {limits.long_workers}; {limits.long_waiting} |",
    ]
    assert [line for line in told if line not in text] == []


def test_play_is_the_game_itself(tasks):
    puzzle = puzzlekit.load("rotation")
    found = do(tasks, "play", puzzle="rotation", state="213 456 789", moves=["A", "C"], history=True)
    states = [STATE, puzzle.apply(STATE, "A"), puzzle.apply(puzzle.apply(STATE, "A"), "C")]
    assert [each["state"] for each in found["history"]] == states
    assert found["moment"]["state"] == states[-1]
    assert "".join(found["cells"]) == states[-1].replace("/", "")
    assert found["board"] == puzzle.board(states[-1])
    view = puzzle.view()
    live = [(chance["gesture"], chance["moves"]) for chance in found["chances"]]
    assert live == [(chance.gesture, chance.moves) for chance in view.live(states[-1], "ABCD")]


def test_presses_that_count_are_marked(tasks):
    found = do(tasks, "play", puzzle="flipit", moves=["1", "7", "1"])
    assert found["marked"] == (6,)
    assert found["moment"]["counted"] == 1


def test_boards_by_number_day_and_seed(tasks):
    flipit, slider = puzzlekit.load("flipit"), puzzlekit.load("slider")
    assert do(tasks, "scramble", puzzle="flipit", number="65535")["state"] == flipit.numbered(65535).state
    day = do(tasks, "scramble", puzzle="slider", daily="2026-11-22")
    assert day["state"] == slider.daily("2026-11-22").state
    assert do(tasks, "scramble", puzzle="slider", seed="a")["state"] == slider.scramble("a").state
    assert len(do(tasks, "scramble", puzzle="slider", seed="a", moves=7)["moves"]) == 7
    for fields, words in [
        ({"number": "65536"}, "from 0 to 65535"),
        ({"number": "-1"}, "give up to 200 digits"),
        ({"number": "1" * 3000}, "give up to 200 digits"),
        ({"daily": "tomorrow"}, "give one as YYYY-MM-DD"),
        ({"daily": "2026-11-22", "seed": "a"}, "give one of the three"),
    ]:
        with pytest.raises(puzzlekit.UsageError, match=words):
            do(tasks, "scramble", puzzle="flipit", **fields)


def test_the_fewest_and_bounds(shelf, tasks):
    puzzle = puzzlekit.load("rotation")
    found = do(tasks, "fewest", puzzle="rotation", state=STATE)
    assert found["fewest"] == found["at_least"] == found["at_most"] == puzzle.solve(STATE).length
    assert do(tasks, "fewest", puzzle="rotation", state=puzzle.start)["fewest"] == 0
    assert do(tasks, "fewest", puzzle="slider", state="021345678")["solvable"] is False
    hasty = Tasks(shelf, Limits(short_seconds=0.3), lambda _: False)
    state = puzzlekit.load("slider:5,5").scramble("a").state
    found = do(hasty, "fewest", puzzle="slider:5,5", state=state)
    assert found["fewest"] is None
    assert found["solvable"] is True
    assert 2 < found["at_least"] < 100 < found["at_most"], "bounds of the search, and of the reduction"
    with pytest.raises(puzzlekit.UsageError, match="tictactoe is a game"):
        do(tasks, "fewest", puzzle="tictactoe", state=".........:X")


def test_hints_tell_no_more_than_they_are_asked_for(tasks):
    puzzle = puzzlekit.load("rotation")
    hints = [do(tasks, "hint", puzzle="rotation", state=STATE, strength=strength) for strength in (1, 2, 3)]
    assert [set(hint) - {"schema"} for hint in hints] == [
        {"left", "proven", "value", "score"},
        {"left", "proven", "value", "score", "cells"},
        {"left", "proven", "value", "score", "cells", "move", "how", "gesture"},
    ]
    best = puzzle.solve(STATE)
    assert (hints[0]["left"], hints[0]["proven"]) == (best.length, True)
    after = puzzle.apply(STATE, hints[2]["move"])
    assert puzzle.solve(after).length == best.length - 1
    differ = [
        at for at, (a, b) in enumerate(zip(STATE.replace("/", ""), after.replace("/", ""), strict=True)) if a != b
    ]
    assert hints[1]["cells"] == hints[2]["cells"] == differ


def test_a_solution_comes_with_its_states_and_stages(tasks):
    puzzle = puzzlekit.load("rotation")
    found = do(tasks, "solve", puzzle="rotation", state=STATE, solver="staged")
    assert [stage["name"] for stage in found["stages"]] == list("12378954")
    assert len(found["history"]) == found["length"] + 1
    assert found["history"][-1]["state"] == puzzle.start
    assert not found["optimal"]


def test_values_of_a_game_are_for_who_moves(tasks):
    found = do(tasks, "values", puzzle="tictactoe", state="XX./OO./...:X")
    values = {each["move"]: each["value"] for each in found["moves"]}
    assert found["value"] == values["2"] == "win"
    assert {each["move"]: each["left"] for each in found["moves"]}["2"] == 0
    assert found["left"] == 1
    assert values["6"] == "loss"
    puzzle = puzzlekit.load("tictactoe")
    for each in found["moves"]:
        end = puzzle.outcome(each["state"])
        other = puzzle.solve(each["state"]).value if end is None else {"X": "loss"}[end]
        assert each["value"] == {"win": "loss", "draw": "draw", "loss": "win"}[other]


@pytest.mark.parametrize("name", ["dots_and_boxes", "kalah", "six_mens_morris"])
def test_moves_that_keep_the_turn_on_the_page(name):
    """Values of moves are for who makes them, and an opponent moves as long as it is its turn."""
    plugins = Plugins.discover()
    tasks = Tasks(Shelf(offers(plugins, [name]), plugins), Limits(), lambda _: False)
    puzzle, rng, kept = puzzlekit.load(name), random.Random(4), 0
    for _ in range(5):
        state = puzzle.start
        while puzzle.outcome(state) is None and kept < 5:
            moves = puzzle.legal_moves(state)
            after = {move: puzzle.apply(state, move) for move in moves}
            again = [move for move in moves if after[move][-1] == state[-1]]
            if again:
                kept += 1
                found = do(tasks, "values", puzzle=name, state=state)
                for each in found["moves"]:
                    then = after[each["move"]]
                    assert each["state"] == then
                    same, over = then[-1] == state[-1], puzzle.outcome(then)
                    if over is None:
                        worth = puzzle.solve(then)
                        value = worth.value if same else {"win": "loss", "draw": "draw", "loss": "win"}[worth.value]
                        score = None if worth.score is None else worth.score if same else -worth.score
                        assert (each["value"], each["score"]) == (value, score)
                    else:
                        assert each["value"] == ("draw" if over == "draw" else "win" if over == state[-1] else "loss")
                assert do(tasks, "reply", puzzle=name, state=state, skill="perfect")["move"] in puzzle.solve(state).best
                shown = do(tasks, "play", puzzle=name, state=state, moves=[again[0]], history=True)
                assert [each["state"] for each in shown["history"]] == [state, after[again[0]]]
            state = after[rng.choice(again or moves)]
    assert kept == 5


def test_values_of_a_puzzle_are_distances(tasks):
    puzzle = puzzlekit.load("rotation")
    found = do(tasks, "values", puzzle="rotation", state=STATE)
    assert {each["move"]: each["value"] for each in found["moves"]} == {
        move: puzzle.solve(puzzle.apply(STATE, move)).length for move in "ABCD"
    }


def test_values_share_the_time_of_one_search(shelf):
    begun = time.monotonic()
    state = puzzlekit.load("slider:6,6").scramble("a").state
    hasty = Tasks(shelf, Limits(long_seconds=1.0), lambda _: False)
    unknown = do(hasty, "values", puzzle="slider:6,6", state=state)
    assert time.monotonic() - begun < 30
    assert {each["value"] for each in unknown["moves"]} == {None}
    assert "seconds" in unknown["moves"][0]["why"]


def test_an_opponent_plays_as_well_as_it_is_asked_to(tasks):
    puzzle = puzzlekit.load("tictactoe")
    state = "XX./O../...:O"
    assert do(tasks, "reply", puzzle="tictactoe", state=state, skill="perfect")["move"] == "2"
    slips = [
        do(tasks, "reply", puzzle="tictactoe", state=state, skill=skill, seed=str(seed))["move"] != "2"
        for skill in ("strong", "weak")
        for seed in range(60)
    ]
    assert 0 < sum(slips[:60]) < sum(slips[60:]) < 60
    with pytest.raises(puzzlekit.UsageError, match="rotation is no game"):
        do(tasks, "reply", puzzle="rotation", state=STATE, skill="perfect")
    with pytest.raises(puzzlekit.UsageError, match="play is over"):
        do(tasks, "reply", puzzle="tictactoe", state="XXX/OO./...:O", skill="weak")
    assert puzzle.outcome("XXX/OO./...:O") == "X"


def test_the_words_are_those_of_the_line_mode(tasks):
    greeting = do(tasks, "words", puzzle="rotation", state=STATE)
    assert greeting["lines"][0].startswith("rotation. Type a move")
    found = do(tasks, "words", puzzle="rotation", state=STATE, moves=["A"], line="b c")
    assert found["moves"] == ["A", "B", "C"]
    assert do(tasks, "words", puzzle="rotation", state=STATE, moves=["A"], line="undo")["moves"] == []


def test_exploring_counts_what_the_command_counts(shelf, tasks):
    found = do(tasks, "explore", puzzle="slider:2,3")
    report = puzzlekit.load("slider:2,3").enumerate(backward=True)
    assert [each["raw_states"] for each in found["depths"]] == [depth.raw_states for depth in report.depths]
    assert (found["complete"], found["backward"], found["raw_states"]) == (True, True, 360)
    assert found["hardest"][0]["depth"] == 21
    assert len(puzzlekit.load("slider:2,3").solve(found["hardest"][0]["state"]).moves) == 21
    game = do(tasks, "explore", puzzle="tictactoe")
    assert (game["backward"], game["states"]) == (False, 765)
    with pytest.raises(puzzlekit.LimitError, match="10,461,394,944,000 states"):
        do(tasks, "explore", puzzle="slider:4,4")
    few = do(Tasks(shelf, Limits(states=100), lambda _: False), "explore", puzzle="tictactoe:5,5,4")
    assert (few["complete"], len(few["depths"]) < 26) == (False, True)


def test_a_search_that_is_cancelled_stops(shelf):
    asked_for = []

    def watch(progress):
        asked_for.append(progress)
        return len(asked_for) > 3

    state = puzzlekit.load("slider:4,4").scramble("x").state
    # The watch ends the search long before a proof. The answer is the best one so far, if there is one.
    with contextlib.suppress(puzzlekit.LimitError):
        assert not do(Tasks(shelf, Limits(), watch), "solve", puzzle="slider:4,4", state=state)["optimal"]
    assert 3 < len(asked_for) < 20
    assert isinstance(asked_for[0], Progress)


@pytest.mark.parametrize(
    ("verb", "body", "words"),
    [
        ("play", [], "is no object"),
        ("play", {}, "lacks the field puzzle"),
        ("play", {"puzzle": 3}, "puzzle of play is 3; give a text"),
        ("play", {"puzzle": "rotation", "cells": "a"}, "no field 'cells'|has no field"),
        ("play", {"puzzle": "rotation", "moves": "AB"}, "give a list of at most 2,000 texts"),
        ("play", {"puzzle": "rotation", "moves": ["A"] * 2001}, "a list of 2001; give a list of at most 2,000"),
        ("play", {"puzzle": "rotation", "moves": [["A"]]}, "give a list"),
        ("play", {"puzzle": "rotation", "history": 1}, "give true or false"),
        ("play", {"puzzle": "rotation", "state": "\ud800"}, "give a text"),
        ("hint", {"puzzle": "rotation", "state": STATE, "strength": True}, "from 1 to 3"),
        ("hint", {"puzzle": "rotation", "state": STATE, "strength": 10**5000}, "more than 30 digits"),
        ("hint", {"puzzle": "rotation", "state": STATE, "strength": 2.0}, "from 1 to 3"),
        ("reply", {"puzzle": "tictactoe", "state": STATE, "skill": "best"}, 'one of "perfect", "strong"'),
    ],
)
def test_requests_are_checked(verb, body, words):
    with pytest.raises(puzzlekit.UsageError, match=words):
        request_fields.read(verb, body)


def test_a_field_that_is_null_is_left_out():
    assert request_fields.read("play", {"puzzle": "rotation", "state": None}).given == {"puzzle": "rotation"}


@pytest.mark.parametrize(
    "text",
    [
        "/etc/passwd",
        "python/puzzlekit/gallery/hanoi.py",
        "./python/puzzlekit/gallery/hanoi.py:Hanoi",
        "slider:/tmp/x.py",
        "hanoi:python/puzzlekit/gallery/hanoi.py",
        "../hanoi",
        "evil",
        "",
        ":",
        "slider:",
        "slider:4,4,4",
        " slider",
    ],
)
def test_no_text_names_a_file(tasks, text):
    with pytest.raises(puzzlekit.UsageError):
        do(tasks, "play", puzzle=text)


def test_offers():
    plugins = Plugins.discover()
    assert {offer.id for offer in offers(plugins, [])} == set(puzzlekit.puzzles())
    named = offers(plugins, ["slider:4,4", "python/puzzlekit/gallery/hanoi.py", "slider"])
    assert named == [
        Offer("slider", "slider:rows=4,columns=4"),
        Offer("hanoi", "hanoi", f"{web.ROOT / 'python' / 'puzzlekit' / 'gallery' / 'hanoi.py'}:Hanoi"),
        Offer("slider", "slider"),
    ]
    with pytest.raises(puzzlekit.UsageError, match='there is no puzzle "nothing"'):
        offers(plugins, ["nothing"])


def test_two_puzzles_of_one_id(tmp_path):
    text = (web.ROOT / "python" / "puzzlekit" / "gallery" / "hanoi.py").read_text(encoding="utf-8")
    (tmp_path / "other.py").write_text(text, encoding="utf-8")
    with pytest.raises(puzzlekit.UsageError, match='two of the puzzles have the id "hanoi"'):
        offers(Plugins.discover(), ["python/puzzlekit/gallery/hanoi.py", str(tmp_path / "other.py")])


def test_a_job_is_explored_as_it_was_kept(tmp_path):
    """The page shows the counts of a job with any number of states, also if a file defines its puzzle."""
    plugins = Plugins.discover()
    folder = str(tmp_path / "job")
    puzzle = plugins.parse("python/puzzlekit/gallery/hanoi.py:4")
    report = puzzle.enumerate(backward=True, out=folder)
    found = offers(plugins, ["slider"], [folder])
    assert [(offer.id, offer.text, offer.job) for offer in found] == [
        ("hanoi", "hanoi", folder),
        ("slider", "slider", ""),
    ]
    tasks = Tasks(Shelf(found, Plugins.discover()), Limits(states=1), lambda _: False)
    explored = do(tasks, "explore", puzzle="hanoi")
    assert [each["raw_states"] for each in explored["depths"]] == [depth.raw_states for depth in report.depths]
    assert (explored["complete"], explored["backward"], explored["hardest"][0]["depth"]) == (True, True, 15)
    with pytest.raises(puzzlekit.LimitError, match="360 states"):
        do(tasks, "explore", puzzle="slider:2,3")
    with pytest.raises(puzzlekit.JobError):
        offers(plugins, [], [str(tmp_path)])
    other = str(tmp_path / "other")
    puzzle.enumerate(out=other)
    with pytest.raises(puzzlekit.UsageError, match='two of the jobs are of the id "hanoi"'):
        offers(plugins, [], [folder, other])


def test_small_answers_are_sent_at_once():
    """Asyncio sets TCP_NODELAY if the protocol is named. Without it, an answer takes 40 ms on an open connection."""
    with serving.bind("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP


def test_statuses(served):
    assert served.ask("play", puzzle="rotation", moves=["A"])[0] == 200
    assert served.ask("play", puzzle="rotation", moves=["Z"])[0] == 400
    assert served.ask("play", puzzle="nothing")[0] == 400
    assert served.ask("nothing")[0] == 404
    status, data = served.ask("solve", puzzle="slider", state="021345678")
    assert (status, data["error"]) == (422, data["error"])
    assert "parity" in data["error"]
    assert served.ask("explore", puzzle="slider:4,4")[0] == 422
    assert served.request("GET", "/api/play")[0] == 405
    assert served.request("POST", "/api/play", "{}", {"Content-Type": "text/plain"})[0] == 415
    assert served.request("POST", "/api/play", "{", {"Content-Type": "application/json"})[0] == 400
    big = json.dumps({"puzzle": "rotation", "state": "1" * 70_000})
    assert served.request("POST", "/api/play", big, {"Content-Type": "application/json"})[0] == 413


def test_puzzles_of_files_have_their_id(served):
    status, data = served.ask("play", puzzle="hanoi:3", moves=["AC"])
    assert (status, data["moment"]["state"]) == (200, "CAA")
    status, data = served.ask("describe", puzzle="hanoi")
    assert "gallery/" not in json.dumps(data)


def test_every_size_that_is_offered_can_be_won(tasks):
    offered = {
        name: [each["name"] for each in do(tasks, "describe", puzzle=name)["presets"]]
        for name in ("tictactoe", "slider")
    }
    assert offered["tictactoe"][0] == "3 by 3, win 3", "no line of three is on a board of 2 by 2"
    assert offered["slider"][0] == "2 by 2"


# The fewest moves of this state are not found within the minute that a search may take.
LONG = {"puzzle": "slider:5,5", "solver": "optimal", "state": puzzlekit.load("slider:5,5").scramble("a").state}


def lines_of(served, verb, **fields):
    """Asks for an answer in lines. Returns the connection and the answer when its headers have come."""
    connection = HTTPConnection("127.0.0.1", served.port, timeout=60)
    headers = {"Content-Type": "application/json", "Accept": "application/x-ndjson"}
    connection.request("POST", f"/api/{verb}", json.dumps(fields), headers)
    answer = connection.getresponse()
    assert answer.status == 200
    return connection, answer


def test_a_search_tells_its_progress_and_then_its_answer(served):
    connection, answer = lines_of(served, "explore", puzzle="rotation")
    lines = [json.loads(line) for line in answer]
    connection.close()
    assert [list(line) for line in lines[:-1]] == [["progress"]] * (len(lines) - 1)
    assert lines[-1]["answer"]["raw_states"] == 362880
    # A search that takes long tells how far it is.
    connection, answer = lines_of(served, "solve", **LONG)
    assert set(json.loads(answer.readline())["progress"]) == {"states", "depth", "expanded", "at_most", "at_least"}
    connection.close()
    connection, answer = lines_of(served, "solve", puzzle="slider", state="021345678")
    (line,) = [json.loads(line) for line in answer]
    connection.close()
    assert (line["status"], "parity" in line["error"]) == (422, True)


def test_a_closed_connection_cancels_the_search(served):
    """Clients begin more searches than there are processes, and close their connections. The next one is not late."""
    before = set(served.children())
    for _ in range(2 * Limits().long_workers):
        connection, answer = lines_of(served, "solve", **LONG)
        answer.readline()
        connection.close()
    begun = time.monotonic()
    assert served.ask("solve", puzzle="rotation", state=STATE)[0] == 200
    assert time.monotonic() - begun < 25
    assert set(served.children()) == before, "the processes were told to stop, and did not have to be ended"


def test_moves_are_answered_while_searches_run(served):
    searches = [lines_of(served, "solve", **LONG)[0] for _ in range(4)]
    times = []
    for _ in range(20):
        begun = time.monotonic()
        assert served.ask("play", puzzle="rotation", moves=["A"])[0] == 200
        times.append(time.monotonic() - begun)
    for connection in searches:
        connection.close()
    assert sorted(times)[10] < 5


@pytest.mark.parametrize(
    ("text", "status", "words"),
    [
        ("evil:2", 503, "has ended"),
        pytest.param(
            *("evil:3", 422, "MemoryError"),
            marks=pytest.mark.skipif(sys.platform != "linux", reason="bounds its memory as Linux can"),
        ),
        ("evil:4", 422, "RuntimeError"),
    ],
)
def test_a_puzzle_that_breaks_costs_one_answer(served, text, status, words):
    found, data = served.ask("describe", puzzle=text)
    assert (found, words in data["error"]) == (status, True), data
    assert served.ask("play", puzzle="evil")[0] == 200


def test_many_ask_at_once(served):
    """Twenty people make ten moves each at the same time, and each gets the answers to their own."""
    wrong = []

    def play(person):
        moves = []
        for turn in range(10):
            moves.append("ABCD"[(person + turn) % 4])
            status, data = served.ask("play", puzzle="rotation", moves=moves)
            if status != 200 or data["moment"]["made"] != moves:
                wrong.append((person, turn, data))

    threads = [threading.Thread(target=play, args=(person,)) for person in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_limit_names_no_option_of_the_command_line():
    """The message names the limit and what is proven, and no option, since a page has none."""
    tasks = Tasks(Shelf([Offer("slider", "slider")], Plugins.discover()), Limits(states=300), lambda _: False)
    state = puzzlekit.load("slider:5,5").scramble("a").state
    with pytest.raises(puzzlekit.LimitError) as raised:
        do(tasks, "solve", puzzle="slider:5,5", state=state, solver="optimal")
    assert "--" not in str(raised.value)
    assert str(raised.value).startswith("no answer was found within 300 states, the most that this page may take")


def test_a_wrong_state_names_its_cell_as_the_page_does():
    tasks = Tasks(Shelf([Offer("tictactoe", "tictactoe")], Plugins.discover()), Limits(), lambda _: False)
    with pytest.raises(puzzlekit.StateError, match='"Q" in row 1, column 2, which is no symbol'):
        do(tasks, "play", puzzle="tictactoe", state="XQ./.../...")


def test_a_page_that_is_not_there_says_so(served):
    status, _, body = served.request("GET", "/foo", headers={"Accept": "text/html"})
    assert status == 404
    assert "there is no page" in body.decode()
    assert "/foo" in body.decode()


def test_boards_of_every_size_have_exact_numbers(tasks):
    """The interface and the command line tell every digit of a number, and the number leads back to the board.

    A script holds whole numbers of 53 bits exactly. A board has a bit for each cell.
    """
    squares = [(size, size) for size in range(3, 11)]
    for rows, columns in [*squares, (3, 10), (10, 3), (5, 10), (6, 9), (9, 6), (7, 8)]:
        name = f"flipit:{rows},{columns}"
        made = do(tasks, "scramble", puzzle=name, seed=name)
        number = made["moment"]["number"] if "moment" in made else made["number"]
        exact = puzzlekit.load(name).number(made["state"])
        assert str(number) == str(exact), name
        assert do(tasks, "scramble", puzzle=name, number=str(number))["state"] == made["state"]
    for name in ("flipit:3,3", "flipit:8,8", "flipit:10,10"):
        command = [sys.executable, "-m", "puzzlekit", "scramble", name, "--seed", name, "--json"]
        told = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
        assert int(told["number"]) == puzzlekit.load(name).number(told["state"])
