"""`puzzlekit plugins`: lists plugins, checks puzzles, and makes new plugins."""

from __future__ import annotations

from typing import Annotated

import typer

from puzzlekit.cli.help import group
from puzzlekit.cli.options import AllThreadsOption, JsonOption, MemoryOption, PuzzleArgument, QuietOption
from puzzlekit.cli.output import Settings, print_json, print_line, print_table, say


def build() -> typer.Typer:
    """The verbs `plugins list`, `plugins check` and `plugins new`."""
    return group("Look after plugins.", list=run, check=check, new=new)


def run(
    context: typer.Context,
    as_json: JsonOption = False,
) -> None:
    """List the plugins that are installed, what each brings, and what is wrong with those that fail.

    Examples:
        puzzlekit plugins list
    """
    settings: Settings = context.obj
    found = settings.plugins()
    plugins = found.load_all()
    formats = [(each, each.fault()) for each in found.formats.all()]
    if as_json:
        entries = [
            {"name": plugin.name, "distribution": plugin.distribution, "puzzles": plugin.puzzles, "error": plugin.error}
            for plugin in plugins
        ]
        files = [{"ending": each.ending, "distribution": str(each.source), "error": fault} for each, fault in formats]
        print_json({"schema": "puzzlekit.plugins.list/1", "plugins": entries, "formats": files})
        return
    rows = [
        (plugin.name, plugin.distribution, " ".join(plugin.puzzles), "ok" if plugin.error is None else plugin.error)
        for plugin in plugins
    ]
    rows += [(each.ending, str(each.source), "reads files", fault or "ok") for each, fault in formats]
    print_table(("plugin", "distribution", "puzzles", "status"), rows)


def check(
    context: typer.Context,
    puzzle_id: PuzzleArgument,
    states: Annotated[int, typer.Option(metavar="N", help="Look at N states one by one.")] = 500,
    full: Annotated[
        bool, typer.Option("--full", help="Look at other processes and at all ends of parameters, too; some seconds.")
    ] = False,
    memory: MemoryOption = "1GiB",
    threads: AllThreadsOption = None,  # noqa: ARG001 - handled by its callback
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Check that a puzzle keeps to what every puzzle must; say what to change if it does not.

    Give small parameters, so that all states can be looked at. Exit code 1 means that a fault was found.

    Examples:
        puzzlekit plugins check slider:2,3
        puzzlekit plugins check ./mine.py --full  # everything, in some seconds
    """
    from puzzlekit.cli.progress import ProgressLine
    from puzzlekit.run.checks import check_number
    from puzzlekit.run.memory import read_bytes
    from puzzlekit.run.progress import Progress
    from puzzlekit.testing import checks

    settings: Settings = context.obj
    check_number("--states", states, 1, 10**6)
    limit = None if memory is None else read_bytes(memory)
    plugins = settings.plugins()
    puzzle = plugins.parse(puzzle_id)
    solvers, scramblers = plugins.solvers(puzzle), plugins.scramblers(puzzle)
    now = ""

    def watch(told: str) -> None:
        nonlocal now
        now = told
        line.show(Progress())

    with ProgressLine(lambda *_: f"checking {now}", quiet=quiet) as line:
        parts_done = checks(
            puzzle, states=states, full=full, solvers=solvers, scramblers=scramblers, memory=limit, watch=watch
        )
        done = list(parts_done)
    fault = done[-1].fault
    if as_json:
        parts = [
            {"name": part.name, "times": part.times, "seconds": part.seconds, "notes": part.notes} for part in done
        ]
        data = {"puzzle": str(puzzle), "full": full, "checks": parts, "fault": fault}
        print_json({"schema": "puzzlekit.plugins.check/1", **data})
    else:
        rows = [
            (part.name, f"{part.times:,}", f"{part.seconds * 1e3:,.0f} ms", "ok" if part.fault is None else "fault")
            for part in done
        ]
        print_table(("checked", "how often", "time", "result"), rows, numbers=(1, 2))
    for note in (note for part in done for note in part.notes if not as_json):
        say(f"note: {note}")
    if fault is not None:
        say(f"error: {fault}")
    return 0 if fault is None else 1


def new(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The id of the puzzle, such as burnt-pancakes.")],
    folder: Annotated[
        str | None, typer.Argument(metavar="[DIR]", help="Where to make it; puzzlekit-NAME if left out.")
    ] = None,
    file: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="FILE", help="Take the puzzle of a file, such as ./burnt.py, or one of the gallery."
        ),
    ] = None,
    author: Annotated[
        str | None, typer.Option(metavar="NAME", help="Put it under the MIT licence, in this name.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a distribution for a puzzle: package, tests, README with first counts, and a workflow.

    Nothing is written if anything is wrong. Without --author it has no licence, and says so.

    Examples:
        puzzlekit plugins new burnt-pancakes
        puzzlekit plugins new frogs --from ./frogs.py  # from a puzzle in a file
        puzzlekit plugins new klotski --from klotski  # from a puzzle of the gallery
    """
    from puzzlekit.plugins.new import make

    settings: Settings = context.obj
    made = make(settings.plugins(), name, folder, file=file, author=author)
    if as_json:
        data = {"folder": made.folder, "puzzle": made.puzzle, "distribution": made.distribution, "files": made.files}
        print_json({"schema": "puzzlekit.plugins.new/1", **data})
        return
    for path in made.files:
        print_line(f"{made.folder}/{path}")
    say(
        f"{made.distribution} is made; in {made.folder}: pip install -e . pytest, then pytest (its README.md says more)"
    )
    if author is None:
        say("it has no licence yet: choose one before you publish it, or give --author NAME for the MIT licence")
