"""Forecasts of counts whose arrays are files: how many depths, how many bytes are moved, and how long it takes."""

import json
import re

import pytest

from puzzlekit.run.sweeps import PROBED, continued
from tests import golden


@pytest.mark.parametrize("name", ["slider:4,3", "slider:2,7"])
def test_depths_are_told_from_the_first_ones(name):
    """They are about as many as were counted, and so is their sum."""
    known = golden.numbers(golden.read()[name]["depths"])
    first = next(depth for depth in range(len(known)) if sum(known[: depth + 1]) >= PROBED)
    told = continued(known[: first + 1], sum(known))
    assert told[: first + 1] == known[: first + 1]
    assert len(told) == pytest.approx(len(known), rel=0.1)
    assert sum(told) == pytest.approx(sum(known), rel=0.001)
    assert max(told) == pytest.approx(max(known), rel=0.25)


def test_a_dry_run_tells_what_is_moved(process):
    """The figures are near those that `slider:2,7` took in a control group of 2 GiB; docs/jobs.md has them."""
    command = ("enumerate", "slider:2,7", "--memory", "2GiB", "--out", "nowhere", "--threads", "2", "--dry-run")
    told = json.loads(process(*command, "--json").out)["sweeps"]
    assert told["read_bytes"] == pytest.approx(921e9, rel=0.1)
    assert told["written_bytes"] == pytest.approx(230e9, rel=0.1)
    assert told["processor_seconds"] == pytest.approx(1190, rel=0.1)
    assert told["depths"] == pytest.approx(108, rel=0.1)
    moved = told["read_bytes"] + told["written_bytes"]
    assert told["disk_seconds"] == pytest.approx(moved / told["disk_bytes_per_second"])
    assert told["hours"] * 3600 == pytest.approx(told["processor_seconds"] / 2 + told["disk_seconds"])
    out = process(*command, "--max-depth", "40").out
    assert re.search(r"^moved   about [\d.]+ GiB read and [\d.]+ GiB written, in some 40 depths$", out, re.MULTILINE)
    assert re.search(r"^time    about .* of the processor, shared by the threads, and .* MB/s$", out, re.MULTILINE)
    assert json.loads(process(*command[:2], "--dry-run", "--json").out)["sweeps"] is None
