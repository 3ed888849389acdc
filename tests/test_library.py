"""A library of finished work: what it tells of every state, beside a plain search; damaged, killed, and by commands."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import puzzlekit
from puzzlekit import (
    CorruptError,
    DiskError,
    JobError,
    Library,
    LibraryError,
    LibraryWarning,
    LimitError,
    Rules,
    UnsolvableError,
    UsageError,
    put,
    swap,
)
from puzzlekit.jobs.job import Job
from puzzlekit.jobs.library import blocks, sorting, writing
from puzzlekit.jobs.library.blocks import BlockError, Records
from puzzlekit.jobs.library.keys import Keys
from puzzlekit.jobs.library.sorting import Sorter
from puzzlekit.jobs.packed import unpacked_rows
from puzzlekit.play.opponent import Opponent
from puzzlekit.run.engine import Engine
from puzzlekit.run.job_parts import JobFolder
from tests import boards
from tests.campaign import rules_of
from tests.naive import Naive
from tests.profiles import cases
from tests.support import RunOptions, puzzle_of
from tests.test_jobs import files
from tests.test_kept_values import VALUED
from tests.test_oracle import random_rules
from tests.worth import UNDECIDED, for_points, plain_values, with_goal


def rows_of(naive, states):
    """Rows of states of the plain search."""
    rows = [bytes([*map(naive.symbols.index, cells), *([player] if naive.players else [])]) for cells, player in states]
    return b"".join(rows)


def holds(rules, library, *, backward=False, distances=True):
    """Looks up each state that play reaches, and compares it with a plain search. Returns how many there are."""
    naive, puzzle = Naive(rules.to_data()), puzzle_of(rules)
    states = [state for layer in naive.layers() for state in layer.raw]
    worth, found = plain_values(naive, states), library.of(puzzle)
    for look_up in (found.look_up, found.solver._states.look_up):
        values, moves, _ = look_up(rows_of(naive, states))
        for state, value, distance in zip(states, values, moves, strict=True):
            name, expected = worth.get(state, ("none", None) if backward else UNDECIDED)
            assert ("none", "win", "draw", "loss")[value] == name, state
            assert distance == (-1 if expected is None or not distances else abs(expected)), state
    return len(states)


def valued(rules, folder, *, symmetry=True, store="auto"):
    """A job with the values of all states of rules, in a folder."""
    shutil.rmtree(folder, ignore_errors=True)
    engine = Engine(rules)
    report = engine.values("rules", RunOptions(symmetry=symmetry, store=store), None, JobFolder(str(folder), "rules"))
    assert report.complete
    return report


@pytest.mark.parametrize("name", boards.quickly(VALUED))
def test_boards_of_every_shape(name, tmp_path):
    rules = boards.ALL[name]
    written = set()
    for symmetry in (True, False):
        report = valued(rules, tmp_path / "job", symmetry=symmetry, store="sparse")
        library = Library(tmp_path / f"works-{symmetry}")
        library.add(Job(tmp_path / "job", lambda _: puzzle_of(rules)))
        assert holds(rules, library, backward=report.backward)
        # Whatever the job counted up to, the library has canonical forms.
        written |= {content for path, content in files(tmp_path / f"works-{symmetry}").items() if "states" in path}
    assert len(written) == 1


@settings(max_examples=cases(15))
@given(random_rules(), st.randoms(use_true_random=False))
def test_random_rules(tmp_path_factory, rules, rng):
    rules = with_goal(rules, rng)
    if rules.players and rng.random() < 0.5:
        rules = for_points(rules, rng)
    base = tmp_path_factory.getbasetemp() / "random"
    shutil.rmtree(base, ignore_errors=True)
    report = valued(rules, base / "job", store="sparse")
    library = Library(base / "works")
    library.add(Job(base / "job", lambda _: puzzle_of(rules)))
    assert holds(rules, library, backward=report.backward)


def test_games_for_points_with_passes_and_moves_that_keep_the_turn(tmp_path):
    """Games of the campaign, which have all of these, and go round in some: states come back with their values."""
    for seed in range(cases(8)):
        rules = rules_of(seed, games=True)[0]
        valued(rules, tmp_path / "job", symmetry=seed % 2 == 0, store="sparse")
        library = Library(tmp_path / f"works-{seed}")
        library.add(Job(tmp_path / "job", lambda _, rules=rules: puzzle_of(rules)))
        assert holds(rules, library)


@pytest.mark.parametrize("store", ["sparse", "dense"])
@pytest.mark.parametrize("text", ["slider:2,3", "rotate:2,3", "tictactoe:3,3,3", "flipit:2,3"])
def test_both_stores_and_counts_of_distances(text, store, tmp_path):
    puzzle = puzzlekit.load(text)
    if puzzle.engine.is_game:
        puzzle.values(out=tmp_path / "job", store=store)
    else:
        puzzle.enumerate(out=tmp_path / "job", store=store, backward=True)
    library = Library(tmp_path / "works")
    work = library.add(tmp_path / "job")
    assert (work.puzzle, work.rules) == (str(puzzle), puzzle.engine.fingerprint)
    assert library.verify() == library.works() == [work]
    # Values of placements in bits have no distances.
    bits = puzzle.engine.is_game and store == "dense"
    assert holds(puzzle.rules(), library, backward=not puzzle.engine.is_game, distances=not bits)
    if bits:
        found = puzzle.solve("XO./.../...:X", library=library)
        assert (found.value, found.library, found.best[0] in "346") == ("win", library.place, True)


@pytest.mark.parametrize("text", ["slider:2,3", "tictactoe:3,2,2", "flipit:2,3"])
def test_every_answer_is_that_of_a_search(text, tmp_path):
    puzzle = puzzlekit.load(text)
    puzzle.values(out=tmp_path / "job")
    library = Library(tmp_path / "works")
    library.add(tmp_path / "job")
    for batch in Job(tmp_path / "job").states(text=True):
        table = {name: np.asarray(column) for name, column in batch.items()}
        states = puzzle.arrays.decode(unpacked_rows(puzzle.engine, table["state"], table["depth"]))
        for state in states[:: 1 if puzzle.engine.is_game else 4]:
            searched, found = puzzle.solve(state, distance=True), puzzle.solve(state, library=library)
            assert (found.solver, found.library) == ("library", str(tmp_path / "works"))
            assert (found.value, set(found.best)) == (searched.value, set(searched.best)), state
            assert found.optimal
            if searched.value != "draw":
                assert found.length == searched.length, state


@pytest.mark.parametrize("symbols", [2, 5, 20, 100])
@pytest.mark.parametrize("cells", [4, 9, 40, 75])
def test_packed_states_are_unpacked_to_their_rows(symbols, cells, tmp_path):
    """For all widths of words: a cell has 1 to 7 bits, and no cell is split between two integers of a wide word."""
    names = [f"s{number}" for number in range(symbols)]
    rules = Rules(
        symbols=names,
        start=[names[cell * 7 % symbols] for cell in range(cells)],
        moves=[swap(0, cells - 1), swap(1, cells // 2 + 1), put(0, names[-1]).when({0: names[0]})],
    )
    puzzle = puzzle_of(rules)
    report = puzzle.enumerate(out=tmp_path / "job")
    naive, keys = Naive(rules.to_data()), Keys(puzzle.engine)
    layers = [set(layer.raw) for layer in naive.layers()]
    assert report.states == sum(map(len, layers)) >= 3
    for batch in Job(tmp_path / "job", lambda _: puzzle).states():
        table = {name: np.array(column) for name, column in batch.items()}
        rows = unpacked_rows(puzzle.engine, table["state"], table["depth"])
        expected = {rows_of(naive, [state]) for state in layers[table["depth"][0]]}
        assert {row.tobytes() for row in rows} == expected
        made = keys.of_rows(rows.tobytes())
        assert (keys.to_rows(made) == rows).all()
        assert (keys.of_bytes(keys.to_bytes(made)) == made).all()


def some_records(engine, count, seed=0, most=50):
    """Random states as records, of rules with many cells."""
    rng = np.random.default_rng(seed)
    keys = Keys(engine)
    texts = rng.integers(0, 256, (count, keys.width), np.uint8)
    return keys, Records(
        keys.of_bytes(texts), rng.integers(1, 4, count).astype(np.uint8), rng.integers(-1, most, count).astype(np.int32)
    )


def same(one, other):
    return all((getattr(one, name) == getattr(other, name)).all() for name in ("keys", "values", "moves"))


NARROW, WIDE = boards.ALL["nim"], boards.slide(4, 5)


@pytest.mark.parametrize("most", [0, 1, 300, 2**31 - 1])
@pytest.mark.parametrize("count", [1, 2, 255, 1000])
@pytest.mark.parametrize("rules", [NARROW, WIDE], ids=["narrow", "wide"])
def test_a_block_comes_back_as_it_was(rules, count, most):
    keys, records = some_records(Engine(rules), count, most=most)
    records = records.in_order()
    data = blocks.packed(keys, records)
    assert same(blocks.unpacked(keys, data, len(records)), records)
    for states in (len(records) - 1, len(records) + 1, 2 * len(records)):
        if states:
            with pytest.raises(BlockError):
                blocks.unpacked(keys, data, states)
    for damaged in (data[:-1], data + b"x", b"", data[1:], b"<html>" + data):
        with pytest.raises(BlockError):
            blocks.unpacked(keys, damaged, len(records))


def test_a_block_that_would_unpack_to_much_is_given_up():
    import zlib

    keys = Keys(Engine(NARROW))
    bomb = zlib.compress(b"\0" * 2**26)
    assert len(bomb) < blocks.MOST_BYTES * 2
    with pytest.raises(BlockError, match="does not have the states"):
        blocks.unpacked(keys, bomb, 10)


def test_entries_are_checked():
    keys = Keys(Engine(NARROW))
    first, second = (np.uint64(1), np.uint64(2)) if keys.type.kind == "u" else (b"1", b"2")
    one, two = blocks.entry(keys, first, 0, b"abc", 5), blocks.entry(keys, second, 3, b"de", 6)
    found = blocks.read_entries(keys, one + two, 5, 10)
    assert (found.begins.tolist(), found.lengths.tolist(), found.counts.tolist()) == ([0, 3], [3, 2], [5, 6])
    far = blocks.entry(keys, second, 2**64 - 1, b"de", 6)
    for data, end, most in (
        (one + two, 4, 10),  # it ends outside the file
        (one + two, 5, 5),  # more states than there may be
        (two + one, 5, 10),  # not in order
        (one + one, 5, 10),
        (one[:-1], 5, 10),
        (b"", 5, 10),
        (far, 2**62, 10),
        (one + far, 2**62, 10),
        (blocks.entry(keys, first, 0, b"", 5), 5, 10),
        (blocks.entry(keys, first, 0, b"a", 0), 5, 10),
        (blocks.entry(keys, first, 0, b"a" * (blocks.MOST_BYTES + 1), 1), 2**20, 10),
    ):
        with pytest.raises(BlockError, match="index"):
            blocks.read_entries(keys, data, end, most)


@pytest.mark.parametrize("run_states", [1, 7, 100, 10_000])
@pytest.mark.parametrize("rules", [NARROW, WIDE], ids=["narrow", "wide"])
def test_states_are_sorted_whatever_is_held_at_once(rules, run_states, tmp_path, monkeypatch):
    monkeypatch.setattr(sorting, "SAMPLES", 3)
    keys, records = some_records(Engine(rules), 1000)
    records = Records.joined([records, records.some(slice(0, 50))])  # some come twice
    with open(tmp_path / "keys", "w+b") as of_keys, open(tmp_path / "notes", "w+b") as of_notes:
        sorter = Sorter(keys, (of_keys, of_notes), run_states)
        for begin in range(0, len(records), 90):
            sorter.add(records.some(slice(begin, begin + 90)))
        parts = list(sorter.in_order())
    assert same(Records.joined(parts), records.in_order())
    if run_states == 100:
        assert max(map(len, parts)) < len(records) / 2


def add_in_small_blocks(monkeypatch, job, place, block_bytes=100, index_bytes=150, run_states=100):
    monkeypatch.setattr(writing, "BLOCK_BYTES", block_bytes)
    monkeypatch.setattr(writing, "MOST_BYTES", index_bytes)
    monkeypatch.setattr(sorting, "RUN_STATES", run_states)
    monkeypatch.setattr(Sorter.__init__, "__defaults__", (run_states,))
    monkeypatch.setattr(sorting, "SAMPLES", 5)
    library = Library(place)
    library.add(job)
    return library


@pytest.mark.parametrize("text", ["tictactoe", "slider:2,3"])
def test_many_small_blocks_have_the_same_states(text, tmp_path, monkeypatch):
    puzzle = puzzlekit.load(text)
    puzzle.values(out=tmp_path / "job")
    library = add_in_small_blocks(monkeypatch, tmp_path / "job", tmp_path / "works")
    found = library.of(puzzle)
    assert len(found._files.top()) > 1
    assert sum(len(found._files.entries(number)) for number in range(len(found._files.top()))) > 3
    assert holds(puzzle.rules(), library, backward=not puzzle.engine.is_game)
    library.verify()
    # One by one, too, with the first and the last state of each block, and states between them that are not there.
    keys = found._files.keys
    for records in found._files.every():
        for key, value, moves in ((records.keys[at], records.values[at], records.moves[at]) for at in (0, -1)):
            row = keys.to_rows(np.array([key], keys.type)).tobytes()
            assert [column[0] for column in found.look_up(row)] == [value, moves, -1]
    strangers = [".XX/XXX/XXX:X", "OOO/OOO/OO.:X"] if puzzle.engine.is_game else ["345/021"]
    assert set(found.look_up(puzzle.arrays.encode(strangers))[0]) <= {0}


@pytest.mark.slow
def test_a_million_states(tmp_path):
    puzzle = puzzlekit.load("slider:2,5")
    puzzle.values(out=tmp_path / "job")
    library = Library(tmp_path / "works")
    work = library.add(tmp_path / "job")
    assert work.states == 1_814_400
    assert work.bytes < 3_000_000
    job, rng = Job(tmp_path / "job"), random.Random(1)
    states = []
    for _ in range(300):
        tiles = list("0123456789")
        rng.shuffle(tiles)
        states.append("".join(tiles))
    rows = puzzle.arrays.encode(states)
    values, moves, depths = job.look_up(rows)
    there = library.of(puzzle).look_up(rows)
    assert [list(there[0]), list(there[1])] == [list(values), list(moves)]
    assert {0, 1} == set(values)
    assert list(depths) == list(moves)
    solvable = next(state for state, value in zip(states, values, strict=True) if value)
    assert puzzle.solve(solvable, library=library).length == moves[states.index(solvable)]


def test_what_is_not_finished_is_not_added(tmp_path):
    puzzle = puzzlekit.load("slider:2,3")
    puzzle.enumerate(out=tmp_path / "counted", max_depth=3)
    puzzle.enumerate(out=tmp_path / "back", max_depth=3, backward=True)
    (tmp_path / "nothing").mkdir()
    for name in ("counted", "back", "nothing"):
        with pytest.raises(JobError):
            Library(tmp_path / "works").add(tmp_path / name)
    assert not (tmp_path / "works").exists()


def test_a_job_in_shards_is_added(tmp_path):
    puzzle = puzzlekit.load("tictactoe:3,2,2")
    puzzle.values(out=tmp_path / "job", on=puzzlekit.shards.executor("processes:2"))
    library = Library(tmp_path / "works")
    library.add(tmp_path / "job")
    assert holds(puzzle.rules(), library)
    library.verify()


def test_a_library_is_changed_and_listed(tmp_path):
    for name, text in (("a", "slider:2,3"), ("b", "tictactoe:3,2,2")):
        puzzlekit.load(text).values(out=tmp_path / name)
    library = Library(tmp_path / "works")
    with pytest.raises(LibraryError, match=r"no library\.json"):
        library.works()
    slider, game = library.add(tmp_path / "a"), library.add(tmp_path / "b")
    assert (slider.kind, game.kind) == ("distances", "values")
    assert Library(tmp_path / "works").works() == [slider, game]
    with pytest.raises(LibraryError, match=r"has slider:rows=2,columns=3 already; remove that first"):
        library.add(tmp_path / "a")
    with pytest.raises(LibraryError, match="no work of nothing"):
        library.remove("nothing")
    assert library.remove(str(puzzlekit.load("slider:2,3"))) == slider
    assert library.works() == Library(tmp_path / "works").works() == [game]
    assert library.of(puzzlekit.load("slider:2,3")) is None
    assert library.remove(game.rules) == game
    assert sorted(os.listdir(tmp_path / "works")) == [".lock", "library.json"]


def test_a_folder_of_other_things_is_no_place_for_a_library(tmp_path):
    puzzlekit.load("tictactoe:3,2,2").values(out=tmp_path / "job")
    with pytest.raises(LibraryError, match="is not empty, and no library"):
        Library(tmp_path).add(tmp_path / "job")
    assert sorted(os.listdir(tmp_path)) == ["job"]
    (tmp_path / "file").write_text("a file")
    with pytest.raises(DiskError, match="cannot be changed"):
        Library(tmp_path / "file").add(tmp_path / "job")


def test_a_folder_that_cannot_be_written_is_told(tmp_path, monkeypatch):
    puzzlekit.load("tictactoe:3,2,2").values(out=tmp_path / "job")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing, "write_file", full)
    with pytest.raises(DiskError, match="No space left"):
        Library(tmp_path / "works").add(tmp_path / "job")
    monkeypatch.undo()
    assert sorted(os.listdir(tmp_path / "works")) == [".lock"]
    assert Library(tmp_path / "works").add(tmp_path / "job").states == 38


def test_a_watch_stops_it(tmp_path):
    puzzlekit.load("tictactoe:3,2,2").values(out=tmp_path / "job")
    library = Library(tmp_path / "works")
    with pytest.raises(LimitError, match="the library is as it was"):
        library.add(tmp_path / "job", watch=lambda _: True)
    assert library.works() == []
    library.add(tmp_path / "job")
    with pytest.raises(LimitError, match="stopped"):
        library.verify(watch=lambda _: True)


def test_two_processes_do_not_change_a_library_at_once(tmp_path):
    fcntl = pytest.importorskip("fcntl")
    puzzlekit.load("tictactoe:3,2,2").values(out=tmp_path / "job")
    library = Library(tmp_path / "works")
    library.add(tmp_path / "job")
    with open(tmp_path / "works" / ".lock", "ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(LibraryError, match="another process changes"):
            library.remove("tictactoe:rows=3,columns=2,win=2")
        assert len(Library(tmp_path / "works").works()) == 1  # reading needs no lock


KILLED = """
import os, signal, sys
import numpy, puzzlekit
from puzzlekit.jobs.library import library, writing

