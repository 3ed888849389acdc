"""Times every puzzle of the gallery beside a built-in one that is counted the same way; see `make bench-gallery`.

Each run is a process of its own. A puzzle and its built-in take turns, so that both meet the same machine. With
`--quick` the sizes are small; with `--write` the table goes into docs/gallery-speed.md.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import puzzlekit
from puzzlekit.run.engine import Engine
from tests import gallery
from tests.support import RunOptions

PAGE = Path(__file__).parent.parent.parent / "docs" / "gallery-speed.md"

# For each puzzle a small size and a large one, with the last depth after an @ if not all are counted.
SIZES = {
    "breakthrough": ("breakthrough:3,3,1", "breakthrough:4,4"),
    "burnt_pancakes": ("burnt_pancakes:7", "burnt_pancakes:9"),
    "chomp": ("chomp:8,8", "chomp:10,10"),
    "chomp3d": ("chomp3d", "chomp3d:4,4,4"),
    "connect_four": ("connect_four", "connect_four:5,5"),
    "cube2_pieces": ("cube2_pieces", "cube2_pieces"),
    "cube2_stickers": ("cube2_stickers", "cube2_stickers"),
    "cube3": ("cube3@5", "cube3@6"),
    "domineering": ("domineering", "domineering:5,5"),
    "dots_and_boxes": ("dots_and_boxes", "dots_and_boxes:2,3"),
    "frogs": ("frogs:7", "frogs:12"),
    "hanoi": ("hanoi:9,4", "hanoi:12,4"),
    "hex": ("hex", "hex:4"),
    "hexapawn": ("hexapawn:4,4", "hexapawn:5,5"),
    "kalah": ("kalah", "kalah:4,2"),
    "klotski": ("klotski", "klotski"),
    "knights": ("knights:www/.../.../bbb", "knights:wwww/..../..../bbbb"),
    "lights_out": ("lights_out:5,2", "lights_out:5,2"),
    "mu_torere": ("mu_torere", "mu_torere"),
    "nim": ("nim:13,14,15", "nim:33,34,35"),
    "othello": ("othello", "othello"),
    "pancakes": ("pancakes:9", "pancakes:11"),
    "pegs": ("pegs@12", "pegs"),
    "quarto": ("quarto:2,4", "quarto"),
    "river": ("river:9,4", "river:9,4"),
    "rush_hour": ("rush_hour", "rush_hour"),
    "six_mens_morris": ("six_mens_morris", "six_mens_morris:4"),
    "skewb": ("skewb", "skewb"),
    "sokoban": ("sokoban", "sokoban"),
    "teeko": ("teeko:3,3", "teeko"),
    "topspin": ("topspin:9", "topspin:11"),
}

# The built-in puzzle that stands beside a puzzle of the gallery. In the dense store, both have rules of the same shape.
# In the sparse store, both have words of the same width, and compare states with as many earlier depths; of several
# counts, the one whose number of states is nearest is taken. Small sizes have one each.
TOGGLES = ("lights_out",)
DENSE = {False: ("rotate:3,3", "rotate:2,5"), True: ("flipit:5,5", "flipit:5,6")}
SMALL = {"layered": "tictactoe:4,4,3", "inverse-closed": "slider:3,3", "directed": "rotate:3,3"}
SPARSE = {
    "layered": {"tictactoe:5,4,4@6": 241_155, "tictactoe:4,4,4": 1_217_977, "tictactoe:5,4,4@9": 8_391_115},
    "inverse-closed": {"slider:4,4@16": 241_707, "slider:2,5": 1_814_400},
    "directed": {"rotate:4,4@7": 255_470, "rotate:2,5": 1_816_320},
}

HEAD = """# How fast the gallery is

Every puzzle of [the gallery](../examples/README.md), counted on one thread, beside a built-in puzzle that is counted
in the same way: in the dense store one of the same shape, and in the sparse store one with words of the same width
whose successors are compared with as many earlier depths. `make bench-gallery` writes this page.

In the sparse store, each puzzle stands beside that count of a built-in puzzle whose number of states is nearest, of two
or three: a small table fits the caches of a processor, and a large one does not. `rotate:4,4@7` is counted to depth 7.

A *successor* is what one move makes of one state. The time for one is that of the whole count, divided by their number,
and the ratio is that to the built-in's. Seconds are those of the processor. Counts that take less than a fifth of a
second are made many times, and the fastest one is shown; most of what is planned for a puzzle is then planned already.

