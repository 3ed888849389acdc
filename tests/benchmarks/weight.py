"""Weighs the engine: the extension by room, the functions with the largest copies, and the seconds of a build.

    python -m tests.benchmarks.weight            what the release build weighs
    python -m tests.benchmarks.weight --dev      how long the development build of the own crate takes as well
    python -m tests.benchmarks.weight --write    and writes it all into docs/weight.md

The extension is built as wheels have it, but with its symbols, in a folder of its own under `target`. A function that
is generic over the width of a word comes once for each width that it is called with; all of these are its *copies*.
Seconds are those of the processor, of the own crate alone. `make weight` runs this; it needs `nm` and `c++filt` of
binutils.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "weight.md"
TARGET = ROOT / "target" / "weight"
OWN = "puzzlekit_core"
SHELLS = re.compile(rf"{OWN}::(?:compile::cpu|run::pool|run::parallel|py::watch)::")
"""Functions that only run work which is given to them. Their copies are counted in the room in which the work is
written."""

BEGIN, END = "<!-- The next lines are written by `make weight`. -->", "<!-- The last of these lines. -->"

TIMER = """#!{python}
import os, resource, subprocess, sys
done = subprocess.run(sys.argv[1:])
if "{own}" in sys.argv:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open({file!r}, "a") as file:
        print(used.ru_utime + used.ru_stime, file=file)
