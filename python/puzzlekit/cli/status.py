"""`puzzlekit status`: how far an enumeration is that is kept in a folder."""

from __future__ import annotations

import time
from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import Annotated, Any

import typer

from puzzlekit.cli.output import print_json, print_line

SECONDS = 2
"""How long `--watch` waits between looks."""


def run(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder that enumerate --out made.")],
    watch: Annotated[bool, typer.Option("--watch", help="Print a line for each new depth, to the last.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Tell how far an enumeration is, from another shell or after it has ended. It only reads the folder."""
    from puzzlekit import jobs

    data = jobs.status(folder)
    if as_json:
        print_json(summary(folder, data))
        return
    print_line(_sentence(data))
    while watch and not data["complete"]:
        time.sleep(SECONDS)
        before, data = data, jobs.status(folder)
        if data != before:
            print_line(_sentence(data))


def summary(folder: Path, data: dict[str, Any]) -> dict[str, Any]:
    """What there is to tell of a job."""
    depths, subject = data["depths"], data["subject"]
    return {
        "schema": "puzzlekit.status/1",
        "folder": str(folder),
        "puzzle": subject["puzzle"],
        "plugin": f"{subject['plugin']} {subject['plugin_version']}".strip(),
        "store": subject["store"],
        "symmetry_order": subject["symmetry_order"],
        "complete": data["complete"],
        "max_depth": depths[-1]["depth"],
        "states": sum(depth["states"] for depth in depths),
        "raw_states": sum(depth["raw_states"] for depth in depths),
        "bytes": sum(file["bytes"] for depth in depths for file in depth["files"]),
    }


def _sentence(data: dict[str, Any]) -> str:
    states = sum(depth["states"] for depth in data["depths"])
    how = "complete" if data["complete"] else "not complete"
    return f"{data['subject']['puzzle']}: {states:,} states to depth {data['depths'][-1]['depth']}, {how}"
