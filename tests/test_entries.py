"""Entry points: in folders of every kind, those that are found are those that `importlib.metadata` finds."""

import importlib.machinery
import importlib.metadata
import sys
import zipfile
from pathlib import Path

import pytest

from puzzlekit.plugins.entries import FolderEntry, find

TEXT = """
# a comment
[console_scripts]
tool = elsewhere:main

[puzzlekit]
# another comment
plain = some_module
 spaced  =  some.module : attribute.inner [extra, more]

[other]
plain = not_ours
"""


def told(entries):
    """The names, modules and distributions of entry points, sorted, since their order does not matter."""
    return sorted((entry.name, entry.module, entry.dist.name, entry.dist.version) for entry in entries)


def install(folder, name, text, version="1.0"):
    info = folder / name
    info.mkdir(parents=True)
    distribution = name.partition("-")[0]
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
    if text is not None:
        (info / "entry_points.txt").write_text(text, encoding="utf-8")


def test_what_is_installed_here_is_what_importlib_finds():
    expected = told(importlib.metadata.entry_points(group="puzzlekit"))
    assert len(expected) >= 5
    assert told(find("puzzlekit")) == expected
    assert all(isinstance(entry, FolderEntry) for entry in find("puzzlekit"))


def test_folders_of_every_kind(tmp_path, monkeypatch):
    first, second = tmp_path / "first", tmp_path / "second"
    install(first, "one-1.0.dist-info", TEXT)
    install(first, "Two.Words__here-1.0.dist-info", "[puzzlekit]\ntwo = module\n")
    install(first, "bare-1.0.dist-info", None)
    install(second, "two_words.here-9.dist-info", "[puzzlekit]\nhidden = module\n", "9")  # the first one counts
    install(second, "ONE-2.0.dist-info", "[puzzlekit]\nhidden = module\n", "2.0")
    install(second, "three-1.0.dist-info", "[puzzlekit]\nthree = module\n")
    (second / "four.dist-info").write_text("a file, not a folder")
    monkeypatch.setattr(sys, "path", [str(first), str(tmp_path / "nowhere"), str(second)])
    expected = told(importlib.metadata.entry_points(group="puzzlekit"))
    assert [name for name, *_ in expected] == ["plain", "spaced", "three", "two"]
    assert told(find("puzzlekit")) == expected
    assert list(find("nothing")) == []


def test_an_entry_loads_what_it_names():
    assert FolderEntry("a", "os.path", "").load() is __import__("os").path
    assert FolderEntry("a", "os : path.join [extra]", "").load() is __import__("os").path.join


@pytest.mark.parametrize("value", ["", "no_such_module_anywhere"])
def test_an_entry_that_names_nothing_fails_where_it_is_loaded(value):
    with pytest.raises((ValueError, ModuleNotFoundError)):
        FolderEntry("a", value, "").load()


def test_an_archive_on_the_path_is_left_to_importlib(tmp_path, monkeypatch):
    archive = tmp_path / "archive.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("inside-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: inside\nVersion: 1.0\n")
        file.writestr("inside-1.0.dist-info/entry_points.txt", "[puzzlekit]\ninside = module\n")
    monkeypatch.setattr(sys, "path", [str(archive)])
    assert told(find("puzzlekit")) == [("inside", "module", "inside", "1.0")]


def test_a_finder_of_somebody_else_is_left_to_importlib(tmp_path, monkeypatch):
    install(tmp_path, "elsewhere-1.0.dist-info", "[puzzlekit]\nelsewhere = module\n")

    class Finder(importlib.metadata.DistributionFinder):
        @classmethod
        def find_spec(cls, *_):
            return None

        @classmethod
        def find_distributions(cls, *_):
            return [importlib.metadata.Distribution.at(tmp_path / "elsewhere-1.0.dist-info")]

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder])
    monkeypatch.setattr(sys, "path", [])
    assert told(find("puzzlekit")) == [("elsewhere", "module", "elsewhere", "1.0")]


def test_names_and_versions_are_those_of_importlib(tmp_path):
    """They are read without importlib where they stand as usual, and left to it where they do not."""
    for place in sys.path:
        for folder in Path(place).glob("*.dist-info") if Path(place).is_dir() else ():
            wanted = importlib.metadata.Distribution.at(folder)
            assert FolderEntry("any", "module", str(folder)).named == f"{wanted.name} {wanted.version}"
    folder = tmp_path / "odd-1.dist-info"
    folder.mkdir()
    assert FolderEntry("any", "module", str(folder)).named == ""
    for text, named in (
        ("Name: odd\n\nVersion: 2\n", ""),  # the version is in the description
        ("version: 1\nNAME:  odd \nVersion: 2\n", "odd 1"),
        ("Name: odd\nVersion:\n", ""),
    ):
        (folder / "METADATA").write_text(text)
        assert FolderEntry("any", "module", str(folder)).named == named
