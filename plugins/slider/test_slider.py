"""Tests of slider: every function of the handout with its example sessions, the parity, and the solvers."""

import random
from itertools import permutations

import pytest

import puzzlekit
import puzzlekit_slider as slider
from puzzlekit import LimitError, UnsolvableError, UsageError
from puzzlekit_slider import (
    generate,
    get_board_size,
    is_solvable,
    is_solved,
    is_valid,
    move,
    move_down,
    move_left,
    move_random,
    move_right,
    move_up,
    play,
    play_interactive,
    print_board,
    reset,
    rotate,
    rotate_keeps_solvable,
    shuffle,
)

SOLVED = "0\t1\t2\n3\t4\t5\n6\t7\t8\n"


def shown(capsys, board):
    print_board(board)
    return capsys.readouterr().out


def test_the_example_game(capsys):
    b = generate(3, 3)
    assert shown(capsys, b) == SOLVED
    assert is_valid(b)
    assert is_solved(b)
    assert get_board_size(b) == (3, 3)
    m = shuffle(b, times=2)
    assert len(m) == 2
    assert reset(b) is None
    assert shown(capsys, b) == SOLVED
    assert move(b, "RD") == 2
    assert shown(capsys, b) == "1\t4\t2\n3\t0\t5\n6\t7\t8\n"
    assert is_valid(b)
    assert not is_solved(b)
    assert move_left(b) == 1
    assert shown(capsys, b) == "1\t4\t2\n0\t3\t5\n6\t7\t8\n"
    assert move_left(b) == 0
    assert shown(capsys, b) == "1\t4\t2\n0\t3\t5\n6\t7\t8\n"
    assert move_up(b) == 1
    assert shown(capsys, b) == "0\t4\t2\n1\t3\t5\n6\t7\t8\n"
    assert move_up(b) == 0
    assert move_random(b) in "RD"
    b = [[1, 4, 2], [0, 3, 5], [6, 7, 8]]
    f = rotate(b)
    assert f == [[6, 0, 1], [7, 3, 4], [8, 5, 2]]
    assert play(f, "LR") == -1
    assert shown(capsys, f) == "6\t0\t1\n7\t3\t4\n8\t5\t2\n"
    assert b == [[1, 4, 2], [0, 3, 5], [6, 7, 8]]
    reset(b)
    assert (move_right(b), move_down(b)) == (1, 1)
    assert play(b, "ULRULDUDULR") == 2
    assert shown(capsys, b) == SOLVED


def session(monkeypatch, capsys, typed, *board):
    """Plays interactively. Gives what is returned and what is printed, with prompts and typed letters."""
    lines = iter(typed)

    def answer(prompt=""):
        try:
            line = next(lines)
        except StopIteration:
            raise EOFError from None
        print(f"{prompt}{line}")
        return line

    monkeypatch.setattr("builtins.input", answer)
    result = play_interactive(*board)
    return result, capsys.readouterr().out


def test_the_first_interactive_session(monkeypatch, capsys):
    b = [[1, 4, 2], [3, 0, 5], [6, 7, 8]]
    result, printed = session(monkeypatch, capsys, ["U", "Z", "L"], b)
    assert result == ("UL", 2)
    assert printed == (
        "Current board is:\n1\t4\t2\n3\t0\t5\n6\t7\t8\nWhere do you want to move: U\n"
        "Current board is:\n1\t0\t2\n3\t4\t5\n6\t7\t8\nWhere do you want to move: Z\nWrong move.\n"
        "Current board is:\n1\t0\t2\n3\t4\t5\n6\t7\t8\nWhere do you want to move: L\n"
        f"Current board is:\n{SOLVED}Congrats! You solved the board in 2 moves.\n"
    )
    assert is_solved(b)


def test_the_second_interactive_session(monkeypatch, capsys):
    b = [[1, 4, 2], [3, 0, 5], [6, 7, 8]]
    result, printed = session(monkeypatch, capsys, ["u", "q"], b)
    assert result == ("U", -1)
    assert printed.endswith("Where do you want to move: q\nExiting.\n")
    assert b == [[1, 0, 2], [3, 4, 5], [6, 7, 8]]


