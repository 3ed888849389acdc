"""Arrays of states: each row gives the same as the state alone, and the same as a plain search."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from puzzlekit import MoveError
from puzzlekit.run.engine import Engine
from tests import boards
from tests.naive import Naive
from tests.test_oracle import lively_rules, reversible_rules, symmetrised


def check_rows(rules, rng, count):
    """Compares arrays of random states with single states, and with the plain search."""
    engine, naive = Engine(rules), Naive(rules.to_data())
    players = max(len(naive.players), 1)
    states = [
        (tuple(rng.choice(naive.symbols) for _ in naive.start[0]), rng.randrange(players)) for _ in range(count - 1)
    ]
    states.insert(rng.randrange(count), naive.start)

    def row(state):
        return bytes(map(naive.symbols.index, state[0])) + (bytes([state[1]]) if naive.players else b"")

    rows = b"".join(map(row, states))
    children, parents, moves = engine.expand(rows)
    expected = [
        (row(after), place, move) for place, state in enumerate(states) for move, after in naive.successors(state)
    ]
    width = len(row(naive.start))
    data = children.tobytes()
    found = [data[at : at + width] for at in range(0, len(data), width)]
    assert list(zip(found, parents, moves, strict=True)) == expected
    assert engine.canonical_rows(rows).tobytes() == b"".join(row(naive.canonical(state)) for state in states)
    for state in states[:5]:
        cells, player = bytes(map(naive.symbols.index, state[0])), state[1]
        after = {
            place: (bytes(map(naive.symbols.index, cells)), player)
            for place, (cells, player) in naive.successors(state)
        }
        assert engine.core.moves(cells, player) == list(after)
        for place in range(len(engine.move_names)):
            if place in after:
                assert engine.core.apply(cells, player, place) == after[place]
            else:
                with pytest.raises(MoveError, match="cannot be made in"):
                    engine.core.apply(cells, player, place)
    for place, after in naive.successors(naive.start):
        coded = bytes(map(naive.symbols.index, after[0]))
        assert engine.apply(engine.start, engine.move_names[place]) == engine.notation.write(coded, after[1])
    return len(expected)


@pytest.mark.parametrize("name", boards.quickly(sorted(boards.ALL)))
def test_boards_of_every_shape(name):
    rng = random.Random(name)
    check_rows(boards.ALL[name], rng, 200)
    check_rows(replace(boards.ALL[name], symmetries=()), rng, 20)


def test_more_rows_than_one_task_takes():
    assert check_rows(boards.slide(2, 3), random.Random(1), 2500) > 5000


@pytest.mark.parametrize("kind", [lively_rules, reversible_rules])
def test_random_rules(kind):
    made = 0
    for seed in range(150):
        rng = random.Random(seed)
        rules = kind(rng)
        if seed % 3 == 0 and kind is reversible_rules:
            rules = symmetrised(rules, rng, keep_symbols=True)
        made += check_rows(rules, rng, rng.randint(1, 30))
    assert made > 1000


def test_states_that_play_cannot_reach_among_others():
    """A cell that holds a wall in every reachable state takes no bits. States with another wall need wider words."""
    walls = replace(boards.hanoi(3), symbols="ABC#", start="AAA##", goal=[])
    engine = Engine(walls)
    check_rows(walls, random.Random(1), 50)
    # AAAAA and ABC#A, and between them the start.
    rows = bytes([0, 0, 0, 0, 0, 0, 0, 0, 3, 3, 0, 1, 2, 3, 0])
    assert engine.canonical_rows(rows).tobytes() == rows
    assert Counter(engine.expand(rows)[1]) == {
        place: len(engine.core.moves(rows[5 * place : 5 * place + 5], 0)) for place in range(3)
    }
