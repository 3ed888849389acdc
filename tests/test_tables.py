"""Exported tables: they have the states of a plain search, in every format, and every library can read them."""

from __future__ import annotations

import csv
import hashlib
import json
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import puzzlekit
from puzzlekit import CorruptError, DiskError, JobError, Puzzle, UsageError, jobs
from puzzlekit.jobs.kept import KeptStates
from puzzlekit.puzzle.source import job_folder
from puzzlekit.run.engine import Engine
from puzzlekit.run.job_parts import DepthSpan, JobFolder
from tests import boards
from tests.naive import Naive
from tests.profiles import cases
from tests.support import RunOptions, grain_of
from tests.test_dense import arrangements, colourings, dials, has_index, placements, toggles
from tests.test_jobs import Board, files, parse, start
from tests.test_oracle import random_rules

NAMES = [
    "slide:2x3",
    "turn:2x3",
    "colours:2x4",
    "lights:3x3",
    "lights:2x3x3",
    "pegs",
    "chase",
    "nim",
    "hanoi:4",
    "dials",
]


def digest(cells, player: int) -> int:
    """The digest of a state. `verify --hash` adds these up."""
    data = bytes([player, *cells])
    return int.from_bytes(hashlib.blake2b(data, digest_size=16, person=b"puzzlekit-key-1").digest(), "big")


def sums(naive: Naive, *, symmetry: bool) -> list[int]:
    """The hash of each depth, by the obvious search."""
    return [
        sum(digest(map(naive.symbols.index, cells), player) for cells, player in states) % 2**128
        for states in ((layer.states if symmetry else layer.raw) for layer in naive.layers())
    ]


def hold_hashes_against_naive(rules, stores=("sparse", "spilled", "auto")):
    naive = Naive(rules.to_data())
    engine = Engine(rules)
    with tempfile.TemporaryDirectory() as base:
        for symmetry in (True, False):
            expected = sums(naive, symmetry=symmetry)
            for at, store in enumerate(stores, symmetry):
                threads = 1 + at % 2
                keep = JobFolder(f"{base}/{symmetry}-{store}-{threads}", "rules")
                grain = (1, 3, 2, 10) if store == "spilled" else None
                used = "sparse" if store == "spilled" else store
                engine.enumerate(
                    "rules",
                    RunOptions(symmetry=symmetry, threads=threads, grain=grain_of(grain), store=used),
                    None,
                    keep,
                )
                assert KeptStates(engine, keep).hashes(None) == expected, (symmetry, store, threads)


@pytest.mark.parametrize("name", boards.quickly(boards.ALL))
def test_every_store_finds_the_states_of_the_obvious_search(name):
    hold_hashes_against_naive(boards.ALL[name])


@settings(max_examples=cases(10))
@given(random_rules())
def test_random_rules_have_the_states_of_the_obvious_search(rules):
    hold_hashes_against_naive(rules)


@settings(max_examples=cases(20))
@given(st.one_of(arrangements(), placements(), colourings(), toggles(), dials()))
def test_random_rules_with_an_index_have_the_states_of_the_obvious_search(rules):
    hold_hashes_against_naive(rules, ("dense", "spilled") if has_index(rules) else ("spilled",))


FIVE = [("slider", 31), ("rotation", 11), ("tictactoe:3,4,3", 12), ("rotate", 6), ("flipit", 16)]


@pytest.mark.parametrize(
    ("puzzle", "depth", "symmetry"),
    [
        pytest.param(*sized, symmetry, marks=[] if symmetry == (at % 2 == 0) else pytest.mark.slow)
        for at, sized in enumerate(FIVE)
        for symmetry in (True, False)
    ],
)
def test_the_five_puzzles_have_the_same_states_in_every_store(puzzle, depth, symmetry, tmp_path):
    loaded, found = puzzlekit.load(puzzle), {}
    stores = [("sparse", None), ("spilled", (0, 500, 4, 3000)), ("dense", None)]
    for store, grain in stores:
        used = "sparse" if store == "spilled" else store
        loaded.engine.enumerate(
            puzzle,
            RunOptions(max_depth=depth, symmetry=symmetry, threads=2, grain=grain_of(grain), store=used),
            None,
            job_folder(loaded, tmp_path / store),
        )
        found[store] = [entry["hash"] for entry in puzzlekit.open_job(tmp_path / store).verify(hashes=True)["depths"]]
    assert all(hashes == found["sparse"] for hashes in found.values())
    assert len(set(found["sparse"])) == len(found["sparse"]) > 5


