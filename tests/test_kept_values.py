"""Values that a job keeps: compared with those in memory and a plain search, interrupted, and with damaged files."""

from __future__ import annotations

import csv
import inspect
import json
import os
import random
import shutil
from collections import Counter
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import puzzlekit
from puzzlekit import (
    CorruptError,
    JobError,
    Move,
    Rules,
    Score,
    Symmetry,
    UnsolvableError,
    UsageError,
    cycle,
    jobs,
    over,
    put,
    toggle,
    win,
)
from puzzlekit.cli.enumerate import Interrupt
from puzzlekit.jobs.kept import KeptStates
from puzzlekit.play.opponent import Opponent
from puzzlekit.puzzle.source import job_folder
from puzzlekit.run.engine import Engine
from puzzlekit.run.job_parts import DepthSpan, JobFolder
from puzzlekit.run.progress import Progress
from tests import boards, gallery
from tests.naive import Naive, plain_search
from tests.profiles import cases
from tests.support import RunOptions, grain_of
from tests.test_jobs import Board, files, kill_and_resume, parse
from tests.test_oracle import layered_rules, lively_rules, random_rules, reversible_rules, symmetrised
from tests.test_values import UNDECIDED, expected, for_points, told, values_of_all, with_goal

VALUED = [name for name, rules in boards.ALL.items() if rules.players or rules.to_data()["goal"]]


def same(report):
    """A report without the parts that differ from run to run."""
    return replace(report, seconds=0.0, peak_memory_bytes=0)


def keep(rules, folder, *, symmetry=True, threads=1):
    """Keeps the values of rules in a folder. Returns the report, and an object that reads the values."""
    engine = Engine(rules)
    options = RunOptions(symmetry=symmetry, threads=threads, store="sparse")
    place = JobFolder(str(folder), "rules")
    report = engine.values("rules", options, None, place)
    assert report.complete
    kept = kept_states(engine, place)
    assert kept.verify(None, None)["values"]["distances"]
    return report, kept


def keep_in_portions(engine, folder, *, symmetry=True, successors=20):
    """Keeps values in a folder. If the rules are layered, a few successors are in memory at a time."""
    options = RunOptions(symmetry=symmetry, threads=2, store="sparse", grain=grain_of((1, 30, 2, successors)))
    return engine.values("rules", options, None, JobFolder(str(folder), "rules"))


def kept_states(engine, place):
    """An object that reads the states of a job. The job may count from the goal."""
    return KeptStates(engine.backward if jobs.status(place.folder)["subject"]["backward"] else engine, place)


def states_hold(rules, kept, *, symmetry):
    """Looks up each state that play reaches, and compares its value with that of a plain search.

    In a game for points, the points by which a player is ahead stand in the place of moves.
    """
    naive, engine = plain_search(rules), Engine(rules)
    states = [state for layer in naive.layers() for state in layer.raw]
    depth_of = {state: depth for depth, layer in enumerate(naive.layers()) for state in layer.raw}
    worth = values_of_all(naive)
    rows = [bytes([*map(naive.symbols.index, cells), *([player] if naive.players else [])]) for cells, player in states]
    looked = kept.look_up()
    values, moves, depths = looked.look_up(b"".join(rows))
    for state, value, distance, depth in zip(states, values, moves, depths, strict=True):
        name, expected_moves = worth.get(state, ("none", None) if looked.backward else UNDECIDED)
        assert ("none", "win", "draw", "loss")[value] == name, state
        assert distance == (-1 if expected_moves is None else abs(expected_moves)), state
        if looked.backward:
            assert depth == distance, state
        else:
            assert depth in ({depth_of[state]} if naive.outcome(state) is None else {-1}), state
    table = {}
    for batch in kept.table(DepthSpan(), 2**16, text=False):
        for at in range(len(batch["depth"])):
            told_moves = batch["score" if rules.score else "distance"][at]
            table[batch["depth"][at], bytes_of(batch["state"], at)] = batch["value"][at], told_moves
    counted = Counter((depth, value, moves) for (depth, _), (value, moves) in table.items())
    if looked.backward and naive.start not in worth:
        # The job has the states that can be solved, and play from the start reaches none of them.
        assert {(value, depth) for depth, value, depth in counted} == {(0, depth) for depth, _, _ in counted}
        return engine
    naive_counted = Counter()
    for depth, layer in enumerate(naive.layers()):
        kept_worth = {naive.canonical(state, swaps=False): worth.get(state, UNDECIDED) for state in layer.raw}
        for state in layer.states if symmetry else layer.raw:
            name, distance = kept_worth[state] if symmetry else worth.get(state, UNDECIDED)
            place = ("win", "draw", "loss").index(name)
            naive_counted[distance if looked.backward else depth, place, -1 if distance is None else distance] += 1
    assert counted == naive_counted
    return engine


def bytes_of(states, at):
    """The bytes of the packed state in row `at` of a batch."""
    return states[at] if states.ndim == 1 else bytes(states[at : at + 1])


