"""A puzzle in one file: it is named by its path, loaded when it is named, and the same wherever the file lies."""

import dataclasses
import json
import pickle
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import puzzlekit
from puzzlekit import PluginError, UsageError
from puzzlekit.plugins import files

# The source of a third party's puzzle, with a line that prints when the file is run.
RING = f"""{(Path(__file__).parent / "fixtures/plugin/puzzlekit_ring/__init__.py").read_text()}
print("run", __file__)
"""

SECOND = RING.replace("class Ring", "class Other").replace('"ring"', '"other"').partition("\n@")[2]
TWO = f"{RING}\n\n@{SECOND}"
TURN = RING.replace('id = "ring"', 'id = "rotate"')


@pytest.fixture
def ring(tmp_path):
    path = tmp_path / "ring.py"
    path.write_text(RING)
    return str(path)


@pytest.mark.parametrize(
    ("text", "path", "rest"),
    [
        ("./burnt.py", "./burnt.py", ""),
        ("./burnt.py:Burnt", "./burnt.py", "Burnt"),
        ("./burnt.py:size=9", "./burnt.py", "size=9"),
        ("./burnt.py:Burnt:size=9", "./burnt.py", "Burnt:size=9"),
        (" burnt.py ", "burnt.py", ""),
        (r"C:\puzzles\burnt.py:9", r"C:\puzzles\burnt.py", "9"),
        ("my.py.d/burnt.py:9", "my.py.d/burnt.py", "9"),
        ("a:b/burnt.py", "a:b/burnt.py", ""),
    ],
)
def test_the_path_and_what_follows(text, path, rest):
    assert files.names_file(text)
    assert files._parts(text) == (path, rest)


@pytest.mark.parametrize("text", ["tictactoe", "tictactoe:4,4,2", "burnt.pyc", ".py:3", "burnt"])
def test_what_names_no_file(text):
    assert not files.names_file(text)


def test_the_forms_of_a_name(ring):
    expected = {
        "": "ring",
        ":Ring": "ring",
        ":places=9": "ring:places=9",
        ":9": "ring:places=9",
        ":Ring:9": "ring:places=9",
    }
    for rest, name in expected.items():
        assert str(puzzlekit.load(ring + rest)) == name
    assert puzzlekit.load(ring) == puzzlekit.load(f"{ring}:Ring:places=7")
    assert puzzlekit.load(ring).enumerate().states == 7


def test_one_of_several_puzzles_is_named(tmp_path):
    path = tmp_path / "two.py"
    path.write_text(TWO)
    assert str(puzzlekit.load(f"{path}:Other:9")) == "other:places=9"
    for rest in ("", ":9", ":places=9"):
        with pytest.raises(
            UsageError, match=r"two\.py has the puzzles Ring, Other; name one of them, as in .*two\.py:Ring"
        ):
            puzzlekit.load(f"{path}{rest}")
    with pytest.raises(UsageError, match=r'two\.py has no puzzle "Third"; it has Ring, Other'):
        puzzlekit.load(f"{path}:Third:9")


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        (None, UsageError, r"there is no file .*bad\.py; give the path"),
        (b"\xff\xfe", UsageError, r"bad\.py cannot be read: .*; give a text file of Python"),
        (b"x = 1", PluginError, r"bad\.py defines no puzzle; define a frozen dataclass that is a puzzlekit\.Puzzle"),
        (b"from puzzlekit_tictactoe import TicTacToe", PluginError, r"bad\.py defines no puzzle"),
        (b"1 +", PluginError, r"bad\.py cannot be loaded: SyntaxError"),
        (b"1 / 0", PluginError, r"bad\.py cannot be loaded: ZeroDivisionError: division by zero \(bad\.py, line 1\)"),
        (b"raise SystemExit(3)", PluginError, r"bad\.py cannot be loaded: SystemExit: 3"),
        (b"import os; os._exit(3)", PluginError, r"bad\.py cannot be loaded: SystemExit: 3 \(bad\.py, line 1\)"),
        (b"if", PluginError, r"SyntaxError: .*\(bad\.py, line 1\)$"),
        (RING.replace("(frozen=True)", "").encode(), PluginError, r"bad\.py: Ring is no frozen dataclass"),
        (RING.replace('id = "ring"', 'id = "A ring"').encode(), PluginError, r"bad\.py: Ring has the id 'A ring'"),
    ],
)
def test_files_that_are_no_puzzle(source, error, message, tmp_path):
    path = tmp_path / "bad.py"
    if source is not None:
        path.write_bytes(source)
    with pytest.raises(error, match=message):
        puzzlekit.load(str(path))


