"""`puzzlekit plugins new`: makes a distribution for a puzzle, that is, a package to be tested, built and published.

The files come from `templates/`. They are written into a temporary folder, which is renamed when it is complete. So an
interruption never leaves a half-written plugin.
"""

from __future__ import annotations

import ast
import dataclasses
import datetime
import importlib.util
import json
import keyword
import os
import re
import secrets
import shutil
import sys
import textwrap
import tokenize
from dataclasses import dataclass
from importlib import metadata, resources
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from puzzlekit.describe import parameters
from puzzlekit.errors import UsageError
from puzzlekit.plugins import files
from puzzlekit.run.engine.machine import __version__

if TYPE_CHECKING:
    from puzzlekit.plugins.loader import Plugins
    from puzzlekit.puzzle.puzzle import Puzzle

ENOUGH_STATES = 5_000
"""The README lists the first counts, up to the depth at which this many states are found."""

MOST_DEPTHS = 100
"""The README lists at most this many depths."""

OURS = ("core", "puzzlekit")
"""Names that no plugin may have, since its distribution or its module would be named like one of puzzlekit's own."""


@dataclass(frozen=True)
class MadePlugin:
    """The plugin that was made.

    Attributes:
        folder: The folder that holds it.
        puzzle: The text id of its puzzle.
        distribution: The name of the distribution.
        files: The files in the folder, sorted by path.
    """

    folder: str
    puzzle: str
    distribution: str
    files: tuple[str, ...]


@dataclass(frozen=True)
class _Names:
    """The names of the distribution and its parts.

    Attributes:
        id: The id of the puzzle, which is also the name of the entry point.
        module: The name of the Python package.
        distribution: The name of the distribution.
    """

    id: str
    module: str
    distribution: str


@dataclass(frozen=True)
class _Source:
    """The code of the module that defines the puzzle.

    Attributes:
        text: The code.
        kind: The name of the puzzle's class.
        hooks: The hooks that the code defines.
        needs: The distributions that the code imports from, other than puzzlekit.
    """

    text: str
    kind: str
    hooks: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


def make(
    plugins: Plugins, name: str, folder: str | None = None, *, file: str | None = None, author: str | None = None
) -> MadePlugin:
    """Makes a distribution for a puzzle, in a new folder.

    Args:
        plugins: The installed plugins, whose names are taken.
        name: The id of the puzzle. The distribution and its module are named after it.
        folder: The folder to make; if it is `None`, one that is named after the distribution.
        file: A file that defines the puzzle, with a colon and a class if it defines several; or the id of a puzzle of
            the gallery. If it is `None`, the distribution gets a small puzzle to begin with.
        author: The person who puts it under the MIT licence. If it is `None`, there is no licence, and the distribution
            cannot be uploaded until somebody chooses one.

    Raises:
        UsageError: The name cannot be used or is taken, the folder is not empty, or the file needs other files.
        PluginError: The file fails, or its puzzle is not declared as it should be.
    """
    names = _Names(name, f"puzzlekit_{name.replace('-', '_')}", f"puzzlekit-{name.replace('_', '-')}")
    _check_names(plugins, names)
    if author is not None and (not author.strip() or not author.isprintable()):
        raise UsageError(f"the author is {author!r}; give the name that stands in the licence")
    target = Path(folder if folder is not None else names.distribution)
    # Functions of `os.path` answer even if a name is too long for the system.
    if os.path.lexists(target) and (target.is_symlink() or not target.is_dir() or any(target.iterdir())):
        raise UsageError(f"{target} is there already and is no empty folder; name another folder")
    source = _begun(name) if file is None else _taken_over(name, plugins.located(file))
    staging = target.resolve().parent / f".{names.distribution}-{secrets.token_hex(4)}"
    try:
        puzzle = _write(staging, source, names, author)
        if os.path.exists(
            target
        ):  # an empty folder, perhaps the one in which the command runs, is not replaced but filled
            for part in staging.iterdir():
                part.rename(target / part.name)
        else:
            staging.rename(target)
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror or error}; name another folder") from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    made = sorted(path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file())
    return MadePlugin(str(target), puzzle, names.distribution, tuple(made))