def test_an_interactive_session_without_a_board(monkeypatch, capsys):
    (moves, code), printed = session(monkeypatch, capsys, ["one", "11", "3", "3", "m", "Q"])
    assert (len(moves), code) == (1, -1) or code == 1
    assert printed.startswith("Please type the puzzle size number.\nRow number:one\n")
    assert "Column number:3\nCurrent board is:\n" in printed


def test_thousands_of_digits_are_no_size(monkeypatch, capsys):
    # Python converts no more than 4,300 digits.
    result, printed = session(monkeypatch, capsys, ["3" * 5000, "2", "2", "q"])
    assert result[1] == -1
    assert printed.count("Please give a whole number from 2 to 10.") == 1


def test_letters_are_those_of_the_handout_alone(monkeypatch, capsys):
    # The upper case of this one character is "FL".
    board = [[1, 2, 0], [3, 4, 5]]
    assert move(board, "\ufb02") == 0
    assert board == [[1, 2, 0], [3, 4, 5]]
    assert play(board, "\ufb02\ufb02") == -1
    assert board == [[1, 2, 0], [3, 4, 5]]
    assert move(board, "lLrR") == 4
    _, printed = session(monkeypatch, capsys, ["\ufb02"], board)
    assert printed.count("Wrong move.") == 1


def test_interactive_sessions_that_end_early(monkeypatch, capsys):
    b = [[1, 20, 3], [4, 15, 10]]
    assert session(monkeypatch, capsys, [], b) == (
        ("", -2),
        "The board matrix elements must be between 0:1:row*column-1\n",
    )
    assert session(monkeypatch, capsys, [], generate(2, 2))[0] == ("", 0)
    assert session(monkeypatch, capsys, [], [[1, 0], [2, 3]])[0] == ("", -1)
    assert session(monkeypatch, capsys, [])[0] == ("", -1)
    assert session(monkeypatch, capsys, ["D", "D"], [[1, 0], [2, 3]])[1].count("Wrong move.") == 1


def test_the_names_and_defaults_are_those_of_the_handout():
    import inspect

    signatures = {
        "generate": "(row, column)", "shuffle": "(board, times=20)", "reset": "(board)", "is_valid": "(board)",
        "is_solved": "(board)", "get_board_size": "(board)", "move_right": "(board)", "move_left": "(board)",
        "move_up": "(board)", "move_down": "(board)", "move_random": "(board)", "move": "(board, moves)",
        "rotate": "(board)", "print_board": "(board)", "play": "(board, moves)", "play_interactive": "(board=None)",
    }  # fmt: skip
    for name, expected in signatures.items():
        parameters = inspect.signature(getattr(slider, name)).parameters.values()
        plain = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in parameters]
        assert str(inspect.Signature(plain)) == expected


@pytest.mark.parametrize("size", [(2, 2), (2, 3), (3, 3), (10, 10)])
def test_shuffle_makes_exactly_so_many_moves_and_never_ends_solved(size):
    for times in range(1, 30):
        for seed in range(10):
            random.seed(seed)
            board = generate(*size)
            made = shuffle(board, times)
            assert len(made) == times
            assert not is_solved(board)
            again = generate(*size)
            assert move(again, made) == times
            assert again == board
    assert len(shuffle(generate(2, 2))) == 20