@pytest.mark.parametrize(
    ("source", "stream"),
    [
        ("import os; os.close(2)", "stderr"),
        ("import os; os.dup2(0, 1)", "stdout"),
        ("import sys; sys.stderr.close()", "stderr"),
    ],
)
def test_a_file_that_takes_the_streams_away_is_told(source, stream, ring, process):
    path = Path(ring)
    path.write_text(f"{source}\n{path.read_text()}")
    done = process("info", ring)
    assert done.code == 5
    told = f"ring.py cannot be loaded: RuntimeError: it closes or exchanges a stream of the command ({stream})"
    assert done.err.rstrip().endswith(told), "the place that is told is one of the file, if any"


def test_a_child_of_a_file_ends_as_ever(ring, process):
    path = Path(ring)
    path.write_text(f"import os\nif os.fork() == 0:\n    os._exit(0)\nos.wait()\n{path.read_text()}")
    assert process("info", ring).code == 0


def test_a_file_is_run_once_and_again_when_it_has_changed(ring, capsys):
    assert type(puzzlekit.load(ring)) is type(puzzlekit.load(f"{ring}:9"))
    assert capsys.readouterr().err.count("run ") == 1
    with open(ring, "a") as file:
        file.write("\n\nRing.__doc__ = 'Another ring.'\n")
    assert type(puzzlekit.load(ring)).__doc__ == "Another ring."


def test_a_file_imports_what_lies_beside_it(tmp_path, monkeypatch):
    """A file imports the modules that its own folder has now. If an installed module has the same name, that counts."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    for folder, places in (("one", 5), ("two", 7)):
        (tmp_path / folder).mkdir()
        source = RING.replace("@dataclass", "from ring_helper import PLACES\nimport typer\n\n@dataclass", 1)
        (tmp_path / folder / "ring.py").write_text(
            f"{source}\nassert typer.Typer\n".replace("parameter(7", "parameter(PLACES")
        )
        (tmp_path / folder / "ring_helper.py").write_text(f"PLACES = {places}\n")
        (tmp_path / folder / "typer.py").write_text("raise ImportError('the wrong one')")
    defaults = [
        dataclasses.fields(puzzlekit.load(str(tmp_path / folder / "ring.py")))[0].default
        for folder in ("one", "two", "one")
    ]
    assert defaults == [5, 7, 5]
    helper, path = tmp_path / "one" / "ring_helper.py", tmp_path / "one" / "ring.py"
    helper.write_text("PLACES = 11\n")
    path.write_text(path.read_text() + "\n")
    assert dataclasses.fields(puzzlekit.load(str(path)))[0].default == 11


def test_a_puzzle_from_a_file_can_be_pickled(ring):
    puzzle = puzzlekit.load(f"{ring}:9")
    assert pickle.loads(pickle.dumps(puzzle)) == puzzle


def test_the_path_is_no_part_of_the_puzzle(ring, tmp_path, command):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    other = shutil.copy(ring, elsewhere / "other.py")
    scrambles = [json.loads(command("scramble", f"{path}:9", "--seed", "7", "--json").out) for path in (ring, other)]
    assert scrambles[0] == scrambles[1]
    assert scrambles[0]["puzzle"] == "ring:places=9"
    assert puzzlekit.load(ring).key("o......") == puzzlekit.load(str(other)).key("o......")


def test_every_verb_takes_a_file(ring, tmp_path, command):
    job = str(tmp_path / "job")
    for arguments in (
        ("enumerate", ring, "--out", job),
        ("info", ring),
        ("scramble", ring),
        ("solve", ring, "o......"),
        ("resume", job),
        ("verify", job),
        ("export", job, "--hardest", "1"),
    ):
        result = command("--no-plugins", *arguments, "--json")
        assert result.code == 0, result.err
        assert json.loads(result.out)["puzzle"] == "ring"
        assert result.out.count("\n") == 1, "what the file prints is no result"
    played = command("play", ring, "--seed", "7", given="random\nquit\n")
    assert (played.code, "1 move." in played.out) == (0, True), played
    assert command("list").err == ""  # `list` runs no file


def test_an_installed_puzzle_of_the_same_id_is_another(tmp_path, command):
    path, job = tmp_path / "turn.py", str(tmp_path / "job")
    path.write_text(TURN)
    assert command("enumerate", str(path), "--out", job).code == 0
    assert json.loads(command("resume", job, "--json").out)["states"] == 7
    theirs = tmp_path / "theirs"
    assert command("enumerate", "rotate:2,2", "--out", str(theirs)).code == 0
    assert json.loads(command("resume", str(theirs), "--json").out)["puzzle"] == "rotate:rows=2,columns=2"
    # The solver in the file serves the file's puzzle, and not the installed one.
    assert json.loads(command("info", "rotate", "--json").out)["solvers"] != ["optimal"]
    assert json.loads(command("info", str(path), "--json").out)["solvers"] == ["optimal"]


def test_a_script_goes_on_with_its_own_job(tmp_path):
    script, job = tmp_path / "script.py", tmp_path / "job"
    script.write_text(
        RING
        + textwrap.dedent(f"""
        Ring(9).enumerate(out={str(job)!r}, max_depth=2)
        import puzzlekit
        found = puzzlekit.open_job({str(job)!r}, lambda _: Ring(9))
        assert type(found.puzzle) is Ring
        print(found.resume(max_depth=99).states)
    """)
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[1:] == ["9", ""]  # the file was run once


PRINTS = """
from dataclasses import dataclass
from puzzlekit import Puzzle, Rules, swap

