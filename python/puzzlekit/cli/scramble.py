"""`puzzlekit scramble`: makes a random state, which is the same for the same seed everywhere and for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from puzzlekit.cli import completion
from puzzlekit.cli.enumerate import stopping, watching
from puzzlekit.cli.options import AllThreadsOption, JsonOption, PuzzleArgument, QuietOption
from puzzlekit.cli.output import Settings, print_json, print_line, say, say_lines
from puzzlekit.cli.progress import clock
from puzzlekit.describe.sequence import names_joined
from puzzlekit.errors import UsageError, code_of_stop
from puzzlekit.puzzle.puzzle import Puzzle
from puzzlekit.run import overridable
from puzzlekit.run.checks import check_moves
from puzzlekit.run.engine.answers import METHODS

if TYPE_CHECKING:
    from puzzlekit.plugins.loader import Plugins
    from puzzlekit.run.answers import ScrambleReport
    from puzzlekit.run.progress import Progress
    from puzzlekit.run.scrambler import Scrambler

NEEDS_SECONDS = 30.0
"""The most seconds of the search for a state that needs the moves of `--needs`, if `--seconds` does not say."""

Moves = Annotated[int | None, typer.Option("--moves", metavar="M", help="Make M random moves from the start.")]
Seed = Annotated[str | None, typer.Option("--seed", metavar="S", help="Any text; the same seed gives the same state.")]
Daily = Annotated[
    str | None,
    typer.Option("--daily", metavar="[DATE]", help="The state of a day, as YYYY-MM-DD; of today (UTC) if left out."),
]
Number = Annotated[
    int | None, typer.Option("--number", metavar="N", help="The state of a number, where they have one.")
]

ScramblerOption = Annotated[
    str | None,
    typer.Option(
        "--scrambler",
        metavar="NAME",
        help="A scrambler, as puzzlekit info lists them.",
        autocompletion=completion.scramblers,
    ),
]


def run(
    context: typer.Context,
    puzzle_id: PuzzleArgument,
    moves: Moves = None,
    seed: Seed = None,
    daily: Daily = None,
    number: Number = None,
    scrambler: ScramblerOption = None,
    needs: Annotated[
        int | None, typer.Option("--needs", metavar="N", help="A state that needs exactly N moves to the goal.")
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(metavar="S", help="With --needs, take at most S seconds (30 if left out); with --check, too."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Test whether all states are drawn equally often; no state is made.")
    ] = False,
    threads: AllThreadsOption = None,  # noqa: ARG001 - handled by its callback
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> int:
    """Make a random state that is not solved.

    Without --moves, each reachable state is equally likely where they are few or their structure is known,
    unless the puzzle has a way of its own. Where they are few, each can be solved.

    Examples:
        puzzlekit scramble slider:4,4 --seed tea  # the same state for the same seed
        puzzlekit scramble rotation --daily  # the state of today, the same for everybody
        puzzlekit scramble rotation --needs 5 --seed tea
        puzzlekit scramble slider:2,3 --check  # is it fair?
    """
    settings: Settings = context.obj
    plugins = settings.plugins()
    puzzle = plugins.parse(puzzle_id)
    if needs is not None or check:
        others = {"--moves": moves, "--daily": daily, "--number": number, "--scrambler": scrambler}
        if given := [
            *(["--needs"] if check and needs is not None else []),
            *(o for o, v in others.items() if v is not None),
        ]:
            raise UsageError(f"{'--check' if check else '--needs'} and {given[0]} are given together; give one of them")
    elif seconds is not None:
        raise UsageError("--seconds is for --needs and --check; leave it out")
    if check:
        return _check(puzzle, "check" if seed is None else seed, seconds, quiet=quiet, as_json=as_json)
    if needs is not None:
        from puzzlekit.puzzle.needing import scramble_needing

        limit = NEEDS_SECONDS if seconds is None else seconds
        with watching(tell=describe, limit=limit, quiet=quiet) as (watch, interrupt), stopping(interrupt, None):
            scrambled = scramble_needing(puzzle, needs, seed, seconds=limit, watch=watch)
    else:
        scrambled = scramble(puzzle, moves, seed, daily, number, chosen(plugins, puzzle, scrambler))
    guide = overridable.guide(puzzle)
    if as_json:
        if scrambled.method in (METHODS["unsolvable"], METHODS["one-way"]):
            say(scrambled.method)
        print_json({**scrambled.to_data(), **({"goal": puzzle.engine.goal, "guide": guide} if guide else {})})
        return 0
    print_line(scrambled.state)
    # The moves of a scramble may also solve it, as presses of lamps do. So they are printed only if moves were asked
    # for.
    made = "" if scrambled.moves is None or moves is None else f" ({names_joined(scrambled.moves)})"
    name = [] if scrambled.number is None else [f"number {scrambled.number}"]
    if number is None or not name:
        name.append(f'seed "{scrambled.seed}"')
    say(f"{', '.join(name)}: {scrambled.method}{made}")
    say_lines(guide)
    return 0


def describe(progress: Progress, begun_before: float) -> str:
    """A line with the progress: how many states were found; then how many were listed, or how many scrambles made."""
    if not progress.frontier:
        return f"{progress.states:,} states found"
    done = f"{progress.expanded:,} of {progress.frontier:,} {'states listed' if progress.states else 'scrambles made'}"
    if not progress.expanded or begun_before <= 0:
        return done
    return f"{done}, {clock((progress.frontier - progress.expanded) * begun_before / progress.expanded)} left"


def _check(puzzle: Puzzle, seed: str, seconds: float | None, *, quiet: bool, as_json: bool) -> int:
    """Prints how evenly scrambles are drawn. Returns the exit code: 1 if they are not, 3 if a limit came first."""
    from puzzlekit.puzzle.evenness import evenness

    with watching(tell=describe, limit=seconds, quiet=quiet) as (watch, interrupt), stopping(interrupt, None):
        report = evenness(puzzle, seed=seed, seconds=seconds, watch=watch)
    if as_json:
        print_json(report.to_data())
    else:
        parts = "each of them" if report.parts == report.states else f"each of {report.parts:,} parts of them"
        drawn = report.draws / report.parts
        print_line(f"{report.puzzle}: {report.states:,} states to draw, {report.draws:,} scrambles ({report.method})")
        print_line(f"{parts} was drawn {drawn:.1f} times on the average")
        print_line(f"chi-square {report.chi_square:,.1f} for {report.parts - 1:,} degrees of freedom")
        print_line(f"if the draw is even, one as large has the probability {report.probability:.3g}")
        if report.outside:
            print_line(f"{report.outside:,} scrambles are none of these states")
        print_line("nothing speaks against an even draw" if report.even else "the draw is not even")
        say(f'seeds "{seed} 1" to "{seed} {report.draws}"')
    if not report.complete:
        say(f"incomplete: {report.draws:,} scrambles were made until {'a signal' if interrupt.signal else 'the limit'}")
    if not report.even:
        return 1
    return 0 if report.complete else code_of_stop(interrupt.signal)


def chosen(plugins: Plugins, puzzle: Puzzle, name: str | None) -> Scrambler | None:
    """The scrambler of the given name; `None` if no name is given."""
    return None if name is None else plugins.scrambler(puzzle, name)


def scramble(
    puzzle: Puzzle,
    moves: int | None,
    seed: str | None,
    daily: str | None,
    number: int | None,
    scrambler: Scrambler | None,
) -> ScrambleReport:
    """Makes the random state that the options ask for."""
    named = {"--daily": daily, "--number": number, "--seed": seed}
    given = [option for option, value in named.items() if value is not None]
    if daily is not None or number is not None:
        given += ["--moves"] if moves is not None else []
        given += ["--scrambler"] if scrambler is not None else []
    check_moves("--moves", moves)
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} are given together; give one of them")
    if number is not None:
        return overridable.numbered(puzzle, number)
    if scrambler is not None:
        # The method of the class `Puzzle` is called, because a puzzle that overrides `scramble` need not take
        # `scrambler`.
        return Puzzle.scramble(puzzle, seed, moves=moves, scrambler=scrambler)
    if daily is None:
        return overridable.scramble(puzzle, seed, moves)
    return overridable.daily(puzzle, today() if daily == "today" else daily)


def today() -> str:
    """Today's date in UTC, as seeds of days have it: YYYY-MM-DD."""
    import datetime

    return datetime.datetime.now(datetime.UTC).date().isoformat()
