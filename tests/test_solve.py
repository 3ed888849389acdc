"""Solutions and values: every answer is played through, and every "optimal" is held against the obvious search."""

import json
from collections import deque

import pytest
from hypothesis import given, settings

import puzzlekit
from puzzlekit import LimitError, Rules, UnsolvableError, UsageError, toggle
from puzzlekit.run.engine import Engine
from tests import boards
from tests.naive import Naive
from tests.profiles import cases
from tests.test_oracle import random_rules

PUZZLES = {name: rules for name, rules in boards.ALL.items() if not rules.players}
GAMES = {name: rules for name, rules in boards.ALL.items() if rules.players}


def graph(naive, start=None):
    """The successors of every state that play reaches."""
    start = start or naive.start
    edges, pending = {}, [start]
    while pending:
        state = pending.pop()
        if state not in edges:
            edges[state] = [after for _, after in naive.successors(state)]
            pending += edges[state]
    return edges


def distances(naive, edges):
    """The fewest moves from each state to a solved one, where there is a way."""
    back = {state: [] for state in edges}
    for state, successors in edges.items():
        for after in successors:
            back[after].append(state)
    found = {state: 0 for state in edges if naive.solved(state[0])}
    pending = deque(found)
    while pending:
        state = pending.popleft()
        for before in back[state]:
            if before not in found:
                found[before] = found[state] + 1
                pending.append(before)
    return found


def values(naive, edges):
    """What perfect play comes to in each state: (value, length), by going over all states until nothing changes."""
    found = {}
    for state in edges:
        outcome = naive.outcome(state)
        if outcome in naive.players:
            found[state] = ("win" if naive.players.index(outcome) == state[1] else "loss", 0)
    length = 0
    while True:
        # Each round decides what takes one move more than the round before.
        new = {}
        for state, successors in edges.items():
            if state in found or not successors:
                continue
            after = [found.get(successor) for successor in successors]
            if ("loss", length) in after:
                new[state] = ("win", length + 1)
            elif all(value and value[0] == "win" for value in after):
                new[state] = ("loss", length + 1)
        if not new and length > len(edges):
            return found
        found.update(new)
        length += 1


def text(engine, naive, state):
    return engine.notation.write(bytes(map(naive.symbols.index, state[0])), state[1])


def check_solutions(rules, states):
    engine, naive = Engine(rules), Naive({**rules.to_data(), "symmetries": []})
    edges = graph(naive)
    known = distances(naive, edges)
    for state in list(edges)[:states]:
        written = text(engine, naive, state)
        if state not in known:
            with pytest.raises(UnsolvableError, match="no moves lead from"):
                engine.solve("p", written, 10**6, None)
            continue
        solution = engine.solve("p", written, 10**6, None)
        assert (solution.length, solution.optimal) == (known[state], True)
        for move in solution.moves:
            written = engine.apply(written, move)
        assert engine.is_solved(written)
    return len(known)


@pytest.mark.parametrize("name", PUZZLES)
def test_solutions_are_the_shortest(name):
    # From a free corner, no play of these pegs ends with a single one.
    assert (check_solutions(PUZZLES[name], 400) > 0) == (name != "pegs")


@settings(max_examples=cases(40))
@given(random_rules().filter(lambda rules: not rules.players and rules.goal))
def test_solutions_of_random_rules_are_the_shortest(rules):
    check_solutions(rules, 30)


def check_values(rules, states):
    engine, naive = Engine(rules), Naive({**rules.to_data(), "symmetries": []})
    edges = graph(naive)
    known = values(naive, edges)
    for state in list(edges)[:states]:
        written = text(engine, naive, state)
        solution = engine.solve("g", written, 10**6, None)
        value, length = known.get(state, ("draw", None))
        assert solution.value == value, written
        if value != "draw":
            assert solution.length == length
        best = [
            naive.data["moves"][place]["name"]
            for place, after in naive.successors(state)
            if (value == "draw" and known.get(after, ("draw",))[0] == "draw")
            or (value == "win" and known.get(after) == ("loss", length - 1))
            or (value == "loss" and known.get(after) == ("win", length - 1))
        ]
        assert list(solution.best) == best
        for move in solution.moves:
            written = engine.apply(written, move)


@pytest.mark.parametrize("name", GAMES)
def test_values_are_those_of_the_obvious_search(name):
    check_values(GAMES[name], 200)


@settings(max_examples=cases(40))
@given(random_rules().filter(lambda rules: rules.players))
def test_values_of_random_games(rules):
    check_values(rules, 30)