def test_validity():
    assert not any(map(is_valid, ([[0, 1], [2, 2]], [[0, 1, 2], [3, 4]], [[0, 1]], [], None, "ab", [[0, "1"], [2, 3]])))
    assert not is_valid([[1, 2], [3, 4]])
    assert play([[1, 2], [3, 4]], "L") == -2
    assert play(generate(2, 2), "R") == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: generate(1, 3), "row is 1; give a whole number from 2 to 10"),
        (lambda: generate(3, 11), "column is 11"),
        (lambda: shuffle(generate(2, 2), 0), "times is 0; give a whole number from 1"),
        (lambda: move(generate(2, 2), 3), "the moves are 3"),
        (lambda: move_left([[1, 2], [3, 4]]), "is not valid; give one with each number from 0 once"),
        (lambda: shuffle([[0, 0], [0, 0]]), "is not valid"),
        (lambda: reset([[0, 1], [2]]), "rows of equal length"),
        (lambda: rotate([[0, 1], [2]]), "rows of equal length"),
        (lambda: play(generate(2, 2), None), "the moves are None"),
        (lambda: is_solvable([1, 1], 2), "each number from 0 once"),
        (lambda: is_solvable(None, 2), "each number from 0 once"),
        (lambda: is_solvable([], 2), "each number from 0 once"),
        (lambda: is_solvable([[1, 0], [True, 3]]), "each number from 0 once"),
        (lambda: is_solvable([1, 0, 2, 3]), "columns is None for 4 numbers; give a whole number from 2 that divides"),
        (lambda: is_solvable([1, 0, 2, 3], 0), "columns is 0 for 4 numbers"),
        (lambda: is_solvable([1, 0, 2, 3], 3), "columns is 3 for 4 numbers"),
        (lambda: is_solvable([[1], [0], [2]]), "columns is 1 for 3 numbers"),
        (lambda: is_solvable([[1, 0, 2]]), "has one row"),
        (lambda: is_solvable([[1, 0], [2]]), "give rows of equal length"),
        (lambda: is_solvable([[1, 0], [2, 3]], 4), "give rows of equal length and no columns"),
        (lambda: get_board_size(None), "the board is None"),
    ],
)
def test_nonsense_is_refused(call, message):
    with pytest.raises(UsageError, match=message):
        call()


@pytest.mark.parametrize("size", ["2,2", "2,3", "3,2"])
def test_parity_tells_exactly_the_boards_that_can_be_solved(size):
    puzzle = puzzlekit.load(f"slider:{size}")
    boards = list(permutations(range(puzzle.rows * puzzle.columns)))
    assert sum(is_solvable(board, puzzle.columns) for board in boards) == puzzle.enumerate().states
    for board in boards[::7]:
        state = ",".join(map(str, board))
        if is_solvable(board, puzzle.columns):
            assert puzzle.solve(state).optimal
        else:
            with pytest.raises(UnsolvableError, match="its parity is odd"):
                puzzle.solve(state)


def test_solvability_is_asked_of_rows_or_of_numbers():
    for numbers in permutations(range(6)):
        rows = [list(numbers[:3]), list(numbers[3:])]
        assert is_solvable(rows) == is_solvable(numbers, 3) == is_solvable(bytes(numbers), 3) == is_solvable(rows, 3)
    assert is_solvable(generate(10, 10))


def in_rows(numbers, columns):
    return [list(numbers[at : at + columns]) for at in range(0, len(numbers), columns)]


@pytest.mark.parametrize("size", [(2, 2), (2, 3), (3, 2), (2, 4), (4, 2), (3, 3)])
def test_the_shape_tells_whether_a_turned_board_can_be_solved(size):
    # Every board is tried; on 3 by 3, every seventh.
    rows, columns = size
    boards = list(permutations(range(rows * columns)))[:: 7 if size == (3, 3) else 1]
    turned = {is_solvable(rotate(board)) for board in (in_rows(b, columns) for b in boards) if is_solvable(board)}
    assert turned == {rotate_keeps_solvable(rows, columns)}


def test_the_shape_tells_it_for_every_shape():
    always, never = set(), set()
    for rows in range(2, 11):
        for columns in range(2, 11):
            random.seed(rows * 100 + columns)
            for _ in range(2):
                board = generate(rows, columns)
                shuffle(board, 200)
                assert is_solvable(board)
                assert is_solvable(rotate(board)) == rotate_keeps_solvable(rows, columns)
            (always if rotate_keeps_solvable(rows, columns) else never).add((rows, columns))
    # The claims of the README about some sizes.
    assert {(2, 2), (3, 3), (5, 5), (5, 2), (9, 10)} <= always
    assert {(4, 4), (2, 3), (8, 8), (4, 7)} <= never


