"""Solutions and values: the moves of every answer are made, and optimal ones are compared with a plain search."""

import dataclasses
import inspect
import itertools
import json
import random
import time
from collections import deque
from pathlib import Path

import pytest
from hypothesis import given, settings

import puzzlekit
from puzzlekit import (
    Answer,
    Budget,
    Copy,
    End,
    LimitError,
    Move,
    PluginError,
    Progress,
    Rules,
    Solver,
    Stage,
    StateError,
    UnsolvableError,
    UsageError,
    count,
    put,
    toggle,
)
from puzzlekit.cli.solve import describe
from puzzlekit.play.hint import how_far
from puzzlekit.run.engine import Engine
from puzzlekit.run.solver import LOOK_EVERY
from tests import boards
from tests.naive import Naive
from tests.profiles import cases
from tests.test_oracle import random_rules
from tests.worth import TURNED, UNDECIDED, plain_values

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


def distances(edges, goals):
    """The fewest moves from each state to any of the goals, if there is a way."""
    back = {state: [] for state in edges}
    for state, successors in edges.items():
        for after in successors:
            back[after].append(state)
    found = dict.fromkeys(goals, 0)
    pending = deque(found)
    while pending:
        state = pending.popleft()
        for before in back[state]:
            if before not in found:
                found[before] = found[state] + 1
                pending.append(before)
    return found


def solved(naive, edges):
    """The states that satisfy the goal."""
    return [state for state in edges if naive.solved(state[0])]


def text(engine, naive, state):
    return engine.notation.write(bytes(map(naive.symbols.index, state[0])), state[1])


def check_solutions(rules, states):
    engine, naive = Engine(rules), Naive({**rules.to_data(), "symmetries": []})
    edges = graph(naive)
    known = distances(edges, solved(naive, edges))
    for state in list(edges)[:states]:
        written = text(engine, naive, state)
        if state not in known:
            with pytest.raises(UnsolvableError, match="no moves lead from"):
                engine.solve(written, Budget())
            continue
        solution = engine.solve(written, Budget())
        assert (len(solution.moves), solution.optimal, solution.lower_bound) == (known[state], True, known[state])
        for move in solution.moves:
            written = engine.apply(written, move)
        assert engine.is_solved(written)
    return len(known)


@pytest.mark.parametrize("name", PUZZLES)
def test_solutions_are_the_shortest(name):
    # With a corner free at the start, no play of these pegs ends with a single one, so no state can be solved.
    assert (check_solutions(PUZZLES[name], 100) > 0) == (name != "pegs")


@settings(max_examples=cases(15, 400))
@given(random_rules().filter(lambda rules: not rules.players and rules.goal))
def test_solutions_of_random_rules_are_the_shortest(rules):
    check_solutions(rules, 30)


def check_values(rules, states):
    engine, naive = Engine(rules), Naive({**rules.to_data(), "symmetries": []})
    edges = graph(naive)
    known = plain_values(naive, edges)
    for state in list(edges)[:states]:
        written = text(engine, naive, state)
        solution = engine.solve(written, Budget())
        value, length = known.get(state, ("draw", None))
        assert solution.value == value, written
        if value != "draw":
            assert len(solution.moves) == length
        best = [
            naive.data["moves"][place]["name"]
            for place, after in naive.successors(state)
            for worth, left in [known.get(after, UNDECIDED)]
            if (worth if after[1] == state[1] else TURNED[worth], left) == (value, length and length - 1)
        ]
        assert list(solution.best) == best
        for move in solution.moves:
            written = engine.apply(written, move)


