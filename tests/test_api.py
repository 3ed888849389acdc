"""The API for single states, for arrays of states, for text ids, and for runs."""

import dataclasses
import json
import os
import pickle
import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass

import numpy as np
import pytest

import puzzlekit
from puzzlekit import JobError, MoveError, PluginError, Puzzle, Rules, RunOptions, StateError, UsageError, jobs, swap
from puzzlekit.play.game import Game
from puzzlekit.puzzle.declaration import made
from puzzlekit.run.options import RunKeywords
from tests import typed
from tests.test_jobs import Board


@pytest.fixture(scope="module")
def game():
    return puzzlekit.load("tictactoe")


def test_play_by_hand(game):
    state = game.start
    assert state == ".../.../...:X"
    assert game.legal_moves(state) == [str(cell) for cell in range(9)]
    for move in ("0", "3", "1", "4", "2"):
        assert game.outcome(state) is None
        state = game.apply(state, move)
    assert state == "XXX/OO./...:O"
    assert game.outcome(state) == "X"
    assert game.legal_moves(state) == []
    assert game.outcome("XOX/XOO/OXX:O") == "draw"


@pytest.mark.parametrize(
    "text",
    ["X.O/.../..X:O", "X.O .../..X : O", "X.O...\n..X:O", " X . O , . . . / . . X ", "X.O/.../..X"],
)
def test_states_are_read_as_people_type_them(game, text):
    assert game.read(text) == "X.O/.../..X:O"


def test_whose_turn_it_is_follows_from_the_marks(game):
    assert game.read("........./") == ".../.../...:X"
    assert game.read("X........") == "X../.../...:O"
    assert game.read("X...O....") == "X../.O./...:X"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has 0 cells; give 9"),
        ("X.", "has 2 cells; give 9"),
        ("X.........", "has 10 cells; give 9"),
        ("X.Z/.../...", 'has "Z" in cell 2, which is no symbol; the symbols are . X O'),
        (".../.../...:Z", 'has "Z" to move; the players are X and O'),
        (".../.../...:", 'has "" to move'),
        (None, "a state is a text, not None"),
    ],
)
def test_nonsense_is_no_state(game, text, message):
    with pytest.raises(StateError) as caught:
        game.read(text)
    assert message in str(caught.value)


def test_moves_that_cannot_be_made(game):
    with pytest.raises(MoveError, match=r'the move "0" cannot be made in X\.\./\.\.\./\.\.\.:O; the moves are 1, 2, 3'):
        game.apply("X........", "0")
    with pytest.raises(MoveError, match="where play is over"):
        game.apply("XXX/OO./...:O", "5")


def test_several_moves_are_made_one_after_another(game, command):
    rotation = puzzlekit.load("rotation")
    after = rotation.apply(rotation.apply(rotation.start, "A"), "B")
    for text in ("A B", " A  B ", 'A "B"'):
        assert rotation.apply(rotation.start, text) == after
    assert rotation.apply(rotation.start, ["A", "B"]) == after
    assert rotation.apply(rotation.start, '"A"') == rotation.apply(rotation.start, "A")
    assert rotation.apply(rotation.start, []) == rotation.start
    with pytest.raises(UsageError, match="move is None; give the names of moves in a list"):
        rotation.apply(rotation.start, None)
    with pytest.raises(MoveError, match=f'the move "X" cannot be made in {after}'):
        rotation.apply(rotation.start, "A B X A")
    with pytest.raises(MoveError, match=r'the move "0" cannot be made in X\.\./'):
        game.apply(game.start, "0 0")
    solved = [json.loads(command("solve", "rotation", *words, "--json").out) for words in ([after], ["--moves", "A B"])]
    assert [(data["state"], data["moves"]) for data in solved] == [(after, solved[0]["moves"])] * 2
    assert "leads from one state" in command("solve", "rotation", "--moves", "A", "--states", "-").err
    with pytest.raises(MoveError):  # `Game.make` takes one move, `Puzzle.apply` several
        Game(rotation, rotation.start).make("A B")


def test_symmetric_states_have_one_canonical_form_and_key(game):
    corners = ["X........", "..X......", "......X..", "........X"]
    assert {game.canonical(state) for state in corners} == {".../.../..X:O"}
    assert len({game.key(state) for state in corners}) == 1
    assert game.key("....X....") != game.key("X........")


