"""Play line by line: through a pipe, and by every command of a session."""

import signal
import subprocess
import sys
from dataclasses import dataclass

import pytest

import puzzlekit
from puzzlekit import LimitError, Puzzle, Rules, toggle
from puzzlekit.play.session import WORDS, Session
from puzzlekit.run.solver import Answer, as_solver
from tests import boards
from tests.gallery import FILES
from tests.nursery import Command


@dataclass(frozen=True)
class Slide(Puzzle):
    """Sliding tiles on two rows of three."""

    id = "slide"

    def rules(self) -> Rules:
        return boards.slide(2, 3)


@dataclass(frozen=True)
class Lights(Puzzle):
    """Three lights. A press toggles two, so only half of all states can be solved."""

    id = "lights"

    def rules(self) -> Rules:
        moves = [toggle(0, 1).named("first"), toggle(1, 2).named("last")]
        return Rules(symbols="01", start="000", goal="000", moves=moves)


@pytest.fixture
def session():
    return Session(Slide(), "1,4,2,3,0,5")


def test_solving_by_hand(session):
    assert session.greet() == [
        "slide. Type a move, or: moves, random, undo, hint, solve, show, restart, help, quit.",
        "Sliding tiles on two rows of three.",
        "Goal: 012/345",
        "1 4 2",
        "3 0 5",
    ]
    assert session.answer("moves") == ["Moves: up left right"]
    assert session.answer("up") == ["1 0 2", "3 4 5"]
    assert not session.over
    assert session.answer(" left ") == ["0 1 2", "3 4 5", "Solved in 2 moves. The fewest possible: 2."]
    assert session.over


@dataclass(frozen=True)
class Letters(Puzzle):
    """Switches. Two have names that differ in case alone, and one has the name of a short command."""

    id = "letters"

    def rules(self) -> Rules:
        moves = [puzzlekit.toggle(cell).named(name) for cell, name in enumerate(("A", "a", "B", "Q"))]
        return Rules(symbols="01", start="1111", goal="0000", moves=moves)


def test_small_letters_do_for_capital_ones():
    session = Session(Letters(), "1111")
    assert session.answer("b") == ["1 1 0 1"]
    assert session.answer("a") == ["1 0 0 1"]
    assert session.answer("A") == ["0 0 0 1"]
    # `q` means the move `Q` here, not the command to quit.
    assert session.answer("q")[0] == "0 0 0 0"
    assert session.moves == ["B", "a", "A", "Q"]


def test_a_random_move_and_short_commands(session):
    seen = set()
    for _ in range(60):
        shown = session.answer("m")
        assert shown[0] == f"Random move: {session.moves[-1]}."
        seen.add(shown[0])
        session.answer("restart")
    assert seen == {"Random move: up.", "Random move: left.", "Random move: right."}
    assert session.answer("UP") == ["1 0 2", "3 4 5"]
    assert session.answer("Q") == ["You made 1 move."]
    assert session.over


def test_help_tells_what_each_word_does(session):
    shown = session.answer("help")
    assert [line.split()[0] for line in shown[:-1]] == [*WORDS]
    assert shown[-1] == "A line may have several moves, such as up left"
    assert all(word in session.answer("")[0] for word in WORDS)


@dataclass(frozen=True)
class Spaced(Puzzle):
    """Names of moves have spaces."""

    id = "spaced"

    def rules(self) -> Rules:
        return Rules("01", "000", [toggle(0, 1).named("0 L"), toggle(1, 2).named("1 R")], goal="101")


def test_names_with_spaces_are_quoted_wherever_moves_are_listed():
    session = Session(Spaced(), "000")
    assert session.answer("moves") == ['Moves: "0 L" "1 R"']
    assert session.answer("solve") == ['Solution: 2 moves: "0 L" "1 R"']
    assert session.answer("help")[-1] == 'A line may have several moves, such as "0 L" "1 R"'
    assert str(Spaced().solve("000")).splitlines()[-1] == '"0 L" "1 R"'
    assert session.answer('"0 L" "1 R"')[-1].startswith("Solved in 2 moves.")


