"""Helpers that several tests share: the options of runs, puzzles as files, and a lock between processes."""

import inspect
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from puzzlekit import Puzzle, Rules
from puzzlekit.run import options

__all__ = ["RunOptions", "alone", "grain_of", "puzzle_of", "written"]


@dataclass(frozen=True)
class RunOptions(options.RunOptions):
    """Options with `grain`, which says how finely the work is divided. Only builds for tests accept it."""

    grain: Mapping[str, int] | None = None

    def to_data(self, room: int) -> dict[str, Any]:
        data = super().to_data(room)
        return data if self.grain is None else data | {"grain": dict(self.grain)}


def grain_of(numbers: tuple[int, int, int, int] | None) -> dict[str, int] | None:
    """The sizes of parts of the work: partition bits, states of a block, blocks of a wave, words of a run on disk."""
    names = ("partition_bits", "block_states", "wave_blocks", "run_words")
    return None if numbers is None else dict(zip(names, numbers, strict=True))


def puzzle_of(rules: Rules) -> Puzzle:
    """A puzzle with the given rules."""

    @dataclass(frozen=True)
    class Made(Puzzle):
        """A puzzle of a test."""

        id = "made"

        def rules(self) -> Rules:
            return rules

    return Made()


def written(puzzle: type[Puzzle], folder: Path, **defaults: int) -> str:
    """The path of a new file with the class of a puzzle, some of whose parameters have other defaults."""
    source = inspect.getsource(puzzle)
    for name, value in defaults.items():
        source = source.replace(f"{name}: int = {getattr(puzzle, name)}", f"{name}: int = {value}")
    names = "Grid, Puzzle, Rules, Score, over, put, swap, toggle, win"
    head = f"from dataclasses import dataclass, replace\n\nimport puzzlekit\nfrom puzzlekit import {names}\n\n\n"
    (folder / f"{puzzle.id}.py").write_text(head + source, encoding="utf-8")
    return str(folder / f"{puzzle.id}.py")


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Lets one process at a time work in a folder."""
    with open(folder / "lock", "w", encoding="ascii") as file:
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield
