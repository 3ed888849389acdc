"""The moves between the states of a job: those of a plain search, from which networkx finds the known depths."""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import puzzlekit
from puzzlekit import DiskError, JobError, LimitError, UsageError
from tests import boards
from tests.naive import Naive
from tests.support import puzzle_of


def expected_edges(puzzle, naive, texts, *, symmetry):
    """The moves by a plain search in Python, as a `Counter` of rows: state, move, successor."""
    rows = {text: row for row, text in enumerate(texts)}
    names = [move["name"] for move in naive.data["moves"]]
    found = Counter()
    for text, row in rows.items():
        cells, player = puzzle.engine.notation.read(text)
        state = tuple(naive.symbols[code] for code in cells), player
        for move, state_after in naive.successors(state):
            after = naive.canonical(state_after, swaps=False) if symmetry else state_after
            coded = bytes(map(naive.symbols.index, after[0]))
            successor = rows.get(puzzle.engine.notation.write(coded, after[1]))
            if successor is not None:
                found[row, names[move], successor] += 1
    return found


def texts_of(job):
    """The states of a job as texts, row by row."""
    pyarrow = pytest.importorskip("pyarrow")
    return pyarrow.table(job.states(text=True))["text"].to_pylist()


def job_of(puzzle, folder, **options):
    puzzle.enumerate(out=folder, **options)
    return puzzlekit.jobs.Job(folder, lambda *_: puzzle)


@pytest.mark.parametrize("symmetry", [True, False])
@pytest.mark.parametrize("name", boards.quickly(sorted(set(boards.ALL) - {"pegs"})))
def test_edges_are_those_of_a_plain_search(name, symmetry, tmp_path):
    puzzle = puzzle_of(boards.ALL[name])
    naive = Naive(puzzle.rules().to_data())
    job = job_of(puzzle, tmp_path / "job", symmetry=symmetry)
    assert Counter(map(tuple, job.edges())) == expected_edges(puzzle, naive, texts_of(job), symmetry=symmetry)


def test_wide_states_and_walls(tmp_path):
    walls = replace(boards.hanoi(4), symbols="ABC#", start="AAAA" + "#" * 70, goal=[])
    for cells in (walls, replace(boards.lights(2, 3, 3), symmetries=())):
        puzzle = puzzle_of(cells)
        naive = Naive(puzzle.rules().to_data())
        job = job_of(puzzle, tmp_path / f"job{cells.cells}")
        edges = Counter(map(tuple, job.edges()))
        assert edges
        assert edges == expected_edges(puzzle, naive, texts_of(job), symmetry=True)


@pytest.mark.parametrize("puzzle_id", ["tictactoe", "rotation", "slider:2,3", "flipit:3,3"])
def test_networkx_finds_the_depths(puzzle_id, tmp_path):
    networkx = pytest.importorskip("networkx")
    puzzle = puzzlekit.load(puzzle_id)
    job = job_of(puzzle, tmp_path / "job", max_depth=5 if puzzle_id == "rotation" else None)
    graph = networkx.MultiDiGraph()
    graph.add_edges_from((edge.state, edge.successor, {"move": edge.move}) for edge in job.edges())
    depths = networkx.single_source_shortest_path_length(graph, 0)
    known = [depth for batch in job.states() for depth in batch["depth"]]
    assert depths == dict(enumerate(known))
    assert graph.number_of_nodes() == len(known)
    if puzzle_id in ("tictactoe", "slider:2,3"):
        assert graph.number_of_edges() == job.status()["generated"]
    assert networkx.is_directed_acyclic_graph(graph) == (puzzle_id == "tictactoe")


def test_a_job_of_bits_has_the_edges_of_one_of_words(tmp_path):
    puzzle = puzzlekit.load("slider:2,3")
    bits, words = (list(job_of(puzzle, tmp_path / store, store=store).edges()) for store in ("dense", "sparse"))
    assert len(words) == 840
    assert bits == words


def test_files_of_edges(command, tmp_path):
    folder = str(tmp_path / "job")
    assert command("enumerate", "slider:2,3", "--out", folder).code == 0
    job = puzzlekit.open_job(folder)
    expected = [tuple(edge) for edge in job.edges()]
    assert len(expected) == 840
    text, array = str(tmp_path / "edges.csv"), str(tmp_path / "edges.npy")
    done = command("export", folder, "--edges", "--to", text)
    assert (done.code, done.out) == (0, f"{text}: 840 moves between states of slider:rows=2,columns=3\n")
    with open(text, encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["state", "move", "successor"]
    assert [(int(state), move, int(successor)) for state, move, successor in rows] == expected
    done = command("export", folder, "--edges", "--to", array, "--json")
    assert done.code == 0
    assert json.loads(done.out) == {
        "schema": "puzzlekit.edges/1",
        "puzzle": "slider:rows=2,columns=3",
        "folder": folder,
        "file": array,
        "format": "npy",
        "edges": 840,
    }
    read = np.load(array)
    assert read.dtype["state"] == read.dtype["successor"] == np.uint64
    assert [(int(state), str(move), int(successor)) for state, move, successor in read] == expected
    again = command("export", folder, "--edges", "--to", text)
    assert (again.code, "is there already" in again.err) == (2, True)
    assert command("export", folder, "--edges", "--to", str(tmp_path / "edges.tsv")).code == 2
    assert command("export", folder, "--edges", "--text").code == 2
    assert command("export", folder, "--edges", "--hardest", "1").code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["edges.csv", "edges.npy", "job"]


def test_edges_that_cannot_be_had(tmp_path):
    job = job_of(puzzlekit.load("rotation"), tmp_path / "job", max_depth=9)
    with pytest.raises(LimitError, match="give more memory"):
        list(job.edges(memory=10**6))
    with pytest.raises(LimitError, match="stopped"):
        job.export_edges(tmp_path / "edges.csv", watch=lambda _: True)
    with pytest.raises(DiskError, match="cannot be written"):
        job.export_edges(tmp_path / "nowhere" / "edges.csv")
    (tmp_path / "there.csv").write_text("mine")
    with pytest.raises(JobError, match="is there already"):
        job.export_edges(tmp_path / "there.csv")
    with pytest.raises(UsageError, match="moves are not written as 'tsv'"):
        job.export_edges(tmp_path / "edges.tsv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["job", "there.csv"]
