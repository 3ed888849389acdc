"""Values that a job keeps: compared with those in memory and a plain search, interrupted, and with damaged files."""

from __future__ import annotations

import csv
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
    DiskError,
    Grid,
    JobError,
    LimitError,
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
    swap,
    toggle,
    win,
)
from puzzlekit.cli.enumerate import Interrupt
from puzzlekit.play.opponent import Opponent
from puzzlekit.puzzle.source import job_folder
from puzzlekit.run.engine import Engine
from puzzlekit.run.job_parts import JobFolder
from puzzlekit.run.memory import held_bytes
from puzzlekit.run.progress import Progress
from tests import boards
from tests.naive import Naive
from tests.profiles import cases
from tests.support import RunOptions, grain_of, written
from tests.test_dense import placements
from tests.test_jobs import Board, files, kill_and_resume, parse
from tests.worth import KINDS, hold_against_naive, random_kind, same, values_of_all

VALUED = [name for name, rules in boards.ALL.items() if rules.players or rules.to_data()["goal"]]


TICTACTOE = puzzlekit.load("tictactoe:3,3,3")


def opened(folder, puzzle):
    """The job of a folder, whose puzzle no plugin has."""
    return puzzlekit.open_job(folder, lambda *_: puzzle)


@pytest.mark.parametrize("name", boards.quickly(VALUED))
def test_boards_of_every_shape(name, tmp_path):
    hold_against_naive(boards.ALL[name], tmp_path / "job")


@pytest.mark.timeout(3600)  # the many cases of the profile `long` take minutes
@pytest.mark.parametrize(
    ("kind", "store"), [("drawn", "sparse"), *((kind, "sparse") for kind in KINDS), ("one goal", "auto")]
)
@settings(max_examples=cases(4, 300))
@given(data=st.data())
def test_random_rules(tmp_path_factory, kind, store, data):
    hold_against_naive(data.draw(random_kind(kind)), tmp_path_factory.getbasetemp() / "random", store=store)


@settings(max_examples=cases(40))
@given(placements())
def test_random_placements_in_bits(tmp_path_factory, rules):
    if rules.players:
        hold_against_naive(rules, tmp_path_factory.getbasetemp() / "placements", store="dense")


@pytest.mark.parametrize(
    ("board", "store"),
    [
        *((board, "dense") for board in ("2,2,2", "1,6,3", "3,3,2", "3,3,3")),
        *(("3,3,3", "sparse"), pytest.param("2,5,3", "dense", marks=pytest.mark.slow)),
    ],
)
def test_small_boards_in_either_store(board, store, tmp_path):
    hold_against_naive(puzzlekit.load(f"tictactoe:{board}").rules(), tmp_path / "job", store=store)


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
    if puzzle.engine.is_scored and not distances:
        return
    whole = puzzle.values(out=tmp_path / "whole", store="sparse", distances=distances)
    cut = RunOptions(store="sparse", distances=distances, threads=2, grain=grain_of((1, 500, 4, 700)))
    place = job_folder(puzzle, tmp_path / "cut")
    assert same(puzzle.engine.values(str(puzzle), cut, None, place)) == same(whole)
    assert files(tmp_path / "cut") == files(tmp_path / "whole")


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
    place = JobFolder(str(tmp_path / "job" / "True"), "rules")
    assert Engine(rules).values("rules", RunOptions(store="sparse"), None, place).symmetry_order == 1


@dataclass(frozen=True)
class Patterned(puzzlekit.Puzzle):
    """A sliding puzzle of which one tile may be anywhere, and in which one step cannot be undone. So values spread."""

    id = "patterned"
    columns: int = 3

    def rules(self):
        slider = puzzlekit.load(f"slider:2,{self.columns}").rules()
        return replace(slider, moves=slider.moves[1:], goal=[dict(enumerate(slider.to_data()["start"][:-1]))])


