"""Answers that are not proven: those within limits, the words for them, and the best one so far after Ctrl-C."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections import deque
from dataclasses import dataclass

import pytest

import puzzlekit
from puzzlekit import (
    Answer,
    Budget,
    Interrupted,
    LimitError,
    Move,
    MoveError,
    Rules,
    Score,
    UnsolvableError,
    UsageError,
    cycle,
    put,
)
from puzzlekit.cli import progress
from puzzlekit.run import limits
from puzzlekit.run.engine import Engine
from tests import boards, gallery
from tests.nursery import Command
from tests.support import puzzle_of

LARGE = "14,5,9,2,18/8,23,19,12,17/15,0,10,20,4/13,11,21,1,7/16,6,24,3,22"


def distances(engine, start):
    """The fewest moves from a state to every other one, for rules in which every move can be undone."""
    found, pending = {start: 0}, deque([start])
    while pending:
        state = pending.popleft()
        for move in engine.legal_moves(state):
            after = engine.apply(state, move)
            if after not in found:
                found[after] = found[state] + 1
                pending.append(after)
    return found


@pytest.mark.parametrize(("columns", "most"), [pytest.param(3, 10_000, marks=pytest.mark.slow), pytest.param(4, 1_000)])
def test_what_is_proven_within_limits_is_true(columns, most):
    """Bounds agree with the known distances of a board. The limit of states is low, so most proofs fail."""
    rules = boards.slide(6 - columns, columns)
    engine = Engine(rules)
    known = distances(engine, engine.notation.write(*engine.notation.read(engine.start)))
    states = sorted(known)[:: len(known) // 6]
    unproven = 0
    for state in states:
        answer = Engine(rules).solve(state, Budget(max_states=most, cache=False))
        assert answer.lower_bound is None or answer.lower_bound <= known[state]
        assert len(answer.moves) >= known[state]
        assert not answer.optimal or len(answer.moves) == known[state]
        assert (answer.limit is None) == answer.optimal
        unproven += not answer.optimal
        after = state
        for move in answer.moves:
            after = engine.apply(after, move)
        assert engine.is_solved(after)
    assert unproven < len(states)


def test_a_search_ends_where_every_state_of_the_same_beads_is_nearer():
    """Four beads, two of each colour, have six arrangements: no state needs more than five moves."""
    moves = [cycle(0, 2, 1, 3).when({1: "b"}), cycle(1, 0, 2, 3).when({2: "b"}), cycle(0, 2, 1).when({0: "b"})]
    engine = Engine(Rules("ab", "abba", [move.named(str(at)) for at, move in enumerate(moves)], goal="abba"))
    for most in (1, 2, 4, 1_000):
        with pytest.raises(UnsolvableError):
            engine.solve("aabb", Budget(max_states=most, cache=False))


IVY = """
from dataclasses import dataclass
from puzzlekit import Puzzle, Rules, cycle

@dataclass(frozen=True)
class Ivy(Puzzle):
    '''Six petals and four corners of three stickers; a turn of a corner carries the petals beside it around.'''

    id = "ivy"

    def rules(self):
        faces, corners, moves = "wyrobg", ["wrb", "wog", "yrg", "yob"], []
        for number, corner in enumerate(corners):
            turn = cycle(*map(faces.index, corner)) * cycle(*range(6 + 3 * number, 9 + 3 * number))
            moves += [turn.named(f"{number}"), (~turn).named(f"{number}'")]
        cells = faces + "".join(corners)
        return Rules(faces, cells, moves, goal=cells)
