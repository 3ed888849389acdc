"""The border between Python and Rust: the GIL is released, Ctrl-C stops at once, and the type stub is right."""

import ast
import inspect
import itertools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import puzzlekit
from puzzlekit import Move, Rules, _core
from tests.nursery import Command

# About 17 billion states: no test can wait for its end.
ENDLESS = "tictactoe:5,5,4"


def counted_during(work):
    """How often another thread counts, once a millisecond or less, while this one works."""
    counted = 0
    done = threading.Event()

    def count():
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    before = counted
    work()
    during = counted - before
    done.set()
    thread.join()
    return during


def test_other_threads_run_while_the_engine_does():
    puzzle = puzzlekit.load(ENDLESS)
    begun = time.monotonic()
    # The watch runs in this thread, and only stops the run. It gives the other thread no chance to count.
    during = counted_during(lambda: puzzle.enumerate(threads=1, watch=lambda _: time.monotonic() - begun > 0.5))
    # If the run held the GIL, the other thread could have counted only once.
    assert during > 20


def test_other_threads_run_while_tiers_are_looked_for():
    """So Ctrl-C is answered meanwhile, too: looking takes a tenth of a second here, and longer with more moves."""
    cells, symbols = 8, "abcde"
    turned = {symbol: symbols[at - 1] for at, symbol in enumerate(symbols)}
    moves = [
        Move({one: turned[a], other: turned[turned[b]]}).when({one: a, other: b}).named(f"{one} {other} {a} {b}")
        for one, other in itertools.permutations(range(cells), 2)
        for a, b in itertools.product(symbols, repeat=2)
    ]
    rules = Rules(symbols, "a" * cells, moves, players="XO", stuck="loss")
    engine = _core.Engine(json.dumps(rules.to_data()))
    assert counted_during(lambda: engine.tiers) > 5


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals to send to one process")
def test_an_interrupt_stops_a_call_from_python():
    puzzle = puzzlekit.load(ENDLESS)
    puzzle.enumerate(max_depth=1)  # imports all modules now, so that the signal comes while the engine works
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        puzzle.enumerate()
    assert time.monotonic() - begun < 0.3 + 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals to send to one process")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_the_command_with_what_it_has(number, code):
    for patience in (0.8, 2, 6):  # on a slow machine, the start of Python and the first depths take longer
        process = Command(
            *("enumerate", ENDLESS, "--threads", "1", "--json"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        time.sleep(patience)
        process.send_signal(number)
        begun = time.monotonic()
        out, err = process.communicate(timeout=30)
        ended = time.monotonic()
        if out and len(json.loads(out)["depths"]) > 2:
            break
    assert ended - begun < 1
    assert process.returncode == code
    data = json.loads(out)
    assert data["complete"] is False
    assert [depth["states"] for depth in data["depths"][:3]] == [1, 6, 85]
    assert "interrupted after depth" in err
    assert err.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals to send to one process")
def test_a_second_interrupt_exits_at_once():
    program = (
        "import puzzlekit, os, signal\n"
        "from puzzlekit.cli.enumerate import Interrupt\n"
        "with Interrupt() as _:\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    print('still here')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == -signal.SIGINT
    assert done.stdout == ""


# Asks for threads with a stack so large that the system refuses to start any.
NO_THREADS = {"RUST_MIN_STACK": str(1 << 47)}

WITHOUT_THREADS = """
import os, signal, threading, time
import puzzlekit

report = puzzlekit.load("tictactoe").enumerate(threads=1)
print(report.states, report.raw_states)
try:
    puzzlekit.load("tictactoe").enumerate(threads=2)
except puzzlekit.PuzzlekitError as error:
    print(error)

watched = []
stopped = puzzlekit.load("ENDLESS").enumerate(threads=1, watch=lambda _: watched.append(threading.get_ident()) or True)
print(stopped.complete, watched == [threading.get_ident()])

def fail(progress):
    raise ZeroDivisionError(progress.depth >= 0)

try:
    puzzlekit.load("ENDLESS").enumerate(threads=1, watch=fail)
except ZeroDivisionError as error:
    print("raised", error)

threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
begun = time.monotonic()
try:
    puzzlekit.load("ENDLESS").enumerate(threads=1)
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - begun < 0.3 + 1)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems may give such a stack, or end the process")
def test_where_no_thread_can_be_started_the_calling_one_does_the_work():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_THREADS.replace("ENDLESS", ENDLESS)],
        env=os.environ | NO_THREADS,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    counts, refused, *others = done.stdout.splitlines() or [done.stderr]
    assert counts == "765 5478"
    assert refused.startswith("cannot start 2 threads: ")
    assert refused.endswith("; ask for 1 thread, which starts none")
    assert others == ["False True", "raised True", "interrupted True"], done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="the pipe is made by a shell")
def test_a_closed_pipe_is_no_error():
    command = f"{sys.executable} -m puzzlekit enumerate tictactoe:4,4,2 --json | head -c 1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=30, check=False)
    assert done.stdout == "{"
    assert done.stderr == ""


def parameters(function):
    """The parameters of a function in the stub: the name of each, whether it may be left out, and if only by name."""
    given = function.args
    places = [*given.posonlyargs, *given.args]
    needed = len(places) - len(given.defaults)
    return [(each.arg, at >= needed, False) for at, each in enumerate(places)] + [
        (each.arg, default is not None, True) for each, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
    ]


def test_the_stub_has_the_names_and_parameters_of_the_extension():
    """The slow test `test_the_stub_is_true` compares more, with mypy."""
    compared = 0

    def compare(nodes, owner):
        nonlocal compared
        told = {node.name: node for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        told |= {node.target.id: node for node in nodes if isinstance(node, ast.AnnAssign)}
        there = {name for name in vars(owner) if not name.startswith("_")}
        assert {name for name in told if not name.startswith("_")} == there, owner
        for name in there:
            node = told[name]
            if isinstance(node, ast.ClassDef):
                compare(node.body, getattr(owner, name))
            elif isinstance(node, ast.FunctionDef) and callable(getattr(owner, name)):
                found = inspect.signature(getattr(owner, name)).parameters.values()
                needed = [(one.name, one.default is not one.empty, one.kind is one.KEYWORD_ONLY) for one in found]
                assert needed == parameters(node), f"{owner} {name}"
                compared += 1

    stub = Path(_core.__file__).parent / "_core.pyi"
    compare(ast.parse(stub.read_text(encoding="utf-8")).body, _core)
    assert compared > 80


@pytest.mark.slow
def test_the_stub_is_true():
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "puzzlekit._core"],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
