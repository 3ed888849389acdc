"""The house: imports flow downhill, only one module knows the engine, no puzzle is named outside its plugin."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import puzzlekit
from puzzlekit.plugins import hookspecs
from tests import golden

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "python" / "puzzlekit"

# Which rooms and modules of the package a file of each may import.
BELOW = {"errors", "describe.rules", "describe.grid", "describe.parameters", "describe.notation"}
RUN = {"run", *BELOW}
PUZZLE = {"describe", *RUN}
MAY_IMPORT = {
    "errors": set(),
    "describe.rules": {"errors"},
    "describe.grid": {"errors", "describe.rules"},
    "describe.parameters": {"errors"},
    "describe.notation": {"errors", "describe.rules"},
    "run": {"_core", *RUN},
    "describe": PUZZLE,
    "jobs": {"jobs", "plugins", *PUZZLE},
    "play": {"play", "jobs", *PUZZLE},
    "plugins": {"plugins", "play", "jobs", *PUZZLE},
    "testing": PUZZLE,
    "cli": {"cli", "plugins", "play", "jobs", *PUZZLE},
    "__main__": {"cli"},
}

# The layers of the crate: a module may use those to the right of it.
RUST_LAYERS = [
    "py",
    "fuzzing",
    "table",
    "engine",
    "solve",
    "dense",
    "sparse",
    "job",
    "run",
    "index",
    "compile",
    "structure",
    "rules",
    "random",
    "memory",
    "error",
]


def modules():
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__"), path


def room(name):
    """The entry of `MAY_IMPORT` that a module falls under."""
    return name if name in MAY_IMPORT else name.split(".")[0]


def imported(path):
    """The modules of the package that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "puzzlekit":
                    yield alias.name.removeprefix("puzzlekit").removeprefix(".")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "puzzlekit":
            module = node.module.removeprefix("puzzlekit").removeprefix(".")
            for alias in node.names:
                file = PACKAGE / (f"{module}.{alias.name}".removeprefix(".").replace(".", "/") + ".py")
                within = file.exists() or file.with_suffix("").is_dir() or alias.name == "_core"
                yield f"{module}.{alias.name}".removeprefix(".") if within else module


def test_imports_flow_downhill():
    checked = 0
    for name, path in modules():
        if name == "__init__":
            continue
        for target in imported(path):
            assert target, f"{path} imports the whole package"
            assert room(target) in MAY_IMPORT[room(name)], f"{path} imports {target}"
            checked += 1
    assert checked > 60


def test_only_the_engine_module_knows_the_core():
    users = {name for name, path in modules() if "_core" in set(imported(path))}
    assert users == {"run.engine"}


def test_only_the_binding_knows_python():
    users = {path for path in (ROOT / "rust_core" / "src").rglob("*.rs") if "pyo3" in path.read_text(encoding="utf-8")}
    assert users
    assert {path.parent.name for path in users} == {"py"}


def test_the_layers_of_the_crate():
    source = ROOT / "rust_core" / "src"
    checked = 0
    for path in sorted(source.rglob("*.rs")):
        layer = path.relative_to(source).parts[0].removesuffix(".rs")
        if layer == "lib":
            continue
        text = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
        for target in re.findall(r"\bcrate::(\w+)", text):
            if target in RUST_LAYERS:
                assert RUST_LAYERS.index(target) >= RUST_LAYERS.index(layer), f"{path} uses {target}"
                checked += 1
    assert checked > 15


def puzzle_ids():
    return [path.name for path in (ROOT / "plugins").iterdir() if (path / "pyproject.toml").exists()]


def test_no_puzzle_is_named_outside_its_plugin():
    files = [*PACKAGE.rglob("*.py"), *(ROOT / "rust_core" / "src").rglob("*.rs")]
    assert len(files) > 30
    for path in files:
        code = path.read_text(encoding="utf-8")
        if path.suffix == ".py":
            # Docstrings may show an example; code may not.
            tree = ast.parse(code)
            strings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
            names = {str(text).partition(":")[0] for text in strings} | set(re.findall(r"puzzlekit_\w+", code))
        else:
            names = set(re.findall(r'"(\w+)', re.sub(r"//.*", "", code)))
        for puzzle_id in puzzle_ids():
            assert not names & {puzzle_id, f"puzzlekit_{puzzle_id}"}, f"{path} names {puzzle_id}"


def test_plugins_use_the_public_api_alone():
    checked = 0
    for path in (ROOT / "plugins").rglob("*.py"):
        if path.name.startswith("test_"):
            continue  # what is not shipped may look inside
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("puzzlekit"):
                if node.module == "puzzlekit":
                    assert {alias.name for alias in node.names} <= set(puzzlekit.__all__), path
                else:
                    owner = path.relative_to(ROOT / "plugins").parts[0]
                    assert node.module == "puzzlekit.testing" or node.module.startswith(f"puzzlekit_{owner}")
                checked += 1
    assert checked


@pytest.mark.parametrize("puzzle_id", puzzle_ids())
def test_every_plugin_is_named_after_its_puzzle_and_has_counts(puzzle_id):
    data = tomllib.loads((ROOT / "plugins" / puzzle_id / "pyproject.toml").read_text(encoding="utf-8"))
    assert data["project"]["name"] == f"puzzlekit-{puzzle_id}"
    assert data["project"]["entry-points"]["puzzlekit"] == {puzzle_id: f"puzzlekit_{puzzle_id}"}
    assert puzzle_id in puzzlekit.puzzles()
    assert any(known.partition(":")[0] == puzzle_id for known in golden.read()), "add tests/counts/<id>.txt"


def test_every_hook_is_tested_and_documented():
    hooks = [name for name in vars(hookspecs) if name.startswith("puzzlekit_")]
    assert hooks
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").glob("test_plugins.py"))
    docs = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
    for hook in hooks:
        assert hook in tests
        assert f"### `{hook}(" in docs


def test_folders_hold_more_than_one_file():
    files = [*PACKAGE.rglob("*.py"), *(ROOT / "rust_core" / "src").rglob("*.rs"), *(ROOT / "plugins").rglob("*.py")]
    for folder in {path.parent for path in files if "plugins" not in path.parts}:
        assert len([path for path in folder.iterdir() if path.suffix in (".py", ".rs")]) > 1, folder


def test_every_file_begins_with_a_sentence():
    for path in [*PACKAGE.rglob("*.py"), *(ROOT / "plugins").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]:
        first = path.read_text(encoding="utf-8").splitlines()[0]
        assert first.startswith('"""'), path
    for path in (ROOT / "rust_core").rglob("*.rs"):
        if "target" not in path.parts:
            assert path.read_text(encoding="utf-8").startswith("//! "), path


def test_starting_up_imports_no_more_than_it_must():
    heavy = ("rich", "pluggy", "numpy", "importlib.metadata")
    program = f"import sys, puzzlekit.cli; print(*[name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
