"""Values of games whose states lie in tiers: compared with a plain search, in memory, in jobs, in little memory."""

from __future__ import annotations

import json
import random
import shutil
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import puzzlekit
from puzzlekit import Beside, Copy, CorruptError, End, Grid, LimitError, Move, Puzzle, Rules, jobs, put, swap, win
from puzzlekit.jobs.kept import KeptStates
from puzzlekit.puzzle.declaration import made
from puzzlekit.run.engine import Engine
from puzzlekit.run.job_parts import JobFolder
from puzzlekit.run.memory import held_bytes
from tests import gallery
from tests.naive import Naive, plain_search
from tests.profiles import cases, seeds
from tests.support import RunOptions, grain_of
from tests.test_jobs import files
from tests.test_kept_values import goes_round, same, states_hold
from tests.test_oracle import symmetrised
from tests.test_values import compare, expected, told

# Sizes of parts with which each file has as few tiers as possible, and is read by itself.
FINELY = grain_of((0, 1, 1, 0))


def settle(rows: int, columns: int, line: int) -> Rules:
    """Each player puts a mark into an empty cell, or slides one to an empty cell beside it. A line wins."""
    grid = Grid(rows, columns)
    moves = [put(cell, mark).when({cell: "."}).by(mark).named(f"put {cell}") for mark in "XO" for cell in grid]
    moves += [
        swap(a, b).when({a: mark, b: "."}).by(mark).named(f"{a} to {b}") for mark in "XO" for a, b, _ in grid.steps()
    ]
    return Rules(
        symbols=".XO",
        start="." * grid.cells,
        players="XO",
        moves=moves,
        ends=[win(mark, dict.fromkeys(cells, mark)) for mark in "XO" for cells in grid.lines(line)],
        stuck="draw",
        symmetries=grid.symmetries(),
    )


@dataclass(frozen=True)
class Settle(Puzzle):
    """The game of `settle` as a puzzle."""

    id = "settle"
    rows: int = 3
    columns: int = 3
    line: int = 3

    def rules(self) -> Rules:
        return settle(self.rows, self.columns, self.line)


def parse(text: str) -> Puzzle:
    return made(Settle, text.partition(":")[2])


def tiered_rules(rng: random.Random) -> Rules:
    """Random rules with placements, slides and captures, in which play may go round in circles within a tier."""
    while True:
        rules = any_tiered_rules(rng)
        engine = Engine(rules)
        if engine.tiers > 1 and engine.window != "layered" and goes_round(rules):
            return rules


def any_tiered_rules(rng: random.Random) -> Rules:
    cells, moves = rng.randint(3, 4), []
    for place in range(rng.randint(4, 8)):
        player = rng.choice("PQ")
        own, other = ("x", "y") if player == "P" or rng.random() < 0.2 else ("y", "x")
        a, b, c = rng.sample(range(cells), 3)
        kinds = [
            put(a, own).when({a: "."}),
            swap(a, b).when({a: own, b: "."}),
            swap(a, b).when({a: own, b: "."}),
            Move(then={a: ".", b: "#", c: own}).when({a: own, b: other, c: "."}),
            Move(then={a: ".", b: own}).when({a: own, b: other}),
            put(b, own).when({a: own}),
            Move(then={b: Copy(b, {".": ".", "x": "#", "y": "y", "#": "#"})}).when({a: own}),
        ]
        moves.append(rng.choice(kinds).by(player).named(f"m{place}"))
    ends = [
        End(
            rng.choice(["P", "Q", "P", "Q", "draw"]),
            {cell: rng.choice("xy#") for cell in rng.sample(range(cells), size)},
        )
        for size in rng.choices([1, 2], k=rng.randint(1, 2))
    ]
    rules = Rules(
        symbols=".xy#",
        start="." * cells,
        players="PQ",
        moves=moves,
        ends=ends,
        stuck=rng.choice(["draw", "win", "loss"]),
    )
    return symmetrised(rules, rng, keep_symbols=rng.random() < 0.7) if rng.random() < 0.4 else rules


def tiered(seed: int) -> Rules:
    return tiered_rules(random.Random(seed))


@settings(max_examples=cases(10, in_long=1000))
@given(st.integers(0, 2**32).map(tiered))
def test_random_tiers(rules):
    """Compares random rules with a plain search; a thousand of them with the profile `long`."""
    compare(rules)


