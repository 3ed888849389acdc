"""Reads the golden counts, which are known to be right, from `tests/counts/`; each file explains its format."""

from __future__ import annotations

from pathlib import Path

COUNTS = Path(__file__).parent / "counts"


def read(folder: Path = COUNTS) -> dict[str, dict[str, str]]:
    """The facts of every puzzle in every file of a folder, by text id."""
    puzzles: dict[str, dict[str, str]] = {}
    for path in sorted(folder.glob("*.txt")):
        facts: dict[str, str] = {}
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("#") or not line.strip():
                continue
            if not line.startswith("  "):
                facts = puzzles.setdefault(line.strip(), {})
            else:
                key, _, value = line.strip().partition(": ")
                facts[key] = value
    return puzzles


def numbers(value: str) -> list[int]:
    """The numbers of a fact."""
    return [int(number) for number in value.split(", ")]