"""


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("a", "b"), [(0, 1), (6, 7), (0, 7), (6, 10)])
def test_exchanged_stickers_of_a_puzzle_of_few_states_are_told_at_once(a, b, tmp_path, command):
    """The puzzle has 29,160 states. Its colours repeat, so algebra does not tell that no moves solve these."""
    (tmp_path / "ivy.py").write_text(IVY)
    cells = list("wyrobgwrbwogyrgyob")
    cells[a], cells[b] = cells[b], cells[a]
    result = command("solve", str(tmp_path / "ivy.py"), "".join(cells))
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
    assert f"error: no moves lead from {''.join(cells)} to the goal: the moves make 29,160 of all" in result.err


def test_a_limit_leaves_the_shortest_answer_that_was_found(command):
    result = command("solve", "slider:5,5", LARGE, "--seconds", "1", "--json")
    data = json.loads(result.out)
    assert result.code == 0
    assert (data["optimal"], data["limit"], data["method"]) == (False, "seconds", "beam search")
    assert 60 < data["lower_bound"] <= data["length"] < 250
    shown = command("solve", "slider:5,5", LARGE, "--max-states", "20000")
    assert shown.code == 0
    assert "not proven the fewest, and at least" in shown.err
    assert "what ran out: effort; give a time with --seconds" in shown.err


def test_a_solver_that_runs_on_after_its_time_is_told(monkeypatch, capsys):
    with progress.ProgressLine(limit=0.01):
        pass
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    told = queue.SimpleQueue()
    monkeypatch.setattr(progress, "say", told.put)
    with progress.ProgressLine(limit=0.01):
        said = told.get(timeout=60)
    assert said == "the 0.01 seconds of --seconds are over, and the solver runs on; Ctrl-C ends it"


def test_without_a_time_every_run_gives_the_same_answer():
    puzzle = puzzlekit.load("rotate:4,4")
    state = puzzle.scramble("1").state
    first, second = (Engine(puzzle.rules()).solve(state, Budget(max_states=30_000)) for _ in range(2))
    assert (first.moves, first.limit) == (second.moves, "effort")


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        (
            Budget(max_states=1000),
            r"within 1,000 states; give more with --max-states, or another solver; if moves lead .*, at least \d",
        ),
        (Budget(memory=50_000), "within 50,000 bytes of memory; give more with --memory, or another solver"),
    ],
)
def test_without_an_answer_the_limit_is_an_error_that_names_it(budget, message):
    engine = Engine(boards.slide(3, 3))
    with pytest.raises(LimitError, match=message) as caught:
        engine.solve("8,6,7,2,5,4,3,0,1", budget)
    assert caught.value.exit_code == 3


def test_every_limit_has_a_name_and_a_remedy():
    for limit in limits.LIMITS:
        assert limits.told(limit, Budget(seconds=2), 1000)
        assert limits.remedy(limit)
    assert limits.told("seconds", Budget(seconds=2), 1000) == "2 seconds"


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise")
def test_an_interrupt_prints_the_best_answer_so_far():
    state = puzzlekit.load("slider:6,6").scramble("3").state
    # If Ctrl-C comes before the first answer, nothing is printed. The time until then depends on the machine, so longer
    # waits are tried, too.
    for seconds in (1, 3, 10, 40):
        process = Command(
            *("solve", "slider:6,6", "--seconds", "600", "--json", "-"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ.copy(),
        )
        timer = threading.Timer(seconds, process.send_signal, (signal.SIGINT,))
        timer.start()
        out, err = process.communicate(state, timeout=100)
        timer.cancel()
        if out:
            break
    assert process.returncode == 130, err
    assert err.splitlines()[-1] == "puzzlekit: interrupted"
    data = json.loads(out)
    assert (data["optimal"], data["state"]) == (False, state)


def test_a_solver_of_a_plugin_says_what_ran_out_and_keeps_its_answer():
    puzzle = puzzlekit.load("rotation")

    def early(_puzzle, _state):
        return Answer(tuple("AAABBB"), lower_bound=4, method="by hand", reason="it is short", limit="memory")

    report = puzzle.solve("412/653/789", early)
    assert (report.method, report.reason, report.limit) == ("by hand", "it is short", "memory")
    assert report.to_data()["limit"] == "memory"
    # The answer has as many moves as its lower bound, so it is proven, and the report names no limit.
    assert puzzle.solve("412/653/789", lambda *_: Answer(tuple("AAABBB"), lower_bound=6, limit="memory")).limit is None

    def stopped(_puzzle, _state):
        raise Interrupted(Answer(tuple("AAABBB"), lower_bound=4))

    with pytest.raises(KeyboardInterrupt) as caught:
        puzzle.solve("412/653/789", stopped)
    assert (caught.value.report.length, caught.value.report.optimal) == (6, False)


def test_moves_that_are_known_are_made_shorter():
    puzzle = puzzlekit.load("slider:5,5")
    state = puzzle.scramble("1").state
    long = puzzlekit.solvers(puzzle)["reduction"](puzzle, state, budget=Budget(), watch=lambda _: False).moves
    answer = puzzlekit.shorten(puzzle, state, long, budget=Budget(max_states=20_000, cache=False))
    assert len(answer.moves) < 0.8 * len(long)
    # On a small board, the shortest solution is found and proven.
    small = puzzlekit.load("slider")
    kept = puzzlekit.shorten(small, "142/305/678", "RLUL")
    assert (kept.moves, kept.optimal) == (("U", "L"), True)
    with pytest.raises(UsageError, match="which is not solved; give moves that solve it"):
        puzzlekit.shorten(small, "142/305/678", "U")
    with pytest.raises(MoveError, match='the move "X" cannot be made'):
        puzzlekit.shorten(small, "142/305/678", "X")
    with pytest.raises(UsageError, match="is a game, whose play is not made shorter"):
        puzzlekit.shorten(puzzlekit.load("tictactoe"), ".........", "0")


def sequences(puzzle, state, length):
    """All sequences of the given number of moves that solve a state."""
    if length == 0:
        return [()] if puzzle.is_solved(state) else []
    return [
        (move, *rest)
        for move in puzzle.legal_moves(state)
        for rest in sequences(puzzle, puzzle.apply(state, move), length - 1)
    ]


@pytest.mark.parametrize(
    ("text", "state"),
    [("slider", "142/305/678"), ("slider", "312/045/678"), ("rotation", "412/653/789"), ("flipit:3,3", None)],
)
def test_every_shortest_solution_is_listed(text, state):
    puzzle = puzzlekit.load(text)
    state = puzzle.scramble("2", moves=4).state if state is None else puzzle.read(state)
    report = puzzle.solve(state, every=10_000)
    assert report.optimal
    assert report.all_solutions is True
    assert sorted(report.solutions) == sorted(sequences(puzzle, state, report.length))
    assert len(puzzle.solve(state, every=1).solutions) == 1


def test_the_command_lists_every_shortest_solution(command):
    result = command("solve", "rotation", "214/563/789", "--all")
    lines = result.out.splitlines()
    puzzle = puzzlekit.load("rotation")
    assert sorted(tuple(line.split()) for line in lines) == sorted(
        sequences(puzzle, puzzle.read("214/563/789"), len(lines[0].split()))
    )
    assert f"shortest solutions: {len(lines)}" in result.err
    refused = command("solve", "tictactoe", "--all")
    assert (refused.code, refused.out) == (2, "")
    assert "all shortest solutions are listed of puzzles alone" in refused.err


@pytest.mark.parametrize(
    ("limits", "limit", "method"),
    [
        ({"max_states": 1000}, "max_states", "alpha-beta"),
        ({"seconds": 0.2}, "seconds", "alpha-beta"),
    ],
)
def test_a_game_without_a_value_tells_what_ran_out(limits, limit, method):
    report = puzzlekit.load("tictactoe:8,8,5").solve("." * 64 + ":X", **limits)
    assert not report.proven
    assert (report.limit, report.method) == (limit, method)
    data = report.to_data()
    assert (data["limit"], data["method"]) == (limit, method)


def slides(grid):
    """Moves of the men of two players to free cells beside them."""
    return [
        puzzlekit.Move({at: ".", to: own}).when({at: own, to: "."}).by(own).named(f"{at}-{to}")
        for own in "XO"
        for at, to, _ in grid.steps()
    ]


def test_a_game_of_few_positions_in_which_play_can_come_back_is_searched_as_a_whole():
    ends = [puzzlekit.win("X", {3: "X"}), puzzlekit.win("O", {0: "O"})]
    engine = Engine(Rules(".XO", "X..O", slides(puzzlekit.Grid(2, 2)), "XO", ends=ends))
    answer = engine.solve(engine.start, Budget())
    assert (answer.proven, answer.method) == (True, "retrograde analysis")


def test_a_game_in_which_play_can_come_back_tells_if_states_or_memory_ran_out():
    """Five men a side on a board of five by five, who slide: play goes round, and does not fit the limits."""
    grid = puzzlekit.Grid(5, 5)
    ends = [puzzlekit.win(own, dict.fromkeys(line, own)) for own in "XO" for line in grid.lines(3)]
    engine = Engine(Rules(".XO", "XOXOX" + "." * 15 + "OXOXO", slides(grid), "XO", ends=ends))
    few = engine.solve(engine.start, Budget(max_states=2000))
    assert (few.proven, few.limit) == (False, "max_states")
    small = engine.solve(engine.start, Budget(memory=2**18))
    assert (small.proven, small.limit) == (False, "memory")


def test_a_game_with_a_value_tells_the_method(command):
    told = json.loads(command("solve", "tictactoe", "--json").out)
    assert told["method"] == "alpha-beta"
    assert "limit" not in told
    said = command("solve", "tictactoe:8,8,5", "--max-states", "1000").err
    assert "what ran out: max_states; give more with --max-states" in said
    assert "alpha-beta, because only some of the positions that can follow are needed; 512 states stored\n" in said


def test_a_bound_of_a_state_without_an_answer_holds_if_there_is_one():
    error = limits.limit_error("abc", "max_states", Budget(max_states=5), 2**30, 13)
    assert str(error).endswith("; if moves lead to the goal, at least 13 are needed")


def test_every_solver_tells_the_bound_of_the_numbers_of_pieces():
    """Of 32 pegs one is left, and each jump takes one. No solver has to know that by itself."""
    pegs = gallery.load("pegs")
    assert pegs.engine.least_moves(pegs.start) == 31
    assert pegs.engine.least_moves(pegs.apply(pegs.start, "4-16")) == 30

    def gives_up(puzzle, state, *, budget, watch):
        del puzzle, state, budget, watch
        raise LimitError("that takes too long")

    for solver in (None, gives_up):
        with pytest.raises(LimitError, match="at least 31 are needed") as caught:
            pegs.solve(pegs.start, solver, max_states=1000)
        assert caught.value.lower_bound == 31
    told = []
    with pytest.raises(LimitError):
        pegs.solve(pegs.start, max_states=100_000, watch=lambda progress: told.append(progress.at_least) and None)
    assert all(bound >= 31 for bound in told)
    bare = pegs.start.replace("o", ".")
    with pytest.raises(UnsolvableError, match="no moves change the numbers of its pieces"):
        pegs.solve(bare)


def test_an_answer_as_long_as_that_bound_is_proven():
    """A solver that finds jumps cannot know that no fewer will do. The number of pegs says so."""

    @dataclass(frozen=True)
    class Row(puzzlekit.Puzzle):
        """Three pegs in a row of six, one of which is to stay."""

        id = "row"

        def rules(self):
            jumps = [(at, at + step, at + 2 * step) for step in (1, -1) for at in range(6) if 0 <= at + 2 * step < 6]
            return Rules(
                ".o",
                "oo.o..",
                [Move({a: ".", b: ".", c: "o"}).when({a: "o", b: "o", c: "."}).named(f"{a}-{c}") for a, b, c in jumps],
                goal="....o.",
            )

    puzzle = Row()
    assert puzzle.solve("oo.o..", lambda *_, **__: Answer(("0-2", "2-4"))).optimal
    assert not puzzlekit.load("rotation").solve("123/456/789", lambda *_, **__: Answer(tuple("AAAA"))).optimal


def circling_discs():
    """A game for points on a ring of eight cells, in which play goes round: a disc steps on, or takes what is next."""
    ring = [(cell, (cell + 1) % 8) for cell in range(8)] + [((cell + 1) % 8, cell) for cell in range(8)]
    moves = [
        Move({a: ".", b: own}).when({a: own, b: {".", other}}).named(f"{a}-{b}").by(own)
        for own, other in ("XO", "OX")
        for a, b in ring
    ]
    score = Score("X", {"X": 1}) + Score("O", {"O": 1})
    return puzzle_of(Rules(".XO", "X.X.O.O.", moves, players="XO", stuck="pass", score=score, endless=0))


def test_a_game_for_points_with_cycles_has_a_best_move_so_far():
    game = circling_discs()
    assert game.solve(game.start).proven
    found = game.solve(game.start, max_states=20)
    assert not found.proven
    assert found.best == found.moves
    assert found.best[0] in game.legal_moves(game.start)
    assert (found.method, found.limit) == ("look ahead", "max_states")
    assert found.searched["moves ahead"] > 0


def test_many_symmetries_do_not_keep_a_search_from_stopping():
    """Each state takes as many images as there are symmetries, so a search looks soon whether it is to stop."""
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8)]
    boards_of_three = [[9 * board + cell for cell in range(9)] for board in range(3)]
    moves = []
    for cells in boards_of_three:
        full = [dict.fromkeys((cells[place] for place in line), "x") for line in lines]
        moves += [put(cell, "x").when({cell: "."}).unless(*full) for cell in cells]
        moves += [put(cell, ".").when({cell: "x"}).named(f"off {cell}") for cell in cells]
    engine = puzzle_of(Rules(".x", "." * 27, moves, players="AB", stuck="win", symmetries="auto")).engine
    assert engine.symmetry_order > 1000
    play = engine.core.best_moves(bytes(27), 0, 10**6, 2**30, False, lambda _: True)
    assert play.states < 1000