def rows_of(puzzle: Puzzle, *, symmetry: bool) -> list[tuple[int, str, int, str | None]]:
    """Depth, text, orbit size and outcome of each state, by the obvious search."""
    naive, write = Naive(puzzle.rules().to_data()), puzzle.engine.notation.write
    rows = []
    for depth, layer in enumerate(naive.layers()):
        orbits = Counter(naive.canonical(state, swaps=False) for state in layer.raw)
        for state in layer.states if symmetry else layer.raw:
            text = write(bytes(map(naive.symbols.index, state[0])), state[1])
            rows.append((depth, text, orbits[state] if symmetry else 1, naive.outcome(state)))
    return sorted(rows, key=lambda row: (row[0], puzzle.engine.notation.read(row[1])))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("symmetry", [True, False])
def test_every_format_holds_every_state(name, symmetry, tmp_path):
    puzzle, job = Board(name), tmp_path / "job"
    puzzle.enumerate(out=job, symmetry=symmetry)
    expected = rows_of(puzzle, symmetry=symmetry)
    for form in ("parquet", "csv", "npy"):
        count = puzzlekit.open_job(job, parse).export(tmp_path / f"a.{form}", form, text=form != "npy")
        assert count == len(expected)
    table = pq.read_table(tmp_path / "a.parquet").to_pydict()
    assert list(zip(*(table[column] for column in ("depth", "text", "orbit_size", "outcome")), strict=True)) == expected
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as lines:
        read = list(csv.DictReader(lines))
    assert [
        (int(row["depth"]), row["text"], int(row["orbit_size"]), row["outcome"] or None) for row in read
    ] == expected
    array = np.load(tmp_path / "a.npy")
    assert array["depth"].tolist() == table["depth"]
    assert array["state"].tolist() == table["state"] == [int(row["state"]) for row in read]
    assert array["orbit_size"].tolist() == table["orbit_size"]
    outcomes = jobs.status(job)["subject"]["outcomes"]
    assert [None if at < 0 else outcomes[at] for at in array["outcome"].tolist()] == table["outcome"]
    # Checks the packed states: cell 0 is in the highest bits.
    engine, bits = puzzle.engine, (len(puzzle.engine.notation.symbols) - 1).bit_length() or 1
    for state, text in zip(table["state"], table["text"], strict=True):
        assert state == int("".join(f"{code:0{bits}b}" for code in engine.notation.read(text)[0]), 2)


@pytest.mark.parametrize("width", [64, 128, 257])
def test_wide_states_are_bytes(width, tmp_path):
    engine = Engine(boards.ALL["turn:2,3"], width)
    keep = JobFolder(str(tmp_path / "job"), "turn")
    other = JobFolder(str(tmp_path / "narrow"), "turn")
    engine.enumerate("turn", RunOptions(threads=1, store="sparse"), None, keep)
    narrow = Engine(boards.ALL["turn:2,3"])
    narrow.enumerate("turn", RunOptions(threads=1, store="sparse"), None, other)
    texts = pl.DataFrame(KeptStates(narrow, other).table(DepthSpan(), 50, text=True))
    kept = KeptStates(engine, keep)
    wide = pl.DataFrame(kept.table(DepthSpan(), 50, text=True))
    assert wide["text"].to_list() == texts["text"].to_list()
    buffers = [np.asarray(batch["state"]) for batch in kept.table(DepthSpan(), 50, text=False)]
    assert sum(len(states) for states in buffers) == wide.height
    if width > 64:
        assert wide["state"].dtype == pl.Binary
        assert buffers[0].shape[1] == (width + 63) // 64 * 8 if width != 257 else 64
        assert bytes(buffers[0][0]) == wide["state"][0]
        for form in ("csv", "npy", "parquet"):
            kept.export(str(tmp_path / f"x.{form}"), form, DepthSpan(), None, text=False)
        assert [bytes.fromhex(row) for row in pl.read_csv(tmp_path / "x.csv")["state"]] == wide["state"].to_list()
        assert [bytes(row) for row in np.load(tmp_path / "x.npy")["state"]] == wide["state"].to_list()
        assert pl.read_parquet(tmp_path / "x.parquet")["state"].to_list() == wide["state"].to_list()


