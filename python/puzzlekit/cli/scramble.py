"""`puzzlekit scramble`: makes a random state, which is the same for the same seed everywhere and for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from puzzlekit.cli import completion
from puzzlekit.cli.options import AllThreadsOption, JsonOption, PuzzleArgument
from puzzlekit.cli.output import Settings, print_json, print_line, say, say_lines
from puzzlekit.errors import UsageError
from puzzlekit.puzzle.puzzle import Puzzle
from puzzlekit.run import overridable

if TYPE_CHECKING:
    from puzzlekit.plugins.loader import Plugins
    from puzzlekit.run.answers import ScrambleReport
    from puzzlekit.run.scrambler import Scrambler

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
    seconds: Annotated[float, typer.Option(metavar="S", help="Search for such a state for S seconds at most.")] = 30,
    check: Annotated[
        bool, typer.Option("--check", help="Test whether all states are drawn equally often; no state is made.")
    ] = False,
    threads: AllThreadsOption = None,  # noqa: ARG001 - handled by its callback
    as_json: JsonOption = False,
) -> None:
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
    if check:
        _check(puzzle, seed or "check", as_json=as_json)
        return
    if needs is not None:
        from puzzlekit.puzzle.needing import scramble_needing

        scrambled = scramble_needing(puzzle, needs, seed, seconds=seconds)
    else:
        scrambled = scramble(puzzle, moves, seed, daily, number, chosen(plugins, puzzle, scrambler))
    guide = overridable.guide(puzzle)
    if as_json:
        print_json({**scrambled.to_data(), **({"goal": puzzle.engine.goal, "guide": guide} if guide else {})})
        return
    print_line(scrambled.state)
    # The moves of a scramble may also solve it, as presses of lamps do. So they are told only if moves were asked for.
    made = "" if scrambled.moves is None or moves is None else f" ({' '.join(scrambled.moves)})"
    name = [] if scrambled.number is None else [f"number {scrambled.number}"]
    if number is None or not name:
        name.append(f'seed "{scrambled.seed}"')
    say(f"{', '.join(name)}: {scrambled.method}{made}")
    say_lines(guide)


def _check(puzzle: Puzzle, seed: str, *, as_json: bool) -> None:
    """Tests how evenly scrambles are drawn, and prints the result. The exit code is 1 if they are not drawn evenly."""
    from puzzlekit.puzzle.evenness import evenness

    report = evenness(puzzle, seed=seed)
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
    if not report.even:
        raise typer.Exit(1)


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
    if moves == 0:
        raise UsageError("--moves is 0, and no moves lead nowhere from the start; give 1 or more")
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} are given together; give one of them")
    if number is not None:
        return overridable.numbered(puzzle, number)
    if scrambler is not None:
        # The method of `Puzzle` is called, because a puzzle's own `scramble` need not take the argument `scrambler`.
        return Puzzle.scramble(puzzle, seed, moves=moves, scrambler=scrambler)
    if daily is None:
        return overridable.scramble(puzzle, seed, moves)
    return overridable.daily(puzzle, today() if daily == "today" else daily)


def today() -> str:
    """Today's date in UTC, as seeds of days have it: YYYY-MM-DD."""
    import datetime

    return datetime.datetime.now(datetime.UTC).date().isoformat()
