"""House rules: imports go only to lower layers, one folder imports the engine, and only plugins name puzzles."""

import ast
import importlib
import inspect
import pkgutil
import re
import shutil
import subprocess
import sys
import tomllib
import typing
from collections.abc import Iterator
from functools import cache, cached_property
from importlib import metadata
from pathlib import Path

import pytest

import puzzlekit
from puzzlekit.plugins import hookspecs
from tests import golden
from tests.crate import Crate, circles, crate_in

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "python" / "puzzlekit"
SOURCE = ROOT / "rust_core" / "src"
SUFFIXES = {".py", ".rs"}

# For each room (a folder or module of the package): the rooms that its files may import.
DATA = {"describe", "draw", "errors"}
PUZZLE = {"puzzle", "run", "view", *DATA}
JOBS = {"jobs", "proof", *PUZZLE}
PLAY = {"play", *JOBS}
PLUGINS = {"plugins", *PLAY}
MAY_IMPORT = {
    "errors": set(),
    "proof": {"proof"},
    "draw": {"draw", "errors"},
    "describe": {"describe", "errors"},
    "view": {"view", *DATA},
    "run": {"_core", "run", "view", *DATA},
    "puzzle": PUZZLE,
    "testing": {"testing", "proof", *PUZZLE},
    "jobs": JOBS,
    "play": PLAY,
    "plugins": PLUGINS,
    "shards": PLUGINS,
    "doctor": {"doctor", *PLUGINS},
    "web": {"web", *PLUGINS},
    "env": {"env", *PLUGINS},
    "cli": {"cli", "web", "doctor", "testing", "shards", *PLUGINS},
    "__main__": {"cli"},
}

# The layers of the crate. A room may use the rooms below it. Rooms on one line do not use each other.
RUST_LAYERS = [
    ["py", "web"],
    ["fuzzing"],
    ["proof", "table"],
    ["engine"],
    ["solve"],
    ["values"],
    ["graph"],
    ["dense", "sparse"],
    ["job"],
    ["run"],
    ["index", "compile"],
    ["structure"],
    ["rules"],
    ["memory"],
    ["ordered", "sorting", "json", "random", "instant", "error"],
]

# Pairs of files, the user and the used one, that make a circle of files. None may be added.
KNOWN_CIRCLES: set[tuple[str, str]] = set()

# Imports from a higher layer. None may be added.
KNOWN_UPWARDS: set[tuple[str, str]] = set()

# Functions with tuples of four or more elements in their signatures. None may be added.
KNOWN_TUPLES: set[tuple[str, str]] = set()

# Names that plugins use and that are not public. None may be added.
KNOWN_REACHES: set[tuple[str, str]] = set()


GALLERY = PACKAGE / "gallery"


def modules():
    """The modules of the package by name. The files of the gallery are none: nothing imports them."""
    for path in sorted(set(PACKAGE.rglob("*.py")) - set(GALLERY.glob("*.py"))):
        yield path.relative_to(PACKAGE).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__"), path


def room(name):
    """The room of a module."""
    return name.split(".")[0]


@cache
def parsed(text):
    """The syntax tree of a module. Several tests look at the same modules."""
    return ast.parse(text)


@cache
def imported(path):
    """The modules of the package that a file imports, anywhere in the file."""
    return list(imports_of(path))


def imports_of(path):
    for node in ast.walk(parsed(path.read_text(encoding="utf-8"))):
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


def test_only_the_engine_folder_knows_the_core():
    rooms = {name.rpartition(".")[0] for name, path in modules() if "_core" in set(imported(path))}
    assert rooms == {"run.engine"}
    reaching = {
        name.rpartition(".")[0]
        for name, path in modules()
        if re.search(r"(engine|self)\.core\b", path.read_text(encoding="utf-8"))
    }
    assert reaching == {"run.engine"}


def test_the_package_has_no_circle_of_files():
    names = {name for name, _ in modules()}
    uses = {(name,): {(target,) for target in imported(path) if target in names} for name, path in modules()}
    # `__init__.py` lists the public names of all rooms, and imports a room only when a name is used.
    uses["__init__",] = set()
    assert sum(map(len, uses.values())) > 60
    assert circles(uses) == []


def test_only_the_binding_knows_python():
    users = {path for path in SOURCE.rglob("*.rs") if "pyo3" in path.read_text(encoding="utf-8")}
    assert users
    assert {path.parent.name for path in users} == {"py"}


