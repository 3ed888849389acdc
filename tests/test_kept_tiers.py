"""Values that a job keeps beside bits: compared with a plain search, after interruptions and with damaged files."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings

import puzzlekit
from puzzlekit import CorruptError, JobError, LimitError, UsageError, jobs
from puzzlekit.jobs.kept import KeptStates
from puzzlekit.run.engine import Engine
from puzzlekit.run.job_parts import DepthSpan, JobFolder
from puzzlekit.run.memory import held_bytes
from tests.naive import Naive
from tests.profiles import cases
from tests.support import RunOptions
from tests.test_dense import placements
from tests.test_jobs import files, kill_and_resume
from tests.test_kept_values import same
from tests.test_values import UNDECIDED, expected, plain_values, told

NAMES = ("none", "win", "draw", "loss")


def rows_of(naive, states):
    """The states as rows of bytes."""
    return b"".join(bytes([*map(naive.symbols.index, cells), player]) for cells, player in states)


def hold_against_naive(rules, folder):
    """Checks the report, each state that is looked up, and each state that is read against a plain search."""
    naive, engine = Naive(rules.to_data()), Engine(rules)
    layers = naive.layers()
    states = [state for layer in layers for state in layer.raw]
    depth_of = {state: depth for depth, layer in enumerate(layers) for state in layer.raw}
    worth = plain_values(naive, states)
    for symmetry in (True, False):
        place = JobFolder(str(folder / str(symmetry)), "rules")
        options = RunOptions(symmetry=symmetry, threads=2, store="dense")
        report = engine.values("rules", options, None, place)
        assert (report.complete, report.store, report.distances) == (True, "dense", ())
        depths, _, start, _ = expected(naive, symmetry=symmetry)
        assert (told(report)[0], told(report)[2][0]) == (depths, start[0])
        assert same(report) == same(engine.values("rules", options))
        kept = KeptStates(engine, place)
        kept.verify(None, None)
        values, moves, found = kept.look_up().look_up(rows_of(naive, states))
        assert [NAMES[value] for value in values] == [worth.get(state, UNDECIDED)[0] for state in states]
        assert set(moves) <= {-1, 0}
        assert list(found) == [depth_of[state] if naive.outcome(state) is None else -1 for state in states]
        counted, wanted = Counter(), Counter()
        for batch in kept.table(DepthSpan(), 2**16, text=False):
            counted.update(zip(batch["depth"], batch["value"], batch["orbit_size"], strict=True))
        for depth, layer in enumerate(layers):
            for state in layer.raw:
                wanted[depth, NAMES.index(worth.get(state, UNDECIDED)[0]) - 1] += 1
        raw = Counter()
        for (depth, value, orbit), count in counted.items():
            raw[depth, value] += orbit * count
        assert raw == wanted
        written = files(folder / str(symmetry))
        assert same(engine.values("rules", options, None, place)) == same(report)
        assert files(folder / str(symmetry)) == written


@settings(max_examples=cases(40))
@given(placements())
def test_random_placements(tmp_path_factory, rules):
    if rules.players:
        hold_against_naive(rules, tmp_path_factory.mktemp("placements"))


@pytest.mark.parametrize("board", ["2,2,2", "1,6,3", "3,3,2", "3,3,3", pytest.param("2,5,3", marks=pytest.mark.slow)])
def test_small_boards(board, tmp_path):
    hold_against_naive(puzzlekit.load(f"tictactoe:{board}").rules(), tmp_path)


def test_what_play_does_not_reach_is_not_there(tmp_path):
    puzzle = puzzlekit.load("tictactoe:3,3,3")
    puzzle.values(out=tmp_path / "job", store="dense")
    reached = {state for layer in Naive(puzzle.rules().to_data()).layers() for state in layer.raw}
    marks = {"".join(cells): player for cells, player in reached}
    rng, texts = random.Random(8), []
    while len(texts) < 200:
        cells = "".join(rng.choice(".XO") for _ in range(9))
        if cells not in marks and puzzle.outcome(f"{cells[:3]}/{cells[3:6]}/{cells[6:]}:X") is None:
            texts.append(f"{cells[:3]}/{cells[3:6]}/{cells[6:]}:X")
    values, _, depths = puzzlekit.open_job(tmp_path / "job").look_up(puzzle.arrays.encode(texts))
    assert (set(values), set(depths)) == ({0}, {-1})


@pytest.mark.parametrize("symmetry", [True, False])
def test_bits_and_words_agree(symmetry, tmp_path):
    puzzle, rng = puzzlekit.load("tictactoe:3,4,3"), random.Random(3)
    for store in ("dense", "sparse"):
        puzzle.values(out=tmp_path / store, store=store, symmetry=symmetry, distances=store == "sparse")
    dense, sparse = (puzzlekit.open_job(tmp_path / store) for store in ("dense", "sparse"))
    states = []
    for _ in range(100):
        state = puzzle.start
        while moves := puzzle.legal_moves(state):
            states.append(state)
            state = puzzle.apply(state, rng.choice(moves))
    rows = puzzle.arrays.encode(states)
    found = [tuple(map(list, (job.look_up(rows)[0], job.look_up(rows)[2]))) for job in (dense, sparse)]
    assert found[0] == found[1]
    for state in states[::40]:
        answer = puzzle.solve(state, dense.solver)
        assert answer.value == puzzle.solve(state, sparse.solver).value
        after = puzzle.solve(puzzle.apply(state, answer.best[0]), sparse.solver).value
        assert after == {"win": "loss", "draw": "draw", "loss": "win"}[answer.value]


def test_values_after_a_count_are_those_of_one_run(tmp_path):
    puzzle = puzzlekit.load("tictactoe:3,4,3")
    whole = puzzle.values(out=tmp_path / "whole", store="dense")
    for depth in (0, 5, None):
        folder = tmp_path / str(depth)
        puzzle.enumerate(out=folder, store="dense", max_depth=depth)
        assert same(puzzle.values(out=folder, threads=1)) == same(whole)
        assert files(folder) == files(tmp_path / "whole")
    with pytest.raises(JobError, match="know no moves to the end"):
        puzzle.values(out=tmp_path / "whole", distances=True)
    with pytest.raises(UsageError, match="knows no moves to the end"):
        puzzle.values(out=tmp_path / "other", store="dense", distances=True)


def test_a_watch_may_stop_it_anywhere(tmp_path):
    puzzle = puzzlekit.load("tictactoe:4,4,4")
    whole = puzzle.values(out=tmp_path / "whole", store="dense")
    for last in (1, 2, 9, 15, 16):

        def watch(progress, last=last, seen=[0]):  # noqa: B006 - remembers how deep the search forward was
            seen[0] = max(seen[0], progress.depth)
            return seen[0] >= 15 and progress.depth < last

        report = puzzle.values(out=tmp_path / "job", store="dense", threads=1, watch=watch)
        known = len(jobs.status(tmp_path / "job")["values"]["depths"])
        assert report.complete or known <= 17 - last
    report = puzzle.values(out=tmp_path / "job")
    assert same(report) == same(whole)
    assert files(tmp_path / "job") == files(tmp_path / "whole")


@pytest.mark.slow  # the quick run kills a job of values without tiers
def test_a_job_that_is_killed_comes_out_the_same(tmp_path):
    assert kill_and_resume(["tictactoe:4,4,4", "--store", "dense"], 2, tmp_path, 1, verb="values") > 0


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_fifty_kills(tmp_path):
    assert kill_and_resume(["tictactoe:4,5,4"], 50, tmp_path, 2, verb="values") > 5


def test_a_flipped_byte_is_found(tmp_path):
    puzzle, job, rng = puzzlekit.load("tictactoe:3,3,3"), tmp_path / "job", random.Random(9)
    puzzle.values(out=job, store="dense")
    rows = puzzle.arrays.encode(["XO./.../...:X"])
    known = [list(column) for column in puzzlekit.open_job(job).look_up(rows)]
    assert known == [[1], [-1], [2]]
    name = "depth-00002.values"
    content = (job / name).read_bytes()
    for at in range(len(content)):
        flipped = bytearray(content)
        flipped[at] ^= 1 << rng.randrange(8)
        (job / name).write_bytes(flipped)
        with pytest.raises(CorruptError, match="the job is damaged"):
            puzzlekit.open_job(job).look_up(rows)
        if at % 5 == 0:
            with pytest.raises(CorruptError, match="the job is damaged"):
                puzzlekit.open_job(job).verify()
    (job / name).write_bytes(content)
    puzzlekit.open_job(job).verify()
    # A wrong value is found even if its file has the right checksum: here, the file is that of another game.
    other = tmp_path / "other"
    puzzlekit.load("tictactoe:3,3,2").values(out=other, store="dense")
    (job / name).write_bytes((other / name).read_bytes())
    with pytest.raises(CorruptError, match="the job is damaged"):
        puzzlekit.open_job(job).verify()


def test_limits_are_kept_to(tmp_path):
    puzzle = puzzlekit.load("tictactoe:5,4,4")
    with pytest.raises(LimitError, match=r"would take .*, and the limit leaves .*; give more memory"):
        puzzle.values(out=tmp_path / "memory", store="dense", memory=held_bytes() + 2**20)
    small = puzzlekit.load("tictactoe:4,4,4")
    small.values(out=tmp_path / "whole", store="dense")
    takes = sum(path.stat().st_size for path in (tmp_path / "whole").glob("depth-*"))
    with pytest.raises(puzzlekit.DiskError, match="the files would take more than --disk allows"):
        small.values(out=tmp_path / "job", store="dense", disk=takes - 1)
    small.values(out=tmp_path / "job", disk=takes)
    assert files(tmp_path / "job") == files(tmp_path / "whole")


def test_the_command_answers_from_it(tmp_path, command):
    job = str(tmp_path / "job")
    assert command("values", "tictactoe", "--store", "dense", "--out", job).code == 0
    assert command("status", job).out == "tictactoe: 765 states to depth 9, complete, with values\n"
    assert command("verify", job).code == 0
    assert '"store": "dense"' in command("resume", job, "--json").out
    answer = command("solve", "tictactoe", "XX./OO./...:X", "--job", job)
    assert (answer.code, answer.out.split()[0]) == (0, "2")
    assert command("play", "tictactoe", "--job", job, given="0\nquit\n").code == 0
    assert command("export", job, "--to", str(tmp_path / "a.csv")).code == 0
    lines = (tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert Counter(line.split(",")[4] for line in lines) == {"win": 390, "draw": 151, "loss": 224}