def test_keys_are_the_same_for_ever(game):
    # These keys were written down once. If keys changed, results that users have stored by key would be worthless.
    assert game.key(game.start) == 0x4C37A333AD1C144AB8EFF81958C0AF2B
    assert game.key("X........") == 0x491C07CCFFF9B0878E8609C0719298B0
    assert puzzlekit.load("tictactoe:4,4,2").key("X...............") == 0x52E60D8F70DE3BCD72AECC1D01EE0387


def test_arrays(game):
    rows = np.asarray(game.arrays.encode([game.start, "XX./OO./...:X", "XXX/OO./...:O"]))
    assert rows.shape == (3, 10)
    assert rows.dtype == np.uint8
    children, parents, moves = game.arrays.expand(rows)
    assert np.asarray(children).shape == (14, 10)
    assert list(parents) == [0] * 9 + [1] * 5
    assert [game.engine.move_names[move] for move in moves[9:]] == ["2", "5", "6", "7", "8"]
    assert game.arrays.decode(children)[9] == "XXX/OO./...:O"
    canonical = np.asarray(game.arrays.canonical_rows(children))
    assert len(np.unique(canonical[:9], axis=0)) == 3
    assert game.arrays.decode(game.arrays.encode([])) == []
    assert [len(part) for part in game.arrays.expand(game.arrays.encode([]))] == [0, 0, 0]


def test_arrays_of_more_rows_than_are_expanded_at_once():
    """Each block of rows has the successors that it has alone, with the numbers of its own rows."""
    puzzle = puzzlekit.load("slider:3,3")
    one = np.asarray(puzzle.arrays.unrank_rows(range(0, 181_440, 2_016)))
    alone = [np.asarray(part) for part in puzzle.arrays.expand(one)]
    together = [np.asarray(part) for part in puzzle.arrays.expand(np.tile(one, (800, 1)))]
    assert len(one) * 800 > 2 * 32 * 1024
    for column in (0, 2):
        assert np.array_equal(together[column], np.tile(alone[column], (800, 1) if column == 0 else 800))
    first = np.repeat(np.arange(800) * len(one), len(alone[1]))
    assert np.array_equal(together[1], np.tile(alone[1], 800) + first)
    with pytest.raises(StateError, match="cell 0 of the state holds symbol 9"):
        puzzle.arrays.expand(np.concatenate([np.tile(one, (800, 1)), np.full((1, 9), 9, np.uint8), one]))


def test_successors_are_written_into_given_arrays(game):
    rows = np.asarray(game.arrays.encode([game.start, "XX./OO./...:X", "XXX/OO./...:O"]))
    children, parents, moves = out = (
        np.full((20, 10), 7, np.uint8),
        np.full(20, 7, np.uint32),
        np.full(20, 7, np.uint32),
    )
    found = game.arrays.expand(rows, out=out)
    for written, part, plain in zip(out, found, game.arrays.expand(rows), strict=True):
        assert np.array_equal(np.asarray(part), np.asarray(plain))
        assert np.shares_memory(written, np.asarray(part))
        assert (written[14:] == 7).all()
    assert [len(part) for part in game.arrays.expand(game.arrays.encode([]), out=out)] == [0, 0, 0]
    with pytest.raises(UsageError, match="out has room for 13 successors, and there are more; give larger arrays"):
        game.arrays.expand(rows, out=(children[:13], parents, moves))
    with pytest.raises(UsageError, match="out has room for 3 successors"):
        game.arrays.expand(rows, out=(children, parents, moves[:3]))
    with pytest.raises(UsageError, match="out has room for 0 successors"):
        game.arrays.expand(rows, out=(children, parents[:0], moves))
    for wrong, told in (
        ((children, parents), "give three arrays"),
        ((children, parents, moves.astype(np.uint64)), "out for moves cannot be written as numbers of 32 bits"),
        ((children[:, ::2], parents, moves), "out for rows cannot be written as numbers of 8 bits"),
        ((bytes(200), parents, moves), "out for rows cannot be written"),
        ((children, [0] * 20, moves), "out for parents is list; give an array"),
    ):
        with pytest.raises(UsageError, match=told):
            game.arrays.expand(rows, out=wrong)


