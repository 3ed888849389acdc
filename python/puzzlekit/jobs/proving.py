"""Hands a job to the program that proves it: the rules, and the states as they are read from the files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from puzzlekit.errors import CorruptError, JobError, LimitError
from puzzlekit.proof.prove import Claim, Run, UnprovenError, WrongError, prove

if TYPE_CHECKING:
    from collections.abc import Iterator

    from puzzlekit.jobs.table import Table
    from puzzlekit.proof.prove import Proven

MOST_STATES = 5_000_000
"""The most states that a proof takes: each needs some 1,000 bytes of memory and a tenth of a millisecond or so."""


def proven(folder: str, rules: dict[str, Any], manifest: dict[str, Any], table: Table) -> Proven:
    """Proves a job.

    Args:
        folder: The job.
        rules: The rules as data, with the symmetries that the job counts by.
        manifest: The manifest.
        table: The states.

    Raises:
        CorruptError: Something that the job says is false.
        JobError: Something cannot be proven.
        LimitError: There are more states than a proof takes.
    """
    depths = manifest["depths"]
    count = sum(depth["states"] for depth in depths)
    if count > MOST_STATES:
        raise LimitError(f"the job in {folder} has {count:,} states, and a proof takes {MOST_STATES:,} at most")
    subject = manifest["subject"]
    run = Run(
        symmetry=subject["symmetry"],
        complete=manifest["complete"],
        backward=subject["backward"],
        counts=tuple((depth["states"], depth["raw_states"]) for depth in depths),
        unsolvable=manifest.get("unsolvable"),
    )
    try:
        return prove(rules, run, _claims(rules, subject["outcomes"], table))
    except WrongError as error:
        raise CorruptError(f"{folder}: {error}; the job is wrong") from error
    except UnprovenError as error:
        raise JobError(f"the job in {folder} cannot be proven: {error}; verify it without --proof") from error


def rules_of(definition: str, found: str) -> dict[str, Any]:
    """The rules that a folder holds as data. If they leave it to the engine to find symmetries, those that it found."""
    rules: dict[str, Any] = json.loads(definition)["rules"]
    if rules["symmetries"] == "auto":
        rules["symmetries"] = json.loads(found)["symmetries"]
    return rules


def _claims(rules: dict[str, Any], outcomes: list[str], table: Table) -> Iterator[Claim]:
    bits = max(1, (len(rules["symbols"]) - 1).bit_length())
    again = any(move.get("again") for move in rules["moves"])
    cells = len(rules["start"]) + again  # where a move may keep the turn, the last cell is the player to move
    words = ("win", "draw", "loss") if len(rules["players"]) == 2 else ("solvable", "unsolvable")
    for batch in table:
        states, count = batch["state"], len(batch["depth"])
        wide = states.ndim > 1
        width = 8 * (states.shape or (0, 0))[1] if wide else bits * cells
        data = states.tobytes() if wide else b""
        for row in range(count):
            number = int.from_bytes(data[row * width // 8 : (row + 1) * width // 8], "big") if wide else states[row]
            # In up to 16 bytes the last cell is in the lowest bits; in more, the first one is in the highest.
            word = number >> (width - bits * cells) if width > 128 else number
            outcome, value, distance = batch["outcome"][row], None, None
            if "value" in batch:
                value = words[batch["value"][row]]
                distance = batch["distance"][row] if batch["distance"][row] >= 0 else None
            held = bytes(word >> (bits * (cells - 1 - cell)) & (2**bits - 1) for cell in range(cells))
            yield Claim(
                held[: len(rules["start"])],
                batch["depth"][row],
                batch["orbit_size"][row],
                outcomes[outcome] if outcome >= 0 else None,
                value,
                distance,
                player=held[-1] if again else None,
            )
