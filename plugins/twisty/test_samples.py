"""The first depths of the samples of twsearch, held against puzzles that are made from their cuts.

`make samples` brings the samples themselves, which have another licence, and holds them against the same numbers.
"""

import math
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import cut_solids
import plain_counts
import puzzlekit
from puzzlekit import UsageError
from puzzlekit_twisty import tws
from puzzlekit_twisty.puzzle import kind_of

HERE = Path(__file__).parent


def golden():
    """The golden numbers: for each sample its name, its cuts if it has been made by cuts, and its first depths."""
    for line in (HERE / "samples.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, cuts, depths = (part.strip() for part in line.split("|"))
            yield name, cuts, [int(number) for number in depths.split(",")]


GOLDEN = {name: depths for name, _, depths in golden()}
CUTS = {cuts: depths for _, cuts, depths in golden() if cuts}


TOO_LARGE = [f"{folder}/{size}x{size}x{size}.tws" for folder in ("main", "symm") for size in (10, 11, 12, 13, 20)]
"""Samples that do not fit a state."""


def is_large(cuts):
    """Returns `True` if a puzzle has many stickers, so that it takes more than a moment."""
    return cuts[0] in "di" or len(cuts.split()) > 5 or "3/5" in cuts


def counted(puzzle: Any, depths: list[int]) -> list[int]:
    """The depths that the engine counts, as many as there are golden ones."""
    return [depth.raw_states for depth in puzzle.enumerate(max_depth=len(depths) - 1).depths]


@pytest.mark.parametrize(
    "cuts", [pytest.param(cuts, marks=pytest.mark.slow if is_large(cuts) else ()) for cuts in CUTS]
)
def test_puzzles_made_from_their_cuts_have_the_depths_of_the_samples(cuts):
    """The numbers come from files of another program, and the puzzles from geometry: they share nothing."""
    puzzle = kind_of(tws.read(cut_solids.tws(cuts), "cut"))()
    if cuts in {cuts for name, cuts, _ in golden() if name in TOO_LARGE}:
        with pytest.raises(UsageError, match="do not fit a state"):
            puzzle.rules()
    else:
        assert counted(puzzle, CUTS[cuts]) == CUTS[cuts]


ORDERS = {
    "c f 0": (3_674_160, 24),
    "c f 1/3": (43_252_003_274_489_856_000, 1),
    "c f 1/2 f 0": (7_401_196_841_564_901_869_874_093_974_498_574_336_000_000_000, 24),
    "c f 3/5 f 1/5": (
        282_870_942_277_741_856_536_180_333_107_150_328_293_127_731_985_672_134_721_536_000_000_000_000_000,
        1,
    ),
    "c v 0": (3_149_280, 12),
    "c v 0.577350269189626": (19_958_400, 12),
    "c e 0": (math.factorial(24) // math.factorial(4) ** 6, 1),
    "c e 0.707106781186547": (11_848_661_611_315_200_000, 1),
    "o f 0": (138_240, 12),
    "o f 1/3": (31_408_133_379_194_880_000_000, 12),
    "t v 0 v 1 v 2": (217_225_462_874_112_000, 12),
    "d f 7/10 without 1": (
        100_669_616_553_523_347_122_516_032_313_645_505_168_688_116_411_019_768_627_200_000_000_000,
        1,
    ),
    "d f 7/10 without 1 2": (23_563_902_142_421_896_679_424_000, 60),
}
"""Known numbers of states, as puzzlers publish them, and how many turns of the whole puzzle are states of their own."""


@pytest.mark.parametrize(
    "cuts", [pytest.param(cuts, marks=pytest.mark.slow if is_large(cuts) else ()) for cuts in ORDERS]
)
def test_as_many_states_are_reached_as_are_known(cuts):
    """In some of these puzzles pieces look alike; in others moves also turn the whole."""
    known, turns = ORDERS[cuts]
    assert kind_of(tws.read(cut_solids.tws(cuts), "cut"))().count_reachable() == known * turns


CLOCK = """Name clock
Set DIALS 14 12
Solved
End
"""


def test_a_clock_has_all_positions_of_its_fourteen_dials(tmp_path):
    """Four buttons turn the dials of both sides: nine in front, and the five behind that are no corners."""
    corners, text = (0, 2, 6, 8), CLOCK
    for side, dials in enumerate((range(9), (0, 9, 2, 10, 11, 12, 6, 13, 8))):
        for name, pressed in enumerate(product((0, 1), repeat=4)):
            turned = [0] * 14
            for button, (row, column) in enumerate(product((0, 1), repeat=2)):
                if pressed[button]:
                    for place in (3 * row + column + step for step in (0, 1, 3, 4)):
                        turned[dials[place]] = 11 if side and place in corners else 1
            if any(turned):
                numbers = " ".join(map(str, range(1, 15)))
                text += f"Move T{side}{'ABCDEFGHIJKLMNOP'[name]}\nDIALS\n{numbers}\n{' '.join(map(str, turned))}\nEnd\n"
    path = tmp_path / "clock.tws"
    path.write_text(text, encoding="utf-8")
    assert puzzlekit.load(f"{path}:quarter=true").count_reachable() == 12**14


TWISTED = """Name seen
Set CORNERS 4 3
Solved
CORNERS
1 2 3 4
0 ? 0 0
End
Move U
CORNERS
2 3 4 1
End
Move F
CORNERS
2 1 3 4
1 2 0 0
End
"""


def test_twists_that_are_not_seen_and_pieces_that_look_alike_are_counted_once(tmp_path):
    path = tmp_path / "seen.tws"
    for text in (
        TWISTED,
        TWISTED.replace("1 2 3 4\n0 ? 0 0", "1 2 1 2\n0 0 1 0"),
        TWISTED.replace("1 2 3 4\n0 ? 0 0", "1 1 2 3\n0 0 0 0"),
    ):
        path.write_text(text, encoding="utf-8")
        puzzle = puzzlekit.load(str(path))
        assert puzzle.count_reachable() == puzzle.enumerate().states


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(path.name, marks=() if path.name in ("gate.tws", "ivy.tws", "rings.tws") else pytest.mark.slow)
        for path in sorted((HERE / "definitions").glob("*.tws"))
    ],
)
def test_the_plain_count_of_samples_is_right_about_definitions(name, monkeypatch):
    """The program that wrote samples.txt agrees with the engine about the puzzles of this plugin."""
    monkeypatch.setattr(plain_counts, "MOST_WORK", 20_000)
    path = HERE / "definitions" / name
    depths = plain_counts.Plain(path.read_text(encoding="utf-8")).counts()
    assert counted(puzzlekit.load(str(path)), depths) == depths
