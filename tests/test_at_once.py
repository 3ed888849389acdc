"""Answers that come at once, for puzzles whose moves generate a large group: in phases, and by sequences of moves."""

from __future__ import annotations

from pathlib import Path

import pytest

import puzzlekit
from puzzlekit import Budget

GALLERY = Path(puzzlekit.__file__).parent / "gallery"
DEFINITIONS = Path(__file__).parents[1] / "plugins" / "twisty" / "definitions"


def answer_of_at_most(puzzle, state, moves):
    """The first answer of at most so many moves, and all that the watch was told until then. Time plays no part."""
    told = []

    def enough(seen):
        told.append(seen)
        return 0 < seen.at_most <= moves

    answer = puzzlekit.optimal(puzzle, state, budget=Budget(cache=False), watch=enough)
    for move in answer.moves:
        state = puzzle.apply(state, move)
    assert puzzle.is_solved(state)
    assert len(answer.moves) <= moves
    return answer, told


def test_a_cube_is_solved_in_phases():
    puzzle = puzzlekit.load(str(GALLERY / "cube3.py"))
    answer, told = answer_of_at_most(puzzle, puzzle.scramble("a").state, 22)
    known = [seen.at_most for seen in told if seen.at_most]
    assert known == sorted(known, reverse=True)
    assert all(most >= len(answer.moves) for most in known)
    assert all(seen.at_least <= len(answer.moves) for seen in told)
    assert not answer.optimal


def test_phases_may_use_powers_that_the_rules_lack():
    """With quarter turns alone, a half turn counts as two moves."""
    puzzle = puzzlekit.load(f"{GALLERY / 'cube3.py'}:half_turns=false")
    answer, _ = answer_of_at_most(puzzle, puzzle.scramble("quarter").state, 32)
    assert not {move for move in answer.moves if str(move).endswith("2")}


@pytest.mark.parametrize("name", ["megaminx", pytest.param("cube-4x4x4", marks=pytest.mark.slow)])
def test_words_solve_what_no_table_holds(name):
    puzzle = puzzlekit.load(str(DEFINITIONS / f"{name}.tws"))
    answer_of_at_most(puzzle, puzzle.scramble("words", moves=300).state, 1_000)


def test_shorter_answers_of_beam_search_are_told_as_they_come():
    puzzle = puzzlekit.load("slider:5,5")
    state = "14,5,9,2,18/8,23,19,12,17/15,0,10,20,4/13,11,21,1,7/16,6,24,3,22"
    _, told = answer_of_at_most(puzzle, state, 115)
    known = [seen.at_most for seen in told if seen.at_most]
    assert known == sorted(known, reverse=True)
    assert len(set(known)) > 1
