"""Tests of rotation: the staged solver, the article's claims about it, and the graph that is the same in rotate."""

import json
import operator
import os
import pickle
import random
import re
import shlex
from collections import Counter
from itertools import permutations
from pathlib import Path

import pytest

import puzzlekit
import puzzlekit_rotation
from puzzlekit_rotation import claims, stages
from puzzlekit_rotation.staged import BLOCKS, MATRICES, WORDS


def test_the_articles_examples():
    puzzle = puzzlekit.load("rotation")
    # Turn C of the article's picture takes 5, 8, 4, 3 clockwise: 5 is then where 8 was.
    before = "129/586/347"
    assert puzzle.apply(before, "C") == "129/356/487"
    # 1 at the bottom left: C, then A.
    assert stages([2, 3, 4, 5, 6, 7, 1, 8, 9])[0] == "CA"


def test_the_words_are_those_of_the_matrices():
    assert WORDS[3][7] == "BBCCCBB"
    assert WORDS[9][3] == "CDDCCC"
    assert WORDS[4][5] == "CCBCBBBCBCBBB"
    assert [sum(word is None for word in words) for words in WORDS.values()] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert list(MATRICES) == [1, 2, 3, 7, 8, 9, 5, 4]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The survey of all boards. If several processes run the tests, the first one makes it and keeps it in a file."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    kept = tmp_path_factory.getbasetemp().parent / f"survey-{run}"
    if run and kept.exists():
        return pickle.loads(kept.read_bytes())
    found = claims.survey()
    if run:
        written = kept.with_suffix(f".{os.getpid()}")
        written.write_bytes(pickle.dumps(found))
        written.replace(kept)
    return found


@pytest.fixture(scope="module")
def figures(report):
    return claims.figures_of(report)


@pytest.mark.slow
def test_every_board_is_solved_and_the_bound_of_the_article_is_wrong(figures):
    solved = list(range(1, 10))
    lengths = {}
    for board in map(list, permutations(range(1, 10))):
        length = sum(map(len, stages(board)))
        assert board == solved
        lengths[length] = lengths.get(length, 0) + 1
    assert figures.lengths == lengths
    assert figures.most == {1: 4, 2: 3, 3: 12, 7: 3, 8: 7, 9: 7, 5: 8, 4: 13}
    assert (sum(figures.most.values()), sum(claims.CLAIMED.values())) == (57, 53)
    # 24 boards take the most turns in every stage, so the maximum is the sum of the stages' maxima.
    assert max(lengths) == 57
    assert (len(figures.worst), lengths[57], figures.over) == (24, 24, 1306)
    assert "391/468/257" in figures.worst
    assert list(map(len, stages([3, 9, 1, 4, 6, 8, 2, 5, 7]))) == list(figures.most.values())


@pytest.mark.slow
def test_the_fewest_turns_are_those_of_the_engine(figures):
    # Counted backward from the goal, since a turn is not its own inverse.
    report = puzzlekit.load("rotation").enumerate(backward=True)
    assert figures.fewest == {depth.depth: depth.raw_states for depth in report.depths}
    assert figures.optimal == 2083


def fewest_to(goals):
    """The fewest turns from each board to any of the given boards: a plain search from these by inverse turns."""
    undo = [operator.itemgetter(*(cells.index(cell) for cell in range(9))) for cells in map(after, "ABCD")]
    found, edge = dict.fromkeys(goals, 0), list(goals)
    while edge:
        before = []
        for board in edge:
            for back in undo:
                if (one := back(board)) not in found:
                    found[one] = found[board] + 1
                    before.append(one)
        edge = before
    return found


def after(turn):
    """The cell whose number each cell has after a turn."""
    cells = list(range(9))
    a, b, c, d = BLOCKS[turn]
    cells[b], cells[c], cells[d], cells[a] = a, b, c, d
    return cells


@pytest.mark.slow
def test_what_each_stage_needs_is_what_a_plain_search_finds(report):
    everything = list(permutations(range(1, 10)))
    solved = tuple(range(1, 10))
    assert dict(report.fewest.counts) == dict(sorted(Counter(fewest_to([solved]).values()).items()))
    placed = []
    before = everything
    for number, phase in zip(WORDS, report.phases, strict=True):
        placed.append(number)
        there = [board for board in everything if all(board[each - 1] == each for each in placed)]
        needed = fewest_to(there)
        assert dict(phase.lengths.counts) == dict(sorted(Counter(needed[board] for board in before).items()))
        assert (phase.met, phase.unsolvable) == (len(there), 0)
        before = there
    assert before == [solved]
    assert report.phases_worst == 50


@pytest.mark.slow
def test_no_stage_takes_fewer_turns_than_it_needs(report):
    for stage, phase in zip(report.stages, report.phases, strict=True):
        assert stage.lengths.states == 362_880
        assert stage.lengths.worst >= phase.lengths.worst
        # After any stage, all arrangements of the other numbers are equally frequent.
        share = 362_880 // phase.lengths.states
        as_needed = {turns: boards * share for turns, boards in phase.lengths.counts.items()}
        assert (dict(stage.lengths.counts) == as_needed) == (stage.name not in "34")


