"""`puzzlekit draw`: boards in characters and as SVG, strips that show several moves, and what is refused."""

import json
import os
import pty
import subprocess
import sys
from xml.etree import ElementTree

import pytest

import puzzlekit
from puzzlekit import Rules, swap
from puzzlekit.view.characters import board, plain, width
from puzzlekit.view.view import View
from tests.gallery import FILES
from tests.nursery import Command

BOARD = """┌───┬───┬───┐
│ 2 │ 1 │ 3 │
├───A───B───┤
│ 4 │ 5 │ 6 │
├───C───D───┤
│ 7 │ 8 │ 9 │
└───┴───┴───┘
"""
SVG = "{http://www.w3.org/2000/svg}"


def boards(svg):
    """The boards of a picture, each as the texts on it."""
    groups = [group for group in ElementTree.fromstring(svg).iter(f"{SVG}g") if group.get("class") == "board"]
    return [[each.text for each in group.iter(f"{SVG}text")] for group in groups]


def captions(svg):
    return [each.text for each in ElementTree.fromstring(svg).iter(f"{SVG}text") if each.get("class") == "caption"]


def test_a_board_in_characters(command):
    result = command("draw", "rotation", "213456789")
    assert (result.code, result.out, result.err) == (0, BOARD, "")
    assert command("draw", "rotation").out == BOARD.replace("2 │ 1", "1 │ 2")
    assert command("draw", "rotation", "-", given="213/456/789\n").out == BOARD


def test_pressed_cells_and_targets_have_brackets(command):
    last = [line[-17:] for line in command("draw", "flipit", "--moves", "7 3 3").out.splitlines()[-9:]]
    assert "│ ● │ ● │[●]│ ○ │" in last
    assert "".join(last).count("[") == 1
    assert "│( )│   │" in command("draw", str(FILES["sokoban"])).out


def test_cells_without_lines(command):
    lines = command("draw", str(FILES["mu_torere"])).out.splitlines()
    assert sum(line.count("X") for line in lines) == 4
    assert [line.strip() for line in lines if "·" in line] == ["O     ·     X"]


def test_a_board_without_such_characters(process):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    out = process("draw", "flipit", environment=environment).out
    assert out.splitlines()[:2] == ["+---+---+---+---+", "| * | * | * | * |"]


def test_a_strip_of_moves(command, tmp_path):
    file = tmp_path / "strip.svg"
    result = command("draw", "rotation", "--moves", "A B", "--to", str(file))
    assert result.out == f"{file}: 3 pictures of rotation\n"
    svg = file.read_text(encoding="utf-8")
    assert ["".join(texts[:9]) for texts in boards(svg)] == ["123456789", "413526789", "421563789"]
    assert captions(svg) == ["1. A", "2. B"]
    in_characters = command("draw", "rotation", "--moves", "A B").out
    assert in_characters.splitlines()[-1].split() == ["1.", "A", "2.", "B"]


def test_a_solution_with_its_stages(command):
    svg = command("draw", "rotation", "213/456/789", "--solve", "--solver", "staged", "--to", "-").out
    report = puzzlekit.load("rotation").solve("213/456/789", puzzlekit.solvers(puzzlekit.load("rotation"))["staged"])
    assert len(boards(svg)) == report.length + 1
    assert captions(svg)[0].startswith("the 1 is placed")
    assert len(captions(command("draw", "rotation", "213/456/789", "--solve", "--to", "-").out)) == 9


def test_the_answer_of_solve_is_drawn(command):
    moves = command("solve", "rotation", "213/456/789").out
    assert command("draw", "rotation", "213/456/789", "--moves", "-", given=moves).out.count("9. C") == 1


def test_names_with_spaces_are_quoted(command, tmp_path):
    file = tmp_path / "pair.py"
    file.write_text(
        "from dataclasses import dataclass\nfrom puzzlekit import Puzzle, Rules, swap\n\n"
        "@dataclass(frozen=True)\nclass Pair(Puzzle):\n    id = 'pair'\n"
        "    def rules(self):\n        names = ['to <&\\'', \"b'\"]\n"
        "        return Rules('abc', 'abc', [swap(at, at + 1).named(name) for at, name in enumerate(names)])\n"
    )
    assert command("draw", str(file), "--moves", "\"to <&'\" b'").out.splitlines()[-1].endswith("  2. b'")
    svg = command("draw", str(file), "--moves", "\"to <&'\" b'", "--to", "-").out
    assert captions(svg) == ["1. to <&'", "2. b'"]


