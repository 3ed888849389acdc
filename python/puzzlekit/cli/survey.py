"""`puzzlekit survey`: how good a method is over all states, and how many moves each phase needs at most."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlekit.cli import completion
from puzzlekit.cli.cases import CasesOption, LimitOption, check_cases, list_cases
from puzzlekit.cli.chosen import Chosen
from puzzlekit.cli.enumerate import compiled, stopping, watching
from puzzlekit.cli.library import libraries
from puzzlekit.cli.options import (
    AllThreadsOption,
    JsonOption,
    LibraryOption,
    MemoryOption,
    PuzzleArgument,
    QuietOption,
    SecondsOption,
    VerboseOption,
)
from puzzlekit.cli.output import Settings, print_json, print_line, print_table, say
from puzzlekit.cli.plot import Plot, check_plot, show_plot
from puzzlekit.errors import UsageError, code_of_stop
from puzzlekit.run.checks import check_number
from puzzlekit.run.defaults import MAX_STATES

if TYPE_CHECKING:
    from puzzlekit.run.progress import Progress
    from puzzlekit.run.survey import Lengths, SurveyReport


def run(
    context: typer.Context,
    puzzle_id: PuzzleArgument,
    solver: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="A solver, as puzzlekit info lists them; the method to survey.",
            autocompletion=completion.solvers,
        ),
    ] = None,
    phase: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN", help="A phase: a state in which ? stands for any symbol. Give one after another."
        ),
    ] = None,
    sample: Annotated[int | None, typer.Option(metavar="N", help="Draw N states at random, not all.")] = None,
    seed: Annotated[
        str | None, typer.Option(metavar="S", help="Any text; the same seed draws the same states.")
    ] = None,
    fewest: Annotated[
        bool, typer.Option("--fewest", help="Find the fewest moves of each drawn state as well.")
    ] = False,
    worst: Annotated[int, typer.Option(metavar="N", help="List N of the states that take the most moves.")] = 10,
    max_states: Annotated[int, typer.Option(metavar="N", help="Store at most N states.")] = MAX_STATES,
    memory: MemoryOption = None,
    seconds: SecondsOption = None,
    cases: CasesOption = None,
    limit: LimitOption = None,
    library: LibraryOption = None,
    plot: Plot = None,
    threads: AllThreadsOption = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    as_json: JsonOption = False,
) -> int:
    """Tell how many moves a method takes over all states that play can reach, beside the fewest moves.

    Without --solver, the figures are those of the fewest moves alone. With --sample, they are estimates with standard
    errors.

    Each --phase is a pattern. From every state that meets the patterns before it (all states for the first), it tells
    the most and the mean of the moves that are needed until it is met, too. In between, any moves may be made. With
    --cases, the states at the beginning of the last phase are listed up to symmetry, each with a shortest way.

    With --library, the fewest moves of drawn states, and the values of a game, are looked up where a library has them.

    In a game, it tells what all states are worth, which are farthest from the end, and how much of the values the
    moves of a solver keep.

    Exit code 3 means that a limit stopped the survey; 130 and 143 that a signal did. It prints what is known by then.

    Examples:
        puzzlekit survey rotation --plot  # how many moves all boards need
        puzzlekit survey slider:2,2 --phase 01/23 --cases  # an algorithm sheet
        puzzlekit survey slider:4,4 --sample 9 --solver reduction  # estimates
    """
    check_plot(plot, as_json=as_json)
    check_cases(cases, phase, limit)
    from puzzlekit.puzzle.survey_options import MOST_LISTED
    from puzzlekit.puzzle.surveying import survey
    from puzzlekit.run.overridable import count_reachable

    check_number("--worst", worst, 0, MOST_LISTED)
    settings: Settings = context.obj
    plugins = settings.plugins()
    puzzle = compiled(plugins.parse(puzzle_id))
    told = Chosen(verbose)
    told.engine(puzzle)
    told.machine(threads, memory)
    if cases is not None:
        if solver or sample or plot or library:
            raise UsageError("--cases needs the phases alone; leave out --solver, --sample, --library and --plot")
        limits = {"max_states": max_states, "memory": memory, "seconds": seconds}
        if limit is not None:
            limits["limit"] = limit
        return list_cases(puzzle, phase or (), cases, limits, quiet=quiet, as_json=as_json)
    chosen = None if solver is None else plugins.solver(puzzle, solver)
    tell = partial(describe, total=count_reachable(puzzle))
    unknown = "interrupted; nothing is known yet"
    with watching(tell=tell, quiet=quiet) as (watch, interrupt), stopping(interrupt, unknown):
        report = survey(
            puzzle,
            chosen,
            library=libraries(library),
            phases=phase or (),
            sample=sample,
            seed=seed,
            fewest=fewest,
            listed=worst,
            max_states=max_states,
            memory=memory,
            seconds=seconds,
            watch=watch,
        )
    if as_json:
        print_json(report.to_data())
    else:
        _print_report(report)
    show_plot(report.bars, plot, as_json=as_json)
    if report.complete:
        return 0
    if interrupt.signal is None:
        say(f"incomplete: stopped after {seconds:g} seconds, as --seconds says")
    else:
        say("incomplete: interrupted; these are the figures that were known by then")
    return code_of_stop(interrupt.signal)


def describe(progress: Progress, begun_before: float, total: int | None = None) -> str:
    """A line with the progress: how many states are done, of how many, and how much time is left."""
    if not progress.frontier:
        return f"{progress.states:,}{'' if total is None else f' of {total:,}'} states found"
    parts = [f"{progress.expanded:,}/{progress.frontier:,} states"]
    if progress.depth:
        return f"{', '.join(parts)} at {progress.depth} moves"
    if progress.expanded and begun_before > 0:
        speed = progress.expanded / begun_before
        parts += [f"{speed:,.0f}/s", f"{(progress.frontier - progress.expanded) / speed:,.0f} s left"]
    return ", ".join(parts)


def _print_report(report: SurveyReport) -> None:
    print_line(_title(report))
    if report.values:
        _print_values(report)
    columns = {name: lengths for name, lengths in _columns(report).items() if lengths is not None and lengths.states}
    if columns:
        print_line()
        _print_figures(columns)
        print_line()
        _print_histogram(columns)
        print_line()
        for name, lengths in columns.items():
            _print_worst(name, lengths)
    if report.phases or report.stages:
        print_line()
        _print_parts(report)
    if report.unanswered:
        print_line()
        print_line(
            f"{report.solver} gave no answer for {report.unanswered:,} states; of the first: {report.why_unanswered}"
        )
    for name, states in report.looked_up.items():
        print_line()
        what = "the values" if report.values else "the fewest moves"
        print_line(f"{what} of {states:,} states are proven by the library at {name}")
    print_line()
    print_line(f"{report.seconds:.3f} s{'' if report.complete else '; incomplete'}")


def _print_values(report: SurveyReport) -> None:
    """Prints a table of the values of a game's states and, with a solver, of their values after its moves."""
    print_line()
    after = [f"then {kept.value}" for kept in report.values] if report.solver is not None else []
    rows = [
        [kept.value, f"{kept.states:,}", *(f"{became:,}" for became in (kept.after or {}).values())]
        for kept in report.values
    ]
    print_table(["value", "states", *after], rows, numbers=range(1, 5))
    if report.share_lost is not None:
        print_line()
        print_line(f"{report.solver} loses the value of {report.share_lost:.1%} of the wins and draws")
    if report.points_lost is not None:
        print_line(f"{report.solver} loses {report.points_lost.mean:.3f} points a move on average")
    for kept in report.values:
        if kept.lost_states:
            more = " ..." if kept.lost > len(kept.lost_states) else ""
            print_line(f"{kept.value} that {report.solver} spoils: {' '.join(kept.lost_states)}{more}")