@dataclass(frozen=True)
class Several(puzzlekit.Puzzle):
    """A sliding puzzle with two goals, of which one tells two tiles. Values are counted from all goals at once."""

    id = "several"
    columns: int = 3

    def rules(self):
        slider = puzzlekit.load(f"slider:2,{self.columns}").rules()
        start = slider.to_data()["start"]
        return replace(slider, goal=[start, {0: start[1], 1: start[0]}])


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


@dataclass(frozen=True)
class Settle(puzzlekit.Puzzle):
    """Each player puts a mark into an empty cell, or slides one to an empty cell beside it. A line wins."""

    id = "settle"
    rows: int = 3
    columns: int = 3
    line: int = 3

    def rules(self) -> Rules:
        grid = Grid(self.rows, self.columns)
        moves = [put(cell, mark).when({cell: "."}).by(mark).named(f"put {cell}") for mark in "XO" for cell in grid]
        for mark in "XO":
            moves += [swap(a, b).when({a: mark, b: "."}).by(mark).named(f"{a} to {b}") for a, b, _ in grid.steps()]
        ends = [win(mark, dict.fromkeys(cells, mark)) for mark in "XO" for cells in grid.lines(self.line)]
        start = "." * grid.cells
        return Rules(".XO", start, moves, players="XO", ends=ends, stuck="draw", symmetries=grid.symmetries())


@pytest.mark.parametrize(
    ("puzzle", "store"),
    [
        *((puzzlekit.load("tictactoe:3,3,3"), "sparse"), (puzzlekit.load("tictactoe:3,4,3"), "dense")),
        *((Patterned(), "sparse"), (puzzlekit.load("slider:2,3"), "dense"), (puzzlekit.load("slider:2,3"), "sparse")),
    ],
    ids=str,
)
def test_values_after_a_count_are_those_of_one_run(puzzle, store, tmp_path, command):
    """The count is as far as some depth, or whole. The manifest and the status tell that there are values, too."""
    whole = puzzle.values(out=tmp_path / "whole", store=store)
    for depth in (0, 3, 5, None):
        folder = tmp_path / str(depth)
        puzzle.enumerate(out=folder, store=store, max_depth=depth)
        assert same(puzzle.values(out=folder, threads=1)) == same(whole)
        assert files(folder) == files(tmp_path / "whole")
    assert same(opened(folder, puzzle).values()) == same(whole)
    last = f"{whole.states:,} states to depth {len(whole.depths) - 1}, complete, with values\n"
    assert command("status", str(folder)).out == f"{puzzle}: {last}"
    if puzzle.id == "slider":
        assert jobs.status(folder)["values"] == {"distances": True, "depths": [], "counted": True}


@pytest.mark.parametrize("store", ["sparse", "dense"])
def test_values_with_several_goals_are_a_count_from_all_of_them(store, tmp_path):
    puzzle, folder = Several(), tmp_path / "whole"
    whole = puzzle.values(out=folder, store=store)
    assert (whole.store, whole.backward, whole.states, jobs.status(folder)["unsolvable"]["states"]) == (
        *(store, True, 360),
        0,
    )
    assert same(puzzle.values(store=store)) == same(whole)
    known, naive = {}, Naive(puzzle.rules().to_data())
    for (cells, _), (_, moves) in values_of_all(naive).items():
        known["".join(cells)] = moves
    rows = puzzle.arrays.encode(list(known))
    found, moves, depths = opened(folder, puzzle).look_up(rows)
    assert (set(found), list(moves), list(depths)) == ({1}, list(known.values()), list(known.values()))
    assert whole.longest.value.moves == max(known.values())
    with pytest.raises(JobError, match="does not have the state 021/345"):
        puzzle.solve("021345", opened(folder, puzzle).solver)
    assert puzzle.solve(whole.longest.state, opened(folder, puzzle).solver).length == max(known.values())
    for depth in (0, 3, None):
        again = tmp_path / str(depth)
        puzzle.enumerate(out=again, store=store, max_depth=depth, backward=True)
        assert same(puzzle.values(out=again, threads=1)) == same(whole)
        assert files(again) == files(folder)
    assert opened(folder, puzzle).verify()["complete"]
    # A folder of another count does not fit as the count from the start.
    shutil.rmtree(folder / "forward")
    shutil.copytree(tmp_path / "0" / "forward", folder / "forward")
    (folder / "forward" / "manifest.json").write_bytes((folder / "manifest.json").read_bytes())
    with pytest.raises((CorruptError, JobError)):
        opened(folder, puzzle).verify()


