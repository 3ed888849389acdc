"""Runs a plugin's code so that it cannot break a command. Whatever it raises is caught, and a slow plugin is named."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

SLOW_SECONDS = 2.0
"""After this many seconds, a line says which plugin is being loaded."""


def attempt(
    action: Callable[[], None], name: object, tell: Callable[[str], None] | None = None
) -> BaseException | None:
    """Runs code of a plugin, and returns what it raises. That may be anything, even a `KeyboardInterrupt` of its own.

    What it prints goes to stderr.

    Args:
        action: The code.
        name: The plugin. Its text names it in messages, and is made for these alone.
        tell: Takes a sentence if the code takes long. After that, a second Ctrl-C ends the process, whatever the plugin
            did with the first.

    Raises:
        KeyboardInterrupt: The user pressed Ctrl-C; its note names the plugin.
    """
    error: BaseException | None = None

    def note() -> str:
        return f"while {name} was being loaded; puzzlekit --no-plugins loads none"

    with _interrupts(lambda: tell and tell(f"interrupted {note()}")) as pressed, _naming(name, tell):
        try:
            with contextlib.redirect_stdout(sys.stderr):
                action()
        except BaseException as raised:  # a plugin may fail in any way, and must not take others with it
            error = raised
    if pressed:
        interrupt = KeyboardInterrupt()
        interrupt.add_note(note())
        raise interrupt from None
    return error


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
    """A list that gets an entry for each Ctrl-C inside a `with`. It tells a Ctrl-C from an exception of the same type.

    It gets no entry if another thread receives the signals, or if Ctrl-C does nothing, as under `nohup`.
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