def check_scores(rules, states, scores):
    """Compares the points of some states with those that are given, and plays the moves that are told."""
    engine, whole, naive = Engine(rules), Naive(rules.to_data()), Naive({**rules.to_data(), "symmetries": []})
    for state in list(graph(naive))[:states]:
        points = scores[state][1]
        found = engine.solve(text(engine, naive, state), Budget())
        assert (found.value, found.score) == scores[state], state
        if naive.outcome(state) is not None:
            continue
        # A move that keeps the turn leads to the points of the same player.
        keeps = [
            naive.data["moves"][place]["name"]
            for place, after in naive.successors(state)
            if scores[after][1] == (points if after[1] == state[1] else -points)
        ]
        assert found.best
        assert set(found.best) <= set(keeps), state
        at, met = state, []
        for name in found.moves:
            met.append(whole.canonical(at))
            (at,) = {after for place, after in naive.successors(at) if naive.data["moves"][place]["name"] == name}
            assert scores[at][1] == (points if at[1] == state[1] else -points), state
        endless = naive.data["score"]["endless"] * (1 - 2 * state[1])
        assert naive.outcome(at) is not None or (points == endless and whole.canonical(at) in met), state


@pytest.mark.parametrize("name", GAMES)
def test_values_are_those_of_the_obvious_search(name):
    check_values(GAMES[name], 200)


@settings(max_examples=cases(40))
@given(random_rules().filter(lambda rules: rules.players))
def test_values_of_random_games(rules):
    check_values(rules, 30)


def test_a_draw_that_is_there_at_once_hides_no_win():
    """P can draw at once, or go on and win. The look-ahead must not keep that Q has a draw where P would not take it.

    Q opens. P draws, or goes. Q has two moves, and after each P wins, or goes late, which leaves Q a move that draws.
    The count in a guard keeps the game from the search by masks.
    """
    opened, went, one, other, won, late, drawn, ended = range(8)

    def move(player, cell, when):
        return put(cell, player).by(player).when({cell: ".", **when})

    stones = count("Q", at_least=1, of=[one, other])
    moves = [
        move("Q", opened, {}).named("open"),
        move("P", drawn, {went: "."}).named("draw"),
        move("P", went, {}).named("go"),
        move("Q", one, {went: "P", other: "."}).named("one"),
        move("Q", other, {went: "P", one: "."}).named("other"),
        move("P", late, {won: "."}).when(stones).named("late"),
        move("P", won, {late: "."}).when(stones).named("win"),
        move("Q", ended, {late: "P"}).named("end"),
    ]
    ends = [End("draw", {drawn: "P"}), End("draw", {ended: "Q"})]
    rules = Rules(".PQ", "." * 8, moves, "QP", ends=ends, stuck="loss")
    check_values(rules, 20)
    assert Engine(rules).solve("........:Q", Budget()).value == "loss"


def test_values_of_tic_tac_toe():
    check_values(puzzlekit.load("tictactoe:2,3,2").rules(), 1000)
    game = puzzlekit.load("tictactoe")
    solution = game.solve(game.start)
    assert (solution.value, solution.length, len(solution.best)) == ("draw", 9, 9)
    # The second player must answer the centre with a corner.
    assert game.solve("..../X....").best == ("0", "2", "6", "8")
    assert game.solve("XX./OO./...").best == ("2",)
    over = game.solve("XXX/OO./...:O")
    assert (over.value, over.moves) == ("loss", ())


def test_a_limit_is_told_apart_from_the_impossible():
    engine = Engine(boards.slide(3, 3))
    with pytest.raises(LimitError, match="within 1,000 states; give more with --max-states") as caught:
        engine.solve("8,6,7,2,5,4,3,0,1", Budget(1000))
    assert caught.value.exit_code == 3
    with pytest.raises(UnsolvableError) as unsolvable:
        engine.solve("0,2,1,3,4,5,6,7,8", Budget())
    assert unsolvable.value.exit_code == 1


def test_an_arrangement_outside_the_group_is_refused_at_once():
    # No move changes a certain cell. On 5 by 5, no search could tell that the goal cannot be reached.
    rules = boards.turn(2, 2)
    with pytest.raises(UnsolvableError):
        Engine(rules).solve("BACD", Budget(1))
    assert Engine(rules).group_order == 4
    assert Engine(boards.turn(3, 3)).group_order == 362_880