job, *places = sys.argv[1:]

def add(place, left):
    def counted(call):
        def step(*arguments, **options):
            nonlocal left
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1
            return call(*arguments, **options)
        return step
    for name in ("fsync", "rename", "replace", "mkdir"):
        setattr(os, name, counted(getattr(os, name)))
    puzzlekit.Library(place).add(job)

for number, place in enumerate(places):
    child = os.fork()
    if not child:
        add(place, number)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
"""Adds a job to many libraries; the number of a library is the number of steps after which the process is killed."""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are killed after they were forked")
def test_a_kill_at_any_step_leaves_the_library_as_it_was_or_whole(tmp_path):
    """Each step that changes the folder: a file is made durable, or gets its name."""
    for name, text in (("game", "tictactoe:3,2,2"), ("slider", "slider:2,2")):
        puzzlekit.load(text).values(out=tmp_path / name)
    places = [tmp_path / f"works-{number}" for number in range(22)]
    Library(tmp_path / "before").add(tmp_path / "game")
    for place in places:
        shutil.copytree(tmp_path / "before", place)
    program = [sys.executable, "-c", KILLED, str(tmp_path / "slider"), *map(str, places)]
    codes = [int(line) for line in subprocess.run(program, capture_output=True, check=True).stdout.split()]
    shutil.copytree(tmp_path / "before", tmp_path / "after")
    Library(tmp_path / "after").add(tmp_path / "slider")
    before, after = files(tmp_path / "before"), files(tmp_path / "after")
    done = codes.index(0)
    assert set(codes[:done]) == {-signal.SIGKILL}
    assert set(codes[done:]) == {0}
    assert done > 10, codes
    left_over = 0
    for place in places:
        works = Library(place).verify()
        kept = {path: content for path, content in files(place).items() if ".new" not in path}
        if len(works) == 1:
            # The folder of the work may have its name already, and is whole then, though it is not listed yet.
            assert kept in (before, {**after, "library.json": before["library.json"]})
            left_over += len(files(place)) > len(kept)
            with contextlib.suppress(LibraryError):  # that it is there already
                Library(place).add(tmp_path / "slider")
        assert files(place) == after
    assert left_over > 5


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    """A library with the values of a game and the distances of a puzzle, and the folders of their jobs."""
    base = tmp_path_factory.mktemp("shelf")
    puzzlekit.load("tictactoe:3,2,2").values(out=base / "game")
    puzzlekit.load("slider:2,3").values(out=base / "slider")
    for name in ("game", "slider"):
        Library(base / "works").add(base / name)
    return base


