"""`puzzlekit solve`: finds the fewest moves to the goal, or the best play of a game."""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlekit.cli import completion
from puzzlekit.cli.chosen import Chosen
from puzzlekit.cli.library import libraries_first
from puzzlekit.cli.options import (
    AllThreadsOption,
    FileOption,
    JsonOption,
    LibraryOption,
    MemoryOption,
    PuzzleArgument,
    QuietOption,
    SecondsOption,
    VerboseOption,
)
from puzzlekit.cli.output import Settings, print_json, print_line, say
from puzzlekit.cli.progress import ProgressLine
from puzzlekit.cli.streams import bounded_lines, whole_stdin
from puzzlekit.describe.sequence import names_joined, names_listed
from puzzlekit.errors import ExitCode, JobError, PuzzlekitError, StateError, UsageError
from puzzlekit.jobs.job import Job
from puzzlekit.run.defaults import MAX_STATES
from puzzlekit.run.limits import remedy
from puzzlekit.run.solver import Interrupted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from puzzlekit.plugins.loader import Plugins
    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.answers import SolveReport
    from puzzlekit.run.solver import SolverFunction

MOST_SOLUTIONS = 10_000
"""The most shortest solutions that are listed."""


def run(
    context: typer.Context,
    puzzle_id: PuzzleArgument,
    state: Annotated[
        str | None, typer.Argument(metavar="[STATE]", help="The state; the start if left out; - reads it from stdin.")
    ] = None,
    solver: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="A solver, as puzzlekit info lists them.", autocompletion=completion.solvers),
    ] = None,
    max_states: Annotated[int, typer.Option(metavar="N", help="Store at most N states.")] = MAX_STATES,
    memory: MemoryOption = None,
    seconds: SecondsOption = None,
    goal: Annotated[
        str | None, typer.Option(metavar="PATTERN", help="Another goal: a state in which ? stands for any symbol.")
    ] = None,
    only_moves: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Make no other moves than these, with commas or spaces between them."),
    ] = None,
    moves: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Make these moves first, with spaces or commas between them.")
    ] = None,
    states: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Solve the states of a file, one a line; - for stdin.", autocompletion=completion.files
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help=f"List every shortest solution, up to {MOST_SOLUTIONS:,}.")
    ] = False,
    distance: Annotated[
        bool, typer.Option("--distance", help="In a game, find all best moves and the moves to the end.")
    ] = False,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Keep no tables on disk, and take none from there.")
    ] = False,
    job: Annotated[
        str | None,
        typer.Option(
            "--job",
            metavar="DIR",
            help="Look the answer up in a job with values, or with all distances.",
            autocompletion=completion.folders,
        ),
    ] = None,
    file: FileOption = None,
    library: LibraryOption = None,
    threads: AllThreadsOption = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    as_json: JsonOption = False,
) -> int:
    """Find the fewest moves from a state to the goal; for a game, its value and best play.

    If a limit comes before the proof, the answer is the shortest that was found, and what ran out is told. Exit code 1
    means that no moves lead to the goal, 3 that a limit came before any answer, and 130 that Ctrl-C stopped it; the
    best answer so far is printed then, too. On a terminal, each shorter answer on the way has a line, with a bound. If
    a limit comes before the value of a game's state is known, the answer is the best move so far.

    With --job, the answer is looked up at once in the folder that values --out made, or enumerate --backward --out.
    With --library, it is looked up in a library of such work, and searched if it is not there.

    With --states, a line of JSON is printed for each state, in their order, and what is found out for one state serves
    the next. A state without an answer has an "error" in its line; the exit code is that of the first such state.

    Examples:
        puzzlekit solve rotation 213/456/789
        puzzlekit scramble slider | puzzlekit solve slider -
        puzzlekit solve tictactoe X.O/.X./O..  # the value of a game's state, and best play
        puzzlekit solve slider:4,4 --moves "D R U" --seconds 10  # at most 10 seconds
    """
    settings: Settings = context.obj
    plugins = settings.plugins()
    puzzle = plugins.parse(puzzle_id)
    chosen = _solver(plugins, puzzle, solver, job, file, library, rules_alone=(goal, only_moves) == (None, None))
    told = Chosen(verbose)
    told.engine(puzzle)
    told.machine(threads, memory)
    told.tables_before(kept=not no_cache)
    names = None if only_moves is None else names_listed(only_moves, puzzle.engine.move_names)

    def solved(text: str) -> SolveReport:
        with ProgressLine(limit=seconds, quiet=quiet) as line:
            return puzzle.solve(
                text,
                chosen,
                max_states=max_states,
                memory=memory,
                seconds=seconds,
                watch=line.show,
                goal=goal,
                only_moves=names,
                cache=not no_cache,
                every=MOST_SOLUTIONS if every else None,
                distance=distance,
            )

    if states is not None:
        if state is not None:
            raise UsageError(f'there is both the state "{state}" and --states {states}; give one of them')
        if moves is not None:
            raise UsageError(f"--moves {moves} leads from one state, and --states {states} has many; give one of them")
        code = _solve_all(str(puzzle), read_lines(states), solved)
        told.tables_after(kept=not no_cache)
        return code
    text = puzzle.start if state is None else read_state(puzzle, whole_stdin()) if state == "-" else state
    if moves is not None:
        for name in names_listed(moves, puzzle.engine.move_names):
            text = puzzle.apply(text, name)
    try:
        solution, code = solved(text), 0
    except Interrupted as error:
        if error.report is None:
            raise
        solution, code = error.report, ExitCode.INTERRUPTED
    if as_json:
        print_json(solution.to_data())
    else:
        _tell_mover(puzzle, text, solution.state)
        _print(solution)
    told.tables_after(kept=not no_cache)
    if code:
        say("interrupted")
    return code


