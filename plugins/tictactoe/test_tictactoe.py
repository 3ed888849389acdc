"""The functions and the game object of the handout, with the results that it prints."""

import copy

import pytest

import puzzlekit
from puzzlekit import UsageError
from puzzlekit_tictactoe import (
    TicTacToe,
    TicTacToeGame,
    generate_all_unique_games,
    horizontal_flip,
    rotate,
    vertical_flip,
)

# The output in the handout, by size: the grid after a horizontal flip, after a vertical flip, and for square grids
# after one, two and three turns.
PRINTED = {
    (2, 2): ([2, 3, 0, 1], [1, 0, 3, 2], [[2, 0, 3, 1], [3, 2, 1, 0], [1, 3, 0, 2]]),
    (2, 3): ([3, 4, 5, 0, 1, 2], [2, 1, 0, 5, 4, 3], []),
    (3, 3): (
        [6, 7, 8, 3, 4, 5, 0, 1, 2],
        [2, 1, 0, 5, 4, 3, 8, 7, 6],
        [[6, 3, 0, 7, 4, 1, 8, 5, 2], [8, 7, 6, 5, 4, 3, 2, 1, 0], [2, 5, 8, 1, 4, 7, 0, 3, 6]],
    ),
    (4, 3): ([9, 10, 11, 6, 7, 8, 3, 4, 5, 0, 1, 2], [2, 1, 0, 5, 4, 3, 8, 7, 6, 11, 10, 9], []),
    (4, 4): (
        [12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3],
        [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12],
        [
            [12, 8, 4, 0, 13, 9, 5, 1, 14, 10, 6, 2, 15, 11, 7, 3],
            [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
            [3, 7, 11, 15, 2, 6, 10, 14, 1, 5, 9, 13, 0, 4, 8, 12],
        ],
    ),
}


@pytest.mark.parametrize("size", PRINTED)
def test_flips_and_turns_are_those_of_the_handout(size):
    across, along, turns = PRINTED[size]
    solved = list(range(size[0] * size[1]))
    grid = solved.copy()
    for flip, expected in ((horizontal_flip, across), (vertical_flip, along)):
        flip(*size, grid)
        assert grid == expected
        flip(*size, grid)
        assert grid == solved
    for expected in turns:
        rotate(*size, grid)
        assert grid == expected


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: horizontal_flip(2, 2, [1, 2, 3]), "the grid has 3 elements; give a list of 4"),
        (lambda: vertical_flip(0, 2, []), "lines is 0"),
        (lambda: vertical_flip(2, 2, None), "the grid has None"),
        (lambda: rotate(2, 3, list(range(6))), "cannot be turned in place"),
        (lambda: TicTacToeGame(0, 3), "rows of tictactoe is 0"),
        (lambda: TicTacToeGame().play(9), "there is no cell 9; give a whole number from 0 to 8"),
        (lambda: TicTacToeGame().play("0"), "there is no cell '0'"),
        (lambda: generate_all_unique_games(11), "rows of tictactoe is 11"),
    ],
)
def test_nonsense_is_refused(call, message):
    with pytest.raises(UsageError, match=message):
        call()


def walked(game):
    game.reset()
    while game.has_next():
        game.next()
        yield "/".join(
            "".join(game.board[cell] for cell in game.transformed[at : at + game.columns])
            for at in range(0, len(game.board), game.columns)
        ).replace(" ", ".")


def test_symmetries_are_walked_in_the_handouts_order():
    game = TicTacToeGame()
    for cell in (0, 2, 3):
        game.play(cell)
    before = game.board.copy()
    expected = [
        "X.O/X../...",  # the identity
        ".XX/.../..O",  # three turns
        ".../..X/O.X",
        "O../.../XX.",
        "XX./.../O..",  # a flip
        "O.X/..X/...",  # three turns
        "..O/.../.XX",
        ".../X../X.O",
    ]
    assert list(walked(game)) == expected
    assert list(walked(game)) == expected
    assert game.board == before
    with pytest.raises(UsageError, match="all 8 symmetries have been seen"):
        game.next()


def test_a_board_that_is_not_square_has_four():
    game = TicTacToeGame(4, 5)
    for cell in (0, 2, 3):
        game.play(cell)
    assert list(walked(game)) == [
        "X.OX./...../...../.....",
        "...../...../...../X.OX.",
        "...../...../...../.XO.X",
        ".XO.X/...../...../.....",
    ]
    with pytest.raises(UsageError, match="all 4 symmetries have been seen"):
        game.next()


def test_boards_as_text():
    game = TicTacToeGame()
    game.play(0)
    game.play(2)
    game.reset()
    game.next()
    assert game.to_string_transformed() == str(game) == " X |   | O\n-----------\n   |   |\n-----------\n   |   |"
    game.next()
    assert game.to_string_transformed() == "   |   | X\n-----------\n   |   |\n-----------\n   |   | O"


