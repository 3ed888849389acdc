"""`puzzlekit status`: how far an enumeration in a folder has come."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from puzzlekit.cli.options import JobArgument, JsonOption
from puzzlekit.cli.output import print_json, print_line, say

SECONDS = 2
"""The seconds between two looks of `--watch`."""


def run(
    folder: JobArgument,
    watch: Annotated[
        bool, typer.Option("--watch", help="Print a line, or with --json an object, for each new depth.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Tell how far an enumeration is, from another shell or after it has ended. It only reads the folder.

    Examples:
        puzzlekit status counted
        puzzlekit status counted --watch  # a line for each new depth
    """
    from puzzlekit import jobs

    def show(data: dict[str, Any], *, running: bool | None) -> None:
        if as_json:
            print_json(summary(folder, data, running=running), flush=watch)
        else:
            print_line(_sentence(data, running=running), flush=watch)

    running, data = jobs.is_running(folder), jobs.status(folder)
    show(data, running=running)
    while watch and running is not False and not is_complete(data):
        time.sleep(SECONDS)
        running, before, data = jobs.is_running(folder), data, jobs.status(folder)
        for depth in range(len(before["depths"]) + 1, len(data["depths"]) + 1):
            # Each new depth gets a line, even if several depths were finished since the last check.
            at = {**data, "depths": data["depths"][:depth]}
            last = depth == len(data["depths"])
            show(at if last else {**at, "complete": False, "partial": None}, running=running)
    if watch and not is_complete(data):
        say(f"nobody works on {folder}")


def summary(folder: str, data: dict[str, Any], *, running: bool | None) -> dict[str, Any]:
    """The data that is printed about a job."""
    depths, subject, values = data["depths"], data["subject"], data.get("values")
    return {
        "schema": "puzzlekit.status/1",
        "folder": folder,
        "puzzle": subject["puzzle"],
        "plugin": f"{subject['plugin']} {subject['plugin_version']}".strip(),
        "store": subject["store"],
        "symmetry_order": subject["symmetry_order"],
        "backward": subject["backward"],
        "outcomes": subject["outcomes"],
        "complete": data["complete"],
        "running": running,
        "max_depth": depths[-1]["depth"] if depths else None,
        "depth_limit": data["max_depth"],
        "partial": None if data["partial"] is None else data["partial"]["expanded"],
        "states": sum(depth["states"] for depth in depths),
        "raw_states": sum(depth["raw_states"] for depth in depths),
        "values": None if values is None else len((data if values.get("counted") else values)["depths"]),
        "bytes": sum(_bytes(depth) for job in _parts(folder, data) for depth in job)
        + sum(file["bytes"] for depth in (values or {"depths": ()})["depths"] for file in depth["files"]),
        "shards": subject.get("shards"),
        "local_folders": (data.get("local") or {"seen": None})["seen"],
    }


def _bytes(depth: dict[str, Any]) -> int:
    """The bytes of a depth's files. If the disks of several machines hold them, the manifest has only the sum."""
    size: int = depth.get("bytes", 0) + sum(file["bytes"] for file in depth["files"])
    return size


def _parts(folder: str, data: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """The depths of the job, in one list; or for a job in shards, a list of depths for each shard.

    The shards of a job with local folders may be on other machines. Then it is the list of the whole job, which has the
    sums of the shards' bytes. Otherwise, only the manifests of the shards have the bytes.
    """
    from puzzlekit import jobs

    shards = data["subject"].get("shards")
    if shards is None or "shard" in data["subject"] or not data["depths"] or data.get("local") is not None:
        return [data["depths"]]
    return [jobs.status(jobs.shard_folder(folder, shard))["depths"] for shard in range(shards)]


def _sentence(data: dict[str, Any], *, running: bool | None) -> str:
    puzzle, now = data["subject"]["puzzle"], ", running" * bool(running)
    if not data["depths"]:
        return f"{puzzle}: no depth is kept yet{now}"
    states = sum(depth["states"] for depth in data["depths"])
    how = "complete" if data["complete"] else "not complete"
    depth = data["depths"][-1]["depth"]
    shards = data["subject"].get("shards")
    divided = "" if shards is None else f", in {shards} shards"
    if "shard" in data["subject"]:
        divided = f", shard {data['subject']['shard']} of {shards}"
    part = f", and a part of depth {depth + 1}" if data["partial"] else ""
    return f"{puzzle}: {states:,} states to depth {depth}{part}{divided}, {how}{_of_values(data)}{now}"


def is_complete(data: dict[str, Any]) -> bool:
    """Returns `True` if a job has all states and, if values are wanted, all values."""
    values = data.get("values")
    whole = values is None or values.get("counted", False) or len(values["depths"]) == len(data["depths"])
    return bool(data["complete"] and whole)


def _of_values(data: dict[str, Any]) -> str:
    """A clause that says which values are kept; empty if no values are wanted.

    Values that spread are kept by tiers and numbers of moves, before any depth has its values. Before that, successors
    may be listed.
    """
    values = data.get("values")
    if values is None:
        return ""
    if is_complete(data) or values.get("counted", False):
        return ", with values"
    tiers, spread, listing, clauses = values.get("tiers"), values.get("spread"), values.get("listing"), []
    of_tier = " in the next tier" * (tiers is not None)
    if tiers is not None and tiers["done"] and not values["depths"]:
        clauses.append(f"values of {tiers['count'] - tiers['done'][-1]['first']:,} of {tiers['count']:,} tiers")
    if spread is not None and spread.get("decided") is not None:
        clauses.append(f"the scores of {spread['decided']:,} states{of_tier}")
    elif spread is not None:
        clauses.append(f"values of up to {spread['moves']:,} moves{of_tier}")
    elif listing is not None and listing["states"]:
        clauses.append(f"the successors of {listing['states']:,} states{of_tier} are listed")
    return ", " + ", ".join(clauses or [f"values of {len(values['depths'])} depths"])