@pytest.fixture
def works(shelf, tmp_path):
    """A copy of the library that may be damaged."""
    shutil.copytree(shelf / "works", tmp_path / "works")
    return tmp_path / "works"


def test_every_damaged_byte_is_noticed(works):
    puzzle = puzzlekit.load("tictactoe:3,2,2")
    rng, folder = random.Random(5), works / puzzle.engine.fingerprint
    Library(works).verify()
    for path in sorted(folder.iterdir()):
        content = path.read_bytes()
        for damaged in (
            *(
                content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :]
                for at in places(rng, content)
            ),
            content[:-1],
            content + b"x",
            b"",
        ):
            path.write_bytes(damaged)
            with pytest.raises(CorruptError, match=path.name.replace(".", r"\.")):
                Library(works).verify()
            if path.name not in ("puzzle.json", "job.json"):
                # A look-up reads all other files, and each of them has few bytes here.
                with pytest.raises(CorruptError):
                    Library(works).of(puzzle).look_up(puzzle.arrays.encode([puzzle.start]))
        path.unlink()
        with pytest.raises(CorruptError, match="is not there"):
            Library(works).verify()
        path.write_bytes(content)
    Library(works).verify()


def places(rng, content):
    return [0, len(content) - 1, *(rng.randrange(len(content)) for _ in range(10))]


