"""Playing, line by line: through a pipe, and every command of a session."""

import signal
import subprocess
import sys
from dataclasses import dataclass

import pytest

import puzzlekit
from puzzlekit import Puzzle, Rules
from puzzlekit.play.session import Session
from tests import boards


@dataclass(frozen=True)
class Slide(Puzzle):
    """Sliding tiles on two rows of three."""

    id = "slide"

    def rules(self) -> Rules:
        return boards.slide(2, 3)


@pytest.fixture
def session():
    return Session(Slide(), "1,4,2,3,0,5")


def test_solving_by_hand(session):
    assert session.greet() == [
        "slide. Type a move, or: moves, undo, hint, solve, restart, help, quit.",
        "1 4 2",
        "3 0 5",
    ]
    assert session.answer("moves") == ["Moves: up left right"]
    assert session.answer("up") == ["1 0 2", "3 4 5"]
    assert not session.over
    assert session.answer(" left ") == ["0 1 2", "3 4 5", "Solved in 2 moves. The fewest possible: 2."]
    assert session.over


def test_hints_and_solutions(session):
    assert session.answer("hint") == ["Hint: up."]
    assert session.answer("solve") == ["Solution: 2 moves: up left"]
    assert session.answer("HINT") == ["Hint: up."]


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
    assert session.answer("") == ["Type a move, or: moves, undo, hint, solve, restart, help, quit."]
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


def test_perfect_play_never_loses():
    game = puzzlekit.load("tictactoe")

    def play(session):
        """Every way to play against it; the number of plays."""
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

    # A smaller board keeps it short: it is lost for the second player, who must still see every threat.
    begun = Session(game, game.start, opponent=True)
    begun.answer("4")
    begun.answer("2")
    assert play(begun) > 5


def test_two_people():
    game = puzzlekit.load("tictactoe")
    session = Session(game, game.start)
    for move in "0", "3", "1", "4":
        session.answer(move)
    assert session.answer("2")[-1] == "X wins."
    assert session.over


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
    assert result.out.endswith("> \nYou made 2 moves.\n")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals to send to one process")
def test_an_interrupt_ends_play_in_a_sentence():
    process = subprocess.Popen(
        [sys.executable, "-m", "puzzlekit", "play", "tictactoe"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    while process.stdout.read(1) != ">":  # the prompt
        pass
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, "puzzlekit: interrupted\n")


def test_a_scrambled_game(command):
    first = command("play", "tictactoe", "--seed", "7", "--two", given="")
    second = command("play", "tictactoe", "--seed", "7", "--two", given="")
    assert first.out == second.out
    assert "to move." in first.out


def test_where_no_answer_is_found_each_move_is_taken_back_alone():
    game = puzzlekit.load("tictactoe")
    session = Session(game, game.start, opponent=True, max_states=5)
    assert session.answer("4")[-1].startswith("No answer was found: no answer for .../.X./...:O within 5 states")
    session.answer("0")
    assert session.answer("undo") == [". . .", ". X .", ". . .", "O to move."]
    assert session.answer("undo")[-1] == "X to move."
    assert session.answer("undo") == ["There is nothing to undo."]


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
    result = command("play", "tictactoe", "--max-states", "9", given="4\n")
    assert "No answer was found" in result.out
    refused = command("play", "tictactoe", "--max-states", "0")
    assert (refused.code, refused.out) == (2, "")
    assert "max_states is 0; give a whole number from 1 to" in refused.err
