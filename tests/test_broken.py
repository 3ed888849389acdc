"""The broken puzzles in `tests/broken`: for each, `plugins check` says the sentence that its file expects."""

import ast
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

import puzzlekit
from puzzlekit import PuzzlekitError
from puzzlekit.testing import checks
from tests.nursery import Command

FILES = sorted((Path(__file__).parent / "broken").glob("*.py"))


def constants(path):
    """The constants of a file, read without running it."""
    found = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id.isupper():
            try:
                found[node.targets[0].id] = ast.literal_eval(node.value)
            except ValueError:  # the value is no constant
                continue
    return found


def told(path, *, full):
    """The messages of `puzzlekit plugins check` about a file: the fault, or all notes if there is no fault."""
    try:
        puzzle = puzzlekit.load(str(path))
        done = list(checks(puzzle, states=100, full=full))
    except PuzzlekitError as error:
        return [str(error)]
    return [done[-1].fault] if done[-1].fault else [note for check in done for note in check.notes]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_broken_puzzle_is_told_what_to_mend(path, capfd):
    known = constants(path)
    found = told(path, full=known.get("FULL", False))
    assert any(known["SENTENCE"] in sentence for sentence in found), found
    for sentence in found:
        assert "\n" not in sentence
    capfd.readouterr()  # drops the output of the puzzles


def test_there_are_many_and_each_breaks_something_else():
    assert len(FILES) >= 20
    sentences = [constants(path)["SENTENCE"] for path in FILES]
    # All sentences differ, except two: the remedy is the same for a class that is no dataclass and for one not frozen.
    assert len(set(sentences)) >= len(sentences) - 1


def test_the_command_tells_it_and_fails(command):
    path = str(Path(__file__).parent / "broken" / "wrong_count.py")
    result = command("plugins", "check", path)
    assert result.code == 1
    assert result.err == ("puzzlekit: error: count_reachable of broken says 12, and play reaches 24 states; mend it\n")


NONSENSE = """
from dataclasses import dataclass
from puzzlekit import Puzzle, Rules, swap


@dataclass(frozen=True)
class Odd(Puzzle):
    '''A puzzle with a method that answers nonsense.'''

    id = "odd"

    def rules(self):
        return Rules(symbols="abc", start="abc", goal="abc", moves=[swap(0, 1).named("x"), swap(1, 2).named("y")])

"""


SCRAMBLE = "scramble(self, seed=None, *, moves=None, scrambler=None): return"
REPORT = "__import__('puzzlekit').ScrambleReport"


@pytest.mark.parametrize(
    ("method", "words", "sentence"),
    [
        ("guide(self): return 5", ["play"], "guide() returned 5; return a text"),
        ("guide(self): return 5", ["info"], "guide() returned 5; return a text"),
        ("guide(self): return 5", ["scramble"], "guide() returned 5; return a text"),
        ("board(self, state, moves=()): return None", ["play"], "board() returned None; return a text"),
        ("board(self, state, moves=()): return 1 / 0", ["play"], "board() failed with ZeroDivisionError: "),
        (
            "why_unsolvable(self, state): return 5",
            ["solve", "bac"],
            "why_unsolvable() returned 5; return a text, or None ",
        ),
        ("number(self, state): return 'one'", ["scramble"], "number() returned 'one'; return a whole number, or None "),
        ("numbered(self, number): return 5", ["scramble", "--number", "5"], "numbered() returned 5; return a "),
        ("count_reachable(self): return '6'", ["info"], "count_reachable() returned '6'; return a whole number, or "),
        ("count_reachable(self): exit(4)", ["enumerate", "--dry-run"], "count_reachable() failed with SystemExit: 4"),
        ("default_solver(self): return 5", ["solve", "bac"], "default_solver() returned 5; return a solver"),
        (f"{SCRAMBLE} 5", ["scramble"], "scramble() returned 5; return a puzzlekit.ScrambleReport"),
        (f"{SCRAMBLE} None", ["play", "--seed", "1"], "scramble() returned None; return a puzzlekit.ScrambleReport"),
        (f"{SCRAMBLE} 1 / 0", ["play", "--seed", "1"], "scramble() failed with ZeroDivisionError: "),
        (f"{SCRAMBLE} {REPORT}('odd', 5, 's', None, 'm')", ["scramble"], "give it texts"),
        (f"{SCRAMBLE} {REPORT}('odd', 'bac', 's', 5, 'm')", ["scramble", "--json"], "give it texts"),
        (
            f"{SCRAMBLE} {REPORT}('odd', 'xyz', 's', None, 'm')",
            ["scramble"],
            "scramble() returned a state that is none",
        ),
        ("daily(self, date): return date", ["scramble", "--daily", "2026-11-23"], "daily() returned '2026-11-23'; "),
        ("daily(self, date): exit()", ["play", "--daily", "2026-11-23"], "daily() failed with SystemExit"),
    ],
)
def test_a_method_that_answers_nonsense_costs_one_sentence(method, words, sentence, command, tmp_path):
    path = tmp_path / "odd.py"
    path.write_text(f"{NONSENSE}    def {method}\n")
    verb, *rest = words
    result = command(verb, str(path), *rest, given="quit\n")
    assert result.code == 5, result
    last = result.err.splitlines()[-1]
    assert last.startswith("puzzlekit: error: ")
    assert sentence in last
    assert "Traceback" not in result.err


