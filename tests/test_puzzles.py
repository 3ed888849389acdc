"""Each puzzle on the command line: every verb, and through pipes, the solution of a scramble, and a play."""

import json
import re

import pytest

import puzzlekit
from tests import golden

# Every puzzle with golden counts. Each plugin of this repository has some.
PUZZLES = sorted({text_id.partition(":")[0] for text_id in golden.read()})
GAMES = [name for name in PUZZLES if puzzlekit.load(name).engine.is_game]


def test_there_are_puzzles_and_games():
    assert 0 < len(GAMES) < len(PUZZLES)


@pytest.mark.parametrize("puzzle", PUZZLES)
def test_enumerate_and_info_agree(puzzle, command):
    data = json.loads(command("enumerate", puzzle, "--json").out)
    told = command("info", puzzle).out
    assert data["complete"]
    order = data["symmetry_order"]
    assert f"symmetries  {order if order > 1 else 'none'} declared" in told
    if (count := puzzlekit.load(puzzle).count_reachable()) is not None:
        assert count == data["raw_states"]
        assert f"reachable   {count:,} states" in told


@pytest.mark.parametrize("puzzle", PUZZLES)
def test_a_scramble_is_solved_through_a_pipe(puzzle, command):
    scrambled = command("scramble", puzzle, "--seed", "7", "--json")
    solved = command("solve", puzzle, "-", "--json", given=scrambled.out)
    assert (scrambled.code, solved.code) == (0, 0)
    loaded, data = puzzlekit.load(puzzle), json.loads(solved.out)
    state = data["state"]
    assert state == json.loads(scrambled.out)["state"]
    assert data["length"] == len(data["moves"])
    for move in data["moves"]:
        state = loaded.apply(state, move)
    if loaded.engine.is_game:
        assert data["value"] in ("win", "draw", "loss")
        assert loaded.outcome(state) is not None
    else:
        assert loaded.is_solved(state)


@pytest.mark.parametrize("puzzle", PUZZLES)
def test_scrambles_of_a_day_and_of_a_seed(puzzle, command):
    day = command("scramble", puzzle, "--daily", "2026-11-21", "--json")
    assert json.loads(day.out)["state"] == puzzlekit.load(puzzle).daily("2026-11-21").state
    assert day.out == command("scramble", puzzle, "--daily", "2026-11-21", "--json").out
    assert day.out != command("scramble", puzzle, "--daily", "2026-11-22", "--json").out
    walk = json.loads(command("scramble", puzzle, "--seed", "7", "--moves", "3", "--json").out)
    assert len(walk["moves"]) == 3


@pytest.mark.parametrize("puzzle", [name for name in PUZZLES if name not in GAMES])
def test_a_puzzle_is_played_to_the_end_through_a_pipe(puzzle, command):
    state = puzzlekit.load(puzzle).scramble("7", moves=4).state
    moves = puzzlekit.load(puzzle).solve(state).moves
    assert len(moves) > 1
    typed = "hint\nnonsense\n" + "".join(f"{move}\n" for move in moves)
    result = command("play", puzzle, "--seed", "7", "--moves", "4", given=typed)
    assert (result.code, result.err) == (0, "")
    # If the name of the move is the number of a cell, the hint also tells where that cell is.
    assert re.search(rf"Hint: {moves[0]}(, which is row \d+, column \d+)?\.\n", result.out)
    assert result.out.endswith(f"Solved in {len(moves)} moves. The fewest possible: {len(moves)}.\n")


def test_a_game_is_played_to_the_end_through_a_pipe(command):
    # The moves name every cell twice, so they fill the board whatever perfect play answers.
    typed = "".join(f"{cell}\n" for cell in [4, *range(9), *range(9)])
    result = command("play", "tictactoe", given=typed)
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines()[-1] in ("The game is over: draw.", "O wins: you lost.")


@pytest.mark.parametrize(
    ("puzzle", "state", "message"),
    [
        ("slider", "112/345/678", 'has "0" 0 times, where it is always there 1 times'),
        ("slider:4,4", "1,1,3,2,4,5,6,7,8,9,10,11,12,13,14,0", 'has "1" 2 times'),
        ("rotate:4,4", "aaaa/aaaa/aaaa/aaaa", 'has "a" 16 times'),
        ("rotation", "112/456/789", 'has "1" 2 times'),
    ],
)
def test_what_is_no_arrangement_is_refused(puzzle, state, message, command):
    result = command("solve", puzzle, state)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert result.err.count("\n") == 1


