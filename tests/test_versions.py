"""Jobs that earlier versions wrote are read by this one: with the same counts, states and hashes."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

import puzzlekit
from puzzlekit import Grid, Puzzle, Rules, cycle

FIXTURES = Path(__file__).parent / "fixtures" / "jobs"
JOBS = [
    (form, name, known)
    for form in sorted(path.name for path in FIXTURES.iterdir())
    for name, known in json.loads((FIXTURES / form / "reports.json").read_text(encoding="utf-8")).items()
]


@dataclass(frozen=True)
class Colours(Puzzle):
    """Nine tiles in three colours; each move turns a 2x2 block clockwise."""

    id = "colours"

    def rules(self):
        grid = Grid(3, 3)
        return Rules(
            symbols="rgb",
            start="rrrgggbbb",
            goal="rrrgggbbb",
            moves=[cycle(*grid.block(corner)) for corner in grid.corners()],
            symmetries=[],
            columns=3,
        )


def find(text):
    return Colours() if text == "colours" else puzzlekit.load(text)


def ids(value):
    return value if isinstance(value, str) else None


@pytest.mark.parametrize(("form", "name", "known"), JOBS, ids=ids)
def test_jobs_of_every_version_are_read(form, name, known, tmp_path):
    folder = tmp_path / "job"
    shutil.copytree(FIXTURES / form / name, folder)
    checked = puzzlekit.open_job(folder, find).verify(hashes=True)
    report = known["report"]
    assert [depth["hash"] for depth in checked["depths"]] == known["hashes"]
    for key in ("states", "raw_states", "open"):
        assert [depth[key] for depth in checked["depths"]] == [depth[key] for depth in report["depths"]]
    assert (checked["partial"] is not None) == known["partial"]
    hardest = puzzlekit.open_job(folder, find).hardest(3)
    assert [[hard.depth, hard.state, hard.orbit_size, hard.outcome] for hard in hardest] == known["hardest"]
    assert puzzlekit.open_job(folder, find).export(tmp_path / "all.csv") == report["states"]


def test_there_are_jobs_of_each_store_and_shape():
    names = {name for _, name, _ in JOBS}
    assert {"arrangement", "placement", "toggle", "multiset", "sparse-game", "sparse-directed", "backward"} <= names
    assert "sparse-partial" in names


def test_jobs_of_an_older_form_are_not_gone_on_with(tmp_path):
    shutil.copytree(FIXTURES / "1" / "sparse-partial", tmp_path / "job")
    with pytest.raises(puzzlekit.JobError, match=r"reads and does not go on with; resume it with version 0\.1\.0"):
        puzzlekit.resume(tmp_path / "job")


@pytest.mark.parametrize("name", ["backward-bits", "backward-words"])
def test_distances_without_checksums_of_blocks_are_looked_up(name, tmp_path):
    shutil.copytree(FIXTURES / "2" / name, tmp_path / "old")
    puzzle = puzzlekit.load("rotate:2,3" if "bits" in name else "slider:2,3")
    puzzle.enumerate(out=tmp_path / "new", backward=True, store="dense" if "bits" in name else "sparse")
    assert not list((tmp_path / "old").glob("*.sums"))
    assert list((tmp_path / "new").glob("*.sums"))
    old, new = (puzzlekit.open_job(tmp_path / folder) for folder in ("old", "new"))
    rows = puzzle.arrays.encode([puzzle.scramble(seed=f"{seed}").state for seed in range(50)])
    known = [list(column) for column in new.look_up(rows)]
    assert [list(column) for column in old.look_up(rows)] == known
    assert max(known[1]) > 4


def test_a_count_that_was_begun_without_checksums_goes_on_without(tmp_path):
    shutil.copytree(FIXTURES / "2" / "backward-part", tmp_path / "old")
    puzzle = puzzlekit.load("rotate:2,3")
    whole = puzzle.enumerate(out=tmp_path / "new", backward=True, store="sparse")
    assert puzzlekit.resume(tmp_path / "old", max_depth=99).depths == whole.depths
    status = puzzlekit.open_job(tmp_path / "old").status()
    assert (status["schema"], status["complete"]) == ("puzzlekit.job/2", True)
    assert not list((tmp_path / "old").glob("*.sums"))
    states = {path.name: path.read_bytes() for path in (tmp_path / "old").glob("depth-*")}
    assert all((tmp_path / "new" / name).read_bytes() == content for name, content in states.items())
    puzzlekit.open_job(tmp_path / "old").verify()
