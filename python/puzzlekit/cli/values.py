"""`puzzlekit values`: the value of every state that play can reach."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlekit.cli import completion
from puzzlekit.cli.chosen import Chosen
from puzzlekit.cli.enumerate import compiled, executor_of, watching
from puzzlekit.cli.options import (
    DiskOption,
    JsonOption,
    LocalOption,
    MemoryOption,
    NoSymmetryOption,
    OnOption,
    PuzzleArgument,
    QuietOption,
    ShardsOption,
    SliceOption,
    StoreOption,
    ThreadsOption,
    VerboseOption,
)
from puzzlekit.cli.output import Settings, print_json, print_line, print_table, say
from puzzlekit.cli.plot import Plot, check_plot, show_plot
from puzzlekit.cli.terminal import shell_word
from puzzlekit.errors import LimitError, UsageError, code_of_stop
from puzzlekit.run.temporary import temporary_folder

if TYPE_CHECKING:
    from puzzlekit.cli.enumerate import Interrupt
    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.run.options import RunOptions
    from puzzlekit.run.values import StateValue, ValuesReport
    from puzzlekit.run.watch import Watch


def run(
    context: typer.Context,
    puzzle_id: PuzzleArgument,
    no_symmetry: NoSymmetryOption = False,
    distances: Annotated[
        bool | None,
        typer.Option(
            "--distances/--no-distances",
            help="Show how many moves the end is away, too; or keep that out of the folder.",
            show_default=False,
        ),
    ] = None,
    grundy: Annotated[
        bool, typer.Option("--grundy", help="Find the Grundy number of each state, in an impartial game.")
    ] = False,
    starts: Annotated[
        str,
        typer.Option(
            "--starts",
            metavar="WHO",
            help="In a game, who begins: the first player, or both, one after the other.",
            autocompletion=completion.one_of("first", "both"),
        ),
    ] = "first",
    threads: ThreadsOption = None,
    store: StoreOption = "auto",
    memory: MemoryOption = None,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Keep all states and their values in a folder, to look them up.",
            autocompletion=completion.folders,
        ),
    ] = None,
    disk: DiskOption = None,
    checkpoint: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="While states are found, keep what there is so often.")
    ] = None,
    seconds: SliceOption = None,
    on: OnOption = None,
    shards: ShardsOption = None,
    local: LocalOption = None,
    plot: Plot = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    as_json: JsonOption = False,
) -> int:
    """Tell what every state that play can reach is worth.

    In a game, each state is a win, a draw or a loss for the player to move, if both play as well as can be. In a
    puzzle, it can be solved or not, in a number of moves. With --grundy, each state of an impartial game has a Grundy
    number. With --starts both, the game that the second player begins is looked at, too, and the outcome class told.

    With --out, a folder keeps the states and their values. It may hold a job of enumerate already, which goes on.
    Numbers of moves to the end are kept, too, unless --no-distances says otherwise.

    With --on, several processes find them together, each for a part of the states, as enumerate --on counts.

    If a state tells its depth, and the states do not fit --memory, they are in a folder meanwhile: that of --out, or a
    temporary one.

    Exit code 3 means that the memory was not enough, or that --seconds are over; 130 and 143 that a signal stopped it.

    Examples:
        puzzlekit values tictactoe
        puzzlekit values tictactoe --out valued  # keep them, and look them up with solve --job valued
    """
    check_plot(plot, as_json=as_json)
    from puzzlekit.run.options import RunOptions

    settings: Settings = context.obj
    plugins = settings.plugins()
    puzzle = compiled(plugins.parse(puzzle_id))
    executor = executor_of(plugins, on, shards, local)
    if out is None and distances is False:
        raise UsageError("--no-distances says what a folder keeps, and there is none; give --out, or leave it out")
    asked = RunOptions(
        symmetry=not no_symmetry,
        threads=threads,
        store=store,
        memory=memory,
        disk=disk,
        checkpoint=checkpoint,
        distances=distances,
        grundy=grundy,
        starts=starts,
        local=local,
    )
    chosen = Chosen(verbose)
    chosen.engine(puzzle)
    chosen.machine(threads, memory)
    if on is None:
        chosen.store(puzzle, asked)
    with watching(seconds=seconds, quiet=quiet) as (watch, interrupt):
        if out is None and executor is None:
            report = _somewhere(puzzle, asked, watch)
        else:
            report = puzzle.values(asked, out=out, on=executor, watch=watch)
    code = finish(report, interrupt, as_json=as_json, folder=out, memory=memory, distances=bool(distances))
    chosen.files(out)
    show_plot_of(report, plot, as_json=as_json)
    return code


def _somewhere(puzzle: Puzzle, asked: RunOptions, watch: Watch) -> ValuesReport:
    """Finds values in memory; or in a temporary folder, if they do not fit and a state tells its depth."""
    on_disk = puzzle.engine.window == "layered" and asked.starts == "first" and not asked.grundy
    try:
        report = puzzle.values(asked, watch=watch)
    except LimitError:
        if not on_disk:
            raise
    else:
        if report.stopped != "memory" or not on_disk:
            return report
    with temporary_folder() as base:
        say(f"the states do not fit the memory, so they are in {base} until this ends; --out keeps them")
        return puzzle.values(replace(asked, store="sparse"), out=os.path.join(base, "job"), watch=watch)


def show_plot_of(report: ValuesReport, plot: str | None, *, as_json: bool) -> None:
    """Shows the plot of a report if one is asked for and the report is complete."""
    if report.complete:
        show_plot(report.bars, plot, as_json=as_json)


def finish(
    report: ValuesReport,
    interrupt: Interrupt,
    *,
    as_json: bool,
    folder: str | None,
    memory: str | None,
    distances: bool = False,
) -> int:
    """Prints a report, says why it is incomplete if it is, and returns the exit code."""
    if as_json:
        print_json(report.to_data())
    elif report.complete:
        _print_report(report, distances=distances)
    if report.complete:
        return 0
    go_on = "" if folder is None else f"; go on with: puzzlekit resume {shell_word(folder)}"
    if interrupt.stopped:
        how = "interrupted" if interrupt.signal else "stopped, as --seconds says,"
        say(f"{how} before the values were known{go_on}")
        return code_of_stop(interrupt.signal)
    given = "this machine has to give" if memory is None else "--memory gives"
    if folder is None:
        say(f"what must be held at once needs more memory than {given}; give more, or a smaller board")
    else:
        say(f"the next step needs more memory than {given}{go_on}, with more of it")
    return code_of_stop(None)


def _print_report(report: ValuesReport, *, distances: bool) -> None:
    order = report.symmetry_order
    which = ", by moves needed to the goal" if report.backward else ""
    print_line(f"{report.puzzle}, {f'states up to {order} symmetries' if order > 1 else 'without symmetries'}{which}")
    print_line()
    # For a puzzle, the column `unsolvable` is left out if no state has this value, since it would have only zeros.
    kept = ("win", "loss") if report.grundy else ("win", "draw", "loss", "solvable")
    names = [name for name in report.names if report.total(name) or name in kept]
    rows = [[str(depth.depth), *(f"{depth.states[name]:,}" for name in names)] for depth in report.depths]
    rows.append(["all", *(f"{report.total(name):,}" for name in names)])
    print_table(("depth", *names), rows, numbers=range(len(names) + 1))
    # If the report counts backward, its depths are numbers of moves to the end. So this table would repeat the first
    # one.
    if distances and report.distances and not report.backward:
        ends = [name for name in report.names if any(name in distance.states for distance in report.distances)]
        counts = [
            [str(distance.moves), *(f"{distance.states[name]:,}" for name in ends)] for distance in report.distances
        ]
        print_line()
        print_table(("moves to the end", *ends), counts, numbers=range(len(ends) + 1))
    if report.scores:
        counts = [[f"{each.score:+,}" if each.score else "0", f"{each.states:,}"] for each in report.scores]
        print_line()
        print_table(("points of the player to move", "states"), counts, numbers=range(2))
    if report.grundy:
        print_line()
        print_table(
            ("grundy", "states"), [[str(each.grundy), f"{each.states:,}"] for each in report.grundy], numbers=range(2)
        )
    print_line()
    if report.start is not None and not report.starts:
        print_line(f"the start is {_words(report.start)}")
    for player, value in report.starts.items():
        print_line(f"if {player} begins, the start is {_words(value)}")
    if report.outcome_class is not None:
        from puzzlekit.run.starts import class_in_words

        told = class_in_words(report.outcome_class, tuple(report.starts))
        print_line(f"outcome class {report.outcome_class}: {told}")
    if report.longest is not None:
        most = "the longest way" if report.longest.value.score is None else "the most points"
        most = "the largest number" if report.grundy else most
        print_line(f"{most}: {report.longest.state} is {_words(report.longest.value)}")
    took = f"{report.seconds:.3f} s" if report.seconds >= 1 else f"{report.seconds * 1000:.2f} ms"
    print_line(f"{report.states:,} states, {report.raw_states:,} with symmetric ones counted apart; {took}")


def _words(value: StateValue) -> str:
    """The value of a state in words, such as "a win in 5 moves"."""
    if value.score is not None:
        from puzzlekit.run.answers import points_in_words

        return points_in_words(value.score)
    name = f"a {value.value}" if value.value in ("win", "draw", "loss") else value.value
    if value.grundy is not None:
        return f"{name}, with the Grundy number {value.grundy:,}"
    return name if value.moves is None else f"{name} in {value.moves:,} move{'s' if value.moves != 1 else ''}"
