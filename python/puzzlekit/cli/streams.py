"""The standard streams of the command: makes sure that all three exist, and that stdout has nothing but the result."""

from __future__ import annotations

import io
import os
import sys
import threading
import time
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import TextIO

PATIENCE = 2.0
"""The most seconds for which the command, at its end, waits for threads that plugins started."""


ASKED = "_PUZZLEKIT_COMPLETE"
"""The variable of the environment by which a shell asks what it can offer; see `puzzlekit.cli.completion`."""


def prepare() -> None:
    """Opens stdin and stderr if they were closed, and reserves stdout for the result."""
    _fill_gaps()
    if ASKED in os.environ:  # a shell would show messages in the middle of the line that is being typed
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 - open to the end
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stdout is not None:
        _keep_apart()


def _fill_gaps() -> None:
    """Points descriptors 0, 1 and 2 at the null device, if they are closed.

    Otherwise the next file that is opened would get one of these numbers. Then messages to stderr could be written into
    a job.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)


def _keep_apart() -> None:
    """Gives stdout another descriptor, and makes descriptor 1 the same as stderr.

    So if a plugin, a C library, or a program that they start writes to descriptor 1, this is a message and does not
    spoil the result.
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
    # `sys.__stdout__` is replaced, too, because `shutil.get_terminal_size` asks it for the size of the terminal.
    sys.stdout = results
    sys.__stdout__ = results  # type: ignore[misc]


MOST_READ = 2**24
"""The most characters of a state, of moves, or of a line that are read from stdin or from a file of states."""


def whole_stdin() -> str:
    """The text on stdin.

    Raises:
        UsageError: It is too long. An endless input must not fill the memory.
    """
    return _bounded(sys.stdin.read(MOST_READ + 1), "stdin")


def bounded_lines(file: TextIO, name: str) -> Iterator[str]:
    """The lines of a file, one after another.

    Raises:
        UsageError: A line is too long.
    """
    while line := file.readline(MOST_READ + 1):
        yield _bounded(line, f"a line of {name}")


def _bounded(text: str, place: str) -> str:
    if len(text) > MOST_READ:
        from puzzlekit.errors import UsageError

        raise UsageError(
            f"{place} has more than {MOST_READ:,} characters, and is no state and no list of moves; end it"
        )
    return text


def leave(code: int, before: Collection[threading.Thread]) -> NoReturn:
    """Exits with a code, even if a plugin has left a thread running.

    Args:
        code: The exit code.
        before: The threads that were running before the command.
    """
    sys.unraisablehook = _tell_of_end
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


def _tell_of_end(fault: sys.UnraisableHookArgs) -> None:
    """Tells in a sentence what a plugin or a file raised while the process ends, such as in a function of `atexit`."""
    from puzzlekit.cli.output import say
    from puzzlekit.errors import one_line

    raised = fault.exc_type.__name__ if fault.exc_value is None else one_line(fault.exc_value)
    say(f"warning: code that a plugin or a file runs at the end failed with {raised}; the result is not touched by it")
