"""Help and errors of the command line: complete at every width, with examples that run and names that may be meant."""

import json
import os
import re
import shlex
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import typer.main

import puzzlekit
from puzzlekit.cli.app import GROUPS, VERBS, build
from puzzlekit.cli.survey import _print_report
from puzzlekit.errors import did_you_mean
from puzzlekit.puzzle.solving import optimal
from puzzlekit.puzzle.surveying import survey
from puzzlekit.run.survey import Lengths
from tests.cli_reference import VERBS as PAGES
from tests.test_cli import on_terminal

EXAMPLES = Path(__file__).parent.parent / "python" / "puzzlekit" / "gallery"

WIDTHS = (60, 80, 120)


@pytest.fixture
def helped(command, monkeypatch):
    """The help of a verb on a terminal of some width."""

    def show(verb, columns):
        monkeypatch.setenv("COLUMNS", str(columns))
        result = command(*verb.split(), "--help")
        assert (result.code, result.err) == (0, "")
        return result.out

    return show


@pytest.mark.parametrize("page", PAGES)
def test_help_is_whole_at_every_width(page, helped):
    """The words are the same at every width, so that none is cut off or broken; and no line is wider."""
    texts = {columns: helped(page, columns) for columns in WIDTHS}
    for columns, text in texts.items():
        assert max(map(len, text.splitlines())) < columns
        assert text.split() == texts[120].split()
        assert "..." not in text.replace("[ARGS]...", "").replace("[ID]...", "").replace("[VERB]...", "")


def test_every_verb_stands_in_a_group(helped):
    text = helped("", 100)
    places = [text.index(f"\n{group}:\n") for group in GROUPS]
    assert places == sorted(places)
    assert all(f"\n  {verb} " in text for verb in [*VERBS, "help"])
    assert [line for line in helped("enumerate", 100).splitlines() if line[:1].isalpha() and line.endswith(":")] == [
        *("Arguments:", "Options:", "Limits:", "Kept states:", "Output:", "Examples:")
    ]