@pytest.mark.parametrize(
    ("name", "length"), [("rotate:2,2", 24), ("tictactoe", 6046), ("flipit", 2**16), ("slider:2,2", 12)]
)
def test_states_have_numbers(name, length):
    puzzle = puzzlekit.load(name)
    assert puzzle.arrays.index_length() == length
    numbers = [0, 1, length - 1, length // 2]
    rows = puzzle.arrays.unrank_rows(numbers)
    assert puzzle.arrays.rank_rows(rows).tolist() == numbers
    assert len(set(puzzle.arrays.decode(rows))) == 4
    assert puzzle.arrays.rank_rows(puzzle.arrays.encode([puzzle.start]))[0] < length
    assert len(puzzle.arrays.rank_rows(puzzle.arrays.encode([]))) == len(puzzle.arrays.unrank_rows([])) == 0
    with pytest.raises(StateError, match=f"there is no state {length}; numbers go from 0 to {length - 1}"):
        puzzle.arrays.unrank_rows([length])
    for wrong in (-1, 2**64, "1"):
        with pytest.raises(UsageError, match="give a whole number from 0 to"):
            puzzle.arrays.unrank_rows([wrong])


def test_states_without_numbers(game):
    rows = game.arrays.encode([game.start, "OOO/OOO/OOO:X"])
    assert game.arrays.rank_rows(rows).tolist() == [0, 2**64 - 1]
    with pytest.raises(StateError, match="symbols go from 0 to 2"):
        game.arrays.rank_rows(bytes([9] * 10))
    pegs = Board("pegs")
    for asked in (
        pegs.arrays.index_length,
        lambda: pegs.arrays.rank_rows(pegs.arrays.encode([pegs.start])),
        lambda: pegs.arrays.unrank_rows([0]),
    ):
        with pytest.raises(UsageError, match="these rules have no perfect index"):
            asked()


def test_arrays_that_hold_no_states(game):
    with pytest.raises(StateError, match=r"has the shape \(9,\); give rows of 10 bytes"):
        game.arrays.expand(bytes(9))
    with pytest.raises(StateError, match="cell 4 of the state holds symbol 3; symbols go from 0 to 2"):
        game.arrays.expand(bytes([0, 0, 0, 0, 3, 0, 0, 0, 0, 0]))
    with pytest.raises(StateError, match="player 2 is to move"):
        game.arrays.canonical_rows(bytes([0] * 9 + [2]))
    for wrong in (bytes(3), np.zeros((10, 9), np.uint8), np.zeros((2, 20), np.uint8), np.zeros((1, 1, 10), np.uint8)):
        for takes in (game.arrays.decode, game.arrays.expand, game.arrays.canonical_rows):
            with pytest.raises(StateError, match="give rows of 10 bytes"):
                takes(wrong)
    for wrong in (np.zeros((1, 10), np.int64), np.zeros((1, 10), bool)):
        with pytest.raises(StateError, match=r"give unsigned bytes \(numpy.uint8\)"):
            game.arrays.decode(wrong)
    for wrong in ([0] * 10, "X.........", None):
        with pytest.raises(StateError, match="give an array of bytes"):
            game.arrays.expand(wrong)
    columns = np.asfortranarray(np.asarray(game.arrays.encode([game.start, "X........"])))
    assert game.arrays.decode(columns) == [game.start, "X../.../...:O"]
    with pytest.raises(StateError, match="a number too large"):
        game.arrays.decode(bytes([9] * 10))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("tictactoe", "tictactoe"),
        ("tictactoe:3,3,3", "tictactoe"),
        ("tictactoe:4,4,2", "tictactoe:rows=4,columns=4,win=2"),
        ("tictactoe:win=2", "tictactoe:rows=3,columns=3,win=2"),
        ("tictactoe:4,win=2", "tictactoe:rows=4,columns=3,win=2"),
        (" tictactoe : columns = 4 , rows=2 ", "tictactoe:rows=2,columns=4,win=3"),
    ],
)
def test_text_ids_round_trip(text, written):
    puzzle = puzzlekit.load(text)
    assert str(puzzle) == written
    assert puzzlekit.load(written) == puzzle
    assert pickle.loads(pickle.dumps(puzzle)) == puzzle


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nosuch", f'there is no puzzle "nosuch"; the puzzles are {", ".join(puzzlekit.puzzles())}'),
        ("", 'there is no puzzle ""'),
        ("tictactoe:", "has nothing after the colon"),
        ("tictactoe:0,3,3", "rows of tictactoe is 0; give a whole number from 1 to 10"),
        ("tictactoe:11", "rows of tictactoe is 11; give a whole number from 1 to 10"),
        ("tictactoe:-1", "rows of tictactoe is -1"),
        ("tictactoe:3,3,9,9", "gives 4 values, but tictactoe has 3 parameters (rows, columns, win)"),
        ("rotation:3", "gives 1 value, but rotation has 0 parameters (none); leave it out"),
        ("tictactoe:rows=x", 'rows of tictactoe is "x"; give a whole number from 1 to 10'),
        ("tictactoe:rows=", 'rows of tictactoe is ""'),
        ("tictactoe:3,,3", 'columns of tictactoe is ""'),
        ("tictactoe:rows=3,rows=4", "gives rows twice"),
        ("tictactoe:3,rows=4", "gives rows twice"),
        ("tictactoe:depth=3", 'tictactoe has no parameter "depth"; its parameters are rows, columns, win'),
        ("tictactoe:win=2,3", '"tictactoe:win=2,3" gives "3" after a name; give it a name as well'),
        ("tictactoe:1_0", 'rows of tictactoe is "1_0"'),
        ("tictactoe:99999999999999999999", 'rows of tictactoe is "99999999999999999999"'),
    ],
)
def test_text_ids_that_make_no_sense(text, message):
    with pytest.raises(UsageError) as caught:
        puzzlekit.load(text)
    assert message in str(caught.value)


