"""Games in which a move may keep the turn: the rules that are refused, and what every verb says of such games."""

import json
import random
from dataclasses import replace

import pytest

import puzzlekit
from puzzlekit import Move, Rules, RulesError, Score, Symmetry, put, swap
from puzzlekit.play.session import Session
from puzzlekit.run.engine import Engine
from puzzlekit.testing.plain import naive
from tests import boards
from tests.naive import Naive
from tests.profiles import cases
from tests.support import RunOptions, puzzle_of
from tests.test_oracle import compare, layered_rules, lively_rules, symmetrised
from tests.worth import TURNED, UNDECIDED, plain_values


def marks(**changed):
    """Four cells that players fill in turn; who fills cell 0 moves again."""
    given = {
        "symbols": ".XO",
        "start": "....",
        "players": "XO",
        "moves": [put(at, own).when({at: "."}).named(at).by(own) for own in "XO" for at in range(1, 4)]
        + [put(0, own).when({0: "."}).named(0).by(own).again() for own in "XO"],
        "score": Score("X", {"X": 1, "O": -1}),
    }
    return Rules(**given | changed)


def test_who_moves_again_is_part_of_the_state():
    game = puzzle_of(marks())
    assert game.apply("....:X", "0") == "X...:X"
    assert game.apply("....:X", "1") == ".X..:O"
    assert game.legal_moves("X...:O") == ["1", "2", "3"]
    assert game.outcome("XXOO:X") == game.outcome("XXOO:O") == "draw"
    assert game.start == "....:X"
    assert game.values().start.score == 2  # X fills 0 and another cell, and then each one more


def test_data_says_again_and_is_read_back():
    rules = marks()
    assert [move.get("again") for move in rules.to_data()["moves"]] == [None] * 6 + [True] * 2
    assert json.loads(json.dumps(rules.to_data()))["moves"][-1]["again"] is True


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"players": "", "score": None, "moves": [put(0, "X").again()]}, "is of rules for one player, so nobody can"),
        ({"moves": [Move({}, forced=True, keeps_turn=True).named("pass")]}, "is a pass for whoever has no other move"),
        (
            {"symmetries": [Symmetry((1, 0, 2, 3), name="mirror")]},
            'the symmetry "mirror" carries the move "1" of player X onto no move of the rules',
        ),
    ],
)
def test_what_is_refused(changed, says):
    with pytest.raises(RulesError) as error:
        Engine(marks(**changed))
    assert says in str(error.value)


@pytest.mark.parametrize("made", [lambda move: move * move, lambda move: move**2, lambda move: ~move])
def test_no_move_is_made_of_one_that_keeps_the_turn(made):
    with pytest.raises(RulesError, match="keeps the turn, and another is made of it; say again"):
        made(swap(0, 1).again())


def test_too_many_symbols_are_refused():
    symbols = list(range(255))
    moves = [Move({}).named("on").by("X").again(), Move({}).named("on").by("O")]
    swaps = [Symmetry((0,), {symbols[a]: symbols[254 - a] for a in range(255) if a != 127}, name="turned")]
    with pytest.raises(RulesError, match="give at most 254"):
        Engine(Rules(symbols, [127], moves, "XO", symmetries=swaps))


def test_grundy_numbers_and_the_dense_store_are_refused():
    rules = Rules(".x", "..", [put(at, "x").when({at: "."}).named(at).again() for at in (0, 1)], "XO", stuck="loss")
    with pytest.raises(puzzlekit.UsageError, match="a move may keep the turn"):
        Engine(rules).values("again", RunOptions(grundy=True))
    with pytest.raises(puzzlekit.UsageError, match="a move may keep the turn"):
        Engine(rules).enumerate("again", RunOptions(store="dense"))


@pytest.mark.parametrize("kind", [lively_rules, layered_rules])
def test_random_games_are_counted_and_valued_like_a_plain_search(kind):
    rng, kept, valued = random.Random(f"again {kind.__name__}"), 0, 0
    while kept < cases(10, 250):
        rules = kind(rng)
        if not rules.players:
            continue
        moves = [replace(move, keeps_turn=rng.random() < 0.4) for move in rules.moves]
        rules = replace(rules, moves=moves, symmetries=())
        if rng.random() < 0.5:
            rules = symmetrised(rules, rng, keep_symbols=rng.random() < 0.5)
        if not any(move.keeps_turn for move in rules.moves):
            continue
        kept += 1
        engine, plain, layers = compare(rules)
        counts = [(depth.raw_states, depth.open) for depth in engine.enumerate("a", RunOptions(symmetry=False)).depths]
        assert [found[:2] for found in naive(rules.to_data(), 10**6)] == counts
        states = [state for layer in layers for state in layer.raw]
        worth = plain_values(plain, states)
        game = puzzle_of(rules)
        for state in random.Random(kept).sample(sorted(states), min(len(states), 6)):
            if plain.outcome(state) is not None:
                continue
            text = engine.notation.write(bytes(map(plain.symbols.index, state[0])), state[1])
            value, moves = worth.get(state, UNDECIDED)
            report = game.solve(text)
            assert (report.value, report.length if value != "draw" else None) == (value, moves)
            best = set()
            for place, after in plain.successors(state):
                got, left = worth.get(after, UNDECIDED)
                got = got if after[1] == state[1] else TURNED[got]
                if got == value and (value == "draw" or left + 1 == moves):
                    best.add(plain.data["moves"][place]["name"])
            assert set(report.best) == best
            seen = engine.foresee(text, 3, 10**6)[1]
            for each in seen:
                wanted = [
                    (got if after[1] == state[1] else TURNED[got], left + 1)
                    for place, after in plain.successors(state)
                    if plain.data["moves"][place]["name"] == each.move
                    for got, left in [worth.get(after, UNDECIDED)]
                    if left is not None and left < 3
                ]
                assert [(each.value, each.length)] == (wanted or [(None, 0)])
            valued += 1
    assert valued > cases(10, 250)


def test_a_job_is_looked_up_verified_and_proven(tmp_path):
    for name in ("nim again", "chase again"):
        puzzle = puzzle_of(boards.ALL[name])
        report = puzzle.values(out=tmp_path / name)
        job = puzzlekit.open_job(tmp_path / name, lambda *_, puzzle=puzzle: puzzle)
        assert job.verify()["complete"]
        alone = puzzle.solve(puzzle.start)
        looked = puzzle.solve(puzzle.start, job.solver)
        assert (looked.value, looked.best) == (alone.value, alone.best) == (report.start.value, alone.best)
        to = tmp_path / f"{name}.csv"
        job.export(to, text=True)
        texts = [line.rpartition(",")[2].strip('"') for line in to.read_text().splitlines()[1:]]
        states = {
            puzzle.engine.notation.write(bytes(map(plain.symbols.index, cells)), player)
            for plain in [Naive(boards.ALL[name].to_data())]
            for layer in plain.layers()
            for cells, player in layer.states
        }
        assert set(texts) == states


def test_the_computer_moves_as_long_as_it_is_its_turn():
    session = Session(puzzle_of(marks()), "....:X", opponent=True)
    said = session.answer("1")
    assert [line for line in said if line.startswith("I play")] == ["I play 0.", "I play 2."]
    assert session.state == "OXO.:X"
    session.answer("undo")
    assert session.state == "....:X"
    assert not [line for line in session.answer("0") if line.startswith("I play")]  # the person moves again
    session.answer("restart")
    assert session.state == "....:X"
