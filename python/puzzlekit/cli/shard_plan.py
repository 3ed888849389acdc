"""Prints the forecast of a job in shards, for `puzzlekit enumerate ID --on WHERE --dry-run`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from puzzlekit.cli.output import duration, print_json, print_line, print_table

if TYPE_CHECKING:
    from puzzlekit.jobs.shards.forecast import PlannedDepth, PlannedTotal, ShardPlan

HEADERS = ("depth", "states", "successors", "sent", "runs, bytes", "to others", "files", "read again", "from")

SCOPES = {
    "complete": "these are all states",
    "max-depth": "these are all depths that were asked for",
    "reachable": "the last row is for all states, if later depths are as those of the sample",
    "drawn": "the last row is for all states, whose numbers are estimates",
    "at least": "the last row is the sample alone; how large all later depths are is not known",
}
"""For each scope of a plan, a sentence that explains the last row of the table."""


def print_shard_plan(plan: ShardPlan, *, as_json: bool) -> None:
    """Prints a plan: the table of its depths, how the sample was taken, and how long the job will take."""
    if as_json:
        print_json(plan.to_data())
        return
    total = plan.total
    more = {"complete": "", "at least": "at least "}.get(total.scope, "about ")
    which = f"up to {plan.symmetry_order} symmetries" if plan.symmetry_order > 1 else "without symmetries"
    print_line(f"{plan.puzzle}, states {which}, in {plan.shards} {'shard' if plan.shards == 1 else 'shards'}")
    print_line()
    rows = [(str(depth.depth), *_figures(depth), depth.source) for depth in plan.depths]
    rows.append(("all", *_figures(total), total.scope))
    print_table(HEADERS, rows, numbers=range(len(HEADERS) - 1))
    print_line()
    print_line(f"sample  {_sample(plan)}")
    print_line(f"total   {SCOPES[total.scope]}{_error(plan)}")
    if plan.window == "directed":
        print_line("moves   they cannot all be undone: each depth reads the files of all earlier depths again")
    threads = "1 thread" if plan.threads == 1 else f"{plan.threads} threads"
    machines = f"{plan.shards} {'machine' if plan.shards == 1 else 'machines'} of {threads}"
    print_line(f"time    {more}{duration(total.hours * 3600)} on {machines}")
    network, disk = plan.network_bytes_per_second * 8 / 1e9, plan.disk_bytes_per_second / 1e6
    print_line(
        f"of it   processor {duration(total.processor_seconds)}, network {duration(total.network_seconds)} at "
        f"{network:g} Gbit/s, disk {duration(total.disk_seconds)} at {disk:g} MB/s, waiting "
        f"{duration(total.sync_seconds)}"
    )


def _sample(plan: ShardPlan) -> str:
    """Says how many shards the sample had, and from what the figures were extrapolated."""
    shards = plan.sample_shards
    if len(shards) == 1:
        return f"bytes are measured, with {shards[0]} {'shard' if shards[0] == 1 else 'shards'} in this process"
    return f"bytes are measured with {shards[1]} and {shards[0]} shards, and carried on to {plan.shards}"


def _error(plan: ShardPlan) -> str:
    """A clause with the standard error of the number of states, if it is an estimate."""
    return "" if plan.error is None else f", with a standard error of {100 * plan.error:.0f} %"


def _figures(row: PlannedDepth | PlannedTotal) -> tuple[str, ...]:
    sent = (row.sent_words, row.sent_bytes, row.wire_bytes)
    figures = (row.states, row.successors, *sent, row.file_bytes, row.reread_bytes)
    return tuple(f"{figure:,}" for figure in figures)