def test_who_is_to_move_is_told_after_the_answer():
    game = puzzlekit.load("tictactoe")
    shown = Session(game, game.start, opponent=True).answer("4")
    assert shown == [". . .", ". X .", ". . .", "I play 0.", "O . .", ". X .", ". . .", "X to move."]
    assert Session(game, game.start).answer("4")[-1] == "O to move."


def test_the_fewest_moves_from_the_first_state(session):
    session.answer("right")
    assert session.fewest(5) == 2
    assert Session(puzzlekit.load("tictactoe"), puzzlekit.load("tictactoe").start).fewest(5) is None
    assert Session(Slide(), "0,2,1,3,4,5").fewest(5) is None
    assert Session(Slide(), "5,4,3,2,1,0", max_states=1).fewest(5) is None


def test_hints_have_levels(session):
    assert session.answer("hint 1") == ["Hint: 2 moves are left at best."]
    assert session.answer("hint 2") == ["Hint: the next move is in rows 1 to 2, column 2."]
    assert session.answer("hint --level 3") == session.answer("hint 3") == ["Hint: up."]
    assert session.answer("hint 4")[0].startswith('No hint: there is no hint "4"; type hint 1 (how far)')


def test_hints_and_solutions(session):
    assert session.answer("hint") == ["Hint: up."]
    assert session.answer("solve") == ["Solution: 2 moves: up left"]
    assert session.answer("HINT") == ["Hint: up."]


def test_the_way_is_shown_and_nothing_is_made(session):
    words, steps = session.way()
    assert words == ["Solution: 2 moves: up left"]
    assert steps == [("up", "102/345"), ("left", "012/345")]
    assert session.answer("show") == [*words, "up:", "1 0 2", "3 4 5", "left:", "0 1 2", "3 4 5"]
    assert (session.state, session.moves) == ("142/305", [])
    blocked = Session(Slide(), "0,2,1,3,4,5").way()
    assert (blocked[0][0][:12], blocked[1]) == ("No solution:", [])


def test_undo_and_restart(session):
    assert session.answer("undo") == ["There is nothing to undo."]
    session.answer("right")
    session.answer("up")
    assert session.answer("undo") == ["1 4 2", "3 5 0"]
    assert session.answer("undo") == ["1 4 2", "3 0 5"]
    session.answer("right")
    assert session.answer("restart") == ["1 4 2", "3 0 5"]
    assert session.moves == []


def test_nonsense_changes_nothing(session):
    assert session.answer("sideways") == [
        'The move "sideways" cannot be made in 142/305; the moves are up, left, right.'
    ]
    assert session.answer("") == ["Type a move, or: moves, random, undo, hint, solve, show, restart, help, quit."]
    assert session.state == "142/305"


def test_a_state_that_cannot_be_solved_says_so():
    session = Session(Slide(), "0,2,1,3,4,5")
    assert session.answer("hint")[0].startswith("No hint: no moves lead from 021/345 to the goal")
    assert session.answer("solve")[0].startswith("No solution: ")


def test_a_dead_end_of_a_puzzle():
    @dataclass(frozen=True)
    class Pegs(Puzzle):
        """Pegs."""

        id = "pegs"

        def rules(self):
            return boards.pegs()

    session = Session(Pegs(), "oo../..../..../...o")
    (move,) = Pegs().legal_moves(session.state)
    assert session.answer(move)[-1] == "No move is left (stuck): undo, restart or quit."
    assert not session.over
    assert session.answer("undo")


def test_a_cube_is_shown_as_its_net():
    """Rows of symbols do not show a cube. Stickers have letters, and buttons those of their moves."""
    puzzle = puzzlekit.load(str(FILES["cube2_stickers"]))
    shown = Session(puzzle, puzzle.start).answer("U")
    assert shown[:6] == [
        "        ┌───┬───┐",
        "        │ U │ U │",
        "        ├───U───┤",
        "        │ U │ U │",
        "┌───┬───┼───┼───┼───┬───┬───┬───┐",
        "│ F │ F │ R │ R │ B │ B │ L │ L │",
    ]