def _title(report: SurveyReport) -> str:
    part = "" if report.complete else f"{report.looked_at:,} of "
    if report.values and report.sample is None:
        which = f"{part or 'all '}{report.states:,} states that play can reach, and in which it goes on"
        return f"{report.puzzle}: {which}{'; those nearest to the start' if part else ''}"
    cannot = f", of which {report.unsolvable:,} cannot be solved" if report.unsolvable else ""
    if report.sample is None:
        asked = f"; {report.solver} was asked about {report.looked_at:,}" if part and report.solver else ""
        return f"{report.puzzle}: all {report.states:,} states that play can reach{cannot}{asked}"
    drawn = f'{part}{report.states:,} states drawn with the seed "{report.sample.seed}"'
    return f"{report.puzzle}: {drawn} ({report.sample.method}){cannot}"


def _columns(report: SurveyReport) -> dict[str, Lengths | None]:
    """The figures of the report by the headers of their columns; `None` for figures that it lacks."""
    if report.values:
        moves = {"to the end": report.fewest, "slower": report.excess}
        return {**moves, "points": report.points, "points lost": report.points_lost}
    named = {} if report.solver is None else {report.solver: report.lengths}
    excess = {} if report.solver is None else {"excess": report.excess}
    return {**named, "fewest": report.fewest, **excess}


