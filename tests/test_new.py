"""A plugin of one's own from `plugins new`: made, installed, tested and built; or refused with nothing half written."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import puzzlekit
from puzzlekit import PluginError, RulesError, UsageError
from puzzlekit.plugins.loader import Plugins
from puzzlekit.plugins.new import make

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "python" / "puzzlekit" / "gallery"
NONE = Plugins(())

DISKS = '''
"""Disks."""
from dataclasses import dataclass
from puzzlekit import Puzzle, Rules, toggle


@dataclass(frozen=True)
class Disks(Puzzle):
    """Turn "all" of them."""

    id = "disks"

    def rules(self):
        return Rules(symbols=".x", start="...", goal="xxx", moves=[toggle(0, 1), toggle(1, 2), toggle(2)])
'''


def install(folder):
    """Writes the metadata that an installer would write for a distribution, from its pyproject.toml."""
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    info = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    version = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (info / "METADATA").write_text(version, encoding="utf-8")
    lines = [f"{name} = {module}" for name, module in project["entry-points"]["puzzlekit"].items()]
    (info / "entry_points.txt").write_text("[puzzlekit]\n" + "\n".join(lines) + "\n", encoding="utf-8")
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    return {**os.environ, "PYTHONPATH": path}


def run_tests(folder, environment):
    """Runs the tests of a distribution, as its author would, and returns the output."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def left(folder):
    """The names in a folder, including hidden ones."""
    return sorted(path.name for path in folder.iterdir())


def test_a_distribution_is_made_installed_and_tested(tmp_path, process):
    folder = tmp_path / "made"
    result = process("plugins", "new", "bubble-sort", str(folder))
    assert result.code == 0, result.err
    assert f"{folder}/puzzlekit_bubble_sort/puzzle.py" in result.out.splitlines()
    assert "it has no licence yet: choose one before you publish it, or give --author NAME" in result.err
    assert left(tmp_path) == ["made"]
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == "puzzlekit-bubble-sort"
    assert project["classifiers"] == ["Private :: Do Not Upload"]
    (needed,) = map(Requirement, project["dependencies"])
    assert (needed.name, needed.specifier.contains(puzzlekit.__version__)) == ("puzzlekit-core", True)
    # 4 letters in 24 orders; the depths are the numbers of inversions.
    assert "    1, 3, 5, 6, 5, 3, 1,\n" in (folder / "tests" / "test_puzzle.py").read_text(encoding="utf-8")
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert "| 3 | 6 |\n" in readme
    assert "These are all: 24 states." in readme
    assert "pip install --find-links FOLDER_OF_WHEELS -e . pytest" in readme
    environment = install(folder)
    code, printed = run_tests(folder, environment)
    assert (code, "3 passed" in printed) == (0, True), printed
    listed = json.loads(process("--strict", "list", "--json", environment=environment).out)["puzzles"]
    assert "bubble-sort" in [puzzle["id"] for puzzle in listed]
    counted = json.loads(process("enumerate", "bubble-sort:5", "--json", environment=environment).out)
    assert counted["states"] == 120


def test_what_nobody_wrote_has_no_meaning(tmp_path):
    made = make(NONE, "cube2_pieces", str(tmp_path / "made"), file=str(EXAMPLES / "cube2_pieces.py"))
    readme = (Path(made.folder) / "README.md").read_text(encoding="utf-8")
    assert "| `half_turns` |  | true or false | True |\n" in readme