@pytest.fixture(scope="module")
def slider(tmp_path_factory):
    folder = tmp_path_factory.mktemp("slider") / "job"
    puzzlekit.load("slider").enumerate(out=folder)
    return folder


def test_libraries_read_the_stream(slider):
    positions = puzzlekit.open_job(slider).states(first_depth=29, text=True, batch_rows=100)
    counts = [(29, 760), (30, 221), (31, 2)]
    found = duckdb.sql("SELECT depth, count(*) FROM positions GROUP BY depth ORDER BY depth").fetchall()
    assert found == counts
    assert pl.DataFrame(positions).group_by("depth").len().sort("depth").rows() == counts
    assert list(pd.DataFrame.from_arrow(positions).groupby("depth").size().items()) == counts
    table = pa.table(positions)
    assert table.num_rows == 983
    assert table.schema.field("outcome").type == pa.dictionary(pa.int16(), pa.string())
    about = json.loads(table.schema.metadata[b"puzzlekit"])
    assert (about["schema"], about["puzzle"], about["complete"]) == ("puzzlekit.states/1", "slider", True)
    assert [depth["states"] for depth in about["depths"]][29:] == [760, 221, 2]
    assert [len(batch["state"]) for batch in positions] == [100] * 7 + [60] + [100] * 2 + [21] + [2]
    report = puzzlekit.load("tictactoe").enumerate()
    assert pl.DataFrame(report)["ended_O"].to_list() == [depth.ended["O"] for depth in report.depths]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux names the threads of a process")
def test_a_stream_that_is_dropped_ends_its_thread(slider):
    def running():
        found = 0
        for task in Path("/proc/self/task").iterdir():
            with suppress(OSError):  # a thread may end between its listing and the reading of its name
                found += (task / "comm").read_text().startswith("puzzlekit-strea")
        return found

    for _ in range(5):
        stream = iter(puzzlekit.open_job(slider).states(batch_rows=10))
        assert len(next(stream)["depth"]) == 1
        assert running() > 0
        del stream
    end = time.monotonic() + 60
    while running() and time.monotonic() < end:
        time.sleep(0.05)
    assert running() == 0


def test_scores_are_numbers_in_every_format(tmp_path):
    job = tmp_path / "job"
    puzzlekit.load("dots_and_boxes:1,2").values(out=job)
    kept = puzzlekit.open_job(job)
    for form in ("parquet", "csv"):
        kept.export(tmp_path / f"s.{form}")
    table = pq.read_table(tmp_path / "s.parquet")
    assert table.schema.field("score").type == pa.int32()
    with (tmp_path / "s.csv").open(encoding="utf-8", newline="") as lines:
        told = [(int(row["state"]), row["value"], int(row["score"])) for row in csv.DictReader(lines)]
    rows = table.to_pydict()
    assert list(zip(rows["state"], rows["value"], rows["score"], strict=True)) == told
    assert {score for _, _, score in told} >= {0, 2}
    assert pl.read_parquet(tmp_path / "s.parquet")["score"].to_list() == rows["score"]


