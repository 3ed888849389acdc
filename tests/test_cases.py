"""The cases of a phase: compared with a plain search, with symmetries and without; and as text, CSV and a page."""

from __future__ import annotations

import csv
import json
import os
import signal
from collections import deque
from xml.etree import ElementTree

import pytest

import puzzlekit
from puzzlekit import LimitError, Progress, UsageError
from puzzlekit.cli.cases import describe
from puzzlekit.run.cases import CasesReport
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


def test_a_phase_that_no_state_meets_is_refused_before_anything_is_counted():
    def counted(_progress):
        raise AssertionError("states are counted")

    # 239,500,800 states: twice the tile 9, twice the blank, and a parity that no move changes.
    for text, phase in (("slider:3,4", "99??/????/????"), ("slider:4,4", "0,0,?,?/?,?,?,?/?,?,?,?/?,?,?,?")):
        puzzle = puzzlekit.load(text)
        for ask in (
            puzzlekit.cases,
            lambda puzzle, phases, watch: puzzlekit.survey(puzzle, phases=phases, watch=watch),
        ):
            with pytest.raises(UsageError, match="no state that play reaches meets the phase"):
                ask(puzzle, [phase], watch=counted)
            with pytest.raises(LimitError, match="play reaches more than 20,000,000 states"):
                ask(
                    puzzle,
                    ["?" * 12 if text == "slider:3,4" else "0,?,?,?/" + "/".join(["?,?,?,?"] * 3)],
                    watch=counted,
                )


def test_the_first_cases_are_listed_and_the_size_of_all_is_told(command, tmp_path):
    phases = ["0???/????", "012?/????"]
    arguments = ["survey", "slider:2,4", *(word for phase in phases for word in ("--phase", phase)), "--cases"]
    told = command(*arguments)
    assert told.out.splitlines()[0].endswith(": 2,460 cases of 2,460 states; the first 1,000")
    assert len(told.out.splitlines()) == 1003
    assert told.err == "puzzlekit: --limit 2460 lists all cases\n"
    page = tmp_path / "sheet.html"
    told = command(*arguments, str(page), "--limit", "30")
    assert page.read_text(encoding="utf-8").count("<figure>") == 30
    megabytes = page.stat().st_size * 82 / 1e6
    assert told.err == f"puzzlekit: --limit 2460 lists all cases, and {page} takes some {megabytes:,.1f} MB then\n"
    sheet = puzzlekit.cases(puzzlekit.load("slider:2,4"), phases, limit=30)
    everything = puzzlekit.cases(puzzlekit.load("slider:2,4"), phases, limit=None)
    assert (sheet.cases, sheet.left_out) == (everything.cases[:30], 2_430)
    assert (everything.left_out, everything.total, everything.states) == (0, 2_460, 2_460)
    refused = command("survey", "slider", "--limit", "3")
    assert (refused.code, "--limit is for --cases" in refused.err) == (2, True)


def test_cases_can_be_stopped_at_every_stage_and_tell_how_far_they_are():
    # Fewer states would be put to their cases before the watch is looked at.
    seen = []
    phases = ["0??/???/???", "012/???/???"]
    puzzlekit.cases(puzzlekit.load("slider"), phases, watch=seen.append)
    stages = {(each.frontier == 19_800, each.states == 181_440) for each in seen}
    assert (True, True) in stages  # states are put to their cases
    with pytest.raises(LimitError, match="stopped before"):
        puzzlekit.cases(puzzlekit.load("slider"), phases, watch=lambda progress: progress.frontier == 19_800)
    assert describe(seen[0], 0.0).startswith("0 states found")
    assert describe(Progress(states=9, frontier=400, expanded=100), 2.0).startswith(
        "100 of 400 states put to their cases, 0:06 left"
    )
    assert describe(Progress(frontier=400, expanded=300), 3.0).startswith("300 of 400 cases written, 0:01 left")


def test_a_file_of_cases_appears_when_it_is_whole(command, tmp_path, monkeypatch):
    page = tmp_path / "sheet.html"
    page.write_text("before", encoding="utf-8")

    def stopping(_report):
        yield "a part"
        os.kill(os.getpid(), signal.SIGINT)
        yield from ["more"] * 3

    monkeypatch.setattr(CasesReport, "parts_of_page", stopping)
    told = command("survey", "slider:2,3", "--phase", "012/345", "--cases", str(page))
    assert (told.code, page.read_text(encoding="utf-8")) == (130, "before")
    assert "interrupted before all cases were found and written" in told.err
    assert [path.name for path in tmp_path.iterdir()] == ["sheet.html"]


@pytest.mark.parametrize("to", ["", "sheet.html"])
def test_a_signal_that_comes_when_all_cases_are_known_stops_the_command(to, command, tmp_path, monkeypatch):
    found = puzzlekit.cases(puzzlekit.load("slider:2,3"), ["012/345"])

    def late(*_arguments, **_options):
        os.kill(os.getpid(), signal.SIGINT)
        return found

    monkeypatch.setattr("puzzlekit.puzzle.cases.cases", late)
    told = command("survey", "slider:2,3", "--phase", "012/345", "--cases", *([str(tmp_path / to)] if to else []))
    assert (told.code, told.out) == (130, "")
    assert "interrupted before all cases were found and written" in told.err
    assert list(tmp_path.iterdir()) == []
