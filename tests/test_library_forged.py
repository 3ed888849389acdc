"""False libraries, whose checksums are right and whose numbers are not; and the time that a look-up may take."""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import dataclass

import numpy as np
import pytest

import puzzlekit
from puzzlekit import (
    Budget,
    CorruptError,
    Library,
    LibraryError,
    LimitError,
    Puzzle,
    Rules,
    Score,
    put,
)
from puzzlekit.jobs.library import library as module
from puzzlekit.jobs.library.blocks import Records
from puzzlekit.jobs.library.place import Folder
from puzzlekit.jobs.library.work import checksum
from puzzlekit.jobs.library.writing import BlocksWriter
from puzzlekit.puzzle.surveying import survey
from puzzlekit.web.known import Known

SLIDER, GAME = puzzlekit.load("slider:2,3"), puzzlekit.load("tictactoe:3,2,2")


@dataclass(frozen=True)
class Points(Puzzle):
    """Each player fills cells, and the cells of X are points."""

    id = "points"

    def rules(self):
        moves = [put(cell, mark).when({cell: "."}).by(mark) for cell in range(4) for mark in "XO"]
        moves[4] = moves[4].again()
        return Rules(".XO", "....", moves, "XO", score=Score("X", {"X": 2, "O": -1}))


POINTS = Points()


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    base = tmp_path_factory.mktemp("forged")
    for number, puzzle in enumerate((SLIDER, GAME, POINTS)):
        puzzle.values(out=base / str(number))
        Library(base / "works").add(puzzlekit.Job(base / str(number), lambda _, puzzle=puzzle: puzzle))
    return base / "works"


def relisted(works, rules, data):
    """Writes a manifest, and makes the list of works fit it."""
    (works / rules / "manifest.json").write_text(json.dumps(data))
    text = (works / rules / "manifest.json").read_bytes()
    listed = json.loads((works / "library.json").read_text())
    for work in listed["works"]:
        if work["rules"] == rules:
            same = {name: data[name] for name in ("states", "kind", "puzzle")}
            work.update(manifest_bytes=len(text), manifest_checksum=checksum(text), **same)
    (works / "library.json").write_text(json.dumps(listed))


@pytest.fixture
def forge(shelf, tmp_path):
    """Makes a library in which the states of a puzzle are others, and all checksums are right."""

    def made(puzzle, change, hidden=b"", **said):
        works = tmp_path / "works"
        shutil.rmtree(works, ignore_errors=True)
        shutil.copytree(shelf, works)
        rules = puzzle.engine.fingerprint
        found = Library(shelf).of(puzzle)._files
        records = change(found.keys, Records.joined(list(found.every())))
        with open(works / rules / "states", "wb") as states, open(works / rules / "index", "wb") as index:
            writer = BlocksWriter(found.keys, states, index, 2**14)
            writer.write(records)
            top = writer.finish()
            states.write(hidden)
        (works / rules / "top").write_bytes(top)
        data = json.loads((works / rules / "manifest.json").read_text())
        data.update(states=writer.states, values=writer.values, distances=writer.has_distances)
        data["files"]["states"]["bytes"] = writer.states_bytes + len(hidden)
        data["files"]["index"]["bytes"] = writer.index_bytes
        data["files"]["top"] = {"bytes": len(top), "checksum": checksum(top)}
        relisted(works, rules, {**data, **said})
        return works

    return made


def same(values=None, moves=None):
    """A change that gives all states one value, or one number of moves."""
    return lambda _, records: Records(
        records.keys,
        records.values if values is None else records.values * 0 + values,
        records.moves if moves is None else records.moves * 0 + moves,
    )


def searched(puzzle, state, works):
    """Asks a library that is false: there is one warning, and the answer is that of a search."""
    told = []
    report = puzzle.solve(state, library=Library(works, warn=told.append))
    assert report.library is None
    assert len(told) == 1
    assert "is damaged" in told[0]
    return report


def test_steps_that_go_round_are_not_followed_for_ever(forge):
    works = forge(SLIDER, same(1, -1))
    assert searched(SLIDER, "345/012", works).length == 21
    with pytest.raises(LimitError, match="stopped after 0 moves"):
        Known({}, [str(works)]).solve(SLIDER, "345/012", lambda _: True)


@pytest.mark.parametrize(
    ("values", "moves", "said"), [(1, -1, {"distances": True}), (3, 5, {}), (2, 5, {}), (3, -1, {"distances": False})]
)
def test_worths_that_no_state_of_a_puzzle_has_are_damage(values, moves, said, forge):
    works = forge(SLIDER, same(values, moves), **said)
    with pytest.raises(CorruptError, match="values that its states cannot have"):
        Library(works).of(SLIDER).look_up(SLIDER.arrays.encode(["345/012"]))
    with pytest.raises(CorruptError):
        Library(works).verify()


@pytest.mark.parametrize(("values", "moves"), [(1, 5), (3, 5), (2, -1), (1, -1), (None, 3)])
def test_values_that_contradict_those_after_them_are_damage(values, moves, forge):
    report = searched(GAME, GAME.start, forge(GAME, same(values, moves)))
    assert report.value == "win"


def test_a_value_that_a_better_move_contradicts_is_damage(forge):
    """The start is called a draw, and some moves keep that; another one wins."""

    def change(keys, records):
        start = records.keys == keys.of_rows(GAME.engine.encode([GAME.start]))[0]
        after = keys.of_rows(GAME.arrays.encode([GAME.apply(GAME.start, GAME.legal_moves(GAME.start)[0])]))[0]
        those = start | (records.keys == after)
        return Records(records.keys, np.where(those, 2, records.values), np.where(those, -1, records.moves))

    assert searched(GAME, GAME.start, forge(GAME, change)).value == "win"


