"""`puzzlekit values`: the value of every state that play can reach."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from puzzlekit.cli.enumerate import INCOMPLETE, watching
from puzzlekit.cli.output import PuzzleArgument, Settings, print_json, print_line, print_table, say
from puzzlekit.cli.plot import Plot, check_plot, show_plot

if TYPE_CHECKING:
    from puzzlekit.run.values import StateValue, ValuesReport


def run(
    context: typer.Context,
    puzzle_id: PuzzleArgument,
    no_symmetry: Annotated[bool, typer.Option("--no-symmetry", help="Count symmetric states apart.")] = False,
    distances: Annotated[bool, typer.Option("--distances", help="Show how many moves the end is away, too.")] = False,
    threads: Annotated[int | None, typer.Option(metavar="N", help="Use N threads; one a core if left out.")] = None,
    store: Annotated[
        str, typer.Option(metavar="NAME", help="How states are held: auto, dense (bits) or sparse (words).")
    ] = "auto",
    memory: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Use at most so much memory, such as 4GiB.")
    ] = None,
    plot: Plot = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Tell what every state that play can reach is worth.

    In a game, each state is a win, a draw or a loss for the player to move, if both play as well as can be. In a
    puzzle, it can be solved or not, in a number of moves.

    Exit code 3 means that the memory was not enough; 130 and 143 that a signal stopped it.
    """
    check_plot(plot, as_json=as_json)
    settings: Settings = context.obj
    puzzle = settings.plugins().parse(puzzle_id)
    with watching() as (watch, interrupt):
        report = puzzle.values(
            symmetry=not no_symmetry, threads=threads, memory=memory, watch=watch, store=store, distances=distances
        )
    if as_json:
        print_json(report.to_data())
    elif report.complete:
        _print_report(report, distances=distances)
    if report.complete:
        show_plot(report.bars, plot, as_json=as_json)
        return 0
    if interrupt.signal is not None:
        say("interrupted before the values were known")
        return 128 + interrupt.signal
    given = "this machine has to give" if memory is None else "--memory gives"
    say(f"all states have to be held at once, which needs more memory than {given}; give more, or a smaller board")
    return INCOMPLETE


def _print_report(report: ValuesReport, *, distances: bool) -> None:
    order = report.symmetry_order
    print_line(f"{report.puzzle}, {f'states up to {order} symmetries' if order > 1 else 'without symmetries'}")
    print_line()
    rows = [[str(depth.depth), *(f"{depth.states[name]:,}" for name in report.names)] for depth in report.depths]
    rows.append(["all", *(f"{report.total(name):,}" for name in report.names)])
    print_table(("depth", *report.names), rows, numbers=range(len(report.names) + 1))
    if distances:
        ends = [name for name in report.names if any(name in distance.states for distance in report.distances)]
        counts = [
            [str(distance.moves), *(f"{distance.states[name]:,}" for name in ends)] for distance in report.distances
        ]
        print_line()
        print_table(("moves to the end", *ends), counts, numbers=range(len(ends) + 1))
    print_line()
    if report.start is not None:
        print_line(f"the start is {_words(report.start)}")
    if report.longest is not None:
        print_line(f"the longest way: {report.longest.state} is {_words(report.longest.value)}")
    took = f"{report.seconds:.3f} s" if report.seconds >= 1 else f"{report.seconds * 1000:.2f} ms"
    print_line(f"{report.states:,} states, {report.raw_states:,} with symmetric ones counted apart; {took}")


def _words(value: StateValue) -> str:
    """A value in words: a win in 5 moves."""
    name = f"a {value.value}" if value.value in ("win", "draw", "loss") else value.value
    return name if value.moves is None else f"{name} in {value.moves:,} move{'s' if value.moves != 1 else ''}"
