"""Forecasts: how far a count comes that is too large to end, how long another takes, and silence on request."""

import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import puzzlekit
from puzzlekit.cli.enumerate import rounded
from puzzlekit.cli.progress import ProgressLine, clock, describe, whole_part
from puzzlekit.run.forecast import forecast
from puzzlekit.run.memory import held_bytes
from puzzlekit.run.overridable import count_reachable
from puzzlekit.run.progress import Progress
from tests.support import RunOptions
from tests.test_cli import on_terminal

ROOT = Path(__file__).parent.parent


def room():
    """A limit that leaves a run 150 MiB beside what this process holds."""
    return held_bytes() + 150 * 2**20


@pytest.mark.parametrize(
    ("name", "symmetry"),
    [
        *(("slider:4,4", True), ("flipit:8,8", False)),
        *(
            pytest.param(*rest, marks=pytest.mark.slow)
            for rest in (("slider:4,4", False), ("slider:5,5", True), ("slider:5,5", False))
        ),
        *(pytest.param(*rest, marks=pytest.mark.slow) for rest in (("rotate:4,4", True), ("rotate:4,4", False))),
        pytest.param("flipit:8,8", True, marks=pytest.mark.slow),
    ],
)
def test_a_count_stops_about_where_it_was_foretold(name, symmetry):
    """The forecast is at most a depth away from what the run does with as little memory.

    That is tried in a new process: one that has counted before holds memory that a run may take, or may not.
    """
    program = f"from tests import test_forecast; test_forecast.check_forecast({name!r}, {symmetry})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr


def check_forecast(name, symmetry):
    puzzle = puzzlekit.load(name)
    options = RunOptions(memory=room(), symmetry=symmetry)
    foretold = forecast(puzzle.engine, str(puzzle), options, puzzle.count_reachable())
    report = puzzle.enumerate(options)
    assert report.stopped == "memory"
    assert abs(report.max_depth - foretold.depth) <= 1
    assert foretold.states >= puzzle.count_reachable() // puzzle.engine.symmetry_order
    assert foretold.counted < foretold.states
    if report.max_depth == foretold.depth:
        assert report.states / 2 < foretold.counted < report.states * 2


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("slider:3,3", {}),
        ("slider:3,4", {}),  # a perfect index holds all
        ("tictactoe:5,5,4", {}),  # nothing is known of the number of states
        ("slider:5,5", {"max_depth": 6}),
        ("slider:3,3", {"store": "sparse"}),
    ],
)
def test_a_count_that_may_end_has_no_forecast(name, options):
    puzzle = puzzlekit.load(name)
    assert forecast(puzzle.engine, name, RunOptions(**options), count_reachable(puzzle)) is None


@pytest.mark.parametrize("name", ["slider:4,4", "flipit:8,8", "cube3"])
def test_a_count_to_a_near_depth_is_foretold_as_by_a_whole_probe(name, monkeypatch):
    """Whether there is room is seen at a glance if there is far more than enough; what is foretold stays the same."""
    puzzle = puzzlekit.load(name)
    reachable, glances = count_reachable(puzzle), []

    def foretold():
        runs = [(depth, disk) for depth in (1, 5, 12, 10**9) for disk in (2**19, 2**36)]
        return [forecast(puzzle.engine, name, RunOptions(max_depth=depth), reachable, disk) for depth, disk in runs]

    glance = puzzlekit.run.forecast._ends_early
    monkeypatch.setattr(
        "puzzlekit.run.forecast._ends_early", lambda *given: glances.append(glance(*given)) or glances[-1]
    )
    shorter = foretold()
    assert True in glances
    assert False in glances
    monkeypatch.setattr("puzzlekit.run.forecast._ends_early", lambda *_: False)
    assert [each is None for each in shorter] == [each is None for each in foretold()]


def test_a_count_to_a_near_depth_is_not_counted_twice(monkeypatch):
    """Neither a perfect index nor a whole probe is looked at, which would take longer than the count."""
    puzzle, most = puzzlekit.load("slider:4,4"), []
    probe = puzzlekit.run.forecast.probe

    def probed(engine, name, options, states, seconds):
        depths = probe(engine, name, options, states, seconds)
        most.append(sum(depth.states for depth in depths))
        return depths

    monkeypatch.setattr("puzzlekit.run.forecast.probe", probed)
    monkeypatch.setattr("puzzlekit.run.forecast._fits", lambda *_, **__: pytest.fail("an index is planned"))
    assert forecast(puzzle.engine, "slider:4,4", RunOptions(max_depth=18), count_reachable(puzzle), 2**40) is None
    assert 100 <= most[-1] < 10_000