def test_a_puzzle_is_named_by_a_text():
    with pytest.raises(UsageError, match="a puzzle is named by a text, not None"):
        puzzlekit.load(None)


def test_parameters_are_checked_from_python_too():
    kind = puzzlekit.puzzles()["tictactoe"]
    with pytest.raises(UsageError, match="rows of tictactoe is 0"):
        kind(rows=0)
    with pytest.raises(UsageError, match="rows of tictactoe is True"):
        kind(rows=True)


def test_boards_up_to_ten_by_ten_are_accepted():
    report = puzzlekit.load("tictactoe:10,10,10").enumerate(max_depth=2)
    assert [depth.states for depth in report.depths] == [1, 15, 1260]
    assert report.stopped == "max-depth"
    # Every pair of an X and an O, counted without symmetry.
    assert [depth.raw_states for depth in report.depths] == [1, 100, 9900]


def test_a_report_is_complete_when_the_limit_is_not_reached(game):
    assert game.enumerate(max_depth=9).complete
    report = game.enumerate(max_depth=8)
    assert not report.complete
    assert report.max_depth == 8
    assert report.states == 750


@pytest.mark.parametrize(
    "options", [{"max_depth": -1}, {"max_depth": 1.5}, {"threads": 0}, {"threads": 1025}, {"threads": True}]
)
def test_options_that_make_no_sense(game, options):
    ((name, value),) = options.items()
    with pytest.raises(UsageError, match=f"{name} is {value}; give a whole number from"):
        game.enumerate(**options)


def test_watching():
    seen = []

    def note(progress):
        seen.append(progress)
        return len(seen) >= 3 and progress.states >= 105

    report = puzzlekit.load("tictactoe:5,4,4").enumerate(watch=note)
    assert seen
    assert report.stopped == "watch"
    assert not report.complete
    assert [depth.states for depth in report.depths[:3]] == [1, 6, 98]
    assert seen[-1].seconds > seen[0].seconds
    assert seen[-1].depth >= seen[0].depth
    assert 0 <= seen[-1].expanded <= seen[-1].frontier
    assert seen[-1].store_bytes > 0


def test_a_watch_that_raises_stops_the_run():
    called = []

    def fail(progress):
        called.append(progress)
        raise ZeroDivisionError

    # The puzzle has 17 billion states, so the run ends in time only if the error of the watch stops it.
    with pytest.raises(ZeroDivisionError):
        puzzlekit.load("tictactoe:5,5,4").enumerate(watch=fail)
    assert len(called) == 1


def test_the_public_names_are_all_there():
    for name in puzzlekit.__all__:
        assert getattr(puzzlekit, name) is not None