def test_toggles_are_solved_by_algebra():
    engine = Engine(boards.lights(3, 3))
    assert engine.toggles == (9, 0)
    # On 5 by 5 with crosses as neighbourhoods, two independent combinations change nothing (M. Anderson and T. Feil,
    # "Turning lights out with linear algebra", 1998). All 25 lights take 15 presses.
    grid = puzzlekit.Grid(5, 5)
    cross = Rules(
        symbols="01",
        start="0" * 25,
        goal="0" * 25,
        moves=[toggle(cell, *grid.neighbours(cell)) for cell in grid],
    )
    engine = Engine(cross)
    assert engine.toggles == (23, 2)
    solution = engine.solve("1" * 25, Budget(1))
    assert (len(solution.moves), solution.optimal) == (15, True)
    with pytest.raises(UnsolvableError):
        engine.solve("1" + "0" * 24, Budget(1))


def test_presses_that_do_not_undo_themselves_are_no_toggles():
    # In play, the cell holds a or b. From c, two presses lead on to e, so they do not cancel.
    swaps = {"a": "b", "b": "a", "c": "d", "d": "e", "e": "c"}
    engine = Engine(Rules("abcde", "a", [Move({0: Copy(0, map=swaps)}).named("on")]))
    assert (engine.toggles, engine.dials) == (None, (2, 1, 0))
    swaps = {"a": "b", "b": "a", "c": "d", "d": "c"}
    engine = Engine(Rules("abcd", "a", [Move({0: Copy(0, map=swaps)}).named("on")]))
    assert (engine.toggles, engine.dials) == ((1, 0), None)


def test_dials_are_solved_by_algebra():
    # Each press turns a light and its neighbours through three colours. On 4 by 4, 14 presses are independent.
    grid = puzzlekit.Grid(4, 4)
    crosses = [(cell, *grid.neighbours(cell)) for cell in grid]
    once = [toggle(*cells).named(f"{cells[0]}") for cells in crosses]
    back = [Move(then={cell: Copy(cell, advance=2) for cell in cells}).named(f"-{cells[0]}") for cells in crosses]
    engine = Engine(Rules(symbols="012", start="0" * 16, goal="0" * 16, moves=once))
    assert (engine.toggles, engine.dials) == (None, (3, 14, 2))
    solution = engine.solve("1" * 16, Budget(1))
    assert (len(solution.moves), solution.optimal) == (8, True)
    assert all(solution.moves.count(move) == 2 for move in solution.moves)
    # The additional moves undo the first ones, so they add no independent moves.
    both = Engine(Rules(symbols="012", start="0" * 16, goal="0" * 16, moves=[*once, *back]))
    assert both.dials == (3, 14, 2)
    solution = both.solve("1" * 16, Budget(1))
    assert (len(solution.moves), solution.optimal) == (4, True)
    assert all(move.startswith("-") for move in solution.moves)
    with pytest.raises(UnsolvableError, match=r"the moves make 3\^14 of all states"):
        both.solve("1" + "0" * 15, Budget(1))
    # Algebra says nothing of a state with a symbol that play never brings there. A search finds the answer.
    turn = {"0": "1", "1": "2", "2": "0"}
    on = Move(then={cell: Copy(cell, map=turn) for cell in (0, 1)}).named("on")
    wall = Engine(Rules(symbols="012#", start="00#", goal="00#", moves=[on]))
    assert wall.solve("22#", Budget(1)).moves == ("on",)
    with pytest.raises(UnsolvableError, match="no moves lead from ##0 to the goal"):
        wall.solve("##0", Budget(10))


