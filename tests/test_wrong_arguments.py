"""Arguments of the wrong kind: each public function says in one sentence what it was given and what it wants."""

from contextlib import suppress

import pytest

import puzzlekit
from puzzlekit import Grid, PuzzlekitError, RulesError, Symmetry, UsageError, View, count, cycle, put
from puzzlekit import put as write
from puzzlekit.errors import one_line

WRONG = (5, None, b"x", [1], object(), 1.5, {}, {1}, True)
"""What is given in the place of a puzzle, of a state, of names of moves and so on."""


def _calls(wrong):
    """Calls of public functions with something wrong in one place, by name."""
    puzzle, state, moves = puzzlekit.load("slider:2,2"), "10/23", ["L"]
    of_puzzle = {
        "images": lambda: puzzlekit.images(wrong, state),
        "transitions": lambda: puzzlekit.transitions(wrong),
        "survey": lambda: puzzlekit.survey(wrong),
        "cases": lambda: puzzlekit.cases(wrong, ["01/23"]),
        "evenness": lambda: puzzlekit.evenness(wrong),
        "scramble_needing": lambda: puzzlekit.scramble_needing(wrong, 3),
        "solvers": lambda: puzzlekit.solvers(wrong),
        "scramblers": lambda: puzzlekit.scramblers(wrong),
        "shorten": lambda: puzzlekit.shorten(wrong, state, moves),
        "optimal": lambda: puzzlekit.optimal(wrong, state),
        "strip": lambda: puzzlekit.strip(wrong, state, moves),
        "symmetries": lambda: puzzlekit.symmetries(wrong),
        "View.of": lambda: puzzlekit.View.of(wrong),
    }
    given = {
        "goal": lambda: puzzle.solve(state, goal=wrong),
        "only_moves": lambda: puzzle.solve(state, only_moves=wrong),
        "library": lambda: puzzle.solve(state, library=wrong),
        "library of a survey": lambda: puzzlekit.survey(puzzle, library=wrong),
        "place of a library": lambda: puzzlekit.Library(wrong).works(),
        "watch": lambda: puzzle.solve(state, watch=wrong),
        "watch of a count": lambda: puzzle.enumerate(watch=wrong),
        "watch of a survey": lambda: puzzlekit.survey(puzzle, watch=wrong),
        "budget": lambda: puzzlekit.optimal(puzzle, state, budget=wrong),
        "moves of a strip": lambda: puzzlekit.strip(puzzle, state, wrong),
        "stages": lambda: puzzlekit.strip(puzzle, state, moves, wrong),
        "moves to shorten": lambda: puzzlekit.shorten(puzzle, state, wrong),
        "moves of a picture": lambda: puzzle.picture(state, wrong),
        "phases": lambda: puzzlekit.survey(puzzle, phases=wrong),
        "phases of cases": lambda: puzzlekit.cases(puzzle, wrong),
        "limit of cases": lambda: puzzlekit.cases(puzzle, ["01/23"], limit=wrong),
        "places": lambda: puzzlekit.View.of(puzzle.rules(), places=wrong),
        "a place": lambda: puzzlekit.View.of(puzzle.rules(), places=[wrong, (0, 1), (1, 0), (1, 1)]),
        "state": lambda: puzzle.solve(wrong),
        "move": lambda: puzzle.apply(state, wrong),
    }
    return of_puzzle, given


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: type(wrong).__name__)
def test_what_is_no_puzzle_is_refused_in_a_sentence(wrong):
    for call in _calls(wrong)[0].values():
        with pytest.raises(PuzzlekitError, match=r"; give "):
            call()


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: type(wrong).__name__)
def test_no_raw_error_comes_of_what_makes_no_sense(wrong):
    for call in _calls(wrong)[1].values():
        with suppress(PuzzlekitError):  # some of these are allowed, such as no goal
            call()


def test_a_path_with_a_null_character_is_refused_in_a_sentence():
    picture = puzzlekit.load("slider:2,2").picture("01/23")
    for call in (
        lambda: puzzlekit.load("./a\0b.py"),
        lambda: picture.save("a\0b.svg"),
        lambda: puzzlekit.open_job("a\0b"),
        lambda: puzzlekit.Library("a\0b").works(),
        lambda: puzzlekit.load("slider:2,2").enumerate(out="a\0b"),
    ):
        with pytest.raises(PuzzlekitError, match=r"; give "):
            call()


def test_the_sentence_names_the_value_and_the_remedy():
    puzzle, state = puzzlekit.load("slider:2,2"), "10/23"
    for call, kind, message in (
        (lambda: puzzle.solve(state, goal=5), UsageError, "goal is 5; give a state in which ? stands for any symbol"),
        (lambda: puzzle.solve(state, only_moves=5), UsageError, "only_moves is 5; give the names of moves in a list"),
        (lambda: puzzle.solve(state, library="works"), UsageError, "library is 'works'; give one, such as puzzlekit."),
        (lambda: puzzle.solve(state, watch=5), UsageError, "watch is 5; give a function of the progress"),
        (lambda: puzzlekit.strip(puzzle, state, None), UsageError, "moves is None; give the names of moves in a list"),
        (lambda: puzzlekit.symmetries(5), RulesError, "the rules are 5; give puzzlekit.Rules, such as puzzle.rules()"),
        (
            lambda: puzzlekit.survey("rotation"),
            UsageError,
            "the puzzle is 'rotation'; give one, such as puzzlekit.load",
        ),
        (lambda: puzzlekit.optimal(puzzle, state, budget=7), UsageError, "budget is 7; give a puzzlekit.Budget"),
        (lambda: View.of(puzzle.rules(), places=[0, 1]), RulesError, "the place of cell 0 is 0; give how far"),
        (lambda: View.of(puzzle.rules(), places=9), RulesError, "the places are 9; give a list"),
    ):
        with pytest.raises(kind, match=message.replace("?", "[?]").replace("(", "[(]").replace(")", "[)]")):
            call()


MOVE, GRID = put(0, "a"), Grid(2, 2)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (Symmetry, "Symmetry() is called without cells; it takes cells, symbols, swap_players, name"),
        (puzzlekit.Beside, "Beside() is called without board, count; it takes board, count"),
        (count, "count() is called without symbols; it takes symbols, at_least=, at_most=, of="),
        (MOVE.when, "Move.when() is called without condition; it takes condition"),
        (Grid.drawn, "Grid.drawn() is called without picture; it takes picture, holes="),
        (lambda: put(0, symb="a"), "put() has no argument symb; did you mean symbol?"),
        (lambda: cycle(0, 1, names="a"), "cycle() has no argument names; it takes *cells"),
        (lambda: put(0, "a", cell=1), "put() is given cell twice; it takes cell, symbol"),
        (lambda: put(0, 1, 2), "put() is given too many values without names: 3, and 2 at the most; it takes cell, "),
        (lambda: write(0, 1, 2), "put() is given too many values without names: 3, and 2 at the most; it takes cell, "),
        (lambda: GRID.block(0, 1, 2, 3), "Grid.block() is given too many values without names: 4, and 3 at the most; "),
        (lambda: GRID.symmetries(1), "too many values without names: 1, and 0 at the most; it takes nothing"),
        # The text of Python stays where nothing is known of the function.
        (lambda one: one, "missing 1 required positional argument: 'one'"),
        (len, "TypeError: len() takes exactly one argument (0 given)"),
    ],
)
def test_a_call_with_wrong_arguments_is_told_in_words(call, told):
    with pytest.raises(TypeError) as raised:
        call()
    assert told in one_line(raised.value)
