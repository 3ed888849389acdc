"""Helpers of all tests: running the command line, here or as a process of its own, and puzzles without a plugin."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from dataclasses import dataclass

import pytest

from puzzlekit.cli import main
from puzzlekit.cli.options import THREADS_VARIABLE
from puzzlekit.puzzle import solving
from puzzlekit.run import engine_cache
from tests import profiles  # noqa: F401  what `--hypothesis-profile` may name


def pytest_addoption(parser):
    parser.addoption("--part", metavar="I/N", help="run the I-th of N parts: every N-th test, from the I-th on")


def pytest_collection_modifyitems(config, items):
    """Keeps the tests of one part. All processes of a run find the same ones."""
    if given := config.getoption("--part"):
        part, _, parts = given.partition("/")
        if not (part.isdigit() and parts.isdigit() and 1 <= int(part) <= int(parts)):
            raise pytest.UsageError(f"--part {given} is no part; it is as 1/2, the first of two")
        kept = items[int(part) - 1 :: int(parts)]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
        items[:] = kept


@dataclass
class Result:
    """The output of a command, and its exit code."""

    code: int
    out: str
    err: str


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory):
    """Tests keep no tables in the user's cache folder, and take none from there."""
    os.environ["PUZZLEKIT_CACHE"] = str(tmp_path_factory.mktemp("tables"))


@pytest.fixture(autouse=True, scope="session")
def _interrupts():
    """Ctrl-C is heeded. What a shell runs in the background ignores it, and so do all processes that it starts."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def command(monkeypatch):
    """Runs `puzzlekit` with the given arguments in this process, with streams of its own, none of which is a terminal.

    As in a new process, no engine is left from before, which may have tables that change the way to an answer. A test
    of signals, of terminals, of streams as files, or of what starting up does takes `process` instead.
    """

    def run(*arguments: str, given: str = "") -> Result:
        out, err = io.StringIO(), io.StringIO()
        streams = {"stdin": io.StringIO(given), "stdout": out, "stderr": err, "__stdout__": out, "__stderr__": err}
        engine_cache._slot.cache_clear()
        solving._aimed_engine.cache_clear()
        with monkeypatch.context() as patch:
            patch.setenv(THREADS_VARIABLE, "0")  # one a core; a verb may set another number
            for name, value in streams.items():
                patch.setattr(sys, name, value)
            patch.setattr(sys, "argv", ["puzzlekit", *arguments])
            with pytest.raises(SystemExit) as ended:
                main()
        return Result(ended.value.code or 0, out.getvalue(), err.getvalue())

    return run


@pytest.fixture
def process():
    """Runs `puzzlekit` with the given arguments and variables, in a process of its own."""

    def run(*arguments: str, environment: dict[str, str] | None = None, given: str = "") -> Result:
        done = subprocess.run(
            [sys.executable, "-m", "puzzlekit", *arguments],
            capture_output=True,
            text=True,
            input=given,
            timeout=120,
            check=False,
            env=environment,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    return run
