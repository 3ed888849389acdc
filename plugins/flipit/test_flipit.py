"""Numbers, scrambles, dailies, what play shows, and the article's guess."""

import datetime
import json
from itertools import combinations

import pytest

import puzzlekit
from puzzlekit import UnsolvableError, UsageError
from puzzlekit.play.session import Session
from puzzlekit_flipit import FlipIT, claims, three_presses


def test_numbers_are_bits_with_the_first_cell_lowest():
    puzzle = FlipIT()
    assert puzzle.numbered(0).state == "..../..../..../...."
    assert puzzle.numbered(2).state == ".#../..../..../...."
    assert puzzle.numbered(1 << 15).state == "..../..../..../...#"
    assert puzzle.numbered(65_535).state == "####/####/####/####"
    for number in range(0, 65_536, 911):
        assert puzzle.number(puzzle.numbered(number).state) == number


def test_every_number_can_be_solved_on_four_by_four():
    puzzle = FlipIT()
    for number in range(0, 65_536, 97):
        solution = puzzle.solve(puzzle.numbered(number).state)
        assert solution.optimal
        assert len(set(solution.moves)) == solution.length


@pytest.mark.parametrize("number", [-1, 65_536, "5", 1.5, True])
def test_numbers_out_of_range_are_refused(number):
    with pytest.raises(UsageError, match="give a whole number from 0 to 65535"):
        FlipIT().numbered(number)


def test_some_numbers_cannot_be_solved_on_five_by_five():
    puzzle = FlipIT(5, 5)
    assert puzzle.engine.toggles == (16, 9)
    with pytest.raises(UnsolvableError, match=r"the moves make 2\^16 of all states"):
        puzzle.solve(puzzle.numbered(1).state)


@pytest.mark.parametrize("size", [(4, 4), (5, 5), (3, 4), (6, 6)])
def test_scrambles_take_three_presses_of_different_disks(size):
    puzzle = FlipIT(*size)
    for seed in range(30):
        scrambled = puzzle.scramble(str(seed))
        assert len(set(scrambled.moves)) == 3
        assert puzzle.solve(scrambled.state).length == 3
    assert puzzle.scramble("7") == puzzle.scramble("7")


def test_a_scramble_is_the_same_for_ever():
    assert FlipIT().scramble("7").state == "..##/..#./...#/#.##"
    assert FlipIT().daily("2026-11-21").state == ".#../..#./#.##/...#"


def test_dailies_run_through_all_puzzles_before_one_comes_again():
    puzzle = FlipIT()
    first = datetime.date(2026, 1, 1)
    days = [(first + datetime.timedelta(days=day)).isoformat() for day in range(561)]
    states = [puzzle.daily(day).state for day in days]
    assert len(set(states[:560])) == 560
    assert states[560] == states[0]
    everything = {puzzle._pressed(presses, "").state for presses in combinations(range(16), 3)}
    assert set(states) == everything


def test_boards_too_small_for_three_presses():
    with pytest.raises(UsageError, match="no state of flipit:rows=2,columns=2 takes 3 presses"):
        FlipIT(2, 2).scramble("x")
    assert len(three_presses(FlipIT(2, 6))) > 0


def test_fewest_presses_equal_the_depths_of_enumeration():
    # On 3 by 5 some combinations of presses change nothing, so the fewest have to be looked for.
    puzzle = FlipIT(3, 5)
    assert puzzle.engine.toggles[1] > 0
    report = puzzle.enumerate(symmetry=False)
    lengths = [0] * len(report.depths)
    for presses in range(len(report.depths)):
        for cells in combinations(range(15), presses):
            state = puzzle._pressed(cells, "").state
            lengths[presses] += puzzle.solve(state).length == presses
    # Each state is met once for every set of fewest presses that makes it; there is at least one.
    assert all(found >= depth.states for found, depth in zip(lengths, report.depths, strict=True))
    assert report.raw_states == 2 ** puzzle.engine.toggles[0]


def test_pressed_disks_are_shown_and_pressing_again_undoes():
    puzzle = FlipIT()
    session = Session(puzzle, puzzle.numbered(0).state)
    assert session.answer("1")[:2] == ["[#] #  .  .", " #  #  .  ."]
    session.answer("16")
    # In any order: the first press is undone after the second.
    assert session.answer("1")[:4] == [" .  .  .  .", " .  .  .  .", " .  .  #  #", " .  .  # [#]"]


def test_the_articles_guess_is_wrong(capsys):
    claims.main()
    printed = capsys.readouterr().out
    assert "puzzles of 3 presses: 560 (the article guesses 5,565)" in printed
    assert "up to rotation: 140; up to all symmetries: 77" in printed


def test_the_commands(capsys):
    from puzzlekit.cli.app import run

    assert run(["scramble", "flipit", "--number", "513", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["state"] == "#.../..../.#../...."
    assert run(["scramble", "flipit", "--number", "70000"]) == 2
    assert "the puzzle's number is 70000" in capsys.readouterr().err
    assert run(["scramble", "flipit", "--daily", "2026-11-21"]) == 0
    assert capsys.readouterr().out == ".#../..#./#.##/...#\n"


def test_the_plugin_is_found():
    assert puzzlekit.load("flipit") == FlipIT()
