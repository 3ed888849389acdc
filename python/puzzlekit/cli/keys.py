"""Reads the keys of a terminal as soon as they are pressed, or whole lines on a system without that."""

from __future__ import annotations

import codecs
import errno
import os
import select
import signal
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

ARROWS = {"A": "ArrowUp", "B": "ArrowDown", "C": "ArrowRight", "D": "ArrowLeft"}
"""The names of the arrow keys, by the last character of the sequence that a terminal sends, such as `ESC [ A`."""

CONTROLS = {"\r": "Enter", "\n": "Enter", "\x7f": "Backspace", "\b": "Backspace", "\x04": "End", "\x15": "Clear"}

MOST = 1024
"""The most bytes that are read at once. A terminal sends all bytes of a key together."""


class Keys:
    """Reads keys inside a `with`. A key is a character, or a name such as `ArrowUp` or `Enter`.

    If the system cannot read single keys, `whole_lines` is true, and only lines can be read.

    Args:
        on_return: Called when the program is resumed after Ctrl-Z.
    """

    def __init__(self, on_return: Callable[[], None]) -> None:
        self._termios = _termios()
        self._on_return = on_return
        self._handler: Any = None
        self._signals = -1  # the reading end of a pipe, into which Python writes a byte for each signal
        self._before: list[Any] | None = None
        self._waiting: list[str] = []
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    @property
    def whole_lines(self) -> bool:
        """`True` if only whole lines can be read."""
        return self._termios is None

    def __enter__(self) -> Keys:
        if self._termios is not None:
            self._before = self._termios.tcgetattr(sys.stdin.fileno())
            self._signals, told = os.pipe()
            os.set_blocking(self._signals, False)
            os.set_blocking(told, False)
            # A signal may arrive in the middle of writing a line. So Python only writes a byte to the pipe, and `_wait`
            # reads it later.
            signal.set_wakeup_fd(told, warn_on_full_buffer=False)
            self._handler = signal.signal(signal.SIGCONT, lambda _number, _frame: None)
            self._set()
        return self

    def _set(self) -> None:
        """Sets the terminal so that it sends each key at once and does not show it."""
        if self._termios is not None:
            file = sys.stdin.fileno()
            now = self._termios.tcgetattr(file)
            now[3] &= ~(self._termios.ICANON | self._termios.ECHO)
            self._apply(now)

    def _apply(self, mode: list[Any]) -> None:
        """Sets the terminal's mode. If a signal interrupts the call, as after Ctrl-Z, the call is repeated."""
        termios = self._termios
        while termios is not None:
            try:
                termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, mode)
                return
            except termios.error as error:
                if error.args[0] != errno.EINTR:
                    raise

    def _wait(self) -> None:
        """Waits for a key. If the program is resumed after Ctrl-Z, it sets the mode again and calls `on_return`.

        While the program was stopped, the shell has changed the mode and written to the terminal.
        """
        while self._signals >= 0:
            ready, _, _ = select.select([sys.stdin.fileno(), self._signals], [], [])
            if self._signals not in ready:
                return
            if signal.SIGCONT in os.read(self._signals, MOST):
                self._set()
                self._on_return()

    def __exit__(self, *_: object) -> None:
        if self._termios is not None and self._before is not None:
            signal.signal(signal.SIGCONT, self._handler)
            os.close(signal.set_wakeup_fd(-1))
            os.close(self._signals)
            self._signals = -1
            self._apply(self._before)

    def read(self) -> str:
        """The next key that is pressed. `End` is also returned if the input has ended."""
        while not self._waiting:
            self._wait()
            data = os.read(sys.stdin.fileno(), MOST)
            if not data:
                return "End"
            self._waiting = list(parse(self._decoder.decode(data)))
        return self._waiting.pop(0)


def parse(text: str) -> list[str]:
    r"""The keys in a text that a terminal sent. Sequences of other keys than arrows are left out.

    >>> parse("ab\x1b[A\x1bOD\x1b[3~\r")
    ['a', 'b', 'ArrowUp', 'ArrowLeft', 'Enter']
    """
    keys, place = [], 0
    while place < len(text):
        character = text[place]
        place += 1
        if character != "\x1b":
            key = CONTROLS.get(character, character)
            if len(key) > 1 or key.isprintable():
                keys.append(key)
            continue
        if text[place : place + 1] not in ("[", "O"):
            continue  # the escape key, or a key together with Alt
        place += 1
        while place < len(text) and text[place] in "0123456789;":
            place += 1
        if text[place : place + 1] in ARROWS:
            keys.append(ARROWS[text[place]])
        place += 1
    return keys


def _termios() -> ModuleType | None:
    """The module that reads single keys; `None` on systems that lack it."""
    try:
        import termios
    except ImportError:
        return None
    return termios