def test_there_must_be_something_to_solve():
    no_goal = Rules(symbols="ab", start="a", moves=[toggle(0)])
    with pytest.raises(UsageError, match="the rules have no goal"):
        Engine(no_goal).solve("a", Budget(10))


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
        "proven": True,
        "best": ["2"],
        "method": "alpha-beta",
        "reason": "only some of the positions that can follow are needed",
    }


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("tictactoe", "XX"), 2, 'the state "XX" has 2 cells; give 9'),
        (("tictactoe", "--max-states", "0"), 2, "--max-states is 0"),
        (("slider:4,4", "0,2,1,3/4,5,6,7/8,9,10,11/12,13,14,15", "--memory", "1MiB"), 1, "its parity is odd"),
        (
            ("slider:4,4", "15,14,8,12/10,11,9,13/2,6,5,1/3,7,4,0", "--solver", "optimal", "--memory", "90k"),
            3,
            "92,160 bytes of memory; give more with --memory",
        ),
        (("tictactoe", "--memory", "much"), 2, "memory is 'much'; give a size such as 500MiB or 4GiB"),
        (("nosuch",), 2, 'there is no puzzle "nosuch"'),
    ],
)
def test_what_the_command_refuses(process, arguments, code, message):
    result = process("solve", *arguments)
    assert (result.code, result.out) == (code, "")
    assert message in result.err
    assert result.err.count("\n") == 1


ROTATION = puzzlekit.load("rotation")
SIX_TURNS = "412/653/789"  # the turns AAABBB solve this state


def test_the_engines_solver_is_a_solver_like_any_other():
    asked = ROTATION.solve(SIX_TURNS, puzzlekit.optimal)
    default = ROTATION.solve(SIX_TURNS)
    answer = puzzlekit.optimal(ROTATION, SIX_TURNS)
    assert asked.moves == default.moves == answer.moves == ("A", "A", "A", "B", "B", "B")
    assert (default.solver, default.optimal, default.lower_bound) == ("optimal", True, 6)
    assert default.to_data()["lower_bound"] == 6


def test_a_solver_is_given_what_it_names():
    given = {}

    def everything(puzzle, state, *, budget, watch):
        given.update(puzzle=puzzle, state=state, budget=budget, stop=watch(Progress()))
        return puzzlekit.optimal(puzzle, state, budget=budget, watch=watch)

    def only_budget(puzzle, state, budget):
        given.update(budget=budget)
        return puzzlekit.optimal(puzzle, state, budget=budget)

    def whatever(puzzle, state, **options):
        given.update(options=set(options))
        return puzzlekit.optimal(puzzle, state, **options)

    def plain(puzzle, state):
        return list(puzzlekit.optimal(puzzle, state).moves)

    watched = []
    report = ROTATION.solve("412653789", everything, max_states=5000, memory="1MiB", seconds=50, watch=watched.append)
    assert given == {"puzzle": ROTATION, "state": SIX_TURNS, "budget": Budget(5000, 2**20, 50), "stop": False}
    assert watched[0] == Progress()
    assert (report.solver, report.optimal, report.length) == ("everything", True, 6)
    assert ROTATION.solve(SIX_TURNS, only_budget, max_states=4999).optimal
    assert given["budget"].max_states == 4999
    assert given["budget"].memory > 2**20
    assert ROTATION.solve(SIX_TURNS, whatever).optimal
    assert given["options"] == {"budget", "watch"}
    report = ROTATION.solve(SIX_TURNS, plain)
    assert (report.length, report.optimal, report.lower_bound) == (6, False, None)
    assert "lower_bound" not in report.to_data()


