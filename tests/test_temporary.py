"""Temporary folders: if one is full, the message says that nothing is kept, and names a remedy."""

import tempfile

import pytest

import puzzlekit
from puzzlekit import DiskError, LimitError, Puzzle
from puzzlekit.puzzle import surveying
from puzzlekit.run.temporary import temporary_folder

FULL = "/tmp/x/job/depth-00001.open cannot be written: no space; what the job had is kept: make room, and resume it"
TOLD = (
    "/tmp/x/job/depth-00001.open cannot be written: no space; that folder is temporary, so nothing is kept: set TMPDIR "
    "to a folder with room, or keep the states in a folder of yours (--out)"
)


def full(*_, **__):
    raise DiskError(FULL)


def full_on_disk(*_, **options):
    """As if the states did not fit the memory, and not the disk either."""
    raise DiskError(FULL) if "out" in options else LimitError("too many")


@pytest.fixture
def disk_is_full(monkeypatch):
    monkeypatch.setattr(Puzzle, "enumerate", full)
    monkeypatch.setattr(Puzzle, "values", full_on_disk)
    monkeypatch.setattr(surveying, "MOST_ONE_BY_ONE", 100)  # so that a survey of few states counts them in a job


@pytest.mark.parametrize(
    "words",
    [
        ("values", "tictactoe"),
        ("enumerate", "tictactoe", "--hardest", "2"),
        ("survey", "tictactoe"),
        ("survey", "slider:2,3"),
        ("export", "tictactoe", "--edges", "--to", "edges.csv"),
    ],
)
@pytest.mark.usefixtures("disk_is_full")
def test_a_full_temporary_folder_keeps_nothing(words, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = command(*words)
    assert (result.code, result.err.splitlines()[-1]) == (DiskError.exit_code, f"puzzlekit: error: {TOLD}")


@pytest.mark.usefixtures("disk_is_full")
def test_from_python_too():
    with pytest.raises(DiskError) as error:
        puzzlekit.transitions(puzzlekit.load("tictactoe"))
    assert str(error.value) == TOLD


def test_no_temporary_folder(monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere/at/all")
    with pytest.raises(DiskError, match="no temporary folder can be made: No such file"), temporary_folder():
        pass