@pytest.mark.parametrize("arguments", [("scramble", "rotate", "--seed", "\udcff"), ("solve", "rotate", "-")])
def test_seeds_and_input_that_are_nothing(arguments, command):
    result = command(*arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err.count("\n") == 1


@pytest.mark.parametrize("date", [None, 5, "20250101", "2025-W01-3", "2025-02-30", ""])
@pytest.mark.parametrize("puzzle", ["rotate", "flipit"])
def test_days_that_are_none(date, puzzle):
    with pytest.raises(puzzlekit.UsageError, match="is no date; give one as YYYY-MM-DD"):
        puzzlekit.load(puzzle).daily(date)


def test_perfect_play_may_move_first(command):
    result = command("play", "tictactoe", "--second", given="undo\n1\nundo\nquit\n")
    assert "I play 0." in result.out.splitlines()
    assert "> There is nothing to undo." in result.out
    assert result.out.endswith("> You made 0 moves.\n")
    assert command("play", "rotate", "--second").code == 2
    assert command("play", "tictactoe", "--second", "--two").code == 2


def test_large_boards_of_toggles_are_scrambled_at_once():
    puzzle = puzzlekit.load("flipit:8,8")
    assert puzzle.engine.toggles[1] > 0
    for seed in range(3):
        assert puzzle.solve(puzzle.scramble(str(seed)).state).length == 3


def test_large_boards_of_dials_are_scrambled_evenly():
    scrambled = puzzlekit.load("lights_out:10,5").scramble("0")
    assert scrambled.method == "each reachable state equally likely"
    assert scrambled.state.startswith("1033322341/2003331100/1321313240/")


def distances(puzzle):
    """The fewest moves to the goal from every state that play can reach, by the obvious search of the whole graph."""
    start = puzzle.arrays.encode([puzzle.start]).tobytes()
    width, found, before, pending = len(start), {start}, {}, [start]
    while pending:
        children, parents, _ = puzzle.arrays.expand(b"".join(pending))
        data, new = children.tobytes(), []
        for at, parent in enumerate(parents):
            child = data[at * width : (at + 1) * width]
            before.setdefault(child, []).append(pending[parent])
            if child not in found:
                found.add(child)
                new.append(child)
        pending = new
    # Each of these puzzles has one solved state, its start.
    assert puzzle.is_solved(puzzle.start)
    known, pending = {start: 0}, [start]
    while pending:
        new = []
        for state in pending:
            for other in before.get(state, ()):
                if other not in known:
                    known[other] = known[state] + 1
                    new.append(other)
        pending = new
    assert len(known) == len(found)
    return known


@pytest.mark.parametrize(
    ("text", "each"),
    [
        ("rotate:2,2", None), ("rotate:2,3", None), ("rotate:3,2", None),
        pytest.param("rotate", 5, marks=pytest.mark.slow), pytest.param("rotation", 5, marks=pytest.mark.slow),
        ("slider:2,2", None), ("slider:2,3", None), ("slider:3,2", None),
        pytest.param("slider", 1, marks=pytest.mark.slow),
        ("flipit:2,2", None), ("flipit:2,3", None), ("flipit:3,3", None), ("flipit:3,4", 10), ("flipit:2,5", None),
    ],
)  # fmt: skip
def test_the_fewest_moves_are_those_of_the_whole_graph(text, each):
    puzzle = puzzlekit.load(text)
    known = distances(puzzle)
    assert len(known) == puzzle.count_reachable()
    by_length = {}
    for state, length in known.items():
        by_length.setdefault(length, []).append(state)
    for length, states in by_length.items():
        for state in puzzle.arrays.decode(b"".join(sorted(states)[:each])):
            solution = puzzle.solve(state, puzzlekit.solvers(puzzle)["optimal"])
            assert (solution.length, solution.optimal) == (length, True), state
            after = state
            for move in solution.moves:
                after = puzzle.apply(after, move)
            assert puzzle.is_solved(after)