def forged(works, change, puzzle):
    """Changes the manifest of a work, and makes the list of works fit it, as whoever serves a false library would."""
    path = works / puzzle.engine.fingerprint / "manifest.json"
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))
    listed = json.loads((works / "library.json").read_text())
    for work in listed["works"]:
        if work["rules"] == puzzle.engine.fingerprint:
            from puzzlekit.jobs.library.work import checksum

            work.update(manifest_bytes=path.stat().st_size, manifest_checksum=checksum(path.read_bytes()))
    (works / "library.json").write_text(json.dumps(listed))


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.update(rules="0" * 32),
        lambda data: data.update(schema="puzzlekit.work/2"),
        lambda data: data.update(states=-1),
        lambda data: data.update(states=2**70),
        lambda data: data.update(values=[1, 2]),
        lambda data: data.update(values=["a", 2, 3]),
        lambda data: data.update(complete="yes"),
        lambda data: data.update(distances=1),
        lambda data: data.update(key_bytes=2**40),
        lambda data: data["files"]["top"].update(bytes=2**60),
        lambda data: data["files"]["top"].update(bytes=1.5),
        lambda data: data["files"]["states"].update(bytes=True),
        lambda data: data["files"].pop("index"),
        lambda data: data.clear(),
    ],
)
def test_a_false_manifest_is_refused(change, works):
    puzzle = puzzlekit.load("slider:2,3")
    forged(works, change, puzzle)
    with pytest.raises(CorruptError, match=r"manifest\.json: it is no manifest of this work"):
        Library(works).of(puzzle)