@pytest.mark.parametrize(
    ("method", "sentence"),
    [
        (
            "view(): return 1",
            "Odd defines view(), which cannot be called as that of every puzzle is; write def view(self)",
        ),
        ("guide(self, more): return ''", "Odd defines guide(self, more), which cannot be called"),
        ("board(self): return ''", "Odd defines board(self), which cannot be called as that of every puzzle is; write"),
        ("scramble(self): return None", "write def scramble(self, seed=None, *, moves=None, scrambler=None)"),
    ],
)
def test_a_method_that_takes_something_else_is_refused_at_once(method, sentence, command, tmp_path):
    path = tmp_path / "odd.py"
    path.write_text(f"{NONSENSE}    def {method}\n")
    result = command("info", str(path))
    assert (result.code, result.err.count("\n")) == (5, 1)
    assert sentence in result.err


LARGE = """
import sys
from dataclasses import dataclass
from puzzlekit import Puzzle, Rules, toggle


@dataclass(frozen=True)
class Lamps(Puzzle):
    '''2,048 lamps, each with a switch.'''

    id = "lamps"

    def rules(self):
        print("made", file=sys.stderr, flush=True)
        return Rules("01", "0" * 2048, [toggle(cell) for cell in range(2048)], goal="0" * 2048)
"""

ENDLESS = NONSENSE.replace("    def rules(self):\n", "    def rules(self):\n        {}\n")


def test_a_thread_that_never_ends_does_not_keep_a_command_from_ending(process, tmp_path):
    path = tmp_path / "odd.py"
    path.write_text(f"import threading, time\nthreading.Thread(target=lambda: time.sleep(1e6)).start()\n{NONSENSE}")
    result = process("enumerate", str(path), "--json")
    assert (result.code, json.loads(result.out)["states"]) == (0, 6)
    assert "a file has left the thread Thread-" in result.err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_no_file_of_a_puzzle(command, tmp_path):
    os.mkfifo(tmp_path / "odd.py")
    result = command("info", str(tmp_path / "odd.py"))
    assert (result.code, result.err) == (
        2,
        f"puzzlekit: error: {tmp_path}/odd.py is no file; give the path of a text file of Python\n",
    )


@pytest.mark.parametrize("verb", ["enumerate", "values", "survey", "info", "solve"])
def test_ctrl_c_ends_rules_that_never_end(verb, tmp_path):
    path, body = (
        tmp_path / "odd.py",
        "print('made', file=sys.stderr, flush=True)\n        while True:\n            pass",
    )
    path.write_text(f"import sys\n{ENDLESS.format(body)}")
    interrupted(verb, str(path))


def test_ctrl_c_ends_work_on_large_rules_that_has_no_watch(tmp_path):
    """The command ends soon after Ctrl-C, although finding out that the switches are independent takes many seconds."""
    path = tmp_path / "odd.py"
    path.write_text(LARGE)
    interrupted("info", str(path), seconds=0.5)


def interrupted(*words, seconds=0.1):
    """Sends Ctrl-C to a command so long after it has written a line, and checks that it ends within a few seconds."""
    with Command(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        running.stderr.readline()
        time.sleep(seconds)
        running.send_signal(signal.SIGINT)
        begun = time.monotonic()
        out, err = running.communicate(timeout=60)
        assert time.monotonic() - begun < 5
    assert (running.returncode, out, err) == (130, "", "puzzlekit: interrupted\n")