def test_what_a_solver_answers_is_in_the_report():
    stages = (Stage("undo B", 0), Stage("undo A", 3), Stage("rest", 6))

    def clever(_puzzle, _state):
        return Answer(tuple("AAABBB"), lower_bound=4, searched={"states": 17}, stages=stages)

    report = ROTATION.solve(SIX_TURNS, clever)
    assert (report.optimal, report.lower_bound, report.stages, report.searched) == (False, 4, stages, {"states": 17})
    data = report.to_data()
    assert data["schema"] == "puzzlekit.solve/1"
    assert (data["lower_bound"], data["searched"]) == (4, {"states": 17})
    assert data["stages"] == [
        {"name": "undo B", "begins": 0},
        {"name": "undo A", "begins": 3},
        {"name": "rest", "begins": 6},
    ]
    assert ROTATION.solve(SIX_TURNS, lambda *_: Answer(list("AAABBB"))).moves == tuple("AAABBB")
    # If a solver gives as many moves as its lower bound, the report calls them the fewest.
    assert ROTATION.solve(SIX_TURNS, lambda *_: Answer(tuple("AAABBB"), lower_bound=6)).optimal
    assert ROTATION.solve(SIX_TURNS, lambda *_: Answer(tuple("AAABBB"), optimal=True)).lower_bound == 6
    assert ROTATION.solve(ROTATION.start, lambda *_: []).optimal


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (["A"], "the solver wrong leads from 412/653/789 to 642/513/789, which is not solved; report it"),
        (
            ["A", "E"],
            'to 642/513/789, and the move "E" cannot be made in 642/513/789; the moves are A, B, C, D; report',
        ),
        (None, "the solver wrong failed on 412/653/789 with TypeError: 'NoneType' object is not iterable"),
        (Answer(tuple("AAABBB"), lower_bound=7), "gives 6 moves from 412/653/789, against the bound of 7"),
        (Answer(tuple("AAABBB"), optimal=True, lower_bound=5), "against the bound of 5"),
        (Answer(tuple("AAABBB"), stages=(Stage("a", 4), Stage("b", 2))), "its stages begin after 4, 2 moves"),
        (Answer(tuple("AAABBB"), value="win"), "gives 412/653/789 a value or best moves, which are for games"),
        (Answer(tuple("AAABBB"), stages=(Stage("a", 7),)), "its stages begin after 7 moves, and gives 6 moves"),
    ],
)
def test_an_answer_is_not_believed_before_it_is_played(answer, message):
    def wrong(_puzzle, _state):
        return answer

    with pytest.raises(PluginError) as caught:
        ROTATION.solve(SIX_TURNS, wrong)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Answer(("2",), value="draw"), "calls a draw XX./OO./...:X, and its play leads to XXX/OO./...:O, a win"),
        (Answer(("2",)), "gives no value to XX./OO./...:X, and its play leads to XXX/OO./...:O, a win"),
        (Answer(("3",), value="win"), 'and the move "3" cannot be made'),
        (Answer(("5",), value="win"), "calls a win XX./OO./...:X, and its play leads to XX./OOX/...:O, a draw"),
        (
            Answer(("2",), value="win", best=("2", "0")),
            "calls 0 a best move in XX./OO./...:X, and it cannot be made there",
        ),
        (Answer((), value="draw", best=("3",)), "calls 3 a best move in XX./OO./...:X, and it cannot be made there"),
        (Answer(("2",), value="win", proven=False), "gives XX./OO./...:X the value win, and says it is not proven"),
    ],
)
def test_best_play_is_not_believed_before_it_is_played(answer, message):
    game = puzzlekit.load("tictactoe")
    good = game.solve("XX./OO./...", lambda *_: Answer(("2",), optimal=True, value="win", best=("2",)))
    assert (good.value, good.best, good.lower_bound) == ("win", ("2",), None)
    # A solver may give a value without the moves of best play, or a move without a value.
    short = game.solve("XX./OO./...", lambda *_: Answer((), value="win", best=("2",)))
    assert (short.value, short.moves, short.optimal, short.proven) == ("win", (), False, True)
    unknown = game.solve("XX./OO./...", lambda *_: Answer(("2",), best=("2",), proven=False))
    assert (unknown.value, unknown.best, unknown.proven) == (None, ("2",), False)
    with pytest.raises(PluginError) as caught:
        game.solve("XX./OO./...", lambda *_: answer)
    assert message in str(caught.value)