@settings(max_examples=cases(5, in_long=1000))
@given(st.integers(0, 2**32).map(tiered))
def test_random_tiers_that_are_kept(tmp_path_factory, rules):
    """Each state is looked up. The files are the same for all sizes of the parts in which tiers are worked on."""
    naive, folder = plain_search(rules), tmp_path_factory.getbasetemp() / "tiers"
    shutil.rmtree(folder, ignore_errors=True)
    for symmetry in (True, False):
        written = []
        for grain in (None, FINELY):
            place = JobFolder(str(folder / f"{symmetry}-{grain is None}"), "rules")
            engine = Engine(rules)
            options = RunOptions(symmetry=symmetry, threads=1, store="sparse", grain=grain)
            report = engine.values("rules", options, None, place)
            assert told(report) == expected(naive, symmetry=symmetry)
            written.append(files(folder / f"{symmetry}-{grain is None}"))
        states_hold(rules, KeptStates(engine, place), symmetry=symmetry)
        assert written[0] == written[1]


def weighed_rules(rng: random.Random) -> Rules:
    """Random rules in which weights alone prove that play never comes back to a state."""
    while True:
        rules = any_tiered_rules(rng)
        engine = Engine(rules)
        if engine.never_repeats and engine.window != "layered" and len(rules.ends) < 3:
            assert not goes_round(rules)
            return rules


@settings(max_examples=cases(10, in_long=1000))
@given(st.integers(0, 2**32).map(lambda seed: weighed_rules(random.Random(seed))))
def test_random_play_that_never_comes_back(rules):
    compare(rules)


def test_breakthrough_is_found_level_by_level_and_by_alpha_beta(tmp_path):
    game = gallery.load("breakthrough:3,3,1")
    assert game.engine.never_repeats
    assert game.engine.tiers > 8
    compare(game.rules())
    game = gallery.load("breakthrough:4,3,1")
    report = game.values(symmetry=False, out=tmp_path / "job")
    assert (report.start.value, report.start.moves) == ("win", 9)
    job = puzzlekit.open_job(tmp_path / "job")
    rng = random.Random(5)
    for _ in range(10):
        state = game.start
        while game.outcome(state) is None:
            found, kept = game.solve(state, distance=True), game.solve(state, job.solver)
            assert (found.value, found.length, found.best) == (kept.value, kept.length, kept.best)
            state = game.apply(state, rng.choice(game.legal_moves(state)))


@seeds(12, 40)
def test_random_tiers_are_worth_a_search(seeds):
    """Few of the random rules are alike. In many, somebody wins after a while, although some plays go round."""
    games = [tiered(seed) for seed in seeds]
    found = [expected(Naive(rules.to_data()))[1] for rules in games]
    assert (
        sum(any(value == "loss" and moves > 1 for value, moves in distances) for distances in found) > len(seeds) / 10
    )
    assert len({json.dumps(rules.to_data(), sort_keys=True) for rules in games}) > 0.85 * len(seeds)
    assert sum(Engine(rules).tiers > 4 for rules in games) > len(seeds) / 4


def morris() -> Rules:
    """Three men's morris: three stones each are put on the board, one after the other, and then moved to neighbours."""
    grid = Grid(3, 3)
    board = Beside(grid, 2)
    hand, moves = dict(zip("XO", board.extra, strict=True)), []
    for own in "XO":
        for cell in grid:
            drops = [Move({cell: own, hand[own]: left - 1}).when({cell: ".", hand[own]: left}) for left in (1, 2, 3)]
            moves += [drop.named(cell).by(own) for drop in drops]
        for a, b, _ in grid.steps():
            moves.append(swap(a, b).when({a: own, b: ".", hand[own]: 0}).named(f"{a}-{b}").by(own))
    return Rules(
        symbols=".XO0123",
        start=".../.../.../33",
        moves=moves,
        players="XO",
        ends=[win(own, dict.fromkeys(line, own)) for own in "XO" for line in grid.lines(3)],
        stuck="loss",
        board=board,
        symmetries=board.symmetries(),
    )


def morris_with_stones_in_hand() -> Rules:
    """The game with three cells for each hand, so that moves change no number of symbols: stones only change cells."""
    grid, moves = Grid(3, 3), []
    for own, first in (("X", 9), ("O", 12)):
        for cell in grid:
            for at in range(first, first + 3):
                taken = {at - 1: "."} if at > first else {}
                moves.append(swap(at, cell).when({at: own, cell: ".", **taken}).named(f"{at} {cell}").by(own))
        for a, b, _ in grid.steps():
            moves.append(swap(a, b).when({a: own, b: ".", first + 2: "."}).named(f"{a}-{b}").by(own))
    ends = [win(own, dict.fromkeys(line, own)) for own in "XO" for line in grid.lines(3)]
    return Rules(symbols=".XO", start="." * 9 + "XXXOOO", moves=moves, players="XO", ends=ends, stuck="loss")


