"""Runs a plugin's code so that it cannot break a command: all exceptions are caught, and a slow plugin is named."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, TextIO

from puzzlekit.errors import plugin_code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

SLOW_SECONDS = 2.0
"""If a plugin takes more seconds than this to load, a line says which one it is."""


def attempt(
    action: Callable[[], None], name: object, tell: Callable[[str], None] | None = None
) -> BaseException | None:
    """Runs code of a plugin, and returns the exception that it raised; `None` if it raised none.

    Exceptions of all kinds are caught, even a `KeyboardInterrupt` that the code raises itself. What the code prints
    goes to stderr.

    Args:
        action: The code.
        name: The plugin. It is made a text only for messages.
        tell: Called with a sentence if the code takes long. After that, a second Ctrl-C ends the process, even if the
            plugin caught the first one.

    Raises:
        KeyboardInterrupt: The user pressed Ctrl-C. A note on the exception names the plugin.
    """
    error: BaseException | None = None

    def note() -> str:
        return f"while {name} was being loaded; puzzlekit --no-plugins loads none"

    with _interrupts(lambda: tell and tell(f"interrupted {note()}")) as pressed, _naming(name, tell):
        try:
            with _streams(), plugin_code():
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
    """Restores stdin, stdout and stderr at the end of a `with`, if the code in it closed or replaced them.

    Raises:
        RuntimeError: The code closed or replaced one of them.
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
        # While the code is loaded, `sys.stdout` is the same as stderr. So if stdout was lost, it may be called stderr.
        message = f"it closes or exchanges a stream of the command ({', '.join(lost)})"
        raise RuntimeError(message) from raised
    if raised is not None:
        raise raised


def _restore(name: str, stream: TextIO | None, number: int, spare: int | None) -> bool:
    """Restores one stream, and closes the copy of its file descriptor. Returns `True` if the stream was lost."""
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
    """A second file descriptor for the same file; `None` if the given one is not open."""
    try:
        return os.dup(number)
    except OSError:
        return None


def _is_same(one: int, other: int) -> bool:
    """Returns `True` if two file descriptors are of the same file."""
    try:
        return os.path.samestat(os.fstat(one), os.fstat(other))
    except OSError:
        return False


@contextlib.contextmanager
def _naming(name: object, tell: Callable[[str], None] | None) -> Iterator[None]:
    """Names the plugin, if the code inside a `with` takes long."""
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
    """Gives a list that gets an entry for each Ctrl-C that is pressed inside a `with`.

    So a Ctrl-C of the user can be distinguished from a `KeyboardInterrupt` that the code raises itself. The list stays
    empty if another thread receives the signals, or if Ctrl-C is switched off, as under `nohup`.

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