def test_a_solver_that_fails_is_named():
    def fails(_puzzle, _state):
        raise ZeroDivisionError("by accident")

    def errs(puzzle, state):
        return puzzle.apply(state, "Z")

    def refuses(_puzzle, _state):
        raise UnsolvableError("no way")

    with pytest.raises(
        PluginError, match=r"the solver fails failed on .* with ZeroDivisionError: by accident \(test_s"
    ):
        ROTATION.solve(SIX_TURNS, fails)
    with pytest.raises(PluginError, match='the solver errs failed on 412/653/789: the move "Z" cannot be made in'):
        ROTATION.solve(SIX_TURNS, errs)
    with pytest.raises(
        PluginError, match=r"the solver <lambda> failed on .* with TypeError: 'NoneType' object is not it"
    ):
        ROTATION.solve(SIX_TURNS, lambda *_: Answer(None))
    with pytest.raises(UnsolvableError, match=r"^no way$"):
        ROTATION.solve(SIX_TURNS, refuses)
    with pytest.raises(PluginError, match=r'the solver "<lambda>" takes \(only\); let it take the puzzle'):
        ROTATION.solve(SIX_TURNS, lambda only: only)
    with pytest.raises(PluginError, match=r'the solver "dict" is .*, which has no signature; let it take'):
        ROTATION.solve(SIX_TURNS, dict)


def endless(_puzzle, _state):
    """Moves one by one, without an end."""
    while True:
        yield "A"


def test_time_and_a_watch_stop_any_solver():
    for puzzle, state, solver in ((ROTATION, SIX_TURNS, endless),):
        with pytest.raises(LimitError, match=r"no answer for .* within 0.2 seconds; give more") as caught:
            puzzle.solve(state, solver, seconds=0.2)
        assert caught.value.exit_code == 3
        seen = []
        with pytest.raises(LimitError, match="stopped"):
            puzzle.solve(state, solver, seconds=100, watch=lambda progress, seen=seen: seen.append(progress) or True)
        # When the watch has stopped the search, it is not called again.
        assert len(seen) == 1


def test_the_engines_solver_measures_its_time_itself():
    puzzle = puzzlekit.load("slider:4,4")
    state = puzzle.read("15,14,8,12/10,11,9,13/2,6,5,1/3,7,4,0")
    answer = puzzlekit.optimal(puzzle, state, budget=Budget(seconds=0.5))
    assert (answer.optimal, answer.limit) == (False, "seconds")
    assert 0 < answer.lower_bound < len(answer.moves)


def test_a_watch_is_called_no_more_often_than_it_can_be_shown():
    seen = []

    def busy(_puzzle, _state, *, watch):
        for states in range(10_000):
            assert not watch(Progress(states=states))
        return "AAABBB"

    begun = time.monotonic()
    ROTATION.solve(SIX_TURNS, busy, watch=seen.append)
    assert 1 <= len(seen) <= 2 + (time.monotonic() - begun) / LOOK_EVERY


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"max_states": 0}, "max_states is 0; give a whole number from 1"),
        ({"seconds": 0}, "seconds is 0; give a number of seconds above 0"),
        ({"seconds": "5"}, "seconds is '5'"),
        ({"memory": "much"}, "memory is 'much'"),
    ],
)
def test_limits_that_make_no_sense_are_refused_for_every_solver(option, message):
    for solver in (None, endless):
        with pytest.raises(UsageError, match=message):
            ROTATION.solve(SIX_TURNS, solver, **option)


def test_the_command_takes_a_time(command):
    result = command("solve", "slider:4,4", "15,14,8,12/10,11,9,13/2,6,5,1/3,7,4,0", "--seconds", "0.5")
    assert result.code == 0
    assert "what ran out: seconds; give more with --seconds" in result.err