@pytest.mark.parametrize(("name", "enough"), [("nim", True), ("hanoi", True), ("cube2_pieces", False)])
def test_the_puzzle_of_a_file_is_taken_over(name, enough, tmp_path):
    file = EXAMPLES / f"{name}.py"
    puzzle = puzzlekit.load(str(file))
    made = make(NONE, puzzle.id, str(tmp_path / "made"), file=str(file), author="Ada Ünal")
    folder = Path(made.folder)
    assert (folder / f"puzzlekit_{puzzle.id}".replace("-", "_") / "puzzle.py").read_text() == file.read_text()
    assert (folder / "LICENSE").read_text(encoding="utf-8").splitlines()[2].endswith(" Ada Ünal")
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (project["license"], project["authors"]) == ("MIT", [{"name": "Ada Ünal"}])
    assert project["description"] == type(puzzle).__doc__.splitlines()[0]
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert ("There are more." in readme) != enough
    report = puzzle.enumerate(max_depth=3)
    for depth in report.depths:
        assert f"| {depth.depth} | {depth.raw_states:,} |\n" in readme


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nim", "hanoi", "cube2_pieces"])
def test_the_tests_of_a_puzzle_that_is_taken_over_pass(name, tmp_path):
    folder = Path(make(NONE, name, str(tmp_path / "made"), file=str(EXAMPLES / f"{name}.py")).folder)
    code, printed = run_tests(folder, install(folder))
    assert (code, "3 passed" in printed) == (0, True), printed


def test_hooks_and_needs_of_a_file_come_along(tmp_path):
    file = tmp_path / "disks.py"
    hooks = "\n".join(
        f"\n@hookimpl\ndef puzzlekit_register_{what}(register):\n    register({given})"
        for what, given in (("puzzles", "Disks"), ("solvers", "'disks', 'none', lambda puzzle, state: []"))
    )
    file.write_text(f"{DISKS}\nimport numpy\nimport hypothesis.strategies\nfrom puzzlekit import hookimpl\n{hooks}\n")
    made = make(NONE, "disks", str(tmp_path / "made"), file=str(file))
    folder = Path(made.folder)
    assert made.puzzle == "disks"
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["dependencies"][1:] == ["hypothesis", "numpy"]
    code = (folder / "puzzlekit_disks" / "__init__.py").read_text(encoding="utf-8")
    assert "from puzzlekit_disks.puzzle import Disks, puzzlekit_register_puzzles, puzzlekit_register_solvers\n" in code
    assert "hookimpl" not in code
    assert code.startswith('"""Turn "all" of them."""\n')
    file.write_text(DISKS.replace('Turn "all" of them.', 'Turn them \\\\ "all" '))
    made = make(NONE, "disks", str(tmp_path / "second"), file=str(file))
    compile((Path(made.folder) / "puzzlekit_disks" / "__init__.py").read_text(), "init", "exec")


@pytest.mark.parametrize("name", ["", "Bubble", "a b", "a--b", "-a", "a-", "1a", "ä", "core", "puzzlekit", "a.b"])
def test_names_that_cannot_be_used(name, tmp_path):
    with pytest.raises(UsageError, match="cannot name a puzzle, a module and a distribution; give small letters"):
        make(NONE, name, str(tmp_path / "made"))
    assert left(tmp_path) == []


