"""Counting backward from goals of several states: distances of the states that play reaches; unsolvable states."""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from dataclasses import dataclass, replace

import pytest

import puzzlekit
from puzzlekit import Grid, Move, Puzzle, Rules, RulesError, count, put, toggle
from puzzlekit.errors import CorruptError
from puzzlekit.run.engine import Engine
from tests import boards
from tests.gallery import FILES
from tests.naive import Naive, plain_search
from tests.profiles import seeds
from tests.support import RunOptions, grain_of, written
from tests.test_jobs import files, kill_and_resume
from tests.test_oracle import lively_rules, reversible_rules, symmetrised
from tests.worth import all_states, values_of_all

KLOTSKI = str(FILES["klotski"])


def distances_of(naive):
    """The distance of each state that play reaches and that can be solved."""
    return {state: moves for state, (_, moves) in values_of_all(naive).items()}


def expected_depths(naive, *, symmetry):
    """The expected depths of a report, and the numbers of states that cannot be solved, up to symmetry and in all."""
    known = distances_of(naive)

    def classes(raw):
        return {naive.canonical(state, swaps=False) for state in raw} if symmetry else set(raw)

    depths = []
    for length in range(max(known.values(), default=0) + 1):
        raw = [state for state, found in known.items() if found == length]
        states = classes(raw)
        ended = Counter(filter(None, map(naive.outcome, states)))
        depths.append((len(states), len(raw), len(states) - ended.total(), dict(ended)))
    left = set(all_states(naive)) - set(known)
    return depths, (len(classes(left)), len(left))


def counted(report):
    """The numbers of a report in the form that `expected_depths` returns."""
    depths = [
        (depth.states, depth.raw_states, depth.open, {name: n for name, n in depth.ended.items() if n})
        for depth in report.depths
    ]
    return depths, (report.unsolvable, report.raw_unsolvable)


def check_distances(rules, widths=(0,)):
    """Compares distances with those of the obvious search, in every way to run. Returns what was expected.

    The first goal is there twice, so that the engine never takes its shorter way for a single goal state.
    """
    rules = replace(rules, goal=[*rules.goal, rules.goal[0]])
    for symmetry in (False, True):
        expected = expected_depths(plain_search(rules), symmetry=symmetry)
        for width in widths:
            engine = Engine(rules, width)
            for threads, grain in ((1, None), (2, (3, 2, 3, 0))):
                options = RunOptions(threads=threads, symmetry=symmetry, backward=True, grain=grain_of(grain))
                report = engine.enumerate("rules", options)
                last = engine.enumerate("rules", replace(options, max_depth=report.max_depth))
                assert (last.complete, counted(last)) == (report.complete, counted(report))
                assert (report.complete, report.backward) == (True, True)
                assert counted(report) == expected, (symmetry, width, threads)
    return expected


def rules_that_lose_nothing(rng):
    """Half of the moves of reversible rules, and jumps that take away. The engine uses inverse moves."""
    rules = reversible_rules(rng)
    a, b = rng.sample(range(rules.cells), 2)
    first, second = rules.symbols[0], rules.symbols[-1]
    jump = Move({a: first, b: second}).when({a: second, b: {first, second}}).when_equal(a, b)
    wanted = count(second, at_least=rng.randint(1, rules.cells))
    goal = [wanted, wanted & {a: second}]
    return replace(rules, moves=[*rules.moves[::2], jump.named("jump")], players="", goal=goal)


def rules_that_lead_back(rng):
    """Each move is undone by one. The engine counts from all goals that play reaches."""
    rules = reversible_rules(rng)
    a, b, *_ = rng.sample(range(rules.cells), rules.cells)
    goals = [{cell: rng.choice(rules.symbols) for cell in cells} for cells in ((a,), (a, b))]
    return replace(rules, players="", goal=goals[: rng.randint(1, 2)])


@pytest.mark.parametrize(
    ("kind", "share"), [(lively_rules, 1), (rules_that_lose_nothing, 0.15), (rules_that_lead_back, 0.3)]
)
@seeds(160, 500)
def test_random_rules(kind, share, seeds):
    found = Counter()
    for seed in seeds[: int(share * len(seeds))]:
        rng = random.Random(seed)
        rules = kind(rng)
        if rules.players or not rules.goal:
            continue
        if seed % 3 == 0:
            symmetric = symmetrised(rules, rng, keep_symbols=rng.random() < 0.5)
            try:
                Engine(symmetric)
            except RulesError as error:  # they change the start so that a count never holds
                assert "never holds" in str(error), error  # noqa: PT017 - all other rules are right
            else:
                rules = symmetric
        depths, unsolvable = check_distances(rules, widths=[rng.choice([0, 128, 257])])
        found["rules"] += 1
        found["deep"] += len(depths) > 2
        found["unsolvable"] += unsolvable[0] > 0 and len(depths) > 1
        found["reduced"] += sum(depth[0] for depth in depths) < sum(depth[1] for depth in depths)
        found["ended"] += any(depth[3] for depth in depths)
        found["back"] += Engine(rules).window == "inverse-closed" and len(depths) > 2
        found["lost"] += unsolvable[0] > 1 and depths[0][0] == 0
    assert found["rules"] > share * len(seeds) / 5
    assert found["deep"] > share * len(seeds) / 50
    assert found["reduced"] > 0
    assert kind is not lively_rules or min(found["unsolvable"], found["ended"]) > len(seeds) / 50
    assert kind is not rules_that_lead_back or (found["back"] > len(seeds) / 50 and found["lost"] > 0)