@pytest.mark.parametrize(("values", "moves"), [(None, -1), (2, None), (None, 9), (1, 9), (2, 0)])
def test_points_that_do_not_fit_are_damage(values, moves, forge):
    right = POINTS.solve(POINTS.start)
    assert searched(POINTS, POINTS.start, forge(POINTS, same(values, moves))).score == right.score


def test_a_score_without_the_states_after_it_is_damage(forge):
    def alone(keys, records):
        return records.some(records.keys == keys.of_rows(POINTS.engine.encode([POINTS.start]))[0])

    searched(POINTS, POINTS.start, forge(POINTS, alone))
    searched(POINTS, POINTS.start, forge(POINTS, lambda keys, records: same(None, -1)(keys, alone(keys, records))))


def test_true_points_are_found(shelf):
    found, right = POINTS.solve(POINTS.start, library=Library(shelf)), POINTS.solve(POINTS.start)
    assert (found.score, found.value, found.library) == (right.score, right.value, str(shelf))


def test_seconds_and_watch_end_a_look_up(shelf, monkeypatch):
    part = Folder.part

    def slow(*arguments):
        time.sleep(0.3)
        return part(*arguments)

    monkeypatch.setattr(Folder, "part", slow)
    monkeypatch.setattr(module.LibraryStates, "look_up", lambda *_: time.sleep(0.3) or true(*_))
    begun = time.monotonic()
    with pytest.raises(LimitError):
        SLIDER.solve("345/012", library=Library(shelf), seconds=0.5)
    assert time.monotonic() - begun < 4
    asked = []
    with pytest.raises(LimitError, match="stopped after 0 moves"):
        Library(shelf).solver(GAME)(GAME, GAME.start, budget=Budget(), watch=lambda _: asked.append(1) or True)
    assert asked == [1]


true = module.LibraryStates.look_up


def test_a_survey_goes_on_without_a_library_that_fails(forge, shelf, monkeypatch):
    right = survey(GAME)
    there = forge(GAME, lambda _, records: records.some(np.arange(len(records)) % 3 != 1), complete=False)
    told = []
    found = survey(GAME, library=Library(there, warn=told.append))
    assert (found.values, found.fewest, found.looked_up) == (right.values, right.fewest, {})
    assert len(told) == 1
    claimed = forge(GAME, same(None, -1), distances=True)
    assert survey(GAME, library=Library(claimed, warn=told.append)).fewest == right.fewest
    assert len(told) == 2
    calls, look_up = [], module.LibraryStates.look_up

    def failing(*arguments):
        calls.append(arguments)
        if len(calls) > 1:
            raise LibraryError("the host does not answer in time")
        return look_up(*arguments)

    monkeypatch.setattr(module.LibraryStates, "look_up", failing)
    found = survey(GAME, library=Library(shelf, warn=told.append))
    assert (found.fewest, found.looked_up, len(calls), len(told)) == (right.fewest, {}, 2, 3)
    assert told[2] == "the host does not answer in time; now it is searched without the library"


def test_a_host_is_not_asked_for_all_states(shelf):
    told = []
    library = Library(shelf, warn=told.append)
    library.place = "https://example.org/works"
    assert library.values_of(GAME, every=True) is None
    assert told == [f"{shelf} is on a host, which is not asked for all states; their values are counted here"]
    assert library.values_of(GAME, every=False) is not None


def test_a_server_asks_the_next_library_if_one_is_damaged(forge, shelf, capsys):
    bad = forge(SLIDER, same(None, 9))
    known = Known({}, [str(bad), str(shelf)])
    found = known.solve(SLIDER, "345/012", lambda _: False)
    assert (found.length, found.solver) == (21, "library")
    assert capsys.readouterr().err.count("damaged") == 1
    solver = Known({}, [str(bad), str(shelf)]).first(SLIDER)
    assert len(solver(SLIDER, "345/012", budget=Budget(), watch=lambda _: False).moves) == 21
    assert [each.moves for each in known.worths(SLIDER, ["345/012"])] == [21]
    states = bad / SLIDER.engine.fingerprint / "states"
    states.write_bytes(bytes(states.stat().st_size))
    assert [each.moves for each in Known({}, [str(bad), str(shelf)]).worths(SLIDER, ["345/012"])] == [21]


def test_a_server_sees_what_was_added(shelf, tmp_path, monkeypatch):
    works = tmp_path / "works"
    shutil.copytree(shelf, works)
    Library(works).remove(str(SLIDER))
    known = Known({}, [str(works)])
    assert known.solver(SLIDER) is None
    shutil.rmtree(works)
    shutil.copytree(shelf, works)
    assert known.solver(SLIDER) is None  # the list is not read again so soon
    monkeypatch.setattr(time, "monotonic", lambda now=time.monotonic: now() + module.LISTED_SECONDS + 1)
    assert known.solver(SLIDER) is not None


def test_verify_finds_bytes_that_nothing_names(forge):
    works = forge(GAME, lambda _, records: records, b"hidden")
    with pytest.raises(CorruptError, match="states: it has bytes that no entry names"):
        Library(works).verify()


@pytest.mark.parametrize(
    ("puzzle", "said"),
    [
        (GAME, {"kind": "distances"}),
        (GAME, {"kind": "scores"}),
        (GAME, {"complete": True}),
        (GAME, {"distances": False}),
        (SLIDER, {"kind": "values"}),
        (SLIDER, {"distances": False}),
    ],
)
def test_verify_holds_a_manifest_against_the_rules_and_the_blocks(puzzle, said, forge):
    with pytest.raises(CorruptError, match=r"no manifest of these rules|other distances"):
        Library(forge(puzzle, lambda _, records: records, **said)).verify()