def test_other_symmetries_are_refused(works):
    puzzle = puzzlekit.load("slider:2,3")
    forged(works, lambda data: data.update(symmetry_order=77), puzzle)
    with pytest.raises(LibraryError, match="up to 77 symmetries, and this version"):
        Library(works).of(puzzle)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "[" * 100_000,
        '{"schema": "puzzlekit.library/2", "works": []}',
        '{"schema": "puzzlekit.library/1", "works": [{"rules": "../../etc", "puzzle": "a", "kind": "values"}]}',
        '{"schema": "puzzlekit.library/1", "works": 3}',
        "<html></html>",
    ],
)
def test_a_false_list_is_refused(text, works):
    (works / "library.json").write_text(text)
    with pytest.raises(CorruptError, match=r"library\.json is no list of works"):
        Library(works).works()


def test_rules_that_are_others_are_noticed(works):
    """A work whose rules, kept as data, are not those by which it is found."""
    slider, game = (puzzlekit.load(text) for text in ("slider:2,3", "tictactoe:3,2,2"))
    other = (works / game.engine.fingerprint / "puzzle.json").read_bytes()
    from puzzlekit.jobs.library.work import checksum

    for content in (other, b"{}", b"\xff", b"[" * 10**5):
        (works / slider.engine.fingerprint / "puzzle.json").write_bytes(content)
        forged(
            works,
            lambda data, content=content: data["files"]["puzzle.json"].update(
                bytes=len(content), checksum=checksum(content)
            ),
            slider,
        )
        with pytest.raises(CorruptError, match="has not the rules"):
            Library(works).verify()