def test_parquet_files_are_in_order_and_say_what_they_hold(slider, tmp_path):
    puzzlekit.open_job(slider).export(tmp_path / "s.parquet")
    file = pq.ParquetFile(tmp_path / "s.parquet")
    about = json.loads(file.metadata.metadata[b"puzzlekit"])
    assert (about["puzzle"], about["symbols"][1], about["backward"]) == ("slider", "1", False)
    table = file.read().to_pandas()
    assert table[["depth", "state"]].apply(tuple, axis=1).is_monotonic_increasing
    assert file.metadata.row_group(0).sorting_columns == (pq.SortingColumn(0), pq.SortingColumn(1))
    # The Parquet file has less than a quarter of the bytes of the CSV file.
    puzzlekit.open_job(slider).export(tmp_path / "s.csv", "csv")
    assert (tmp_path / "s.parquet").stat().st_size * 4 < (tmp_path / "s.csv").stat().st_size
    query = f"SELECT sum(orbit_size)::BIGINT, count(*), max(depth) FROM '{tmp_path / 's.parquet'}'"
    assert duckdb.sql(query).fetchall() == [(181_440, 181_440, 31)]


def test_parquet_files_are_what_the_stream_is(slider, tmp_path):
    game, part = tmp_path / "game", tmp_path / "part.parquet"
    puzzlekit.load("tictactoe").enumerate(out=game)
    for job, text in ((slider, True), (slider, False), (game, True)):
        to = tmp_path / f"{job.name}-{text}.parquet"
        kept = puzzlekit.open_job(job)
        kept.export(to, text=text)
        read, stream = pq.read_table(to), pa.table(kept.states(text=text))
        assert read.schema.equals(stream.schema, check_metadata=True)
        # The columns are compared as texts, since their dictionaries may have names that are in no row.
        read, stream = (table.set_column(3, "outcome", table["outcome"].cast("string")) for table in (read, stream))
        assert read.equals(stream)
    # In depth 3 no state ended, and in depth 7 X has won some.
    for depth, outcomes in ((3, {None}), (7, {"X", None})):
        part.unlink(missing_ok=True)
        puzzlekit.open_job(game).export(part, first_depth=depth, last_depth=depth)
        assert set(pq.read_table(part)["outcome"].to_pylist()) == outcomes


@pytest.mark.parametrize("width", [0, 128, 257])
def test_every_library_gives_parquet_files_their_types(width, tmp_path):
    engine, to = Engine(boards.ALL["nim"], width), tmp_path / "x.parquet"
    keep = JobFolder(str(tmp_path / "job"), "nim")
    engine.enumerate("nim", RunOptions(threads=1, store="sparse"), None, keep)
    KeptStates(engine, keep).export(str(to), "parquet", DepthSpan(), None, text=True)
    state = {0: pa.uint64(), 128: pa.binary(16), 257: pa.binary(64)}[width]
    outcome = pa.dictionary(pa.int16(), pa.string())
    assert [(field.name, field.type, field.nullable) for field in pq.read_schema(to)] == [
        ("depth", pa.uint32(), False),
        ("state", state, False),
        ("orbit_size", pa.uint32(), False),
        ("outcome", outcome, True),
        ("text", pa.string(), False),
    ]
    wide = width > 64
    types = [pl.UInt32, pl.Binary if wide else pl.UInt64, pl.UInt32, pl.Categorical, pl.String]
    assert pl.read_parquet(to).dtypes == types
    types = ["uint32", "object" if wide else "uint64", "uint32", "category", "str"]
    assert [str(kind) for kind in pd.read_parquet(to).dtypes] == types
    types = ["UINTEGER", "BLOB" if wide else "UBIGINT", "UINTEGER", "VARCHAR", "VARCHAR"]
    assert [str(kind) for kind in duckdb.read_parquet(str(to)).types] == types