def test_perfect_play_never_loses():
    game = puzzlekit.load("tictactoe")

    def play(session):
        """Makes every sequence of moves against perfect play. Returns the number of plays."""
        if session.over:
            assert game.outcome(session.state) in ("O", "draw")
            return 1
        plays = 0
        for move in game.legal_moves(session.state):
            following = Session(game, game.start, opponent=True)
            for made in session.moves[::2]:
                following.answer(made)
            following.answer(move)
            plays += play(following)
        return plays

    # The board has marks already, which keeps the number of plays small. Perfect play must still see every threat.
    begun = Session(game, game.start, opponent=True)
    begun.answer("4")
    begun.answer("2")
    assert play(begun) > 5


def test_who_won_is_told_to_the_person():
    """The person is O if the computer moved first, and otherwise the player to move."""
    game = puzzlekit.load("tictactoe")
    assert Session(game, "XX./OO./...:X", opponent=True).answer("2")[-1] == "X wins: you won."
    assert Session(game, "XX./OO./.X.:O", opponent=True).answer("5")[-1] == "O wins: you won."
    assert Session(game, "XX./OO./...:X", opponent=True, second=True).greet()[-1] == "X wins: you lost."


def test_two_people():
    game = puzzlekit.load("tictactoe")
    session = Session(game, game.start)
    for move in "0", "3", "1", "4":
        session.answer(move)
    assert session.answer("2") == ["X X X", "O O .", ". . .", "X wins."]  # nobody is to move any more
    assert session.over


def test_several_moves_on_a_line(session):
    assert session.answer("right up down") == ["1 4 2", "3 5 0"]
    assert session.moves == ["right", "up", "down"]
    assert session.answer("left sideways up") == [
        'The move "sideways" cannot be made in 142/305; the moves are up, left, right. None of the moves was made.'
    ]
    assert session.moves == ["right", "up", "down"]
    # Moves after the end are not made.
    assert session.answer("left up left right")[-1] == "Solved in 6 moves. The fewest possible: 2."


def test_a_move_with_spaces_in_its_name_is_one_move():
    @dataclass(frozen=True)
    class Nim(Puzzle):
        """A pile of tokens."""

        id = "nim"

        def rules(self):
            return boards.nim()

    session = Session(Nim(), Nim().start)
    assert session.answer("2 from 5")[-1] == "second to move."
    assert session.moves == ["2 from 5"]
    assert session.answer("2 from 5")[0].startswith(
        'The move "2 from 5" cannot be made in ooooo...:second; the moves are'
    )


def test_several_moves_against_perfect_play_are_answered_each():
    game = puzzlekit.load("tictactoe")
    session = Session(game, game.start, opponent=True)
    shown = session.answer("4 8")
    assert [line for line in shown if line.startswith("I play ")] == ["I play 0.", "I play 2."]
    assert session.answer("1 1")[0].endswith("None of the moves was made.")
    assert session.moves == ["4", "0", "8", "2"]
    session.answer("1")
    assert session.answer("quit") == ["You made 3 moves."]


def test_all_best_moves_are_shown_in_a_game():
    game = puzzlekit.load("tictactoe")
    session = Session(game, "X../.O./..X")
    assert session.answer("solve")[1] == "Best moves: 1 3 5 7"


def test_a_state_that_cannot_be_solved_says_so_before_play():
    greeting = Session(Slide(), "0,2,1,3,4,5").greet()
    assert greeting[0].startswith("slide. Type a move")
    assert not any("cannot be solved" in line for line in greeting)  # only a search could tell
    greeting = Session(Lights(), "001").greet()
    assert greeting[2] == "Goal: 000"
    assert greeting[3].startswith(
        "This cannot be solved: no moves lead from 001 to the goal: the moves make 2^2 of all"
    )
    assert not any("cannot be solved" in line for line in Session(Lights(), "011").greet())


def test_moves_that_undo_each_other_do_not_count():
    session = Session(Lights(), "011")
    assert session.answer("first last first")[-1] == "Solved in 1 move. The fewest possible: 1."
    session = Session(Lights(), "101")
    session.answer("first first last")
    assert session.answer("quit") == ["You made 1 move."]