@pytest.mark.parametrize("store", ["sparse", "dense"])
def test_goals_that_play_never_reaches_are_no_goals(store, tmp_path):
    """The first goal has the wrong parity, and the second has a symbol twice."""
    odd = replace(puzzlekit.load("slider:2,3").rules(), goal=["021345", {0: "1", 1: "1"}])
    place = JobFolder(str(tmp_path), "rules")
    for job in (None, place, replace(place, resume=True)):
        report = Engine(odd).values("rules", RunOptions(store=store), None, job)
        assert (report.backward, report.start.value, report.total("unsolvable")) == (False, "unsolvable", 360)
        assert report.store == store
    job = puzzlekit.open_job(tmp_path)
    rows = job.puzzle.arrays.encode([job.puzzle.start, "021345", "012345"])
    assert [list(column) for column in job.look_up(rows)] == [[2, 0, 2], [-1] * 3, [-1] * 3]
    with pytest.raises(UnsolvableError, match="no moves lead from 012345 to the goal"):
        job.puzzle.solve("012345", job.solver)
    assert job.verify()["unsolvable"]["states"] == 360
    counted = Engine(odd).backward.enumerate("rules", RunOptions(store=store, backward=True))
    assert ([depth.states for depth in counted.depths], counted.unsolvable) == ([0], 360)


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
    assert told[0].wanted > told[0].states > 0
    assert same(report) == same(whole)
    assert files(folder) == files(tmp_path / "whole")


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("puzzle", "kills", "least", "limits"),
    [
        ("topspin:10", 1, 1, ()),
        *(
            pytest.param(*each, marks=pytest.mark.slow)
            for each in (
                *(("tictactoe:4,4,4", 50, 6, ()), ("tictactoe:4,5,4", 50, 6, ()), ("slider", 50, 6, ())),
                # Values that spread, and are kept on the way; scores that spread; and successors that are listed.
                *((text, 6, 3, ("--checkpoint", "0.01")) for text in ("teeko:4,3", "six_mens_morris", "kalah:3,2")),
                (Patterned, 1, 1, ("--checkpoint", "0.01")),
                (Several, 1, 1, ()),
                *((f"painters:11,{points}", 6, 3, ("--checkpoint", "0.01")) for points in ("false", "true")),
            )
        ),
    ],
)
def test_a_job_that_is_killed_comes_out_the_same(puzzle, kills, least, limits, tmp_path):
    if puzzle in (Patterned, Several):
        puzzle = written(puzzle, tmp_path, columns=4)
    elif puzzle.startswith("painters"):
        puzzle = written(Painters, tmp_path) + puzzle.removeprefix("painters")
    assert kill_and_resume([puzzle], kills, tmp_path, 1, limits, verb="values") >= least


def kept_so_far(values):
    """How much a job has kept of its values, what its status tells of that, and the file with the last of it."""
    if tiers := values.get("tiers"):
        first = tiers["done"][-1]["first"] if tiers["done"] else tiers["count"]
        told = f"complete, values of {tiers['count'] - first} of {tiers['count']} tiers"
        return len(tiers["done"]), told, [part["file"]["name"] for part in tiers["done"]]
    if not (spread := values.get("spread")):
        return len(values["depths"]), "", []
    if spread.get("decided") is not None:
        return spread["decided"], f"the scores of {spread['decided']:,} states", [spread["file"]["name"]]
    return spread["moves"], f"complete, values of up to {spread['moves']} moves\n", [spread["file"]["name"]]


