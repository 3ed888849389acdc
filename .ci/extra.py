"""The extra `puzzles` of the core: every plugin in `plugins/` that brings a puzzle. `.ci/dist.py` adds it to a copy."""

import tomllib
from pathlib import Path


def distributions(root: Path) -> list[str]:
    """The distributions below `plugins/` that bring a puzzle: those with a file of known counts."""
    counted = {path.stem for path in (root / "tests" / "counts").glob("*.txt")}
    files = sorted(path for path in (root / "plugins").glob("*/pyproject.toml") if path.parent.name in counted)
    return [tomllib.loads(path.read_text(encoding="utf-8"))["project"]["name"] for path in files]


def with_extra(text: str, names: list[str]) -> str:
    """The text of a `pyproject.toml` with the extra added, before the other extras."""
    if "puzzles" in tomllib.loads(text)["project"]["optional-dependencies"]:
        raise SystemExit("pyproject.toml has the extra puzzles already; begin with a clean checkout")
    lines = "".join(f'    "{name}",\n' for name in names)
    table = "[project.optional-dependencies]\n"
    return text.replace(table, f"{table}puzzles = [\n{lines}]\n", 1)
