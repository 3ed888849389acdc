"""Documents: every example in the README, the docs and the docstrings runs, and prints what it shows."""

import doctest
import importlib
import importlib.metadata
import inspect
import pkgutil
import re
import shlex
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

import puzzlekit
from puzzlekit.puzzle.declaration import OVERRIDABLE
from tests.cli_reference import reference
from tests.public_names import stub
from tests.puzzles_page import page as puzzles_page

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "SECURITY.md",
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "plugins").glob("*/README.md"),
        ROOT / "examples" / "README.md",
    ]
)
INSTALLED = {distribution.name.replace("-", "_") for distribution in importlib.metadata.distributions()}
# Plugins that are not installed are left out: `make setup` does not install all of them.
PACKAGES = ["puzzlekit", *sorted({path.name for path in (ROOT / "plugins").glob("*/puzzlekit_*")} & INSTALLED)]
MODULES = [
    name
    for package in PACKAGES
    for name in [
        package,
        *(found for _, found, _ in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}.")),
    ]
    if name.rpartition(".")[2] not in ("__main__", "_core")
]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    module = importlib.import_module(name)
    examples = inspect.getsource(module).count(">>> ")
    results = doctest.testmod(module)
    assert results.failed == 0
    assert bool(results.attempted) == bool(examples), "an example of the module is not run"


def test_there_are_docstrings_with_examples_in_the_package_and_in_plugins():
    for package in ("puzzlekit", "puzzlekit_"):
        names = [name for name in MODULES if name.split(".")[0].startswith(package)]
        finder = doctest.DocTestFinder(exclude_empty=True)
        found = [test for name in names for test in finder.find(importlib.import_module(name))]
        assert sum(len(test.examples) for test in found) > 10


def text(page):
    return page.read_text(encoding="utf-8")


def fences(page):
    """The blocks of code of a page: the language of each, and its text."""
    parts = re.split(r"^```(.*)\n", text(page), flags=re.MULTILINE)
    assert len(parts) % 4 == 1, f"a block of {page.name} is not closed"
    assert not any(parts[3::4]), f"{page.name} closes a block with a language"
    return list(zip(parts[1::4], parts[2::4], strict=True))


def blocks(page, language):
    return [block for kind, block in fences(page) if kind == language]


