"""Surveys: every figure equals that of a plain search in Python over all states."""

from __future__ import annotations

import json
import random
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace

import pytest

import puzzlekit
from puzzlekit import (
    Answer,
    Budget,
    LimitError,
    PluginError,
    Rules,
    Stage,
    UnsolvableError,
    UsageError,
    count,
    put,
    survey,
)
from puzzlekit.cli.survey import _title, describe
from puzzlekit.puzzle import surveying
from puzzlekit.run.progress import Progress
from puzzlekit.run.survey import Lengths
from tests import boards
from tests.gallery import FILES
from tests.gallery import load as gallery_game
from tests.naive import Naive
from tests.nursery import Command
from tests.profiles import cases, seeds
from tests.support import puzzle_of
from tests.test_oracle import layered_rules, lively_rules, reversible_rules
from tests.test_solve import distances, graph, solved
from tests.worth import UNDECIDED, plain_values


def as_puzzle(rules):
    """Turns rules of a game or puzzle into those of a puzzle with a goal."""
    return replace(
        rules, players="", stuck=None, ends=[], symmetries=(), goal=rules.goal or [rules.start], moves=once(rules)
    )


def once(rules):
    """The moves of rules without players, each with a name of its own."""
    return [replace(move, player=None, keeps_turn=False).named(f"m{place}") for place, move in enumerate(rules.moves)]


def random_phases(rng, naive, edges):
    """Patterns that some state meets together, the last of them the whole state at times."""
    wanted = rng.choice(sorted(edges))[0]
    cells = rng.sample(range(len(wanted)), len(wanted))
    cuts = sorted(rng.sample(range(len(cells) + 1), min(2, len(cells))))
    groups = [cells[: cuts[0]], cells[cuts[0] : cuts[-1]], *([cells[cuts[-1] :]] if rng.random() < 0.5 else [])]
    patterns = []
    for group in groups:
        drawn = ["?" if cell not in group else symbol for cell, symbol in enumerate(wanted)]
        joint = "," if any(len(symbol) > 1 for symbol in naive.symbols) else ""
        patterns.append(joint.join(drawn))
    return patterns, [{cell: wanted[cell] for cell in group} for group in groups]


def check_survey(rules, rng):
    """Compares a survey with phases to plain searches, and returns it."""
    naive, puzzle = Naive(rules.to_data()), puzzle_of(rules)
    edges = graph(naive)
    needed = distances(edges, solved(naive, edges))
    patterns, wanted = random_phases(rng, naive, edges)
    report = survey(puzzle, phases=patterns, listed=10**6)
    assert (report.complete, report.states) == (True, len(edges))
    assert report.unsolvable == len(edges) - len(needed)
    assert dict(report.fewest.counts) == dict(sorted(Counter(needed.values()).items()))
    if needed:
        assert report.fewest.mean == pytest.approx(statistics.fmean(needed.values()))
        worst = max(needed.values())
        assert report.fewest.worst == worst
        texts = {written(puzzle, naive, state) for state, moves in needed.items() if moves == worst}
        assert set(report.fewest.worst_states) == texts
        assert len(report.fewest.worst_states) == len(texts)
    pattern, before, total = {}, set(edges), 0
    for phase, added in zip(report.phases, wanted, strict=True):
        pattern |= added
        meeting = {state for state in edges if all(state[0][cell] == held for cell, held in pattern.items())}
        known = distances(edges, meeting)
        taken = [known[state] for state in before if state in known]
        assert dict(phase.lengths.counts) == dict(sorted(Counter(taken).items()))
        assert (phase.met, phase.unsolvable) == (len(meeting), len(before) - len(taken))
        before, total = meeting, total + max(taken, default=0)
    assert report.phases_worst == total
    return report


def written(puzzle, naive, state):
    """A state of the plain search as a text."""
    return puzzle.arrays.decode(bytes(map(naive.symbols.index, state[0])))[0]


@pytest.mark.parametrize("name", boards.quickly(sorted(boards.ALL)))
def test_boards_of_every_shape(name):
    rng = random.Random(name)
    rules = as_puzzle(boards.ALL[name])
    if len(graph(Naive(rules.to_data()))) > 6000:
        pytest.skip("the plain search would take minutes")
    for _ in range(2):
        check_survey(rules, rng)


