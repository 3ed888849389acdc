"""Whole puzzles as arrays, their graphs in files, and images of states: compared with a plain search and the puzzle."""

import json
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import dataclass, replace

import networkx
import pytest
from pyarrow import parquet

import puzzlekit
from puzzlekit import LimitError, UsageError
from puzzlekit.jobs.transitions import Transitions
from tests import boards
from tests.naive import Naive
from tests.support import puzzle_of

NAMES = sorted(set(boards.ALL) - {"nim", "nim again", "pegs"})


@pytest.mark.parametrize("name", NAMES)
def test_transitions_are_those_of_a_plain_search(name):
    puzzle = puzzle_of(boards.ALL[name])
    naive = Naive(puzzle.rules().to_data())
    found = puzzlekit.transitions(puzzle)
    texts = found.texts()
    place = {text: row for row, text in enumerate(texts)}
    assert len(place) == len(found) == sum(len(layer.raw) for layer in naive.layers())
    names = [move["name"] for move in naive.data["moves"]]
    mover = {text: puzzle.engine.notation.read(text)[1] for text in texts}
    for row, text in enumerate(texts):
        cells, player = puzzle.engine.notation.read(text)
        state = tuple(naive.symbols[code] for code in cells), player
        expected = Counter()
        for move, (after, turn) in naive.successors(state):
            coded = bytes(map(naive.symbols.index, after))
            expected[names[move], place[puzzle.engine.notation.write(coded, turn)]] += 1
        span = slice(found.indptr[row], found.indptr[row + 1])
        made = [found.names[move] for move in found.moves[span]]
        assert Counter(zip(made, found.successors[span].tolist(), strict=True)) == expected
        outcome = naive.outcome(state)
        solved = not naive.players and naive.solved(state[0])
        assert bool(found.over[row]) == (outcome is not None or solved)
        if naive.players:
            assert found.won[row] == {None: 0, naive.players[player]: 1, naive.players[1 - player]: -1}.get(outcome, 0)
            assert mover[text] == player
        else:
            assert found.won[row] == solved
    assert found.rewards.shape == found.successors.shape


@pytest.mark.parametrize("name", ["slider:2,3", "rotate:2,2", "flipit:3,3"])
def test_the_fewest_moves_are_those_of_a_job(name, tmp_path):
    puzzle = puzzlekit.load(name)
    found = puzzlekit.transitions(puzzle)
    puzzle.values(out=tmp_path / "job")
    values, moves, _ = (list(column) for column in puzzlekit.open_job(tmp_path / "job").look_up(found.rows))
    known, distances, depths = (column.tolist() for column in found.look_up(found.rows))
    assert (values, moves) == (known, distances)
    assert depths == found.depths.tolist()
    assert found.find(puzzle.start) == 0


@pytest.mark.parametrize("more", [20, 28, 29, 40, 60, 61, 70, 200])
def test_wide_states_are_unpacked(more):
    wide = puzzle_of(replace(boards.hanoi(4), symbols="ABC#", start="AAAA" + "#" * more, goal=[]))
    texts = puzzlekit.transitions(wide).texts()
    assert len(set(texts)) == 81
    assert all(set(text[:4]) <= set("ABC") and text[4:] == "#" * more for text in texts)


def test_the_table_of_gym_gives_the_fewest_moves_by_value_iteration():
    found = puzzlekit.transitions(puzzlekit.load("slider:2,3"))
    table, worth = found.table(), [0.0] * len(found)
    assert all(len(row) == len(found.names) for row in table.values())
    for _ in range(25):
        worth = [
            0.0 if found.over[state] else max(each[0][2] + worth[each[0][1]] for each in row.values())
            for state, row in table.items()
        ]
    assert [-int(each) for each in worth] == found.fewest.tolist()


def test_a_job_up_to_symmetry_has_transitions_too(tmp_path):
    puzzle = puzzlekit.load("tictactoe")
    puzzle.enumerate(out=tmp_path / "job")
    found = Transitions.of_job(puzzlekit.open_job(tmp_path / "job"))
    assert len(found) == len(puzzlekit.transitions(puzzle, symmetry=True)) == 765
    assert len(puzzlekit.transitions(puzzle)) == 5478
    assert Counter(found.rewards.tolist())[1.0] > 0


def test_what_cannot_be_had():
    with pytest.raises(LimitError, match="rotation has more than 1,000 states; count it into a folder first"):
        puzzlekit.transitions(puzzlekit.load("rotation"), max_states=1000)
    found = puzzlekit.transitions(puzzlekit.load("tictactoe"))
    with pytest.raises(UsageError, match="tictactoe is a game, whose states have values"):
        _ = found.fewest
    with pytest.raises(UsageError, match=r"XXX/XXX/XXX:O is not among the 5,478 states"):
        found.find("XXX/XXX/XXX:O")


def test_networkx_has_the_same_graph():
    found = puzzlekit.transitions(puzzlekit.load("slider:2,3"))
    graph = found.to_networkx()
    depths = networkx.single_source_shortest_path_length(graph, found.puzzle.start)
    assert depths == dict(graph.nodes(data="depth"))
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (360, 840)


