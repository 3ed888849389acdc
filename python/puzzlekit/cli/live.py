"""`puzzlekit play` on a terminal: the board with colours, drawn again in its place after every move.

The commands and the answers are those of the line mode. Arrow keys make moves that are named after directions.
"""

from __future__ import annotations

import shutil
import sys
import textwrap
from typing import TYPE_CHECKING

from puzzlekit.cli.keys import Keys
from puzzlekit.cli.output import print_line
from puzzlekit.cli.screen import length, print_glyphs, writable
from puzzlekit.cli.terminal import plain
from puzzlekit.view.characters import board, width
from puzzlekit.view.view import view_of

if TYPE_CHECKING:
    from puzzlekit.play.session import Session

PROMPT = "> "
UP_AND_CLEAR = "\x1b[{lines}F\x1b[J"
"""Puts the cursor at the beginning of a line above, and clears from there on."""

REWRITE = "\r\x1b[K"
"""Puts the cursor at the beginning of the line, and clears it."""

ARROWS = ("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight")


def play(session: Session) -> None:
    """Plays until the session is over.

    Raises:
        KeyboardInterrupt: On Ctrl-C.
    """
    screen = _Screen(session)
    for line in session.introduce():
        print_line(writable(line))
    if screen.has_arrows:
        print_line("The arrow keys move, too.")
    print_line()
    with Keys(
        screen.again
    ) as keys:  # begins before the prompt is shown, so that the terminal does not show keys that are typed early
        screen.show(session.open())
        while not session.over:
            screen.show(screen.answer(keys))


def ending(text: str, columns: int) -> str:
    """The end of a text that fits into the given number of columns, with an ellipsis before it.

    >>> ending("abcdef", 4)
    '…def'
    """
    while text and width(text) > columns - 1:
        text = text[1:]
    return f"…{text}"


class _Screen:
    """The part of the terminal that is drawn again: the board, the words under it, and what is typed."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._view = view_of(session.puzzle)
        self._lines = 0  # how many lines there are above the one in which the cursor is
        self.has_arrows = any(gesture.kind == "key" and gesture.key in ARROWS for gesture in self._view.gestures)

    def show(self, words: list[str]) -> None:
        """Draws the state, with words under it, over what was drawn before."""
        session, size = self._session, shutil.get_terminal_size()
        glyphs = board(self._view, session.state, session.moves)
        under = [part for line in words for part in textwrap.wrap(plain(line), max(10, size.columns - 1)) or [""]]
        if self._lines:
            # Lines that have left the screen at the top cannot be drawn over.
            sys.stdout.write(UP_AND_CLEAR.format(lines=self._lines) if self._lines < size.lines else "\n")
            sys.stdout.flush()
        print_glyphs(glyphs, plain=False)
        for line in under:
            print_line(writable(line))
        # A terminal that is narrower than the board wraps each of the board's lines.
        self._lines = sum(-(-max(1, length(line)) // size.columns) for line in glyphs) + len(under)
        if not session.over:
            sys.stdout.write(PROMPT)
        sys.stdout.flush()

    def again(self) -> None:
        """Draws the state under what is on the terminal now, since others have written to it."""
        self._lines = 0
        sys.stdout.write("\n")
        self.show([])

    def answer(self, keys: Keys) -> list[str]:
        """Waits for a typed line or a key that makes a move, and carries it out. Returns the words of the answer."""
        if keys.whole_lines:
            line = sys.stdin.readline()
            self._lines += 1  # the terminal has shown the typed line, and the cursor is below it now
            return self._session.answer(line or "quit")
        typed = ""
        while True:
            key = keys.read()
            if key == "Enter" or (key == "End" and not typed):
                line = typed if key == "Enter" else "quit"
                self._write(REWRITE)
                return self._session.answer(line)
            if key in ARROWS:
                return self._step(key)
            if key == "Backspace":
                typed = typed[:-1]
            elif key == "Clear":
                typed = ""
            elif len(key) == 1:
                typed += key
            room = max(1, shutil.get_terminal_size().columns - len(PROMPT) - 1)
            # Only the end of a long line is shown: if the terminal wrapped it, `REWRITE` would not clear all of it.
            self._write(f"{REWRITE}{PROMPT}{typed if width(typed) <= room else ending(typed, room)}")

    def _step(self, key: str) -> list[str]:
        """Makes the move of an arrow key."""
        puzzle, state = self._session.puzzle, self._session.state
        live = self._view.live(state, puzzle.legal_moves(state))
        moves = [move for it in live if self._view.gestures[it.gesture].key == key for move in it.moves]
        if len(moves) == 1:
            return self._session.answer(moves[0])
        way = key.removeprefix("Arrow").lower()
        return [f"{way.capitalize()} could be {' or '.join(moves)}: type one." if moves else f"No move goes {way}."]

    def _write(self, text: str) -> None:
        sys.stdout.write(writable(text))
        sys.stdout.flush()
