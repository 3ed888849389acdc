"""`puzzlekit play` on a terminal: the board with colours, drawn again in its place after every move.

The commands and the answers are those of the line mode. In addition, arrow keys make moves that are named after
directions. A move whose name is one character is made as soon as that key is pressed. The goal is shown beside the
board, and under it the number of moves made and of the fewest moves.
"""

from __future__ import annotations

import shutil
import sys
import textwrap
import threading
import time
from typing import TYPE_CHECKING

from puzzlekit.cli.keys import Keys
from puzzlekit.cli.output import print_line
from puzzlekit.cli.screen import beside, length, print_glyphs, writable
from puzzlekit.cli.terminal import plain
from puzzlekit.errors import StateError
from puzzlekit.play.session import WORDS
from puzzlekit.view.characters import Glyph, board, width
from puzzlekit.view.view import view_of

if TYPE_CHECKING:
    from puzzlekit.play.session import Session

PROMPT = "> "
UP_AND_CLEAR = "\x1b[{lines}F\x1b[J"
"""Moves the cursor to the beginning of a line above, and clears everything from there on."""

REWRITE = "\r\x1b[K"
"""Moves the cursor to the beginning of its line, and clears the line."""

GAP = 6
"""The number of columns between the board and the goal."""

FEWEST_SECONDS = 10.0
"""The seconds after which the search for the fewest moves, which runs during play, gives up."""

PATIENCE = 0.15
"""The seconds for which the first board waits for the fewest moves. If they are found later, the next board shows
them."""

STEP_SECONDS = 0.5
"""The seconds for which each state on the way to the goal is shown."""

WAY_SECONDS = 10.0
"""The most seconds for which the whole way is shown. On a long way, each state is shown for a shorter time."""

LONGEST_NAME = 3
"""The most characters of a move's name that is shown in a cell."""

AGAIN = "Again? Press y; any other key ends it. "

ARROWS = ("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight")


def play(session: Session) -> bool:
    """Plays until the session is over, and returns `True` if the person wants to play again.

    Raises:
        KeyboardInterrupt: On Ctrl-C.
    """
    screen = _Screen(session)
    for line in session.introduce():
        print_line(writable(line))
    if screen.has_arrows:
        print_line("The arrow keys move, too.")
    if screen.has_short_names:
        print_line("A key that is a move makes it at once, without Enter.")
    print_line()
    # Single keys are read before the prompt is shown. Otherwise the terminal would show keys that are typed early.
    with Keys(screen.again) as keys, screen.fewest:
        screen.show(session.open())
        while not session.over:
            screen.show(screen.answer(keys))
        return screen.asks_again(keys) if session.game.moment().over and not keys.whole_lines else False


def ending(text: str, columns: int) -> str:
    """An ellipsis and the end of a text, together as wide as a number of columns.

    >>> ending("abcdef", 4)
    '…def'
    """
    while text and width(text) > columns - 1:
        text = text[1:]
    return f"…{text}"


class _Fewest:
    """Searches for the fewest moves from the start while a person plays. The end of the `with` stops the search."""

    def __init__(self, session: Session) -> None:
        self.known: int | None = None
        self._left = threading.Event()
        self._thread = threading.Thread(target=self._find, args=(session,), daemon=True)

    def _find(self, session: Session) -> None:
        self.known = session.fewest(FEWEST_SECONDS, lambda _: self._left.is_set())

    def __enter__(self) -> None:
        self._thread.start()
        self._thread.join(PATIENCE)

    def __exit__(self, *_: object) -> None:
        self._left.set()