def hold_against_naive(rules, folder):
    """Compares the values that a run keeps in a folder, and those that are read from it again, with a plain search."""
    shutil.rmtree(folder, ignore_errors=True)
    naive = plain_search(rules)
    for symmetry in (True, False):
        place = folder / str(symmetry)
        report, kept = keep(rules, place, symmetry=symmetry, threads=2)
        assert told(report) == expected(naive, symmetry=symmetry, backward=report.backward)
        assert same(report) == same(Engine(rules).values("rules", RunOptions(symmetry=symmetry, store="sparse")))
        states_hold(rules, kept, symmetry=symmetry)
        written = files(place)
        again, _ = keep(rules, place, symmetry=symmetry)
        assert (same(again), files(place)) == (same(report), written)
        in_portions = keep_in_portions(Engine(rules), folder / f"portions-{symmetry}", symmetry=symmetry)
        assert (same(in_portions), files(folder / f"portions-{symmetry}")) == (same(report), written)


@pytest.mark.parametrize("name", boards.quickly(VALUED))
def test_boards_of_every_shape(name, tmp_path):
    hold_against_naive(boards.ALL[name], tmp_path / "job")


@pytest.mark.parametrize(
    "text",
    [
        *("tictactoe", "tictactoe:4,3,3", "tictactoe:3,4,4", "tictactoe:4,2,2", "connect_four:4,3,3", "connect_four"),
        *("connect_four:3,5,3", "domineering:4,4", "domineering:3,5", "dots_and_boxes:2,2", "dots_and_boxes:1,3"),
        *("hex:3", "hex:2", "quarto:2,2", "quarto:2,3"),
    ],
)
@pytest.mark.parametrize("distances", [True, False])
def test_values_in_portions_are_those_in_memory(text, distances, tmp_path):
    """Games in which a state tells its depth, in portions of some hundred successors."""
    puzzle = puzzlekit.load(text)
    assert puzzle.engine.window == "layered"
    scored = puzzle.engine.is_scored
    if scored and not distances:
        return
    whole = puzzle.values(out=tmp_path / "whole", store="sparse", distances=distances)
    cut = RunOptions(store="sparse", distances=distances, threads=2, grain=grain_of((1, 500, 4, 700)))
    place = job_folder(puzzle, tmp_path / "cut")
    assert same(puzzle.engine.values(str(puzzle), cut, None, place)) == same(whole)
    assert files(tmp_path / "cut") == files(tmp_path / "whole")


@settings(max_examples=cases(8, 150))
@given(random_rules(), st.randoms(use_true_random=False))
def test_random_rules(tmp_path_factory, rules, rng):
    hold_against_naive(with_goal(rules, rng), tmp_path_factory.getbasetemp() / "random")


@settings(max_examples=cases(10, 200))
@given(st.integers(0, 2**32), st.sampled_from([lively_rules, layered_rules, reversible_rules]))
def test_random_rules_of_each_kind(tmp_path_factory, seed, kind):
    rng = random.Random(seed)
    rules = kind(rng)
    if rng.random() < 0.3:
        rules = symmetrised(rules, rng, keep_symbols=True)
    hold_against_naive(with_goal(rules, rng), tmp_path_factory.getbasetemp() / "kinds")


@settings(max_examples=cases(12))
@given(st.integers(0, 2**32), st.sampled_from([lively_rules, layered_rules, reversible_rules]))
def test_random_games_for_points(tmp_path_factory, seed, kind):
    rng = random.Random(seed)
    rules = kind(rng)
    if rules.players:
        hold_against_naive(for_points(rules, rng), tmp_path_factory.getbasetemp() / "points")


@pytest.mark.parametrize(
    "moves",
    [
        [toggle(0).named("flip"), Move({}).named("pass")],
        [cycle(0, 1, 2).named("on"), cycle(2, 1, 0).named("back")],
        [cycle(0, 1, 2).named("on"), cycle(2, 1, 0).named("back"), toggle(2).named("flip"), Move({}).named("pass")],
    ],
    ids=["pass", "round", "both"],
)
def test_the_same_cells_with_either_player_to_move(moves, tmp_path):
    """After a pass, or after three moves in a circle, the cells are the same, and the other player is to move."""
    rules = Rules("ab", "aab", moves, players="PQ")
    hold_against_naive(rules, tmp_path / "job")
    engine, place = Engine(rules), JobFolder(str(tmp_path / "job" / "True"), "rules", resume=True)
    again = engine.enumerate("rules", RunOptions(store="sparse"), None, place)
    assert again.complete
    assert again.states == sum(depth.states for depth in engine.enumerate("rules", RunOptions()).depths)


def test_a_symmetry_of_cells_that_never_change_counts_for_nothing(tmp_path):
    """The two walls may be exchanged, which carries each state onto itself: a job says so as a run in memory does."""
    step = put(1, "b").when({1: "a"}).named("on")
    rules = Rules("ab", "bab", [step], goal=[{1: "b"}], symmetries=[Symmetry((2, 1, 0))])
    hold_against_naive(rules, tmp_path / "job")
    report, _ = keep(rules, tmp_path / "again")
    assert report.symmetry_order == 1


def goes_round(rules):
    """Returns `True` if play may come back to a state: states are left after removing those without a successor."""
    naive = Naive(rules.to_data())
    states = [state for layer in naive.layers() for state in layer.raw]
    after = {state: {follower for _, follower in naive.successors(state)} for state in states}
    before = {state: [] for state in states}
    for state, followers in after.items():
        for follower in followers:
            before[follower].append(state)
    ends = [state for state, followers in after.items() if not followers]
    taken = 0
    while ends:
        taken += 1
        last = ends.pop()
        for state in before[last]:
            after[state].discard(last)
            if not after[state]:
                ends.append(state)
    return taken < len(states)


