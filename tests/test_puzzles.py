"""The five puzzles through the command line: each verb, a scramble solved through a pipe, and a play through a pipe."""

import json

import pytest

import puzzlekit

# The figures of the table in the README: states (symmetric ones apart), the last depth, and the symmetries.
PUZZLES = {
    "flipit": (65_536, 16, 8),
    "rotate": (362_880, 15, 4),
    "rotation": (362_880, 15, 4),
    "slider": (181_440, 31, 1),
    "tictactoe": (5_478, 9, 8),
}


def test_these_are_all():
    assert set(PUZZLES) <= set(puzzlekit.puzzles())


@pytest.mark.parametrize("puzzle", PUZZLES)
def test_the_figures_of_the_readme(puzzle, command):
    data = json.loads(command("enumerate", puzzle, "--json").out)
    assert (data["raw_states"], data["max_depth"], data["symmetry_order"]) == PUZZLES[puzzle]
    assert data["complete"]
    assert f"symmetries  {PUZZLES[puzzle][2]}" in command("info", puzzle).out


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
    assert day.out == command("scramble", puzzle, "--daily", "2026-11-21", "--json").out
    assert day.out != command("scramble", puzzle, "--daily", "2026-11-22", "--json").out
    walk = json.loads(command("scramble", puzzle, "--seed", "7", "--moves", "3", "--json").out)
    assert len(walk["moves"]) == 3


@pytest.mark.parametrize("puzzle", [name for name in PUZZLES if name != "tictactoe"])
def test_a_puzzle_is_played_to_the_end_through_a_pipe(puzzle, command):
    state = puzzlekit.load(puzzle).scramble("7", moves=4).state
    moves = puzzlekit.load(puzzle).solve(state).moves
    typed = "hint\nnonsense\n" + "".join(f"{move}\n" for move in moves)
    result = command("play", puzzle, "--seed", "7", "--moves", "4", given=typed)
    assert (result.code, result.err) == (0, "")
    assert f"Hint: {moves[0]}." in result.out
    assert result.out.endswith(f"Solved in {len(moves)} moves. The fewest possible: {len(moves)}.\n") or len(moves) == 1


def test_a_game_is_played_to_the_end_through_a_pipe(command):
    # Whatever perfect play answers, these are enough moves to fill the board.
    typed = "".join(f"{cell}\n" for cell in [4, *range(9), *range(9)])
    result = command("play", "tictactoe", given=typed)
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines()[-1] in ("The game is over: draw.", "O wins.")
