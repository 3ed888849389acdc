"""The command line, as a process: what it prints, on which stream, and its exit codes."""

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import time
import unicodedata
from pathlib import Path

import pytest

import puzzlekit
from puzzlekit.cli import streams
from puzzlekit.cli.options import THREADS_VARIABLE
from puzzlekit.errors import UsageError
from puzzlekit.web import serving
from tests.nursery import Command

LONG = "x" * 300
"""A name that is too long for a file."""

VERBS = [("list",), ("info", "tictactoe"), ("enumerate", "tictactoe"), ("plugins", "list")]


def test_enumerate_prints_json(command):
    result = command("enumerate", "tictactoe", "--json")
    assert (result.code, result.err) == (0, "")
    data = json.loads(result.out)
    assert list(data) == [
        "schema", "puzzle", "complete", "symmetry_order", "backward", "backward_over", "depths", "states", "raw_states",
        "unsolvable", "raw_unsolvable", "outcomes", "max_depth",
        "store", "store_reason", "generated", "seconds", "states_per_second", "peak_memory_bytes",
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
    assert data["generated"] == 2270


def test_enumerate_prints_a_table(command):
    result = command("enumerate", "tictactoe")
    assert (result.code, result.err) == (0, "")
    rows = [line.split() for line in result.out.splitlines()]
    assert ["depth", "states", "raw", "states", "open", "X", "wins", "O", "wins", "draw"] in rows
    assert ["5", "174", "1,260", "153", "21", "0", "0"] in rows
    assert ["all", "765", "5,478", "627", "91", "44", "3"] in rows
    assert re.search(r"^2,270 successors, [\d,]+ MiB of memory at the most$", result.out, re.MULTILINE)
    frogs = command(
        "enumerate", str(Path(__file__).parent.parent / "python" / "puzzlekit" / "gallery" / "frogs.py")
    ).out
    assert re.search(r"^depth +states +raw states +open +ended solved +ended stuck$", frogs, re.MULTILINE)
    hanoi = command("enumerate", "hanoi:10").out
    assert re.search(r"^ +1023 +1,024 ", hanoi, re.MULTILINE)  # no comma in a depth


def test_a_puzzle_has_no_column_of_noughts(command):
    """Every slide can be undone, so no state is stuck and all can be solved: outcomes without states have no column."""
    rows = command("enumerate", "slider:2,3").out.splitlines()
    assert rows[2].split() == ["depth", "states", "raw", "states", "open"]
    assert command("values", "slider:2,3").out.splitlines()[2].split() == ["depth", "solvable"]
    pegs = Path(__file__).parent.parent / "python" / "puzzlekit" / "gallery" / "frogs.py"
    assert command("values", str(pegs)).out.splitlines()[2].split() == ["depth", "solvable", "unsolvable"]


def test_the_table_as_csv(command):
    result = command("enumerate", "tictactoe", "--csv")
    lines = result.out.splitlines()
    assert (lines[0], lines[6], len(lines)) == ("depth,states,raw_states,open,X,O,draw", "5,174,1260,153,21,0,0", 11)
    assert command("enumerate", "tictactoe", "--csv", "--json").code == 2


@pytest.mark.parametrize("backward", [[], ["--backward"]])
def test_the_hardest_states_without_a_folder(backward, command, tmp_path):
    run = ("enumerate", "slider:2,3", *backward)
    told = json.loads(command(*run, "--hardest", "3", "--json").out)
    assert command(*run, "--out", str(tmp_path / "job")).code == 0
    kept = json.loads(command("export", str(tmp_path / "job"), "--hardest", "3", "--json").out)
    assert told["hardest"] == kept["states"]
    table = command(*run, "--hardest", "3").out
    assert table.count(told["hardest"][0]["state"]) == 1
    assert command(*run, "--hardest", "0").code == 2


THREADED = {
    "solve": ["rotation", "213/456/789"],
    "survey": ["slider:2,3"],
    "scramble": ["rotation", "--seed", "1"],
    "draw": ["rotation", "--solve"],
    "play": ["rotation", "--seed", "1"],
    "plugins check": ["slider:2,2"],
}


COUNTS_THREADS = """
import json, os, re, sys, time
import puzzlekit
from puzzlekit.cli.app import run

def counted():
    return re.search(r"Threads:\\s+(\\d+)", open("/proc/self/status").read())[1]

for words in json.loads(sys.argv[1]):
    child = os.fork()  # each command is the first of its process
    if child:
        assert os.waitpid(child, 0)[1] == 0
        continue
    run(words)
    puzzle = puzzlekit.load("rotation")
    puzzle.arrays.canonical_rows(puzzle.arrays.encode([puzzle.start]))
    for _ in range(50):
        if counted() == "6":
            break
        time.sleep(0.02)  # one that has ended may still be there
    print("threads:", counted(), file=sys.stderr, flush=True)
    os._exit(0)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells how many threads there are")
def test_every_verb_that_uses_threads_takes_their_number(command):
    each = [[*verb.split(), *words, "--threads"] for verb, words in THREADED.items()]
    for words in each:
        assert command(*words, "0").err.startswith("puzzlekit: error: --threads is 0"), words
    done = subprocess.run(
        [sys.executable, "-c", COUNTS_THREADS, json.dumps([[*words, "5"] for words in each])],
        capture_output=True,
        text=True,
        check=True,
        input="",
    )
    # Six threads: the main one, and the five that all calls without a number of their own share.
    assert [line for line in done.stderr.splitlines() if line.startswith("threads: ")] == ["threads: 6"] * len(each)


def test_the_processes_of_a_server_take_the_number_of_threads(command, monkeypatch):
    """The command sets a variable of the environment, with which the processes of the server are started."""
    seen = []

    def bind(_host, _port):
        seen.append(os.environ[THREADS_VARIABLE])
        raise UsageError("the test ends here")

    monkeypatch.setattr(serving, "bind", bind)
    assert command("serve", "--threads", "0").err.startswith("puzzlekit: error: --threads is 0")
    assert command("serve", "--threads", "3").err == "puzzlekit: error: the test ends here\n"
    assert seen == ["3"]


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
    assert (data["symmetries"]["declared_keeping_turn"], data["symmetries"]["found_keeping_turn"]) == (4, 4)
    line = "symmetries  8 declared, 8 found; as many again swap the players, which enumerate does not use\n"
    assert line in text
    # Both players have moves with these names. Each name is listed once.
    assert "moves       32, named 0 1 2 3 4 5 6 7 8 9 ...\n" in text
    assert data["move_names"] == [str(cell) for cell in range(12)]
    assert "moves       24, named R D L U\n" in command("info", "slider:3,3").out


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
        (("enumerate",), "ID is missing: a puzzle of puzzlekit list"),
        (("enumerate", "tictactoe", "--max-depth", "-1"), "--max-depth is -1"),
        (("values", "tictactoe", "--grundy"), "; leave --grundy out"),
        (("scramble", "tictactoe", "--needs", "3"), "; leave --needs out"),
        (("values", "slider:2,2", "--starts", "both"), "--starts is 'both'"),
        (
            ("enumerate", "tictactoe", "--max-depth", "x"),
            "--max-depth is 'x'; give a whole number; see puzzlekit",
        ),
        (("serve", "--port", "-1"), "--port is -1; give a whole number from 0 to 65535"),
        (("enumerate", "tictactoe", "--threads", "0"), "--threads is 0; give a whole number from 1 to 1024"),
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


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("arguments", [*VERBS, ("enumerate", "tictactoe", "--json"), ("--help",), ("--version",)])
def test_a_full_disk_is_one_sentence(arguments):
    with (
        Path("/dev/full").open("w") as full,
        Command(*arguments, stdout=full, stderr=subprocess.PIPE, text=True) as done,
    ):
        _, err = done.communicate(timeout=60)
    assert done.returncode == 1
    assert err == (
        "puzzlekit: error: the result cannot be written: No space left on device; free some space or write elsewhere\n"
    )


def on_terminal(*arguments, columns=100, path="", code=0, **variables):
    """Runs the command on a terminal, and returns what it shows there."""
    import pty

    ours, theirs = pty.openpty()
    path = os.pathsep.join([path, os.environ.get("PYTHONPATH", "")]).strip(os.pathsep)
    environment = {**os.environ, "COLUMNS": str(columns), "TERM": "dumb", "PYTHONPATH": path, **variables}
    process = Command(*arguments, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the program has ended
            break
        if not part:
            break
        shown += part
    os.close(ours)
    assert process.wait() == code
    return shown.decode()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")
@pytest.mark.parametrize("columns", [30, 100])
def test_numbers_are_whole_on_a_terminal_of_any_width(columns):
    shown = on_terminal("enumerate", "tictactoe:4,4,2", columns=columns)
    for number in ("159,765", "20,100", "10,189", "6,341", "4,702"):
        assert number in shown


# Every verb, the beginning of its output, and its exit code.
EVERY_VERB = {
    ("list",): ("puzzle ", 0),
    ("info", "tictactoe"): ("tictactoe: ", 0),
    ("info", "nosuch"): ("", 2),
    ("enumerate", "tictactoe", "--max-depth", "2", "--json"): ("{", 3),
    ("enumerate", "tictactoe", "--out", "new"): ("tictactoe, ", 0),
    ("resume", "job"): ("tictactoe, ", 0),
    ("status", "job"): ("tictactoe: ", 0),
    ("verify", "job"): ("tictactoe: ", 0),
    ("export", "job", "--hardest", "1"): ("tictactoe: ", 0),
    ("scramble", "slider", "--seed", "1"): ("", 0),
    ("solve", "tictactoe", "XX./OO./..."): ("2", 0),
    ("solve", "tictactoe", "-"): ("", 2),
    ("play", "slider", "--seed", "1"): ("slider. ", 0),
    ("plugins", "list"): ("plugin ", 0),
    ("doctor", "--help"): ("Usage: ", 0),
    ("--help",): ("Usage: ", 0),
    ("--version",): ("puzzlekit ", 0),
}


FEW_VERBS = [("info", "nosuch"), ("enumerate", "tictactoe", "--out", "new"), ("solve", "tictactoe", "-")]
SOME_VERBS = [*FEW_VERBS, ("resume", "job"), ("verify", "job"), ("play", "slider", "--seed", "1"), ("--help",)]


def with_streams(redirections, folder, verbs):
    """Runs verbs all at once with some streams closed, and returns the codes, outputs and messages."""
    folder.mkdir()
    puzzlekit.load("tictactoe").enumerate(out=folder / "job")
    running = [
        subprocess.Popen(
            ["sh", "-c", f'exec "$@" {redirections}', "sh", sys.executable, "-m", "puzzlekit", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
        )
        for arguments in verbs
    ]
    for arguments, process in zip(verbs, running, strict=True):
        out, err = process.communicate(timeout=120)
        yield arguments, EVERY_VERB[arguments], process.returncode, out, err


SHELL = pytest.mark.skipif(sys.platform == "win32", reason="a shell closes the streams")


@SHELL
@pytest.mark.parametrize("verbs", [SOME_VERBS, pytest.param(EVERY_VERB, marks=pytest.mark.slow)], ids=["some", "every"])
def test_a_closed_output_is_refused_before_anything_is_done(verbs, tmp_path):
    for arguments, _, code, out, err in with_streams(">&-", tmp_path / "out", tuple(verbs)):
        assert (code, out) == (1, ""), arguments
        assert err == (
            "puzzlekit: error: stdout is closed, so the result has nowhere to go; leave it open, or send it to a file\n"
        )
    for arguments, _, code, out, err in with_streams(">&- 2>&-", tmp_path / "both", FEW_VERBS):
        assert (code, out, err) == (1, "", ""), arguments
    assert sorted(path.name for path in tmp_path.glob("*/*")) == ["job", "job"]


@SHELL
@pytest.mark.parametrize(
    ("redirections", "verbs"),
    [
        *(("2>&-", FEW_VERBS), ("<&-", FEW_VERBS), ("2>&- <&-", SOME_VERBS), ("2<&0", FEW_VERBS)),
        pytest.param("2>&- <&-", EVERY_VERB, marks=pytest.mark.slow),
    ],
    ids=lambda each: each if isinstance(each, str) else f"{len(each)} verbs",
)
def test_closed_messages_and_input_change_no_result(redirections, verbs, tmp_path):
    for arguments, (begins, expected), code, out, err in with_streams(redirections, tmp_path / "run", tuple(verbs)):
        assert code == expected, arguments
        assert out.startswith(begins), arguments
        assert (out == "") == (expected == 2), arguments
        assert "Traceback" not in err, arguments
    # If a file of the job had got the descriptor of a closed stream, messages would have damaged it.
    assert puzzlekit.open_job(tmp_path / "run" / "new").verify()["complete"] is True


HOSTILE = "\x1b[31m\x07\x9b2J\u202e\u2066\r\x7f"
ESCAPED = r"\x1b[31m\x07\u009b2J\u202e\u2066\r\x7f"

EVIL = f"""
from dataclasses import dataclass
from puzzlekit import End, Puzzle, Rules, hookimpl, put

@dataclass(frozen=True)
class Evil(Puzzle):
    __doc__ = {HOSTILE!r}
    id = "evil"
    word: str = "x"

    def rules(self):
        if self.word == "fail":
            raise ValueError({HOSTILE!r})
        ends = [End("lost" + {HOSTILE!r}, {{0: "b"}})]
        return Rules(symbols="ab", start="a", goal="b", ends=ends, moves=[put(0, "b").named("go")])

@hookimpl
def puzzlekit_register_puzzles(register):
    register(Evil)
"""


@pytest.fixture
def hostile(tmp_path):
    """A folder with a plugin whose texts are all hostile, a plugin that fails with such a text, and a job."""
    names = {
        "evil": (EVIL, "evil"),
        "bad": (f"raise ValueError({HOSTILE!r})", f"bad{HOSTILE[:-2]}"),  # a name cannot have the end of a line
    }
    for name, (source, entry) in names.items():
        (tmp_path / f"puzzlekit_{name}.py").write_text(source, encoding="utf-8")
        info = tmp_path / f"puzzlekit_{name}-1.0.dist-info"
        info.mkdir()
        metadata = f"Metadata-Version: 2.1\nName: puzzlekit-{name}\nVersion: 1.0\x1b[0m\n"
        (info / "METADATA").write_text(metadata, encoding="utf-8")
        (info / "entry_points.txt").write_text(f"[puzzlekit]\n{entry} = puzzlekit_{name}\n", encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    return tmp_path, {**os.environ, "PYTHONPATH": path}


def harmless(text):
    """Returns `True` if a terminal shows a text and does nothing else with it."""
    return all(unicodedata.category(character) not in ("Cc", "Cf", "Cs") for character in text.replace("\n", ""))


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("list",), 0),
        (("plugins", "list"), 0),
        (("doctor",), 1),
        (("info", "evil"), 0),
        (("enumerate", "evil"), 0),
        (("enumerate", "evil:fail"), 5),
        (("enumerate", f"evil:{HOSTILE}"), 2),
        (("enumerate", HOSTILE), 2),
        (("enumerate", "evil", "--store", HOSTILE), 2),
        (("enumerate", "evil", "--memory", HOSTILE), 2),
        (("enumerate", "evil", f"--{HOSTILE}"), 2),
        ((HOSTILE,), 2),
        (("solve", "evil", HOSTILE), 2),
        (("status", HOSTILE), 2),
    ],
)
def test_nothing_that_is_shown_commands_the_terminal(arguments, code, hostile, process):
    _, environment = hostile
    result = process(*arguments, environment=environment)
    assert result.code == code
    assert harmless(result.out + result.err)
    # Some messages show the text as `repr` does, others as `puzzlekit.cli.terminal.plain` does.
    assert re.search(r"\\x1b\[31m\\x07\\(u00|x)9b2J\\u202e\\u2066", result.out + result.err)


def test_json_keeps_what_messages_escape(hostile, process):
    _, environment = hostile
    summaries = {
        p["id"]: p["summary"] for p in json.loads(process("list", "--json", environment=environment).out)["puzzles"]
    }
    assert summaries["evil"] == HOSTILE.strip()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")
def test_a_table_on_a_terminal_is_escaped_too(hostile):
    folder, _ = hostile
    shown = on_terminal("enumerate", "evil", path=str(folder), columns=200)
    assert "━" in shown or "─" in shown  # drawn by rich
    assert f"lost{ESCAPED}" in shown
    assert harmless(shown.replace("\r\n", "\n"))


def test_a_hostile_manifest_is_escaped(tmp_path, command):
    job = tmp_path / "job"
    puzzlekit.load("tictactoe").enumerate(out=job, max_depth=2)
    data = json.loads((job / "manifest.json").read_text())
    del data["checksum"]
    data["subject"]["puzzle"] = f"tictactoe{HOSTILE}"
    body = json.dumps(data, indent=2).removesuffix("\n}")
    checksum = hashlib.blake2b(body.encode(), digest_size=32).hexdigest()
    (job / "manifest.json").write_text(f'{body},\n  "checksum": "{checksum}"\n}}\n')
    # The manifest names another puzzle than the data in the folder, so the job counts as damaged.
    for verb, code, before in (
        ("status", 0, ""),
        ("resume", 4, "puzzle.json is of the puzzle tictactoe, and the manifest of "),
        ("verify", 4, "puzzle.json is of the puzzle tictactoe, and the manifest of "),
    ):
        result = command(verb, str(job))
        assert result.code == code
        assert f"{before}tictactoe{ESCAPED}" in result.out + result.err
        assert harmless(result.out + result.err)


def test_an_unexpected_error_is_shown_escaped_with_where_it_was(hostile, process):
    folder, environment = hostile
    with (folder / "puzzlekit_evil.py").open("a", encoding="utf-8") as file:
        file.write(f"\n\ndef broken(puzzle):\n    raise LookupError({HOSTILE!r})\n\n")
        file.write("from puzzlekit.run import overridable\noverridable.count_reachable = broken\n")
    result = process("info", "evil", environment=environment)
    assert (result.code, result.out) == (1, "")
    assert f"LookupError: {ESCAPED[:20]}" in result.err
    assert "in broken" in result.err
    assert harmless(result.err)
    assert result.err.endswith("this is a fault of puzzlekit or of a plugin; report it with the lines above\n")


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


TIMED = """
from dataclasses import dataclass
from puzzlekit import Puzzle, Rules, End, hookimpl, put, win

@dataclass(frozen=True)
class Timed(Puzzle):
    "Either player may run out of time."
    id = "timed"

    def rules(self):
        moves = [put(0, mark).when({0: "."}).by(player) for player in "AB" for mark in "AT"]
        return Rules(symbols=".AT", start="." , players="AB", moves=moves, stuck="draw",
                     ends=[win("A", {0: "A"}), End("timeout", {0: "T"})])

@hookimpl
def puzzlekit_register_puzzles(register):
    register(Timed)
"""


def test_only_players_win(tmp_path, process):
    (tmp_path / "puzzlekit_timed.py").write_text(TIMED, encoding="utf-8")
    info = tmp_path / "puzzlekit_timed-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: puzzlekit-timed\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[puzzlekit]\ntimed = puzzlekit_timed\n", encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    result = process("enumerate", "timed", environment={**os.environ, "PYTHONPATH": path})
    assert result.code == 0
    header = result.out.splitlines()[2]
    assert "A wins  " in header
    assert "  timeout  " in header
    assert header.count("wins") == 2  # A and B


def test_watching_prints_an_object_for_each_depth(tmp_path, command):
    job = str(tmp_path / "job")
    puzzlekit.load("slider:3,4").enumerate(out=job, store="sparse", max_depth=3)
    arguments = ["resume", job, "--max-depth", "22", "--json"]
    # Another process works on the job. It waits for this test before its first depth.
    worker = Command(*arguments, stdout=subprocess.PIPE, text=True)
    while not puzzlekit.jobs.is_running(job):
        time.sleep(0.01)
    watched = command("status", job, "--watch", "--json")
    assert worker.communicate(timeout=60)[0]
    seen = [json.loads(line) for line in watched.out.splitlines()]
    assert watched.code == 0
    assert len(seen) > 2
    assert {status["schema"] for status in seen} == {"puzzlekit.status/1"}
    depths = [status["max_depth"] for status in seen]
    assert depths == list(range(depths[0], 23))
    assert seen[-1]["states"] == puzzlekit.load("slider:3,4").enumerate(store="sparse", max_depth=22).states


def test_a_watched_job_that_nobody_works_on_is_one_object(tmp_path, command):
    puzzlekit.load("tictactoe").enumerate(out=tmp_path / "job", max_depth=3)
    watched = command("status", str(tmp_path / "job"), "--watch", "--json")
    assert json.loads(watched.out)["running"] is False
    assert watched.err == f"puzzlekit: nobody works on {tmp_path / 'job'}\n"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells what a process holds")
def test_the_advice_to_resume_can_be_followed(tmp_path, process):
    job = tmp_path / "two words"
    held = int(
        re.search(r"holds ([0-9,]+)", process("enumerate", "slider:3,4", "--memory", "1").err)[1].replace(",", "")
    )
    run = ("enumerate", "slider:3,4", "--store", "sparse", "--max-depth", "22", "--out", str(job))
    result = process(*run, "--memory", str(held + 5 * 2**20))
    assert result.code == 3
    advice = result.err.partition("; go on with more of it, or without --memory: puzzlekit ")[2]
    assert shlex.split(advice) == ["resume", str(job)]
    resumed = process(*shlex.split(advice), "--json")
    assert json.loads(resumed.out)["max_depth"] == 22


@pytest.mark.parametrize(("size", "code"), [("1", 3), ("0", 2), ("9EiB", 2), ("much", 2), ("1EiB", 0)])
def test_a_limit_of_memory_is_judged_alike_by_every_verb(size, code, tmp_path, command):
    puzzlekit.load("tictactoe").enumerate(out=tmp_path / "job")
    for arguments in (("enumerate", "tictactoe"), ("solve", "tictactoe"), ("verify", str(tmp_path / "job"))):
        result = command(*arguments, "--memory", size)
        assert result.code == code, arguments
        assert result.err.startswith("puzzlekit: error: ") == (code != 0)


def test_a_job_without_a_depth_has_a_status(tmp_path, command):
    job = str(tmp_path / "job")
    command("enumerate", "tictactoe", "--disk", "1", "--out", job)
    assert command("status", job).out == "tictactoe: no depth is kept yet\n"
    assert command("verify", job).out == "tictactoe: no depth is kept yet, so there is nothing to check\n"
    data = json.loads(command("status", job, "--json").out)
    assert (data["max_depth"], data["states"]) == (None, 0)


def test_a_folder_without_a_name_is_refused(tmp_path, command, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for arguments in (("enumerate", "tictactoe", "--out", ""), ("resume", ""), ("status", ""), ("export", "")):
        result = command(*arguments)
        assert (result.code, result.out) == (2, "")
        assert "is '', which no file or folder is called; give its path" in result.err
    assert list(tmp_path.iterdir()) == []


def test_no_moves_scramble_nothing(command):
    for verb in ("scramble", "play"):
        result = command(verb, "slider", "--moves", "0")
        assert (result.code, result.out) == (2, "")
        assert "--moves is 0; give a whole number from 1 to 1000000" in result.err


@pytest.mark.skipif(sys.platform != "linux", reason="other systems take only names that are UTF-8")
def test_a_folder_whose_name_is_not_utf_8(tmp_path, command):
    job = os.fsdecode(os.fsencode(tmp_path) + b"/job-\xff")
    shown = f"{tmp_path}/job-\\xff"
    assert command("enumerate", "slider:3,4", "--max-depth", "5", "--out", job).code == 3
    status = command("status", job, "--json")
    assert json.loads(status.out)["folder"] == job
    assert json.loads(command("status", os.fsdecode(os.fsencode(job)), "--json").out)["complete"] is False
    assert command("status", job, "--watch").err == f"puzzlekit: nobody works on {shown}\n"
    assert json.loads(command("resume", job, "--max-depth", "6", "--json").out)["max_depth"] == 6
    assert json.loads(command("verify", job, "--json").out)["folder"] == job
    table = str(tmp_path / "table.csv")
    assert json.loads(command("export", job, "--to", table, "--json").out)["folder"] == job
    assert puzzlekit.jobs.status(os.fsencode(job))["depths"][-1]["depth"] == 6


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("solve", "tictactoe", "--seconds", "nan"), "--seconds is nan; give a number of seconds above 0"),
        (
            ("scramble", "slider:2,2", "--check", "--seconds", "nan"),
            "--seconds is nan; give a number of seconds above 0",
        ),
        (
            ("survey", "tictactoe", "--worst", "9" * 20),
            "--worst is 99999999999999999999; give a whole number from 0 to",
        ),
        (("enumerate", "slider:2,2", "--hardest", "9" * 20), "--hardest is 99999999999999999999; give a whole number"),
        (("export", "slider:2,2", "--hardest", "9" * 20), "--hardest is 99999999999999999999; give a whole number"),
    ],
)
def test_a_number_that_makes_no_sense_is_named_as_it_was_given(words, told, command):
    result = command(*words)
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert result.err.startswith(f"puzzlekit: error: {told}")


def test_nobody_reads_the_answers_of_a_game_any_more():
    """A reader that closes the pipe, as `| head -1` does, ends the command quietly: also while a verb still writes."""
    child = Command(
        *("play", "rotation", "--seed", "1"),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    child.stdout.readline()
    child.stdout.close()
    child.stdin.write("moves A\n")
    child.stdin.close()
    assert (child.stderr.read(), child.wait(60)) == ("", 0)
    child.stderr.close()


@pytest.mark.parametrize("words", [("solve", "rotation", "-"), ("draw", "rotation", "-")])
def test_an_endless_stdin_is_refused(words, command, monkeypatch):
    monkeypatch.setattr(streams, "MOST_READ", 1000)
    result = command(*words, given="1" * 1001)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("puzzlekit: error: stdin has more than 1,000 characters")
    assert command(*words, given="1" * 1000).err.startswith('puzzlekit: error: the state "111')


@pytest.mark.parametrize("words", [("solve", "rotation", "--states", "-"), ("play", "rotation", "--seed", "1")])
def test_an_endless_line_is_refused(words, command, monkeypatch):
    monkeypatch.setattr(streams, "MOST_READ", 1000)
    result = command(*words, given=f"{'1' * 900}\n{'1' * 1001}")
    assert result.code == 2
    assert result.err.startswith("puzzlekit: error: a line of")


def test_json_that_is_nested_too_deep_is_no_state(command):
    result = command("solve", "rotation", "-", given='{"a":' * 100_000)
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert "the JSON on stdin holds no state" in result.err


def test_a_message_about_a_long_text_is_short(command):
    result = command("solve", "rotation", "1" * 100_000)
    assert result.code == 2
    assert len(result.err) < 2100
    assert result.err.startswith('puzzlekit: error: the state "111')
    assert result.err.endswith("cells; give 9\n")


@pytest.mark.skipif(sys.platform == "win32", reason="names may be longer there")
@pytest.mark.parametrize(
    "words",
    [
        ("enumerate", "tictactoe", "--out", LONG),
        ("info", LONG),
        ("plugins", "new", "short", LONG),
        ("draw", "rotation", "--to", f"{LONG}.svg"),
        ("status", LONG),
    ],
)
def test_a_name_that_is_too_long_for_the_system_is_one_sentence(words, command):
    result = command(*words)
    assert (result.code in (1, 2), result.out, result.err.count("\n")) == (True, "", 1)
    assert "the result cannot be written" not in result.err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("draw", "rotation", "--to"), "pipe.svg"),
        (("enumerate", "tictactoe", "--plot"), "pipe.png"),
        (("survey", "slider:2,2", "--phase", "0?/??", "--cases"), "pipe.csv"),
    ],
)
def test_a_named_pipe_is_not_waited_for(words, name, command, tmp_path):
    os.mkfifo(tmp_path / name)
    result = command(*words, str(tmp_path / name))
    assert (result.code, result.out) == (1, "")
    assert f"{name} is there already and is no file; give another name" in result.err


def test_cases_are_written_to_where_a_link_leads(command, tmp_path):
    (tmp_path / "link.csv").symlink_to("cases.csv")
    (tmp_path / "link.csv.part").write_text("mine")
    assert command("survey", "slider:2,2", "--phase", "0?/??", "--cases", str(tmp_path / "link.csv")).code == 0
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "cases.csv").is_file()
    assert (tmp_path / "link.csv.part").read_text() == "mine"
    assert len(list(tmp_path.iterdir())) == 3