def test_the_protocol_is_documented_with_its_exact_signature():
    page = (Path(__file__).parent.parent / "docs" / "plugins.md").read_text(encoding="utf-8")
    chapter = page.partition("### `puzzlekit_register_solvers(register)`")[2].partition("\n## ")[0]
    signature = str(inspect.signature(Solver.__call__)).replace("(self, ", "(").replace("'", "")
    assert signature == "(puzzle: Any, state: str, /, *, budget: Budget, watch: Watch) -> Answer"
    assert f"`{signature}`" in chapter
    for kind in (Budget, Answer, Stage):
        for field in dataclasses.fields(kind):
            assert f"`{field.name}`" in chapter, f"{kind.__name__}.{field.name}"


@pytest.mark.parametrize(
    "numbers",
    [
        pytest.param([17], id="long"),  # its first solution is so long that no proof seems to be within reach
        pytest.param(range(1, 101), id="all", marks=pytest.mark.slow),
    ],
)
def test_the_boards_of_korf_take_as_many_moves_as_is_known(numbers):
    puzzle = puzzlekit.load("slider:4,4")
    lines = (Path(__file__).parent / "fixtures" / "fifteen.txt").read_text(encoding="utf-8").splitlines()
    boards = [line.split() for line in lines if not line.startswith("#")]
    assert len(boards) == 100
    for _, board, length in (boards[number - 1] for number in numbers):
        solution = puzzle.solve(board, puzzlekit.optimal)
        assert (solution.length, solution.optimal) == (int(length), True), board


def test_pancakes_are_solved_by_what_flips_do_not_part():
    """The stack has 40 pancakes, for which no search that stores states finds a solution."""
    order = random.Random(40).sample(range(40), 40)
    rows = [f"p{place}" for place in range(40)]
    start = ",".join(f"p{place}" for place in order)

    @dataclasses.dataclass(frozen=True)
    class Stack(puzzlekit.Puzzle):
        id = "stack"

        def rules(self):
            flips = [puzzlekit.Move({at: puzzlekit.Copy(size - 1 - at) for at in range(size)}) for size in range(2, 41)]
            return puzzlekit.Rules(symbols=rows, start=rows, moves=flips, goal=[rows])

    solution = Stack().solve(start)
    # Each pair of neighbours that are not neighbours in the goal needs a move of its own.
    places = [*(rows.index(f"p{place}") for place in order), 40]
    gaps = sum(abs(a - b) != 1 for a, b in itertools.pairwise(places))
    assert solution.optimal
    assert solution.lower_bound == solution.length >= gaps


def test_another_goal_is_reached_with_the_fewest_moves():
    """The goals are the first row alone, and one tile alone. A search that uses only `apply` finds as few moves."""
    puzzle = puzzlekit.load("slider")
    state = "806/547/231"
    for goal in ("012/???/???", "???/???/??8", "8 ? ? ? ? ? ? ? ?", "876/543/210"):
        wanted = {at: mark for at, mark in enumerate(goal.replace("/", "").replace(" ", "")) if mark != "?"}
        seen, frontier, depth = {state}, [state], 0
        while not any(all(text.replace("/", "")[at] == mark for at, mark in wanted.items()) for text in frontier):
            found = {puzzle.apply(text, move) for text in frontier for move in puzzle.legal_moves(text)}
            frontier, depth = sorted(found - seen), depth + 1
            seen |= found
        solution = puzzle.solve(state, goal=goal)
        assert (solution.length, solution.optimal) == (depth, True), goal
        assert solution.solver == "optimal"


STONES = """
from dataclasses import dataclass

from puzzlekit import Puzzle, Rules, swap


@dataclass(frozen=True)
class Stones(Puzzle):
    '''Two stones step to the empty cell.'''

    id = "stones"

    def rules(self):
        steps = [(a, b) for a in range(3) for b in range(3) if a != b]
        moves = [swap(a, b).when({a: own, b: "."}).named(f"{a}{b}").by(own) for own in "XO" for a, b in steps]
        return Rules(symbols=".XO", start="XO.", players="XO", moves=moves)
"""