class _Screen:
    """The part of the terminal that is drawn anew after each move: board, words under it, and typed line."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._view = view_of(session.puzzle)
        self._lines = 0  # how many lines there are above the one in which the cursor is
        self._made_at_once = False  # whether the last key was a move, so that an Enter after it means nothing
        self.has_arrows = any(gesture.kind == "key" and gesture.key in ARROWS for gesture in self._view.gestures)
        self._names = {name.lower() for name in session.puzzle.engine.move_names}
        self.has_short_names = all(len(name) == 1 for name in self._names)
        self._goal = self._picture_of_goal()
        self.fewest = _Fewest(session)

    def _picture_of_goal(self) -> list[list[Glyph]]:
        goal = self._session.puzzle.engine.goal
        if goal is None or self._session.puzzle.engine.is_game:
            return []
        try:
            return [*board(self._view, goal), [Glyph("the goal")]]
        except StateError:  # it leaves some cells open
            return []

    def _board(self, columns: int, ahead: str | None) -> list[list[Glyph]]:
        """The board of the state or of `ahead`, a state of the solution, with the goal beside it if there is room."""
        session = self._session
        if ahead is None:
            shown = board(self._view, session.state, session.moves, self._names_of_cells())
        else:
            shown = board(self._view, ahead)
        wide = max(max(map(length, each), default=0) for each in (shown, self._goal))
        if not self._goal or 2 * wide + GAP > columns:
            return shown
        return beside([shown, self._goal], GAP, columns)

    def _names_of_cells(self) -> dict[int, str]:
        """For each cell that makes a move if pressed, the name of the move. Empty if some name is too long."""
        session = self._session
        names: dict[int, str] = {}
        for chance in () if session.over else self._view.live(session.state, session.puzzle.legal_moves(session.state)):
            gesture = self._view.gestures[chance.gesture]
            if gesture.kind == "press" and len(gesture.cells) == len(chance.moves) == 1:
                names[gesture.cells[0]] = chance.moves[0]
        return names if all(len(name) <= LONGEST_NAME for name in names.values()) else {}

    def _status(self) -> list[str]:
        """In a puzzle, a line with the number of moves made and the fewest moves from the start."""
        moment = self._session.game.moment()
        if self._session.over or self._session.puzzle.engine.is_game:
            return []
        made = f"{moment.counted:,} move{'' if moment.counted == 1 else 's'} made"
        fewest = self.fewest.known
        return [made if fewest is None else f"{made}; from the start, the fewest are {fewest:,}"]

    def show(self, words: list[str], ahead: str | None = None) -> None:
        """Draws the state, or one that lies ahead, over what was drawn before, and `words` under it."""
        session, size = self._session, shutil.get_terminal_size()
        glyphs = self._board(size.columns, ahead)
        under = [
            part
            for line in [*self._status(), *words]
            for part in textwrap.wrap(plain(line), max(10, size.columns - 1)) or [""]
        ]
        if self._lines:
            # Lines that have scrolled off the screen cannot be drawn over, so the board is drawn below them.
            sys.stdout.write(UP_AND_CLEAR.format(lines=self._lines) if self._lines < size.lines else "\n")
            sys.stdout.flush()
        print_glyphs(glyphs, plain=False)
        for line in under:
            print_line(writable(line))
        # If the terminal is narrower than the board, each line of the board takes several lines.
        self._lines = sum(-(-max(1, length(line)) // size.columns) for line in glyphs) + len(under)
        if not session.over:
            sys.stdout.write(PROMPT)
        sys.stdout.flush()

    def again(self) -> None:
        """Draws the state below what is on the terminal now, because other programs have written to it."""
        self._lines = 0
        sys.stdout.write("\n")
        self.show([])

    def answer(self, keys: Keys) -> list[str]:
        """Reads a line, or a key that makes a move, carries it out, and returns the words of the answer."""
        if keys.whole_lines:
            line = sys.stdin.readline()
            self._lines += 1  # the terminal has shown the typed line, and the cursor is below it now
            return self._session.answer(line or "quit")
        typed = ""
        while True:
            key = keys.read()
            if self._made_at_once and key == "Enter":
                self._made_at_once = False
                continue
            self._made_at_once = not typed and self._is_move(key)
            if self._made_at_once:
                self._write(REWRITE)
                return self._session.answer(key)
            if key == "Enter" or (key == "End" and not typed):
                line = typed if key == "Enter" else "quit"
                self._write(REWRITE)
                return self._show_way() if self._is_show(line) else self._session.answer(line)
            if key in ARROWS:
                return self._step(key)
            if key == "Backspace":
                typed = typed[:-1]
            elif key == "Clear":
                typed = ""
            elif len(key) == 1:
                typed += key
            room = max(1, shutil.get_terminal_size().columns - len(PROMPT) - 1)
            # Only the end of a long line is shown. If the terminal wrapped the line, `REWRITE` could not clear all of
            # it.
            self._write(f"{REWRITE}{PROMPT}{typed if width(typed) <= room else ending(typed, room)}")

    def _is_move(self, key: str) -> bool:
        """Returns `True` if a key alone is a move, which it is not if a command begins with it."""
        return self.has_short_names and key.lower() in self._names and not any(word.startswith(key) for word in WORDS)

    def _is_show(self, line: str) -> bool:
        return line.strip().lower() == "show" and "show" not in self._names

    def _show_way(self) -> list[str]:
        """Shows each state on the way to the goal. Returns the words that then stand under the current state again."""
        words, steps = self._session.way()
        for place, (move, state) in enumerate(steps, 1):
            self.show([f"{place} of {len(steps)}: {move}"], state)
            time.sleep(min(STEP_SECONDS, WAY_SECONDS / len(steps)))
        return words

    def asks_again(self, keys: Keys) -> bool:
        """Asks whether to play again, and returns `True` if the answer is yes."""
        self._write(AGAIN)
        key = keys.read()
        while key == "Enter" and self._made_at_once:
            self._made_at_once = False
            key = keys.read()
        self._write("\n")
        return key in ("y", "Y")

    def _step(self, key: str) -> list[str]:
        """Makes the move that an arrow key stands for, and returns the words of the answer."""
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
