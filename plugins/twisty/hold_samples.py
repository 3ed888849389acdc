"""The samples of twsearch, each held against its golden first depths. `make samples` brings and holds them."""

import os
from pathlib import Path

import pytest

import puzzlekit
from puzzlekit import UsageError
from test_samples import GOLDEN, TOO_LARGE, counted

SAMPLES = Path(os.environ["PUZZLEKIT_SAMPLES"])


@pytest.mark.parametrize("name", GOLDEN)
def test_a_sample_has_its_golden_depths(name: str) -> None:
    """It is read, counted, solved and drawn; or refused with a sentence, if it is too large."""
    puzzle = puzzlekit.load(str(SAMPLES / name))
    if name in TOO_LARGE:
        with pytest.raises(UsageError, match="do not fit a state"):
            puzzle.rules()
        return
    assert counted(puzzle, GOLDEN[name]) == GOLDEN[name]
    scrambled = puzzle.scramble("1", moves=2)
    assert puzzle.solve(scrambled.state, seconds=60).length <= 2
    assert str(puzzle.picture(scrambled.state)).startswith("<svg ")


def test_every_sample_has_golden_depths() -> None:
    """No sample is left out."""
    assert sorted(path.relative_to(SAMPLES).as_posix() for path in SAMPLES.rglob("*.tws")) == sorted(GOLDEN)
