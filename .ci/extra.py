"""The extra `puzzles` of the core: every plugin in `plugins/` that brings a puzzle. `.ci/dist.py` adds it to a copy."""

import tomllib
from pathlib import Path


def distributions(root: Path) -> list[str]:
    """The distributions below `plugins/` that bring a puzzle: those with a file of known counts."""
    counted = {path.stem for path in (root / "tests" / "counts").glob("*.txt")}
    files = sorted(path for path in (root / "plugins").glob("*/pyproject.toml") if path.parent.name in counted)
    return [tomllib.loads(path.read_text(encoding="utf-8"))["project"]["name"] for path in files]


def with_extra(text: str, names: list[str]) -> str:
    """A `pyproject.toml` that has the extra."""
    if "optional-dependencies" in tomllib.loads(text)["project"]:
        raise SystemExit("pyproject.toml has optional dependencies already; begin with a clean checkout")
    lines = "".join(f'    "{name}",\n' for name in names)
    table = f"[project.optional-dependencies]\npuzzles = [\n{lines}]\n\n"
    return text.replace("[project.scripts]\n", f"{table}[project.scripts]\n", 1)