def test_a_damaged_library_is_passed_over(works):
    puzzle = puzzlekit.load("slider:2,3")
    states = works / puzzle.engine.fingerprint / "states"
    states.write_bytes(bytes(states.stat().st_size))
    told = []
    library = Library(works, warn=told.append)
    for _ in range(2):
        report = puzzle.solve("345/012", library=library)
        assert (report.length, report.solver, report.library) == (21, "optimal", None)
    assert len(told) == 1
    assert told[0].endswith("are not what was written; the library is damaged; now it is searched without the library")
    with pytest.warns(LibraryWarning, match="the library is damaged"):
        puzzle.solve("345/012", library=Library(works))
    with pytest.raises(CorruptError):
        Library(works).solver(puzzle)(puzzle, "345/012", budget=puzzlekit.Budget(), watch=lambda _: False)


def test_a_library_that_is_not_there_is_passed_over(tmp_path):
    told = []
    report = puzzlekit.load("slider:2,3").solve("345/012", library=Library(tmp_path / "none", warn=told.append))
    assert report.solver == "optimal"
    assert told == [
        f"{tmp_path}/none has no library.json, so it is no library; give another place, or add a job to it; "
        "now it is searched without the library"
    ]


def test_false_distances_are_not_believed(shelf, tmp_path, monkeypatch):
    """A library whose checksums are right, and whose numbers are not: the moves do not lead to the goal."""
    puzzle = puzzlekit.load("slider:2,3")
    true = writing._worths
    monkeypatch.setattr(writing, "_worths", lambda columns: (true(columns)[0], np.maximum(true(columns)[1] - 1, 0)))
    Library(tmp_path / "works").add(shelf / "slider")
    told = []
    report = puzzle.solve("345/012", library=Library(tmp_path / "works", warn=told.append))
    assert (report.length, report.solver) == (21, "optimal")
    assert len(told) == 1
    assert "it is damaged, or false" in told[0] or "is damaged" in told[0]


