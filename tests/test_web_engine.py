"""The engine of the page gives the same answers as the engine in Python, word for word, and no request crashes it."""

import json
import random

import pytest

import puzzlekit
from puzzlekit.errors import PuzzlekitError
from puzzlekit.run.engine import Engine
from puzzlekit.run.random import Random
from puzzlekit.run.solver import Budget
from tests import gallery, golden
from tests.web_engine import PageEngine, find_engine, lasting, loading

ENGINE = find_engine()

COUNTS = {text: (facts, puzzlekit.load) for text, facts in golden.read().items()} | {
    text: (facts, gallery.load) for text, facts in gallery.GOLDEN.items()
}


def states(text):
    """The number of states of a puzzle."""
    facts, _ = COUNTS[text]
    return int(facts.get("raw") or facts.get("states") or 10**9)


SMALL = [text for text, (facts, _) in COUNTS.items() if "slow" not in facts and states(text) <= 10**6]
MADE = sorted({text.partition(":")[0]: text for text in reversed(SMALL)}.values())
"""One size of each puzzle that is small."""

QUICKLY_MADE = [pytest.param(text, marks=() if states(text) <= 100_000 else pytest.mark.slow) for text in MADE]
"""The quick run leaves out those whose states it would take long to list for a scramble."""

SECONDS = 20
FACTS = ("depths", "open", "states", "raw", "raw_depths")


@pytest.fixture(scope="module")
def page():
    """An engine of the page."""
    engine = PageEngine(ENGINE)
    yield engine
    engine.close()


def loaded(page, text):
    """A puzzle, which the page's engine has loaded, too."""
    puzzle = COUNTS[text][1](text) if text in COUNTS else puzzlekit.load(text)
    page.renew()
    page.load(puzzle)
    return puzzle


def given(work):
    """The result of some work, or its error as the kind and the sentence."""
    try:
        return work()
    except PuzzlekitError as error:
        return type(error).__name__, str(error)


@pytest.mark.parametrize("text", SMALL)
def test_the_page_counts_what_is_known(page, text):
    facts, _ = COUNTS[text]
    loaded(page, text)
    report = page.call("enumerate")
    assert report["complete"]
    found = {
        "depths": [depth["states"] for depth in report["depths"]],
        "open": [depth["open"] for depth in report["depths"]],
        "states": [report["states"]],
        "raw": [report["raw_states"]],
        "raw_depths": [depth["raw_states"] for depth in report["depths"]],
    }
    compared = [key for key in FACTS if key in facts]
    assert compared
    for key in compared:
        assert found[key] == golden.numbers(facts[key]), key


@pytest.mark.parametrize("text", QUICKLY_MADE)
def test_states_moves_and_scrambles_are_those_of_python(page, text):
    puzzle = loaded(page, text)
    told = page.call("load", **loading(puzzle))
    engine = puzzle.engine
    assert (told["start"], told["goal"]) == (engine.start, engine.goal)
    assert (told["players"], told["moves"]) == (list(engine.notation.players), engine.move_names)
    assert (told["fingerprint"], told["symmetry_order"]) == (engine.fingerprint, engine.symmetry_order)
    for seed, moves in (("a", None), ("b", 3), ("c", None)):
        made = given(lambda s=seed, m=moves: engine.scramble(str(puzzle), s, m))
        if isinstance(made, tuple):
            assert given(lambda s=seed, m=moves: page.call("scramble", seed=s, moves=m)) == made
            continue
        found = page.call("scramble", seed=seed, moves=moves)
        assert (found["state"], found["method"]) == (made.state, made.method)
        assert found["moves"] == (None if made.moves is None else list(made.moves))
        legal = page.call("legal", state=made.state)
        assert legal["moves"] == puzzle.legal_moves(made.state)
        assert legal["outcome"] == puzzle.outcome(made.state)
        assert legal["solved"] == puzzle.is_solved(made.state)
        after = page.call("after", state=made.state)["after"]
        assert {each["move"]: each["state"] for each in after} == {
            move: puzzle.apply(made.state, move) for move in legal["moves"]
        }
        assert page.call("canonical", state=made.state)["state"] == puzzle.canonical(made.state)
        assert page.call("read", state=f" {made.state} ")["state"] == made.state


@pytest.mark.parametrize("text", QUICKLY_MADE)
def test_answers_are_those_of_python(page, text):
    puzzle = loaded(page, text)
    if not (puzzle.engine.is_game or puzzle.engine.has_goal):
        pytest.skip(f"{text} has nothing to solve")
    limits = {"max_states": 100_000, "memory": 2**28, "seconds": SECONDS}
    # Of several shortest solutions, the width of words may decide which one is found.
    same_width = Engine(puzzle.rules(), page.call("load", **loading(puzzle))["word_bits"])
    for seed in ("a", "b"):
        vars(puzzle).pop("engine", None)
        try:
            state = puzzle.engine.scramble(str(puzzle), seed, 6).state
        except puzzlekit.UsageError:  # such a walk always ends solved or over
            state = puzzle.start
        found = page.ask("solve", state=state, **limits)
        if "answer" in found:
            report = puzzle.solve(state, puzzlekit.optimal, cache=False, **limits)
            assert len(found["answer"]["moves"]) == len(report.moves)
        vars(puzzle)["engine"] = same_width
        expected = given(lambda s=state: puzzle.solve(s, puzzlekit.optimal, cache=False, **limits).to_data())
        if isinstance(expected, tuple):
            assert (found["error"]["kind"], found["error"]["message"]) == expected
            continue
        assert lasting(found["answer"]) == lasting(expected)