def test_games_that_are_the_same_up_to_symmetry():
    def game(*cells, size=(3, 3)):
        made = TicTacToeGame(*size)
        for cell in cells:
            made.play(cell)
        return made

    assert game(0).equals_with_symmetry(game(8))
    assert game(1, 4).equals_with_symmetry(game(3, 4))
    assert not game(0).equals_with_symmetry(game(1))
    assert not game(0).equals_with_symmetry(game(0, size=(3, 4)))
    assert game(0, size=(3, 4)).equals_with_symmetry(game(11, size=(3, 4)))
    assert not game(1, size=(3, 4)).equals_with_symmetry(game(4, size=(3, 4)))


def test_play_is_checked():
    game = TicTacToeGame(2, 2, 2)
    game.play(0)
    with pytest.raises(UsageError, match="cell 0 holds X already"):
        game.play(0)
    game.play(1)
    game.play(2)
    assert game.outcome == "X"
    with pytest.raises(UsageError, match="the game is over: X"):
        game.play(3)


# The handout's five tables. For each level: its games, and those that are still played; won by X, won by O, and draws.
TABLES = {
    (3, 3, 3): (
        [(1, 1), (3, 3), (12, 12), (38, 38), (108, 108), (174, 153), (204, 183), (153, 95), (57, 34), (15, 0)],
        (765, 91, 44, 3),
    ),
    (2, 2, 2): ([(1, 1), (1, 1), (2, 2), (2, 0)], (6, 2, 0, 0)),
    (2, 2, 3): ([(1, 1), (1, 1), (2, 2), (2, 2), (2, 0)], (8, 0, 0, 2)),
    (4, 3, 2): (
        [(1, 1), (4, 4), (36, 36), (172, 98), (439, 245), (1006, 167), (639, 91), (379, 13), (50, 2), (6, 0)],
        (2732, 1285, 790, 0),
    ),
    (4, 4, 2): (
        [
            (1, 1), (3, 3), (33, 33), (219, 141), (913, 587), (3338, 883), (4702, 1217), (7048, 511), (2724, 194),
            (1119, 0),
        ],
        (20100, 10189, 6341, 0),
    ),
}  # fmt: skip


@pytest.mark.parametrize("size", TABLES)
def test_enumeration_counts_what_the_handout_prints(size):
    levels, (games, won_by_x, won_by_o, draws) = TABLES[size]
    report = TicTacToe(*size).enumerate()
    assert [(depth.states, depth.open) for depth in report.depths] == levels
    assert report.states == games
    assert report.outcomes == {"X": won_by_x, "O": won_by_o, "draw": draws}


@pytest.mark.parametrize("size", [size for size in TABLES if size != (4, 4, 2)])  # that one takes Python half a minute
def test_all_unique_games_are_those_of_the_handout(size):
    expected, (games, *outcomes) = TABLES[size]
    levels = generate_all_unique_games(*size)
    assert [(len(level), sum(game.outcome is None for game in level)) for level in levels] == expected
    found = [game.outcome for level in levels for game in level]
    assert (len(found), [found.count(outcome) for outcome in ("X", "O", "draw")]) == (games, outcomes)
    first = [game for level in levels[:4] for game in level]
    assert not any(a.equals_with_symmetry(b) for at, a in enumerate(first) for b in first[:at] if a.level == b.level)


def test_comparing_leaves_a_game_as_it_was():
    game, other = TicTacToeGame(), TicTacToeGame()
    game.play(1)
    other.play(3)
    seen = 0
    game.reset()
    while game.has_next():  # a comparison within the loop does not disturb the walk through the symmetries
        game.next()
        reached = game.transformed.copy()
        assert game.equals_with_symmetry(other)
        assert game.transformed == reached
        seen += 1
    assert seen == 8


def test_games_are_equal_by_their_boards():
    game, other = TicTacToeGame(), TicTacToeGame()
    assert game == other
    game.play(0)
    assert game != other
    other.play(0)
    other.next()
    other.next()
    assert game == other
    assert TicTacToeGame(3, 4) != TicTacToeGame(4, 3)
    assert TicTacToeGame(3, 3, 2) != TicTacToeGame(3, 3, 3)
    assert game != "X../.../...:O"
    assert repr(game) == "<TicTacToeGame(3, 3, 3) at X../.../...:O>"
    with pytest.raises(TypeError, match="unhashable"):
        hash(game)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_a_copy_is_a_game_of_its_own(copied):
    game = TicTacToeGame()
    game.play(4)
    game.next()
    game.next()
    other = copied(game)
    assert other == game
    assert other.transformed == game.transformed
    other.play(0)
    other.next()
    assert (game.state, other.state) == (".../.X./...:O", "O../.X./...:X")
    assert other.transformed != game.transformed


def test_perfect_play():
    game = puzzlekit.load("tictactoe")
    assert game.solve(game.start).value == "draw"
    assert game.solve("X.O/.../...").value == "win"
    assert game.solve("X../.O./..X").best == ("1", "3", "5", "7")
    # Four by four with three in a row is won at once by a double threat.
    assert puzzlekit.load("tictactoe:4,4,3").solve("..../..../..../....").value == "win"
