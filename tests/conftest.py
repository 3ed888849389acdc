"""Helpers of all tests: they run the command line, here or in a process of its own; and puzzles without a plugin."""

from __future__ import annotations

import functools
import gc
import io
import os
import signal
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import dataclass

import pytest
import typer.main

from puzzlekit.cli import app, main
from puzzlekit.cli.options import THREADS_VARIABLE
from puzzlekit.puzzle import solving
from puzzlekit.run import engine_cache
from tests import profiles  # noqa: F401  what `--hypothesis-profile` may name
from tests.nursery import Command, nursery
from tests.support import alone


def pytest_addoption(parser):
    parser.addoption("--part", metavar="I/N", help="run the I-th of N parts: every N-th test, from the I-th on")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """Lets one process at a time collect the tests. The next one finds compiled what the first one has imported."""
    cache = getattr(session.config, "cache", None)  # a run may have none
    with alone(cache.mkdir("collecting")) if cache else nullcontext():
        return (yield)


def pytest_collection_modifyitems(config, items):
    """Keeps only the tests of the part that `--part` names. All processes of a run keep the same ones."""
    if given := config.getoption("--part"):
        part, _, parts = given.partition("/")
        if not (part.isdigit() and parts.isdigit() and 1 <= int(part) <= int(parts)):
            raise pytest.UsageError(f"--part {given} is no part; it is as 1/2, the first of two")
        kept = items[int(part) - 1 :: int(parts)]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
        items[:] = kept


def pytest_collection_finish():
    """Leaves what was imported to itself. Otherwise each collection of garbage would go through it, however old."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(2_000, 10, 10)


@dataclass
class Result:
    """The output of a command, and its exit code."""

    code: int
    out: str
    err: str


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory):
    """Gives all tests a cache folder of their own, so that they use no tables of the user."""
    os.environ["PUZZLEKIT_CACHE"] = str(tmp_path_factory.mktemp("tables"))


@pytest.fixture(autouse=True, scope="session")
def _interrupts():
    """Sets the usual handler of Ctrl-C. A shell makes programs in the background ignore it, and so their children."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def _built_once():
    """Keeps each verb once typer has built it: to inspect its options takes longer than most commands that are run."""
    build, kept = app.build, {}

    def built(arguments):
        words = [argument for argument in arguments if not argument.startswith("-")]
        names = (*words[:1], *{"--version", "-V"}.intersection(arguments))
        if names not in kept:
            kept[names] = build(arguments)
        return kept[names]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app, "build", built)
        patch.setattr(typer.main, "get_command", functools.cache(typer.main.get_command))
        yield


@pytest.fixture
def command(monkeypatch):
    """Gives a function that runs `puzzlekit` with arguments in this process. Its streams are no terminals.

    As in a new process, no engine is left from an earlier call, since its tables might change the way to an answer.
    Verbs stay as typer has built them.
    Tests of signals, terminals, the descriptors of streams, or the start of the program use `process` instead.
    """

    def run(*arguments: str, given: str = "") -> Result:
        out, err = io.StringIO(), io.StringIO()
        streams = {"stdin": io.StringIO(given), "stdout": out, "stderr": err, "__stdout__": out, "__stderr__": err}
        engine_cache._slot.cache_clear()
        solving._aimed_engine.cache_clear()
        with monkeypatch.context() as patch:
            patch.setenv(THREADS_VARIABLE, "0")  # a thread for each core; a verb may set another number
            for name, value in streams.items():
                patch.setattr(sys, name, value)
            patch.setattr(sys, "argv", ["puzzlekit", *arguments])
            patch.setattr(sys, "unraisablehook", sys.unraisablehook)  # the command replaces it
            with pytest.raises(SystemExit) as ended:
                main()
        return Result(ended.value.code or 0, out.getvalue(), err.getvalue())

    return run


@pytest.fixture(autouse=True, scope="session")
def _ended_nursery():
    """Ends the process from which those of commands are forked, if there is one."""
    yield
    if nursery.cache_info().currsize:
        nursery().close()


@pytest.fixture
def process():
    """Runs `puzzlekit` with the given arguments and variables, in a process of its own."""

    def run(*arguments: str, environment: dict[str, str] | None = None, given: str = "") -> Result:
        pipe = subprocess.PIPE
        with Command(*arguments, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment) as running:
            try:
                out, err = running.communicate(given, timeout=120)
            except subprocess.TimeoutExpired:
                running.kill()
                raise
        return Result(running.returncode, out, err)

    return run