@pytest.mark.parametrize("text", ["tictactoe", "rotation", "flipit:4,4", "slider", "river", "hanoi", "chomp"])
def test_reports_are_those_of_python(page, text):
    puzzle = loaded(page, next((known for known in MADE if known.partition(":")[0] == text), text))
    for options in ({}, {"max_depth": 3}, {"symmetry": False, "max_depth": 4}, {"store": "sparse"}):
        expected = puzzle.enumerate(threads=1, **options).to_data()
        found = lasting(page.call("enumerate", **options))
        assert found == {name: value for name, value in lasting(expected).items() if name in found} | {
            "stopped": None if expected["complete"] else "max-depth",
            "hardest": None,
        }
    if not puzzle.engine.is_game and puzzle.engine.has_goal:
        expected = puzzle.enumerate(threads=1, backward=True).to_data()
        found = page.call("enumerate", backward=True)
        assert found["depths"] == lasting(expected)["depths"]
        assert (found["unsolvable"], found["states"]) == (expected["unsolvable"], expected["states"])


@pytest.mark.parametrize("text", ["tictactoe", "rotation", "slider:2,3", "river", "hanoi", "pegs"])
def test_the_hardest_states_are_those_of_a_job(page, text, tmp_path):
    puzzle = loaded(page, next((known for known in MADE if known.partition(":")[0] == text), text))
    backward = not puzzle.engine.is_game and text != "pegs"
    most = {"max_depth": 3} if text == "pegs" else {}
    puzzle.enumerate(out=tmp_path / "job", backward=backward, threads=1, **most)
    expected = puzzlekit.Job(tmp_path / "job").hardest(6)
    found = page.call("enumerate", backward=backward, hardest=6, **most)["hardest"]
    if most:
        assert found is None  # the count is not complete
    else:
        assert [(each["state"], each["depth"]) for each in found] == [(each.state, each.depth) for each in expected]


def test_values_of_all_moves_are_those_of_the_states(page):
    puzzle = loaded(page, "tictactoe")
    state = puzzle.apply(puzzle.start, "0")
    after = [puzzle.apply(state, move) for move in puzzle.legal_moves(state)]
    found = page.call("values", states=[state, *after, state], seconds=10)["values"]
    assert [each["value"] for each in found] == [puzzle.solve(each).value for each in (state, *after, state)]
    puzzle = loaded(page, "rotation")
    state = puzzle.scramble("a").state
    (only,) = page.call("values", states=[state], seconds=10)["values"]
    assert only == {"value": puzzle.solve(state).length, "left": puzzle.solve(state).length, "why": None, "score": None}


def test_random_numbers_are_those_of_python(page):
    bounds = [1, 2, 10, 100, 2**40, 6]
    numbers = Random("a seed")
    assert page.call("random", seed="a seed", bounds=bounds)["numbers"] == [numbers.below(bound) for bound in bounds]


WRONG_STATES = ["", "XO", "X?./.../...", "XO./.../...:Z", "XO./.../....", 5, ["X"], {"a": None}, True, -1.5, "'\"\\\n"]


@pytest.mark.parametrize("state", WRONG_STATES)
def test_sentences_about_states_are_those_of_python(page, state):
    puzzle = loaded(page, "tictactoe")
    with pytest.raises(puzzlekit.StateError) as expected:
        puzzle.read(state)
    with pytest.raises(puzzlekit.StateError) as found:
        page.call("read", state=state)
    assert str(found.value) == str(expected.value)


def error_of(work):
    """The type and the sentence of an error."""
    with pytest.raises(PuzzlekitError) as raised:
        work()
    return type(raised.value).__name__, str(raised.value)


def test_sentences_about_moves_and_limits_are_those_of_python(page):
    puzzle = loaded(page, "tictactoe")
    full = "XOX/XOX/OXO:X"
    for state, move in ((puzzle.start, "9"), (full, "0"), ("X../.../...:O", "0")):
        assert error_of(lambda s=state, m=move: page.call("apply", state=s, moves=[m])) == error_of(
            lambda s=state, m=move: puzzle.engine.apply(s, m)
        )
    budget = {"max_states": 0}, {"max_states": "many"}, {"max_states": True}, {"max_states": 2.5}
    for limit in (*budget, {"seconds": 0}, {"seconds": "x"}, {"memory": -1}, {"memory": 10}):
        assert error_of(lambda g=limit: page.call("solve", **g)) == error_of(
            lambda g=limit: puzzle.engine.solve(puzzle.start, Budget(**g))
        )
    puzzle = loaded(page, "slider")
    swapped = "021/345/678"
    assert error_of(lambda: page.call("solve", state=swapped)) == error_of(
        lambda: puzzle.engine.solve(swapped, Budget(cache=False))
    )
    far = "867/254/301"
    few = {"max_states": 10, "seconds": 5}
    assert error_of(lambda: page.call("solve", state=far, **few)) == error_of(
        lambda: puzzle.engine.solve(far, Budget(cache=False, **few))
    )
    for wanted in ({"seed": "a", "moves": -1}, {"seed": "a", "moves": "x"}):
        assert error_of(lambda g=wanted: page.call("scramble", **g)) == error_of(
            lambda g=wanted: puzzle.engine.scramble("slider", **g)
        )


