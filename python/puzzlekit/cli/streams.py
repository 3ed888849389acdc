"""The standard streams of the command. All three exist, and only the result is written to stdout."""

from __future__ import annotations

import io
import os
import sys
import threading
import time
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Collection

PATIENCE = 2.0
"""The seconds for which the end of a command waits for threads of plugins."""


def prepare() -> None:
    """Opens the streams that were closed before the start, except stdout, and keeps stdout for the result alone."""
    _fill_gaps()
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 - open to the end
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stdout is not None:
        _keep_apart()


def _fill_gaps() -> None:
    """Points descriptors 0, 1 and 2 at the null device, if they are closed.

    Otherwise the next file that is opened would get one of these numbers, and messages to stderr would be written into
    a job.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)


def _keep_apart() -> None:
    """Moves stdout to another descriptor, and makes descriptor 1 the same as stderr.

    So a plugin, a library in C, or a program that they start may write to descriptor 1. It is then a message, not a
    result.
    """
    before = sys.stdout
    if not isinstance(before, io.TextIOWrapper):  # stdout was replaced, as in tests, and has no descriptor
        return
    before.flush()
    results = io.TextIOWrapper(
        open(os.dup(before.fileno()), "wb", buffering=io.DEFAULT_BUFFER_SIZE),  # noqa: SIM115
        encoding=before.encoding,
        errors="backslashreplace",  # for a symbol that the terminal's encoding lacks
        line_buffering=before.line_buffering,
        write_through=before.write_through,
    )
    os.dup2(2, before.fileno())
    # `shutil.get_terminal_size` asks `sys.__stdout__` for the size of the terminal.
    sys.stdout = results
    sys.__stdout__ = results  # type: ignore[misc]


def leave(code: int, before: Collection[threading.Thread]) -> NoReturn:
    """Exits with a code. A thread that a plugin has started and left running does not keep the command from ending.

    Args:
        code: The exit code.
        before: The threads that were there before the command.
    """
    until = time.monotonic() + PATIENCE
    for thread in threading.enumerate():
        if thread not in before and not thread.daemon:
            thread.join(max(0.0, until - time.monotonic()))
            if thread.is_alive():
                from puzzlekit.cli.output import say

                say(f"a plugin or a file has left the thread {thread.name} running; it is ended")
                sys.stdout.flush()
                os._exit(code)
    sys.exit(code)