def _print_figures(columns: dict[str, Lengths]) -> None:
    sampled = any(lengths.sampled for lengths in columns.values())
    headers = [
        "points" if "points" in columns else "moves",
        "states",
        "worst",
        "mean",
        *(["standard error"] if sampled else []),
    ]
    rows = [
        [
            name,
            f"{lengths.states:,}",
            "" if lengths.worst is None else str(lengths.worst),
            _decimal(lengths.mean),
            *([_decimal(lengths.standard_error)] if sampled else []),
        ]
        for name, lengths in columns.items()
    ]
    print_table(headers, rows, numbers=range(1, len(headers)))


def _decimal(number: float | None) -> str:
    return "" if number is None else f"{number:.3f}"


def _print_histogram(columns: dict[str, Lengths]) -> None:
    """Prints a row for each number of moves, with the number of states that take as many."""
    taken = sorted({moves for lengths in columns.values() for moves in lengths.counts})
    rows = [[str(moves), *(f"{lengths.counts.get(moves, 0):,}" for lengths in columns.values())] for moves in taken]
    print_table(["points" if "points" in columns else "moves", *columns], rows, numbers=range(len(columns) + 1))


def _print_worst(name: str, lengths: Lengths) -> None:
    if lengths.worst is None or not lengths.worst_states:
        return
    states = lengths.counts[lengths.worst]
    listed = " ".join(f'"{state}"' if " " in state else state for state in lengths.worst_states)
    more = "" if states == len(lengths.worst_states) else " ..."
    print_line(f"{name} {lengths.worst}: {states:,} state{'' if states == 1 else 's'}: {listed}{more}")


def _print_parts(report: SurveyReport) -> None:
    """Prints the stages of the method and the phases. If there are as many of each, they share a table."""
    stages = [[stage.name, str(stage.lengths.worst), _decimal(stage.lengths.mean)] for stage in report.stages]
    phases = [
        [
            phase.pattern,
            f"{phase.lengths.states + phase.unsolvable:,}",
            "" if phase.lengths.worst is None else str(phase.lengths.worst),
            _decimal(phase.lengths.mean),
            *([f"{phase.unsolvable:,}"] if any(each.unsolvable for each in report.phases) else []),
        ]
        for phase in report.phases
    ]
    stage_headers = [f"stage of {report.solver}", "worst", "mean"]
    phase_headers = ["phase", "from states", "most needed", "mean needed", "unsolvable"][: len((phases or [[]])[0])]
    if stages:
        stages.append(["sum", str(sum(stage.lengths.worst or 0 for stage in report.stages)), ""])
    if phases:
        total = "" if report.phases_worst is None else str(report.phases_worst)
        phases.append(["sum", "", total, *[""] * (len(phase_headers) - 3)])
    if stages and phases and len(stages) == len(phases):
        rows = [[*one, *other] for one, other in zip(stages, phases, strict=True)]
        print_table([*stage_headers, *phase_headers], rows, (1, 2, 4, 5, 6, 7))
        return
    for headers, rows, numbers in ((stage_headers, stages, (1, 2)), (phase_headers, phases, (1, 2, 3, 4))):
        if rows:
            print_table(headers, rows, numbers)
