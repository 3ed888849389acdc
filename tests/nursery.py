"""Runs `puzzlekit` in processes of their own that are forked from one in which the command line is imported already.

To start Python and to import everything takes several times as long as most commands. A forked process has streams,
signals, an environment and a working folder of its own, as a new one has.
"""

from __future__ import annotations

import functools
import gc
import importlib
import importlib.metadata
import json
import os
import select
import signal
import site
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

with suppress(ImportError):  # Windows has neither
    import fcntl
    import termios

ROOT = Path(__file__).parent.parent
READ_AT_START = ("PYTHON", "LC_", "LANG")
"""The beginnings of the names of variables that Python reads when it starts. `PYTHONPATH` is read for each command."""

OFTEN_USED = (
    *("email.parser", "hashlib", "packaging.requirements", "puzzlekit.doctor.diagnosis", "puzzlekit.plugins.functions"),
    *("puzzlekit.plugins.loader", "puzzlekit.puzzle.solving", "puzzlekit.run.answers", "puzzlekit.run.table_cache"),
)
"""Modules that verbs import while they run. None of them starts threads, which a fork would lose."""


class Nursery:
    """A process that forks for each command."""

    def __init__(self) -> None:
        self._ours, theirs = socket.socketpair()
        self._asking = threading.Lock()
        self._started = at_start(os.environ)
        variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        words = [sys.executable, "-P", __file__, str(theirs.fileno())]
        self._process = subprocess.Popen(words, pass_fds=[theirs.fileno()], env=variables, cwd=ROOT)
        theirs.close()

    def close(self) -> None:
        self._ours.close()
        self._process.wait(20)

    def fits(self, environment: dict[str, str]) -> bool:
        """Returns `True` if a process with these variables may be forked from this one."""
        return at_start(environment) == self._started

    def fork(self, asked: dict, files: list[int]) -> None:
        """Starts a command. The files are its three streams, and where its process and then its end are told."""
        body = json.dumps(asked).encode()
        with self._asking:
            socket.send_fds(self._ours, [len(body).to_bytes(4, "big")], files)
            self._ours.sendall(body)


@functools.cache
def nursery() -> Nursery:
    """The process from which all commands of this run are forked. `conftest.py` ends it."""
    return Nursery()


class Command(subprocess.Popen):
    """`puzzlekit` with arguments in a process of its own, which is forked if the system can do that.

    With a session of its own, the terminal that it reads from is the one whose Ctrl-C it heeds.
    """

    def __init__(self, *arguments: str, **options) -> None:
        self._told: int | None = None
        self._asked = {
            "arguments": arguments,
            "environment": dict(os.environ if options.get("env") is None else options["env"]),
            "folder": str(options.get("cwd") or os.getcwd()),
            "session": options.get("start_new_session", False),
        }
        super().__init__([sys.executable, "-m", "puzzlekit", *arguments], **options)

    def _execute_child(self, *given) -> None:
        """Starts the process, with streams that the class above has made. -1 stands for those of this process."""
        if not hasattr(os, "fork") or not nursery().fits(self._asked["environment"]):
            super()._execute_child(*given)
            return
        theirs = given[10], given[13], given[15]
        self._told, tells = os.pipe()
        nursery().fork(self._asked, [at if file == -1 else file for at, file in enumerate(theirs)] + [tells])
        os.close(tells)
        self._close_pipe_fds(*given[10:16])
        self._child_created = True
        self.pid = self._next()

    def _next(self) -> int:
        """The next number that is told of the process."""
        told = os.read(self._told, 8)
        if len(told) < 8:
            raise ChildProcessError("nobody waits for the command any more")
        return int.from_bytes(told, "big", signed=True)

    def _wait(self, timeout: float | None) -> int:
        if self._told is None:
            return super()._wait(timeout)
        if self.returncode is None and not select.select([self._told], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired(self.args, timeout)
        with self._waitpid_lock:
            if self.returncode is None:
                self.returncode = self._next()
                os.close(self._told)
        return self.returncode

    def _internal_poll(self, *rest, **named) -> int | None:
        if self._told is None:
            return super()._internal_poll(*rest, **named)
        try:
            return self._wait(0)
        except subprocess.TimeoutExpired:
            return None


def at_start(environment) -> dict[str, str]:
    """The variables that Python reads when it starts."""
    return {name: each for name, each in environment.items() if name.startswith(READ_AT_START) and name != "PYTHONPATH"}


def serve(line: socket.socket) -> None:
    """Forks for each command. Returns in the new process. This one ends when the tests are over.

    Between both stands a process that waits for the command and tells its end, so that many may run at once.
    """
    path = [*sys.path]
    # Ctrl-C reaches all processes of a terminal. It is for the tests, and for the commands.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        head, files, _, _ = socket.recv_fds(line, 4, 4)
        if not head:
            os._exit(0)
        asked = json.loads(line.recv(int.from_bytes(head, "big"), socket.MSG_WAITALL))
        if not os.fork():
            line.close()
            if not (pid := os.fork()):
                break
            *streams, tells = files
            for file in streams:
                os.close(file)
            os.write(tells, pid.to_bytes(8, "big"))
            os.write(tells, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]).to_bytes(8, "big", signed=True))
            os._exit(0)
        for file in files:
            os.close(file)
        os.waitpid(-1, os.WNOHANG)  # those that have ended, one for each that begins
    signal.signal(signal.SIGINT, signal.default_int_handler)
    *streams, tells = files
    os.close(tells)
    for stream, file in enumerate(streams):
        os.dup2(file, stream)
        os.close(file)
    if asked["session"]:
        os.setsid()
        if os.isatty(0):
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    more = [folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder]
    sys.path[:] = [*more, *path]
    sys.path_importer_cache.clear()
    if more:  # Python looks there for this module when it starts, before it looks in the folder of the command
        sys.modules.pop("sitecustomize", None)
        site.execsitecustomize()
    sys.path.insert(0, asked["folder"])
    sys.argv = [str(ROOT / "python" / "puzzlekit" / "__main__.py"), *asked["arguments"]]
    made = [
        open(  # noqa: SIM115
            at, "rw"[at > 0], 1 if at == 2 else -1, encoding=old.encoding, errors=old.errors, closefd=False
        )
        for at, old in enumerate((sys.stdin, sys.stdout, sys.stderr))
    ]
    sys.stdin, sys.stdout, sys.stderr = sys.__stdin__, sys.__stdout__, sys.__stderr__ = made


if __name__ == "__main__":
    from puzzlekit.cli import app, main, streams  # noqa: F401 - imported once for all commands
    from puzzlekit.run.engine import Engine  # noqa: F401

    plugins = [point.module for point in importlib.metadata.entry_points(group="puzzlekit")]
    for module in (*(f"puzzlekit.cli.{verb}" for verb in app.VERBS), *OFTEN_USED, *plugins):
        importlib.import_module(module)
    gc.freeze()
    serve(socket.socket(fileno=int(sys.argv[1])))
    main()