def test_a_game_through_a_pipe(command):
    result = command("play", "tictactoe", "--two", given="4\nwhere\n0\nundo\n1\nquit\n")
    assert result.code == 0
    assert result.err == ""
    lines = result.out.splitlines()
    assert lines[0].startswith("tictactoe. Type a move")
    assert lines[-1] == "> You made 2 moves."
    assert '> The move "where" cannot be made in .../.X./...:O; the moves are 0, 1, 2, 3, 5, 6, 7, 8.' in lines


def test_the_end_of_input_quits(command):
    result = command("play", "tictactoe", given="4\n")
    assert result.code == 0
    assert result.out.endswith("> \nYou made 1 move.\n")  # the opponent's answer does not count


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals to send to one process")
def test_an_interrupt_ends_play_in_a_sentence():
    process = Command(
        *("play", "tictactoe"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    while process.stdout.read(1) != ">":  # waits for the prompt
        pass
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, "puzzlekit: interrupted\n")


def test_a_scrambled_game(command):
    first = command("play", "tictactoe", "--seed", "7", "--two", given="")
    second = command("play", "tictactoe", "--seed", "7", "--two", given="")
    assert first.out == second.out
    assert "to move." in first.out


def stumped(_puzzle, state):
    raise LimitError(f"no answer for {state} within a minute; give more")


@dataclass(frozen=True)
class Stumped(Puzzle):
    """Tic-tac-toe with a solver that never has an answer."""

    id = "stumped"

    def rules(self) -> Rules:
        return puzzlekit.load("tictactoe").rules()

    def default_solver(self):
        return as_solver(stumped)


def test_where_no_answer_is_found_each_move_is_taken_back_alone():
    game = Stumped()
    session = Session(game, game.start, opponent=True)
    assert session.answer("4")[-1].startswith("No answer was found: no answer for .../.X./...:O within a minute")
    session.answer("0")
    assert session.answer("undo") == [". . .", ". X .", ". . .", "O to move."]
    assert session.answer("undo")[-1] == "X to move."
    assert session.answer("undo") == ["There is nothing to undo."]


def last(puzzle, state):
    """Names the last move, and proves nothing."""
    return Answer((), best=(puzzle.legal_moves(state)[-1],), proven=False)


def silent(_puzzle, _state):
    return Answer((), proven=False)


def test_a_solver_of_somebody_else_plays(command):
    game = puzzlekit.load("tictactoe")
    session = Session(game, game.start, opponent=True, solver=last)
    assert "I play 8." in session.answer("4")
    assert "I play 7." in session.answer("0")
    assert session.answer("hint 3")[0].startswith("Hint: ")
    session = Session(game, game.start, opponent=True, solver=silent)
    told = "No answer was found: silent names no move. Move for the other side, too."
    assert session.answer("4")[-1] == told
    result = command("play", "tictactoe", "--solver", "optimal", given="0\nq\n")
    assert "I play 4." in result.out
    refused = command("play", "tictactoe", "--solver", "optimal", "--strength", "2")
    assert (refused.code, refused.out) == (2, "")
    assert "--solver optimal answers alone; leave out --job and --strength" in refused.err
    assert command("play", "tictactoe", "--solver", "nobody").code == 2


def test_an_answer_is_taken_back_with_the_move_before_it():
    game = puzzlekit.load("tictactoe")
    session = Session(game, game.start, opponent=True, second=True)
    session.greet()
    session.answer(game.legal_moves(session.state)[0])
    assert len(session.moves) == 3
    session.answer("undo")
    assert len(session.moves) == 1
    assert session.answer("undo") == ["There is nothing to undo."]
    session.answer(game.legal_moves(session.state)[0])
    session.answer("restart")
    assert len(session.moves) == 1


def test_the_states_that_an_answer_may_take_are_an_option(command):
    result = command("play", "tictactoe:7,7,5", "--max-states", "9", given="24\nsolve\n")
    assert "I play " in result.out
    assert "The value is not proven. The best move so far: " in result.out
    refused = command("play", "tictactoe", "--max-states", "0")
    assert (refused.code, refused.out) == (2, "")
    assert "--max-states is 0; give a whole number from 1 to" in refused.err


def test_play_begins_at_a_given_state(command):
    def play(*words, typed="quit\n"):
        return command("play", *words, given=typed)

    way = "\n".join(puzzlekit.load("slider:2,3").solve("142/305").moves)
    for words in (["slider:2,3", "142/305"], ["slider:2,3", "--state", "1 4 2 3 0 5"]):
        told = play(*words, typed=f"{way}\n").out
        assert "1 4 2\n3 0 5\n" in told
        assert "Solved in 2 moves. The fewest possible: 2." in told
    assert "O to move." in play("tictactoe", ".X./.../...:O", "--strength", "3", "--seed", "1").out
    assert "X wins." in play("tictactoe", "XXX/OO./...:O", "--two").out
    for words, message in (
        (["slider:2,3", "142/305", "--state", "142/305"], "STATE is 142/305 and --state is 142/305"),
        (["slider:2,3", "142/305", "--seed", "tea"], "play begins at 142/305, so nothing is drawn"),
        (["slider:2,3", "142/3056"], 'has "6" in cell 6'),
    ):
        refused = play(*words)
        assert (refused.code in (1, 2), message in refused.err) == (True, True)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "rush_hour",
            ["Cars go forward and back, until the car A is at the exit.", "Goal: A in row 3, columns 5 to 6"],
        ),
        (
            "sokoban",
            ["Boxes are pushed onto marks.", "Goal: $ in row 1, column 1 and row 2, column 1 and row 4, column 3"],
        ),
        ("nim", ["Who cannot move loses."]),
        ("dots_and_boxes", ["Who has more points at the end wins."]),
        (
            "hex",
            [
                "X wins with a path of X from row 1, columns 1 to 3 to row 3, columns 1 to 3.",
                "O wins with a path of O from column 1, rows 1 to 3 to column 3, rows 1 to 3.",
            ],
        ),
        ("six_mens_morris", ["X wins with at most 2 cells with O.", "Who cannot move loses."]),
    ],
)
def test_the_goal_is_said_in_words(name, words):
    puzzle = puzzlekit.load(str(FILES[name]))
    said = Session(puzzle, puzzle.start).introduce()
    assert set(words) <= {*said}