def test_what_a_library_says_of_a_state_that_it_lacks(shelf):
    library, slider = Library(shelf / "works"), puzzlekit.load("slider:2,3")
    assert slider.solve("345/012", library=library).solver == "library"
    with pytest.raises(UnsolvableError, match="parity"):  # known without a look-up
        slider.solve("345/021", library=library)
    asked = library.solver(slider)
    with pytest.raises(UnsolvableError, match=r"the library at .*works has all states that can reach it"):
        asked(slider, "345/021", budget=puzzlekit.Budget(), watch=lambda _: False)
    game = puzzlekit.load("tictactoe:3,2,2")
    with pytest.raises(JobError, match=r"the library at .*works does not have the state"):
        library.solver(game)(game, "XX/XX/..:O", budget=puzzlekit.Budget(), watch=lambda _: False)
    assert library.solver(puzzlekit.load("rotation")) is None
    with pytest.raises(UsageError, match="a library has the goal and the moves of the rules"):
        slider.solve("345/012", library=library, goal="0??/???")


def test_another_name_of_the_same_rules_finds_the_work(shelf):
    other = puzzle_of(puzzlekit.load("slider:2,3").rules())
    assert other.solve("345/012", library=Library(shelf / "works", name="ours")).library == "ours"


def test_environments_and_opponents_take_it(shelf):
    library, slider, game = Library(shelf / "works"), puzzlekit.load("slider:2,3"), puzzlekit.load("tictactoe:3,2,2")
    from puzzlekit.env import GameEnv, PuzzleEnv

    _, info = PuzzleEnv(slider, known=library.of(slider)).reset(options={"state": "345/012"})
    assert info["fewest"] == 21
    with pytest.raises(UsageError, match="known has the states of slider"):
        PuzzleEnv(puzzlekit.load("slider:2,2"), known=library.of(slider))
    env = GameEnv(game, known=library.of(game))
    env.reset(seed=1)
    assert env.infos[env.agent_selection]["value"] == game.solve(game.start).value
    asked = library.before(game)
    seen = asked.foresee(game.engine, "X./O./..:X", 4)
    assert seen == library.solver(game).foresee(game.engine, "X./O./..:X", 4)
    assert Opponent(2, "seed", asked).choose(game, "X./O./..:X") in game.legal_moves("X./O./..:X")


