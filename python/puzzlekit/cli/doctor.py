"""`puzzlekit doctor`: what is installed, what the machine gives, and what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from puzzlekit.cli.options import JsonOption
from puzzlekit.cli.output import Settings, print_json, print_line, print_table, size

if TYPE_CHECKING:
    from puzzlekit.doctor.diagnosis import Diagnosis
    from puzzlekit.doctor.self_test import Trial


def run(
    context: typer.Context,
    self_test: Annotated[
        bool, typer.Option("--self-test", help="Count what is known in every store, for about a second.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Tell what is installed, what the machine gives, and what is wrong with any of it.

    Exit code 1 means that there is a problem.

    Examples:
        puzzlekit doctor
        puzzlekit doctor --self-test  # count what is known, for about a second
    """
    from puzzlekit.doctor.diagnosis import examine

    settings: Settings = context.obj
    diagnosis = examine(settings.patient_plugins(), self_test=self_test)
    if as_json:
        print_json(diagnosis.to_data())
    else:
        _print_diagnosis(diagnosis)
    return 1 if diagnosis.problems else 0


def _print_diagnosis(diagnosis: Diagnosis) -> None:
    found, processor = diagnosis.installation, diagnosis.processor
    memory, folders = diagnosis.memory, diagnosis.folders
    version = found.version or "not installed"
    print_line(f"puzzlekit-core   {version}, compiled engine {found.engine_version}")
    print_line(f"package          {found.folder}{', editable' if found.editable else ''}")
    print_line(f"python           {found.python}, {found.executable}")
    print_line(f"platform         {found.platform}")
    named = (f"{package.name} {package.version or 'missing'}" for package in found.packages)
    print_line(f"packages         {', '.join(named) or 'unknown'}")
    print_line(f"processor        {processor.architecture}, with {_INSTRUCTIONS[processor.instruction_set]}")
    print_line(f"threads          {processor.threads or 'none'}, one a core; the machine has {processor.cores or '?'}")
    for bound in memory.bounds:
        binds = ", which binds" if bound == memory.binding else ""
        print_line(f"memory           {size(bound.bytes)}: {bound}{binds}")
    print_line(f"a run takes      {size(memory.default_bytes)} at the most, if --memory says nothing else")
    cache = diagnosis.cache
    held = f", {cache.tables} tables of {size(cache.bytes)}, {size(cache.most_bytes)} at the most"
    print_line(f"cache folder     {'none' if cache.folder is None else cache.folder + held}")
    free = "" if folders.free_bytes is None else f", {size(folders.free_bytes)} free"
    print_line(f"temporary files  {folders.temporary or 'none can be written'}{free}")
    _print_plugins(diagnosis)
    if diagnosis.trials is not None:
        _print_trials(diagnosis.trials)
    print_line()
    problems = diagnosis.problems
    print_line("problems" if problems else "no problem was found")
    for problem in problems:
        print_line(f"- {problem}")


_INSTRUCTIONS = {
    "avx512": "AVX-512 instructions",
    "avx2": "AVX2 instructions",
    "baseline": "the instructions that every such processor has",
}


def _print_plugins(diagnosis: Diagnosis) -> None:
    print_line()
    if not diagnosis.plugins:
        print_line("no plugins")
        return
    rows = [
        (
            plugin.name,
            f"{plugin.distribution or 'unknown'} {plugin.version or ''}".rstrip(),
            " ".join(plugin.puzzles),
            "see below" if plugin.problems else "ok",
        )
        for plugin in diagnosis.plugins
    ]
    print_table(("plugin", "distribution", "puzzles", "status"), rows)


def _print_trials(trials: tuple[Trial, ...]) -> None:
    print_line()
    rows = [
        (
            trial.name,
            trial.store,
            "all" if trial.threads is None else str(trial.threads),
            f"{trial.expected:,}",
            "" if trial.found is None else f"{trial.found:,}",
            f"{trial.seconds * 1000:.0f} ms",
            "ok" if trial.problem is None else "failed" if trial.found is None else "wrong",
        )
        for trial in trials
    ]
    headers = ("self-test", "store", "threads", "expected", "found", "time", "status")
    print_table(headers, rows, numbers=(2, 3, 4, 5))