@seeds(30, 250)
@pytest.mark.parametrize("kind", [lively_rules, reversible_rules])
def test_random_rules(kind, seeds):
    found = Counter()
    for seed in seeds:
        rng = random.Random(seed)
        rules = kind(rng)
        rules = replace(
            rules, players="", stuck=None, symmetries=(), moves=once(rules), goal=rules.goal or [rules.start]
        )
        report = check_survey(rules, rng)
        found["deep"] += (report.fewest.worst or 0) > 2
        found["unsolvable"] += report.unsolvable > 0
        found["phases"] += sum((phase.lengths.worst or 0) > 1 for phase in report.phases)
        found["lost"] += any(phase.unsolvable for phase in report.phases)
    assert min(found["deep"], found["phases"]) >= len(seeds) // 30, found
    if kind is lively_rules:
        assert min(found["unsolvable"], found["lost"]) >= len(seeds) // 30, found


def detour(puzzle, state):
    """A solver with two stages: first two moves that need not help, then the fewest moves."""
    first = []
    for _ in range(2):
        if legal := puzzle.legal_moves(state):
            first.append(legal[0])
            state = puzzle.apply(state, legal[0])
    rest = puzzlekit.optimal(puzzle, state).moves
    return Answer((*first, *rest), stages=(Stage("detour", 0), Stage("rest", len(first))))


@pytest.mark.parametrize(
    "name",
    [
        "slide:2,3",
        "hanoi:4",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("turn:2,3", "lights:3,3", "burnt:4")),
    ],
)
def test_a_method_over_all_states(name):
    puzzle = puzzle_of(as_puzzle(boards.ALL[name]))
    naive = Naive(puzzle.rules().to_data())
    edges = graph(naive)
    needed = {written(puzzle, naive, state): moves for state, moves in distances(edges, solved(naive, edges)).items()}
    assert len(needed) == len(edges)
    answers = {state: puzzle.solve(state, detour) for state in needed}
    report = survey(puzzle, detour, listed=10**6)
    lengths = {state: answer.length for state, answer in answers.items()}
    assert (report.solver, report.states, report.unanswered) == ("detour", len(edges), 0)
    assert dict(report.lengths.counts) == dict(sorted(Counter(lengths.values()).items()))
    assert report.lengths.mean == pytest.approx(statistics.fmean(lengths.values()))
    assert set(report.lengths.worst_states) == {
        state for state, moves in lengths.items() if moves == max(lengths.values())
    }
    excess = Counter(lengths[state] - moves for state, moves in needed.items())
    assert dict(report.excess.counts) == dict(sorted(excess.items()))
    stages = {stage.name: stage.lengths for stage in report.stages}
    assert dict(stages["detour"].counts) == {2: len(edges)}
    rest = Counter(moves - 2 for moves in lengths.values())
    assert dict(stages["rest"].counts) == dict(sorted(rest.items()))
    assert (report.lengths.standard_error, report.sample) == (None, None)


def test_the_fewest_moves_are_a_method_too():
    report = survey(puzzlekit.load("slider:2,3"), puzzlekit.optimal)
    assert report.lengths == report.fewest
    assert dict(report.excess.counts) == {0: 360}


@pytest.fixture
def lamps():
    """Three lamps that can only be switched off. In the goal, only the first one is lit."""
    moves = [put(lamp, ".").when({lamp: "o"}).named(str(lamp)) for lamp in range(3)]
    return puzzle_of(Rules(".o", "ooo", moves, goal=count("o", at_most=1) & {0: "o"}))


def test_states_that_cannot_be_solved_are_counted_apart(lamps):
    asked = []

    def method(puzzle, state):
        asked.append(state)
        return puzzlekit.optimal(puzzle, state)

    report = survey(lamps, method)
    assert (report.states, report.unsolvable, dict(report.lengths.counts)) == (8, 4, {0: 1, 1: 2, 2: 1})
    assert len(asked) == 4


