"""Tests of rotate: the functions of the report, the game loop, and the solver for large boards."""

import math
from itertools import permutations

import pytest

import puzzlekit
import puzzlekit_rotate
from puzzlekit import LimitError, UnsolvableError, UsageError
from puzzlekit_rotate import board2str, create, game_loop, rotate, scramble, solved, unsolvable, valid_rotation
from puzzlekit_rotate.claims import leading_back


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
    # As in the report's picture: after one turn at position 9 of 4 by 4, three more turns undo it.
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


def test_the_game_loop_says_that_a_board_cannot_be_solved(monkeypatch, capsys):
    monkeypatch.setattr("builtins.input", lambda: pytest.fail("the game would never end"))
    assert game_loop(["b", "a", "c", "d"]) == 0
    assert capsys.readouterr().out == "ba\ncd\nNo turns can solve this board.\n"


def test_thousands_of_digits_are_no_position(monkeypatch, capsys):
    # Python converts no more than 4,300 digits.
    typed = iter(["1" * 5000, "1"])
    monkeypatch.setattr("builtins.input", lambda: next(typed))
    board = create(2)
    for _ in range(3):
        board = rotate(board, 1)
    assert game_loop(board) == 1
    assert capsys.readouterr().out.endswith("ab\ncd\nHooray\n")


def test_unsolvable_is_true_of_just_the_boards_that_turns_do_not_reach():
    puzzle = puzzlekit.load("rotate:2,2")
    for letters in permutations("abcd"):
        state = "".join(letters)
        assert unsolvable(list(letters)) == (puzzle.why_unsolvable(state) is not None)
    assert sum(unsolvable(list(letters)) for letters in permutations("abcd")) == 20
    # Letters may repeat. Then some orders that turns cannot make look like orders that they can make.
    assert [letters for letters in ("aabb", "abab", "abba", "baab", "bbaa") if unsolvable(list(letters))] == [
        "abba",
        "baab",
    ]
    assert not any(unsolvable(scramble(create(n), 50, "x")) for n in (2, 3, 4, 5))
    assert not unsolvable([*create(3)[1:], "a"])


@pytest.mark.parametrize("size", ["2,2", "2,3", pytest.param("3,2", marks=pytest.mark.slow), "2,4"])
def test_why_unsolvable_knows_what_solve_knows(size):
    puzzle = puzzlekit.load(f"rotate:{size}")
    letters = "abcdefgh"[: puzzle.rows * puzzle.columns]
    boards = ["".join(board) for board in permutations(letters)][:: 1 if len(letters) < 8 else 400]
    solvable = 0
    for board in boards:
        # The search itself is asked, since Puzzle.solve would ask why_unsolvable first.
        reason = puzzle.why_unsolvable(board)
        if reason is None:
            assert puzzlekit.optimal(puzzle, board).optimal
            solvable += 1
        else:
            with pytest.raises(UnsolvableError, match=reason):
                puzzlekit.optimal(puzzle, board)
    assert solvable == (len(boards) if len(letters) == 8 else puzzle.count_reachable())
    assert puzzlekit.load("rotate:5,5").why_unsolvable("ba/cdefghijklmnopqrstuvwxy") is None


@pytest.mark.parametrize("size", [(r, c) for r in range(2, 6) for c in range(2, r + 1)])
def test_which_numbers_of_turns_may_end_solved(size):
    # Six turns never lead back to the start, on any size. On the largest sizes, ten turns make 2.5 million
    # arrangements, so no more than 8 turns are tried there.
    longest = 10 if math.prod(size) <= 12 else 8
    expected = [4, 8] if size == (2, 2) else [4, 8, 10]
    assert leading_back(*size, longest) == [turns for turns in expected if turns <= longest]
    # An odd number of turns never leads back either: each turn changes the parity.
    board = list(range(math.prod(size)))
    a, b, c, d = puzzlekit.Grid(*size).block(0)
    board[b], board[c], board[d], board[a] = a, b, c, d
    inversions = sum(board[i] > board[j] for i in range(len(board)) for j in range(i + 1, len(board)))
    assert inversions % 2 == 1


def test_no_scramble_is_solved():
    puzzle = puzzlekit.load("rotate:2,2")
    for moves in (4, 8, 400):
        with pytest.raises(UsageError, match=f"{moves} turns of the one block .* as every multiple of 4 does"):
            puzzle.scramble("x", moves=moves)
    for moves in (1, 2, 3, 5, 6, 7):
        assert not puzzle.is_solved(puzzle.scramble("x", moves=moves).state)
    for size in ("2,2", "2,3", "4,4"):
        with pytest.raises(UsageError, match="moves is 0; give a whole number from 1 to 1000000"):
            puzzlekit.load(f"rotate:{size}").scramble("x", moves=0)
    with pytest.raises(UsageError, match="moves is 'x'"):
        puzzle.scramble("x", moves="x")
    assert puzzlekit.load("rotate").scramble("7", moves=4).moves == ("2", "1", "4", "2")


