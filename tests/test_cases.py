"""The cases of a phase: compared with a plain search, with symmetries and without; and as text, CSV and a page."""

from __future__ import annotations

import csv
import json
from collections import deque
from xml.etree import ElementTree

import pytest

import puzzlekit
from puzzlekit import LimitError, UsageError
from tests.naive import Naive

SHEETS = [
    ("slider:2,3", ["0??/3??", "012/345"], 1),
    ("slider:2,3", ["0??/???"], 1),
    ("flipit:3,3", ["#?#/?.?/#?#", "###/#.#/###"], 8),
    ("flipit:3,3", ["#??/???/??#", "###/#.#/###"], 4),
]


def plain(puzzle, phases):
    """For each state that meets the phases before and not the last one, the fewest moves until it does, by a search."""
    naive = Naive(puzzle.rules().to_data())
    states = {state for layer in naive.layers() for state in layer.raw}
    rows = [[*"".join(phase.split("/"))] for phase in phases]

    def meets(state, wanted):
        cells = [str(cell) for cell in state[0]]
        return all(each in ("?", cell) for row in wanted for each, cell in zip(row, cells, strict=True))

    into = {state: [] for state in states}
    for state in states:
        for _, after in naive.successors(state):
            into[after].append(state)
    done = [state for state in states if meets(state, rows)]
    distance = dict.fromkeys(done, 0)
    queue = deque(done)
    while queue:
        state = queue.popleft()
        for before in into[state]:
            if before not in distance:
                distance[before] = distance[state] + 1
                queue.append(before)
    begin = [state for state in states if meets(state, rows[:-1]) and not meets(state, rows)]
    return {puzzle.read("".join(map(str, cells))): distance.get((cells, player)) for cells, player in begin}


@pytest.mark.parametrize(("text", "phases", "symmetries"), SHEETS)
def test_cases_are_those_of_a_plain_search(text, phases, symmetries):
    puzzle = puzzlekit.load(text)
    sheet, expected = puzzlekit.cases(puzzle, phases), plain(puzzle, phases)
    assert sheet.symmetries == symmetries
    assert sum(case.states for case in sheet.cases) == len(expected)
    for case in sheet.cases:
        assert case.length == expected[case.state]
        state = case.state
        for move in case.moves or ():
            state = puzzle.apply(state, move)
        wanted = [each for each in phases[-1] if each != "/"]
        assert all(each in ("?", cell) for each, cell in zip(wanted, state.replace("/", ""), strict=True))
        if symmetries > 1:
            # No two cases are images of each other, and the images of a case need as many moves.
            same = {image.state for image in puzzlekit.images(puzzle, case.state)} & expected.keys()
            assert case.states <= len(same)
            assert {expected[other] for other in same} == {case.length}
    lengths = [case.length for case in sheet.cases]
    assert lengths == sorted(lengths)


def test_symmetries_that_change_a_pattern_join_nothing():
    puzzle = puzzlekit.load("flipit:3,3")
    whole = puzzlekit.cases(puzzle, ["#?#/?.?/#?#", "###/#.#/###"])
    # A pattern in one corner is kept by two of the eight symmetries.
    corner = puzzlekit.cases(puzzle, ["#??/???/???", "###/#.#/###"])
    assert (whole.symmetries, corner.symmetries) == (8, 2)
    assert len(whole.cases) < sum(case.states for case in whole.cases)


def test_a_sheet_as_text_csv_and_page(command, tmp_path):
    arguments = ("survey", "slider:2,3", "--phase", "0??/3??", "--phase", "012/345", "--cases")
    told = command(*arguments)
    assert told.out.startswith("slider:rows=2,columns=3, 012/345 after 0??/3??: 11 cases of 11 states\n")
    assert "014/352      6       1  R R D L U L\n" in told.out
    data = json.loads(command(*arguments, "--json").out)
    assert (data["schema"], len(data["cases"]), data["done"]) == ("puzzlekit.cases/1", 11, 1)
    written = command(*arguments, str(tmp_path / "sheet.csv"))
    assert (
        written.out
        == f"{tmp_path / 'sheet.csv'}: slider:rows=2,columns=3, 012/345 after 0??/3??: 11 cases of 11 states\n"
    )
    with (tmp_path / "sheet.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["state"] for row in rows] == [case["state"] for case in data["cases"]]
    assert [row["moves"].split() for row in rows] == [case["moves"] for case in data["cases"]]
    assert command(*arguments, str(tmp_path / "sheet.html")).code == 0
    page = (tmp_path / "sheet.html").read_text(encoding="utf-8")
    assert page.count("<figure>") == page.count("<svg ") == 11
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    body = page[page.index("<main>") : page.index("</main>") + len("</main>")]
    figures = ElementTree.fromstring(body).findall("figure")
    assert [figure.findtext("figcaption/p") for figure in figures] == [row["moves"] for row in rows]


def test_what_makes_no_sense_is_refused(command, tmp_path):
    for arguments, message in (
        (["tictactoe", "--phase", "X??/???/???", "--cases"], "is a game, which has no phases"),
        (["slider:2,3", "--cases"], "give --phase"),
        (["slider:2,3", "--phase", "012/345", "--cases", "--sample", "3"], "needs the phases alone"),
        (["slider:2,3", "--phase", "0??/3??", "--phase", "?0?/???", "--cases"], "no state that play reaches meets"),
        (["slider:2,3", "--phase", "012/345", "--cases", "--max-states", "10"], "more than 10 states"),
        (["slider:2,3", "--phase", "012/345", "--cases", str(tmp_path / "none" / "x.csv")], "cannot be written"),
    ):
        told = command("survey", *arguments)
        assert told.code in (1, 2, 3)
        assert message in told.err
    with pytest.raises(UsageError, match="give phases"):
        puzzlekit.cases(puzzlekit.load("slider:2,3"), [])
    with pytest.raises(LimitError, match="stopped before"):
        puzzlekit.cases(puzzlekit.load("slider"), ["012/345/678"], watch=lambda _: True)
