"""`puzzlekit solve`: the fewest moves to the goal, or best play of a game."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlekit.cli.output import PuzzleArgument, Settings, print_json, print_line, say
from puzzlekit.cli.progress import ProgressLine
from puzzlekit.errors import StateError

if TYPE_CHECKING:
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
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Find the fewest moves from a state to the goal; for a game, its value and best play.

    Exit code 1 means that no moves lead to the goal, and 3 that a limit was reached. The limits are for
    searches; solvers by algebra, or by a method of the puzzle, hardly need any.
    """
    settings: Settings = context.obj
    plugins = settings.plugins()
    puzzle = plugins.parse(puzzle_id)
    chosen = None if solver is None else plugins.solver(puzzle, solver)
    text = puzzle.start if state is None else read_state(puzzle, sys.stdin.read()) if state == "-" else state
    with ProgressLine() as line:
        solution = puzzle.solve(text, chosen, max_states=max_states, memory=memory, seconds=seconds, watch=line.show)
    if as_json:
        print_json(solution.to_data())
        return
    # A name with a space is quoted, so that it is not taken for two.
    print_line(" ".join(f'"{move}"' if " " in move else move for move in solution.moves))
    if solution.stages:
        say(f"stages: {describe_stages(solution)}")
    say(f"{describe(solution)}, by {solution.solver} in {solution.seconds:.3f} s")


def describe(solution: SolveReport) -> str:
    """How many moves there are, and what is proven about them. For a game, the value comes first."""
    moves = f"{solution.length} move{'' if solution.length == 1 else 's'}"
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
