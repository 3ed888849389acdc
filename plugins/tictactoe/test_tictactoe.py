"""The functions and the game object of the handout, with the results that it prints."""

import pytest

import puzzlekit
from puzzlekit import UsageError
from puzzlekit_tictactoe import TicTacToeGame, generate_all_unique_games, horizontal_flip, rotate, vertical_flip

# What the handout prints: after one flip of each kind, and after one, two and three turns where the grid is square.
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


@pytest.mark.parametrize("size", ["3,3,3", "2,2,2", "2,2,3", "4,3,2"])
def test_all_unique_games_are_those_that_enumeration_counts(size):
    levels = generate_all_unique_games(*map(int, size.split(",")))
    report = puzzlekit.load(f"tictactoe:{size}").enumerate()
    assert [len(level) for level in levels] == [depth.states for depth in report.depths]
    assert [sum(g.outcome is None for g in level) for level in levels] == [depth.open for depth in report.depths]
    games = [game for level in levels[:4] for game in level]
    assert not any(a.equals_with_symmetry(b) for at, a in enumerate(games) for b in games[:at] if a.level == b.level)


def test_perfect_play():
    game = puzzlekit.load("tictactoe")
    assert game.solve(game.start).value == "draw"
    assert game.solve("X.O/.../...").value == "win"
    assert game.solve("X../.O./..X").best == ("1", "3", "5", "7")
    # Four by four with three in a row is won at once by a double threat.
    assert puzzlekit.load("tictactoe:4,4,3").solve("..../..../..../....").value == "win"