def test_the_walk_makes_the_turns_of_the_report():
    puzzle = puzzlekit.load("rotate")
    found = puzzlekit.scramblers(puzzle)
    assert list(found) == ["random", "walk"]
    for seed in map(str, range(30)):
        for turns in (1, 5, None):
            walked = puzzle.scramble(seed, scrambler=found["walk"], moves=turns)
            assert len(walked.moves) == (turns or 100)
            assert walked.state.replace("/", "") == "".join(scramble(create(3), turns or 100, seed))


def test_the_walk_never_ends_solved():
    puzzle = puzzlekit.load("rotate:2,2")
    walk = puzzlekit.scramblers(puzzle)["walk"]
    lengths = set()
    for seed in map(str, range(20)):
        walked = puzzle.scramble(seed, scrambler=walk)
        assert not puzzle.is_solved(walked.state)
        lengths.add(len(walked.moves))
    assert lengths == {97, 98, 99}
    for turns in (0, 4):
        with pytest.raises(UsageError):
            puzzle.scramble("x", scrambler=walk, moves=turns)


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
        (lambda: solved(["a"]), "the board has 1 letters; give one of 4, 9, 16 or 25"),
        (lambda: rotate(["a"] * 36, 1), "the board has 36 letters; give one of 4, 9, 16 or 25"),
    ],
)
def test_nonsense_is_refused(call, message):
    with pytest.raises(UsageError, match=message):
        call()


def test_the_names_of_the_report_are_exported():
    names = {"Board", "Position", "board2str", "create", "rotate", "scramble", "solved", "valid_rotation"}
    assert names <= set(puzzlekit_rotate.__all__)
    assert puzzlekit_rotate.Board == list[str]
    assert puzzlekit_rotate.Position is int


def test_which_boards_can_be_solved():
    orders = {2: 4, 3: 362_880, 4: 20_922_789_888_000, 5: 15_511_210_043_330_985_984_000_000}
    for n, order in orders.items():
        assert puzzlekit.load(f"rotate:{n},{n}").engine.group_order == order
    with pytest.raises(UnsolvableError, match="the moves make 4 of all arrangements, and this is none of them"):
        puzzlekit.load("rotate:2,2").solve("ba/cd")


@pytest.mark.parametrize(
    "size", ["3,4", "4,4", "5,5", *(pytest.param(size, marks=pytest.mark.slow) for size in ("4,3", "5,3"))]
)
def test_large_boards_are_solved_by_the_reduction(size):
    puzzle = puzzlekit.load(f"rotate:{size}")
    for seed in range(100):
        # `Puzzle.solve` plays the moves through and checks that they lead to the goal.
        solution = puzzle.solve(puzzle.scramble(str(seed)).state, puzzlekit_rotate.reduction)
        assert (solution.solver, solution.optimal) == ("reduction", False)
        assert solution.length <= 90


def test_the_reduction_heeds_its_limits():
    puzzle = puzzlekit.load("rotate:5,5")
    state = puzzle.scramble("1").state
    with pytest.raises(LimitError, match=r"stopped after \d+ turns, which do not solve the board yet"):
        puzzle.solve(state, puzzlekit_rotate.reduction, watch=lambda progress: progress.states > 0)
    with pytest.raises(LimitError, match="within 2 states"):
        puzzle.solve(state, puzzlekit_rotate.reduction, max_states=2)


def test_large_boards_are_solved_with_fewer_turns_than_the_reduction_makes():
    puzzle = puzzlekit.load("rotate:5,5")
    state = puzzle.scramble("7").state
    solution = puzzle.solve(state, max_states=400_000)
    assert (solution.solver, solution.optimal, solution.limit) == ("optimal", False, "effort")
    assert solution.length <= 55 < puzzle.solve(state, puzzlekit_rotate.reduction).length


@pytest.mark.parametrize("size", ["2,2", "2,3", "2,4", "3,3"])
def test_small_boards_are_solved_with_fewest_turns(size):
    puzzle = puzzlekit.load(f"rotate:{size}")
    reduction = puzzlekit.solvers(puzzle)["reduction"]
    for seed in range(20):
        state = puzzle.scramble(str(seed)).state
        solution = puzzle.solve(state)
        assert solution.optimal
        reduced = puzzle.solve(state, reduction)
        assert (reduced.length, reduced.optimal, reduced.solver) == (solution.length, True, "reduction")