@pytest.mark.parametrize(
    ("puzzle", "store", "step", "checkpoint"),
    [
        *((Patterned(), "sparse", 100, 1e-9), (Painters(6, points=True), "sparse", 100, 1e-9)),
        *((Settle(), "sparse", 400, 3600), (puzzlekit.load("tictactoe:3,4,3"), "dense", 100, 3600)),
    ],
    ids=["spread", "scores", "tiers", "bits"],
)
def test_values_go_on_from_what_is_kept(puzzle, store, step, checkpoint, tmp_path, command):
    """Each run has a little more room for files, so it keeps a little more. What is damaged is found, and dropped."""
    folder, whole, damaged, kept = tmp_path / "job", tmp_path / "whole", tmp_path / "damaged", []
    report = puzzle.values(out=whole, store=store)
    puzzle.enumerate(out=folder, store=store)
    held = sum(path.stat().st_size for path in folder.glob("depth-*"))
    for room in range(held, held + 100_000, step):
        try:
            again = puzzle.values(out=folder, checkpoint=checkpoint, disk=room)
            break
        except DiskError:
            values = jobs.status(folder)["values"]
        much, told, names = kept_so_far(values)
        kept.append(much)
        if not names:
            continue
        assert values["depths"] or told in command("status", str(folder)).out
        if much > 1 and not damaged.exists():
            opened(folder, puzzle).verify()
            content = (folder / names[-1]).read_bytes()
            middle = len(content) // 2
            for bad in (content[:-1], bytes([*content[:middle], content[middle] ^ 4, *content[middle + 1 :]])):
                (folder / names[-1]).write_bytes(bad)
                with pytest.raises(CorruptError, match="resume with --drop-partial, which finds the values from the"):
                    puzzle.values(out=folder)
                with pytest.raises(CorruptError):
                    opened(folder, puzzle).verify()
            shutil.copytree(folder, damaged)
            assert same(opened(damaged, puzzle).values(drop_partial=True)) == same(report)
            assert files(damaged) == files(whole)
            (folder / names[-1]).write_bytes(content)
    assert damaged.exists() == (store == "sparse")  # in bits, each depth has a file of its own, which stays
    assert kept == sorted(kept)
    assert max(kept) > 2
    assert same(again) == same(report)
    assert files(folder) == files(whole)


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


def flipped(content, rng, count, first=0):
    """Some copies of the bytes of a file, each with one bit that is wrong."""
    for at in rng.sample(range(first, len(content)), min(count, len(content) - first)):
        yield bytes([*content[:at], content[at] ^ 1 << rng.randrange(8), *content[at + 1 :]])


@pytest.mark.parametrize(
    ("puzzle", "store", "read"),
    [
        *((board, "sparse", (".values", ".distances", ".open")) for board in (Board("nim"), Board("chase"), TICTACTOE)),
        (TICTACTOE, "dense", (".values",)),
        (puzzlekit.load("slider:2,3"), "sparse", (".sums", ".open")),
        *((puzzlekit.load(text), "dense", (".sums", ".states")) for text in ("slider:2,3", "flipit:3,3")),
    ],
    ids=str,
)
def test_a_flipped_byte_is_found(puzzle, store, read, tmp_path):
    """A check finds it in any file. A look-up finds it in the files that it reads, those of the state's depth."""
    job, rng, state = tmp_path / "job", random.Random(5), puzzle.start
    puzzle.values(out=job, store=store)
    for _ in range(2):
        state = puzzle.apply(state, puzzle.legal_moves(state)[0])
    rows, good = puzzle.arrays.encode([state]), files(job)
    known = [list(column) for column in opened(job, puzzle).look_up(rows)]
    looked = set()
    for name in (name for name in good if name.endswith((".values", ".distances", ".open", ".sums", ".states"))):
        content, path = good[name], job / name
        if name.startswith(f"depth-{known[2][0]:05}.") and name.endswith(read):
            looked.add(path.suffix)
            # A stretch of bits begins with its number and its length, 12 bytes. The `.sums` file has both, too, so a
            # look-up does not read them here and cannot notice a change.
            for bad in flipped(content, rng, 25, 12 * name.endswith(".states")):
                path.write_bytes(bad)
                with pytest.raises(CorruptError, match="the job is damaged"):
                    opened(job, puzzle).look_up(rows)
        for bad in (*flipped(content, rng, 1), content[:-1], b"" if content else b"1"):
            path.write_bytes(bad)
            with pytest.raises(CorruptError, match="the job is damaged"):
                opened(job, puzzle).verify()
        path.unlink()
        with pytest.raises(CorruptError, match="the job is damaged"):
            opened(job, puzzle).verify()
        path.write_bytes(content)
    assert looked == set(read)
    opened(job, puzzle).verify()
    assert [list(column) for column in opened(job, puzzle).look_up(rows)] == known


