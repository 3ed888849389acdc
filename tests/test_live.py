"""Play on a terminal: the board is drawn in place and arrow keys move; with `--plain`, it is as in a pipe."""

import codecs
import fcntl
import io
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

import pytest

import puzzlekit
from puzzlekit.cli import live
from puzzlekit.cli.keys import parse
from puzzlekit.play.session import Session
from tests.gallery import FILES
from tests.nursery import Command

WORDS = re.compile(r"\x1b\[(\d*)F|\x1b\[([JK])|\x1b\[[\d;]*m|(\r)|(\n)|([^\x1b\r\n])")


class Terminal:
    """A terminal with a program on it. Its screen has as many lines as are written, and none scrolls away."""

    def __init__(self, *words, echo=True, columns=90, **environment):
        self.master, slave = pty.openpty()
        self.columns = columns
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        if not echo:
            mode = termios.tcgetattr(slave)
            mode[3] &= ~termios.ECHO
            termios.tcsetattr(slave, termios.TCSANOW, mode)
        # Without these variables, the program asks the terminal for its size.
        size = {"COLUMNS": "", "LINES": ""}
        given = {**os.environ, "TERM": "xterm-256color", "NO_COLOR": "", **size, **environment}
        self.process = Command(
            *words,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={name: value for name, value in given.items() if value},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        self.sent = ""
        self.decoder = codecs.getincrementaldecoder("utf-8")()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait(20)
        os.close(self.master)

    def read(self, until, seconds=30.0):
        """Reads on until the screen shows a text, or until the program has ended."""
        end = time.monotonic() + seconds
        while until is None or until not in self.text():
            assert time.monotonic() < end, f"waited for {until!r}:\n{self.text()}"
            if not select.select([self.master], [], [], 0.1)[0]:
                continue
            try:
                self.sent += self.decoder.decode(os.read(self.master, 65536))
            except OSError:  # the program has ended
                assert until is None, f"ended before {until!r}:\n{self.text()}"
                break
        return self.text()

    def type(self, text):
        os.write(self.master, text.encode())

    def settle(self, text, sign="\x1b[J", seconds=30.0):
        """Types a text, and reads until nothing more comes after `sign`, with which a drawing of the board begins."""
        drawn, end = self.sent.count(sign), time.monotonic() + seconds
        self.type(text)
        while (waiting := self.sent.count(sign) == drawn) or select.select([self.master], [], [], 0.3)[0]:
            assert time.monotonic() < end, f"waited for {sign!r} after {text!r}:\n{self.text()}"
            if select.select([self.master], [], [], 0.1 if waiting else 0)[0]:
                self.sent += self.decoder.decode(os.read(self.master, 65536))
        return self.text()

    def text(self):
        """The text on the screen."""
        lines, row, column = [""], 0, 0
        for found in WORDS.finditer(self.sent):
            up, clear, back, down, shown = found.groups()
            if up is not None:
                row, column = row - int(up or 1), 0
                assert row >= 0
            elif clear:
                lines[row] = lines[row][:column]
                if clear == "J":
                    del lines[row + 1 :]
            elif back:
                column = 0
            elif down:
                row += 1
                lines += [""] * (row + 1 - len(lines))
            elif shown:
                if column == self.columns:
                    row, column = row + 1, 0
                    lines += [""] * (row + 1 - len(lines))
                lines[row] = lines[row].ljust(column)[:column] + shown + lines[row][column + 1 :]
                column += 1
        return "\n".join(line.rstrip() for line in lines)

    def end(self):
        self.read(None)
        return self.process.wait(20)


def test_a_board_is_drawn_again_in_its_place():
    with Terminal("play", "slider:2,3", "--seed", "1", "--moves", "2") as terminal:
        first = terminal.read("\n>")
        assert "slider:rows=2,columns=3. Type a move, or: moves" in first
        assert "The arrow keys move, too." in first
        assert "\x1b[38;" in terminal.sent or "\x1b[30;" in terminal.sent
        height = first.count("\n")
        terminal.type("hint\r")
        hint = terminal.read("Hint: ")
        move = re.search(r"Hint: (\w)\.", hint)[1]
        terminal.settle({"R": "\x1b[C", "L": "\x1b[D", "U": "\x1bOA", "D": "\x1bOB"}[move])
        terminal.type("solve\r")
        text = terminal.read("Solution: 1 move: ")
        assert text.count("┌──") == 2, "the state and the goal"
        assert "1 move made; from the start, the fewest are 2\n" in text
        assert text.count("\n") == height + 1
        terminal.type(re.search(r"Solution: 1 move: (\w)", text)[1].lower() + "\r")
        assert "Solved in 2 moves. The fewest possible: 2." in terminal.read("Again?")
        assert terminal.text().count("┌──") == 2
        terminal.type("n")
        assert terminal.end() == 0


def cells(text):
    """The cells of the board that is on the screen, and those of the goal beside it."""
    rows = [[part.split("│")[1:-1] for part in re.split(" {4,}", line)] for line in text.splitlines() if "│" in line]
    return ["".join(cell.strip() for row in rows for cell in row[at]) for at in (0, 1)]


def test_the_goal_stands_beside_the_board_and_a_key_is_a_move():
    puzzle = puzzlekit.load("rotation")
    with Terminal("play", "rotation", "--seed", "1") as terminal:
        first = terminal.read("\n>")
        assert "A key that is a move makes it at once, without Enter." in first
        assert "the goal" in first
        state, goal = cells(first)
        after_a = puzzle.apply(puzzle.read(state), "A")
        assert goal == "123456789"
        # Small letters do for capital ones. The Enter after a move that was made already means nothing.
        assert cells(terminal.settle("A"))[0] == after_a.replace("/", "")
        terminal.type("\r")
        assert cells(terminal.settle("b"))[0] == puzzle.apply(after_a, "B").replace("/", "")
        assert "2 moves made; from the start, the fewest are " in terminal.text()
        terminal.type("undo\r")
        assert cells(terminal.read("1 move made"))[0] == after_a.replace("/", "")


def test_a_letter_that_begins_a_word_waits_for_enter():
    with Terminal("play", "slider:2,2", "--seed", "1") as terminal:
        terminal.read("\n>")
        terminal.type("u")
        assert "0 moves made" in terminal.read("> u")
        terminal.type("ndo\r")
        assert "There is nothing to undo." in terminal.read("nothing to undo")


def test_the_way_is_played_on_the_board():
    with Terminal("play", "rotation", "--seed", "1") as terminal:
        state, goal = cells(terminal.read("\n>"))
        length = int(re.search(r"the fewest are (\d+)", terminal.text())[1])
        terminal.type("show\r")
        terminal.read("Solution: ", seconds=60)
        steps = re.findall(rf"(\d+) of {length}: ([A-D])", terminal.sent)
        assert [int(number) for number, _ in steps] == [*range(1, length + 1)]
        terminal.read(f"Solution: {length} moves: {' '.join(move for _, move in steps)}")
        assert cells(terminal.text()) == [state, goal]
        assert "0 moves made" in terminal.text()


def test_play_again_with_another_state():
    with Terminal("play", "flipit", "--number", "63903") as terminal:
        terminal.read("Again? Press y; any other key ends it.")
        assert "Solved in 0 moves" in terminal.text()
        terminal.type("y")
        again = terminal.read("moves made")
        assert again.count("flipit, number ") == 2
        assert "number 63903" not in again.split("flipit, number ")[2]
        terminal.type("quit\r")
        assert terminal.end() == 0
        assert terminal.text().count("Again?") == 1, "whoever quits is not asked"


def test_cells_show_the_moves_that_are_made_there():
    with Terminal("play", "tictactoe") as terminal:
        assert [line for line in terminal.read("\n>").splitlines() if "│" in line][1] == "│ 3 │ 4 │ 5 │"
        text = terminal.settle("4")
        assert [line for line in text.splitlines() if "│" in line][1] == "│ 3 │ X │ 5 │"
        assert "O to move." not in text


def test_keys_that_make_no_move():
    with Terminal("play", "slider:2,2", "--seed", "1") as terminal:
        terminal.read("\n>")
        terminal.type("zz\x7f\x15" + "undo\x1b[3~\x1b\r")
        assert "There is nothing to undo." in terminal.read("There is nothing to undo.")
        terminal.type("nonsense\r")
        assert terminal.read("cannot be made").count("┌──") == 2
        terminal.settle("\x1b[A")
        assert "No move goes up." in terminal.settle("\x1b[A")
        terminal.type("\x04")
        assert re.search(r"You made \d moves?\.", terminal.read("You made"))
        assert terminal.end() == 0


def test_a_terminal_that_is_too_narrow():
    """The terminal wraps the lines of the board. Of a long typed line, only the end is shown."""
    with Terminal("play", "slider:2,9", "--seed", "1", columns=30) as terminal:
        height = terminal.read("\n>").count("\n")
        for key in ("\x1b[C", "\x1b[D", "\x1b[C", "\x1b[D"):
            terminal.settle(key)
        text = terminal.text()
        assert text.count("┌─") == 1
        assert text.count("\n") <= height + 1, "there may be a sentence under it"
        terminal.type("".join(f"{number:02d} " for number in range(30)))
        text = terminal.read("28 29")
        assert text.count("\n") <= height + 1
        assert text.splitlines()[-1].endswith(" 27 28 29")
        assert text.splitlines()[-1].startswith("> …")
        assert "00 01" not in text


def test_pressed_cells_are_marked():
    with Terminal("play", "flipit", "--number", "63903") as terminal:
        terminal.read("Again?")
        terminal.type("n")
        assert terminal.end() == 0
    with Terminal("play", "flipit", "--seed", "4") as terminal:
        terminal.read("\n>")
        terminal.settle("6 11\r")
        terminal.settle("6\r")
        terminal.type("moves\r")
        assert terminal.read("Moves: ").count("[") == 1


def test_a_game_against_perfect_play():
    with Terminal("play", "tictactoe", "--second") as terminal:
        first = terminal.read("O to move.")
        assert first.count("X ") >= 1
        assert "I play " in first
        terminal.type("moves\r")
        free = re.search(r"Moves: ([\d ]+)", terminal.read("Moves: "))[1].split()
        terminal.type(f"{free[0]}\r")
        text = terminal.read("I play ")
        assert text.count("┌──") == 1


def test_ctrl_c_ends_it_and_restores_the_terminal():
    with Terminal("play", "rotation", "--seed", "1") as terminal:
        terminal.read("\n>")
        terminal.type("\x03")
        assert terminal.end() == 130
        assert "puzzlekit: interrupted" in terminal.text()
        mode = termios.tcgetattr(terminal.master)
        assert mode[3] & termios.ECHO
        assert mode[3] & termios.ICANON


def test_play_goes_on_after_ctrl_z():
    # Only a child of this process can be waited for until it has stopped. With this variable it is not forked.
    with Terminal("play", "rotation", "--seed", "1", PYTHONHASHSEED="0") as terminal:
        terminal.read("\n>")
        os.kill(terminal.process.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, terminal.process.pid, os.WSTOPPED)
        mode = termios.tcgetattr(terminal.master)
        mode[3] |= termios.ECHO | termios.ICANON  # as the shell does
        termios.tcsetattr(terminal.master, termios.TCSANOW, mode)
        terminal.sent += "\r\n[1]+  Stopped\r\n"
        os.kill(terminal.process.pid, signal.SIGCONT)
        assert terminal.settle("", sign="└").count("┌───") == 4
        text = terminal.settle("hint\r")
        assert text.count("┌───") == 4
        assert "Hint: " in text
        assert "[1]+  Stopped" in text


def test_play_goes_on_after_ctrl_z_at_any_moment():
    """The signal may come while a board is being written. That board must be finished before another one begins."""
    with Terminal("play", "rotation", "--seed", "1") as terminal:
        terminal.read("\n>")
        for step in range(60):
            terminal.type("hint\r")
            time.sleep(step / 5000)
            os.kill(terminal.process.pid, signal.SIGSTOP)
            os.kill(terminal.process.pid, signal.SIGCONT)
        terminal.type("quit\r")
        assert terminal.end() == 0
        assert terminal.sent.count("Hint: ") >= 60
        assert "Traceback" not in terminal.sent


def test_moves_with_names_are_keys():
    with Terminal("play", str(FILES["sokoban"]), "--moves", "1", "--seed", "2") as terminal:
        before = terminal.read("\n>")
        for key in ("\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"):
            terminal.settle(key)
        terminal.type("hint\r")
        after = terminal.read("Hint: ")
        assert before.split("\n\n")[-1].split("\n>")[0] not in after


TYPED = "moves\nhint\nA\nundo\nfoo\nA B\nsolve\nquit\n"


@pytest.mark.parametrize(
    ("words", "environment"),
    [((["--plain"]), {}), ([], {"NO_COLOR": "1"}), ([], {"TERM": "dumb"})],
    ids=["plain", "NO_COLOR", "dumb"],
)
def test_the_line_mode_is_the_same_to_the_word(words, environment, command):
    through_a_pipe = command("play", "rotation", "--seed", "1", given=TYPED)
    with Terminal("play", "rotation", "--seed", "1", *words, echo=False, **environment) as terminal:
        for line in TYPED.splitlines():
            terminal.read("\n>")
            terminal.type(f"{line}\n")
        assert terminal.end() == 0
        assert terminal.sent.replace("\r\n", "\n") == through_a_pipe.out
    assert "\x1b" not in terminal.sent


def test_only_the_output_is_a_terminal():
    """If only the output is a terminal, moves come from a pipe, and no key is waited for."""
    master, slave = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "puzzlekit", "play", "rotation", "--seed", "1"],
            input=b"quit\n",
            stdout=slave,
            env={**os.environ, "TERM": "xterm"},
            timeout=60,
            check=True,
        )
        assert done.returncode == 0
        assert b"\x1b" not in os.read(master, 65536)
    finally:
        os.close(slave)
        os.close(master)


def test_keys_are_told_apart():
    assert parse("\x1b[1;5C") == ["ArrowRight"]
    assert parse("\x1b") == []
    assert parse("\x1b[") == []
    assert parse("\x1b[200~é漢\x00\x04") == ["é", "漢", "End"]


def test_a_system_without_single_keys_reads_lines(monkeypatch, capsys):
    monkeypatch.setattr("puzzlekit.cli.keys._termios", lambda: None)
    monkeypatch.setattr("sys.stdin", io.StringIO("C\nhint\n"))
    session = Session(puzzlekit.load("rotation"), "213/456/789", boards=False)
    live.play(session)
    shown = capsys.readouterr().out
    assert session.moves == ["C"]
    # The state and the goal at first, after each of two lines, and when the input ended.
    assert shown.count("┌───") == 8
    assert "You made 1 move." in shown