def _solver(
    plugins: Plugins,
    puzzle: Puzzle,
    solver: str | None,
    job: str | None,
    file: str | None,
    library: list[str] | None,
    *,
    rules_alone: bool,
) -> SolverFunction | None:
    """The solver that the options name, after libraries if the goal and the moves are those of the rules.

    Raises:
        UsageError: Options contradict each other.
    """
    if job is not None and solver is not None:
        raise UsageError(f"there are both --job {job} and --solver {solver}; give one of them")
    if library and (job is not None or not rules_alone):
        raise UsageError(
            f"--library {library[0]} has what the rules say; leave it out with --job, --goal, --only-moves"
        )
    if job is not None:
        return job_solver(plugins, puzzle, job, file)
    chosen = None if solver is None else plugins.solver(puzzle, solver)
    return libraries_first(puzzle, chosen, library) if rules_alone else chosen


def job_solver(plugins: Plugins, puzzle: Puzzle, folder: str, file: str | None) -> SolverFunction:
    """A solver that looks answers up in the job of a puzzle.

    Raises:
        JobError: The job is of another puzzle, or has nothing to look up.
    """
    job = plugins.open_job(folder, file)
    text = job.status()["subject"]["puzzle"]
    if text != str(puzzle):
        raise JobError(f"the job in {folder} is one of {text}, not of {puzzle}; name that puzzle")
    return Job(folder, lambda _: puzzle).solver


def _print(solution: SolveReport) -> None:
    for moves in (solution.moves,) if solution.solutions is None else solution.solutions:
        print_line(names_joined(moves))
    if solution.solutions is not None:
        more = "" if solution.all_solutions else "; there are more"
        say(f"shortest solutions: {len(solution.solutions):,}{more}")
    if solution.stages:
        say(f"stages: {describe_stages(solution)}")
    say(f"{describe(solution)}, {found_by(solution)} in {solution.seconds:.3f} s")
    if solution.method is not None:
        say(f"{solution.method}, because {solution.reason}{describe_searched(solution)}")
    if solution.limit not in (None, "watch"):  # whoever has interrupted it is told that
        say(f"what ran out: {solution.limit}; {remedy(solution.limit)}")


def _tell_mover(puzzle: Puzzle, text: str, state: str) -> None:
    """Says which player is to move, if the text of the state does not say it and puzzlekit has assumed it."""
    # In layered rules, the cells determine how many moves were made, and so who is to move. Then nothing was assumed.
    if puzzle.engine.is_game and ":" not in text and puzzle.engine.window != "layered":
        mover = state.rpartition(":")[2]
        other = next(name for name in puzzle.engine.notation.players if name != mover)
        say(f"{mover} is taken to be to move, which the state does not say; add :{other} for {other} to move")