@pytest.mark.parametrize("name", ["pegs", "hanoi:4", "recolour", "slide:2,3", "dials", "turn:2,2", "lights:2,3,3"])
def test_boards_of_every_shape(name):
    rules = boards.ALL[name]
    goal = [*rules.goal, count(rules.symbols[0], at_least=rules.cells)] if name == "pegs" else list(rules.goal)
    check_distances(replace(rules, goal=goal or [rules.start]))


def test_rules_with_known_distances():
    """A goal state that has a move which loses what it overwrites; and a goal that nothing reaches."""
    moves = [put(cell, symbol) for cell in range(3) for symbol in "abc"]
    depths, unsolvable = check_distances(Rules(symbols="abc", start="aaa", goal=["bcb"], moves=moves))
    assert ([depth[1] for depth in depths], unsolvable) == ([1, 6, 12, 8], (0, 0))
    expected = check_distances(Rules(symbols="abc", start="aa", goal=[{0: "c"}], moves=[put(0, "b"), put(1, "b")]))
    assert expected == ([(0, 0, 0, {})], (4, 4))


@pytest.mark.slow
def test_the_farthest_yard_of_rush_hour_and_the_farthest_klotski(command):
    # Of the 2,332 states of this yard, the start is the farthest from the exit: the database lists such starts.
    report = puzzlekit.load("rush_hour").enumerate(backward=True)
    assert (report.states, report.unsolvable, report.max_depth, report.depths[60].states) == (2332, 0, 60, 1)
    klotski = puzzlekit.load("klotski")
    report, naive = klotski.enumerate(backward=True), Naive(klotski.rules().to_data())
    assert (report.raw_states, report.raw_unsolvable) == (25955, 0)
    known = distances_of(naive)
    assert [depth.raw_states for depth in report.depths] == [n for _, n in sorted(Counter(known.values()).items())]
    assert known[naive.start] == 116  # the well-known number of steps
    assert report.max_depth == max(known.values()) > 116
    printed = command("enumerate", "rush_hour", "--backward")
    assert printed.code == 0
    assert printed.out.splitlines()[0] == "rush_hour, without symmetries, by moves needed to the goal"
    assert [line.split() for line in printed.out.splitlines() if line.startswith("unsolvable")] == [
        ["unsolvable", "0", "0"]
    ]


@dataclass(frozen=True)
class Row(Puzzle):
    """Pegs in a row: a peg jumps over a peg into a hole, until three are left."""

    id = "row"

    def rules(self):
        grid, start = Grid(1, 12), "ooooo.oooooo"
        jumps = [
            Move({a: ".", b: ".", c: "o"}).when({a: "o", b: "o", c: "."}).named(f"{a}-{c}")
            for line in grid.lines(3)
            for a, b, c in (line, line[::-1])
        ]
        return Rules(".o", start, jumps, goal=count("o", at_most=3))


def parse(*_: str) -> Puzzle:
    return Row()


def test_a_job_of_distances_is_resumed_from_every_depth(tmp_path):
    puzzle = Row()
    whole = puzzle.enumerate(backward=True, out=tmp_path / "whole", threads=1)
    assert counted(whole) == counted(puzzle.enumerate(backward=True))
    expected = files(tmp_path / "whole")
    assert ([depth.states for depth in whole.depths], whole.unsolvable) == ([10, 9, 11, 8, 8, 5, 4, 2, 1], 5)
    assert {"manifest.json", "forward/manifest.json", "depth-00000.stuck"} <= set(expected)
    for stop in range(whole.max_depth):
        first = puzzle.enumerate(backward=True, out=tmp_path / str(stop), max_depth=stop, threads=2)
        assert (first.stopped, first.depths, first.unsolvable) == ("max-depth", whole.depths[: stop + 1], None)
        job = puzzlekit.open_job(tmp_path / str(stop), parse)
        resumed = job.resume(max_depth=99)
        assert (counted(resumed), resumed.backward, resumed.complete) == (counted(whole), True, True)
        assert files(tmp_path / str(stop)) == expected
        assert counted(job.resume()) == counted(whole)
        assert job.verify()["complete"]
    job = puzzlekit.open_job(tmp_path / "whole", parse)
    texts = {"".join(cells): moves for (cells, _), moves in distances_of(plain_search(puzzle.rules())).items()}
    assert {hard.state: hard.depth for hard in job.hardest(10**6)} == texts
    assert job.hardest(1)[0].depth == whole.max_depth
    forward = puzzlekit.open_job(tmp_path / "whole" / "forward", parse)
    assert sum(depth["states"] for depth in forward.status()["depths"]) == whole.states + whole.unsolvable


