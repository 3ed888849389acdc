"""Promises about versions: `docs/stable.md` lists what stays the same, and names a test in this file for each part."""

import ast
import json
import os
import re
from dataclasses import fields
from pathlib import Path

import pytest

from puzzlekit import Puzzle, load

ROOT = Path(__file__).parent.parent
FIXTURES = ROOT / "tests" / "fixtures" / "json"
NAMED = re.findall(r"`([\w/]+\.(?:py|rs))::(\w+)`", (ROOT / "docs" / "stable.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("path", "name"), NAMED)
def test_each_promise_has_its_test(path, name):
    text = (ROOT / path).read_text(encoding="utf-8")
    if path.endswith(".rs"):
        assert re.search(rf"#\[test\]\s+fn {name}\(", text)
    else:
        assert name.startswith("test_")
        assert name in [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]


def test_the_page_names_tests():
    assert len(NAMED) >= 9


# The names that every puzzle has. No name may be added, since some puzzle may have a field of that name. A new verb is
# a function that takes a puzzle; see docs/adr/0021.
NAMES_OF_EVERY_PUZZLE = {
    *("id", "distribution", "rules", "engine", "arrays", "start", "read", "legal_moves", "apply", "outcome"),
    *("is_solved", "canonical", "key", "board", "view", "guide", "number", "numbered", "scramble", "daily"),
    *("why_unsolvable", "count_reachable", "default_solver", "picture", "solve", "enumerate", "values", "plan"),
    *("_compile", "_repr_html_"),
}


def test_no_later_verb_takes_the_name_of_a_field():
    names = {name for name in (*vars(Puzzle), *Puzzle.__annotations__) if not re.fullmatch("__.*__", name)}
    assert names == NAMES_OF_EVERY_PUZZLE
    made = load("slider:2,2")
    made.legal_moves(made.start), made.arrays.encode([made.start]), made.picture(made.start)
    # Cached properties are kept in the puzzle under their own names. Nothing else is kept there.
    assert set(vars(made)) - {field.name for field in fields(made)} <= names


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("stable")


# For each kind of object that the command line prints as JSON, a command. The commands run in this order, since later
# ones read the job of the first.
COMMANDS = {
    "enumerate": ["enumerate", "tictactoe:3,2,2", "--max-depth", "4", "--out", "JOB"],
    "plan": ["enumerate", "tictactoe", "--dry-run"],
    "shard-plan": ["enumerate", "rotate:2,3", "--on", "processes:2", "--max-depth", "3", "--dry-run"],
    "resume": ["resume", "JOB"],
    "status": ["status", "JOB"],
    "verify": ["verify", "JOB", "--hash"],
    "export": ["export", "JOB", "--to", "FILE.csv"],
    "edges": ["export", "JOB", "--edges", "--to", "EDGES.csv"],
    "hardest": ["export", "JOB", "--hardest", "2"],
    "values": ["values", "tictactoe:3,2,2"],
    "values-puzzle": ["values", "slider:2,2"],
    "list": ["list"],
    "info": ["info", "tictactoe"],
    "scramble": ["scramble", "rotation", "--seed", "7", "--moves", "3"],
    "solve": ["solve", "rotation", "412/653/789"],
    "survey": ["survey", "slider:2,3", "--solver", "reduction", "--phase", "0??/3??"],
    "survey-sample": ["survey", "slider:2,3", "--solver", "reduction", "--sample", "5", "--seed", "1"],
    "draw": ["draw", "flipit:2,2"],
    "solve-game": ["solve", "tictactoe", "X../.O./..X"],
    "plugins-list": ["plugins", "list"],
    "plugins-check": ["plugins", "check", "slider:2,2"],
    "plugins-new": ["plugins", "new", "bubble", "FOLDER"],
}


def shape(value):
    """The names and the types of the values in a JSON object, nested. For a list, those of its first item."""
    if isinstance(value, dict):
        return {name: shape(part) for name, part in value.items()}
    if isinstance(value, list):
        return [shape(part) for part in value[:1]]
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__


def holds(known, found, where):
    """Checks that everything in `known` is in `found` with the same type. `found` may have more."""
    if isinstance(known, dict):
        assert isinstance(found, dict), where
        for name, part in known.items():
            assert name in found, f"{where}.{name} is gone"
            holds(part, found[name], f"{where}.{name}")
    elif isinstance(known, list):
        assert isinstance(found, list), where
        for part, one in zip(known, found, strict=True):
            holds(part, one, f"{where}[]")
    else:
        assert found == known, where


def test_json_keeps_its_fields(command, folder):
    for name, words in COMMANDS.items():
        places = {
            "JOB": str(folder / "job"),
            "FILE.csv": str(folder / "file.csv"),
            "EDGES.csv": str(folder / "edges.csv"),
            "FOLDER": str(folder / "made"),
        }
        arguments = [places.get(word, word) for word in words]
        result = command(*arguments, "--json")
        assert result.code in (0, 3), result.err
        data = json.loads(result.out)
        known = json.loads((FIXTURES / f"{name}.json").read_text(encoding="utf-8"))
        assert data["schema"] == known["schema"]
        holds(known["fields"], shape(data), name)


def test_exit_codes(process, folder, tmp_path):
    small = str(folder / "codes")
    assert process("enumerate", "tictactoe:3,2,2", "--out", small).code == 0
    assert process("solve", "slider:2,2", "02/13").code == 1
    assert process("enumerate", "tictactoe:0").code == 2
    assert process("enumerate", "tictactoe", "--max-depth", "3").code == 3
    next((folder / "codes").glob("depth-00002.*")).unlink()
    assert process("verify", small).code == 4
    broken = tmp_path / "broken-1.0.dist-info"
    broken.mkdir()
    (broken / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (broken / "entry_points.txt").write_text("[puzzlekit]\nbroken = nowhere_at_all\n")
    assert process("info", "broken", environment={**os.environ, "PYTHONPATH": str(tmp_path)}).code == 5
