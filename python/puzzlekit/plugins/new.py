"""`puzzlekit plugins new`: a distribution for a puzzle, ready to be tested, built and published.

The files come from `templates/`. They are written into a temporary folder beside the wanted one. When all are there, it
is renamed, so that nothing is ever left half written.
"""

from __future__ import annotations

import ast
import dataclasses
import datetime
import importlib.util
import json
import keyword
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
"""The first counts in the README end with the depth at which this many states are known."""

MOST_DEPTHS = 100
"""The most depths of the first counts in the README."""

OURS = ("core", "puzzlekit")
"""Names that no plugin may have: its distribution or module would have the name of one of puzzlekit itself."""


@dataclass(frozen=True)
class MadePlugin:
    """The plugin that was made.

    Attributes:
        folder: The folder.
        puzzle: The text id of the puzzle.
        distribution: The name of the distribution.
        files: The files in the folder, in order of their paths.
    """

    folder: str
    puzzle: str
    distribution: str
    files: tuple[str, ...]


@dataclass(frozen=True)
class _Names:
    """The names of the distribution and its parts.

    Attributes:
        id: The id of the puzzle, which is the name of the entry point, too.
        module: The name of the Python package.
        distribution: The name of the distribution.
    """

    id: str
    module: str
    distribution: str


@dataclass(frozen=True)
class _Source:
    """The code of a puzzle's module.

    Attributes:
        text: The code.
        kind: The name of the class.
        hooks: The hooks that it defines.
        needs: The distributions that it imports, besides puzzlekit.
    """

    text: str
    kind: str
    hooks: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


def make(
    plugins: Plugins, name: str, folder: str | None = None, *, file: str | None = None, author: str | None = None
) -> MadePlugin:
    """Makes a distribution for a puzzle.

    Args:
        plugins: The plugins that are installed, whose names are taken.
        name: The id of the puzzle, after which everything is named.
        folder: Where it is made; a folder named after the distribution if it is `None`.
        file: A file that defines the puzzle, with a colon and the class if it defines several; or the id of a puzzle of
            the gallery. If it is `None`, the puzzle is a small one to begin with.
        author: Who puts it under the MIT licence. If it is `None`, it has no licence, and cannot be uploaded until
            somebody chooses one.

    Raises:
        UsageError: The name cannot be used or is taken, the folder is not empty, or the file needs other files.
        PluginError: The file fails, or its puzzle is not declared as it should be.
    """
    names = _Names(name, f"puzzlekit_{name.replace('-', '_')}", f"puzzlekit-{name.replace('_', '-')}")
    _check_names(plugins, names)
    if author is not None and (not author.strip() or not author.isprintable()):
        raise UsageError(f"the author is {author!r}; give the name that stands in the licence")
    target = Path(folder if folder is not None else names.distribution)
    if target.is_symlink() or (target.exists() and (not target.is_dir() or any(target.iterdir()))):
        raise UsageError(f"{target} is there already and is no empty folder; name another folder")
    source = _begun(name) if file is None else _taken_over(name, plugins.located(file))
    staging = target.resolve().parent / f".{names.distribution}-{secrets.token_hex(4)}"
    try:
        puzzle = _write(staging, source, names, author)
        if target.exists():  # an empty folder, perhaps the one in which the command runs, is not replaced but filled
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
    """Raises an error for names that cannot be those of a puzzle, a module and a distribution, or that are taken."""
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
    """A small puzzle to begin with."""
    kind = "".join(part.capitalize() for part in re.split("[_-]", name))
    kind = f"{kind}Puzzle" if keyword.iskeyword(kind) or kind in ("Puzzle", "Rules") else kind
    return _Source(_template("puzzle.py", kind=kind, id=name), kind)


def _taken_over(name: str, file: str) -> _Source:
    """The code of a file, which must need no other file."""
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
    """The distributions that a file imports, besides puzzlekit.

    Raises:
        UsageError: The file imports another file, which would not be in the distribution.
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
    """Writes all files into a folder, and returns the text id of the puzzle, whose states were counted for them."""
    code = folder / names.module / "puzzle.py"
    code.parent.mkdir(parents=True)
    code.write_text(source.text, encoding="utf-8")
    puzzle = files.load_file(f"{code}:{source.kind}")
    for path, text in _texts(puzzle, source, names, author).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return str(puzzle)


def _texts(puzzle: Puzzle, source: _Source, names: _Names, author: str | None) -> dict[str, str]:
    """The texts of all files but the puzzle's own, by their paths."""
    counts, complete = _first_counts(puzzle)
    summary = " ".join((type(puzzle).__doc__ or "").strip().partition("\n")[0].split()) or f"The puzzle {names.id}."
    own = "puzzlekit_register_puzzles" in source.hooks
    imports = [] if own else ["from puzzlekit import hookimpl"]
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
    """A sentence as it may stand between the quotes of a docstring."""
    text = text.replace("\\", "\\\\").replace('"""', "'''")
    return f"{text} " if text.endswith('"') else text


def _first_counts(puzzle: Puzzle) -> tuple[list[int], bool]:
    """The number of states at each depth, as far as they are counted at once, and `True` if these are all."""
    depth = 0
    while True:
        report = puzzle.enumerate(max_depth=depth, threads=1)
        if report.complete or report.raw_states >= ENOUGH_STATES or depth == MOST_DEPTHS:
            return [one.raw_states for one in report.depths], report.complete
        depth += 1


def _bounds() -> str:
    """The versions of puzzlekit that the plugin requires. A feature that will be removed warns during two of them."""
    major, minor = map(int, __version__.split(".")[:2])
    return f"puzzlekit-core>={major}.{minor},<{major}.{minor + 3}"


def _parameters(puzzle: Puzzle) -> str:
    """The parameters as a table; nothing if there are none."""
    rows = [
        f"| `{field.name}` | {field.metadata.get('help', '')} | {parameters.describe(field)} | {field.default} |"
        for field in dataclasses.fields(puzzle)  # type: ignore[arg-type]
    ]
    return "\n".join(["| parameter | meaning | takes | default |", "|---|---|---|---|", *rows, "", ""]) if rows else ""


def _licence(author: str | None) -> str:
    """The licence in pyproject.toml."""
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