@pytest.mark.slow
def test_the_readme_has_what_the_command_prints(report, monkeypatch, capsys):
    from puzzlekit.cli.app import run

    page = (Path(__file__).parent / "README.md").read_text(encoding="utf-8")
    written = re.search(r"^    puzzlekit (survey(?:.*\\\n)*.*)$", page, re.MULTILINE)[1]
    asked = {}

    def survey(_puzzle, solver, **options):
        asked.update(options, solver=solver.__name__)
        return report

    monkeypatch.setattr(puzzlekit.Puzzle, "survey", survey)
    assert run(shlex.split(written.replace("\\\n", " "))) == 0
    assert (asked["solver"], tuple(asked["phases"])) == ("staged", tuple(claims.PHASES.values()))
    printed = capsys.readouterr().out
    (block,) = re.findall(r"```text\n(stage of .*?)```", page, re.DOTALL)
    assert block in printed


@pytest.mark.slow
def test_the_readme_has_the_figures(figures):
    page = (Path(__file__).parent / "README.md").read_text(encoding="utf-8")
    assert f"```text\n{claims.matrices()}\n```" in page
    words = " ".join(page.split())
    assert claims.cases() == claims.CLAIMED_CASES == sum(range(2, 10))
    assert claims.table(figures) in page
    assert f"would take at most {sum(figures.needed.values())}" in words
    assert [number for number in WORDS if figures.most[number] > figures.needed[number]] == [3, 4]
    for sentence in (
        f"These are {claims.cases()} cases",
        f"the worst case is {max(figures.lengths)} turns: {len(figures.worst)} boards take them, `391/468/257` is one",
        f"{figures.over:,} boards take more than 53",
        f"The mean is {claims.mean(figures.lengths):.3f} turns",
        f"it is at most {max(figures.fewest)}, and {claims.mean(figures.fewest):.3f} on average",
        f"on {figures.optimal:,} boards the stages take no more turns than that",
    ):
        assert sentence in words


@pytest.mark.slow
def test_claims_prints_the_figures(figures, monkeypatch, capsys):
    monkeypatch.setattr(claims, "measure", lambda: figures)
    claims.main()
    printed = capsys.readouterr().out
    assert claims.matrices() in printed
    assert "over all boards: at most 57 turns, 33.354 on average" in printed
    assert "1,306 boards take more than 53 turns" in printed
    assert "on 2,083 boards no fewer turns do" in printed


@pytest.mark.slow
def test_the_stages_are_told(figures, capsys):
    from puzzlekit.cli.app import run

    puzzle = puzzlekit.load("rotation")
    for state in (*figures.worst, "312/456/789", puzzle.start):
        report = puzzle.solve(state, puzzlekit_rotation.staged)
        made = stages([int(digit) for digit in state if digit.isdigit()])
        ends = [*(stage.begins for stage in report.stages[1:]), report.length]
        parts = [report.moves[stage.begins : end] for stage, end in zip(report.stages, ends, strict=True)]
        assert ["".join(part) for part in parts] == made
        assert [stage.name for stage in report.stages] == list("12378954")
    assert run(["solve", "rotation", "312/456/789", "--solver", "staged"]) == 0
    assert (
        "stages: 1 from move 1, 2 from move 4, 3 from move 7, 7 without a move, 8 without a move, 9 from move 18, "
        "5 without a move, 4 without a move\n"
    ) in capsys.readouterr().err
    assert run(["solve", "rotation", "312/456/789", "--solver", "staged", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["stages"][:3] == [
        {"name": "1", "begins": 0},
        {"name": "2", "begins": 3},
        {"name": "3", "begins": 6},
    ]


def test_staged_solutions_replay_and_are_never_better_than_optimal():
    puzzle = puzzlekit.load("rotation")
    solvers = puzzlekit.solvers(puzzle)
    for seed in range(50):
        state = puzzle.scramble(str(seed)).state
        optimal = puzzle.solve(state)
        assert optimal.optimal
        assert optimal.length <= 15
        assert puzzle.solve(state, solvers["staged"]).length >= optimal.length


def test_rotation_and_rotate_are_the_same_graph():
    rotation, rotate = puzzlekit.load("rotation"), puzzlekit.load("rotate:3,3")
    renamed = str.maketrans("123456789ABCD", "abcdefghi1245")
    state, walk = rotation.start, random.Random(1)
    for _ in range(300):
        assert rotation.legal_moves(state) == ["A", "B", "C", "D"]
        for move in "ABCD":
            after = rotation.apply(state, move)
            assert rotate.apply(state.translate(renamed), move.translate(renamed)) == after.translate(renamed)
        state = rotation.apply(state, walk.choice("ABCD"))
    one, other = rotation.enumerate(), rotate.enumerate()
    assert one.depths == other.depths
    assert one.max_depth == 15