def game_with_cycles(seed):
    """Random rules for two players in which play may go round in circles."""
    rng = random.Random(seed)
    while True:
        rules = rng.choice([lively_rules, reversible_rules])(rng)
        if not rules.players:
            continue
        if rng.random() < 0.3:
            rules = symmetrised(rules, rng, keep_symbols=True)
        rules = with_goal(rules, rng)
        if goes_round(rules):
            return rules


@pytest.mark.timeout(3600)  # the thousand cases of the profile `long` take minutes
@settings(max_examples=cases(6, in_long=1000))
@given(st.integers(0, 2**32).map(game_with_cycles))
def test_random_games_with_cycles(tmp_path_factory, rules):
    """Compares random games with a plain search: six, and a thousand with the profile `long`."""
    hold_against_naive(rules, tmp_path_factory.getbasetemp() / "cycles")


def test_random_games_with_cycles_are_worth_a_search():
    """Few of the random games are alike. In many, somebody wins after a while, although some plays go round."""
    games = [game_with_cycles(seed) for seed in range(20, 40)]
    found = [expected(Naive(rules.to_data()))[1] for rules in games]
    assert sum(any(value == "loss" and moves > 1 for value, moves in distances) for distances in found) > 4
    assert len({json.dumps(rules.to_data(), sort_keys=True) for rules in games}) > 17


@dataclass(frozen=True)
class Patterned(puzzlekit.Puzzle):
    """A sliding puzzle of which one tile may be anywhere, so that values spread although all moves can be undone."""

    id = "patterned"
    columns: int = 3

    def rules(self):
        slider = puzzlekit.load(f"slider:2,{self.columns}").rules()
        return replace(slider, goal=[dict(enumerate(slider.to_data()["start"][:-1]))])


@pytest.mark.parametrize("puzzle", [puzzlekit.load("tictactoe:3,3,3"), Patterned()], ids=str)
def test_values_after_a_count_are_those_of_one_run(puzzle, tmp_path):
    whole = puzzle.values(out=tmp_path / "whole")
    for depth in (0, 3, None):
        folder = tmp_path / str(depth)
        puzzle.enumerate(out=folder, store="sparse", max_depth=depth)
        assert same(puzzle.values(out=folder, threads=1)) == same(whole)
        assert files(folder) == files(tmp_path / "whole")
    assert same(puzzlekit.open_job(folder, lambda _: puzzle).values()) == same(whole)


def test_a_watch_may_stop_it_anywhere(tmp_path):
    puzzle = puzzlekit.load("tictactoe:4,4,4")  # large enough that the watch is called many times
    whole = puzzle.values(out=tmp_path / "whole")
    stopped, folder = 0, tmp_path / "job"
    for share in (0, 0.2, 0.5, 1):  # of the values, more than which are known when the run is stopped
        told = []

        def watch(progress, share=share, told=told):
            told.append(progress)
            return progress.wanted > 0 and progress.states > share * progress.wanted

        report = puzzle.values(out=folder, threads=1, watch=watch)
        if report.complete:
            break
        stopped += 1
    assert stopped > 0
    # The last run begins with the values that the one before it kept, and says so.
    assert told[0].states > 0
    assert told[0].wanted > told[0].states
    assert same(report) == same(whole)
    assert files(folder) == files(tmp_path / "whole")


@pytest.mark.parametrize(
    ("puzzle", "kills"), [pytest.param("tictactoe:4,4,4", 5, marks=pytest.mark.slow), ("topspin:10", 1)]
)
def test_a_job_of_values_that_is_killed_comes_out_the_same(puzzle, kills, tmp_path):
    assert kill_and_resume([puzzle], kills, tmp_path, 1, verb="values") > 0


def test_values_that_spread_go_on_from_what_is_kept(tmp_path, command):
    puzzle, folder, whole = Patterned(), tmp_path / "job", tmp_path / "whole"

    def find(*_):
        return puzzle

    report = puzzle.values(out=whole)
    puzzle.enumerate(out=folder, store="sparse")
    kept = []
    # Each attempt has a little more room for files, so the values spread a little further.
    for room in range(1000, 100_000, 100):
        try:
            again = puzzle.values(out=folder, checkpoint=1e-9, disk=room)
            break
        except puzzlekit.DiskError:
            status = jobs.status(folder)
        spread = status["values"].get("spread")
        kept.append(spread["moves"] if spread else 0)
        if spread and not (tmp_path / "damaged").exists():
            assert f"complete, values of up to {spread['moves']} moves\n" in command("status", str(folder)).out
            place = folder / spread["file"]["name"]
            content = place.read_bytes()
            puzzlekit.open_job(folder, find).verify()
            for bad in (content[:-1], bytes([*content[:20], content[20] ^ 4, *content[21:]])):
                place.write_bytes(bad)
                with pytest.raises(CorruptError, match="resume with --drop-partial, which finds the values from the"):
                    puzzle.values(out=folder)
                with pytest.raises(CorruptError):
                    puzzlekit.open_job(folder, find).verify()
            shutil.copytree(folder, tmp_path / "damaged")
            assert same(puzzlekit.open_job(tmp_path / "damaged", find).values(drop_partial=True)) == same(report)
            assert files(tmp_path / "damaged") == files(whole)
            place.write_bytes(content)
    assert kept == sorted(kept)
    assert max(kept) > 2
    assert same(again) == same(report)
    assert files(folder) == files(whole)


