"""Documents: every example in the README, the docs and the docstrings runs and prints what it says."""

import doctest
import importlib
import pkgutil
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import puzzlekit
from tests.cli_reference import reference
from tests.puzzles_page import page as puzzles_page

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "plugins").glob("*/README.md"),
    ]
)
MODULES = [
    name for _, name, _ in pkgutil.walk_packages(puzzlekit.__path__, "puzzlekit.") if not name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    if name.endswith("._core"):
        return
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_python_on_pages(page, tmp_path):
    """Blocks marked `python` run one after the other in one program; `>>>` lines are compared with what they print."""
    names = {"__name__": "__main__"}
    for at, block in enumerate(blocks(page, "python")):
        if block.lstrip().startswith(">>>"):
            test = doctest.DocTestParser().get_doctest(block, names, page.name, str(page), at)
            results = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, clear_globs=False)
            names.update(test.globs)
            assert results.failed == 0
        else:
            # As a file, so that dataclasses find their source and tracebacks show lines.
            path = tmp_path / f"block_{at}.py"
            path.write_text(block, encoding="utf-8")
            exec(compile(block, str(path), "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_on_pages(page, tmp_path):
    """In blocks marked `console`, each `$ puzzlekit ...` prints what follows it; `...` stands for anything."""
    for block in blocks(page, "console"):
        parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
        assert parts[0] == "", "a console block begins with a command"
        for line, expected in zip(parts[1::2], parts[2::2], strict=True):
            arguments = shlex.split(line)
            assert arguments[0] == "puzzlekit", f"{page.name}: {line}"
            done = subprocess.run(
                [sys.executable, "-m", *arguments],
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
                cwd=tmp_path,
            )
            printed = done.stdout + done.stderr
            pattern = re.escape(expected).replace(re.escape("..."), ".*?")
            assert re.fullmatch(pattern, printed, re.DOTALL), f"{page.name}: {line} printed\n{printed}"


def test_links_lead_somewhere():
    checked = 0
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if not target.startswith(("http:", "https:")):
                assert (page.parent / target).exists(), f"{page.name} links to {target}"
                checked += 1
    assert checked > 5


def test_the_reference_of_the_command_line_is_current():
    page = ROOT / "docs" / "command-line.md"
    assert page.read_text(encoding="utf-8") == reference(), "run `make docs`"


def test_the_page_of_the_puzzles_is_current():
    page = ROOT / "docs" / "puzzles.md"
    assert page.read_text(encoding="utf-8") == puzzles_page(), "run `make docs`"


def test_every_public_name_has_a_docstring():
    for name in puzzlekit.__all__:
        if name != "__version__":
            assert (getattr(puzzlekit, name).__doc__ or "").strip(), name
    for kind in (
        puzzlekit.Puzzle,
        puzzlekit.Grid,
        puzzlekit.Rules,
        puzzlekit.Move,
        puzzlekit.Symmetry,
        puzzlekit.Report,
    ):
        for name, member in vars(kind).items():
            if not name.startswith("_") and (callable(member) or isinstance(member, property)):
                assert (getattr(member, "__doc__", None) or "").strip(), f"{kind.__name__}.{name}"