def test_threads_are_asked_for_in_one_place():
    users = {path for path in SOURCE.rglob("*.rs") if "rayon::" in path.read_text(encoding="utf-8")}
    assert users
    assert {path.relative_to(SOURCE).parts[0] for path in users} == {"run"}


ORDERED = re.compile(r"//! ```text\n((?:(?!//! ```).*\n)*?.*[→─].*\n(?:(?!//! ```).*\n)*)//! ```\n")


@pytest.mark.parametrize("folder", ["dense", "engine", "solve/games", "sparse", "web"])
def test_the_order_of_the_files_names_every_file(folder):
    """Some folders of the crate draw the order of their files in the head of `mod.rs`, and leave out their tests."""
    text = (SOURCE / folder / "mod.rs").read_text(encoding="utf-8")
    drawn = ORDERED.search(text)
    assert drawn, folder
    files = set(re.findall(r"^(?:pub(?:\(\w+\))? )?mod (\w+);", text, re.MULTILINE)) - {"tests"}
    assert files - set(re.findall(r"\w+", drawn[1])) == set()


@pytest.fixture(scope="module")
def crate():
    return crate_in(SOURCE)


def test_the_layers_of_the_crate(crate):
    height = {room: place for place, rooms in enumerate(RUST_LAYERS) for room in rooms}
    rooms = {module[0] for module in crate.files if module}
    assert rooms == set(height), "name every room of the crate in a layer"
    checked = 0
    for user, targets in crate.uses.items():
        for target in targets:
            if user and target and user[0] != target[0]:
                assert height[user[0]] < height[target[0]], f"{'/'.join(user)} uses {'/'.join(target)}"
                checked += 1
    assert checked > 200


def test_the_crate_has_no_circle_of_files(crate):
    uses = {("/".join(user), "/".join(target)) for user, targets in crate.uses.items() for target in targets}
    assert uses >= KNOWN_CIRCLES, f"mended; take it off the list: {sorted(KNOWN_CIRCLES - uses)}"
    left = {
        user: {target for target in targets if ("/".join(user), "/".join(target)) not in KNOWN_CIRCLES}
        for user, targets in crate.uses.items()
    }
    assert [["/".join(file) for file in circle] for circle in circles(left)] == []


CIRCLE = {
    "lib.rs": "mod dogs; mod cats; pub use cats::Paw;",
    "cats/mod.rs": "mod paw; mod tail; pub use {paw::Paw, tail::Tail};\n#[cfg(test)]\nmod tests { use super::*; }",
    "cats/paw.rs": "use super::Tail as End;\npub struct Paw { end: End }",
    "cats/tail.rs": 'pub struct Tail; // as super::Paw\nconst TEXT: &str = "super::paw::Paw";',
    "dogs.rs": "use crate::{cats::{Tail, *}, Paw};\nstruct Dog;",
}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, []),
        ({"cats/tail.rs": "pub struct Tail { paw: super::Paw }"}, [["cats/paw", "cats/tail"]]),
        ({"cats/tail.rs": "pub struct Tail { paw: super::paw::Paw }"}, [["cats/paw", "cats/tail"]]),
        ({"cats/tail.rs": "use crate::dogs::Dog;\npub struct Tail(Dog);"}, [["cats/paw", "cats/tail", "dogs"]]),
        ({"cats/paw.rs": "use super::Tail;\npub struct Paw(Tail);\nimpl Tail { fn wag(&self) {} }"}, []),
        (
            {
                "cats/paw.rs": "use super::Tail;\npub struct Paw(Tail);\nimpl Tail { fn wag(&self) {} }",
                "cats/tail.rs": "pub struct Tail; fn all(tail: &Tail) { tail.wag() }",
            },
            [["cats/paw", "cats/tail"]],
        ),
    ],
)
def test_circles_are_found(change, expected, tmp_path):
    for name, text in (CIRCLE | change).items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    made = Crate(tmp_path)
    assert ("cats", "tail") in made.uses["cats", "paw"]
    assert [["/".join(file) for file in circle] for circle in circles(made.uses)] == expected


def wide(annotation: ast.expr) -> bool:
    """Returns `True` if an annotation, or an alias of one, contains a tuple of four or more elements."""
    for node in ast.walk(annotation):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "tuple[" in node.value:
            return wide(ast.parse(node.value, mode="eval").body)
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) in ("tuple", "Tuple"):
            elements = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            if len(elements) >= 4:
                return True
    return False