@pytest.mark.parametrize("rows", range(2, 11))
def test_boards_of_every_shape_are_solved_by_the_reduction(rows):
    for columns in range(2 + rows % 2, 11, 2):
        puzzle = puzzlekit.load(f"slider:{rows},{columns}")
        reduction = puzzlekit.solvers(puzzle)["reduction"]
        for seed in range(1):
            # `Puzzle.solve` plays the moves through and checks that they lead to the goal.
            solution = puzzle.solve(puzzle.scramble(str(seed)).state, reduction)
            assert solution.length < 6 * (rows * columns) ** 1.5


@pytest.mark.parametrize("size", ["2,4", "4,2", "4,4", "5,7"])
def test_many_boards_are_solved_by_the_reduction(size):
    puzzle = puzzlekit.load(f"slider:{size}")
    for seed in range(20):
        solution = puzzle.solve(puzzle.scramble(str(seed)).state, slider.reduction)
        assert solution.solver == "reduction"
        assert solution.length < 6 * (puzzle.rows * puzzle.columns) ** 1.5


def test_the_reduction_heeds_its_limits_and_tells_what_is_proven():
    puzzle = puzzlekit.load("slider:6,6")
    state = puzzle.scramble("1").state
    assert puzzle.solve(state, slider.reduction).optimal is False
    with pytest.raises(LimitError, match=r"stopped after \d+ moves, which do not solve the board yet"):
        puzzle.solve(state, slider.reduction, watch=lambda progress: progress.states > 0)
    with pytest.raises(LimitError, match="within 2 states"):
        puzzle.solve(state, slider.reduction, max_states=2)
    # On boards of at most 3 by 3, the reduction is the search for the fewest moves.
    small = puzzlekit.load("slider")
    assert small.solve("806/547/231", slider.reduction).optimal is True


def test_small_boards_are_solved_with_fewest_moves():
    puzzle = puzzlekit.load("slider")
    assert puzzle.solve("806/547/231").length == 31
    for seed in range(20):
        assert puzzle.solve(puzzle.scramble(str(seed)).state).optimal


def test_large_boards_are_solved_with_fewer_moves_than_the_reduction_makes():
    for text, most in (("slider:6,5", 250), ("slider:7,7", 600)):
        puzzle = puzzlekit.load(text)
        state = puzzle.scramble("7").state
        solution = puzzle.solve(state, max_states=100_000)
        assert (solution.solver, solution.optimal, solution.limit) == ("optimal", False, "effort")
        assert solution.lower_bound <= solution.length <= most < puzzle.solve(state, slider.reduction).length


# The second and the 79th of the hundred boards of R. Korf (1985), and one of the 17 that take 80 moves, which no solver
# may call proven without a search (Brüngger et al. 1999).
@pytest.mark.parametrize(
    ("board", "length"),
    [("13,5,4,10,9,12,8,14,2,3,7,1,0,15,11,6", 55), ("0,1,9,7,11,13,5,3,14,12,4,2,8,6,10,15", 42)],
)
def test_the_fifteen_puzzle_is_solved_with_the_fewest_moves(board, length):
    solution = puzzlekit.load("slider:4,4").solve(board)
    assert (solution.solver, solution.length, solution.optimal, solution.lower_bound) == (
        "optimal",
        length,
        True,
        length,
    )


def test_scrambles_are_solvable_and_the_same_for_ever():
    assert puzzlekit.load("slider").scramble("7").state == "781/326/540"
    puzzle = puzzlekit.load("slider:2,2")
    assert len({puzzle.scramble(str(seed)).state for seed in range(400)}) == 11


def test_the_letters_of_the_handout_on_the_command_line():
    from puzzlekit.play.session import Session

    play = Session(puzzlekit.load("slider"), "142/305/678")
    assert play.answer("u") == ["1 0 2", "3 4 5", "6 7 8"]
    assert play.answer("M")[0] == f"Random move: {play.moves[-1]}."
    assert play.answer("m")[0] == f"Random move: {play.moves[-1]}."
    assert play.answer("q") == [f"You made {len(play.moves)} moves."]
    assert play.over