@pytest.mark.slow
def test_a_job_of_values_that_spread_and_is_killed_comes_out_the_same(tmp_path):
    path = tmp_path / "patterned.py"
    path.write_text(
        "from dataclasses import dataclass, replace\n\nimport puzzlekit\n\n\n"
        + inspect.getsource(Patterned).replace("columns: int = 3", "columns: int = 4"),
        encoding="utf-8",
    )
    assert kill_and_resume([str(path)], 1, tmp_path, 5, ("--checkpoint", "0.01"), verb="values") > 0


@dataclass(frozen=True)
class Painters(puzzlekit.Puzzle):
    """Two players paint the cells of a row over, or wipe them clean. No move can be undone, and all is one tier.

    For points, each mark is worth one to its player when play is over.
    """

    id = "painters"
    cells: int = 11
    points: bool = False

    def rules(self):
        moves, ends = [], []
        for mark, other in ("XO", "OX"):
            for cell in range(self.cells):
                moves.append(put(cell, mark).when({cell: (".", other)}).by(mark).named(f"{mark}{cell}"))
                moves.append(put(cell, ".").when({cell: ("X", "O")}).by(mark).named(f"wipe{cell}"))
            rows = [dict.fromkeys(range(cell, cell + 3), mark) for cell in range(self.cells - 2)]
            ends += [over(row) if self.points else win(mark, row) for row in rows]
        if not self.points:
            return Rules(".XO", "." * self.cells, moves, players="XO", ends=ends, stuck="draw")
        score = Score("X", {"X": 1}) + Score("O", {"O": 1})
        return Rules(".XO", "." * self.cells, moves, players="XO", ends=ends, score=score, endless=0)


def test_scores_that_spread_go_on_from_what_is_kept(tmp_path, command):
    """Each run has a little more room for files, so it keeps scores until there is no more."""
    puzzle, folder, kept = Painters(6, points=True), tmp_path / "job", []
    whole = puzzle.values(out=tmp_path / "whole")
    puzzle.enumerate(out=folder, store="sparse")
    for room in range(2000, 100_000, 500):
        try:
            again = puzzle.values(out=folder, checkpoint=1e-9, disk=room)
            break
        except puzzlekit.DiskError:
            spread = jobs.status(folder)["values"].get("spread")
        if spread:
            kept.append(spread["decided"])
            assert f"the scores of {kept[-1]:,} states" in command("status", str(folder)).out
            puzzlekit.open_job(folder, lambda *_: puzzle).verify()
    assert kept == sorted(kept)
    assert kept
    assert same(again) == same(whole)
    assert files(folder) == files(tmp_path / "whole")


def test_a_slice_ends_when_its_time_is_over_and_something_is_new(tmp_path, command):
    interrupt = Interrupt(1e-9)
    assert not interrupt.stops(Progress(again=True))
    assert not interrupt.stopped
    assert interrupt.stops(Progress())
    assert interrupt.stopped
    assert not Interrupt().stops(Progress())
    job = str(tmp_path / "job")
    assert command("values", "tictactoe", "--out", job, "--seconds", "1000").code == 0
    refused = command("resume", job, "--seconds", "0")
    assert (refused.code, "--seconds is 0" in refused.err) == (2, True)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_slices_do_not_list_twice_what_leads_to_states(tmp_path, command):
    """There are over 65,536 states, so their successors are kept. Each slice is a little longer."""
    puzzle, folder = Painters(), tmp_path / "job"
    whole = puzzle.values(out=tmp_path / "whole")
    puzzle.enumerate(out=folder, store="sparse")
    seen, listed, told = [], [], set()
    for patience in range(1, 10_000):
        looks = iter(range(patience))
        report = puzzle.values(out=folder, watch=lambda _, looks=looks: next(looks, None) is None)
        if report.complete:
            break
        values = jobs.status(folder)["values"]
        listing = values.get("listing", {"states": 0, "files": []})
        names = [file["name"] for file in listing["files"]]
        assert names[: len(seen)] == seen
        if names and "spread" not in values:
            told.add(f"the successors of {listing['states']:,} states are listed" in command("status", str(folder)).out)
        seen, listed = names, [*listed, listing["states"]]
    assert listed == sorted(listed)
    assert max(listed) > 1 << 16
    assert told == {True}
    assert same(report) == same(whole)
    assert files(folder) == files(tmp_path / "whole")


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("size", ["11,false", "11,true"])
def test_a_job_that_lists_and_is_killed_comes_out_the_same(size, tmp_path):
    path = tmp_path / "painters.py"
    path.write_text(
        "from dataclasses import dataclass\n\n"
        "import puzzlekit\nfrom puzzlekit import Rules, Score, over, put, win\n\n\n" + inspect.getsource(Painters),
        encoding="utf-8",
    )
    assert kill_and_resume([f"{path}:{size}"], 6, tmp_path, 3, ("--checkpoint", "0.01"), verb="values") > 2


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("puzzle", ["tictactoe:4,4,4", "slider"])
def test_fifty_kills(puzzle, tmp_path):
    assert kill_and_resume([puzzle], 50, tmp_path, 2, verb="values") > 5


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("puzzle", ["teeko:4,3", "six_mens_morris", "kalah:3,2"])
def test_kills_of_games_that_go_round_or_keep_the_turn(puzzle, tmp_path):
    """Values spread, and are kept on the way, in the first two; the third is for points."""
    assert kill_and_resume([puzzle], 6, tmp_path, 1, ("--checkpoint", "0.01"), verb="values") > 2


