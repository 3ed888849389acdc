"""Tables that are kept on disk: answers are right even if the files are damaged or cannot be written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import puzzlekit
from puzzlekit.run import table_cache
from puzzlekit.run.engine import Engine
from puzzlekit.run.solver import Budget

# The first board of R. Korf, which takes 57 moves; three tables of 16^5 places are made for it.
BOARD = "14,13,15,7/11,12,9,5/6,0,2,1/4,8,10,3"
TABLES = 3


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(table_cache.FOLDER, str(tmp_path / "tables"))
    return tmp_path / "tables"


def fewest(cache=True):
    """The answer of an engine that has no tables in memory."""
    return len(Engine(puzzlekit.load("slider:4,4").rules()).solve(BOARD, Budget(cache=cache)).moves)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_tables_are_kept_and_damaged_ones_are_made_anew(folder):
    assert fewest(cache=False) == 57
    assert not folder.exists()
    assert fewest() == 57
    whole = contents(folder)
    assert len(whole) == TABLES
    assert len(table_cache.kept()) == TABLES
    names = sorted(whole)
    first, second, third = (folder / name for name in names)
    # Damages the three files: one is cut off, one has wrong bytes, and one has another version of the format.
    first.write_bytes(whole[names[0]][:1000])
    second.write_bytes(whole[names[1]][:500_000] + bytes(len(whole[names[1]]) - 500_000))
    third.write_bytes(b"pktable0" + whole[names[2]][8:])
    assert fewest() == 57
    assert contents(folder) == whole
    # Now one file has the content of another, one is empty, and one is a folder.
    first.write_bytes(whole[names[1]])
    second.write_bytes(b"")
    third.unlink()
    third.mkdir()
    assert fewest() == 57
    assert (first.read_bytes(), second.read_bytes()) == (whole[names[0]], whole[names[1]])


SOLVE = "import sys; from tests.test_table_cache import fewest; print(fewest())"


def solving(folder, prepare=""):
    """A process that solves the board."""
    root = Path(__file__).parent.parent
    return subprocess.Popen(
        [sys.executable, "-c", prepare + SOLVE],
        cwd=root,
        env={**os.environ, table_cache.FOLDER: str(folder)},
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
def test_two_builders_at_once_do_no_harm(folder):
    builders = [solving(folder), solving(folder)]
    assert [builder.communicate(timeout=200)[0].strip() for builder in builders] == ["57", "57"]
    assert len(contents(folder)) == TABLES
    assert fewest() == 57


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_builder_that_is_killed_leaves_nothing_wrong(folder):
    builder = solving(folder)
    while not (folder.exists() and any(folder.iterdir())):
        assert builder.poll() is None
        time.sleep(0.001)
    builder.send_signal(signal.SIGKILL)
    builder.communicate(timeout=100)
    assert fewest() == 57
    assert len([name for name in contents(folder) if name.endswith(".table")]) == TABLES


@pytest.mark.skipif(sys.platform == "win32", reason="there are no limits of a process")
def test_a_full_disk_keeps_nothing_and_the_answer_is_right(folder):
    # No file may grow beyond 100,000 bytes: writing more fails, as on a disk that is full.
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)); "
    assert solving(folder, full).communicate(timeout=200)[0].strip() == "57"
    assert contents(folder) == {}


def test_the_folder_is_bounded(folder, monkeypatch):
    monkeypatch.setenv(table_cache.BYTES, "2.5 MiB")
    assert fewest() == 57
    # Each table takes a little more than 1 MiB.
    assert len(contents(folder)) == 2
    monkeypatch.setenv(table_cache.BYTES, "much")
    with pytest.raises(puzzlekit.UsageError, match="PUZZLEKIT_CACHE_BYTES is 'much'"):
        fewest()


def test_the_folder_is_where_a_user_expects_it(monkeypatch, tmp_path):
    for name in (table_cache.FOLDER, "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    expected = {
        "linux": tmp_path / ".cache" / "puzzlekit",
        "darwin": tmp_path / "Library" / "Caches" / "puzzlekit",
        "win32": tmp_path / "AppData" / "Local" / "puzzlekit",
    }
    for platform, place in expected.items():
        monkeypatch.setattr(sys, "platform", platform)
        assert table_cache.folder() == place
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert table_cache.folder() == tmp_path / "xdg" / "puzzlekit"


def test_the_commands_list_and_clear_our_files_alone(command, folder):
    import json

    empty = command("cache", "list")
    assert empty.out == f"0 tables, 0 of 2,147,483,648 bytes, in {folder}\n"
    folder.mkdir()
    (folder / ("ab" * 32 + ".table")).write_bytes(b"x" * 1000)
    (folder / "letter.txt").write_text("not ours", encoding="utf-8")
    listed = command("cache", "list")
    assert "abababababababab" in listed.out
    assert listed.out.splitlines()[-1].startswith("1 tables, 1,000 of")
    data = json.loads(command("cache", "list", "--json").out)
    assert (data["schema"], data["bytes"], len(data["tables"])) == ("puzzlekit.cache/1", 1000, 1)
    cleared = command("cache", "clear")
    assert cleared.out == f"removed 1 tables, 1,000 bytes, from {folder}\n"
    assert list(folder.iterdir()) == [folder / "letter.txt"]
    (folder / "letter.txt").unlink()
    folder.rmdir()
    folder.write_text("a file", encoding="utf-8")
    refused = command("cache", "list")
    assert (refused.code, refused.out) == (2, "")
    assert "cannot be read: Not a directory; set PUZZLEKIT_CACHE" in refused.err