def test_values_of_tic_tac_toe():
    check_values(puzzlekit.load("tictactoe:2,3,2").rules(), 1000)
    game = puzzlekit.load("tictactoe")
    solution = game.solve(game.start)
    assert (solution.value, solution.length, len(solution.best)) == ("draw", 9, 9)
    # The second player must answer the centre in a corner.
    assert game.solve("..../X....").best == ("0", "2", "6", "8")
    assert game.solve("XX./OO./...").best == ("2",)
    over = game.solve("XXX/OO./...:O")
    assert (over.value, over.moves) == ("loss", ())


def test_a_limit_is_told_apart_from_the_impossible():
    engine = Engine(boards.slide(3, 3))
    with pytest.raises(LimitError, match=r"within 1,000 states and [0-9,]+ bytes of memory; give more") as caught:
        engine.solve("slide", "8,6,7,2,5,4,3,0,1", 1000, None)
    assert caught.value.exit_code == 3
    with pytest.raises(UnsolvableError) as unsolvable:
        engine.solve("slide", "0,2,1,3,4,5,6,7,8", 10**6, None)
    assert unsolvable.value.exit_code == 1


def test_an_arrangement_outside_the_group_is_refused_at_once():
    # One cell stays where it is in every move, and with 5 by 5 no search could tell.
    rules = boards.turn(2, 2)
    with pytest.raises(UnsolvableError):
        Engine(rules).solve("turn", "BACD", 1, None)
    assert Engine(rules).group_order == 4
    assert Engine(boards.turn(3, 3)).group_order == 362_880


def test_toggles_are_solved_by_algebra():
    engine = Engine(boards.lights(3, 3))
    assert engine.toggles == (9, 0)
    # A neighbourhood of crosses on 5 by 5 has two combinations that change nothing (M. Anderson and T. Feil, "Turning
    # lights out with linear algebra", 1998); all 25 lights take 15 presses.
    grid = puzzlekit.Grid(5, 5)
    cross = Rules(
        symbols="01",
        start="0" * 25,
        goal="0" * 25,
        moves=[toggle(cell, *grid.neighbours(cell)) for cell in grid],
    )
    engine = Engine(cross)
    assert engine.toggles == (23, 2)
    solution = engine.solve("lights", "1" * 25, 1, None)
    assert (solution.length, solution.optimal) == (15, True)
    with pytest.raises(UnsolvableError):
        engine.solve("lights", "1" + "0" * 24, 1, None)


def test_there_must_be_something_to_solve():
    no_goal = Rules(symbols="ab", start="a", moves=[toggle(0)])
    with pytest.raises(UsageError, match="the rules have no goal"):
        Engine(no_goal).solve("p", "a", 10, None)


def test_the_command(command):
    result = command("solve", "tictactoe", "XX./OO./...")
    assert (result.code, result.out) == (0, "2\n")
    assert "win for the player to move, best moves 2; 1 move, by optimal" in result.err
    assert (
        "draw for the player to move, best moves 1 3 5 7; 6 moves" in command("solve", "tictactoe", "X../.O./..X").err
    )
    data = json.loads(command("solve", "tictactoe", "XX./OO./...", "--json").out)
    seconds = data.pop("seconds")
    assert seconds >= 0
    assert data == {
        "schema": "puzzlekit.solve/1",
        "puzzle": "tictactoe",
        "state": "XX./OO./...:X",
        "moves": ["2"],
        "length": 1,
        "optimal": True,
        "solver": "optimal",
        "value": "win",
        "best": ["2"],
    }


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("tictactoe", "XX"), 2, 'the state "XX" has 2 cells; give 9'),
        (("tictactoe", "--max-states", "5"), 3, "no answer for .../.../...:X within 5 states"),
        (("tictactoe", "--max-states", "0"), 2, "max_states is 0"),
        (("tictactoe", "--memory", "5k"), 3, "within 20,000,000 states and 5,120 bytes of memory"),
        (("slider:4,4", "0,2,1,3/4,5,6,7/8,9,10,11/12,13,14,15", "--memory", "1MiB"), 1, "its parity is odd"),
        (
            ("slider:4,4", "15,14,8,12/10,11,9,13/2,6,5,1/3,7,4,0", "--solver", "optimal", "--memory", "9MB"),
            3,
            "9,000,000",
        ),
        (("tictactoe", "--memory", "much"), 2, "memory is 'much'; give a size such as 500MiB or 4GiB"),
        (("nosuch",), 2, 'there is no puzzle "nosuch"'),
    ],
)
def test_what_the_command_refuses(command, arguments, code, message):
    result = command("solve", *arguments)
    assert (result.code, result.out) == (code, "")
    assert message in result.err
    assert result.err.count("\n") == 1