def test_json(command):
    data = json.loads(command("draw", "slider:2,2", "--moves", "R D", "--json").out)
    assert data["schema"] == "puzzlekit.draw/1"
    assert data["states"] == ["01/23", "10/23", "13/20"]
    assert data["moves"] == ["R", "D"]
    assert data["view"] == puzzlekit.load("slider:2,2").view().as_dict()
    assert len(boards(data["svg"])) == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rotation", "--to", "a.jpg"], "--to is a.jpg; give a file that ends in .svg, .png or .gif, or - for an SVG"),
        (["rotation", "--moves", "A", "--solve"], "--moves and --solve are given together; give one of them"),
        (["rotation", "--solver", "staged"], "--solver is staged without --solve; add --solve, or leave it out"),
        (["rotation", "-", "--moves", "-"], "both the state and --moves are -, and there is one stdin"),
        (["rotation", "12"], 'the state "12" has 2 cells; give 9'),
        (["rotation", "--moves", "A X"], 'the move "X" cannot be made in 413/526/789'),
        (["rotation", "--to", "/no/such/folder/a.svg"], "/no/such/folder/a.svg cannot be written: No such file"),
    ],
)
def test_what_is_refused(command, words, message):
    result = command("draw", *words)
    assert result.code in (1, 2)
    assert message in result.err
    assert result.out == ""


@pytest.mark.parametrize(
    ("view", "message"),
    [
        ("1 / 0", "slip: view() failed with ZeroDivisionError: division by zero"),
        ("7", "slip: view() returned int; return a puzzlekit.View"),
        (
            "super().view().changed(looks={'z': 1})",
            "the view is changed for the symbol 'z', which the rules do not have",
        ),
        ("super().view().changed(points={'up': (1, 1)})", "the view is changed for the move 'up', which the rules do"),
        ("View.of(self.rules(), places=[(1, 1)])", "the view has 1 places, and the rules 2 cells; give each its place"),
        ("View.of(self.rules(), board=Ring(5))", "the view has a board of 5 cells, and the rules have 2"),
        ("super().view().changed(looks={'a': Look('star')})", "a look has the shape 'star'; give one of none, text"),
        (
            "super().view().changed(looks={'a': Look('disk', '', 'pink')})",
            "a look has the colour 'pink'; give #rrggbb or one of",
        ),
    ],
)
def test_a_view_that_fails_is_one_sentence(command, tmp_path, view, message):
    file = tmp_path / "slip.py"
    file.write_text(
        "from dataclasses import dataclass\nfrom puzzlekit import Look, Puzzle, Ring, Rules, View, swap\n\n"
        "@dataclass(frozen=True)\nclass Slip(Puzzle):\n    id = 'slip'\n"
        "    def rules(self):\n        return Rules('ab', 'ab', [swap(0, 1)])\n"
        f"    def view(self):\n        return {view}\n"
    )
    result = command("draw", str(file))
    assert result.code == 5
    assert message in result.err
    assert result.err.count("\n") == 1


def on_a_terminal(*words, **environment):
    """The output of a command on a terminal."""
    master, slave = pty.openpty()
    given = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", **environment}
    given = {name: value for name, value in given.items() if value}
    with Command(*words, stdout=slave, env=given) as process:
        os.close(slave)
        parts = []
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # the program has ended
                break
            parts.append(part)
        process.wait(60)
    os.close(master)
    return b"".join(parts).decode()


def test_colours_on_a_terminal():
    shown = on_a_terminal("draw", "rotation", "213/456/789", NO_COLOR="")
    assert "\x1b[38;2;20;32;43;48;2;124;180;252m 2 \x1b[0m" in shown
    for plain_one in (
        on_a_terminal("draw", "rotation", "213/456/789", "--plain", NO_COLOR=""),
        on_a_terminal("draw", "rotation", "213/456/789", NO_COLOR="1"),
        on_a_terminal("draw", "rotation", "213/456/789", TERM="dumb", NO_COLOR=""),
    ):
        assert plain_one.replace("\r\n", "\n") == BOARD


def test_a_symbol_commands_no_terminal():
    rules = Rules(["\x1b[2J", "\u202e", "漢"], ["\x1b[2J", "\u202e", "漢"], [swap(0, 1), swap(1, 2)])
    text = plain(board(View.of(rules), "\x1b[2J,\u202e,漢"))
    assert text.isprintable() or all(character.isprintable() or character == "\n" for character in text)
    assert len({width(line) for line in text.splitlines()}) == 1


def test_a_start_takes_no_longer():
    """Commands that draw nothing import no module that draws, so they start no later."""
    program = (
        "import sys; from puzzlekit.cli import app; app.run(['list']);"
        "print([name for name in sys.modules if name.startswith('puzzlekit.draw') or 'xml' in name "
        "or name in ('puzzlekit.view.view', 'puzzlekit.view.gestures')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
