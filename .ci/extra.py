"""Gives `pyproject.toml` the extra `puzzles`: every plugin in `plugins/` that brings one. Releases run it first."""

import sys
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


if __name__ == "__main__":
    base = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent
    file = base / "pyproject.toml"
    file.write_text(with_extra(file.read_text(encoding="utf-8"), distributions(base)), encoding="utf-8")
