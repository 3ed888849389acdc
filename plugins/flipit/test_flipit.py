"""Tests of FlipIT: the numbers of states, scrambles, daily puzzles, the lines of play, and the article's guess."""

import datetime
import json
from itertools import combinations, product

import pytest

import puzzlekit
from puzzlekit import Grid, UnsolvableError, UsageError
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


def test_the_scrambler_of_three_presses_is_the_puzzles_own_way():
    for size in ((4, 4), (5, 5)):
        puzzle = FlipIT(*size)
        found = puzzlekit.scramblers(puzzle)
        assert list(found) == ["random", "three-presses"]
        for seed in map(str, range(20)):
            named, own = puzzle.scramble(seed, scrambler=found["three-presses"]), puzzle.scramble(seed)
            assert (named.state, named.moves, named.number) == (own.state, own.moves, own.number)
    # The scrambler `random` draws from all states, and most of these take more than three presses.
    assert puzzle.solve(puzzle.scramble("7", scrambler=found["random"]).state).length > 3
    with pytest.raises(UsageError, match="three-presses chooses itself how many moves it makes"):
        puzzle.scramble("7", scrambler=found["three-presses"], moves=4)


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


@pytest.mark.parametrize(
    ("rows", "columns"), [(2, 5), *(pytest.param(*size, marks=pytest.mark.slow) for size in ((2, 6), (3, 5)))]
)
def test_fewest_presses_equal_the_depths_of_enumeration(rows, columns):
    # On these boards some combinations of presses change nothing, so the fewest have to be looked for.
    puzzle = FlipIT(rows, columns)
    assert puzzle.engine.toggles[1] > 0
    report = puzzle.enumerate(symmetry=False)
    lengths = [0] * len(report.depths)
    for presses in range(len(report.depths)):
        for cells in combinations(range(rows * columns), presses):
            state = puzzle._pressed(cells, "").state
            lengths[presses] += puzzle.solve(state).length == presses
    # `lengths` counts sets of presses. Each state needs at least one set of so many presses; some have several.
    assert all(found >= depth.states for found, depth in zip(lengths, report.depths, strict=True))
    assert report.raw_states == 2 ** puzzle.engine.toggles[0]


def test_pressed_disks_are_shown_and_pressing_again_undoes():
    puzzle = FlipIT()
    session = Session(puzzle, puzzle.numbered(0).state)
    assert session.answer("1")[:2] == ["[#] #  .  .", " #  #  .  ."]
    session.answer("16")
    # The order does not matter: the first press is undone after the second.
    assert session.answer("1")[:4] == [" .  .  .  .", " .  .  .  .", " .  .  #  #", " .  .  # [#]"]


def test_a_random_puzzle_can_be_named_and_played_again(capsys):
    from puzzlekit.cli.app import run

    puzzle = FlipIT()
    for arguments in (("--seed", "7"), ("--daily", "2026-11-21"), ("--moves", "5", "--seed", "7"), ("--number", "513")):
        assert run(["scramble", "flipit", *arguments, "--json"]) == 0
        data = json.loads(capsys.readouterr().out)
        assert puzzle.numbered(int(data["number"])).state == data["state"]
        assert (data["goal"], data["guide"]) == (puzzle.start, puzzle.guide())
        assert run(["scramble", "flipit", *arguments]) == 0
        printed = capsys.readouterr()
        assert printed.out == f"{data['state']}\n"
        assert printed.err.startswith(f"puzzlekit: number {data['number']}")
        assert printed.err.endswith(puzzle.guide() + "\n")
        assert Session(puzzle, data["state"]).greet()[0].startswith(f"flipit, number {data['number']}. Type a move")
    assert run(["info", "flipit", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["goal"], data["start_number"]) == (puzzle.start, "63903")
    assert data["guide"] == puzzle.guide()
    assert run(["info", "flipit"]) == 0
    printed = capsys.readouterr().out
    assert "number      63903 is the start" in printed
    assert printed.endswith(puzzle.guide() + "\n")


def test_play_shows_the_goal_and_the_numbers_of_the_disks():
    greeting = Session(FlipIT(2, 5), FlipIT(2, 5).start).greet()
    assert greeting[3:6] == [
        "The goal:         The disks:",
        " #  #  #  #  #     1  2  3  4  5",
        " #  #  #  #  #     6  7  8  9 10",
    ]


def test_a_number_that_cannot_be_solved_says_so_before_play():
    puzzle = FlipIT(5, 5)
    said = [
        line for line in Session(puzzle, puzzle.numbered(1).state).greet() if line.startswith("This cannot be solved")
    ]
    assert len(said) == 1
    assert not any("cannot be solved" in line for line in Session(puzzle, puzzle.scramble("7").state).greet())


def test_presses_that_were_undone_are_not_counted():
    puzzle = FlipIT()
    scrambled = puzzle.scramble("7")
    session = Session(puzzle, scrambled.state)
    said = session.answer(f"1 2 1 {' '.join(scrambled.moves)} 2")
    assert said[-1] == "Solved in 3 moves. The fewest possible: 3."


def test_a_day_may_be_a_date():
    assert FlipIT().daily(datetime.date(2026, 11, 21)) == FlipIT().daily("2026-11-21")
    with pytest.raises(UsageError, match="is no date"):
        FlipIT().daily(datetime.datetime(2026, 11, 21))


def test_the_articles_guess_is_wrong(capsys):
    claims.main()
    printed = capsys.readouterr().out
    assert "puzzles of 3 presses: 560 (the article guesses 5,565)" in printed
    assert "up to rotation: 140; up to all symmetries: 77" in printed
    assert "a puzzle a day: 1.5 years (the article says 15)" in printed
    assert "sizes on which some boards cannot be solved: 45 of 81, those with a side of 2, 5 or 8" in printed
    assert "independent combinations that change nothing: at most 15" in printed


def test_the_engine_knows_on_which_sizes_some_boards_cannot_be_solved():
    for rows, columns in product(range(2, 11), repeat=2):
        rank, nothing = FlipIT(rows, columns).engine.toggles
        assert rank + nothing == rows * columns
        assert nothing == claims.combinations_that_change_nothing(rows, columns)
        assert (nothing > 0) == bool({2, 5, 8} & {rows, columns})


@pytest.mark.parametrize("side", [2, 5, 8])
def test_pressing_all_disks_of_a_line_but_each_third_changes_nothing(side):
    puzzle = FlipIT(4, side)
    state = puzzle.start
    for column in range(1, side + 1):
        state = puzzle.apply(state, str(column)) if column % 3 else state
    assert state == puzzle.start


def test_on_small_sizes_every_board_that_can_be_solved_is_reached():
    # The boards that can be solved are found by an obvious search without algebra, and compared with all other counts.
    for rows, columns in ((2, 2), (2, 3), (3, 3), (2, 5), (3, 5), (4, 4)):
        grid = Grid(rows, columns)
        flips = [sum(1 << at for at in grid.neighbourhood(cell)) for cell in grid]
        found = {0}
        for flip in flips:
            found |= {board ^ flip for board in found}
        assert len(found) == 2 ** (grid.cells - claims.combinations_that_change_nothing(rows, columns))


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