def test_a_wrong_value_is_found_even_if_its_file_has_the_right_checksum(tmp_path):
    """The file is that of another game."""
    for line in (2, 3):
        puzzlekit.load(f"tictactoe:3,3,{line}").values(out=tmp_path / str(line), store="dense")
    name = "depth-00002.values"
    (tmp_path / "3" / name).write_bytes((tmp_path / "2" / name).read_bytes())
    with pytest.raises(CorruptError, match="the job is damaged"):
        puzzlekit.open_job(tmp_path / "3").verify()


@pytest.mark.parametrize(("text", "store"), [("tictactoe:4,4,4", "dense"), ("slider:3,3", "auto")])
def test_a_limit_of_the_disk_is_kept_to(text, store, tmp_path):
    puzzle, whole = puzzlekit.load(text), tmp_path / "whole"
    puzzle.values(out=whole, store=store)
    takes = sum(path.stat().st_size for path in whole.glob("depth-*"))
    with pytest.raises(DiskError, match="the files would take more than --disk allows"):
        puzzle.values(out=tmp_path / "job", store=store, disk=takes - 1)
    puzzle.values(out=tmp_path / "job", disk=takes)
    assert files(tmp_path / "job") == files(whole)


def test_without_distances_there_are_values_alone(tmp_path):
    puzzle = puzzlekit.load("tictactoe")
    report = puzzle.values(out=tmp_path / "job", distances=False)
    assert report.depths == puzzle.values().depths
    assert (report.distances, report.longest, report.start.moves) == ((), None, None)
    assert not list((tmp_path / "job").glob("*.distances"))
    assert same(puzzlekit.open_job(tmp_path / "job").values()) == same(report)
    puzzlekit.open_job(tmp_path / "job").verify()


def test_what_values_cannot_go_on_with_is_refused(tmp_path):
    board, slider, patterned = puzzlekit.load("tictactoe"), puzzlekit.load("slider:2,3"), Patterned()
    patterned.enumerate(out=tmp_path / "dense")
    patterned.enumerate(out=tmp_path / "backward", backward=True, store="sparse")
    board.values(out=tmp_path / "alone", distances=False)
    board.values(out=tmp_path / "bits", store="dense")
    board.values(out=tmp_path / "game")
    apart = Board("hanoi:4")  # its goal is another state than the start
    apart.enumerate(out=tmp_path / "start")
    large, little, bits = puzzlekit.load("tictactoe:5,4,4"), held_bytes() + 2**20, {"store": "dense"}
    for puzzle, folder, options, error, told in (
        (patterned, "dense", {}, JobError, "bits of the dense store"),
        (patterned, "backward", {}, JobError, "counts back from the goal"),
        (apart, "start", {}, JobError, r"counts from the start, and the values .* are a count back from the goal"),
        (board, "game", {"symmetry": False}, JobError, "counts states up to symmetry"),
        (patterned, "game", {}, JobError, "the job has the puzzle"),
        (board, "alone", {"distances": True}, JobError, "keeps no distances; give another folder to keep them"),
        (board, "bits", {"distances": True}, JobError, "know no moves to the end"),
        (board, "new", bits | {"distances": True}, UsageError, "knows no moves to the end"),
        (slider, "new", {"distances": False}, UsageError, "play may come back to a state of these rules"),
        (puzzlekit.load("slider:3,3"), "new", {"distances": False}, UsageError, "keep the distances"),
        (patterned, "new", bits, UsageError, "moves only put marks into empty cells"),
        (large, "new", bits | {"memory": little}, LimitError, "would take .*, and the limit leaves .*; give more"),
    ):
        with pytest.raises(error, match=told):
            puzzle.values(out=tmp_path / folder, **options)