@pytest.mark.parametrize("store", ["sparse", "dense"])
def test_the_hardest_states(store, tmp_path):
    puzzle, job = Board("slide:2x3"), tmp_path / "job"
    puzzle.enumerate(out=job, store=store)
    rows = rows_of(puzzle, symmetry=True)
    rows.sort(key=lambda row: (-row[0], puzzle.engine.notation.read(row[1])))
    for count in (1, 2, 7, 400):
        found = puzzlekit.open_job(job, parse).hardest(count)
        assert [(hard.depth, hard.state, hard.orbit_size, hard.outcome) for hard in found] == rows[:count]
    # The deepest states of a job are those farthest from the start, or with `backward` those farthest from the goal.
    turn, forward, needed = Board("turn:2x3"), {}, {}
    for backward, found in ((False, forward), (True, needed)):
        turn.enumerate(out=tmp_path / f"{backward}", backward=backward)
        found.update(
            (hard.state, hard.depth) for hard in puzzlekit.open_job(tmp_path / f"{backward}", parse).hardest(1000)
        )
    assert forward.keys() == needed.keys()
    assert forward != needed
    assert all(turn.solve(state).length == depth for state, depth in needed.items())


def test_bad_exports_are_refused(slider, tmp_path, command, monkeypatch):
    monkeypatch.chdir(tmp_path)
    there = tmp_path / "there.csv"
    there.write_text("keep me")
    for arguments, code, text in (
        (("--to", str(there)), 2, f"{there} is there already; give another name, or remove it"),
        (("--format", "xlsx"), 2, "there is no format 'xlsx'; give one of parquet, csv, npy"),
        (("--to", "x.npy", "--text"), 2, "an npy file has no column of text"),
        (("--to", "none/x.csv"), 3, "cannot write none/x.csv: "),
        (("--hardest", "0"), 2, "--hardest is 0; give a whole number from 1 to 1000000"),
        (("--hardest", "3", "--text"), 2, "--hardest 3 lists states; leave out --format, --to, --text"),
        (("--first-depth", "5", "--last-depth", "1"), 2, "none of them from 5 to 1; give others"),
        (("--first-depth", "40"), 2, "the job has the depths 0 to 31, none of them from 40 to 31"),
        (("--to", str(slider / "x.csv")), 2, "is in the folder of the job; give another place"),
        (("--first-depth", "-1"), 2, "--first-depth is -1; give a whole number from 0"),
    ):
        done = command("export", str(slider), *arguments)
        assert (done.code, done.out) == (code, ""), done.err
        assert text in done.err
        assert done.err.count("\n") == 1
    assert there.read_text() == "keep me"
    assert command("export", str(tmp_path)).code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["there.csv"]
    with pytest.raises(JobError, match="is there already"):
        puzzlekit.open_job(slider).export(there)
    with pytest.raises(DiskError):
        puzzlekit.open_job(slider).export(tmp_path / "none" / "x")
    with pytest.raises(UsageError, match="batch_rows is 0"):
        puzzlekit.open_job(slider).states(batch_rows=0)
    with pytest.raises(JobError, match="the job has the puzzle slider, and here it is board"):
        puzzlekit.open_job(slider, lambda _: Board()).states()


def test_exports_leave_other_files_alone(slider, tmp_path, command):
    (tmp_path / "x.csv.new").write_text("keep me")
    runs = [start("export", str(slider), "--to", str(tmp_path / "x.csv")) for _ in range(3)]
    ends = sorted((process.communicate(timeout=60)[1], process.returncode) for process in runs)
    assert [code for _, code in ends] == [0, 2, 2]
    assert all("is there already; give another name" in err for err, code in ends if code)
    assert len((tmp_path / "x.csv").read_text().splitlines()) == 181_441
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.csv", "x.csv.new"]
    assert (tmp_path / "x.csv.new").read_text() == "keep me"
    hardest = command("export", str(slider), "--hardest", "1")
    assert hardest.err == ""
    puzzlekit.load("slider").enumerate(out=tmp_path / "part", max_depth=3)
    assert "the count is not complete: deeper" in command("export", str(tmp_path / "part"), "--hardest", "1").err


