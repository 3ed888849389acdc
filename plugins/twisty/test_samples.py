"""The first depths of the samples of twsearch, held against puzzles that are made from their cuts.

`make samples` brings the samples themselves, which have another licence, and holds them against the same numbers.
"""

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
