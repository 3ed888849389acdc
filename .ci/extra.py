"""What a release adds to copies of `pyproject.toml`, which `.ci/dist.py` makes.

The core gets the extra `puzzles`: every plugin in `plugins/` that brings a puzzle. Every distribution gets the links of
the repository that it is released from.
"""

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


def with_links(text: str, repository: str, version: str) -> str:
    """The text of a `pyproject.toml` with links: the sources, where to tell a fault, and what changed in this version.

    Args:
        text: The text.
        repository: The address of the repository, such as `https://example.org/people/name`.
        version: The version that is released, whose tag is `v` and the version.
    """
    if not repository.startswith("https://") or repository.endswith("/"):
        raise SystemExit(f"REPOSITORY is {repository!r}; give an address such as https://example.org/people/name")
    if "urls" in tomllib.loads(text)["project"]:
        raise SystemExit("pyproject.toml has links already; begin with a clean checkout")
    changes = f"{repository}/blob/v{version}/CHANGELOG.md"
    links = {"Source": repository, "Issues": f"{repository}/issues", "Changelog": changes}
    return text + "\n[project.urls]\n" + "".join(f'{name} = "{address}"\n' for name, address in links.items())
