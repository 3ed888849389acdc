"""`puzzlekit play`: plays a puzzle or a game, line by line or on the whole terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlekit.cli import completion
from puzzlekit.cli.library import libraries_first
from puzzlekit.cli.options import AllThreadsOption, LibraryOption, PuzzleArgument
from puzzlekit.cli.output import Settings, print_line, say
from puzzlekit.cli.scramble import Daily, Moves, Number, ScramblerOption, Seed, chosen, scramble
from puzzlekit.cli.screen import Plain, is_plain
from puzzlekit.cli.solve import job_solver
from puzzlekit.cli.streams import bounded_lines
from puzzlekit.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from puzzlekit.play.session import Session
    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.solver import SolverFunction


def run(
    context: typer.Context,
    puzzle_id: PuzzleArgument,
    state: Annotated[
        str | None,
        typer.Argument(metavar="[STATE]", help="Where to begin; a random state or a game's start if left out."),
    ] = None,
    as_option: Annotated[str | None, typer.Option("--state", metavar="STATE", help="The same as STATE.")] = None,
    moves: Moves = None,
    seed: Seed = None,
    daily: Daily = None,
    number: Number = None,
    scrambler: ScramblerOption = None,
    max_states: Annotated[
        int, typer.Option(metavar="N", help="Store at most N states for a hint or an answer.")
    ] = 2_000_000,
    second: Annotated[bool, typer.Option("--second", help="In a game, let the computer move first.")] = False,
    strength: Annotated[
        int | None, typer.Option(metavar="N", help="In a game, how well the answers are chosen, from 1 to 5.")
    ] = None,
    two_people: Annotated[
        bool, typer.Option("--two", help="A game for two people; else the computer answers.")
    ] = False,
    job: Annotated[
        str | None,
        typer.Option(
            "--job",
            metavar="DIR",
            help="Take hints and answers from a job with values, or all distances.",
            autocompletion=completion.folders,
        ),
    ] = None,
    solver: Annotated[
        str | None,
        typer.Option(
            "--solver",
            metavar="NAME",
            help="Take hints and answers from a solver, as puzzlekit info lists them.",
            autocompletion=completion.solvers,
        ),
    ] = None,
    library: LibraryOption = None,
    threads: AllThreadsOption = None,  # noqa: ARG001 - handled by its callback
    plain: Plain = False,
) -> int:
    """Play a scrambled puzzle, or a game from its start, by typing moves. Works with pipes and screen readers.

    With STATE, play begins there. What the puzzle is about and its goal are said first. Several moves may stand on a
    line. Where states have numbers, the number is shown, and --number plays it again.

    In a game, --strength says how well the answers are chosen: 1 looks one move ahead, 2 looks 2, 3 looks 4, and 4
    looks 8; 5 plays perfectly as far as limits allow. Of moves that look alike, chance decides, and --seed makes the
    same choices again. With --job, all of them take what they know from the job, so that 5 plays perfectly at once,
    also in games that are too large to search. With --library, it is the same for what a library has. With --solver,
    the computer makes the moves that a solver of a plugin names.

    On a terminal, the board is drawn with colours and in place, with the goal beside it and the fewest moves below.
    Arrow keys make moves that are directions, and a key that is a move makes it without Enter. With
    --plain, and if NO_COLOR is set or TERM is dumb, the words are the same as through a pipe.

    Examples:
        puzzlekit play rotation
        puzzlekit play tictactoe --second  # the computer begins
        puzzlekit play slider:4,4 --seed tea  # a state that others can play, too
        puzzlekit play slider:2,3 142/305  # from this state
    """
    from puzzlekit.play.session import Session

    settings: Settings = context.obj
    plugins = settings.plugins()
    puzzle = plugins.parse(puzzle_id)
    # If the computer answers, `--seed` decides its choices instead of the state with which play begins.
    scrambled = (moves, None if strength else seed, daily, number, scrambler) != (None,) * 5
    given = _state(puzzle, state, as_option)
    if given is not None and scrambled:
        raise UsageError(f"play begins at {given}, so nothing is drawn; leave out the options of a random state")
    if (two_people or second) and (two_people == second or not puzzle.engine.is_game):
        raise UsageError(f"--two and --second are for games, one of them at a time; {puzzle.id} takes neither here")
    if strength is not None and (two_people or not puzzle.engine.is_game):
        raise UsageError(f"--strength is for games against the computer; {puzzle.id} does not take it here")
    if solver is not None and (job is not None or strength is not None):
        raise UsageError(f"--solver {solver} answers alone; leave out --job and --strength")
    if job is not None:
        if library:
            raise UsageError(f"there are both --job {job} and --library {library[0]}; give one of them")
        asked: SolverFunction | None = job_solver(plugins, puzzle, job, None)
    else:
        asked = libraries_first(puzzle, None if solver is None else plugins.solver(puzzle, solver), library)
    live = sys.stdin.isatty() and not is_plain(plain)

    def begin(again: bool) -> Session:
        """Begins a session. If `again`, options that chose one scramble (a seed, a day, a number) are ignored."""
        fixed = (None, None, None) if again else (seed, daily, number)
        if given is not None:
            first = given
        elif puzzle.engine.is_game and not scrambled:
            first = puzzle.start
        else:
            first = scramble(puzzle, moves, *fixed, chosen(plugins, puzzle, scrambler)).state
        return Session(
            puzzle,
            first,
            opponent=not two_people,
            second=second,
            max_states=max_states,
            strength=strength,
            seed=fixed[0],
            boards=not live,
            solver=asked,
        )

    return _play_live(begin) if live else _play_lines(begin(False))


def _state(puzzle: Puzzle, *given: str | None) -> str | None:
    """The state where play is to begin, if one is given.

    Raises:
        UsageError: Two states are given.
        StateError: The text is no state of the puzzle.
    """
    named = [state for state in given if state is not None]
    if len(named) > 1:
        raise UsageError(f"STATE is {named[0]} and --state is {named[1]}; give one of them")
    return puzzle.read(named[0]) if named else None


def _play_live(begin: Callable[[bool], Session]) -> int:
    """Plays on a terminal, as often as the person wants, and returns the exit code."""
    from puzzlekit.cli.live import play

    again = False
    try:
        while play(begin(again)):
            again = True
    except KeyboardInterrupt:
        return _interrupted()
    return 0


def _play_lines(session: Session) -> int:
    """Plays line by line, and returns the exit code."""
    _print(session.greet())
    while not session.over:
        try:
            print("> ", end="", flush=True)  # noqa: T201 - the prompt
            line = next(bounded_lines(sys.stdin, "stdin"), "")
        except KeyboardInterrupt:
            return _interrupted()
        if not line:
            print_line()
            line = "quit"
        _print(session.answer(line))
    return 0


def _interrupted() -> int:
    print_line()
    say("interrupted")
    return ExitCode.INTERRUPTED


def _print(lines: list[str]) -> None:
    for line in lines:
        print_line(line)