def test_backward_counts_are_foretold_too():
    puzzle = puzzlekit.load("slider:4,4")
    options = RunOptions(memory=room(), backward=True)
    foretold = forecast(puzzle.engine, str(puzzle), options, puzzle.count_reachable())
    assert abs(puzzle.enumerate(options).max_depth - foretold.depth) <= 1


def test_a_job_is_bounded_by_its_disk():
    puzzle = puzzlekit.load("slider:5,5")
    small, large = (
        forecast(puzzle.engine, str(puzzle), RunOptions(), puzzle.count_reachable(), disk) for disk in (2**21, 2**40)
    )
    assert small.held == 2**21 // 16
    assert 10 < small.depth < large.depth
    assert small.counted <= small.held


def test_enumerate_tells_how_far_it_will_come(process):
    # What the process holds already counts, too. So a memory is chosen with which a few megabytes change no depth.
    run = ("enumerate", "slider:5,5", "--memory", "150MiB")
    result = process(*run)
    first, last = result.err.splitlines()
    assert re.fullmatch(
        r"puzzlekit: slider:rows=5,columns=5: of 7\.8 x 10\^24 states, the memory holds some [\d.]+ million at a time, "
        r"so the count is expected to stop after depth 1\d or so, with [\d.]+ million states; --max-depth stops it "
        r"before; with --out, the disk holds what the memory does not",
        first,
    )
    assert last.startswith("puzzlekit: incomplete: stopped after depth 1")
    assert process(*run, "--quiet").err.splitlines() == [last]
    assert process(*run, "-q", "--max-depth", "3").err.startswith("puzzlekit: incomplete")
    assert "expected" not in process("enumerate", "slider:3,3").err


def test_a_dry_run_tells_it_too(process):
    run = ("enumerate", "slider:5,5", "--memory", "200MiB", "--dry-run")
    assert "\nends    not here: of 7.8 x 10^24 states, the memory holds" in process(*run).out
    data = json.loads(process(*run, "--json").out)
    assert list(data["forecast"]) == ["states", "held", "depth", "counted"]
    assert data["forecast"]["states"] == data["reachable"]
    assert json.loads(process("enumerate", "rotation", "--dry-run", "--json").out)["forecast"] is None
    assert "the disk holds some" in process(*run, "--out", "nowhere", "--disk", "4MiB").out


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (7, "7"),
        (999, "1,000"),
        (1_500_000, "1.5 million"),
        (10**9, "1 billion"),
        (10**13, "1.0 x 10^13"),
        (2**2048, "3.2 x 10^616"),
    ],
)
def test_numbers_are_rounded(number, text):
    assert rounded(number) == text


class Clock:
    """A clock that a test sets."""

    def __init__(self):
        self.now = 100.0

    def monotonic(self):
        return self.now


@pytest.fixture
def told(monkeypatch):
    """Makes a line with options, and returns a function that shows it progress at a time, and what it says then."""
    clock_of_test, said = Clock(), []
    monkeypatch.setattr("puzzlekit.cli.progress.time", clock_of_test)
    monkeypatch.setattr("puzzlekit.cli.progress.say", said.append)

    def make(**options):
        line = ProgressLine(**options)

        def show(after, **progress):
            said.clear()
            clock_of_test.now = 100.0 + after
            line.show(Progress(**progress))
            return said[:]

        return show

    return make


def test_the_whole_run_is_told_if_the_total_is_known(told):
    show = told(total=1000)
    assert show(0, depth=0, frontier=1, states=1) == []
    assert show(40, depth=5, frontier=100, expanded=50, states=250) == [
        "20 %, 0:40, 2:40 left, 5 states/s, depth 5, 250 states"
    ]


def test_a_run_that_goes_on_counts_its_own_states_alone(told):
    """Half was expanded before. A quarter more takes 40 s, so the last quarter takes 40 s again."""
    show = told(total=1000)
    assert show(0, depth=4, frontier=100, states=600) == []
    assert show(40, depth=5, frontier=100, states=850)[0].startswith("75 %, 0:40, 0:40 left, 6 states/s")