@dataclass(frozen=True)
class Loud(Puzzle):
    "It prints."

    id = "loud"
    size: int = 3

    def rules(self):
        print("rules run")
        return Rules("abc", "abc", [swap(0, 1).named("up left"), swap(0, 1).named("down")], goal="bac")

    def guide(self):
        print("guide run")
        return ""
"""


def test_what_a_file_prints_is_no_result(tmp_path, process, command):
    path = tmp_path / "loud.py"
    path.write_text(PRINTS, encoding="utf-8")
    done = process("scramble", str(path), "--json", "-q")
    assert json.loads(done.out)["puzzle"] == "loud"
    assert "rules run" in done.err
    verbs = (["solve"], ["enumerate", "--out", str(tmp_path / "job")], ["solve", "--goal", "abc"], ["info"])
    for verb, *more in verbs:
        assert "run" not in command(verb, str(path), *more).out.replace(str(path), "")
    assert "rules() prints, and is called often" in command("plugins", "check", str(path)).err


def test_a_class_that_is_not_there_and_a_folder_are_named(tmp_path):
    path = tmp_path / "loud.py"
    path.write_text(PRINTS, encoding="utf-8")
    assert str(puzzlekit.load(path)) == "loud"
    with pytest.raises(UsageError, match=r'\(if "Loudd" is to name a puzzle: .* has Loud'):
        puzzlekit.load(f"{path}:Loudd")
    (tmp_path / "a.folder").mkdir()
    with pytest.raises(UsageError, match=r"a\.folder is a folder; name a file in it"):
        puzzlekit.load(str(tmp_path / "a.folder"))


def test_names_of_moves_stand_between_spaces_or_commas(tmp_path, command):
    path = tmp_path / "loud.py"
    path.write_text(PRINTS, encoding="utf-8")
    for moves in ("down, up left", 'down "up left"', "up left,down", '"up left", down'):
        assert command("draw", str(path), "--moves", moves, "--json").code == 0
        assert command("solve", str(path), "bac", "--only-moves", moves).code == 0
        assert command("solve", str(path), "--moves", moves).code == 0
    assert command("draw", str(path), "--moves", "up left").code == 0
