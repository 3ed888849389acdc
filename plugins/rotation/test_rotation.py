"""The staged solver, the article's claims about it, and the graph that rotation shares with rotate."""

import random
from itertools import permutations

import puzzlekit
from puzzlekit_rotation import claims
from puzzlekit_rotation.staged import MATRICES, WORDS, stages


def test_the_articles_examples():
    puzzle = puzzlekit.load("rotation")
    # Turn C of the article's picture takes 5, 8, 4, 3 clockwise: 5 is then where 8 was.
    before = "129/586/347"
    assert puzzle.apply(before, "C") == "129/356/487"
    # 1 at the bottom left: C, then A.
    assert stages([2, 3, 4, 5, 6, 7, 1, 8, 9])[0] == "CA"


def test_the_words_are_those_of_the_matrices():
    assert WORDS[3][7] == "BBCCCBB"
    assert WORDS[9][3] == "CDDCCC"
    assert WORDS[4][5] == "CCBCBBBCBCBBB"
    assert [sum(word is None for word in words) for words in WORDS.values()] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert list(MATRICES) == [1, 2, 3, 7, 8, 9, 5, 4]


def test_every_board_is_solved_and_the_bound_of_the_article_is_wrong():
    solved = list(range(1, 10))
    for board in map(list, permutations(range(1, 10))):
        stages(board)
        assert board == solved
    most, worst, mean = claims.measure()
    assert most == [4, 3, 12, 3, 7, 7, 8, 13]
    assert (sum(most), sum(claims.CLAIMED.values())) == (57, 53)
    # Some board needs the most turns of every stage at once.
    assert worst == 57
    assert 33.353 < mean < 33.355


def test_staged_solutions_replay_and_are_never_better_than_optimal():
    puzzle = puzzlekit.load("rotation")
    solvers = puzzlekit.solvers(puzzle)
    for seed in range(50):
        state = puzzle.scramble(str(seed)).state
        optimal = puzzle.solve(state)
        assert optimal.optimal
        assert optimal.length <= 15
        assert puzzle.solve(state, solvers["staged"]).length >= optimal.length


def test_rotation_and_rotate_are_the_same_graph():
    rotation, rotate = puzzlekit.load("rotation"), puzzlekit.load("rotate:3,3")
    renamed = str.maketrans("123456789ABCD", "abcdefghi1245")
    state, walk = rotation.start, random.Random(1)
    for _ in range(300):
        assert rotation.legal_moves(state) == ["A", "B", "C", "D"]
        for move in "ABCD":
            after = rotation.apply(state, move)
            assert rotate.apply(state.translate(renamed), move.translate(renamed)) == after.translate(renamed)
        state = rotation.apply(state, walk.choice("ABCD"))
    one, other = rotation.enumerate(), rotate.enumerate()
    assert one.depths == other.depths
    assert one.max_depth == 15
