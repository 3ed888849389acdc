"""`puzzlekit resume`: resumes an enumeration that is kept in a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from puzzlekit.cli.chosen import Chosen
from puzzlekit.cli.enumerate import finish, total_of, watching
from puzzlekit.cli.options import (
    CheckpointOption,
    DiskOption,
    FileOption,
    JobArgument,
    JsonOption,
    MaxDepthOption,
    MemoryOption,
    OnOption,
    QuietOption,
    SliceOption,
    ThreadsOption,
    VerboseOption,
)
from puzzlekit.cli.plot import Plot, check_plot, show_plot
from puzzlekit.cli.values import finish as finish_values
from puzzlekit.cli.values import show_plot_of
from puzzlekit.errors import UsageError

if TYPE_CHECKING:
    from puzzlekit.cli.output import Settings


def run(
    context: typer.Context,
    folder: JobArgument,
    max_depth: MaxDepthOption = None,
    threads: ThreadsOption = None,
    memory: MemoryOption = None,
    disk: DiskOption = None,
    checkpoint: CheckpointOption = None,
    seconds: SliceOption = None,
    drop_partial: Annotated[
        bool,
        typer.Option("--drop-partial", help="Begin the depth that is not done again, such as after a file was lost."),
    ] = False,
    on: OnOption = None,
    plot: Plot = None,
    file: FileOption = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    as_json: JsonOption = False,
) -> int:
    """Go on with an enumeration from the last depth that was kept, and print the counts of all depths.

    A job that values --out began goes on with the values, too, and prints those. A job that several processes count
    goes on with as many of this machine, unless --on names others.

    Exit code 4 means that the folder is damaged; the others are those of enumerate.

    Examples:
        puzzlekit resume counted
        puzzlekit resume counted --memory 4GiB  # with another limit than before
        puzzlekit resume counted --seconds 600  # for ten minutes, and then again
    """
    check_plot(plot, as_json=as_json)
    from puzzlekit.run.options import RunOptions
    from puzzlekit.run.overridable import count_reachable

    settings: Settings = context.obj
    plugins = settings.plugins()
    job = plugins.open_job(folder, file)
    asked = RunOptions(max_depth=max_depth, threads=threads, memory=memory, disk=disk, checkpoint=checkpoint)
    executor = None if on is None else plugins.executor(on, job.status()["subject"].get("shards"))
    chosen = Chosen(verbose)
    chosen.engine(job.puzzle)
    chosen.machine(threads, memory)
    if job.status().get("values") is not None:
        if max_depth is not None:
            raise UsageError("values need all depths; leave --max-depth out")
        with watching(seconds=seconds, quiet=quiet) as (watch, interrupt):
            values = job.values(asked, on=executor, watch=watch, drop_partial=drop_partial)
        code = finish_values(values, interrupt, as_json=as_json, folder=folder, memory=memory)
        chosen.files(folder)
        show_plot_of(values, plot, as_json=as_json)
        return code
    reachable = count_reachable(job.puzzle) if max_depth is None else None
    total = total_of(reachable, asked, job.status()["subject"]["symmetry_order"])
    with watching(total, seconds=seconds, quiet=quiet) as (watch, interrupt):
        report = job.resume(asked, on=executor, watch=watch, drop_partial=drop_partial)
    limits = {"--memory": memory, "--disk": disk}
    code = finish(report, interrupt, as_json=as_json, folder=folder, limits=limits)
    chosen.files(folder)
    show_plot(report.bars, plot, as_json=as_json)
    return code