def wide_signatures(text: str) -> Iterator[str]:
    """The public functions, aliases and fields of a module that have a tuple of four or more elements."""
    for node in ast.walk(parsed(text)) if "tuple[" in text.lower() else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            name, given = node.name, node.args
            each = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
            annotations = [node.returns, *(argument.annotation for argument in each if argument)]
        elif isinstance(node, ast.AnnAssign):
            name, annotations = ast.unparse(node.target), [node.annotation, node.value]
        elif isinstance(node, ast.Assign):
            name, annotations = ast.unparse(node.targets[0]), [node.value]
        elif sys.version_info >= (3, 12) and isinstance(node, ast.TypeAlias):
            name, annotations = ast.unparse(node.name), [node.value]
        else:
            continue
        if not name.startswith("_") and any(wide(annotation) for annotation in annotations if annotation):
            yield name


def test_no_tuple_of_four_crosses_a_boundary():
    found = {
        (path.relative_to(PACKAGE).as_posix(), name)
        for path in [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")]
        for name in wide_signatures(path.read_text(encoding="utf-8"))
    }
    assert found <= KNOWN_TUPLES, f"give it a name (a dataclass): {sorted(found - KNOWN_TUPLES)}"
    assert found >= KNOWN_TUPLES, f"mended; take it off the list: {sorted(KNOWN_TUPLES - found)}"


def test_tuples_of_four_are_found():
    text = """
Row = tuple[int, int, int, int]
Pair = tuple[int, int]
many: tuple[int, ...]
def show(row: "list[tuple[int, str, int, str]] | None", pair: Pair) -> None: ...
def make() -> tuple[int, str, int, str, bool]: ...
def _make() -> tuple[int, str, int, str, bool]: ...
def pairs() -> tuple[tuple[int, int], tuple[int, int]]: ...
"""
    assert list(wide_signatures(text)) == ["Row", "show", "make"]


def listed(text, before):
    """The names in the tree of files that a document shows after the words `before`."""
    block = re.search(rf"{re.escape(before)}.*?```\w*\n(.*?)```", text, re.DOTALL)[1]
    lines = [re.fullmatch(r"(\S+)\s+(\S.*)", line) for line in block.splitlines()]
    assert all(lines), block
    return {line[1]: line[2] for line in lines}


def entries(folder):
    """The folders and source files in a folder, as a tree lists them."""
    inside = [path for path in folder.iterdir() if path.name[0] not in "._"]
    return {
        f"{path.name}/" if path.is_dir() else path.name for path in inside if path.is_dir() or path.suffix in SUFFIXES
    }


def crate_document():
    return re.sub(r"^//! ?", "", (SOURCE / "lib.rs").read_text(encoding="utf-8"), flags=re.MULTILINE)


def test_the_documents_show_the_tree():
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    crate_tree = listed(contributing, "`rust_core/src/`:")
    assert set(crate_tree) | {"lib.rs"} == entries(SOURCE)
    assert listed(crate_document(), "# The tree") == crate_tree
    assert set(listed(contributing, "`python/puzzlekit/`:")) == entries(PACKAGE)
    top = set(re.findall(r"^([\w.]+)/", re.search(r"```\n(Makefile.*?)```", contributing, re.DOTALL)[1], re.MULTILINE))
    made = {line.strip("/") for line in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()}
    assert top == {path.name for path in ROOT.iterdir() if path.is_dir()} - made - {".git", ".github"}


def chain(text):
    """The rooms of a line of layers. Rooms of one layer come together."""
    return [re.split(r",\s*", layer.strip()) for layer in text.split("→")]


def test_the_documents_show_the_layers():
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    block = re.search(r"```\nRust +(.*?)Python +(.*?)```", contributing, re.DOTALL)
    assert chain(block[1]) == RUST_LAYERS
    assert chain(re.search(r"# Layers.*?```text\n(.*?)```", crate_document(), re.DOTALL)[1]) == RUST_LAYERS
    height = {room: place for place, rooms in enumerate(chain(block[2])) for room in rooms}
    assert {f"{room}/" for room in height} | {f"{room}.py" for room in height} >= entries(PACKAGE) - {"gallery/"}
    for name, targets in MAY_IMPORT.items():
        for target in targets - {"_core"} if name in height else ():
            if (name, target) not in KNOWN_UPWARDS:
                assert height[target] >= height[name], f"{name} may import {target}"


def puzzle_ids():
    """The plugins that bring a puzzle; they are named after it."""
    modules = (ROOT / "plugins").glob("*/puzzlekit_*/__init__.py")
    brings = "def puzzlekit_register_puzzles("
    return [path.parts[-3] for path in modules if brings in path.read_text(encoding="utf-8")]


def test_no_puzzle_is_named_outside_its_plugin():
    files = [*PACKAGE.rglob("*.py"), *SOURCE.rglob("*.rs")]
    # Tests of the crate are left out: they read the known counts, which are listed by puzzle.
    # The gallery is full of puzzles.
    files = [path for path in files if not path.is_relative_to(SOURCE / "tests") and path.parent != GALLERY]
    assert len(files) > 30
    assert puzzle_ids()
    for path in files:
        code = path.read_text(encoding="utf-8")
        if path.suffix == ".py":
            # Docstrings may show a puzzle in an example, but code may not name it.
            tree = parsed(code)
            strings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
            names = {str(text).partition(":")[0] for text in strings} | set(re.findall(r"puzzlekit_\w+", code))
        else:
            names = set(re.findall(r'"(\w+)', re.sub(r"//.*", "", code)))
        for puzzle_id in puzzle_ids():
            assert not names & {puzzle_id, f"puzzlekit_{puzzle_id}"}, f"{path} names {puzzle_id}"


def shipped():
    """The files that plugins install. Their tests are left out, since tests may use names that are not public."""
    return [path for path in sorted((ROOT / "plugins").rglob("*.py")) if not path.name.startswith("test_")]


# The modules whose names are public, besides those of `puzzlekit` itself.
PUBLIC = ("puzzlekit.env", "puzzlekit.shards", "puzzlekit.testing")


def test_plugins_import_the_public_api_alone():
    checked = 0
    for path in shipped():
        owner = f"puzzlekit_{path.relative_to(ROOT / 'plugins').parts[0]}"
        for node in ast.walk(parsed(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("puzzlekit"):
                if node.module == "puzzlekit":
                    assert {alias.name for alias in node.names} <= set(puzzlekit.__all__), path
                else:
                    assert node.module in PUBLIC or node.module.split(".")[0] == owner, path
                checked += 1
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name.startswith("puzzlekit"):
                        assert alias.name in ("puzzlekit", *PUBLIC) or alias.name.split(".")[0] == owner, path
                        checked += 1
    assert checked > 10


def public_objects():
    return [getattr(puzzlekit, name) for name in puzzlekit.__all__]


def inner_names() -> set[str]:
    """Attributes of public classes that give an object of a class without a public name."""
    found = set()
    names = [found.name for found in pkgutil.walk_packages(puzzlekit.__path__, "puzzlekit.")]
    modules = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
    # Classes of all modules are looked up, since a module that imports a class only for types does not have its name.
    classes = {name: one for module in modules for name, one in vars(module).items() if inspect.isclass(one)}
    for kind in filter(inspect.isclass, public_objects()):
        for name, member in inspect.getmembers_static(kind):
            getter = member.fget if isinstance(member, property) else getattr(member, "func", member)
            if name.startswith("_") or not isinstance(member, property | cached_property):
                continue
            module = sys.modules[getter.__module__]
            given = typing.get_type_hints(getter, vars(typing) | classes | vars(module)).get("return")
            if inspect.isclass(given) and given.__module__.startswith("puzzlekit.") and given not in public_objects():
                found.add(name)
    return found


def reaches(path: Path, inner: set[str]) -> set[str]:
    """The names with a dot that a plugin's file uses and that are not public."""
    found, hidden = set(), {name for member in public_objects() for name in dir(member) if re.match("_[^_]", name)}
    text = path.read_text(encoding="utf-8")
    hidden -= set(re.findall(r"def (_\w+)", text))  # methods that the plugin itself defines
    for node in ast.walk(parsed(text)):
        if not isinstance(node, ast.Attribute):
            continue
        owner = node.value.id if isinstance(node.value, ast.Name) else ""
        foreign = node.attr in hidden and owner not in ("self", "cls")
        if node.attr in inner or foreign or (owner == "puzzlekit" and node.attr not in {*puzzlekit.__all__, "testing"}):
            found.add(node.attr)
    return found


def test_plugins_reach_what_is_public_alone():
    inner = inner_names()
    assert "engine" in inner
    assert "start" not in inner
    base = ROOT / "plugins"
    found = {(path.relative_to(base).as_posix(), name) for path in shipped() for name in reaches(path, inner)}
    assert found <= KNOWN_REACHES, f"use a public name: {sorted(found - KNOWN_REACHES)}"
    assert found >= KNOWN_REACHES, f"mended; take it off the list: {sorted(KNOWN_REACHES - found)}"


def test_reaches_are_found(tmp_path):
    path = tmp_path / "plugin.py"
    path.write_text("self._mine(puzzle.start, self.engine.core, puzzlekit.Move._place, puzzlekit.cli)")
    assert reaches(path, {"engine"}) == {"engine", "cli", "_place"}


@pytest.mark.parametrize("puzzle_id", puzzle_ids())
def test_every_plugin_is_named_after_its_puzzle_and_has_counts(puzzle_id):
    data = tomllib.loads((ROOT / "plugins" / puzzle_id / "pyproject.toml").read_text(encoding="utf-8"))
    assert data["project"]["name"] == f"puzzlekit-{puzzle_id}"
    assert data["project"]["entry-points"]["puzzlekit"] == {puzzle_id: f"puzzlekit_{puzzle_id}"}
    assert puzzle_id in puzzlekit.puzzles()
    default = puzzlekit.load(puzzle_id)
    known = [text_id for text_id in golden.read() if text_id.partition(":")[0] == puzzle_id]
    assert default in map(puzzlekit.load, known), "add the counts of the default size to tests/counts/<id>.txt"


def test_no_list_of_puzzles_has_to_be_edited():
    names = {
        tomllib.loads((ROOT / "plugins" / each / "pyproject.toml").read_text())["project"]["name"]
        for each in puzzle_ids()
    }
    files = [
        path
        for name in ("pyproject.toml", "Makefile", "Cargo.toml", ".ci/run", ".ci/extra.py")
        for path in [ROOT / name]
    ]
    for path in [*files, *(ROOT / ".github").rglob("*.yml")]:
        text = path.read_text(encoding="utf-8")
        assert not [name for name in names if name in text], f"{path} lists puzzles; find them in plugins/"


def test_the_extra_of_a_release_brings_every_puzzle(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / ".ci"))
    extra = importlib.import_module("extra")
    for name in ("plugins", "tests/counts"):
        shutil.copytree(ROOT / name, tmp_path / name)
    (tmp_path / "plugins" / "other").mkdir()
    (tmp_path / "plugins" / "other" / "pyproject.toml").write_text('project = { name = "puzzlekit-other" }')
    names = extra.distributions(tmp_path)
    assert names == [f"puzzlekit-{puzzle_id}" for puzzle_id in sorted(puzzle_ids())]
    before = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    after = tomllib.loads(extra.with_extra(before, [f"{name}==0.2.0" for name in names]))
    assert after["project"]["optional-dependencies"].pop("puzzles") == [f"{name}==0.2.0" for name in names]
    assert after == tomllib.loads(before)
    with pytest.raises(SystemExit, match="has the extra puzzles already"):
        extra.with_extra(extra.with_extra(before, names), names)


@pytest.mark.parametrize("file", ["pyproject.toml", *(f"plugins/{each}/pyproject.toml" for each in puzzle_ids())])
def test_a_release_gives_every_distribution_the_links_of_its_repository(file, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / ".ci"))
    extra = importlib.import_module("extra")
    before = (ROOT / file).read_text(encoding="utf-8")
    after = tomllib.loads(extra.with_links(before, "https://example.org/people/name", "0.2.0"))
    assert after["project"].pop("urls") == {
        "Source": "https://example.org/people/name",
        "Issues": "https://example.org/people/name/issues",
        "Changelog": "https://example.org/people/name/blob/v0.2.0/CHANGELOG.md",
    }
    assert after == tomllib.loads(before)
    for address in ("", "example.org/people/name", "https://example.org/people/name/"):
        with pytest.raises(SystemExit, match="give an address such as"):
            extra.with_links(before, address, "0.2.0")


def test_everything_is_released_with_one_version():
    """All have the version of the workspace. Plugins require a core of this minor release or of one of the next two."""
    version = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]["version"]
    major, minor, _ = map(int, version.split("."))
    assert puzzlekit.__version__ == version
    for puzzle_id in puzzle_ids():
        name = f"puzzlekit-{puzzle_id}"
        assert metadata.version(name) == version
        assert metadata.requires(name) == [f"puzzlekit-core<{major}.{minor + 3},>={major}.{minor}"]
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## (\S+)", changes, re.MULTILINE)[1] == version


