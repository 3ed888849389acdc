"""The words that a shell offers on Tab: they are asked for as the shell's script does."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "python" / "puzzlekit" / "gallery"


@pytest.fixture
def bash(process):
    """What bash is offered after some words; the last of them is not whole."""

    def ask(*words):
        environment = {
            **os.environ,
            "COMP_WORDS": "\n".join(["puzzlekit", *words]),
            "COMP_CWORD": str(len(words)),
            "_PUZZLEKIT_COMPLETE": "complete_bash",
        }
        result = process(environment=environment)
        assert (result.code, result.err) == (0, "")
        return result.out.split()

    return ask


@pytest.fixture
def fish(process):
    """What fish is offered after a line, with what each means."""

    def ask(line):
        environment = {
            **os.environ,
            "_TYPER_COMPLETE_ARGS": line,
            "_TYPER_COMPLETE_FISH_ACTION": "get-args",
            "_PUZZLEKIT_COMPLETE": "complete_fish",
        }
        result = process(environment=environment)
        assert (result.code, result.err) == (0, "")
        return dict(line.partition("\t")[::2] for line in result.out.splitlines())

    return ask


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["enu"], ["enumerate"]),
        (["help", "va"], ["values"]),
        (["plugins", "ch"], ["check"]),
        (["enumerate", "ro"], ["rotate", "rotation"]),
        (["serve", "slider", "ti"], ["tictactoe"]),
        (["enumerate", "slider", "--st"], ["--store"]),
        (["enumerate", "slider", "--store", ""], ["auto", "dense", "sparse"]),
        (["values", "tictactoe", "--starts", "b"], ["both"]),
        (["export", "job", "--format", "p"], ["parquet"]),
        (["solve", "slider", "--solver", ""], ["optimal", "reduction"]),
        (["scramble", "flipit", "--scrambler", "r"], ["random"]),
        (["solve", "nosuch", "--solver", ""], []),
        (["enumerate", "./"], []),  # bash completes paths itself
    ],
)
def test_bash(words, offered, bash):
    assert bash(*words) == offered


def test_fish_shows_meanings_and_completes_paths(fish, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "jobs").mkdir()
    (tmp_path / "notes.txt").touch()
    shutil.copy(EXAMPLES / "hanoi.py", tmp_path / "hanoi.py")
    assert fish("puzzlekit info rotati")["rotation"].startswith("Numbers on three rows")
    assert set(fish("puzzlekit info ./")) == {"./hanoi.py", "./jobs/"}
    assert set(fish("puzzlekit status ")) == {"jobs/"}
    assert set(fish("puzzlekit solve slider --states n")) == {"notes.txt"}


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_the_script_for_bash_completes(process, tmp_path):
    """Bash itself runs the function that the script defines."""
    script = process(environment={**os.environ, "_PUZZLEKIT_COMPLETE": "source_bash"}).out
    assert "complete -o default -F _puzzlekit_completion puzzlekit" in script
    program = tmp_path / "puzzlekit"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m puzzlekit "$@"\n')
    program.chmod(0o755)
    ask = 'COMP_WORDS=(puzzlekit enumerate fl); COMP_CWORD=2; _puzzlekit_completion puzzlekit; echo "${COMPREPLY[@]}"'
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", f"{script}\n{ask}"], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.strip() == "flipit"


def test_completion_is_installed_for_the_shell_that_asks(tmp_path):
    """The script goes into the home of the user; the shell is the program above this one."""
    program = tmp_path / "puzzlekit"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m puzzlekit "$@"\n')
    program.chmod(0o755)
    done = subprocess.run(
        ["bash", "-c", f"{program} --install-completion; echo code $?"],
        capture_output=True, text=True, check=True, env={**os.environ, "HOME": str(tmp_path)},
    )  # fmt: skip
    assert "bash completion installed in" in done.stdout
    assert done.stdout.endswith("code 0\n")
    assert "puzzlekit" in (tmp_path / ".bashrc").read_text()


def test_the_options_of_completion_are_those_of_all_verbs(process):
    assert "--install-completion" in process("--help").out
    assert "--install-completion" not in process("list", "--help").out
    assert process("list", "--install-completion").code == 2


def test_nothing_is_told_in_the_middle_of_the_line_that_is_being_typed(process, tmp_path):
    """A shell shows the messages of the command that it asks, so a file that prints and a wrong question show none."""
    (tmp_path / "loud.py").write_text("print('loud')\n1 / 0\n")
    words = f"puzzlekit\nsolve\n{tmp_path / 'loud.py'}\n--solver\n"
    for asked in ({"COMP_WORDS": words, "COMP_CWORD": "4"}, {"COMP_WORDS": words, "COMP_CWORD": "x"}, {}):
        result = process(environment={**os.environ, "_PUZZLEKIT_COMPLETE": "complete_bash", **asked})
        assert (result.out.strip(), result.err) == ("", "")
