"""`puzzlekit status`: how far an enumeration is that is kept in a folder."""

from __future__ import annotations

import time
from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import Annotated, Any

import typer

from puzzlekit.cli.output import print_json, print_line, say

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
    running = jobs.is_running(folder)
    print_line(_sentence(data, running=running))
    while watch and running is not False and not data["complete"]:
        time.sleep(SECONDS)
        running, before, data = jobs.is_running(folder), data, jobs.status(folder)
        for depth in range(len(before["depths"]) + 1, len(data["depths"]) + 1):
            # Each depth has its line, also where several were done since the last look.
            at = {**data, "depths": data["depths"][:depth]}
            last = depth == len(data["depths"])
            print_line(_sentence(at if last else {**at, "complete": False, "partial": None}, running=running))
    if watch and not data["complete"]:
        say(f"nobody works on {folder}")


def summary(folder: Path, data: dict[str, Any]) -> dict[str, Any]:
    """What there is to tell of a job."""
    from puzzlekit import jobs

    depths, subject = data["depths"], data["subject"]
    return {
        "schema": "puzzlekit.status/1",
        "folder": str(folder),
        "puzzle": subject["puzzle"],
        "plugin": f"{subject['plugin']} {subject['plugin_version']}".strip(),
        "store": subject["store"],
        "symmetry_order": subject["symmetry_order"],
        "backward": subject["backward"],
        "outcomes": subject["outcomes"],
        "complete": data["complete"],
        "running": jobs.is_running(folder),
        "max_depth": depths[-1]["depth"],
        "depth_limit": data["max_depth"],
        "partial": None if data["partial"] is None else data["partial"]["expanded"],
        "states": sum(depth["states"] for depth in depths),
        "raw_states": sum(depth["raw_states"] for depth in depths),
        "bytes": sum(file["bytes"] for depth in depths for file in depth["files"]),
    }


def _sentence(data: dict[str, Any], *, running: bool | None) -> str:
    states = sum(depth["states"] for depth in data["depths"])
    how = "complete" if data["complete"] else "not complete"
    depth = data["depths"][-1]["depth"]
    part = f", and a part of depth {depth + 1}" if data["partial"] else ""
    return f"{data['subject']['puzzle']}: {states:,} states to depth {depth}{part}, {how}{', running' * bool(running)}"