def _check_names(plugins: Plugins, names: _Names) -> None:
    """Raises an error if the names do not suit a puzzle, a module and a distribution, or if one of them is taken."""
    name, module = names.id, names.module
    if not re.fullmatch(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*", name) or name in OURS:
        raise UsageError(
            f'"{name}" cannot name a puzzle, a module and a distribution; give small letters and digits, with single - '
            "or _ between them, such as burnt-pancakes"
        )
    for plugin in plugins.plugins:
        if plugin.name.replace("_", "-") == name.replace("_", "-"):
            raise UsageError(f"{plugin} is installed already; choose another name, or uninstall it first")
    if name in plugins.puzzle_types():
        raise UsageError(f'a plugin that is installed brings the puzzle "{name}" already; choose another name')
    if importlib.util.find_spec(module) is not None:
        raise UsageError(f"there is a module {module} already; choose another name")


def _template(name: str, **values: str) -> str:
    text = (resources.files("puzzlekit.plugins") / "templates" / f"{name}.template").read_text(encoding="utf-8")
    return Template(text).substitute(values)


def _begun(name: str) -> _Source:
    """The code of a small puzzle to begin with."""
    kind = "".join(part.capitalize() for part in re.split("[_-]", name))
    kind = f"{kind}Puzzle" if keyword.iskeyword(kind) or kind in ("Puzzle", "Rules") else kind
    return _Source(_template("puzzle.py", kind=kind, id=name), kind)


def _taken_over(name: str, file: str) -> _Source:
    """The code of a file that defines a puzzle. The file must not need other files."""
    path = Path(files.path_of(file))
    try:
        with tokenize.open(path) as opened:
            text = opened.read()
        tree = ast.parse(text)
    except (OSError, SyntaxError, UnicodeDecodeError):
        files.load_file(file)  # raises an error that says what is wrong
        raise
    needs = _needs(path, tree)
    puzzle = files.load_file(file)
    kind = type(puzzle)
    if puzzle != kind():
        raise UsageError(f'"{file}" names parameters; name the file alone, whose defaults are kept')
    if kind.id != name:
        raise UsageError(f'the puzzle of {file} has the id "{kind.id}", and not "{name}"; give that as the name')
    hooks = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    own = tuple(hook for hook in hooks if hook.startswith("puzzlekit_register_"))
    return _Source(text, kind.__name__, own, needs)


def _needs(path: Path, tree: ast.Module) -> tuple[str, ...]:
    """The distributions that a file imports from, other than puzzlekit.

    Raises:
        UsageError: The file imports another file, which the distribution would not have.
    """
    known, needs = metadata.packages_distributions(), set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        if isinstance(node, ast.ImportFrom) and node.level:
            what = f"from {'.' * node.level}{node.module or ''} import {', '.join(alias.name for alias in node.names)}"
            raise UsageError(f'{path}, line {node.lineno}, says "{what}"; put what it needs into the file itself')
        named = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
        for name in named:
            package = name.partition(".")[0]
            if package in sys.stdlib_module_names or package == "puzzlekit":
                continue
            beside = [path.parent / package, path.parent / f"{package}.py"]
            if any(place.exists() for place in beside) or package not in known:
                raise UsageError(
                    f"{path}, line {node.lineno}, imports {package}, which no distribution brings; put what it needs "
                    "into the file itself"
                )
            needs.add(known[package][0])
    return tuple(sorted(needs))


def _write(folder: Path, source: _Source, names: _Names, author: str | None) -> str:
    """Writes all files into a folder, after counting the puzzle's first states. Returns the puzzle's text id."""
    code = folder / names.module / "puzzle.py"
    code.parent.mkdir(parents=True)
    code.write_text(source.text, encoding="utf-8")
    puzzle = files.load_file(f"{code}:{source.kind}")
    for path, text in _texts(puzzle, source, names, author).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return str(puzzle)


def _texts(puzzle: Puzzle, source: _Source, names: _Names, author: str | None) -> dict[str, str]:
    """The texts of all files except the puzzle's module, by path."""
    counts, complete = _first_counts(puzzle)
    summary = " ".join((type(puzzle).__doc__ or "").strip().partition("\n")[0].split()) or f"The puzzle {names.id}."
    own = "puzzlekit_register_puzzles" in source.hooks
    imports = [] if own else ["from collections.abc import Callable", "", "from puzzlekit import hookimpl"]
    imports.append(f"from {names.module}.puzzle import {', '.join([source.kind, *source.hooks])}")
    common = {**dataclasses.asdict(names), "kind": source.kind}
    written = {
        "pyproject.toml": _template(
            "pyproject.toml",
            description=json.dumps(summary, ensure_ascii=False),
            dependencies=", ".join(map(json.dumps, [_bounds(), *source.needs])),
            licence=_licence(author),
            **common,
        ),
        f"{names.module}/__init__.py": _template(
            "init.py",
            summary=_in_docstring(summary),
            imports="\n".join(imports),
            hook="" if own else _template("hook.py", kind=source.kind).rstrip("\n"),
            **common,
        ).rstrip("\n")
        + "\n",
        "tests/test_puzzle.py": _template(
            "test.py",
            counts=textwrap.fill(
                ", ".join(map(str, counts)) + ",", 100, initial_indent="    ", subsequent_indent="    "
            ),
            **common,
        ),
        "README.md": _template(
            "README.md",
            summary=summary,
            **common,
            parameters=_parameters(puzzle),
            limit="" if complete else f" --max-depth {len(counts) - 1}",
            table="\n".join(f"| {depth} | {states:,} |" for depth, states in enumerate(counts)),
            complete=f"These are all: {sum(counts):,} states." if complete else "There are more.",
            terms=_terms(author),
        ),
        ".github/workflows/test.yml": _template("workflow.yml", **common),
        ".gitignore": _template("gitignore"),
    }
    if author is not None:
        written["LICENSE"] = _template("licence", year=str(datetime.datetime.now(datetime.UTC).year), author=author)
    return written


def _in_docstring(text: str) -> str:
    """A sentence, changed so that it can stand between the quotes of a docstring."""
    text = text.replace("\\", "\\\\").replace('"""', "'''")
    return f"{text} " if text.endswith('"') else text


def _first_counts(puzzle: Puzzle) -> tuple[list[int], bool]:
    """The number of states at each of the first depths, and `True` if there are no further depths."""
    depth = 0
    while True:
        report = puzzle.enumerate(max_depth=depth, threads=1)
        if report.complete or report.raw_states >= ENOUGH_STATES or depth == MOST_DEPTHS:
            return [one.raw_states for one in report.depths], report.complete
        depth += 1


def _bounds() -> str:
    """The versions of puzzlekit that the plugin requires. Two versions give a warning before a feature is removed."""
    major, minor = map(int, __version__.split(".")[:2])
    return f"puzzlekit-core>={major}.{minor},<{major}.{minor + 3}"


def _parameters(puzzle: Puzzle) -> str:
    """The parameters as a table in Markdown; empty if there are none."""
    rows = [
        f"| `{field.name}` | {field.metadata.get('help', '')} | {parameters.describe(field)} | {field.default} |"
        for field in dataclasses.fields(puzzle)  # type: ignore[arg-type]
    ]
    return "\n".join(["| parameter | meaning | takes | default |", "|---|---|---|---|", *rows, "", ""]) if rows else ""


def _licence(author: str | None) -> str:
    """The lines of pyproject.toml about the licence."""
    if author is not None:
        name = json.dumps(author, ensure_ascii=False)
        return f'license = "MIT"\nlicense-files = ["LICENSE"]\nauthors = [{{ name = {name} }}]'
    return (
        "# Nobody may use what has no licence. Choose one, add the file LICENSE, and take this classifier out;\n"
        "# until then the package index refuses the package.\n"
        'classifiers = ["Private :: Do Not Upload"]'
    )


def _terms(author: str | None) -> str:
    if author is not None:
        return "MIT; see LICENSE."
    return (
        "None yet: choose one, add the file LICENSE, name it in pyproject.toml as `license`, and take the classifier "
        "`Private :: Do Not Upload` out."
    )
