"""The values of all states in memory: compared with a plain search (`tests/worth.py`), and with published numbers."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import puzzlekit
from puzzlekit import LimitError, Move, Rules, Score, Symmetry, UsageError, over, put
from puzzlekit.run.engine import Engine
from puzzlekit.run.memory import held_bytes
from tests import boards, gallery
from tests.naive import Naive
from tests.profiles import cases, seeds
from tests.support import RunOptions
from tests.test_oracle import lively_rules
from tests.worth import (
    KINDS,
    UNDECIDED,
    all_states,
    compare,
    compare_bits,
    expected,
    random_kind,
    values_of_all,
)


@pytest.mark.parametrize("name", boards.quickly(boards.ALL))
def test_boards_of_every_shape(name):
    rules = boards.ALL[name]
    if rules.players or rules.to_data()["goal"]:
        compare(rules)
    else:
        with pytest.raises(UsageError, match="the rules have no goal"):
            Engine(rules).values("rules", RunOptions())


@pytest.mark.parametrize("kind", ["drawn", *KINDS])
@settings(max_examples=cases(16, 500))
@given(st.data())
def test_random_rules(kind, data):
    compare(data.draw(random_kind(kind)))


@seeds(24, 150)
@pytest.mark.parametrize("kind", KINDS)
def test_random_rules_are_worth_a_search(kind, seeds):
    """Rules in which everything is a draw would pass whatever the engine does. Shapes that matter are there often."""
    found, texts = Counter(), set()
    for seed in seeds:
        rules = KINDS[kind](random.Random(seed))
        naive, engine = Naive(rules.to_data()), Engine(rules)
        texts.add(json.dumps(rules.to_data(), sort_keys=True))
        _, distances, (start, moves), longest = expected(naive)
        found["long"] += (longest or 0) > 3
        found["long losses"] += any(value == "loss" and moves > 1 for value, moves in distances)
        found["circles"] += bool(rules.players) and engine.window == "directed"
        found["counted from the goal"] += engine.window == "inverse-closed"
        found["start unsolvable"] += start == "draw"
        found["start solved"] += moves == 0
        found["start far"] += (moves or 0) > 1
        found["many scores"] += len(set(values_of_all(naive).values())) > 2
        made = {place for state in all_states(naive) for place, _ in naive.successors(state)}
        found["passes"] += any(naive.data["moves"][place].get("forced") for place in made)
        found["moves that keep the turn"] += any(move.keeps_turn for move in rules.moves)
        found["players change places"] += any(each["swap_players"] for each in naive.group)
    assert len(texts) > 0.85 * len(seeds)
    for shape, share in LEAST[kind].items():
        assert found[shape] > share * len(seeds), (shape, found)


LEAST = {
    "lively": {"long losses": 0.05, "circles": 0.2},
    "layered": {"long": 0.03, "long losses": 0.03},
    "reversible": {"long": 0.05, "circles": 0.2},
    "points": dict.fromkeys(["many scores", "passes", "moves that keep the turn", "players change places"], 0.01),
    "cycles": {"long losses": 0.2, "circles": 0.99},
    "one goal": {"counted from the goal": 0.65, "start unsolvable": 0, "start solved": 1 / 16, "start far": 1 / 6},
}
"""For each kind of random rules, the least share of them that must have a shape."""


@pytest.mark.parametrize(
    "board",
    [
        *(f"{rows},{columns},{k}" for rows in (1, 2, 3) for columns in (3, 4) for k in range(1, columns + 1)),
        *("4,4,1", "4,4,3", *(pytest.param(f"4,4,{k}", marks=pytest.mark.slow) for k in (2, 4)), "4,4,0"),
    ],
)
def test_boards_in_bits(board):
    """The largest boards are compared up to symmetry alone. Without a line that ends play, all of them are filled."""
    rows, columns, line = map(int, board.split(","))
    rules = puzzlekit.load(f"tictactoe:{rows},{columns},{line or columns}").rules()
    rules = rules if line else replace(rules, ends=[], stuck="loss")
    compare_bits(rules, naive=rows * columns < 12, ways=(True, False)[: 1 + (rows * columns < 16)])


def test_the_engine_chooses_the_way():
    small = puzzlekit.load("tictactoe")
    assert (small.values().store, small.values(distances=True).store) == ("sparse", "sparse")
    assert small.values(store="dense").store == "dense"
    # On the first board, lines of two end play soon, so few states are reached. The second has too many to list them.
    assert puzzlekit.load("tictactoe:5,4,2").values().store == "sparse"
    assert puzzlekit.load("tictactoe:5,4,3").values().store == "dense"
    # All moves of slider can be undone, so its values are found by a count from its goals, in either store.
    assert puzzlekit.load("slider:2,2").values().store == "dense"
    pattern = replace(puzzlekit.load("slider:2,3").rules(), goal=[{0: "1"}])
    assert [Engine(pattern).values("rules", RunOptions(store=store)).store for store in ("auto", "sparse")] == [
        "dense",
        "sparse",
    ]
    one_way = Engine(replace(pattern, moves=pattern.moves[1:]))
    assert one_way.values("rules", RunOptions()).store == "sparse"
    with pytest.raises(UsageError, match="knows no moves to the end"):
        small.values(store="dense", distances=True)
    with pytest.raises(UsageError, match="moves only put marks into empty cells"):
        gallery.load("connect_four:3,3").values(store="dense")
    with pytest.raises(UsageError, match="leave the store to the engine"):
        one_way.values("rules", RunOptions(store="dense"))
    with pytest.raises((UsageError, LimitError)):
        gallery.load("mu_torere").values(store="dense")
    placements = Rules(".x", "...", [put(cell, "x").when({cell: "."}).named(str(cell)) for cell in range(3)])
    with pytest.raises(UsageError, match="have no goal"):
        Engine(placements).values("rules", RunOptions(store="dense"))


@pytest.mark.parametrize(
    ("text", "states", "longest"),
    [("slider:2,3", 360, 21), ("slider:3,3", 181440, 31), ("flipit:3,3", 102, 9), ("flipit:3,4", 1120, 12)],
)
def test_puzzles_have_the_known_distances(text, states, longest):
    puzzle = puzzlekit.load(text)
    backward = puzzle.enumerate(backward=True)
    for store in ("dense", "sparse"):
        report = puzzle.values(store=store)
        assert (report.store, report.states, report.longest.value.moves) == (store, states, longest)
        assert [each.states["solvable"] for each in report.distances] == [each.states for each in backward.depths]
        assert report.total("unsolvable") == 0
    assert len(puzzle.solve(report.longest.state).moves) == longest


def test_a_watch_stops_it():
    """It is stopped at once; or, in bits, when the depth falls again."""
    for puzzle, store, first in (
        ("tictactoe:4,4,4", "sparse", -1),
        ("slider:3,4", "auto", -1),
        ("tictactoe:5,4,4", "dense", 0),
    ):
        seen = []

        def watch(progress, seen=seen, first=first):
            seen.append(progress.depth)
            return first < progress.depth < 18

        report = puzzlekit.load(puzzle).values(watch=watch, threads=1, store=store)
        assert (report.complete, report.stopped, report.start, report.depths) == (False, "watch", None, ())
        assert first < seen[-1] < 18


def test_limits_of_memory(process):
    """What values take is known before: a list of all moves; or, with a single goal, what a count takes."""
    done = process("values", "breakthrough:5,4", "--memory", "60MiB")
    assert done.code == 3
    assert "needs more memory than --memory gives" in done.err
    pattern = Engine(replace(puzzlekit.load("slider:3,3").rules(), goal=[{0: "1", 1: "2"}]))
    slider, marks = (puzzlekit.load(text).engine for text in ("slider:3,3", "tictactoe:4,4,4"))
    for engine, room, enough in (
        *((marks, 2**20, False), (pattern, 2**20, False), (pattern, 2**24, True)),
        *((slider, 2**18, False), (slider, 2**23, True)),
    ):
        report = engine.values("rules", RunOptions(memory=held_bytes() + room, threads=1, store="sparse"))
        assert (report.complete, report.stopped) == (enough, None if enough else "memory"), room
        assert enough or (report.start, report.depths) == (None, ())
    # Moves write letters, and lose what they overwrite. The states fit the memory, and a list of all moves does not.
    moves = [put(cell, letter).named(f"{cell}{letter}") for cell in range(11) for letter in "abc"]
    engine = Engine(Rules(symbols="abc", start="a" * 11, moves=moves, goal=[{0: "b", 1: "c"}]))
    room = RunOptions(memory=held_bytes() + 8 * 2**20, threads=1, store="sparse")
    assert engine.enumerate("letters", room).states == 3**11
    with pytest.raises(LimitError, match=r"the values of 177147 states take .*; give more memory"):
        engine.values("letters", replace(room, memory=held_bytes() + 8 * 2**20))


def test_the_command(command):
    done = command("values", "tictactoe", "--json")
    assert done.code == 0
    data = json.loads(done.out)
    assert (data["schema"], data["states"], data["raw_states"]) == ("puzzlekit.values/1", 765, 5478)
    assert data["start"] == {"value": "draw", "moves": None}
    assert data["depths"][1] == {
        "depth": 1, "win": 0, "draw": 3, "loss": 0, "raw_win": 0, "raw_draw": 9, "raw_loss": 0,
    }  # fmt: skip
    # Where play is over, the player to move has lost: up to symmetry, 91 wins of the first player and 44 of the second.
    assert puzzlekit.load("tictactoe").values().distances[0].states == {"win": 0, "loss": 135}
    text = command("values", "rotation", "--distances").out
    assert "solvable in 0 moves" in text
    assert command("values", "slider:2,2", "--threads", "0").code == 2


def kayles(pins):
    """One pin or two that stand beside each other are taken from a row."""
    moves = [
        Move(dict.fromkeys(cells, ".")).when(dict.fromkeys(cells, "|")).named(f"{cells[0]}-{size}")
        for size in (1, 2)
        for cells in ([*range(first, first + size)] for first in range(pins - size + 1))
    ]
    mirror = Symmetry(tuple(reversed(range(pins))), name="mirror")
    return Rules(".|", "|" * pins, moves, players=["A", "B"], stuck="loss", symmetries=[mirror])


def heap(counters, most):
    """Up to `most` counters are taken from a heap."""
    takes = [
        put(0, left).when({0: size}).named(f"{size}-{left}")
        for size in range(1, counters + 2)
        for left in range(max(0, size - most), size)
    ]
    return Rules(range(counters + 2), [counters], takes, players="AB", stuck="loss")


# The first numbers of kayles are those of Guy and Smith (1956), as OEIS A002186 has them.
@pytest.mark.parametrize(
    ("made", "known"),
    [
        *((lambda pins=pins: kayles(pins), known) for pins, known in enumerate([1, 2, 3, 1, 4, 3, 2, 1, 4], 1)),
        *((lambda left=left: heap(left, 2), left % 3) for left in range(5)),
        (lambda: heap(100, 100), 100),  # numbers of more than 64 bits
    ],
)
def test_known_grundy_numbers(made, known):
    rules = made()
    for symmetry in (True, False) if rules.symmetries else (True,):
        report = Engine(rules).values("game", RunOptions(grundy=True, symmetry=symmetry))
        assert (report.start.grundy, report.start.value) == (known, "win" if known else "loss")
        assert report.distances == ()
        assert sum(count.states for count in report.grundy) == report.states


def test_grundy_numbers_of_sums(command):
    report = gallery.load("nim:3,4,5").values(grundy=True)
    assert report.start.grundy == 3 ^ 4 ^ 5
    assert report.longest.value.grundy == len(report.grundy) - 1
    data = json.loads(command("values", "nim:3,4,5", "--grundy", "--json").out)
    assert data["start"] == {"value": "win", "moves": None, "grundy": 2}
    assert data["grundy"] == [{"grundy": each.grundy, "states": each.states} for each in report.grundy]


@pytest.mark.parametrize("text", ["chomp:3,4", "tictactoe", "mu_torere", "hexapawn", "pegs"])
def test_games_without_grundy_numbers_are_refused(text):
    with pytest.raises(UsageError, match=r"there are no Grundy numbers to find|has no goal"):
        puzzlekit.load(text).values(grundy=True)


@seeds(80, 480)
def test_both_beginnings_of_random_games_are_those_of_a_plain_search(seeds):
    met, games = Counter(), 0
    for seed in seeds:
        rules = lively_rules(random.Random(f"starts {seed}"))
        if not rules.players or rules.score is not None:
            continue
        games += 1
        report = Engine(rules).values("random", RunOptions(starts="both"))
        for player, name in enumerate(rules.players):
            naive = Naive(rules.to_data())
            naive.start = naive.start[0], player
            worth = values_of_all(naive).get(naive.start, UNDECIDED)
            assert (report.starts[name].value, report.starts[name].moves) == worth
        assert report.start == report.starts[rules.players[0]]
        met[report.outcome_class] += 1
    assert games > len(seeds) / 5
    assert min(met[name] for name in ("N", "P", "L", "R", None)) > len(seeds) / 160


def test_both_beginnings_of_games_for_points(command):
    taken = [put(0, "x").when({0: "."}).by("X"), put(0, "o").when({0: "."}).by("O")]
    ends = [over({0: "x"}, score=5), over({0: "o"}, score=-3)]
    rules = Rules(".xo", ".", taken, "XO", ends=ends, score=Score("X", {"x": 1}))
    report = Engine(rules).values("taken", RunOptions(starts="both"))
    assert {player: value.score for player, value in report.starts.items()} == {"X": 5, "O": 3}
    assert report.outcome_class is None
    told = command("values", "othello", "--starts", "both").out
    assert "if X begins, the start is 8 behind\nif O begins, the start is 8 behind\n" in told


@pytest.mark.parametrize(
    ("size", "name"), [("2,2", "N"), ("3,3", "N"), ("4,4", "N"), ("5,5", "P"), ("1,4", "R"), ("4,1", "L")]
)
def test_outcome_classes_of_domineering(size, name, command):
    """Those of squares are published (Breuker, Uiterwijk and van den Herik, 2000). On one row, only lying ones fit."""
    data = json.loads(command("values", f"domineering:{size}", "--starts", "both", "--json").out)
    assert data["outcome_class"] == name
    assert list(data["starts"]) == ["upright", "lying"]


def test_who_begins_is_refused_where_it_means_nothing(command, tmp_path):
    for puzzle, who, out, told in (
        ("tictactoe", "none", (), "starts is 'none'; give one of first, both"),
        ("slider:2,2", "both", (), "a puzzle has one player"),
        ("tictactoe", "both", ("--out", str(tmp_path / "job")), "a folder keeps the game that the first player begins"),
    ):
        ended = command("values", puzzle, "--starts", who, *out)
        assert ended.code == 2
        assert told in ended.err
