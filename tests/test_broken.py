"""Puzzles that are broken, one a file, each with the sentence that tells its author what to mend."""

import ast
from pathlib import Path

import pytest

import puzzlekit
from puzzlekit import PuzzlekitError
from puzzlekit.testing import checks

FILES = sorted((Path(__file__).parent / "broken").glob("*.py"))


def constants(path):
    """The constants of a file, which need not run."""
    found = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id.isupper():
            try:
                found[node.targets[0].id] = ast.literal_eval(node.value)
            except ValueError:  # what is no constant
                continue
    return found


def told(path, *, full):
    """The messages of `puzzlekit plugins check` about a file: a fault alone, or the notes."""
    try:
        puzzle = puzzlekit.load(str(path))
        done = list(checks(puzzle, states=100, full=full))
    except PuzzlekitError as error:
        return [str(error)]
    return [done[-1].fault] if done[-1].fault else [note for check in done for note in check.notes]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_broken_puzzle_is_told_what_to_mend(path, capfd):
    known = constants(path)
    found = told(path, full=known.get("FULL", False))
    assert any(known["SENTENCE"] in sentence for sentence in found), found
    for sentence in found:
        assert "\n" not in sentence
    capfd.readouterr()  # what a puzzle prints


def test_there_are_many_and_each_breaks_something_else():
    assert len(FILES) >= 20
    sentences = [constants(path)["SENTENCE"] for path in FILES]
    # A class that is no dataclass and one that is not frozen are mended in the same way.
    assert len(set(sentences)) >= len(sentences) - 1


def test_the_command_tells_it_and_fails(command):
    path = str(Path(__file__).parent / "broken" / "wrong_count.py")
    result = command("plugins", "check", path)
    assert result.code == 1
    assert result.err == ("puzzlekit: error: count_reachable of broken says 12, and play reaches 24 states; mend it\n")


NONSENSE = """
from dataclasses import dataclass
from puzzlekit import Puzzle, Rules, swap


@dataclass(frozen=True)
class Odd(Puzzle):
    '''A puzzle with a method that answers nonsense.'''

    id = "odd"

    def rules(self):
        return Rules(symbols="abc", start="abc", goal="abc", moves=[swap(0, 1).named("x"), swap(1, 2).named("y")])

"""


@pytest.mark.parametrize(
    ("method", "words", "sentence"),
    [
        ("guide(self): return 5", ["play"], "guide() returned 5; return a text"),
        ("guide(self): return 5", ["info"], "guide() returned 5; return a text"),
        ("guide(self): return 5", ["scramble"], "guide() returned 5; return a text"),
        ("board(self, state, moves=()): return None", ["play"], "board() returned None; return a text"),
        ("board(self, state, moves=()): return 1 / 0", ["play"], "board() failed with ZeroDivisionError: "),
        (
            "why_unsolvable(self, state): return 5",
            ["solve", "bac"],
            "why_unsolvable() returned 5; return a text, or None ",
        ),
        ("number(self, state): return 'one'", ["scramble"], "number() returned 'one'; return a whole number, or None "),
        ("numbered(self, number): return 5", ["scramble", "--number", "5"], "numbered() returned 5; return a "),
        ("count_reachable(self): return '6'", ["info"], "count_reachable() returned '6'; return a whole number, or "),
        ("count_reachable(self): exit(4)", ["enumerate", "--dry-run"], "count_reachable() failed with SystemExit: 4"),
        ("default_solver(self): return 5", ["solve", "bac"], "5"),
    ],
)
def test_a_method_that_answers_nonsense_costs_one_sentence(method, words, sentence, command, tmp_path):
    path = tmp_path / "odd.py"
    path.write_text(f"{NONSENSE}    def {method}\n")
    verb, *rest = words
    result = command(verb, str(path), *rest, given="quit\n")
    assert result.code == 5, result
    last = result.err.splitlines()[-1]
    assert last.startswith("puzzlekit: error: ")
    assert sentence in last
    assert "Traceback" not in result.err
