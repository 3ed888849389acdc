"""Runs a plugin's code so that it cannot break a command: all exceptions are caught, and a slow plugin is named."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, TextIO

from puzzlekit.errors import refused_exits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

SLOW_SECONDS = 2.0
"""After this many seconds, a line says which plugin is being loaded."""


def attempt(
    action: Callable[[], None], name: object, tell: Callable[[str], None] | None = None
) -> BaseException | None:
    """Runs code of a plugin, and returns the exception that it raises; `None` if it raises none.

    The exception may be any, even a `KeyboardInterrupt` that the code raises itself. The output of the code goes to
    stderr.

    Args:
        action: The code.
        name: The plugin. It becomes a text only in messages.
        tell: Takes a sentence if the code takes long. After that, a second Ctrl-C ends the process, whatever the plugin
            did with the first.

    Raises:
        KeyboardInterrupt: The user pressed Ctrl-C. The note of the exception names the plugin.
    """
    error: BaseException | None = None

    def note() -> str:
        return f"while {name} was being loaded; puzzlekit --no-plugins loads none"

    with _interrupts(lambda: tell and tell(f"interrupted {note()}")) as pressed, _naming(name, tell):
        try:
            with _streams(), refused_exits(), contextlib.redirect_stdout(sys.stderr):
                action()
        except BaseException as raised:  # a plugin may fail in any way, and must not take others with it
            error = raised
    if pressed:
        interrupt = KeyboardInterrupt()
        interrupt.add_note(note())
        raise interrupt from None
    return error


@contextlib.contextmanager
def _streams() -> Iterator[None]:
    """Restores stdin, stdout and stderr after a `with`, if the code in it has closed or exchanged them.

    Raises:
        RuntimeError: The code has closed or exchanged a stream.
    """
    names = ("stdin", "stdout", "stderr")
    streams = [getattr(sys, name) for name in names]
    spare = [_duplicate(number) for number in range(3)]
    raised: BaseException | None = None
    try:
        yield
    except BaseException as error:  # the cause may be a lost stream, so the error about streams comes first
        raised = error
    lost = [name for number, name in enumerate(names) if _restore(name, streams[number], number, spare[number])]
    if lost:
        # What code sees as stdout while it is loaded is stderr.
        message = f"it closes or exchanges a stream of the command ({', '.join(lost)})"
        raise RuntimeError(message) from raised
    if raised is not None:
        raise raised


def _restore(name: str, stream: TextIO | None, number: int, spare: int | None) -> bool:
    """Brings one stream back, and closes the spare descriptor. Returns `True` if the stream was lost."""
    lost = False
    if spare is not None:
        if not _is_same(spare, number):
            os.dup2(spare, number)
            lost = True
        os.close(spare)
    if stream is not None and stream.closed:
        stream = open(number, "r" if number == 0 else "w", closefd=False)  # noqa: SIM115 - it lasts
        lost = True
    setattr(sys, name, stream)
    return lost


def _duplicate(number: int) -> int | None:
    """Another descriptor of the same file; `None` if there is no such file."""
    try:
        return os.dup(number)
    except OSError:
        return None


def _is_same(one: int, other: int) -> bool:
    """Returns `True` if two descriptors are of one file."""
    try:
        return os.path.samestat(os.fstat(one), os.fstat(other))
    except OSError:
        return False


@contextlib.contextmanager
def _naming(name: object, tell: Callable[[str], None] | None) -> Iterator[None]:
    """Says which plugin is being loaded, if that takes long."""
    if tell is None:
        yield
        return
    timer = threading.Timer(SLOW_SECONDS, lambda: tell(f"{name} is still being loaded; Ctrl-C stops that"))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextlib.contextmanager
def _interrupts(last_words: Callable[[], object]) -> Iterator[list[int]]:
    """Gives a list that gets an entry for each Ctrl-C inside a `with`.

    So a real Ctrl-C can be told from a `KeyboardInterrupt` that the code raises itself. The list gets no entry if
    another thread receives the signals, or if Ctrl-C does nothing, as under `nohup`.

    Args:
        last_words: Called at the second Ctrl-C, before the process ends.
    """
    pressed: list[int] = []

    def press(number: int, _frame: FrameType | None) -> None:
        pressed.append(number)
        if len(pressed) > 1:
            last_words()
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield pressed
        return
    signal.signal(signal.SIGINT, press)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)