def test_who_is_taken_to_be_to_move_is_told(command, tmp_path):
    path = tmp_path / "stones.py"
    path.write_text(STONES, encoding="utf-8")
    told = command("solve", str(path), "XO.").err
    assert "X is taken to be to move, which the state does not say; add :O for O to move" in told
    assert "taken to be" not in command("solve", str(path), "XO.:O").err
    assert "taken to be" not in command("solve", str(path)).err
    # The marks of this game tell whose turn it is.
    assert "taken to be" not in command("solve", "tictactoe", "XX./OO./...").err


def test_only_some_moves_are_made():
    solution = ROTATION.solve("413/526/789", only_moves=["A"])
    assert solution.moves == ("A", "A", "A")
    with pytest.raises(UnsolvableError, match="only the moves A, B were allowed, and others may lead there"):
        ROTATION.solve("123/456/897", only_moves=["A", "B"])
    with pytest.raises(UnsolvableError) as caught:
        puzzlekit.load("slider").solve("021/345/678", goal="012/345/678", only_moves="UDLR")
    assert "allowed" not in str(caught.value)
    assert puzzlekit.load("slider").solve("142/305/678", goal="1?2/3?5/???", only_moves="UDLR").length == 0


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"goal": "1?2"}, StateError, 'the goal "1.2" has 3 cells; give 9, with . for any symbol'),
        ({"goal": "1?2345x78"}, StateError, 'the goal "1.2345x78" has "x"; the symbols are'),
        ({"only_moves": ["A", "Z"]}, UsageError, 'there is no move "Z"; the moves are A, B, C, D'),
        ({"goal": "123456789", "solver": endless}, UsageError, "leave the other solver out"),
    ],
)
def test_aims_that_make_no_sense_are_refused(options, kind, message):
    with pytest.raises(kind, match=message):
        ROTATION.solve(SIX_TURNS, **options)
    with pytest.raises(UsageError, match="a game has no goal to reach"):
        puzzlekit.load("tictactoe").solve(".........", goal="?????????")


def test_the_states_of_a_file_are_solved_one_by_one(command, tmp_path):
    states = tmp_path / "states.txt"
    states.write_text(f"{SIX_TURNS}\n\n123456789\nnonsense\n412653789\n", encoding="utf-8")
    result = command("solve", "rotation", "--states", str(states))
    lines = [json.loads(line) for line in result.out.splitlines()]
    assert [line.get("length") for line in lines] == [6, 0, None, 6]
    assert lines[2]["error"].startswith('the state "nonsense" has')
    assert {line["schema"] for line in lines} == {"puzzlekit.solve/1"}
    assert result.code == 2
    piped = command("solve", "rotation", "--states", "-", "--goal", "1????????", given=f"{SIX_TURNS}\n")
    assert (piped.code, json.loads(piped.out)["optimal"]) == (0, True)
    for arguments, message in (
        (("--states", str(tmp_path / "nowhere")), "cannot be read: No such file"),
        ((SIX_TURNS, "--states", "-"), "give one of them"),
        ((SIX_TURNS, "--only-moves", "A,Z"), 'there is no move "Z"'),
    ):
        refused = command("solve", "rotation", *arguments)
        assert (refused.code, refused.out) == (2, "")
        assert message in refused.err


def test_a_value_without_best_play_tells_no_number_of_moves():
    """In large games the value and a best move may be known, when all the moves of best play would take too long."""

    def only_value(puzzle, state):
        return Answer((), optimal=False, value="loss", best=(puzzle.legal_moves(state)[0],))

    report = puzzlekit.load("tictactoe").solve("X.O/.../...", only_value)
    assert (report.lacks_moves, report.to_data()["length"]) == (True, None)
    assert "loss for the player to move, after a number of moves that is not known" in str(report)
    assert describe(report) == "loss for the player to move, a best move 1; --distance finds all best moves"
    assert how_far(report) == "loss, in a number of moves that is not known"
