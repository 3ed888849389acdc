"""The line mode of the page, under Node and without an engine: its words are those of `play`, also at a limit."""

import json
import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

import puzzlekit
from puzzlekit.play.session import WORDS, Session
from tests.gallery import FILES

ENGINE = Path(str(files("puzzlekit"))) / "web" / "engine"
SCRIPT = Path(__file__).parent / "line_mode.mjs"
NODE = shutil.which("node")

pytestmark = pytest.mark.skipif(NODE is None, reason="there is no Node")


def said(**given):
    """What is shown for a line, and what is known then; or what was thrown."""
    done = subprocess.run(
        [NODE, str(SCRIPT), str(ENGINE)],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return json.loads(done.stdout)


def told(puzzle, path, *, start=None, **given):
    """The answer to a line about a puzzle, of which the states on a path are known."""
    start = start or puzzle.start
    states, here = {}, start
    for move in (*path, None):
        after = {name: puzzle.apply(here, name) for name in puzzle.legal_moves(here)}
        player = here.rpartition(":")[2] if puzzle.engine.is_game and puzzle.outcome(here) is None else None
        solved = not puzzle.engine.is_game and puzzle.is_solved(here)
        why = "solved" if solved else puzzle.outcome(here)
        states[here] = {"moves": puzzle.legal_moves(here), "player": player, "why": why, "after": after}
        for other in after.values():
            states.setdefault(other, {"moves": [], "player": None, "why": None, "after": {}})
        here = after.get(move, here)
    data = {
        "puzzle": str(puzzle),
        "id": puzzle.id,
        "players": list(puzzle.engine.notation.players),
        "introduction": [],
        "rules": json.loads(puzzle.engine.rules_json),
        "start": start,
    }
    return said(data=data, states=states, **given)


LIMIT = {"kind": "LimitError", "message": "no", "within": "5 seconds", "bound": 7}


def test_a_limit_of_a_search_is_a_line_and_not_a_fault():
    slider = puzzlekit.load("slider:2,2")
    start = slider.apply(slider.start, slider.legal_moves(slider.start)[0])
    late = "no answer was found within 5 seconds, the most that this page may take"
    for line, begins in (("hint", "No hint: "), ("solve", "No solution: "), ("show", "No solution: ")):
        answer = told(slider, [], start=start, line=line, fault=LIMIT)
        assert answer["lines"] == [f"{begins}{late}; if moves lead to the goal, at least 7 are needed."]
        assert not answer["over"]
    # Without a bound, and if the memory was the limit.
    answer = told(slider, [], start=start, line="hint", fault={"kind": "MemoryError", "message": "no"})
    assert answer["lines"] == [
        "No hint: no answer was found within the seconds and the memory of a page, the most that this page may take."
    ]


def test_what_is_no_limit_is_not_taken_for_one():
    slider = puzzlekit.load("slider:2,2")
    start = slider.apply(slider.start, slider.legal_moves(slider.start)[0])
    assert told(slider, [], start=start, line="hint", fault={"message": "broken"}) == {"thrown": "broken"}
    unsolvable = {"kind": "UnsolvableError", "message": "no moves lead there"}
    assert told(slider, [], start=start, line="solve", fault=unsolvable)["lines"] == [
        "No solution: no moves lead there."
    ]


def test_the_end_of_a_puzzle_at_a_limit():
    slider = puzzlekit.load("slider:2,2")
    start = slider.apply(slider.start, slider.legal_moves(slider.start)[0])
    (back,) = (move for move in slider.legal_moves(start) if slider.is_solved(slider.apply(start, move)))
    answer = told(slider, [back], start=start, line=back, fault=LIMIT)
    assert answer["lines"][-1] == "Solved in 1 move. The fewest possible are not known."
    assert answer["over"]


def test_points_and_positions_that_come_again_are_told_as_by_play():
    game = puzzlekit.load(str(FILES["dots_and_boxes"]))
    before = "##/#B#B#/##/#B#.#/#.:A"
    (move,) = game.legal_moves(before)
    shown = Session(game, before).answer(move)[-1]
    points = int(re.search(r"by (\d+) point", shown)[1])
    answer = told(game, [move], start=before, line=move, found={"score": -points, "moves": []})
    assert answer["lines"][-1] == shown
    torere = puzzlekit.load(str(FILES["mu_torere"]))
    session, made = Session(torere, torere.start), []
    for _ in range(60):
        made.append(torere.legal_moves(session.state)[0])
        lines = session.answer(made[-1])
        if "was here" in lines[-1]:
            break
    answer = told(torere, made, moves=made[:-1], line=made[-1])
    assert answer["lines"][-1] == lines[-1]


def test_names_with_spaces_are_quoted_as_by_play():
    chomp = puzzlekit.load(str(FILES["chomp3d"]))
    listed = told(chomp, [], line="moves")["lines"]
    assert listed == Session(chomp, chomp.start).answer("moves")
    assert '"1 1 2"' in listed[0]
    found = {"moves": ["1 1 2"], "best": ["1 1 2", "2 1 1"], "value": "win"}
    assert told(chomp, [], line="solve", found=found)["lines"] == [
        'Solution: win for the player to move; 1 move: "1 1 2"',
        'Best moves: "1 1 2" "2 1 1"',
    ]


def test_the_words_are_those_of_play():
    listed = said(
        data={"players": [], "rules": {"moves": []}, "introduction": [], "start": ".", "puzzle": "none", "id": "none"},
        states={".": {"moves": [], "player": None, "why": None, "after": {}}},
        line="help",
    )
    assert [tuple(line.split(maxsplit=1)) for line in listed["lines"]] == list(WORDS.items())