def examples_of(text):
    lines = text.partition("\nExamples:\n")[2].splitlines()
    return [line.strip() for line in lines if line.startswith("  puzzlekit ")]


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder with the puzzles in files that the examples name."""
    monkeypatch.chdir(tmp_path)
    for name in ("mine.py", "frogs.py"):
        shutil.copy(EXAMPLES / "frogs.py", tmp_path / name)
    shutil.copy(EXAMPLES.parents[2] / "plugins/twisty/definitions/pyraminx.tws", tmp_path)


@pytest.mark.parametrize("page", [page for page in PAGES if page not in ("", "plugins", "cache", "library")])
@pytest.mark.usefixtures("desk")
def test_the_examples_run(page, helped, command):
    shown = examples_of(helped(page, 100))
    assert shown
    if page in ("resume", "status", "verify", "export"):
        assert command("enumerate", "slider:2,3", "--out", "counted").code == 0
    if page in ("library list", "library verify", "library remove"):
        assert command("values", "tictactoe", "--out", "valued").code == 0
        assert command("library", "add", "valued", "--library", "works").code == 0
    for example in shown:
        given = ""
        for part in example.split(" | "):
            words = shlex.split(part)[1:]
            assert words[: len(page.split())] == page.split() or " | " in example or page == "library add"
            if "https:" in part:  # there is no such host
                continue
            if page in ("serve", "site"):  # one would not end, and the other needs the engine for pages: both are read
                app = typer.main.get_command(build(words))
                assert app.commands[page].make_context(page, words[1:])
                continue
            result = command(*words, given=given if page != "play" else "quit\n")
            assert result.code == 0, result.err
            given = result.out


@pytest.mark.parametrize("words", [(), ("plugins",), ("cache",)])
def test_no_verb_is_a_question_for_help(words, command):
    asked = command(*words)
    assert asked == command(*words, "--help")
    assert (asked.code, asked.err) == (0, "")


@pytest.mark.parametrize("words", [(), ("enumerate",), ("plugins",), ("plugins", "check")])
def test_the_verb_help(words, command):
    assert command("help", *words) == command(*words, "--help")
    assert command("help", *words).out.startswith("Usage: puzzlekit")


def test_the_version_has_a_short_name(command):
    assert command("-V") == command("--version")
    assert command("-V").out.startswith("puzzlekit ")


@pytest.mark.parametrize(
    ("arguments", "end"),
    [
        ("enumerate flipt", "; did you mean flipit?"),
        ("enumerate rot", "; did you mean rotate or rotation?"),
        ("enumerat flipit", "; see puzzlekit --help; did you mean enumerate?"),
        ("help enumerat", "; see puzzlekit --help; did you mean enumerate?"),
        ("plugins chek", "; see puzzlekit plugins --help; did you mean check?"),
        ("solve slider --solver optimall", "; did you mean optimal?"),
        ("enumerate slider:rws=3", "; its parameters are rows, columns; did you mean rows?"),
        ("serve --prt 8000", "; see puzzlekit serve --help; did you mean --port?"),
        ("enumerate flipit --depth 3", "; see puzzlekit enumerate --help; did you mean --max-depth?"),
        ("enumerate flipit --colour", "no such option: --colour; see puzzlekit enumerate --help"),
        ("enumerate flipit --count", "no such option: --count; see puzzlekit enumerate --help"),
        ("enumerate", "; see puzzlekit enumerate --help"),
        ("plugins new", "; see puzzlekit plugins new --help"),
        ("list slider", "; see puzzlekit list --help"),
    ],
)
def test_errors_name_the_right_command(arguments, end, command):
    result = command(*arguments.split())
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert result.err.endswith(f"{end}\n")


def test_a_name_that_is_like_nothing_has_no_guess():
    assert did_you_mean("chess", ["flipit", "rotate", "slider"]) == ""
    assert did_you_mean("", ["flipit"]) == ""
    assert did_you_mean("SLIDER", ["slider"]) == "; did you mean slider?"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")
@pytest.mark.parametrize("columns", WIDTHS)
def test_a_table_breaks_no_word(columns, command):
    """Long texts take several lines of a column. Each word is whole, and no line is wider than the terminal."""
    shown = on_terminal("list", columns=columns).replace("\r\n", "\n")
    assert max(map(len, shown.splitlines())) <= columns
    words = command("list").out.split()
    assert sorted(word for word in shown.split() if "─" not in word) == sorted(words)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")
def test_errors_are_coloured_on_a_terminal_alone(monkeypatch, process):
    monkeypatch.delenv("NO_COLOR", raising=False)
    red = "\x1b[1;31merror:\x1b[0m"
    assert red in on_terminal("enumerate", "nosuch", code=2, TERM="xterm")
    assert red not in on_terminal("enumerate", "nosuch", code=2, TERM="dumb")
    monkeypatch.setenv("NO_COLOR", "1")
    assert red not in on_terminal("enumerate", "nosuch", code=2, TERM="xterm")
    assert "\x1b" not in process("enumerate", "nosuch", environment={**os.environ, "TERM": "xterm"}).err


@pytest.mark.usefixtures("desk")
def test_small_words(command, tmp_path):
    """One state is no states; sizes are read by people; a scramble does not tell its solution; nothing was counted."""
    assert "; 1 state stored" in command("solve", "rotation").err
    planned = command("enumerate", "rotation", "--dry-run").out
    assert re.search(r"\nmemory  651\.1 KiB at the most; [\d.]+ GiB may be taken\n", planned)
    presses = json.loads(command("scramble", "flipit", "--seed", "abc", "--json").out)["moves"]
    told = command("scramble", "flipit", "--seed", "abc").err.splitlines()[0]
    assert len(presses) == 3
    assert told.endswith('seed "abc": 3 presses of different disks')
    assert command("scramble", "flipit", "--seed", "a", "--moves", "2").err.splitlines()[0].endswith(" (14 16)")
    assert command("enumerate", "slider:3,3", "--out", "job").code == 0
    assert command("resume", "job").out.splitlines()[-1].startswith("all of these were kept before; ")
    assert command("enumerate", "slider:3,3", "--out", "job").err.endswith("resume it, or give another folder\n")
    missing = command("status", str(tmp_path / "none")).err
    assert "No such file or directory" in missing
    assert "os error" not in missing


def test_a_puzzle_without_a_docstring_is_not_described_by_its_signature(command, tmp_path):
    (tmp_path / "tiny.py").write_text(
        "from dataclasses import dataclass\nfrom puzzlekit import Puzzle, Rules, swap\n\n\n"
        '@dataclass(frozen=True)\nclass Tiny(Puzzle):\n    id = "tiny"\n    size: int = 3\n\n'
        '    def rules(self):\n        return Rules("ab", "ab", [swap(0, 1)], goal="ba")\n'
    )
    shown = command("info", str(tmp_path / "tiny.py")).out
    assert shown.splitlines()[:3] == ["tiny", "", "  size = 3  (a whole number)"]
    fault = command("plugins", "check", str(tmp_path / "tiny.py"))
    assert (fault.code, "Tiny has no docstring" in fault.err) == (1, True)
    assert "\n\n\n" not in command("info", "rotation").out


def test_a_survey_without_a_figure_prints_no_empty_table(capsys):
    """Ctrl-C or a limit may come before the first state is solved."""
    puzzle = puzzlekit.load("slider:2,2")
    report = survey(puzzle, optimal)
    _print_report(report)
    assert "\noptimal" in capsys.readouterr().out
    _print_report(replace(report, lengths=Lengths({}), excess=Lengths({})))
    shown = capsys.readouterr().out
    assert "\nfewest" in shown
    assert "optimal" not in shown