def lies(claim):
    """A solver that makes a false claim about some state."""

    def method(puzzle, state):
        answer = detour(puzzle, state)
        return replace(answer, stages=(), **claim)

    return method


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (lambda _puzzle, _state: ["L"], "leads from 012/345 to"),
        (lambda _puzzle, _state: ["nowhere"], 'the move "nowhere" cannot be made'),
        (lambda _puzzle, _state: [], "which is not solved"),
        (lies({"optimal": True}), "calls .* moves from .* the fewest, and .* are enough"),
        (lies({"lower_bound": 2}), "needs 2 moves, and 0 are enough"),
        (lambda _puzzle, _state: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_a_method_that_is_wrong_is_refused(method, message):
    with pytest.raises(PluginError, match=message):
        survey(puzzlekit.load("slider:2,3"), method)


def test_a_method_that_denies_a_solution_is_refused():
    def denies(_puzzle, _state):
        raise UnsolvableError("no way")

    with pytest.raises(PluginError, match="says that nothing solves 012/345, and 0 moves do"):
        survey(puzzlekit.load("slider:2,3"), denies)


def test_states_without_an_answer_are_counted():
    def lazy(puzzle, state, *, budget):
        answer = puzzlekit.optimal(puzzle, state)
        if len(answer.moves) > budget.max_states:
            raise LimitError(f"too far: {state}")
        return answer

    report = survey(puzzlekit.load("slider:2,3"), lazy, max_states=400)
    assert report.unanswered == 0
    sampled = survey(puzzlekit.load("slider:2,3"), lazy, sample=60, seed="1", max_states=12)
    assert sampled.unanswered > 0
    assert sampled.lengths.states + sampled.unanswered == 60
    assert sampled.why_unanswered.startswith("too far: ")


def test_a_sample_has_the_errors_that_statistics_say():
    puzzle = puzzlekit.load("slider:2,3")
    report = survey(puzzle, detour, sample=500, seed="a seed")
    lengths = [moves for moves, states in report.lengths.counts.items() for _ in range(states)]
    assert len(lengths) == 500
    assert report.lengths.standard_error == pytest.approx(statistics.stdev(lengths) / 500**0.5)
    whole = survey(puzzle, detour)
    # All states but the solved one can be drawn.
    mean = (whole.lengths.mean * 360 - 2) / 359
    assert abs(report.lengths.mean - mean) < 5 * report.lengths.standard_error
    assert report.excess.states == report.fewest.states == 500
    again = survey(puzzle, detour, sample=500, seed="a seed")
    assert again.lengths == report.lengths
    assert survey(puzzle, detour, sample=500, seed="another").lengths != report.lengths
    assert report.sample.method == "each state that can be solved, and is not, equally likely"


def test_samples_of_dials_are_even():
    """Lamps of three colours have more states than can be listed, but which can be reached is known."""
    puzzle = gallery_game("lights_out:size=6,colours=3")
    report = survey(puzzle, lambda _, state: puzzle.engine.solve(str(state), Budget(max_states=1)).moves, sample=3)
    assert report.sample.method == "each reachable state equally likely"


@pytest.mark.parametrize(
    ("puzzle_id", "method"),
    [("rotation", "each reachable state equally likely"), ("slider:4,4", "random moves")],
)
def test_samples_of_puzzles_that_are_not_listed(puzzle_id, method):
    puzzle = puzzlekit.load(puzzle_id)
    solver = puzzlekit.solvers(puzzle)["staged" if puzzle_id == "rotation" else "reduction"]
    report = survey(puzzle, solver, sample=40, seed="1")
    assert report.sample.method == method
    assert report.lengths.states == 40
    assert report.fewest is None
    assert report.excess is None
    if puzzle_id == "rotation":
        report = survey(puzzle, solver, sample=5, seed="1", fewest=True)
        assert report.excess.states == report.fewest.states == 5
        assert report.excess.mean == pytest.approx(report.lengths.mean - report.fewest.mean)
        drawn = [puzzle.engine.scramble("rotation", f"1 {place}", None).state for place in range(1, 6)]
        assert dict(report.fewest.counts) == dict(sorted(Counter(puzzle.solve(each).length for each in drawn).items()))


def test_walks_have_an_even_or_odd_number_of_moves():
    """After an even number of moves, the blank is always on cells of one colour. So walks of both kinds are needed."""
    puzzle = puzzlekit.load("slider:4,4")
    colours = set()

    def method(puzzle, state):
        place = puzzle.arrays.encode([state]).tobytes().index(0)
        colours.add((place // 4 + place % 4) % 2)
        return puzzlekit.solvers(puzzle)["reduction"](puzzle, state, budget=puzzlekit.Budget(), watch=lambda _: False)

    survey(puzzle, method, sample=20, seed="1")
    assert colours == {0, 1}


def test_a_sample_of_the_fewest_moves():
    report = survey(puzzlekit.load("rotation"), sample=30, seed="x")
    assert (report.solver, report.lengths, report.excess) == (None, None, None)
    assert report.fewest.states == 30
    assert 5 < report.fewest.mean < 15


def test_lengths():
    assert Lengths({}).worst is None
    assert Lengths({}).mean is None
    assert Lengths({3: 1}, sampled=True).standard_error is None
    assert Lengths({1: 2, 4: 2}, sampled=True).standard_error == pytest.approx(statistics.stdev([1, 1, 4, 4]) / 2)


@pytest.mark.parametrize(
    ("puzzle_id", "options", "message"),
    [
        ("tictactoe", {"phases": ["XXX/.../..."]}, "phases are for puzzles, and tictactoe is a game"),
        ("tictactoe", {"sample": 5, "fewest": True}, "fewest is for puzzles"),
        ("slider:2,3", {"phases": ["???/???", "01"]}, "has 2 cells; give 6"),
        ("slider:2,3", {"phases": ["x??/???"]}, 'has "x"'),
        ("slider:2,3", {"phases": ["01?/???", "02?/???"]}, "wants 2 in cell 1, where a phase before it wants 1"),
        ("slider:2,3", {"phases": ["021/345"]}, "no state that play reaches meets"),
        ("slider:2,3", {"phases": ["0??/???"], "sample": 3}, "leave the sample out"),
        ("slider:2,3", {"seed": "1"}, "give sample, too"),
        ("slider:2,3", {"fewest": True}, "give sample, too"),
        ("slider:2,3", {"sample": 0}, "sample is 0"),
        ("slider:2,3", {"listed": -1}, "listed is -1"),
        ("slider:2,3", {"seconds": 0}, "seconds is 0"),
    ],
)
def test_what_makes_no_sense_is_refused(puzzle_id, options, message):
    with pytest.raises(UsageError, match=message):
        survey(puzzlekit.load(puzzle_id), **options)


def test_rules_without_a_goal_have_phases_alone():
    puzzle = puzzle_of(replace(boards.slide(2, 3), goal=[]))
    with pytest.raises(UsageError, match="has no goal to reach"):
        survey(puzzle)
    report = survey(puzzle, phases="5??/???")
    assert (report.fewest, report.phases[0].lengths.states) == (None, 360)


def test_limits():
    small = puzzlekit.load("slider:2,3")
    assert survey(small, max_states=360).states == 360
    with pytest.raises(LimitError, match="more than 359 states"):
        survey(small, max_states=359)
    puzzle = puzzlekit.load("rotation")
    with pytest.raises(LimitError, match="more than 1,000 states"):
        survey(puzzle, max_states=1000)
    with pytest.raises(LimitError, match="and 1,000,000 may be; give more memory"):
        survey(puzzle, memory=10**6)
    with pytest.raises(LimitError, match="within 1e-06 seconds"):
        survey(puzzle, seconds=1e-6)  # over at the first look, which is before any work
    with pytest.raises(LimitError, match="before the survey was stopped"):
        survey(puzzle, watch=lambda _: True)
    assert survey(puzzle, sample=3, seed="1", max_states=10**5).fewest.states == 3


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("slider:3,3", marks=pytest.mark.slow),
        "slider:2,3",
        "rotate:2,3",
        "flipit:3,4",
        "pancakes:6",
        "knights",
        "rush_hour",  # its goal leaves cells open
    ],
)
def test_a_survey_that_counts_says_what_one_of_all_states_says(name, monkeypatch):
    """If there are many states, they are only counted. The figures are the same, and worst states up to symmetry."""
    own, _, size = name.partition(":")
    puzzle = puzzlekit.load(name if own in puzzlekit.puzzles() else f"{FILES[own]}:{size}")
    known = survey(puzzle, listed=10**6)
    monkeypatch.setattr(surveying, "MOST_ONE_BY_ONE", 10)
    counted = survey(puzzle, listed=10**6)
    assert (counted.states, counted.unsolvable) == (known.states, known.unsolvable)
    assert counted.fewest.counts == known.fewest.counts
    images = {puzzle.canonical(state) for state in known.fewest.worst_states}
    assert {puzzle.canonical(state) for state in counted.fewest.worst_states} == images
    assert len(survey(puzzle, listed=1).fewest.worst_states) == 1
    with pytest.raises(LimitError, match="before the survey was stopped"):
        survey(puzzle, watch=lambda _: True)


@pytest.mark.slow
def test_a_survey_of_many_states_is_a_count():
    report = survey(puzzlekit.load("slider:2,6"), listed=3)
    assert (report.states, report.fewest.worst, report.unsolvable) == (239_500_800, 80, 0)
    assert sum(report.fewest.counts.values()) == 239_500_800


def test_a_survey_that_is_stopped_has_what_is_known():
    def slow(puzzle, state):
        time.sleep(0.01)
        return puzzlekit.optimal(puzzle, state)

    report = survey(puzzlekit.load("slider:2,3"), slow, phases=["0??/???"], seconds=1)
    assert (report.complete, report.stopped) == (False, "seconds")
    assert report.fewest.states == report.phases[0].lengths.states == 360
    assert 0 < report.lengths.states < 360
    told = []

    def watch(progress):
        told.append((progress.expanded, progress.frontier))
        return progress.frontier == 360 and progress.expanded > 5  # in earlier calls, the states are still being found

    report = survey(puzzlekit.load("slider:2,3"), slow, watch=watch)
    assert (report.complete, report.stopped) == (False, "watch")
    assert told[-1][1] == 360
    report = survey(puzzlekit.load("slider:4,4"), slow_reduction, sample=10**6, seed="1", seconds=0.5)
    assert (report.complete, report.states) == (False, 10**6)
    assert report.lengths.states < 10**6


def slow_reduction(puzzle, state, *, budget, watch):
    time.sleep(0.01)
    return puzzlekit.solvers(puzzle)["reduction"](puzzle, state, budget=budget, watch=watch)


FILE = '''"""A ring of pegs."""

from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap


@dataclass(frozen=True)
class Mine(Puzzle):
    """Four letters on a ring; neighbours change places."""

    id = "mine"

    def rules(self):
        moves = [swap(cell, (cell + 1) % 4).named(str(cell)) for cell in range(4)]
        return Rules("abcd", "abcd", moves, goal="abcd")
'''


def test_the_command_surveys_a_strangers_file(command, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(FILE)
    result = command("survey", str(file), "--solver", "optimal", "--phase", "a???", "--phase", "?b??", "--json")
    assert (result.code, result.err) == (0, "")
    data = json.loads(result.out)
    assert (data["schema"], data["states"], data["solver"]) == ("puzzlekit.survey/1", 24, "optimal")
    # The puzzle swaps neighbours in a ring of four. One state needs no move, four need one, and ten need two.
    histogram = [{"moves": 0, "states": 1}, {"moves": 1, "states": 4}, {"moves": 2, "states": 10}]
    assert data["fewest"]["histogram"][:2] == histogram[:2]
    assert sum(each["states"] for each in data["fewest"]["histogram"]) == 24
    assert data["lengths"] == data["fewest"]
    assert [(phase["pattern"], phase["states"], phase["worst"]) for phase in data["phases"]] == [
        ("a???", 24, 2),
        ("?b??", 6, 2),
    ]
    assert data["phases_worst"] == 4
    shown = command("survey", str(file), "--solver", "optimal", "--phase", "a???")
    assert shown.code == 0
    lines = [line.split() for line in shown.out.splitlines()]
    assert ["excess", "24", "0", "0.000"] in lines
    assert ["a???", "24", "2", "1.000"] in lines
    assert ["sum", "2"] in lines


def test_the_command_stops_at_limits(command):
    result = command("survey", "rotation", "--max-states", "1000")
    assert (result.code, result.out) == (3, "")
    assert "play reaches more than 1,000 states" in result.err
    result = command("survey", "slider:5,5", "--solver", "reduction", "--sample", "1000000", "--seconds", "1", "--json")
    assert result.code == 3
    data = json.loads(result.out)
    assert (data["complete"], data["stopped"], data["sample"]["size"]) == (False, "seconds", 1000000)
    assert 0 < data["lengths"]["states"] < 1000000
    assert "incomplete: stopped after 1 seconds" in result.err


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals to send to one process")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_the_command_with_what_it_has(number, code):
    words = ["survey", "slider:5,5", "--sample", "1000000", "--solver", "reduction", "--json"]
    # On a slow machine, it takes longer until the first states are surveyed, so several waits are tried.
    for patience in (0.8, 2, 5, 12):
        process = Command(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(patience)
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
        if out and json.loads(out)["lengths"]["states"]:
            break
    assert process.returncode == code
    data = json.loads(out)
    assert (data["complete"], data["stopped"]) == (False, "watch")
    assert data["lengths"]["states"] > 0
    assert "interrupted" in err
    assert err.count("\n") == 1


def test_the_line_of_progress():
    assert describe(Progress(states=5000, expanded=100), 1) == "5,000 states found"
    assert describe(Progress(3, 100, 40, 500), 1) == "40/100 states at 3 moves"
    assert describe(Progress(frontier=1000, expanded=250, states=250), 0.5) == "250/1,000 states, 500/s, 2 s left"
    assert describe(Progress(frontier=1000), 0) == "0/1,000 states"


def test_a_machine_without_memory_is_a_sentence(monkeypatch):
    def full(*_):
        raise MemoryError

    monkeypatch.setattr("puzzlekit.run.engine.arrays.ArrayEngine.all_reached", full)
    with pytest.raises(LimitError, match="not enough memory for all states of slider"):
        survey(puzzlekit.load("slider:2,3"))


def last_move(game, state):
    """Makes the last move that can be made."""
    return game.legal_moves(state)[-1:]


def check_game_survey(rules):
    """Compares the survey of a solver of a game with values that a plain search finds."""
    naive = Naive(rules.to_data())
    if not naive.players:
        return 0
    edges = graph(naive)
    states, values = [state for state in edges if edges[state]], plain_values(naive, edges)
    turned = {"win": "loss", "draw": "draw", "loss": "win"}
    became, slower, ends = Counter(), Counter(), Counter()
    for state in states:
        value, left = values.get(state, UNDECIDED)
        # Several moves may have a name: the one with the last name is made, and of its moves the first that can be.
        named = [(naive.data["moves"][move]["name"], after) for move, after in naive.successors(state)]
        last = named[-1][0]
        follower = next(after for name, after in named if name == last)
        got, moves = values.get(follower, UNDECIDED)
        got = got if follower[1] == state[1] else turned[got]
        became[value, got] += 1
        if left is not None:
            ends[left] += 1
        if value == "win" == got:
            slower[moves + 1 - left] += 1
    report = survey(puzzle_of(rules), last_move)
    assert report.states == len(states)
    found = {(kept.value, after): count for kept in report.values for after, count in kept.after.items() if count}
    assert found == dict(became)
    assert (report.fewest.counts if report.fewest else {}) == dict(ends)
    assert (report.excess.counts if report.excess else {}) == dict(slower)
    for kept in report.values:
        assert len(kept.lost_states) == min(kept.lost, 10)
    return sum(kept.lost for kept in report.values)


@pytest.mark.parametrize("name", ["tictactoe", "hexapawn", "mu_torere"])
def test_a_solver_of_a_game(name):
    game = puzzlekit.load(name) if name == "tictactoe" else gallery_game(name)
    assert check_game_survey(game.rules()) > 0


def test_solvers_of_random_games():
    rng = random.Random(5)
    made = [kind(rng) for _ in range(cases(60)) for kind in (lively_rules, layered_rules)]
    assert sum(check_game_survey(rules) for rules in made) > 10


def test_the_points_that_a_solver_loses():
    game = gallery_game("dots_and_boxes")
    worth = {}

    def sign(before, after):
        return 1 if before[-1] == after[-1] else -1  # a move may keep the turn

    def points(state):
        """The points that who is to move can still get, less those of the other, by trying all."""
        if state not in worth:
            after = [game.apply(state, move) for move in game.legal_moves(state)]
            worth[state] = max((sign(state, each) * points(each) for each in after), default=None)
            if worth[state] is None:
                worth[state] = game.solve(state).score
        return worth[state]

    lost = Counter()
    pending, seen = [game.start], {game.start}
    while pending:
        state = pending.pop()
        after = [game.apply(state, move) for move in game.legal_moves(state)]
        if after:
            lost[points(state) - sign(state, after[-1]) * points(after[-1])] += 1
        pending += set(after) - seen
        seen |= set(after)
    report = survey(game, last_move)
    assert report.points_lost.counts == dict(sorted(lost.items()))
    assert report.points_lost.worst > 0


def test_a_sample_of_a_game():
    game = puzzlekit.load("tictactoe")
    report = survey(game, sample=300, seed="a")
    assert report.states == sum(kept.states for kept in report.values) == 300
    assert report.sample.seed == "a"
    again = survey(game, sample=300, seed="a")
    assert again.values == report.values
    assert {kept.value for kept in report.values if kept.states} == {"win", "draw", "loss"}


def test_a_solver_of_a_game_that_names_no_move_is_refused():
    game = puzzlekit.load("tictactoe")
    for names, told in (([], "names no move"), (["z"], "names the move 'z', which cannot be made")):

        def made(_game, _state, names=names):
            return names

        with pytest.raises(PluginError, match=f"the solver made {told} in .*; report it"):
            survey(game, made)


def test_limits_of_the_survey_of_a_game():
    game = puzzlekit.load("tictactoe")
    with pytest.raises(LimitError, match="play reaches more than 100 states"):
        survey(game, max_states=100)

    def slow(game, state):
        time.sleep(0.02)
        return game.legal_moves(state)[:1]

    report = survey(game, slow, seconds=1.5)
    assert (report.complete, report.stopped, report.states) == (False, "seconds", 4520)
    check_same_states(report)


def check_same_states(report):
    """All figures of a survey that was stopped are about the states that were looked at."""
    assert 0 < report.looked_at < report.states
    assert sum(kept.states for kept in report.values) == report.looked_at
    assert sum(kept.answered for kept in report.values) == report.looked_at - report.unanswered
    decided = sum(kept.states for kept in report.values if kept.value != "draw")
    assert (report.fewest.states if report.fewest else 0) == decided


def test_a_survey_of_a_game_that_is_stopped_has_figures_of_what_was_looked_at():
    told = []

    def watch(progress):
        told.append(progress)
        return progress.frontier == 4520 and progress.expanded > 50

    def first(game, state):
        time.sleep(0.002)
        if state[0] == "X":
            raise LimitError("too hard")
        return game.legal_moves(state)[:1]

    report = survey(puzzlekit.load("tictactoe"), first, watch=watch)
    assert report.unanswered > 0
    assert (report.complete, report.stopped, report.states) == (False, "watch", 4520)
    assert (told[-1].frontier, told[-1].expanded) == (4520, report.looked_at)
    check_same_states(report)
    assert _title(report) == (
        f"{report.puzzle}: {report.looked_at:,} of 4,520 states that play can reach, and in which it "
        "goes on; those nearest to the start"
    )


def test_the_points_of_a_game_are_surveyed_with_the_states_that_are_worth_most():
    game = gallery_game("dots_and_boxes")
    report = survey(game, listed=2)
    found = game.values(symmetry=False)
    assert report.fewest is None
    assert sum(report.points.counts.values()) == report.states
    assert all(report.points.counts[each.score] <= each.states for each in found.scores if each.score)
    assert len(report.points.worst_states) == min(2, report.points.counts[report.points.worst])
    assert {game.solve(state).score for state in report.points.worst_states} == {report.points.worst}
    bars = report.bars().bars
    assert [bar.parts[0] for bar in bars] == [
        report.points.counts.get(points, 0) for points in range(min(report.points.counts), report.points.worst + 1)
    ]