def test_two_libraries_are_asked_in_order(shelf, tmp_path):
    first, second = Library(tmp_path / "first"), Library(shelf / "works")
    first.add(shelf / "game")
    slider, game = puzzlekit.load("slider:2,3"), puzzlekit.load("tictactoe:3,2,2")
    for puzzle, place in ((slider, shelf / "works"), (game, tmp_path / "first")):
        solver = first.before(puzzle, second.before(puzzle))
        assert puzzle.solve(puzzle.start, solver).library == str(place)
        assert puzzle.solve(puzzle.start, solver).solver == "library"
    rotation = puzzlekit.load("rotate:2,3")
    report = rotation.solve(rotation.scramble("a").state, first.before(rotation, second.before(rotation)))
    assert (report.solver, report.library) == ("optimal", None)


def test_what_a_report_says(shelf):
    library = Library(shelf / "works", name="the shelf")
    found = puzzlekit.load("slider:2,3").solve("345/012", library=library)
    assert (
        str(found).splitlines()[0]
        == "slider:rows=2,columns=3: 21 moves, proven the fewest, by the library at the shelf"
    )
    data = found.to_data()
    assert (data["library"], data["proven_by"], data["solver"], data["optimal"]) == (
        "the shelf",
        "library",
        "library",
        True,
    )
    assert "library" not in puzzlekit.load("slider:2,3").solve("345/012").to_data()


def test_commands(command, shelf, tmp_path, monkeypatch):
    works, new = str(shelf / "works"), str(tmp_path / "new")
    added = command("library", "add", str(shelf / "game"), "--library", new)
    assert (added.code, added.err) == (0, "")
    assert added.out.startswith("tictactoe:rows=3,columns=2,win=2: values of 38 states, ")
    data = json.loads(command("library", "list", works, "--json").out)
    assert (data["schema"], data["library"], len(data["works"])) == ("puzzlekit.library.list/1", works, 2)
    assert data["works"][0]["states"] == 360
    assert "2 works in" in command("library", "list", works).out
    assert command("library", "verify", works).out.endswith("all as it should be\n")
    assert json.loads(command("library", "verify", works, "--json").out)["verified"] is True
    found = command("solve", "slider:2,3", "345/012", "--library", works)
    assert found.code == 0
    assert f"puzzlekit: 21 moves, the fewest, proven by the library at {works}, looked up in " in found.err
    assert f"because the library at {works} has the distance of each state" in found.err
    other = command("solve", "flipit:2,2", "--library", works, "--library", new)
    assert "by optimal in" in other.err
    value = json.loads(command("solve", "tictactoe:3,2,2", "--library", works, "--library", new, "--json").out)
    assert (value["library"], value["value"]) == (works, "win")
    assert command("library", "remove", "tictactoe:rows=3,columns=2,win=2", "--library", new).code == 0
    for arguments, code, told in (
        (("library", "list"), 2, "no library is named"),
        (("library", "list", str(tmp_path / "none")), 1, "so it is no library"),
        (("library", "remove", "slider", "--library", new), 1, "has no work of slider"),
        (("library", "add", str(shelf / "works"), "--library", new), 2, "no job"),
        (("solve", "slider:2,3", "--library", works, "--job", str(shelf / "slider")), 2, "leave it out with --job"),
        (("solve", "slider:2,3", "--library", works, "--goal", "0??/???"), 2, "leave it out with --job"),
    ):
        result = command(*arguments)
        assert (result.code, result.out) == (code, ""), arguments
        assert told in result.err
        assert result.err.count("\n") == 1
    monkeypatch.setenv("PUZZLEKIT_LIBRARY", works)
    assert "proven by the library" in command("solve", "slider:2,3", "345/012").err
    assert "by optimal in" in command("solve", "slider:2,3", "345/012", "--solver", "optimal").err
    assert command("solve", "slider:2,3", "345/012", "--goal", "345/012").code == 0
    assert command("library", "list").code == 0
    monkeypatch.setenv("PUZZLEKIT_LIBRARY", str(tmp_path / "none"))
    result = command("solve", "slider:2,3", "345/012")
    assert (result.code, result.out.strip().count(" ")) == (0, 20)
    assert result.err.startswith(f"puzzlekit: warning: {tmp_path}/none has no library.json")


def test_numpy_is_asked_for(command, shelf, monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    result = command("library", "list", str(shelf / "works"))
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert 'a library needs numpy, which is not installed; pip install "puzzlekit-core[library]"' in result.err