def test_every_block_says_what_it_is():
    kinds = [kind for page in PAGES for kind, _ in fences(page)]
    assert set(kinds) <= {"", "python", "console", "text", "toml"}
    assert kinds.count("python") > 20
    assert kinds.count("console") > 5
    for page in PAGES:
        for plain in blocks(page, ""):
            assert not re.search(r"^(\$|>>>) ", plain, re.MULTILINE), f"{page.name}: an example that is not run"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_python_on_pages(page, tmp_path):
    """Blocks marked `python` run one after another in one program. `>>>` lines are compared with what they print."""
    names = {"__name__": "__main__"}
    for at, block in enumerate(blocks(page, "python")):
        if block.lstrip().startswith(">>>"):
            test = doctest.DocTestParser().get_doctest(block, names, page.name, str(page), at)
            results = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, clear_globs=False)
            names.update(test.globs)
            assert results.failed == 0
        else:
            # The block is written to a file, so that dataclasses find their source and tracebacks show lines.
            path = tmp_path / f"block_{at}.py"
            path.write_text(block, encoding="utf-8")
            exec(compile(block, str(path), "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_on_pages(page, tmp_path, monkeypatch, command):
    """In blocks marked `console`, each `$ puzzlekit ...` prints what follows it; `...` stands for anything."""
    monkeypatch.chdir(tmp_path)
    for block in blocks(page, "console"):
        parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
        assert parts[0] == "", "a console block begins with a command"
        for line, expected in zip(parts[1::2], parts[2::2], strict=True):
            program, *arguments = shlex.split(line)
            assert program == "puzzlekit", f"{page.name}: {line}"
            done = command(*arguments)
            printed = done.out + done.err
            pattern = re.escape(expected).replace(re.escape("..."), ".*?")
            assert re.fullmatch(pattern, printed, re.DOTALL), f"{page.name}: {line} printed\n{printed}"


def anchors(page):
    """The names by which links can point to headings."""
    prose = re.split(r"^```.*\n", text(page), flags=re.MULTILINE)[::2]
    headings = [heading for part in prose for heading in re.findall(r"^#+ (.*)$", part, re.MULTILINE)]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_lead_somewhere():
    places = 0
    for page in PAGES:
        for target, place in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", text(page)):
            if not target.startswith(("http:", "https:")):
                to = page.parent / target if target else page
                assert to.exists(), f"{page.name} links to {target}"
                assert not place or place in anchors(to), f"{page.name} links to {target}#{place}"
                places += bool(place)
    assert places > 1


# The pages whose lines must be short: all of this repository except those in the folders of plugins.
SHORT = [page for page in PAGES if "plugins" not in page.parts]


def is_output(kind, block, line):
    """Returns `True` if a line of a block was printed by a program. Such lines may be long."""
    if kind == "console":
        return not line.startswith("$ ")
    return ">>> " in block and not line.startswith((">>> ", "... "))


@pytest.mark.parametrize("page", SHORT, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_lines_and_paragraphs_are_short(page):
    parts = re.split(r"^```(.*)\n", text(page), flags=re.MULTILINE)
    for prose in parts[::4]:
        assert [line for line in prose.splitlines() if len(line) > 120] == []
        # Headings and rows of tables are no paragraphs. Each item of a list is a paragraph.
        lines = [re.sub(r"^[#|].*", "", line) for line in prose.splitlines()]
        for paragraph in re.split(r"\n\n+|\n(?=\s*(?:[-*]|\d+\.) )", "\n".join(lines)):
            assert paragraph.strip().count("\n") < 5, f"split this: {paragraph.strip()[:60]}"
    for kind, block in fences(page):
        assert [line for line in block.splitlines() if len(line) > 120 and not is_output(kind, block, line)] == []


def test_every_page_is_linked():
    linked = {(page.parent / target).resolve() for page in PAGES for target in re.findall(r"\]\(([^)#]+)", text(page))}
    assert {page for page in PAGES if page.parent.name in ("docs", "adr") and page.resolve() not in linked} == set()


def test_the_reference_of_the_command_line_is_current():
    page = ROOT / "docs" / "command-line.md"
    assert page.read_text(encoding="utf-8") == reference(), "run `make docs`"


def test_the_names_for_type_checkers_are_current():
    assert (ROOT / "python" / "puzzlekit" / "__init__.pyi").read_text(encoding="utf-8") == stub(), "run `make docs`"


def test_the_page_of_the_puzzles_is_current():
    page = ROOT / "docs" / "puzzles.md"
    assert page.read_text(encoding="utf-8") == puzzles_page(), "run `make docs`"


def test_the_methods_that_a_puzzle_may_define_are_those_of_the_table():
    page = text(ROOT / "docs" / "plugins.md").partition("## What a puzzle does its own way")[2].partition("\n## ")[0]
    assert tuple(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == OVERRIDABLE
    (block,) = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    methods = {name: inspect.signature(getattr(puzzlekit.Puzzle, name)) for name in OVERRIDABLE}
    written = [f"{name}{signature}".replace("'", "") for name, signature in methods.items()]
    assert block.replace("\n    ", " ").splitlines() == written


def members(kind):
    """The public methods and properties that a class defines itself."""
    for name, member in vars(kind).items():
        inner = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        if not name.startswith("_") and (inspect.isfunction(inner) or isinstance(inner, property | cached_property)):
            yield name, inner


def has_docstring(thing):
    """Returns `True` if a docstring was written by hand. A dataclass without one has its signature as docstring."""
    written = (thing.__doc__ or "").strip()
    return bool(written) and not written.startswith(f"{getattr(thing, '__name__', '')}(")


def test_every_public_name_has_a_docstring():
    checked = 0
    for name in puzzlekit.__all__:
        thing = getattr(puzzlekit, name)
        assert name == "__version__" or has_docstring(thing), name
        for inner, member in members(thing) if inspect.isclass(thing) else ():
            assert has_docstring(member), f"{name}.{inner}"
            checked += 1
    assert checked > 40


def test_docstrings_that_nobody_wrote_are_none():
    @dataclass
    class Bare:
        size: int

    assert not has_docstring(Bare)
    assert has_docstring(puzzlekit.Depth)
