"""The files of the gallery, their known counts, and the page about them, which `make docs` writes."""

from __future__ import annotations

import ast
import dataclasses
import re
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import puzzlekit
from tests import golden

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLES = Path(__file__).parent.parent / "python" / "puzzlekit" / "gallery"
PAGE = Path(__file__).parent.parent / "examples" / "README.md"
FILES = {path.stem: path for path in sorted(EXAMPLES.glob("*.py"))}
GOLDEN = golden.read(golden.COUNTS / "examples")

HEAD = """# The gallery

Puzzles and games in one file each, of 15 to 60 lines. They come with puzzlekit and are named by their ids; `puzzlekit
list --gallery` lists them. All are counted, solved, scrambled and played like the puzzles of plugins:

```
puzzlekit enumerate hanoi:disks=8,pegs=4
puzzlekit play sokoban
puzzlekit solve klotski "$(puzzlekit scramble klotski)"
puzzlekit serve --gallery
```

Copy one and change it: `puzzlekit plugins new klotski --from klotski` makes a plugin of it.

This page is generated from the files by `make docs`. The figures are those of the default size, as `puzzlekit
enumerate` counts them; the tests hold them against [known counts](../tests/counts/examples), each with its source.
[Another page](../docs/gallery-speed.md) tells how fast they are counted.

| puzzle | lines | states | up to symmetry | symmetries | most moves | what it uses |
|---|---|---|---|---|---|---|"""


def load(text_id: str) -> puzzlekit.Puzzle:
    """The puzzle of an id as the files of known counts have it, such as `hanoi:disks=4,pegs=3`."""
    name, _, values = text_id.partition(":")
    return puzzlekit.load(f"{FILES[name]}:{values}" if values else str(FILES[name]))


def document(path: Path) -> str:
    """The docstring of a file."""
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""


def lines(path: Path) -> int:
    """The number of lines of a file."""
    return len(path.read_text(encoding="utf-8").splitlines())


def uses(path: Path) -> list[str]:
    """The public names that a file imports, without those that every puzzle needs."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == "puzzlekit"]
    return sorted({alias.name for node in imports for alias in node.names} - {"Puzzle", "Rules"}, key=str.lower)


def default(name: str) -> str:
    """The id of a puzzle's default size."""
    return str(load(name))


def figures(name: str) -> str:
    """The counts of a puzzle's default size: the known ones if the puzzle is large, and otherwise those of a run."""
    puzzle, facts = load(name), GOLDEN[default(name)]
    order = puzzle.engine.symmetry_order
    if "slow" in facts or "large" in facts:
        raw = facts.get("raw") or (facts["states"] if order == 1 else None)
        states = facts.get("states") or (raw if order == 1 else None)
        known = [f"{int(count):,}" if count else "" for count in (raw, states)]
        return f"{known[0]} | {known[1]} | {order} | {facts['max_depth']}"
    report = puzzle.enumerate(max_depth=int(facts["to_depth"]) if "to_depth" in facts else None)
    to = "" if report.complete else f" to depth {report.max_depth}"
    return f"{report.raw_states:,}{to} | {report.states:,} | {report.symmetry_order} | {report.max_depth}"


def row(name: str, path: Path) -> str:
    """The row of the table about a puzzle."""
    used = ", ".join(f"`{each}`" for each in uses(path))
    return f"| {name} | {lines(path)} | {figures(name)} | {used} |"


def about(name: str, path: Path) -> Iterator[str]:
    """A puzzle in a few sentences: what it is called, its parameters, and what it shows of the rules."""
    parts = [" ".join(part.split()) for part in document(path).split("\n\n") if not part.startswith(" ")]
    declared = dataclasses.fields(type(load(name)))  # type: ignore[arg-type]
    fields = ", ".join(f"`{field.name}` = {field.default}" for field in declared)
    link = f"[**{name}**](../python/puzzlekit/gallery/{path.name})"
    text = f"- {link}: {parts[0]} {parts[-1]} Parameters: {fields or 'none'}."
    yield textwrap.fill(text, 118, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def page() -> str:
    """The whole page."""
    rows = [row(name, path) for name, path in FILES.items()]
    shown = [line for name, path in FILES.items() for line in about(name, path)]
    return "\n".join([HEAD, *rows, "", "## What each shows", "", *shown, ""])


def claims(path: Path) -> set[int]:
    """The numbers of two digits or more in a docstring. Indented lines are drawings, and are left out."""
    return {
        number
        for number in numbers("\n".join(line for line in document(path).splitlines() if not line.startswith(" ")))
        if number > 9
    }


def numbers(text: str) -> set[int]:
    """The whole numbers that stand by themselves in a text, with commas between thousands or without."""
    found = re.findall(r"(?<![\w.])\d{1,3}(?:,\d{3})+(?!\w)|(?<![\w.])\d+(?!\w)", text)
    return {int(number.replace(",", "")) for number in found}


if __name__ == "__main__":
    sys.stdout.write(page())