def test_the_public_names_are_listed_and_reached_without_another_import():
    program = """
        import puzzlekit
        assert dir(puzzlekit) == sorted(puzzlekit.__all__)
        print(puzzlekit.jobs.status.__module__, callable(puzzlekit.jobs.Job))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True)
    assert done.stdout == "puzzlekit.jobs.job True\n"


@pytest.mark.parametrize("path", [3, None, 1.5, ["job"]])
def test_what_is_no_path_is_refused(game, path):
    message = re.escape(f"is {path!r}; give the path of a file or folder, as a text or a pathlib.Path")
    for call in (puzzlekit.resume, puzzlekit.open_job, jobs.status, jobs.is_running, jobs.form_of):
        with pytest.raises(UsageError, match=message):
            call(path)
    if path is not None:  # for `enumerate`, `None` means no folder, which is allowed
        with pytest.raises(UsageError, match=message):
            game.enumerate(out=path)


@pytest.mark.parametrize("path", ["", b"", "a\0b", "\ud800"])
def test_what_no_folder_is_called_is_refused(game, path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for call in (puzzlekit.resume, jobs.status, lambda folder: game.enumerate(out=folder)):
        with pytest.raises(JobError, match="which no file or folder is called; give its path"):
            call(path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_may_be_given_as_bytes(game, tmp_path):
    folder = os.fsencode(tmp_path / "job")
    assert game.enumerate(out=folder).complete
    assert jobs.status(folder)["complete"] is True


@pytest.mark.parametrize("states", [None, 3, ".../.../..."])
def test_what_are_no_states_is_refused(game, states):
    with pytest.raises(StateError, match=re.escape(f"states are given as {states!r}; give a list of texts")):
        game.arrays.encode(states)


@pytest.mark.parametrize(
    ("size", "message"),
    [
        ("0", "memory is '0', which leaves no byte; give a size above 0"),
        (0, "memory is 0, which leaves no byte"),
        (-5, "memory is -5, which leaves no byte"),
        ("8EiB", "memory is '8EiB', more than there is anywhere; give a size below 8EiB"),
        ("9" * 400, "give a size such as 500MiB or 4GiB"),
        (10**4000, "memory is a number of more than 30 digits, more than there is anywhere"),
        (True, "memory is True; give a size such as"),
        ("²k", "memory is '²k'; give a size such as"),
        ("\ud800", "give a size such as"),
    ],
)
def test_sizes_that_make_no_sense(game, size, message):
    with pytest.raises(UsageError) as caught:
        game.enumerate(memory=size)
    assert message in str(caught.value)


def test_large_sizes_are_read(game):
    assert game.enumerate(memory="1EiB").complete
    assert game.enumerate(memory="2 PB").complete


def test_a_type_that_is_not_declared_as_it_should_be_is_refused():
    class Undecorated(puzzlekit.Puzzle):
        """No dataclass."""

        id = "undecorated"

    @dataclass(frozen=True)
    class Nameless(puzzlekit.Puzzle):
        """No id."""

    with pytest.raises(
        PluginError, match=r"Undecorated is no frozen dataclass; put @dataclass\(frozen=True\) above it"
    ):
        Undecorated()
    with pytest.raises(PluginError, match='Nameless has no id; write id = "nameless" in the class'):
        Nameless()


@pytest.mark.parametrize("word", ["a\x1b[31m", "a\nb", "\ud800", "\u202ea"])
def test_a_parameter_holds_nothing_that_cannot_be_typed(word):
    @dataclass(frozen=True)
    class Worded(puzzlekit.Puzzle):
        """One word."""

        id = "worded"
        word: str = "x"

    assert Worded("two words").word == "two words"
    with pytest.raises(UsageError, match="give a text without commas, equals signs, control characters, or spaces"):
        Worded(word)


def test_a_text_may_be_empty():
    @dataclass(frozen=True)
    class Walled(puzzlekit.Puzzle):
        """Two texts, of which one is empty unless it is given."""

        id = "walled"
        lake: str = "ab"
        walls: str = ""

    plain, both = Walled(), Walled("", "1-2")
    assert (str(plain), str(Walled(walls="x"))) == ("walled", "walled:lake=ab,walls=x")
    assert str(both) == "walled:lake=,walls=1-2"
    for text, expected in (
        ("", plain),
        ("walls=", plain),
        ("lake=,walls=1-2", both),
        (",1-2", both),
        ("ba,", Walled("ba")),
        ("lake=", Walled("")),
    ):
        assert made(Walled, text) == expected
        assert made(Walled, str(expected).partition(":")[2]) == expected
    with pytest.raises(UsageError, match="walls of walled is ' '; give a text without"):
        Walled(walls=" ")


def test_states_are_counted_without_a_search_even_if_symbols_repeat():
    @dataclass(frozen=True)
    class Row(Puzzle):
        """Neighbours in a row change places."""

        id = "row"
        start_with: str = "abc"

        def rules(self):
            moves = [swap(0, 1), swap(1, 2)]
            return Rules(symbols="abc", start=self.start_with, goal=self.start_with, moves=moves)

    for start, states in (("abc", 6), ("aab", 3)):
        assert Row(start).engine.group_order == 6
        assert Row(start).count_reachable() == states
        assert Row(start).enumerate().raw_states == states


def test_what_authors_type_strictly_runs():
    assert typed.counted() == (6, 2, 2)
    assert typed.asked()[:2] == (1, 1)
    assert typed.Typed().view().looks[1].colour == "red"


def test_the_options_and_the_keywords_of_runs_are_the_same():
    """`RunKeywords` repeats the fields of `RunOptions` for type checkers, so both must agree."""
    options = {field.name: field.type for field in dataclasses.fields(RunOptions)}
    assert {name: given.__forward_arg__ for name, given in RunKeywords.__annotations__.items()} == options


def test_options_are_made_once_and_changed_by_keywords(tmp_path):
    game, options = puzzlekit.load("tictactoe"), RunOptions(max_depth=3, threads=1)
    counts = [54, 334]
    assert [game.enumerate(options).states, game.enumerate(options, symmetry=False).states] == counts
    assert game.enumerate(options, max_depth=2).states == game.enumerate(max_depth=2).states == 16
    assert game.plan(options).store == game.plan(max_depth=3, threads=1).store
    report = game.enumerate(options, out=tmp_path / "job")
    job = puzzlekit.open_job(tmp_path / "job")
    assert job.resume(options).depths == report.depths
    assert job.resume(options, max_depth=4).max_depth == 4
    assert puzzlekit.resume(tmp_path / "job", max_depth=99).complete
    values = game.values(RunOptions(threads=1, distances=True), out=tmp_path / "values")
    assert values.longest.value.moves == 5
    assert options == RunOptions(max_depth=3, threads=1)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda game: game.enumerate(max_dept=3),
            'a run has no option "max_dept"; the options are max_depth, symmetry, ',
        ),
        (lambda game: game.enumerate(3), "the options of a run are 3; give a puzzlekit.RunOptions, or options by name"),
        (
            lambda game: game.enumerate(distances=True),
            "distances is True, and enumerate has no use for it; leave it out",
        ),
        (lambda game: game.values(max_depth=3), "max_depth is 3, and values has no use for it; leave it out"),
        (
            lambda game: game.values(RunOptions(backward=True)),
            "backward is True, and values has no use for it; leave it",
        ),
        (lambda game: game.plan(threads=0), "threads is 0; give a whole number from 1 to "),
        (
            lambda game: game.enumerate(on="processes:2"),
            "on is 'processes:2'; give an executor, such as puzzlekit.shards.",
        ),
        (
            lambda game: game.enumerate(local="there"),
            "local is there, and that is for several processes; say which with",
        ),
    ],
)
def test_options_that_make_no_sense_are_refused(ask, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        ask(puzzlekit.load("tictactoe"))


def test_a_job_goes_on_as_it_was_begun(tmp_path):
    game = puzzlekit.load("tictactoe")
    game.enumerate(out=tmp_path / "job", max_depth=2)
    job = puzzlekit.open_job(tmp_path / "job")
    for options, message in (
        ({"symmetry": False}, "symmetry is False, and the job was begun with True; leave it out"),
        ({"backward": True}, "backward is True, and the job was begun with False; leave it out"),
        ({"local": "there"}, "local is 'there', and a job that goes on has no use for it; leave it out"),
    ):
        with pytest.raises(UsageError, match=re.escape(message)):
            job.resume(**options)
    assert job.resume(RunOptions(symmetry=True)).max_depth == 2
