"""Golden counts: every known number is found, in Python and by the command line, and on 1 and 2 threads."""

import json

import pytest

import puzzlekit
from tests import golden

GOLDEN = golden.read()
FAST = [puzzle for puzzle, facts in GOLDEN.items() if "slow" not in facts and "large" not in facts]
SLOW = [pytest.mark.slow, pytest.mark.timeout(1800)]  # some puzzles take minutes on one thread
ALL = [
    pytest.param(puzzle, threads, marks=SLOW if "slow" in facts else [])
    for puzzle, facts in GOLDEN.items()
    for threads in ((1, 2) if puzzle in FAST else (2,))
]
"""Each puzzle with each number of threads. Large puzzles have only one: small ones test other numbers as well."""


def check(report, facts):
    """Compares a report, as JSON data, with known facts. Returns how many facts were compared."""
    found = {
        "depths": [depth["states"] for depth in report["depths"]],
        "open": [depth["open"] for depth in report["depths"]],
        "states": [report["states"]],
        "raw": [report["raw_states"]],
        "raw_depths": [depth["raw_states"] for depth in report["depths"]],
    }
    compared = [key for key in facts if key not in ("source", "slow", "large")]
    for key in compared:
        assert (found[key] if key in found else [report["outcomes"][key]]) == golden.numbers(facts[key]), key
    return len(compared)


@pytest.mark.parametrize(("puzzle", "threads"), ALL)
def test_the_api_finds_what_is_known(puzzle, threads):
    report = puzzlekit.load(puzzle).enumerate(threads=threads)
    assert report.complete
    assert check(report.to_data(), GOLDEN[puzzle]) >= 1


@pytest.mark.parametrize("puzzle", FAST)
def test_the_command_line_finds_what_is_known(puzzle, command):
    result = command("enumerate", puzzle, "--json")
    assert result.code == 0
    assert check(json.loads(result.out), GOLDEN[puzzle]) >= 1


@pytest.mark.parametrize("puzzle", FAST)
def test_raw_counts_are_the_counts_without_symmetry(puzzle):
    with_symmetry = puzzlekit.load(puzzle).enumerate()
    without = puzzlekit.load(puzzle).enumerate(symmetry=False)
    assert [depth.raw_states for depth in with_symmetry.depths] == [depth.states for depth in without.depths]
    assert without.symmetry_order == 1
    assert with_symmetry.symmetry_order == puzzlekit.load(puzzle).engine.symmetry_order


def test_every_number_has_a_source():
    assert GOLDEN
    for puzzle, facts in GOLDEN.items():
        assert facts.get("source"), puzzle