@pytest.mark.parametrize("store", ["sparse", "dense"])
def test_the_command_keeps_values_and_goes_on(store, tmp_path, command):
    job = str(tmp_path / "job")
    assert command("values", "tictactoe", "--store", store, "--out", job, "--json").code == 0
    assert command("status", job).out == "tictactoe: 765 states to depth 9, complete, with values\n"
    resumed = json.loads(command("resume", job, "--json").out)
    assert (resumed["schema"], resumed["store"]) == ("puzzlekit.values/1", store)
    assert command("verify", job).code == 0
    refused = command("resume", job, "--max-depth", "3")
    assert (refused.code, "values need all depths" in refused.err) == (2, True)
    assert command("values", "tictactoe", "--no-distances").code == 2
    answer = command("solve", "tictactoe", "XX./OO./...:X", "--job", job)
    assert (answer.code, answer.out.split()[0]) == (0, "2")
    assert command("play", "tictactoe", "--job", job, given="0\nquit\n").code == 0


@pytest.mark.parametrize(
    ("text", "options"),
    [
        *((text, {"symmetry": way}) for text in ("tictactoe", "tictactoe:3,4,3") for way in (True, False)),
        *((text, {}) for text in ("mu_torere", "hexapawn:3,3", "nim:3,4,5")),
        *(("tictactoe:3,4,3", {"symmetry": way, "store": "dense"}) for way in (True, False)),
        ("breakthrough:4,3,1", {"symmetry": False}),
    ],
)
def test_a_game_is_answered_as_the_search_answers(text, options, tmp_path):
    """Bits know no moves to the end, so all moves that keep the value are best."""
    puzzle = puzzlekit.load(text)
    in_bits = puzzle.values(out=tmp_path / "job", **options).store == "dense"
    solver, rng, asked = opened(tmp_path / "job", puzzle).solver, random.Random(7), 0
    for _ in range(8):
        state = puzzle.start
        while (moves := puzzle.legal_moves(state)) and asked < 60:
            searched, found = puzzle.solve(state, distance=True), puzzle.solve(state, solver)
            assert found.value == searched.value
            assert set(searched.best) <= set(found.best) if in_bits else searched.best == found.best
            if found.value != "draw" and not in_bits:
                assert (found.length, found.optimal) == (searched.length, True)
            state, asked = puzzle.apply(state, rng.choice(moves)), asked + 1
        assert moves or puzzle.solve(state, solver).moves == ()


@pytest.mark.parametrize(
    ("text", "backward", "store"),
    [
        *(("slider:2,3", False, "auto"), ("slider:2,3", True, "sparse"), ("slider:2,3", True, "dense")),
        *(("rotate:2,3", True, "dense"), ("flipit:3,3", True, "dense"), ("flipit:3,3", True, "sparse")),
    ],
)
def test_a_puzzle_is_solved_from_its_job(text, backward, store, tmp_path):
    puzzle, job = puzzlekit.load(text), tmp_path / "job"
    if backward:
        assert puzzle.enumerate(out=job, backward=True, store=store).store == store
    else:
        puzzle.values(out=job)
    solver = puzzlekit.open_job(job).solver
    assert solver.complete
    for seed in range(40):
        state = puzzle.scramble(seed=f"{seed}").state
        searched, found = puzzle.solve(state), puzzle.solve(state, solver)
        assert (found.length, found.optimal, found.solver) == (searched.length, True, "job")
    _, moves, _ = puzzlekit.open_job(job).look_up(puzzle.arrays.encode([puzzle.start]))
    assert list(moves) == [puzzle.solve(puzzle.start).length]


