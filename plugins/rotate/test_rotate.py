"""The functions of the report, the game loop, and the solver for large boards."""

import pytest

import puzzlekit
from puzzlekit import UnsolvableError, UsageError
from puzzlekit_rotate import board2str, create, game_loop, rotate, scramble, solved, valid_rotation


def test_create():
    assert [len(create(n)) for n in (0, 1, 2, 3, 4, 5, 6)] == [0, 0, 4, 9, 16, 25, 0]
    assert create(4) == [chr(letter) for letter in range(ord("a"), ord("p") + 1)]


def test_the_reports_positions():
    assert valid_rotation(create(4), 3)
    assert valid_rotation(create(3), 1)
    assert not valid_rotation(create(5), 10)
    assert not valid_rotation(create(5), 25)
    assert not valid_rotation(create(3), 7)
    assert not any(valid_rotation(create(3), position) for position in (-1, 0, 3, 6, 8, 9, 10, 100))
    assert not valid_rotation([], 1)


def test_the_reports_rotation():
    assert rotate(create(4), 2) == list("afbdegchijklmnop")
    board = create(3)
    assert rotate(board, 3) == board
    assert board == create(3)


def test_functions_and_rules_turn_alike():
    for n in (2, 3, 4, 5):
        puzzle = puzzlekit.load(f"rotate:{n},{n}")
        board = scramble(create(n), 50, "alike")
        state = board2str(board).replace("\n", "/")
        assert puzzle.legal_moves(state) == [str(p) for p in range(1, n * n + 1) if valid_rotation(board, p)]
        for move in puzzle.legal_moves(state):
            assert puzzle.apply(state, move) == board2str(rotate(board, int(move))).replace("\n", "/")


def test_scramble():
    assert scramble(create(4), 10, "seed") == scramble(create(4), 10, "seed")
    assert scramble(create(4), 0) == create(4)
    assert sorted(scramble(create(5), 100)) == create(5)
    assert scramble(create(2), 1) == rotate(create(2), 1)
    assert scramble([], 5) == []


def test_solved():
    assert solved(create(3))
    assert not solved(rotate(create(3), 1))


def test_the_game_loop(monkeypatch, capsys):
    typed = iter(["9", "x", "", "9", "9"])
    monkeypatch.setattr("builtins.input", lambda: next(typed))
    # As in the report's picture: one turn at position 9 of 4 by 4, and three more undo it.
    assert game_loop(rotate(create(4), 9)) == 3
    assert capsys.readouterr().out.splitlines()[-5:] == ["abcd", "efgh", "ijkl", "mnop", "Hooray"]


def test_the_game_loop_of_a_solved_board_is_over_at_once(monkeypatch, capsys):
    monkeypatch.setattr("builtins.input", lambda: pytest.fail("nothing needs to be asked"))
    assert game_loop(create(2)) == 0
    assert capsys.readouterr().out == "ab\ncd\nHooray\n"


def test_the_game_loop_ends_with_the_input(monkeypatch):
    def end():
        raise EOFError

    monkeypatch.setattr("builtins.input", end)
    assert game_loop(rotate(create(2), 1)) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: create("3"), "the size of the board is '3'"),
        (lambda: valid_rotation(create(3), 1.5), "the position is 1.5"),
        (lambda: rotate(list("abc"), 1), "the board has 3 letters"),
        (lambda: scramble(create(3), -1), "the number of turns is -1"),
        (lambda: solved(None), "the board is None"),
        (lambda: rotate("abcd", 1), "the board is 'abcd'; give a list of letters"),
        (lambda: scramble([1, 2, 3, 4], 1), "give a list of letters"),
        (lambda: board2str(list("abcde")), "the board has 5 letters"),
    ],
)
def test_nonsense_is_refused(call, message):
    with pytest.raises(UsageError, match=message):
        call()


def test_which_boards_can_be_solved():
    orders = {2: 4, 3: 362_880, 4: 20_922_789_888_000, 5: 15_511_210_043_330_985_984_000_000}
    for n, order in orders.items():
        assert puzzlekit.load(f"rotate:{n},{n}").engine.group_order == order
    with pytest.raises(UnsolvableError, match="the moves make 4 of all arrangements, and this is none of them"):
        puzzlekit.load("rotate:2,2").solve("ba/cd")


@pytest.mark.parametrize("size", ["3,4", "4,3", "4,4", "5,3", "5,5"])
def test_large_boards_are_solved(size):
    puzzle = puzzlekit.load(f"rotate:{size}")
    for seed in range(100):
        state = puzzle.scramble(str(seed)).state
        solution = puzzle.solve(state)  # it is played through to the goal
        assert solution.solver == "reduction"
        assert solution.length <= 90


@pytest.mark.parametrize("size", ["2,2", "2,3", "2,4", "3,3"])
def test_small_boards_are_solved_with_fewest_turns(size):
    puzzle = puzzlekit.load(f"rotate:{size}")
    reduction = puzzlekit.solvers(puzzle)["reduction"]
    for seed in range(20):
        state = puzzle.scramble(str(seed)).state
        solution = puzzle.solve(state)
        assert solution.optimal
        assert puzzle.solve(state, reduction).length == solution.length
