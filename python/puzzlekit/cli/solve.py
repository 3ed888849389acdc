"""`puzzlekit solve`: the fewest moves to the goal, or best play of a game."""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlekit.cli.output import PuzzleArgument, Settings, print_json, print_line, say
from puzzlekit.cli.progress import ProgressLine
from puzzlekit.errors import PuzzlekitError, StateError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from puzzlekit.describe.puzzle import Puzzle
    from puzzlekit.run.answers import SolveReport


def run(
    context: typer.Context,
    puzzle_id: PuzzleArgument,
    state: Annotated[
        str | None, typer.Argument(metavar="[STATE]", help="The state; the start if left out; - reads it from stdin.")
    ] = None,
    solver: Annotated[str | None, typer.Option(metavar="NAME", help="A solver, as puzzlekit info lists them.")] = None,
    max_states: Annotated[int, typer.Option(metavar="N", help="Store at most N states.")] = 20_000_000,
    memory: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Use at most so much memory, such as 4GiB.")
    ] = None,
    seconds: Annotated[float | None, typer.Option(metavar="S", help="Take at most S seconds.")] = None,
    goal: Annotated[
        str | None, typer.Option(metavar="PATTERN", help="Another goal: a state in which ? stands for any symbol.")
    ] = None,
    only_moves: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Make no other moves than these, with commas between them.")
    ] = None,
    states: Annotated[
        str | None, typer.Option(metavar="FILE", help="Solve the states of a file, one a line; - for stdin.")
    ] = None,
    distance: Annotated[
        bool, typer.Option("--distance", help="In a game, find all best moves and the moves to the end.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Find the fewest moves from a state to the goal; for a game, its value and best play.

    Exit code 1 means that no moves lead to the goal, and 3 that a limit was reached. The limits are for
    searches; solvers by algebra, or by a method of the puzzle, hardly need any. If a limit comes before the value of a
    game's state is known, the answer is the best move so far, and the exit code is 0.

    With --states, a line of JSON is printed for each state, in their order, and what is found out for one state serves
    the next. A state without an answer has an "error" in its line; the exit code is that of the first such state.
    """
    settings: Settings = context.obj
    plugins = settings.plugins()
    puzzle = plugins.parse(puzzle_id)
    chosen = None if solver is None else plugins.solver(puzzle, solver)
    names = None if only_moves is None else [name.strip() for name in only_moves.split(",")]

    def solved(text: str) -> SolveReport:
        with ProgressLine() as line:
            return puzzle.solve(
                text,
                chosen,
                max_states=max_states,
                memory=memory,
                seconds=seconds,
                watch=line.show,
                goal=goal,
                only_moves=names,
                distance=distance,
            )

    if states is not None:
        if state is not None:
            raise UsageError(f'there is both the state "{state}" and --states {states}; give one of them')
        _solve_all(str(puzzle), read_lines(states), solved)
        return
    text = puzzle.start if state is None else read_state(puzzle, sys.stdin.read()) if state == "-" else state
    solution = solved(text)
    if as_json:
        print_json(solution.to_data())
        return
    _tell_mover(puzzle, text, solution.state)
    # A name with a space is quoted, so that it is not taken for two.
    print_line(" ".join(f'"{move}"' if " " in move else move for move in solution.moves))
    if solution.stages:
        say(f"stages: {describe_stages(solution)}")
    say(f"{describe(solution)}, by {solution.solver} in {solution.seconds:.3f} s")


def _tell_mover(puzzle: Puzzle, text: str, state: str) -> None:
    """Says who was taken to be to move, if that was a guess."""
    # If each move adds to a count, the cells tell how many moves led to a state, and so whose turn it is.
    if puzzle.engine.is_game and ":" not in text and puzzle.engine.window != "layered":
        mover = state.rpartition(":")[2]
        other = next(name for name in puzzle.engine.notation.players if name != mover)
        say(f"{mover} is taken to be to move, which the state does not say; add :{other} for {other} to move")


def read_lines(source: str) -> Iterator[str]:
    """The lines of a file, or of stdin, that are not empty, one after another.

    Raises:
        UsageError: The file cannot be read.
    """
    try:
        with contextlib.nullcontext(sys.stdin) if source == "-" else Path(source).open(encoding="utf-8") as file:
            yield from (line.strip() for line in file if line.strip())
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
        raise UsageError(
            f"the states in {source} cannot be read: {reason}; give a file with a state on each line"
        ) from None


def _solve_all(puzzle: str, texts: Iterator[str], solved: Callable[[str], SolveReport]) -> None:
    """Prints a line of JSON for each state.

    Raises:
        typer.Exit: Some states have no answer. The code is that of the first of them.
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
    if code:
        raise typer.Exit(code)


def describe(solution: SolveReport) -> str:
    """How many moves there are, and what is proven about them. For a game, the value comes first."""
    moves = f"{solution.length} move{'' if solution.length == 1 else 's'}"
    if not solution.proven:
        best = f"; the best move so far is {solution.best[0]}" if solution.best else ""
        return f"the value is not proven, {solution.searched.get('moves ahead', 0)} moves ahead are looked at{best}"
    if solution.value and not solution.optimal:
        best = f", a best move {solution.best[0]}" if solution.best else ""
        return f"{solution.value} for the player to move{best}; {moves}; --distance finds all best moves"
    if solution.value:
        best = f"best moves {' '.join(solution.best)}; " if solution.best else ""
        return f"{solution.value} for the player to move, {best}{moves}"
    if solution.optimal:
        return f"{moves}, proven the fewest"
    bound = f", and at least {solution.lower_bound} are needed" if solution.lower_bound else ""
    return f"{moves}, not proven the fewest{bound}"


def describe_stages(solution: SolveReport) -> str:
    """Each stage, and the number of its first move, counted from 1."""
    ends = [*(stage.begins for stage in solution.stages[1:]), solution.length]
    return ", ".join(
        f"{stage.name} from move {stage.begins + 1}" if end > stage.begins else f"{stage.name} without a move"
        for stage, end in zip(solution.stages, ends, strict=True)
    )


def read_state(puzzle: Puzzle, text: str) -> str:
    """A state as plain text, or as the JSON of `puzzlekit scramble`.

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
    except (ValueError, KeyError):
        raise StateError("the JSON on stdin holds no state; give that of puzzlekit scramble --json") from None
    if owner != str(puzzle):
        raise StateError(f'the state on stdin is one of "{owner}", not of "{puzzle}"; name that puzzle')
    return str(state)