def test_on_a_terminal_each_shorter_answer_has_a_line(told, monkeypatch):
    monkeypatch.setattr("puzzlekit.cli.progress.sys", SimpleNamespace(stderr=SimpleNamespace(isatty=lambda: True)))
    monkeypatch.setattr(ProgressLine, "_show_live", lambda *_: None)
    show = told()
    assert show(0.1, at_most=30, at_least=10) == []  # a short run shows nothing
    assert show(0.6, at_most=24, at_least=11) == ["at most 24 moves, at least 11, after 0.6 s"]
    assert show(0.7, at_most=24, at_least=12) == []
    assert show(7, at_most=20, at_least=16) == ["at most 20 moves, at least 16, after 7.0 s"]


def test_without_a_total_the_depth_is_told(told):
    show = told()
    assert show(20, depth=5, frontier=100, states=250) == []
    assert show(40, depth=5, frontier=100, expanded=50, states=250) == [
        "0:40, depth 5, 50/100 of it in 0:20, 2 states/s, 250 states"
    ]


def test_the_time_that_a_limit_leaves_is_told(told):
    show = told(limit=60)
    assert show(0) == []
    assert show(40, states=7) == ["0:40, 0:20 left, 7 states"]


def test_a_quiet_line_says_nothing(told):
    assert told(total=1000, quiet=True)(100, depth=5, frontier=100, states=850) == []


def test_the_part_is_never_more_than_all():
    assert whole_part(Progress(frontier=1, expanded=9, states=12), 10) == 1.0
    assert whole_part(Progress(frontier=1, states=1), 10) is None
    assert whole_part(Progress(states=5), None) is None
    assert clock(59.9) == "0:59"
    assert describe(Progress(states=3), 0) == "3 states"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")
@pytest.mark.parametrize(("columns", "bar"), [(120, True), (60, False)])
def test_a_bar_on_a_terminal(columns, bar, tmp_path):
    """Progress that is shown at once makes the bar appear in a run of less than a second, too."""
    (tmp_path / "sitecustomize.py").write_text("import puzzlekit.cli.progress as p\np.FIRST_AFTER = 0.0\n")
    run = ("enumerate", "rotate:2,5", "--store", "sparse", "--threads", "1")
    shown = on_terminal(*run, columns=columns, path=str(tmp_path), TERM="xterm")
    assert ("━" * 24 in re.sub(r"\x1b\[[0-9;]*m", "", shown)) == bar
    assert re.search(r"\d+ %, \d:\d\d, \d:\d\d left, [\d,]+ states/s, depth \d+", shown)
    if bar:
        quiet = on_terminal(*run, "-q", columns=columns, path=str(tmp_path), TERM="xterm")
        assert " left" not in quiet


@pytest.mark.parametrize(
    "arguments",
    [
        ("enumerate", "rotation"),
        ("values", "tictactoe"),
        ("solve", "slider"),
        ("survey", "slider:2,2"),
        ("resume", "job", "--max-depth", "7"),
        ("export", "job", "--to", "all.csv"),
    ],
)
def test_every_verb_with_progress_can_be_quiet(arguments, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert command("enumerate", "slider:3,3", "--max-depth", "5", "--out", "job", "-q").code == 3
    made = []
    before = ProgressLine.__init__
    monkeypatch.setattr(
        ProgressLine, "__init__", lambda *a, **options: (made.append(options), before(*a, **options))[1]
    )
    command(*arguments)
    (tmp_path / "all.csv").unlink(missing_ok=True)
    command(*arguments, "-q")
    assert [options["quiet"] for options in made] == [False, True]


def test_the_memory_of_a_line_of_progress_is_what_is_held():
    """Values reserve more memory than they touch; the line of progress tells no more than the process holds."""
    told = describe(Progress(states=5, store_bytes=2**50), 0)
    held = int(re.search(r"([\d,]+) MiB$", told)[1].replace(",", ""))
    assert 0 < held < 2**20
    assert describe(Progress(states=5, store_bytes=2**20), 0) == "5 states, 1 MiB"
    assert describe(Progress(states=5), 0) == "5 states"


@pytest.mark.parametrize(
    ("name", "needed"),
    [("flipit:3,3", 5 * 4), ("slider:4,4", 5 * 8), ("slider:5,5", 5 * 16), ("slider:6,6", 3 * 32 + 32)],
)
def test_the_engine_says_how_much_memory_a_state_takes(name, needed):
    """A state of a word up to 128 bits takes four slots and a place in a list.

    A wider one takes two places in the list of its set, which may have grown to twice its length, a place in the list
    of new states, and four slots of eight bytes.
    """
    assert puzzlekit.load(name).engine.state_bytes == needed