def test_sentences_about_rules_are_those_of_python(page):
    good = puzzlekit.load("rotation").rules().to_data()
    for change in (
        {"symbols": []},
        {"start": ["1"] * 9},
        {"moves": [{"name": "a", "then": [[99, "1"]]}]},
        {"goal": [[[0, ["x"]]]]},
        {"stuck": "perhaps"},
        {"colour": "red"},
        {"schema": "puzzlekit.rules/9"},
    ):
        rules = good | change
        assert error_of(lambda r=rules: page.call("load", rules=r)) == error_of(
            lambda r=rules: puzzlekit._core.Engine(json.dumps(r), 0)
        )


HOSTILE = [
    "",
    "{",
    "null",
    "[]",
    "5",
    '"verb"',
    "{}",
    '{"verb": null}',
    '{"verb": 5}',
    '{"verb": "fly"}',
    '{"verb": "load"}',
    '{"verb": "load", "rules": 5}',
    '{"verb": "load", "rules": "x"}',
    '{"verb": "load", "rules": {}, "rows": "x"}',
    '{"verb": "solve", "state": []}',
    '{"verb": "values", "states": "x"}',
    '{"verb": "values", "states": [5]}',
    '{"verb": "apply", "moves": {"a": 1}}',
    '{"verb": "enumerate", "store": "heap"}',
    '{"verb": "enumerate", "max_depth": -1}',
    '{"verb": "scramble"}',
    '{"verb": "scramble", "seed": 5}',
    '{"verb": "random", "seed": "a", "bounds": [0]}',
    '{"verb": "foresee", "ahead": 1e99}',
    '{"verb": "read", "state": "' + "X" * 10**6 + '"}',
    "[" * 10**5,
    '{"a":' * 10**5,
    '{"verb": "\\ud800"}',
]


@pytest.mark.parametrize("line", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_request_has_an_error_and_the_instance_goes_on(page, line):
    puzzle = loaded(page, "tictactoe")
    told = page.line(line)
    assert told["error"]["kind"] in ("UsageError", "StateError", "MoveError", "RulesError")
    assert "restart" not in told
    if '"load"' in line:  # the puzzle before it is given up first
        page.load(puzzle)
    assert page.call("legal")["moves"] == puzzle.legal_moves(puzzle.start)


def test_ten_thousand_broken_requests_do_not_make_it_fall(page):
    puzzle = loaded(page, "tictactoe")
    numbers = random.Random(1)
    rules = json.dumps({"verb": "load", **loading(puzzlekit.load("rotate:2,2"))})
    whole = [
        rules,
        *(
            json.dumps({"verb": verb, "state": puzzle.start, "moves": ["4"], "seed": "s", "max_depth": 2})
            for verb in ("read", "legal", "apply", "after", "canonical", "scramble", "solve", "enumerate")
        ),
    ]
    for _ in range(10_000):
        text = list(numbers.choice(whole if numbers.random() < 0.02 else whole[1:]))
        for _ in range(numbers.choice((1, 1, 2, 5))):
            text[numbers.randrange(len(text))] = numbers.choice(
                ['"', "{", "]", "9", "-", ",", "é", "\\", " ", "\t", "x"]
            )
        told = page.line("".join(text))
        assert ("answer" in told) != ("error" in told), text
        assert "restart" not in told, (text, told)


def test_a_search_tells_its_progress_and_can_be_stopped(page):
    loaded(page, "tictactoe:4,4,4")
    told = page.ask("enumerate", store="sparse", stop=True)
    assert told["answer"]["stopped"] == "watch"
    assert told["tolds"][-1]["states"] >= 1
    assert page.ask("enumerate", seconds=0.001, store="sparse")["answer"]["stopped"] == "watch"
    assert page.call("enumerate")["complete"]


def test_without_memory_it_says_that_the_instance_must_be_made_anew():
    small = PageEngine(ENGINE, pages=512)  # 32 MiB
    puzzle = puzzlekit.load("tictactoe:4,4,4")
    small.load(puzzle)
    told = small.ask("enumerate", store="sparse", symmetry=False, memory=2**40)
    assert told["error"]["kind"] in ("MemoryError", "LimitError")
    if "restart" in told:
        assert "load the puzzle again" in told["error"]["message"]
    small.renew()
    assert small.load(puzzle)["start"] == puzzle.start
    assert small.call("enumerate", max_depth=3)["raw_states"] == sum((1, 16, 240, 1680))
    small.close()