@pytest.mark.parametrize(
    ("text", "store"),
    [
        *(("tictactoe:3,4,3", "sparse"), ("tictactoe:3,4,3", "dense")),
        *(("slider:2,3", "sparse"), ("slider:2,4", "sparse"), ("slider:2,4", "dense")),
    ],
)
def test_many_states_are_looked_up_as_each_by_itself(text, store, tmp_path):
    """The states come in any order, some of them twice, and some are not in the job."""
    puzzle, rng = puzzlekit.load(text), random.Random(6)
    puzzle.values(out=tmp_path / "job", store=store)
    rows = [bytes(puzzle.arrays.encode([puzzle.start]))]
    width = len(rows[0])
    for _ in range(400):
        children = bytes(puzzle.arrays.expand(rng.choice(rows))[0])
        at = width * rng.randrange(max(len(children) // width, 1))
        rows.append(children[at : at + width] or rows[0])
    cells = width - puzzle.engine.is_game
    rows.extend(bytes(rng.sample(row[:cells], cells)) + row[cells:] for row in rows[-200:])
    rng.shuffle(rows)
    job = puzzlekit.open_job(tmp_path / "job")
    together = list(zip(*job.look_up(b"".join(rows)), strict=True))
    assert together == [tuple(column[0] for column in job.look_up(row)) for row in rows]
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
    solver = opened(tmp_path / "job", puzzle).solver
    for state, shortest in (("....", 2), ("b...", 2), (".b..", 3), ("bb.b", 1), ("..aa", 1), ("aab.", None)):
        if shortest is None:
            with pytest.raises(UnsolvableError):
                puzzle.solve(state, solver)
            continue
        found = puzzle.solve(state, solver)
        # The numbers of marks bound the moves, too, and so may prove a length.
        assert found.length == shortest if found.optimal else found.length >= shortest
        for move in found.moves:
            state = puzzle.apply(state, move)  # noqa: PLW2901 - the moves are made from it
        assert puzzle.is_solved(state)


def rows_of(file):
    """The rows of an export."""
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.mark.parametrize("name", ["slide:2x3", "turn:2x3", "colours:2x4", "lights:3x3", "burnt:4"])
def test_states_at_every_bit_of_a_dense_count_are_found(name, tmp_path):
    puzzle = Board(name)
    assert puzzle.rules().to_data()["goal"]
    for store in ("sparse", "dense"):
        puzzle.enumerate(out=tmp_path / store, backward=True, store=store, symmetry=False)
    puzzlekit.open_job(tmp_path / "sparse", parse).export(tmp_path / "a.csv", text=True)
    rows = [(row["text"], int(row["depth"])) for row in rows_of(tmp_path / "a.csv")]
    encoded = puzzle.arrays.encode([text for text, _ in rows])
    for store in ("sparse", "dense"):
        values, moves, depths = puzzlekit.open_job(tmp_path / store, parse).look_up(encoded)
        assert list(moves) == list(depths) == [depth for _, depth in rows]
        assert set(values) == {1}


def test_a_state_that_the_job_does_not_have(tmp_path, command):
    # Slides reach half of all arrangements, and `odd` is in the other half. A job that counts backward has all states
    # that can reach the goal, so it tells that `odd` cannot; so do values that are found by such a count. Other values
    # are known only for states that play reaches.
    puzzle, odd = Board("slide:2x3"), "021/345"
    for store in ("sparse", "dense"):
        puzzle.enumerate(out=tmp_path / store, backward=True, store=store)
    puzzle.values(out=tmp_path / "values")
    for job in ("sparse", "dense", "values"):
        with pytest.raises(UnsolvableError, match="the job has all states that can reach it"):
            puzzle.solve(odd, puzzlekit.open_job(tmp_path / job, parse).solver)
    Patterned().values(out=tmp_path / "spread")
    with pytest.raises(JobError, match="does not have the state 021/345"):
        Patterned().solve(odd, opened(tmp_path / "spread", Patterned()).solver)
    command("values", "tictactoe", "--out", str(tmp_path / "game"))
    unreached = command("solve", "tictactoe", "XXX/OO./...:O", "--job", str(tmp_path / "game"))
    assert unreached.code == 0
    lost = command("solve", "tictactoe", "X../.../...:X", "--job", str(tmp_path / "game"))
    assert (lost.code, "does not have the state" in lost.err) == (2, True)
    wrong = command("solve", "slider:2,3", "--job", str(tmp_path / "game"))
    assert (wrong.code, "is one of tictactoe, not of slider:rows=2,columns=3" in wrong.err) == (2, True)
    answer = json.loads(command("solve", "tictactoe", "XO./.../...", "--job", str(tmp_path / "game"), "--json").out)
    assert (answer["value"], answer["solver"], answer["length"]) == ("win", "job", 5)
    puzzlekit.load("slider:2,3").enumerate(out=tmp_path / "unknown", store="sparse")
    assert command("solve", "slider:2,3", "--job", str(tmp_path / "unknown")).code == 2


def test_play_takes_its_hints_from_a_job(tmp_path, command):
    job = str(tmp_path / "job")
    command("values", "slider:2,3", "--out", job)
    played = command("play", "slider:2,3", "--seed", "2", "--job", job, given="hint\nhint 1\nquit\n")
    assert played.code == 0
    assert "Hint: " in played.out
    assert "left at best" in played.out


def test_exports_have_values_and_distances(tmp_path, command):
    pq, np = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("numpy")
    for puzzle, store in (("tictactoe", "sparse"), ("tictactoe", "dense"), ("slider:2,3", "auto")):
        job = str(tmp_path / puzzle[:6]) + store
        command("values", puzzle, "--store", store, "--out", job)
        for form in ("parquet", "csv", "npy"):
            assert command("export", job, "--to", f"{job}.{form}").code == 0
    table = pq.read_table(tmp_path / "tictacsparse.parquet").to_pydict()
    rows, in_bits, counted = (
        rows_of(tmp_path / f"{name}.csv") for name in ("tictacsparse", "tictacdense", "sliderauto")
    )
    assert list(rows[0]) == ["depth", "state", "orbit_size", "outcome", "value", "distance"] == list(table)
    assert [row["value"] for row in rows] == table["value"]
    assert [int(row["distance"]) if row["distance"] else None for row in rows] == table["distance"]
    array = np.load(tmp_path / "tictacsparse.npy")
    assert [("win", "draw", "loss")[value] for value in array["value"].tolist()] == table["value"]
    assert [None if moves < 0 else moves for moves in array["distance"].tolist()] == table["distance"]
    assert Counter(table["value"]) == {"win": 390, "draw": 151, "loss": 224} == Counter(row["value"] for row in in_bits)
    assert Counter(row["distance"] for row in rows)["5"] == 18
    assert all(row["depth"] == row["distance"] and row["value"] == "solvable" for row in counted)
    job = puzzlekit.open_job(tmp_path / "tictacsparse")
    assert pytest.importorskip("pyarrow").table(job.states()).to_pydict() == table


@pytest.mark.parametrize("text", ["tictactoe", "tictactoe:3,4,3", "mu_torere", "hexapawn:3,3", "connect_four:3,4"])
def test_an_opponent_sees_in_a_job_what_it_would_search(text, tmp_path):
    game = puzzlekit.load(text)
    game.values(out=tmp_path / "job")
    solver, rng = opened(tmp_path / "job", game).solver, random.Random(11)
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