Memory is what the count adds to the process. It is left out for fewer than 100,000 states, since fixed tables would
be most of it. A few thousand states take less time than the
beginning and the end of a count.
"""

SHORT = 0.2
"""A count that takes less than this many seconds is repeated until so many seconds are over."""

COLUMNS = (
    "puzzle",
    "lines",
    "states",
    "store",
    "seconds",
    "bytes a state",
    "ns a successor",
    "built-in",
    "its ns",
    "ratio",
)


@dataclass(frozen=True)
class Run:
    """The figures of one count."""

    states: int
    store: str
    window: str
    word_bits: int
    symmetries: int
    seconds: float
    nanoseconds: float
    added_bytes: int


def count(text: str, store: str, bits: int, *, symmetry: bool) -> Run:
    """Counts a puzzle in this process."""
    text_id, _, depth = text.partition("@")
    in_gallery = text_id.partition(":")[0] in gallery.FILES
    puzzle = gallery.load(text_id) if in_gallery else puzzlekit.load(text_id)
    engine = Engine(puzzle.rules(), bits)
    before = engine.enumerate(text_id, RunOptions(max_depth=0)).peak_memory_bytes
    options = RunOptions(threads=1, store=store, symmetry=symmetry, max_depth=int(depth) if depth else None)
    report, seconds = None, []
    # Short runs are repeated: the first run also makes tables that the later ones share.
    while report is None or (len(seconds) < 100 and sum(seconds) < SHORT):
        begun = time.process_time()
        again = engine.enumerate(text_id, options)
        seconds.append(time.process_time() - begun)
        report = report or again
    taken = min(seconds)
    return Run(
        report.states,
        report.store,
        engine.window,
        engine.word_bits,
        report.symmetry_order,
        taken,
        taken / max(report.generated, 1) * 1e9,
        max((report.peak_memory_bytes or 0) - (before or 0), 0),
    )


def run(text: str, store: str = "auto", bits: int = 0, *, symmetry: bool = True) -> Run:
    """Counts a puzzle in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.gallery", "--one", text, store, str(bits), str(int(symmetry))]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return Run(**json.loads(printed))


def built_in(beside: Run, *, toggles: bool, quick: bool) -> str:
    """The built-in puzzle that stands beside a count."""
    if beside.store == "dense":
        return DENSE[toggles][0 if quick else 1]
    if quick:
        return SMALL[beside.window]
    sizes = SPARSE[beside.window]
    return min(sizes, key=lambda text: abs(math.log(sizes[text] / beside.states)))


def row(name: str, *, quick: bool, runs: int) -> str:
    """A row of the table."""
    text = SIZES[name][0 if quick else 1]
    ours = [run(text)]
    first = ours[0]
    other = built_in(first, toggles=name in TOGGLES, quick=quick)
    bits = first.word_bits if first.store == "sparse" else 0
    theirs = []
    for _ in range(runs):
        theirs.append(run(other, first.store, bits, symmetry=first.symmetries > 1))
        ours.append(run(text))
    nanoseconds, its = (statistics.median(one.nanoseconds for one in each) for each in (ours[1:], theirs))
    seconds = statistics.median(one.seconds for one in ours[1:])
    large = first.states >= 100_000
    used = f"{statistics.median(one.added_bytes for one in ours) / first.states:.1f}" if large else ""
    shown = text.replace("@", " to depth ")
    store = first.store if first.store == "dense" else f"sparse, {first.word_bits} bits"
    cells = (
        shown,
        f"{gallery.lines(gallery.FILES[name])}",
        f"{first.states:,}",
        store,
        f"{seconds:.4f}",
        used,
        f"{nanoseconds:.1f}",
        other,
        f"{its:.1f}",
        f"{nanoseconds / its:.2f}",
    )
    return f"| {' | '.join(cells)} |"


def page(rows: list[str], *, quick: bool) -> str:
    """The whole page."""
    machine = (
        f"puzzlekit {puzzlekit.__version__}, Python {platform.python_version()}, {platform.system()} "
        f"{platform.machine()}, {os.cpu_count()} cores."
    )
    sizes = "Small sizes." if quick else "Large sizes."
    table = ["| " + " | ".join(COLUMNS) + " |", "|---" * len(COLUMNS) + "|", *rows]
    return "\n".join([HEAD, f"{machine} {sizes}", "", *table, ""])


def main() -> None:
    """Prints the table, and writes the page if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    parser.add_argument("--runs", type=int, default=3, help="how often each is counted")
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        text, store, bits, symmetry = given.one
        print(json.dumps(asdict(count(text, store, int(bits), symmetry=symmetry == "1"))))
        return
    rows = []
    for name in gallery.FILES:
        rows.append(row(name, quick=given.quick, runs=given.runs))
        print(rows[-1], flush=True)
    if given.write:
        PAGE.write_text(page(rows, quick=given.quick), encoding="utf-8")


if __name__ == "__main__":
    main()