sys.exit(done.returncode)
"""
"""The text of a script that runs the compiler, and notes the processor time that it takes for the own crate."""


@dataclass
class Weight:
    """The bytes of some functions, and how many these are."""

    bytes: int = 0
    copies: int = 0

    def add(self, size: int) -> None:
        """Adds one more function."""
        self.bytes += size
        self.copies += 1


@dataclass
class Weighed:
    """The bytes of an extension, by room and by function."""

    file_bytes: int
    stripped_bytes: int
    rooms: dict[str, Weight] = field(default_factory=lambda: defaultdict(Weight))
    functions: dict[str, Weight] = field(default_factory=lambda: defaultdict(Weight))


def build(profile: str, *flags: str) -> tuple[Path, float]:
    """Builds the extension, and returns its file and the seconds that the own crate took."""
    with tempfile.TemporaryDirectory() as folder:
        timer, seconds = Path(folder) / "timer", Path(folder) / "seconds"
        timer.write_text(TIMER.format(python=sys.executable, own=OWN, file=str(seconds)), encoding="utf-8")
        timer.chmod(0o755)
        # A build that finds nothing to do would take no time.
        (ROOT / "rust_core" / "src" / "lib.rs").touch()
        environment = os.environ | {"RUSTC_WORKSPACE_WRAPPER": str(timer), "CARGO_TARGET_DIR": str(TARGET)}
        command = ["cargo", "rustc", "--profile", profile, "--package", OWN, "--lib", "--crate-type", "cdylib"]
        subprocess.run([*command, "--features", "python", "--", *flags], check=True, env=environment, cwd=ROOT)
        took = float(seconds.read_text(encoding="utf-8").split()[-1])
    (file,) = (TARGET / ("debug" if profile == "dev" else profile)).glob(f"lib{OWN}.*[soylib]")
    return file, took


def symbols(file: Path) -> Iterator[tuple[int, str]]:
    """The size and the name of each function, with the types that it is compiled for."""
    listed = subprocess.run(["nm", "--print-size", "--defined-only", file], check=True, capture_output=True, text=True)
    shown = subprocess.run(["c++filt"], input=listed.stdout, check=True, capture_output=True, text=True).stdout
    for line in shown.splitlines():
        if found := re.match(r"[0-9a-f]+ ([0-9a-f]+) [tTwW] (.*)", line):
            yield int(found[1], 16), found[2]


def general(name: str) -> str:
    """The name of a function without the types that it is compiled for.

    >>> general("<core::array::Guard<u64> as core::ops::drop::Drop>::drop")
    '<core::array::Guard as core::ops::drop::Drop>::drop'
    >>> general("puzzlekit_core[69125b3dd467dd3f]::sparse::close::close::<[u64; 4: usize]>::{closure#0}")
    'puzzlekit_core::sparse::close::close::{closure#0}'
    """
    name = re.sub(r"\[[0-9a-f]{16}\]|::h[0-9a-f]{16}$", "", name)
    kept, depth = "", 0
    for at, letter in enumerate(name):
        # A bracket at the beginning of a path is part of it; one after a name has types in it.
        if letter == "<" and (depth > 0 or re.search(r"[\w:]$", name[:at][-1:])):
            depth += 1
        if depth == 0:
            kept += letter
        if letter == ">" and depth > 0 and name[at - 1] != "-":
            depth -= 1
    return re.sub(r"::$", "", kept.replace("::::", "::"))


def worker(name: str) -> str:
    """The name of a function, or of the work that it is compiled for if it does nothing else but run it.

    >>> worker("puzzlekit_core::compile::cpu::run_avx2::<puzzlekit_core::sparse::expand::ExpandBlock<u64>>")
    'puzzlekit_core::sparse::expand::ExpandBlock<u64>'
    >>> worker("puzzlekit_core::sparse::close::close::<u64>")
    'puzzlekit_core::sparse::close::close::<u64>'
    """
    name = re.sub(r"\[[0-9a-f]{16}\]|::h[0-9a-f]{16}$", "", name)
    if not SHELLS.match(name):
        return name
    works = [found for found in re.finditer(rf"{OWN}::[a-z_]+::", name) if not SHELLS.match(name, found.start())]
    return name[works[-1].start() :].removesuffix(">") if works else name


def room(name: str) -> str:
    """The room of the own crate that a function is in, or the crate that it is from.

    >>> room("puzzlekit_core::sparse::close::close"), room("<rayon::vec::Drain as Drop>::drop")
    ('sparse', 'rayon')
    """
    path = re.search(r"[a-z_0-9]+(?:::[A-Za-z_0-9]+)*", name)
    parts = path[0].split("::") if path else ["?"]
    if parts[0] == OWN:
        return parts[1] if len(parts) > 2 else "lib"
    return {"core": "std", "alloc": "std", "rayon_core": "rayon"}.get(parts[0], parts[0]) if len(parts) > 1 else "?"


def weigh(file: Path) -> Weighed:
    """What an extension weighs, by room and by function."""
    with tempfile.TemporaryDirectory() as folder:
        stripped = Path(folder) / "stripped"
        subprocess.run(["strip", "-o", stripped, file], check=True)
        weighed = Weighed(file.stat().st_size, stripped.stat().st_size)
    for size, name in symbols(file):
        short = general(worker(name))
        weighed.rooms[room(short)].add(size)
        weighed.functions[short].add(size)
    return weighed


def table(head: tuple[str, ...], rows: list[tuple[object, ...]]) -> list[str]:
    """A table as Markdown."""
    shown = [[f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row] for row in rows]
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *shown)]


def largest(weights: dict[str, Weight], count: int) -> list[tuple[str, Weight]]:
    """The names with the largest weights, the heaviest first."""
    return sorted(weights.items(), key=lambda item: -item[1].bytes)[:count]


def report(weighed: Weighed, seconds: dict[str, float]) -> list[str]:
    """The report as lines of Markdown."""
    commit = subprocess.run(["git", "log", "-1", "--format=%h"], capture_output=True, text=True, cwd=ROOT, check=False)
    times = [f"{name} {taken:.0f} s" for name, taken in seconds.items()]
    took = f"Seconds of the processor for the own crate: {', '.join(times)}." if times else ""
    copied = {name: weight for name, weight in weighed.functions.items() if weight.copies > 1 and OWN in name}
    return [
        f"Commit {commit.stdout.strip()}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores. "
        f"The extension has {weighed.stripped_bytes:,} bytes.",
        *filter(None, [took]),
        "",
        *table(
            ("room, or foreign crate", "bytes of functions", "functions"),
            [(name, weight.bytes, weight.copies) for name, weight in largest(weighed.rooms, 24)],
        ),
        "",
        *table(
            ("function", "bytes of all copies", "copies"),
            [
                (f"`{name.replace(OWN + '::', '')[:80]}`", weight.bytes, weight.copies)
                for name, weight in largest(copied, 30)
            ],
        ),
    ]


def main() -> None:
    """Prints what the engine weighs, and writes the page if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dev", action="store_true", help="time the development build as well")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    parser.add_argument("--file", type=Path, help="weigh this extension, which has its symbols, and build nothing")
    given = parser.parse_args()
    seconds: dict[str, float] = {}
    file = given.file
    if file is None:
        wheels = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["maturin"]["rustc-args"]
        file, seconds["release"] = build("release", *wheels, "-C", "strip=none", "-C", "symbol-mangling-version=v0")
    if given.dev:
        _, seconds["dev"] = build("dev")
    lines = report(weigh(file), seconds)
    print("\n".join(lines))
    if given.write:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        _, _, after = rest.partition(END)
        PAGE.write_text("\n".join([before + BEGIN, "", *lines, "", END + after]), encoding="utf-8")


if __name__ == "__main__":
    main()
