"""`puzzlekit draw`: a state as a picture, or several states as a strip of pictures."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlekit.cli import completion
from puzzlekit.cli.library import libraries_first
from puzzlekit.cli.options import AllThreadsOption, LibraryOption, PuzzleArgument
from puzzlekit.cli.output import Settings, print_json, print_line
from puzzlekit.cli.screen import Plain, beside, is_plain, print_glyphs
from puzzlekit.cli.streams import whole_stdin
from puzzlekit.describe.sequence import names_listed
from puzzlekit.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.answers import Stage
    from puzzlekit.view.view import Still, View

GAP = 3

KINDS = (".svg", ".png", ".gif")
"""The endings of the picture files that can be written."""

PACE = 0.7
"""The seconds for which a GIF shows each state, if `--pace` is not given."""


def run(
    context: typer.Context,
    puzzle_id: PuzzleArgument,
    state: Annotated[
        str | None, typer.Argument(metavar="[STATE]", help="The state; the start if left out; - for stdin.")
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write an .svg, a .png, or a .gif, which moves; - writes an SVG to stdout.",
            autocompletion=completion.files,
        ),
    ] = None,
    moves: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Draw what these moves make of it, too; - reads them from stdin."),
    ] = None,
    solve: Annotated[bool, typer.Option("--solve", help="Draw the way from there to the goal.")] = False,
    solver: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The solver for --solve, as puzzlekit info lists them.",
            autocompletion=completion.solvers,
        ),
    ] = None,
    library: LibraryOption = None,
    pace: Annotated[float, typer.Option(metavar="S", help="Show each state of a GIF for S seconds.")] = PACE,
    plain: Plain = False,
    threads: AllThreadsOption = None,  # noqa: ARG001 - handled by its callback
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: the view, the states and the SVG.")] = False,
) -> None:
    """Draw a state, or several moves as a strip or a film, in characters or to a file.

    PNG and GIF need the extra pictures: pip install "puzzlekit-core[pictures]".

    Names of moves stand apart by spaces, as puzzlekit solve prints them; a name with spaces is quoted.

    Examples:
        puzzlekit draw slider
        puzzlekit draw rotation 213/456/789 --solve --to way.svg  # each step of a solution
        puzzlekit draw rotation 213/456/789 --solve --to way.gif  # one after another
    """
    from puzzlekit.cli.solve import read_state
    from puzzlekit.puzzle.strip import stills
    from puzzlekit.view.view import view_of

    if state == "-" and moves == "-":
        raise UsageError("both the state and --moves are -, and there is one stdin; give one of them as a text")
    if to not in (None, "-") and not str(to).lower().endswith(KINDS):
        raise UsageError(f"--to is {to}; give a file that ends in .svg, .png or .gif, or - for an SVG on stdout")
    if moves is not None and (solve or solver):
        raise UsageError("--moves and --solve are given together; give one of them")
    if solver is not None and not solve:
        raise UsageError(f"--solver is {solver} without --solve; add --solve, or leave it out")
    if library and not solve:
        raise UsageError(f"--library is {library[0]} without --solve; add --solve, or leave it out")
    settings: Settings = context.obj
    plugins = settings.plugins()
    puzzle = plugins.parse(puzzle_id)
    text = puzzle.start if state is None else read_state(puzzle, whole_stdin()) if state == "-" else state
    text = puzzle.read(text)
    names = _names(puzzle, moves)
    stages: Sequence[Stage] = ()
    if solve:
        asked = None if solver is None else plugins.solver(puzzle, solver)
        report = puzzle.solve(text, libraries_first(puzzle, asked, library))
        names, stages = list(report.moves), report.stages
    view = view_of(puzzle)
    shown = stills(puzzle, view, text, names, stages)
    if as_json:
        data = {"schema": "puzzlekit.draw/1", "puzzle": str(puzzle), "states": [still.state for still in shown]}
        print_json({**data, "moves": names, "view": view.as_dict(), "svg": view.strip(shown)})
    elif to == "-":
        print_line(view.strip(shown))
    elif to is not None:
        from puzzlekit.draw.svg import Picture

        Picture(view.strip(shown), frames=lambda: view.frames(shown)).save(to, pace)
        print_line(f"{to}: {len(shown)} picture{'' if len(shown) == 1 else 's'} of {puzzle}")
    else:
        _print(view, shown, plain=plain)


def _names(puzzle: Puzzle, moves: str | None) -> list[str]:
    """The names of moves in a text. If the text is `-`, stdin is read instead."""
    return names_listed(whole_stdin() if moves == "-" else moves or "", puzzle.engine.move_names)


def _print(view: View, shown: list[Still], *, plain: bool) -> None:
    from puzzlekit.view.characters import Glyph, board
    from puzzlekit.view.characters import shown as harmless

    plain = is_plain(plain)
    boards = []
    for still in shown:
        above = [[Glyph(harmless(still.heading))]] if any(each.heading for each in shown) else []
        below = [[Glyph(harmless(still.caption))]] if len(shown) > 1 else []
        boards.append([*above, *board(view, still.state, still.moves), *below])
    print_glyphs(beside(boards, GAP, shutil.get_terminal_size().columns), plain=plain)
