"""Changes of a library that are killed, fail or meet strange files: what it has is as it was, or is told."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import suppress

import pytest

import puzzlekit
from puzzlekit import CorruptError, DiskError, Library, LibraryError
from puzzlekit.jobs.library import work as of_work
from tests.test_jobs import files

GAME, SLIDER = puzzlekit.load("tictactoe:3,2,2"), puzzlekit.load("slider:2,3")


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    base = tmp_path_factory.mktemp("changes")
    for name, puzzle in (("game", GAME), ("slider", SLIDER)):
        puzzle.values(out=base / name)
        Library(base / "works").add(base / name)
    return base


@pytest.fixture
def works(shelf, tmp_path):
    shutil.copytree(shelf / "works", tmp_path / "works")
    return tmp_path / "works"


KILLED = """
import os, signal, sys
import numpy, puzzlekit
from puzzlekit.jobs.library import library

def remove(place, left):
    def counted(call):
        def step(*arguments, **options):
            nonlocal left
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1
            return call(*arguments, **options)
        return step
    for name in ("fsync", "rename", "replace", "unlink", "rmdir"):
        setattr(os, name, counted(getattr(os, name)))
    puzzlekit.Library(place).remove(sys.argv[1])

for number, place in enumerate(sys.argv[2:]):
    child = os.fork()
    if not child:
        remove(place, number)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
"""Removes a work of many libraries; the number of a library is the number of steps after which it is killed."""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are killed after they were forked")
def test_a_kill_at_any_step_of_remove_leaves_a_library_that_can_be_changed(shelf, tmp_path):
    places = [tmp_path / f"works-{number}" for number in range(14)]
    for place in places:
        shutil.copytree(shelf / "works", place)
    program = [sys.executable, "-c", KILLED, str(GAME), *map(str, places)]
    codes = [int(line) for line in subprocess.run(program, capture_output=True, check=True).stdout.split()]
    assert sorted(codes) == codes
    assert codes.count(0) >= 1
    assert codes.index(0) > 5
    rest = tmp_path / "rest"
    shutil.copytree(shelf / "works", rest)
    Library(rest).remove(str(GAME))
    for place in places:
        works = Library(place).works()
        assert len(works) in (1, 2)
        assert Library(place).of(SLIDER) is not None
        if len(works) == 1:  # what is listed is whole
            Library(place).verify()
        with suppress(LibraryError):  # that it has no such work
            Library(place).remove(str(GAME))
        assert files(place) == files(rest)
        Library(place).verify()
        Library(place).add(shelf / "game")
        assert len(Library(place).verify()) == 2


def test_a_change_does_not_sign_damage_as_good(works):
    path = works / SLIDER.engine.fingerprint / "manifest.json"
    path.write_text(path.read_text().replace('"complete": true', '"complete": false'))
    with pytest.raises(CorruptError):
        Library(works).verify()
    Library(works).remove(str(GAME))
    with pytest.raises(CorruptError, match=r"manifest\.json"):
        Library(works).verify()


@pytest.mark.parametrize("text", ["{}", "xx", None, "", "[]", "[" * 10**5, '{"files": {"a": {"bytes": "x"}}}'])
def test_a_damaged_work_can_be_removed(text, works, shelf):
    path = works / GAME.engine.fingerprint / "manifest.json"
    path.unlink() if text is None else path.write_text(text)
    assert Library(works).remove(str(GAME)).puzzle == str(GAME)
    assert len(Library(works).verify()) == 1
    Library(works).add(shelf / "game")
    assert len(Library(works).verify()) == 2
    listed = json.loads((works / "library.json").read_text())
    listed["works"] = [each for each in listed["works"] if each["rules"] != GAME.engine.fingerprint]
    (works / "library.json").write_text(json.dumps(listed))
    path.unlink() if text is None else path.write_text(text)
    with pytest.raises(CorruptError, match="the work is not listed; remove its folder"):
        Library(works).remove(str(SLIDER))


def test_strange_files_are_no_traps(works, shelf, tmp_path):
    (tmp_path / "victim").write_text("precious")
    (works / ".new-x").write_text("a file")
    (works / ".new-link").symlink_to(shelf)
    (works / "library.json.new").symlink_to(tmp_path / "victim")
    Library(works).remove(str(GAME))
    assert (tmp_path / "victim").read_text() == "precious"
    assert not (works / "library.json").is_symlink()
    assert sorted(os.listdir(shelf)) == ["game", "slider", "works"]
    assert [name for name in os.listdir(works) if name.startswith(".new")] == []


def test_a_pipe_is_no_list(works):
    if not hasattr(os, "mkfifo"):
        pytest.skip("there are no pipes")
    (works / "library.json").unlink()
    os.mkfifo(works / "library.json")
    with pytest.raises(LibraryError, match=r"library\.json is no file"):
        Library(works).works()


def test_a_full_disk_leaves_all_as_it_was(works, shelf, monkeypatch):
    from puzzlekit.jobs.library import writing

    write = writing.write_file

    def full(path, content):
        if b"puzzlekit.library" in content:
            with open(path, "xb"):
                raise OSError(28, "No space left on device")
        write(path, content)

    before = files(works)
    with monkeypatch.context() as patch:
        patch.setattr(writing, "write_file", full)
        with pytest.raises(DiskError, match="No space left"):
            Library(works).remove(str(GAME))
        assert files(works) == before
    Library(works).remove(str(GAME))
    before = files(works)
    with monkeypatch.context() as patch:
        patch.setattr(writing, "write_file", full)
        with pytest.raises(DiskError, match="No space left"):
            Library(works).add(shelf / "game")
        assert files(works) == before


def test_the_list_names_each_work_once_and_no_characters_that_a_terminal_obeys(works):
    text = (works / "library.json").read_text()
    data = json.loads(text)
    data["works"].append(data["works"][0])
    (works / "library.json").write_text(json.dumps(data))
    with pytest.raises(CorruptError, match="is no list of works"):
        Library(works).works()
    data = json.loads(text)
    data["works"][0]["puzzle"] = "\x1b[31m"
    (works / "library.json").write_text(json.dumps(data))
    with pytest.raises(CorruptError, match="is no list of works"):
        Library(works).works()


def test_what_is_held_is_bounded_by_bytes(works, monkeypatch):
    found = Library(works).of(SLIDER)._files
    (records,) = found.every()
    monkeypatch.setattr(of_work, "HELD", 2 * records.bytes)
    recent = of_work.Recent()
    for number in range(5):
        recent.put(number, records)
    assert [recent.get(number) is not None for number in range(5)] == [False, False, False, True, True]
    monkeypatch.setattr(of_work, "HELD", 1)
    recent.put(5, records)
    assert [recent.get(number) is not None for number in range(6)] == [False] * 5 + [True]