@pytest.mark.parametrize("store", ["sparse", "dense"])
def test_damaged_jobs_are_not_exported(store, tmp_path):
    puzzle, job = Board("turn:2x3"), tmp_path / "job"
    puzzle.enumerate(out=job, store=store)
    good = files(job)
    path = sorted(job.glob("depth-*"))[3]
    for bad in (good[path.name][:-1] + b"!", good[path.name][:5], b""):
        path.write_bytes(bad)
        with pytest.raises(CorruptError, match="the job is damaged"):
            puzzlekit.open_job(job, parse).export(tmp_path / "x.csv", "csv")
        assert not list(tmp_path.glob("x.csv*"))
        with pytest.raises(pa.ArrowInvalid, match="the job is damaged"):
            pa.table(puzzlekit.open_job(job, parse).states())
        with pytest.raises(CorruptError, match="the job is damaged"):
            list(puzzlekit.open_job(job, parse).states())


def test_a_job_can_be_read_while_it_goes_on(tmp_path, command):
    job = tmp_path / "job"
    process = start("enumerate", "slider:3,4", "--store", "sparse", "--max-depth", "33", "--out", str(job))
    try:
        while not (job / "depth-00012.open").exists() and process.poll() is None:
            time.sleep(0.01)
        done = command("export", str(job), "--last-depth", "10", "--to", str(tmp_path / "x.csv"), "--json")
        assert process.poll() is None, "the run was over before it was read"
        assert json.loads(done.out)["states"] == sum(
            depth.states for depth in puzzlekit.load("slider:3,4").enumerate(max_depth=10).depths
        )
    finally:
        process.kill()
        process.communicate()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals to send to one process")
def test_a_signal_stops_an_export_without_a_trace(tmp_path):
    job = tmp_path / "job"
    puzzlekit.load("slider:3,4").enumerate(store="sparse", max_depth=25, out=job)
    process = start("export", str(job), "--text", "--to", str(tmp_path / "x.csv"))
    while not list(tmp_path.glob(".x.csv.*.new")):
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (143, "")
    assert "interrupted; nothing was written" in err
    assert [path.name for path in tmp_path.iterdir()] == ["job"]


def test_ctrl_c_ends_an_export_while_rules_are_compiled(tmp_path, monkeypatch, command):
    """Compiling very many moves takes seconds, in which nothing looks whether a signal has come."""
    puzzlekit.load("slider:2,2").enumerate(out=tmp_path / "job")

    def interrupted(_):
        signal.raise_signal(signal.SIGINT)
        pytest.fail("the signal is remembered for later")

    monkeypatch.setattr(puzzlekit.Job, "compile", interrupted)
    result = command("export", str(tmp_path / "job"), "--to", str(tmp_path / "x.csv"))
    assert (result.code, result.err) == (130, "puzzlekit: interrupted\n")
    assert [path.name for path in tmp_path.iterdir()] == ["job"]


def test_a_table_is_no_array_and_says_what_reads_it(tmp_path):
    states = (
        puzzlekit.load("tictactoe").enumerate(out=tmp_path / "job") and puzzlekit.open_job(tmp_path / "job").states()
    )
    for wrong in (pd.DataFrame, np.asarray):
        with pytest.raises(TypeError, match=r"pandas\.DataFrame\.from_arrow"):
            wrong(states)
    assert len(pd.DataFrame.from_arrow(states)) == 765


def test_a_report_of_values_is_a_table():
    report = puzzlekit.load("tictactoe").values()
    table = pl.DataFrame(report)
    assert table.columns == ["depth", "win", "draw", "loss", "raw_win", "raw_draw", "raw_loss"]
    assert table["win"].to_list() == [depth.states["win"] for depth in report.depths]
    assert table["raw_loss"].sum() == sum(depth.raw_states["loss"] for depth in report.depths)
    with pytest.raises(TypeError, match="that no engine made"):
        pl.DataFrame(replace(report, stream=None))