@pytest.mark.slow
def test_three_mens_morris():
    """The player who begins wins. Each stone that is put makes a tier, whether hands hold numbers or stones."""
    rules = morris()
    naive = compare(rules)
    # Six stones are put, and then play goes round. Numbers tell less than that: for them, one hand may lend the other.
    assert min(Engine(rules).tiers, Engine(morris_with_stones_in_hand()).tiers) > 6
    reports = [Engine(of).values("morris", RunOptions(symmetry=False)) for of in (rules, morris_with_stones_in_hand())]
    assert reports[0].start == reports[1].start
    assert reports[0].start.value == expected(naive)[2][0] == "win"
    assert reports[0].depths == reports[1].depths
    assert reports[0].distances == reports[1].distances


@pytest.mark.parametrize(
    ("rows", "columns", "line"),
    [(2, 3, 3), *(pytest.param(*board, marks=pytest.mark.slow) for board in ((2, 4, 3), (3, 3, 3)))],
)
def test_games_that_place_and_slide(rows, columns, line):
    rules = settle(rows, columns, line)
    assert Engine(rules).tiers > rows * columns
    compare(rules)


def test_marks_that_only_change_places_have_one_tier():
    assert Engine(puzzlekit.load("slider").rules()).tiers == 1
    assert Engine(replace(settle(2, 2, 2), moves=settle(2, 2, 2).moves[:8])).tiers > 4


def test_little_memory_makes_the_same_files(tmp_path):
    puzzle = Settle(3, 4)
    whole = puzzle.values(out=tmp_path / "whole", threads=1)
    puzzle.enumerate(out=tmp_path / "counted", store="sparse")
    read = set()
    for mebibytes in (0.125, 0.25, 1, 3, 6, 9):
        folder = tmp_path / str(mebibytes)
        shutil.copytree(tmp_path / "counted", folder)
        watched = []
        try:
            report = puzzle.values(
                out=folder,
                threads=1,
                memory=held_bytes() + int(mebibytes * 2**20),
                watch=lambda progress, watched=watched: watched.append(progress.states),
            )
        except LimitError as error:
            # The second sentence comes if the process has taken some more memory since it was asked.
            said = ("states of a tier, with the later ones to which it leads, take", "and the process holds")
            assert any(sentence in str(error) for sentence in said), error  # noqa: PT017
            read.add(None)
            continue
        assert same(report) == same(whole)
        assert files(folder) == files(tmp_path / "whole")
        read.add(mebibytes)
    # An eighth of a mebibyte is too little for the largest tier. With a few mebibytes, only some tiers are in memory at
    # once.
    assert None in read
    assert {6, 9} <= read


def test_a_job_that_is_stopped_shows_its_tiers_and_goes_on(tmp_path, command):
    puzzle, folder = Settle(3, 3), tmp_path / "job"
    whole = puzzle.values(out=tmp_path / "whole")
    puzzle.enumerate(out=folder, store="sparse")
    kept = []
    # Each attempt has a little more room for files, so a few more tiers are kept.
    states = sum(path.stat().st_size for path in folder.glob("depth-*"))
    for room in range(states, states + 100_000, 400):
        try:
            report = puzzle.values(out=folder, disk=room)
            break
        except puzzlekit.DiskError:
            status = jobs.status(folder)
        if status["values"].get("tiers"):
            kept.append(len(status["values"]["tiers"]["done"]))
            if kept[-1] and not status["values"]["depths"]:
                count, first = status["values"]["tiers"]["count"], status["values"]["tiers"]["done"][-1]["first"]
                assert f"complete, values of {count - first} of {count} tiers" in command("status", str(folder)).out
        if kept and kept[-1] > 1 and not (tmp_path / "damaged").exists():
            puzzlekit.open_job(folder, parse).verify()
            place = folder / status["values"]["tiers"]["done"][-1]["file"]["name"]
            content = place.read_bytes()
            place.write_bytes(bytes([*content[:-60], content[-60] ^ 4, *content[-59:]]))
            with pytest.raises(CorruptError):
                puzzlekit.open_job(folder, parse).verify()
            with pytest.raises(CorruptError, match="resume with --drop-partial, which finds the values from the"):
                puzzle.values(out=folder)
            shutil.copytree(folder, tmp_path / "damaged")
            again = puzzlekit.open_job(tmp_path / "damaged", parse).values(drop_partial=True)
            assert same(again) == same(whole)
            assert files(tmp_path / "damaged") == files(tmp_path / "whole")
            place.write_bytes(content)
    assert kept == sorted(kept)
    assert max(kept) > 3
    assert same(report) == same(whole)
    assert files(folder) == files(tmp_path / "whole")