def test_names_that_are_taken(tmp_path, monkeypatch, command):
    result = command("plugins", "new", "slider", str(tmp_path / "made"))
    assert result.code == 2
    assert 'the plugin "slider" of puzzlekit-slider' in result.err
    assert "is installed already; choose another name, or uninstall it first" in result.err
    (tmp_path / "puzzlekit_taken.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(UsageError, match="there is a module puzzlekit_taken already; choose another name"):
        make(NONE, "taken", str(tmp_path / "made"))
    assert left(tmp_path) == ["puzzlekit_taken.py"]


def test_a_folder_that_is_not_empty_is_refused(tmp_path, monkeypatch):
    folder = tmp_path / "made"
    folder.mkdir()
    monkeypatch.chdir(folder)
    made = make(NONE, "bubble", ".")  # an empty folder is filled, even the present one
    assert "pyproject.toml" in made.files
    assert left(tmp_path) == ["made"]
    before = left(folder)
    for place in (".", str(folder), str(folder / "README.md")):
        with pytest.raises(UsageError, match="is there already and is no empty folder; name another folder"):
            make(NONE, "second", place)
    assert left(folder) == before
    made = make(NONE, "second")
    assert made.folder == "puzzlekit-second"
    with pytest.raises(UsageError, match=r"cannot be written: .*; name another folder"):
        make(NONE, "third", str(folder / "README.md" / "deeper"))


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (("class Disks", "class Disk"), None, None),
        (('id = "disks"', 'id = "plates"'), UsageError, 'has the id "plates", and not "disks"; give that as the name'),
        (
            ("from dataclasses", "from .helper import x, y\nfrom dataclasses"),
            UsageError,
            r'disks\.py, line 3, says "from \.helper import x, y"; put what it needs into the file itself',
        ),
        (
            ("    def rules(self):", "    def rules(self):\n        from . import helper"),
            UsageError,
            r'disks\.py, line 14, says "from \. import helper"; put what it needs into the file itself',
        ),
        (("from dataclasses", "from dataclasses("), PluginError, "cannot be loaded: SyntaxError"),
        (('"""Disks."""', "raise ValueError"), PluginError, "cannot be loaded: ValueError"),
        (
            ("    def rules(self):", "    def rules(self):\n        import helper"),
            UsageError,
            r"disks\.py, line 14, imports helper, which no distribution brings; put what it needs into the file",
        ),
        (('start="..."', 'start="..z"'), RulesError, 'disks: the start names the unknown symbol "z"'),
        (('id = "disks"', 'id = "disks"\n    size: float = 3'), PluginError, "has the field size of type float"),
    ],
)
def test_a_file_that_cannot_be_taken_over_leaves_nothing(change, error, message, tmp_path):
    file = tmp_path / "disks.py"
    file.write_text(DISKS.replace(*change))
    if error is None:
        assert make(NONE, "disks", str(tmp_path / "made"), file=str(file)).distribution == "puzzlekit-disks"
        return
    with pytest.raises(error, match=message):
        make(NONE, "disks", str(tmp_path / "made"), file=str(file))
    assert left(tmp_path) == ["disks.py"]


def test_one_of_several_puzzles_without_parameters(tmp_path):
    file = tmp_path / "two.py"
    other = DISKS.replace("class Disks", "class Other").replace('"disks"', '"other"')
    file.write_text(f"{DISKS}\n\n{other}")
    with pytest.raises(UsageError, match="has the puzzles Disks, Other; name one of them"):
        make(NONE, "other", str(tmp_path / "made"), file=str(file))
    made = make(NONE, "other", str(tmp_path / "made"), file=f"{file}:Other")
    assert made.puzzle == "other"
    sized = EXAMPLES / "hanoi.py"
    with pytest.raises(UsageError, match="names parameters; name the file alone, whose defaults are kept"):
        make(NONE, "hanoi", str(tmp_path / "sized"), file=f"{sized}:5")
    with pytest.raises(UsageError, match="the author is ' '; give the name that stands in the licence"):
        make(NONE, "hanoi", str(tmp_path / "sized"), author=" ")


def test_the_command_prints_json(tmp_path, command):
    folder = str(tmp_path / "made")
    data = json.loads(command("plugins", "new", "bubble", folder, "--author", "Ada", "--json").out)
    assert (data["schema"], data["folder"], data["puzzle"]) == ("puzzlekit.plugins.new/1", folder, "bubble")
    assert {"LICENSE", "pyproject.toml", "puzzlekit_bubble/puzzle.py", ".github/workflows/test.yml"} <= set(
        data["files"]
    )
    assert data["distribution"] == "puzzlekit-bubble"


UV = shutil.which("uv") or str(ROOT / ".tools" / "uv" / "bin" / "uv")


@pytest.mark.slow
@pytest.mark.skipif(not Path(UV).exists(), reason="uv is not here; `make setup` brings it")
def test_a_distribution_is_built(tmp_path):
    """The build gets its tools from the package index, as `make setup` does."""
    made = make(NONE, "bubble", str(tmp_path / "made"), author="Ada")
    subprocess.run([UV, "build", "--out-dir", str(tmp_path / "dist"), made.folder], check=True, capture_output=True)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    assert len(list((tmp_path / "dist").glob("*.tar.gz"))) == 1
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        entries = archive.read("puzzlekit_bubble-0.1.0.dist-info/entry_points.txt").decode()
    assert "puzzlekit_bubble/puzzle.py" in names
    assert "puzzlekit_bubble-0.1.0.dist-info/licenses/LICENSE" in names
    assert entries.split() == ["[puzzlekit]", "bubble", "=", "puzzlekit_bubble"]