def test_a_guide_of_the_puzzle_takes_the_place_of_words_from_the_rules():
    flipit = puzzlekit.load("flipit")
    said = Session(flipit, flipit.start).introduce()
    assert said[1:-1] == flipit.guide().splitlines()
    assert not any(line.startswith("Goal:") for line in said)


def test_a_game_for_points_tells_by_how_many_it_is_won():
    game = puzzlekit.load(str(FILES["dots_and_boxes"]))
    end = "##/#B#B#/##/#B#A#/##:B"
    before = "##/#B#B#/##/#B#.#/#.:A"
    session = Session(game, before)
    assert game.outcome(session.state) is None
    while not session.over:
        said = session.answer(game.legal_moves(session.state)[0])
    margin = abs(game.solve(session.state).score)
    assert said[-1] == f"{game.outcome(session.state)} wins by {margin} points."
    assert Session(game, end).greet()[-1] == "B wins by 2 points."


def test_a_position_that_comes_again_is_told():
    game = puzzlekit.load(str(FILES["mu_torere"]))
    session, seen, said = Session(game, game.start), [game.start], []
    for _ in range(60):
        session.answer(game.legal_moves(session.state)[0])
        if session.state in seen:
            ago = len(seen) - max(at for at, state in enumerate(seen) if state == session.state)
            said = session._show()
            break
        seen.append(session.state)
    assert said[-1] == f"This position was here {ago} moves ago. Play can go round for ever, which is a draw."
    session.answer("undo")
    assert "was here" not in session._show()[-1]
    slide = Session(Slide(), "1,4,2,3,0,5")
    assert slide.answer("up down")[-1] == "3 0 5"  # in a puzzle it is no news