@pytest.mark.parametrize("name", ["nim", "chase"])
def test_a_flipped_byte_is_found_by_a_check(name, tmp_path):
    job = tmp_path / "job"
    Board(name).values(out=job)
    good, rng = files(job), random.Random(5)
    kept = [path for path in sorted(job.iterdir()) if path.suffix in (".values", ".distances")]
    assert kept
    for path in kept:
        content = good[path.name]
        flips = [bytearray(content) for _ in range(10)]
        for flipped in flips:
            flipped[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        for bad in [*map(bytes, flips), content[:-1], b""]:
            path.write_bytes(bad)
            with pytest.raises(CorruptError, match="the job is damaged"):
                puzzlekit.open_job(job, parse).verify()
        path.unlink()
        with pytest.raises(CorruptError, match="the job is damaged"):
            puzzlekit.open_job(job, parse).verify()
        path.write_bytes(content)
    puzzlekit.open_job(job, parse).verify()


def test_without_distances_there_are_values_alone(tmp_path):
    puzzle = puzzlekit.load("tictactoe")
    report = puzzle.values(out=tmp_path / "job", distances=False)
    whole = puzzle.values()
    assert report.depths == whole.depths
    assert (report.distances, report.longest, report.start.moves) == ((), None, None)
    assert not list((tmp_path / "job").glob("*.distances"))
    assert same(puzzlekit.open_job(tmp_path / "job").values()) == same(report)
    puzzlekit.open_job(tmp_path / "job").verify()
    with pytest.raises(JobError, match="keeps no distances; give another folder to keep them"):
        puzzle.values(out=tmp_path / "job", distances=True)
    with pytest.raises(UsageError, match="play may come back to a state of these rules"):
        puzzlekit.load("slider:2,2").values(out=tmp_path / "other", distances=False)
    with pytest.raises(UsageError, match="moves only put marks into empty cells"):
        Patterned(2).values(out=tmp_path / "third", store="dense")


def test_what_values_cannot_go_on_with_is_refused(tmp_path):
    puzzle = Patterned()
    puzzle.enumerate(out=tmp_path / "dense")
    with pytest.raises(JobError, match="bits of the dense store"):
        puzzle.values(out=tmp_path / "dense")
    puzzle.enumerate(out=tmp_path / "backward", backward=True, store="sparse")
    with pytest.raises(JobError, match="counts back from the goal"):
        puzzle.values(out=tmp_path / "backward")
    board = puzzlekit.load("tictactoe")
    board.values(out=tmp_path / "game")
    with pytest.raises(JobError, match="counts states up to symmetry"):
        board.values(out=tmp_path / "game", symmetry=False)
    with pytest.raises(JobError, match="the job has the puzzle"):
        puzzle.values(out=tmp_path / "game")


def test_the_command_keeps_values_and_goes_on(tmp_path, command):
    job = str(tmp_path / "job")
    told_ = command("values", "tictactoe", "--out", job, "--json")
    status = command("status", job)
    assert status.out == "tictactoe: 765 states to depth 9, complete, with values\n"
    resumed = command("resume", job, "--json")
    assert (told_.code, resumed.code) == (0, 0)
    assert '"schema": "puzzlekit.values/1"' in resumed.out
    assert command("verify", job).code == 0
    refused = command("resume", job, "--max-depth", "3")
    assert (refused.code, "values need all depths" in refused.err) == (2, True)
    assert command("values", "tictactoe", "--no-distances").code == 2


@pytest.mark.parametrize("text", ["tictactoe", "tictactoe:3,4,3"])
@pytest.mark.parametrize("symmetry", [True, False])
def test_a_game_is_answered_as_the_search_answers(text, symmetry, tmp_path):
    puzzle = puzzlekit.load(text)
    puzzle.values(out=tmp_path / "job", symmetry=symmetry)
    solver, rng = puzzlekit.open_job(tmp_path / "job").solver, random.Random(7)
    for _ in range(8):
        state = puzzle.start
        while moves := puzzle.legal_moves(state):
            searched = puzzle.solve(state, distance=True)
            found = puzzle.solve(state, solver)
            assert (found.value, found.best, found.optimal) == (searched.value, searched.best, True)
            if found.value != "draw":
                assert found.length == searched.length
            state = puzzle.apply(state, rng.choice(moves))
        assert puzzle.solve(state, solver).moves == ()


def test_games_of_the_gallery_are_answered(tmp_path):
    for text in ("mu_torere", "hexapawn:3,3", "nim:3,4,5"):
        puzzle = gallery.load(text)
        puzzle.values(out=tmp_path / puzzle.id)
        solver = puzzlekit.open_job(tmp_path / puzzle.id, lambda _, puzzle=puzzle: puzzle).solver
        searched, found = puzzle.solve(puzzle.start, distance=True), puzzle.solve(puzzle.start, solver)
        assert (found.value, found.best) == (searched.value, searched.best)


@pytest.mark.parametrize(
    ("text", "backward", "store"),
    [
        ("slider:2,3", False, "auto"),
        ("slider:2,3", True, "sparse"),
        ("slider:2,3", True, "dense"),
        ("rotate:2,3", True, "dense"),
        ("flipit:3,3", True, "dense"),
        ("flipit:3,3", True, "sparse"),
    ],
)
def test_a_puzzle_is_solved_from_its_job(text, backward, store, tmp_path):
    puzzle, job = puzzlekit.load(text), tmp_path / "job"
    if backward:
        assert puzzle.enumerate(out=job, backward=True, store=store).store == store
    else:
        puzzle.values(out=job)
    opened = puzzlekit.open_job(job)
    solver = opened.solver
    for seed in range(40):
        state = puzzle.scramble(seed=f"{seed}").state
        searched, found = puzzle.solve(state), puzzle.solve(state, solver)
        assert (found.length, found.optimal, found.solver) == (searched.length, True, "job")
    _, moves, _ = opened.look_up(puzzle.arrays.encode([puzzle.start]))
    assert list(moves) == [puzzle.solve(puzzle.start).length]


@pytest.mark.parametrize(
    ("text", "backward", "store"),
    [
        ("tictactoe:3,4,3", False, "sparse"),
        ("tictactoe:3,4,3", False, "dense"),
        ("slider:2,3", False, "sparse"),
        ("slider:2,4", True, "sparse"),
        ("slider:2,4", True, "dense"),
    ],
)
def test_many_states_are_looked_up_as_each_by_itself(text, backward, store, tmp_path):
    """The states come in any order, some of them twice, and some are not in the job."""
    puzzle, job, rng = puzzlekit.load(text), tmp_path / "job", random.Random(6)
    if backward:
        puzzle.enumerate(out=job, backward=True, store=store)
    else:
        puzzle.values(out=job, store=store)
    rows = [bytes(puzzle.arrays.encode([puzzle.start]))]
    width = len(rows[0])
    for _ in range(400):
        children = bytes(puzzle.arrays.expand(rng.choice(rows))[0])
        at = width * rng.randrange(max(len(children) // width, 1))
        rows.append(children[at : at + width] or rows[0])
    cells = width - puzzle.engine.is_game
    rows.extend(bytes(rng.sample(row[:cells], cells)) + row[cells:] for row in rows[-200:])
    rng.shuffle(rows)
    opened = puzzlekit.open_job(job)
    together = list(zip(*opened.look_up(b"".join(rows)), strict=True))
    apart = [tuple(column[0] for column in opened.look_up(row)) for row in rows]
    assert together == apart
    assert len({value for value, _, _ in together}) > 1


def test_a_puzzle_is_solved_from_values_without_distances(tmp_path):
    """The puzzle has goals after two moves and after four. The solver finds a solution, and calls none the shortest."""

    @dataclass(frozen=True)
    class Marks(puzzlekit.Puzzle):
        id = "marks"

        def rules(self):
            marks = [put(cell, mark).when({cell: "."}).named(f"{mark}{cell}") for cell in range(4) for mark in "ab"]
            goal = [{1: "a", 2: "a"}, dict.fromkeys(range(4), "b")]
            return Rules(symbols=".ab", start="....", goal=goal, moves=marks)

    puzzle = Marks()
    puzzle.values(out=tmp_path / "job", distances=False)
    solver = puzzlekit.open_job(tmp_path / "job", lambda _: puzzle).solver
    for state, shortest in (("....", 2), ("b...", 2), (".b..", 3), ("bb.b", 1), ("..aa", 1), ("aab.", None)):
        if shortest is None:
            with pytest.raises(UnsolvableError):
                puzzle.solve(state, solver)
        else:
            found = puzzle.solve(state, solver)
            # The numbers of marks bound the moves, too, and so may prove a length.
            assert found.length == shortest if found.optimal else found.length >= shortest
            assert puzzle.is_solved(_after(puzzle, state, found.moves))


def _after(puzzle, state, moves):
    for move in moves:
        state = puzzle.apply(state, move)
    return state


def test_states_at_every_bit_of_a_dense_count_are_found(tmp_path):
    for name in ("slide:2x3", "turn:2x3", "colours:2x4", "lights:3x3", "burnt:4"):
        puzzle, job = Board(name), tmp_path / name
        if not puzzle.rules().to_data()["goal"]:
            continue
        puzzle.enumerate(out=job, backward=True, store="sparse", symmetry=False)
        dense = tmp_path / f"{name}-dense"
        try:
            puzzle.enumerate(out=dense, backward=True, store="dense", symmetry=False)
        except puzzlekit.PuzzlekitError:
            continue
        rows = []
        puzzlekit.open_job(job, parse).export(tmp_path / f"{name}.csv", text=True)
        with (tmp_path / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
            rows = [(row["text"], int(row["depth"])) for row in csv.DictReader(lines)]
        encoded = puzzle.arrays.encode([text for text, _ in rows])
        for folder in (job, dense):
            values, moves, depths = puzzlekit.open_job(folder, parse).look_up(encoded)
            assert list(moves) == list(depths) == [depth for _, depth in rows]
            assert set(values) == {1}


def test_a_state_that_the_job_does_not_have(tmp_path, command):
    # Slides reach half of all arrangements, and `odd` is in the other half. A job that counts backward has all states
    # that can reach the goal, so it tells that `odd` cannot.
    puzzle, odd = Board("slide:2x3"), "021/345"
    for store in ("sparse", "dense"):
        puzzle.enumerate(out=tmp_path / store, backward=True, store=store)
        with pytest.raises(UnsolvableError, match="the job has all states that can reach it"):
            puzzle.solve(odd, puzzlekit.open_job(tmp_path / store, parse).solver)
    # Values that are found by a count backward tell it, too. Other values are known only for states that play reaches.
    puzzle.values(out=tmp_path / "job")
    with pytest.raises(UnsolvableError, match="the job has all states that can reach it"):
        puzzle.solve(odd, puzzlekit.open_job(tmp_path / "job", parse).solver)
    Patterned().values(out=tmp_path / "spread")
    with pytest.raises(JobError, match="does not have the state 021/345"):
        Patterned().solve(odd, puzzlekit.open_job(tmp_path / "spread", lambda *_: Patterned()).solver)
    command("values", "tictactoe", "--out", str(tmp_path / "game"))
    unreached = command("solve", "tictactoe", "XXX/OO./...:O", "--job", str(tmp_path / "game"))
    assert unreached.code == 0
    lost = command("solve", "tictactoe", "X../.../...:X", "--job", str(tmp_path / "game"))
    assert (lost.code, "does not have the state" in lost.err) == (2, True)
    wrong = command("solve", "slider:2,3", "--job", str(tmp_path / "game"))
    assert (wrong.code, "is one of tictactoe, not of slider:rows=2,columns=3" in wrong.err) == (2, True)
    answer = json.loads(command("solve", "tictactoe", "XO./.../...", "--job", str(tmp_path / "game"), "--json").out)
    assert (answer["value"], answer["solver"], answer["length"]) == ("win", "job", 5)
    unknown = tmp_path / "unknown"
    puzzlekit.load("slider:2,3").enumerate(out=unknown, store="sparse")
    assert command("solve", "slider:2,3", "--job", str(unknown)).code == 2


def test_a_flipped_byte_is_found_by_a_look_up(tmp_path):
    puzzle, job = puzzlekit.load("tictactoe:3,3,3"), tmp_path / "job"
    puzzle.values(out=job)
    state = "XO./.../...:X"
    rows, rng = puzzle.arrays.encode([state]), random.Random(9)
    known = [list(column) for column in puzzlekit.open_job(job).look_up(rows)]
    assert known == [[1], [5], [2]]
    for name in ("depth-00002.values", "depth-00002.distances", "depth-00002.open"):
        content = (job / name).read_bytes()
        for at in rng.sample(range(len(content)), min(25, len(content))):
            flipped = bytearray(content)
            flipped[at] ^= 1 << rng.randrange(8)
            (job / name).write_bytes(flipped)
            with pytest.raises(CorruptError, match="the job is damaged"):
                puzzlekit.open_job(job).look_up(rows)
        (job / name).write_bytes(content)
    assert [list(column) for column in puzzlekit.open_job(job).look_up(rows)] == known


@pytest.mark.parametrize(
    ("text", "store"), [("slider:2,3", "dense"), ("slider:2,3", "sparse"), ("flipit:3,3", "dense")]
)
def test_a_flipped_byte_is_found_by_a_look_up_of_a_distance(text, store, tmp_path):
    puzzle, job, rng = puzzlekit.load(text), tmp_path / "job", random.Random(4)
    puzzle.enumerate(out=job, backward=True, store=store)
    assert list(job.glob("*.sums"))
    hard = puzzlekit.open_job(job).hardest(1)[0]
    rows, good = puzzle.arrays.encode([hard.state]), files(job)
    assert list(puzzlekit.open_job(job).look_up(rows)[1]) == [hard.depth]
    of_depth = [name for name in good if name.startswith(f"depth-{hard.depth:05}.")]
    assert f"depth-{hard.depth:05}.sums" in of_depth
    assert len(of_depth) == 2
    for name in of_depth:
        content = good[name]
        for at in range(len(content)):
            # A stretch of bits begins with its number and its length, 12 bytes. The `.sums` file has both, too, so a
            # look-up does not read them here and cannot notice a change.
            if name.endswith(".states") and at < 12:
                continue
            flipped = bytearray(content)
            flipped[at] ^= 1 << rng.randrange(8)
            (job / name).write_bytes(flipped)
            with pytest.raises(CorruptError, match="the job is damaged"):
                puzzle.solve(hard.state, puzzlekit.open_job(job).solver)
            if at % 7 == 0:
                with pytest.raises(CorruptError, match="the job is damaged"):
                    puzzlekit.open_job(job).verify()
        (job / name).write_bytes(content)
    assert puzzle.solve(hard.state, puzzlekit.open_job(job).solver).length == hard.depth
    puzzlekit.open_job(job).verify()


def test_play_takes_its_hints_from_a_job(tmp_path, command):
    job = str(tmp_path / "job")
    command("values", "slider:2,3", "--out", job)
    played = command("play", "slider:2,3", "--seed", "2", "--job", job, given="hint\nhint 1\nquit\n")
    assert played.code == 0
    assert "Hint: " in played.out
    assert "left at best" in played.out


def test_exports_have_values_and_distances(tmp_path, command):
    pq, np = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("numpy")
    job = tmp_path / "job"
    command("values", "tictactoe", "--out", str(job))
    for form in ("parquet", "csv", "npy"):
        assert command("export", str(job), "--to", str(tmp_path / f"a.{form}")).code == 0
    table = pq.read_table(tmp_path / "a.parquet").to_pydict()
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert list(rows[0]) == ["depth", "state", "orbit_size", "outcome", "value", "distance"] == list(table)
    assert [row["value"] for row in rows] == table["value"]
    assert [int(row["distance"]) if row["distance"] else None for row in rows] == table["distance"]
    array = np.load(tmp_path / "a.npy")
    assert [("win", "draw", "loss")[value] for value in array["value"].tolist()] == table["value"]
    assert [None if moves < 0 else moves for moves in array["distance"].tolist()] == table["distance"]
    assert Counter(table["value"]) == {"win": 390, "draw": 151, "loss": 224}
    assert Counter(row["distance"] for row in rows)["5"] == 18
    streamed = pytest.importorskip("pyarrow").table(puzzlekit.open_job(job).states()).to_pydict()
    assert streamed == table


@pytest.mark.parametrize("text", ["tictactoe", "tictactoe:3,4,3", "mu_torere", "hexapawn:3,3", "connect_four:3,4"])
def test_an_opponent_sees_in_a_job_what_it_would_search(text, tmp_path):
    game = puzzlekit.load(text) if text.startswith("tictactoe") else gallery.load(text)
    game.values(out=tmp_path / "job")
    solver, rng = puzzlekit.open_job(tmp_path / "job", lambda *_: game).solver, random.Random(11)
    compared = 0
    for _ in range(12):
        state = game.start
        while (moves := game.legal_moves(state)) and compared < 40:
            for ahead in (1, 2, 4, 8):
                reached, seen = game.engine.foresee(state, ahead, 2_000_000)
                assert reached == ahead
                assert sorted(map(repr, solver.foresee(game.engine, state, ahead))) == sorted(map(repr, seen)), state
            for strength in range(1, 6):
                with_job = Opponent(strength, "a seed", solver)._equals(game, state, 10**6)
                if strength < 5:
                    assert sorted(with_job) == sorted(Opponent(strength, "a seed")._equals(game, state, 10**6))
                else:
                    assert set(with_job) == set(game.solve(state, distance=True).best)
            compared += 1
            state = game.apply(state, rng.choice(moves))
    assert compared > 20


def test_an_opponent_needs_no_search_with_a_job(tmp_path, command, monkeypatch):
    """With a job, opponents of all strengths answer without a search. Without distances, weaker ones must search."""
    game, job = puzzlekit.load("tictactoe"), str(tmp_path / "job")
    command("values", "tictactoe", "--out", job)
    command("values", "tictactoe", "--out", str(tmp_path / "plain"), "--no-distances")
    plain = puzzlekit.open_job(tmp_path / "plain").solver
    assert plain.foresee(game.engine, "XO./.../...:X", 8) is None
    assert Opponent(1, "a", plain).choose(game, "XX./OO./...:X") == "2"
    assert puzzlekit.open_job(job).solver.foresee(game.engine, "X../.../...:X", 8) is None  # nobody can be there

    def searched(*_, **__):
        raise AssertionError("a search")

    monkeypatch.setattr(Engine, "foresee", searched)
    monkeypatch.setattr(Engine, "solve", searched)
    for strength in "12345":
        arguments = ("play", "tictactoe", "--strength", strength, "--seed", "3", "--job", job)
        played = command(*arguments, "--max-states", "1", given="0\nquit\n")
        assert (played.code, "I play " in played.out) == (0, True)
    # Perfect play takes the win that is nearest.
    assert Opponent(5, "a", puzzlekit.open_job(job).solver).choose(game, "XX./OO./...:X") == "2"
    with pytest.raises(AssertionError, match="a search"):
        Opponent(3, "a").choose(game, game.start)


def test_states_that_do_not_fit_are_in_a_temporary_folder(tmp_path, process):
    def values(*more):
        words = ("values", "connect_four:4,5", "--threads", "1", "--json", *more)
        return process(*words, environment=os.environ | {"TMPDIR": str(tmp_path)})

    whole = values()
    assert (whole.code, "do not fit" in whole.err) == (0, False)
    whole = json.loads(whole.out)
    for mebibytes in range(28, 204, 8):  # at first, not even a portion fits
        made = values("--memory", f"{mebibytes}MiB")
        if made.code == 0 and "the states do not fit the memory, so they are in " in made.err:
            break
    else:
        pytest.fail("no memory was too little for all states and enough for some")
    found = json.loads(made.out)
    assert found["raw_states"] == whole["raw_states"] == 3_945_711
    assert found["depths"] == whole["depths"]
    assert list(tmp_path.iterdir()) == []
