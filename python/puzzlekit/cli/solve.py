"""`puzzlekit solve`: the fewest moves to the goal, or best play of a game."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlekit.cli.output import Settings, print_json, print_line, say
from puzzlekit.cli.progress import ProgressLine
from puzzlekit.errors import StateError

if TYPE_CHECKING:
    from puzzlekit.describe.puzzle import Puzzle


def run(
    context: typer.Context,
    puzzle_id: Annotated[str, typer.Argument(metavar="ID", help="A puzzle, such as tictactoe or tictactoe:4,4,2.")],
    state: Annotated[
        str | None, typer.Argument(metavar="[STATE]", help="The state; the start if left out; - reads it from stdin.")
    ] = None,
    solver: Annotated[str | None, typer.Option(metavar="NAME", help="A solver, as puzzlekit info lists them.")] = None,
    max_states: Annotated[int, typer.Option(metavar="N", help="Store at most N states.")] = 20_000_000,
    memory: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Use at most so much memory, such as 4GiB.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Find the fewest moves from a state to the goal; for a game, its value and best play.

    Exit code 1 means that no moves lead to the goal, and 3 that a limit was reached. The limits are for
    searches; solvers by algebra, or by a method of the puzzle, need none.
    """
    settings: Settings = context.obj
    plugins = settings.plugins()
    puzzle = plugins.parse(puzzle_id)
    chosen = None if solver is None else plugins.solver(puzzle, solver)
    text = puzzle.start if state is None else read_state(puzzle, sys.stdin.read()) if state == "-" else state
    with ProgressLine() as line:
        solution = puzzle.solve(text, chosen, max_states=max_states, memory=memory, watch=line.show)
    if as_json:
        print_json(solution.to_data())
        return
    # A name that holds a space is not taken for two.
    print_line(" ".join(f'"{move}"' if " " in move else move for move in solution.moves))
    value = f"{solution.value} for the player to move, " if solution.value else ""
    proof = "" if solution.value else ", proven the fewest" if solution.optimal else ", not proven the fewest"
    moves = f"{solution.length} move{'' if solution.length == 1 else 's'}"
    best = f"best moves {' '.join(solution.best)}; " if solution.best else ""
    say(f"{value}{best}{moves}{proof}, by {solution.solver} in {solution.seconds:.3f} s")


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