def test_the_licences_are_those_of_the_crates_that_are_linked_in():
    tree = ["cargo", "tree", "--package", "puzzlekit_core", "--features", "python", "--edges", "normal"]
    lines = subprocess.run(
        [*tree, "--target", "all", "--prefix", "none", "--format", "{p}", "--locked"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    linked = {tuple(line.split()[:2]) for line in lines if line} - {("puzzlekit_core", f"v{puzzlekit.__version__}")}
    listed = re.findall(
        r"^    (\S+) (\d\S+)$", (ROOT / "THIRD-PARTY-LICENSES").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert {(name, f"v{version}") for name, version in listed} >= linked, "run `make licences`"


def test_every_hook_is_tested_and_documented():
    hooks = [name for name in vars(hookspecs) if name.startswith("puzzlekit_")]
    assert hooks
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").glob("test_plugins.py"))
    docs = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
    for hook in hooks:
        assert hook in tests
        assert f"### `{hook}(" in docs


def test_folders_hold_more_than_one_file():
    folders = {path.parent for path in [*PACKAGE.rglob("*.py"), *SOURCE.rglob("*.rs")]}
    assert {PACKAGE / "plugins", SOURCE / "py"} <= folders
    for folder in folders:
        assert len([path for path in folder.iterdir() if path.suffix in (".py", ".rs")]) > 1, folder


def test_every_file_begins_with_a_sentence():
    for path in [*PACKAGE.rglob("*.py"), *(ROOT / "plugins").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]:
        first = path.read_text(encoding="utf-8").splitlines()[0]
        assert first.startswith('"""'), path
    for path in (ROOT / "rust_core").rglob("*.rs"):
        if "target" not in path.parts:
            assert path.read_text(encoding="utf-8").startswith("//! "), path


def test_starting_up_imports_no_more_than_it_must():
    heavy = ("rich", "pluggy", "numpy", "importlib.metadata", "asyncio", "starlette", "uvicorn", "jinja2")
    program = f"import sys, puzzlekit.cli; print(*[name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_list_of_puzzles_imports_no_more_than_it_must():
    """A list of puzzles imports nothing that solves, scrambles or draws, in the package and in plugins."""
    heavy = ("numpy", "rich", "random", "datetime", "inspect", "puzzlekit._core", "puzzlekit.run.solver")
    heavy += ("puzzlekit.run.scrambler", "puzzlekit.run.report", "puzzlekit.view.view", "puzzlekit.puzzle.solving")
    program = "import sys\nfrom puzzlekit.cli.app import run\nbefore = set(sys.modules)\nrun(['list'])\n"
    program += f"print(*[name for name in {heavy} if name in set(sys.modules) - before], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.split() == []


def test_a_count_imports_no_more_than_it_must():
    """Counts and values that nothing keeps import nothing for folders, forecasts, scores, CSV and hard states."""
    heavy = ("csv", "decimal", "tempfile", "random", "rich", "numpy", "puzzlekit.run.job_parts", "puzzlekit.run.plans")
    heavy += (
        "puzzlekit.run.progress",
        "puzzlekit.describe.score",
        "puzzlekit.describe.kept_rules",
        "puzzlekit.view.view",
    )
    heavy += ("puzzlekit.jobs.kept", "puzzlekit.puzzle.source", "puzzlekit.run.solver", "puzzlekit.run.scrambler")
    for verb in ("enumerate", "values"):
        program = f"import sys\nfrom puzzlekit.cli.app import run\nrun([{verb!r}, 'tictactoe'])\n"
        program += f"print(*[name for name in {heavy} if name in sys.modules], file=sys.stderr)"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert done.stderr.split() == [], verb


def test_no_line_is_too_long():
    """Formatters do not shorten comments, texts and templates, so this test checks all files."""
    suffixes = {".rs", ".py", ".html", ".js", ".css", ".toml", ".yml"}
    folders = ["rust_core", "python/puzzlekit", "tests", "plugins", "docs", ".ci", ".github"]
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in suffixes]
    files = [path for path in files if not {"target", "node_modules", ".venv"} & set(path.parts)]
    files += [ROOT / "Makefile", *ROOT.glob("*.toml"), *ROOT.glob("*.yml")]
    assert {path.suffix for path in files} == {"", *suffixes}
    long = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in files
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > 120
    ]
    assert long == []