def read_lines(source: str) -> Iterator[str]:
    """The lines of a file or of stdin, one after another, without empty ones.

    Raises:
        UsageError: The file cannot be read.
    """
    try:
        with contextlib.nullcontext(sys.stdin) if source == "-" else Path(source).open(encoding="utf-8") as file:
            yield from (line.strip() for line in bounded_lines(file, source) if line.strip())
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
        raise UsageError(
            f"the states in {source} cannot be read: {reason}; give a file with a state on each line"
        ) from None


def _solve_all(puzzle: str, texts: Iterator[str], solved: Callable[[str], SolveReport]) -> int:
    """Solves states one after another, and prints a line of JSON for each.

    Returns:
        The exit code of the first state without an answer; 0 if all have one.
    """
    code = 0
    for text in texts:
        try:
            data = solved(text).to_data()
        except PuzzlekitError as error:
            data = {"schema": "puzzlekit.solve/1", "puzzle": puzzle, "state": text, "error": str(error)}
            code = code or error.exit_code
        print_json(data)
        sys.stdout.flush()
    return code


def found_by(solution: SolveReport) -> str:
    """Who has found an answer, in words. What a library has is proven by that library, not here."""
    if solution.library is None:
        return f"by {solution.solver}"
    known = solution.optimal or solution.value is not None
    at = f"the library at {solution.library}"
    return f"proven by {at}, looked up" if known else f"from {at}, looked up"


def describe(solution: SolveReport) -> str:
    """A sentence with the number of moves and what is proven about it; for a game, it begins with the value."""
    moves = counted(solution.length, "move")
    if not solution.proven:
        best = f"; the best move so far is {solution.best[0]}" if solution.best else ""
        return f"the value is not proven, {solution.searched.get('moves ahead', 0)} moves ahead are looked at{best}"
    if solution.value and not (solution.moves or solution.best):
        return f"play is over: {solution.value_in_words} for the player to move"
    if solution.value and not solution.optimal:
        best = f", a best move {solution.best[0]}" if solution.best else ""
        told = "" if solution.lacks_moves else f"; {moves}"
        return f"{solution.value_in_words} for the player to move{best}{told}; --distance finds all best moves"
    if solution.value:
        best = f"best moves {names_joined(solution.best)}; " if solution.best else ""
        if solution.repeats is not None:
            moves = f"play never ends: after {moves} it is where it was after {solution.repeats}"
        return f"{solution.value_in_words} for the player to move, {best}{moves}"
    if solution.optimal:
        return f"{moves}, {'the fewest' if solution.library else 'proven the fewest'}"
    bound = f", and at least {solution.lower_bound} are needed" if solution.lower_bound else ""
    return f"{moves}, not proven the fewest{bound}"


def describe_searched(solution: SolveReport) -> str:
    """Clauses with figures of the search: how many states were stored, and how many were searched for each bound."""
    stored = [f"{counted(int(solution.searched['states']), 'state')} stored"] if "states" in solution.searched else []
    other = ("states", "moves ahead")
    bounds = [f"{count:,} states for {name}" for name, count in solution.searched.items() if name not in other]
    return "".join(f"; {part}" for part in [*stored, ", ".join(bounds)] if part)


def counted(number: int, what: str) -> str:
    """A number and a noun, in the plural if need be.

    >>> counted(1, "state"), counted(1200, "state")
    ('1 state', '1,200 states')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def describe_stages(solution: SolveReport) -> str:
    """The stages of a solution in words, each with the number of its first move, counted from 1."""
    ends = [*(stage.begins for stage in solution.stages[1:]), solution.length]
    return ", ".join(
        f"{stage.name} from move {stage.begins + 1}" if end > stage.begins else f"{stage.name} without a move"
        for stage, end in zip(solution.stages, ends, strict=True)
    )


def read_state(puzzle: Puzzle, text: str) -> str:
    """The text of a state, given as such or as the JSON of `puzzlekit scramble`.

    Raises:
        StateError: The JSON holds no state, or one of another puzzle.
    """
    if not text.strip():
        raise StateError("there is no state on stdin; give its text, or the JSON of puzzlekit scramble")
    if not text.lstrip().startswith("{"):
        return text
    try:
        data = json.loads(text)
        state, owner = data["state"], data.get("puzzle", str(puzzle))
    except (ValueError, KeyError, RecursionError):  # the last one for lists in lists that are nested too deep
        raise StateError("the JSON on stdin holds no state; give that of puzzlekit scramble --json") from None
    if owner != str(puzzle):
        raise StateError(f'the state on stdin is one of "{owner}", not of "{puzzle}"; name that puzzle')
    return str(state)
