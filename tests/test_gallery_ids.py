"""Puzzles of the gallery, named by their ids: on the command line, in Python, on the page, and in new plugins."""

from __future__ import annotations

import json

import pytest

import puzzlekit
from puzzlekit import UsageError
from puzzlekit.plugins import gallery
from puzzlekit.plugins.loader import Plugins
from puzzlekit.plugins.new import make
from puzzlekit.web.offers import offers
from tests.gallery import FILES, GOLDEN


def test_the_ids_are_those_of_the_files_and_no_plugin_has_one():
    assert gallery.ids() == list(FILES)
    assert not set(gallery.ids()) & set(puzzlekit.puzzles())


@pytest.mark.parametrize("puzzle_id", FILES)
def test_each_is_found_by_its_id(puzzle_id):
    puzzle = puzzlekit.load(puzzle_id)
    assert puzzle.id == puzzle_id
    assert str(puzzle) in GOLDEN


def test_parameters_follow_the_id():
    assert puzzlekit.load("hanoi:8,4") == puzzlekit.load(f"{FILES['hanoi']}:disks=8,pegs=4")
    assert str(puzzlekit.load(" hanoi:disks=8 ")) == "hanoi:disks=8,pegs=3"
    with pytest.raises(UsageError, match='"hanoi:" has nothing after the colon'):
        puzzlekit.load("hanoi:")


def test_a_plugin_of_that_name_comes_first(monkeypatch):
    plugins = Plugins.discover()
    monkeypatch.setattr(gallery, "file_of", lambda _: str(FILES["hanoi"]))
    assert plugins.parse("slider").id == "slider"
    assert plugins.parse("nothing").id == "hanoi"


@pytest.mark.parametrize("text", ["../klotski", "klotski/..", "__init__", "klotski.py", "", "Klotski "])
def test_nothing_else_is_found(text):
    assert gallery.file_of(text) is None


def test_an_id_that_is_nearly_right_is_named(command):
    ended = command("enumerate", "klotsky")
    assert ended.code == 2
    assert "did you mean klotski?" in ended.err


def test_the_list_and_a_count(command):
    listed = json.loads(command("list", "--gallery", "--json").out)["puzzles"]
    assert [puzzle["id"] for puzzle in listed] == list(FILES)
    assert all(puzzle["summary"] for puzzle in listed)
    assert json.loads(command("enumerate", "hanoi:4,3", "--json").out)["states"] == 81


def test_a_server_has_them():
    plugins = Plugins.discover()
    (offer,) = offers(plugins, ["hanoi:5"])
    assert (offer.id, offer.text, offer.locator) == ("hanoi", "hanoi:disks=5,pegs=3", f"{FILES['hanoi']}:Hanoi")


def test_a_plugin_is_made_of_one(tmp_path):
    made = make(Plugins(()), "klotski", str(tmp_path / "made"), file="klotski")
    assert made.puzzle.startswith("klotski")
    module = tmp_path / "made" / "puzzlekit_klotski" / "puzzle.py"
    assert module.read_text(encoding="utf-8") == FILES["klotski"].read_text(encoding="utf-8")