@pytest.mark.parametrize("form", ["json", "dot", "graphml", "parquet"])
def test_other_programs_read_the_files(form, tmp_path, command):
    """They are read by networkx, by PyArrow, and DOT, which nothing here reads, by its lines."""
    to = tmp_path / f"graph.{form}"
    done = command("export", "slider:2,3", "--edges", "--to", str(to))
    assert (done.code, done.out) == (0, f"{to}: 840 moves between states of slider:rows=2,columns=3\n"), done.err
    found = puzzlekit.transitions(puzzlekit.load("slider:2,3"))
    texts = found.texts()
    expected = Counter((texts[edge.state], edge.move, texts[edge.successor]) for edge in found.edges())
    if form == "parquet":
        table = parquet.read_table(to)
        got = zip(*(table[name].to_pylist() for name in ("state_text", "move", "successor_text")), strict=True)
        assert Counter(got) == expected
        return
    if form == "dot":
        lines = to.read_text(encoding="utf-8").splitlines()
        names = dict(line.strip().split(" [label=", 1) for line in lines if "->" not in line and "label" in line)
        labels = {number: label.split('"')[1] for number, label in names.items()}
        edges = [line.strip().replace(" -> ", " ").split(" ", 2) for line in lines if "->" in line]
        assert Counter((labels[a], more.split('"')[1], labels[b]) for a, b, more in edges) == expected
        assert sum("doublecircle" in line for line in lines) == 1
        return
    if form == "json":
        graph = networkx.node_link_graph(json.loads(to.read_text(encoding="utf-8")), edges="edges")
    else:
        ET.parse(to)
        graph = networkx.read_graphml(to, force_multigraph=True)
    text = dict(graph.nodes(data="text"))
    assert Counter((text[a], move, text[b]) for a, b, move in graph.edges(data="move")) == expected
    assert sorted(dict(graph.nodes(data="depth")).values()) == sorted(found.depths.tolist())


def test_texts_are_escaped(tmp_path):
    @dataclass(frozen=True)
    class Odd(puzzlekit.Puzzle):
        """Symbols and moves that each of the formats has to escape."""

        id = "odd"

        def rules(self):
            return puzzlekit.Rules(symbols='"<&\\', start='"<&\\', moves=[puzzlekit.Move({0: "<"}, name='a"<&\\>')])

    job = tmp_path / "job"
    Odd().enumerate(out=job)
    for form in ("json", "dot", "graphml"):
        puzzlekit.jobs.Job(job, lambda _: Odd()).export_edges(tmp_path / f"odd.{form}")
    graph = json.loads((tmp_path / "odd.json").read_text(encoding="utf-8"))
    assert graph["edges"][0]["move"] == 'a"<&\\>'
    assert networkx.read_graphml(tmp_path / "odd.graphml").nodes["0"]["text"] == graph["nodes"][0]["text"]
    assert '[label="a\\"<&\\\\>"]' in (tmp_path / "odd.dot").read_text(encoding="utf-8")


def test_formats_have_limits_and_a_puzzle_must_be_small(tmp_path, command):
    done = command("export", "slider", "--edges", "--to", str(tmp_path / "large.dot"))
    assert done.code == 2
    assert "there are 483,840 moves, and dot is for 20,000 at most; write parquet or csv" in done.err
    assert list(tmp_path.iterdir()) == []
    assert "slider:rows=4,columns=4 has more than 2,000,000 states" in command("export", "slider:4,4").err
    assert "nowhere" in command("export", "nowhere").err
    assert 'slider has no parameter "wrong"' in command("export", "slider:wrong=1").err
    done = command("export", "tictactoe", "--to", str(tmp_path / "all.csv"))
    assert (done.code, done.out) == (0, f"{tmp_path / 'all.csv'}: 5,478 states of tictactoe\n")


@pytest.mark.parametrize("name", NAMES)
def test_images_are_those_of_the_symmetries(name):
    puzzle = puzzle_of(boards.ALL[name])
    naive = Naive(json.loads(puzzle.engine.rules_json))
    texts = puzzlekit.transitions(puzzle).texts()
    for text in texts[:: max(1, len(texts) // 12)]:
        images = puzzlekit.images(puzzle, text)
        cells, player = puzzle.engine.notation.read(text)
        state = tuple(naive.symbols[code] for code in cells), player
        expected = set()
        for symmetry in naive.group:
            after, turn = naive.image(symmetry, state)
            expected.add(puzzle.engine.notation.write(bytes(map(naive.symbols.index, after)), turn))
        assert len(images) == len(expected)
        assert {image.state for image in images} == expected
        assert images[0].state == text
        for image in images:
            assert set(image.moves) == set(puzzle.legal_moves(text))
            assert sorted(set(image.moves.values())) == sorted(set(puzzle.legal_moves(image.state)))
            for here, there in image.moves.items():
                assert puzzle.key(puzzle.apply(text, here)) == puzzle.key(puzzle.apply(image.state, there))
            assert sorted(image.cells) == list(range(puzzle.engine.notation.cells))


def test_a_file_is_exported_without_a_folder(tmp_path, command):
    for at, size in enumerate(("", ":", ":2")):
        done = command("export", f"tests/fixtures/hexes.py{size}", "--to", str(tmp_path / f"{at}.csv"))
        assert (done.code, done.err) == (0, "")
        assert "states of hexes" in done.out
    broken = tmp_path / "broken.py"
    broken.write_text("1 +", encoding="utf-8")
    assert "broken.py" in command("export", str(broken)).err
    assert "is no job" in command("export", str(tmp_path / "nothing.py")).err
