"""The command line, as a process: what it prints, where, and its exit codes."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

VERBS = [("list",), ("info", "tictactoe"), ("enumerate", "tictactoe"), ("plugins", "list")]


def test_enumerate_prints_json(command):
    result = command("enumerate", "tictactoe", "--json")
    assert (result.code, result.err) == (0, "")
    data = json.loads(result.out)
    assert list(data) == [
        "schema", "puzzle", "complete", "symmetry_order", "backward", "depths", "states", "raw_states", "outcomes",
        "max_depth",
        "store", "store_reason", "seconds", "states_per_second", "peak_memory_bytes",
    ]  # fmt: skip
    assert data["schema"] == "puzzlekit.enumerate/1"
    assert data["puzzle"] == "tictactoe"
    assert data["complete"] is True
    assert data["symmetry_order"] == 8
    assert data["depths"][5] == {
        "depth": 5,
        "states": 174,
        "raw_states": 1260,
        "open": 153,
        "ended": {"X": 21, "O": 0, "draw": 0},
    }
    assert data["outcomes"] == {"X": 91, "O": 44, "draw": 3}
    assert (data["states"], data["raw_states"], data["max_depth"]) == (765, 5478, 9)
    assert data["seconds"] > 0
    assert data["states_per_second"] == pytest.approx(765 / data["seconds"])
    assert data["peak_memory_bytes"] > 2**20


def test_enumerate_prints_a_table(command):
    result = command("enumerate", "tictactoe")
    assert (result.code, result.err) == (0, "")
    rows = [line.split() for line in result.out.splitlines()]
    assert ["depth", "states", "raw", "states", "open", "X", "wins", "O", "wins", "draw"] in rows
    assert ["5", "174", "1,260", "153", "21", "0", "0"] in rows
    assert ["all", "765", "5,478", "627", "91", "44", "3"] in rows


def test_without_symmetry(command):
    data = json.loads(command("enumerate", "tictactoe", "--no-symmetry", "--json").out)
    assert data["symmetry_order"] == 1
    assert data["states"] == data["raw_states"] == 5478


def test_a_depth_limit(command):
    result = command("enumerate", "tictactoe", "--max-depth", "4", "--json")
    assert result.code == 3
    assert result.err == "puzzlekit: incomplete: stopped after depth 4, as --max-depth says\n"
    data = json.loads(result.out)
    assert data["complete"] is False
    assert [depth["states"] for depth in data["depths"]] == [1, 3, 12, 38, 108]
    assert "incomplete" in command("enumerate", "tictactoe", "--max-depth", "4").out
    assert command("enumerate", "tictactoe", "--max-depth", "9").code == 0


def test_list(command):
    assert "tictactoe" in command("list").out
    (entry,) = [p for p in json.loads(command("list", "--json").out)["puzzles"] if p["id"] == "tictactoe"]
    assert entry["parameters"] == ["rows=3", "columns=3", "win=3"]


def test_info(command):
    text = command("info", "tictactoe:4,4,2").out
    assert "tictactoe:rows=4,columns=4,win=2" in text
    assert "symmetries  8" in text
    assert "a whole number from 1 to 10" in text
    data = json.loads(command("info", "tictactoe:4,3,2", "--json").out)
    assert data["schema"] == "puzzlekit.info/1"
    assert (data["cells"], data["symmetry_order"], data["moves"], data["graph"]) == (12, 4, 24, "layered")
    assert data["start"] == ".../.../.../...:X"


def test_plugins_list(command):
    assert re.search(r"tictactoe +puzzlekit-tictactoe [0-9.]+ +tictactoe +ok", command("plugins", "list").out)
    (entry,) = [p for p in json.loads(command("plugins", "list", "--json").out)["plugins"] if p["name"] == "tictactoe"]
    assert (entry["puzzles"], entry["error"]) == (["tictactoe"], None)


def test_version_and_help(command):
    assert re.fullmatch(r"puzzlekit \d+\.\d+\.\d+\n", command("--version").out)
    for verb in ((), *VERBS):
        result = command(*verb[:1], *(verb[1:] if verb[:1] == ("plugins",) else ()), "--help")
        assert result.code == 0
        assert "Usage: puzzlekit" in result.out


@pytest.mark.parametrize("verb", VERBS)
def test_json_goes_to_stdout_alone(command, verb):
    result = command(*verb, "--json")
    assert (result.code, result.err) == (0, "")
    assert json.loads(result.out)["schema"] == f"puzzlekit.{'.'.join(verb if verb[0] == 'plugins' else verb[:1])}/1"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("enumerate", "tictactoe:0,3,3"), "rows of tictactoe is 0; give a whole number from 1 to 10"),
        (("enumerate", "tictactoe:3,3,9,9"), '"tictactoe:3,3,9,9" gives 4 values'),
        (("enumerate", "tictactoe:rows=x"), 'rows of tictactoe is "x"'),
        (("enumerate", "nosuch"), 'no puzzle "nosuch"; the puzzles are flipit, rotate, rotation, slider, tictactoe'),
        (("info", "nosuch"), 'there is no puzzle "nosuch"'),
        (("enumerate",), "missing argument 'ID'"),
        (("enumerate", "tictactoe", "--max-depth", "-1"), "max_depth is -1"),
        (("enumerate", "tictactoe", "--max-depth", "x"), "'x' is not a valid int"),
        (("enumerate", "tictactoe", "--threads", "0"), "threads is 0; give a whole number from 1 to 1024"),
        (("enumerate", "tictactoe", "--wrong"), "no such option: --wrong"),
        (("nosuchverb",), "no such command 'nosuchverb'"),
        (("--no-plugins", "enumerate", "tictactoe"), "no plugin is loaded that brings any"),
    ],
)
def test_nonsense_is_one_sentence_and_exit_2(command, arguments, message):
    result = command(*arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("puzzlekit: error: ")
    assert message in result.err
    assert result.err.count("\n") == 1
    assert result.err.endswith("\n")


@pytest.mark.parametrize("arguments", [(), ("plugins",)])
def test_no_arguments_show_the_help(command, arguments):
    result = command(*arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err == command(*arguments, "--help").out


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("arguments", [*VERBS, ("enumerate", "tictactoe", "--json"), ("--help",), ("--version",)])
def test_a_full_disk_is_one_sentence(arguments):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "puzzlekit", *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert done.stderr == (
        "puzzlekit: error: the result cannot be written: No space left on device; free some space or write elsewhere\n"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")
@pytest.mark.parametrize("columns", [30, 100])
def test_numbers_are_whole_on_a_terminal_of_any_width(columns):
    import pty

    program = "import sys; from puzzlekit.cli.app import run; sys.exit(run(['enumerate', 'tictactoe:4,4,2']))"
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(columns), "TERM": "dumb"}
    process = subprocess.Popen([sys.executable, "-c", program], stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(ours)
    assert process.wait() == 0
    for number in (b"159,765", b"20,100", b"10,189", b"6,341", b"4,702"):
        assert number in shown


def test_a_closed_output_is_no_traceback():
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; sys.stdout = None; from puzzlekit.cli.app import run; sys.exit(run(['list']))",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells a program's own peak")
def test_the_peak_is_that_of_the_program_alone():
    held = bytearray(200 << 20)
    held[:: 1 << 12] = b"x" * len(held[:: 1 << 12])
    done = subprocess.run(
        [sys.executable, "-m", "puzzlekit", "enumerate", "tictactoe", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert 5 << 20 < json.loads(done.stdout)["peak_memory_bytes"] < 100 << 20
    assert len(held) == 200 << 20