def test_a_job_of_distances_that_is_damaged(tmp_path):
    folder = tmp_path / "job"
    Row().enumerate(backward=True, out=folder, max_depth=1)
    shutil.copytree(folder, tmp_path / "copy")
    (folder / "forward" / "depth-00002.open").unlink()
    for call in (puzzlekit.open_job(folder, parse).verify, puzzlekit.open_job(folder, parse).resume):
        with pytest.raises(CorruptError, match=r"depth-00002.open"):
            call()
    (tmp_path / "copy" / "depth-00001.open").unlink()
    with pytest.raises(CorruptError, match=r"depth-00001.open"):
        puzzlekit.open_job(tmp_path / "copy", parse).resume(max_depth=9)


@pytest.mark.slow
def test_a_job_that_is_killed_comes_out_the_same(tmp_path):
    assert kill_and_resume([KLOTSKI, "--backward", "--no-symmetry"], 8, tmp_path, 1) > 0


@dataclass(frozen=True)
class Dials(Puzzle):
    """Dials that turn one way. The 1,953,125 states of nine are so many that a watch is called several times."""

    id = "dials"
    dials: int = 9

    def rules(self):
        moves = [toggle(cell) for cell in range(self.dials)]
        return Rules("01234", "0" * self.dials, moves, goal=[{0: "3", 1: "3"}, {7: "2"}])


def test_a_watch_stops_both_stages(tmp_path):
    puzzle = Dials()
    seen = []
    whole = puzzle.enumerate(backward=True, threads=1, watch=lambda progress: bool(seen.append(progress)))
    assert (whole.raw_states, whole.raw_unsolvable, whole.max_depth) == (5**9, 0, 4)
    deepest = [max(one.depth for one in seen[: at + 1]) for at in range(len(seen))]
    second = [one.depth < deep for one, deep in zip(seen, deepest, strict=True)]
    assert second.index(True) > 0  # the depth falls once: the first stage goes through 37 depths, the second through 5
    assert all(second[second.index(True) :])
    assert all((one.store_bytes > 0) != later for one, later in zip(seen, second, strict=True))

    first = puzzle.enumerate(backward=True, threads=1, watch=lambda _: True)
    assert (first.stopped, first.depths, first.unsolvable, first.max_depth) == ("watch", (), None, -1)
    most = 0

    def second_stage(progress):
        nonlocal most
        most = max(most, progress.depth)
        return progress.depth < most

    stopped = puzzle.enumerate(backward=True, threads=1, watch=second_stage)
    assert (stopped.stopped, stopped.unsolvable) == ("watch", None)
    assert stopped.depths == whole.depths[: len(stopped.depths)]
    for watch in (lambda _: True, second_stage):
        folder, most = tmp_path / watch.__name__, 0
        kept = puzzle.enumerate(backward=True, threads=1, out=folder, watch=watch)
        assert kept.stopped == "watch"
        resumed = puzzlekit.open_job(folder, lambda *_: puzzle).resume()
        assert counted(resumed) == counted(whole)


def test_memory_that_does_not_do(process, tmp_path):
    path = written(Dials, tmp_path, dials=11)
    result = process("enumerate", path, "--backward", "--threads", "1", "--memory", "80MiB", "--json")
    data = json.loads(result.out)
    assert (result.code, data["depths"], data["max_depth"], data["unsolvable"]) == (3, [], -1, None)
    assert "incomplete: all states have to be found and held first, which needs more memory than" in result.err


def test_what_cannot_be_done_is_said(command):
    sokoban = str(FILES["sokoban"])  # a box cannot be pulled
    for more in ([], ["--dry-run"]):
        refused = command("enumerate", sokoban, "--backward", "--store", "dense", *more)
        assert (refused.code, refused.out) == (2, "")
        assert "counting back from a goal of several states keeps whole states" in refused.err
    plan = command("enumerate", sokoban, "--backward", "--dry-run")
    assert plan.out.startswith("store   sparse: distances to the goal need whole states\n")
    for limits, told in ((["--max-depth", "2"], (None, None, False, 2)), ([], (0, 0, True))):
        data = json.loads(command("enumerate", KLOTSKI, "--backward", "--json", *limits).out)
        keys = ("unsolvable", "raw_unsolvable", "complete", "max_depth")[: len(told)]
        assert tuple(data[key] for key in keys) == told
