"""Runs `puzzlekit` in processes of their own that are forked from one in which the command line is imported already.

To start Python and to import everything takes several times as long as most commands. A forked process has streams,
signals, an environment and a working folder of its own, as a new one has.
"""

from __future__ import annotations

import gc
import importlib
import importlib.metadata
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

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

    def run(
        self, arguments: list[str], environment: dict[str, str], given: str, seconds: float
    ) -> tuple[int, str, str]:
        """The exit code of a command, negative if a signal has ended it; and what it has written."""
        asked = {"arguments": arguments, "environment": environment, "folder": os.getcwd()}
        with ExitStack() as stack:
            stdin, out, err = (stack.enter_context(tempfile.TemporaryFile("w+")) for _ in range(3))
            stdin.write(given)
            stdin.seek(0)
            body = json.dumps(asked).encode()
            head = len(body).to_bytes(4, "big")
            socket.send_fds(self._ours, [head], [stdin.fileno(), out.fileno(), err.fileno()])
            self._ours.sendall(body)
            self._ours.settimeout(seconds)
            pid = int.from_bytes(self._ours.recv(8, socket.MSG_WAITALL), "big")
            try:
                code = int.from_bytes(self._ours.recv(8, socket.MSG_WAITALL), "big", signed=True)
            except TimeoutError:
                os.kill(pid, signal.SIGKILL)
                self._ours.settimeout(None)
                self._ours.recv(8, socket.MSG_WAITALL)
                raise
            out.seek(0)
            err.seek(0)
            return code, out.read(), err.read()


def at_start(environment) -> dict[str, str]:
    """The variables that Python reads when it starts."""
    return {name: each for name, each in environment.items() if name.startswith(READ_AT_START) and name != "PYTHONPATH"}


def serve(line: socket.socket) -> None:
    """Forks for each command. Returns in the new process, and in this one when the tests are over."""
    path = [*sys.path]
    while True:
        head, files, _, _ = socket.recv_fds(line, 4, 3)
        if not head:
            os._exit(0)
        asked = json.loads(line.recv(int.from_bytes(head, "big"), socket.MSG_WAITALL))
        pid = os.fork()
        if not pid:
            break
        for file in files:
            os.close(file)
        line.sendall(pid.to_bytes(8, "big"))
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        line.sendall(code.to_bytes(8, "big", signed=True))
    line.close()
    for stream, file in enumerate(files):
        os.dup2(file, stream)
        os.close(file)
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    more = [folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder]
    sys.path[:] = [asked["folder"], *more, *path]
    sys.path_importer_cache.clear()
    sys.argv = [str(ROOT / "python" / "puzzlekit" / "__main__.py"), *asked["arguments"]]
    made = [
        open(at, "rw"[at > 0], 1 if at == 2 else -1, encoding=old.encoding, errors=old.errors, closefd=False)  # noqa: SIM115
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
