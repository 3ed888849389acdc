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
    """What `puzzlekit plugins check` would tell of a file: a fault alone, or the notes."""
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
