"""Gives a job to a program that proves it: the job's rules, and its states as they are read from the files.

There are two such programs. `puzzlekit.proof` is short, plain and in Python; the other one, in Rust, is quick.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from puzzlekit.errors import CorruptError, JobError, LimitError, RulesError
from puzzlekit.jobs.packed import bits_of, shifts_of
from puzzlekit.proof.claims import Claim, Ends, Longest, Proven, Run, UnprovenError, WrongError
from puzzlekit.proof.prove import check_ends, prove
from puzzlekit.run.engine.machine import memory_limit
from puzzlekit.run.engine.proving import new_prover
from puzzlekit.run.memory import held_bytes
from puzzlekit.run.watch import looked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from puzzlekit.jobs.table import Table
    from puzzlekit.run.watch import Watch

MOST_STATES = 5_000_000
"""The most states for the plain program, which takes about 1,000 bytes of memory and 0.1 ms or so for each."""

BYTES = 56
"""The bytes that the program in Rust takes for each state, besides one byte for each cell of the state."""

UNSOLVABLE_BYTES = 160
"""The bytes that the program in Rust takes for each state that cannot be solved, besides two for each cell."""

ENDLESS_BYTES = (32, 12)
"""The bytes that the program in Rust takes for each state and for each move of a game for points that may never end."""


@dataclass(frozen=True)
class ProofPlan:
    """The way in which a job is to be proven.

    Attributes:
        plain: Whether the short program in plain Python proves it, which is slow.
        memory: The most memory that the quick program may take. If it is `None`, 70 % of the machine's.
        watch: As in `Puzzle.enumerate`. Only the quick program calls it.
    """

    plain: bool = False
    memory: int | str | None = None
    watch: Watch | None = None


def proven(folder: str, rules: dict[str, Any], manifest: dict[str, Any], table: Table, plan: ProofPlan) -> Proven:
    """Proves all claims of a job.

    Args:
        folder: The folder of the job.
        rules: The rules as data, with the symmetries that the job counts by.
        manifest: The manifest of the job.
        table: The states of the job.
        plan: Which program proves it, and within which memory.

    Raises:
        CorruptError: A claim of the job is false.
        JobError: A claim cannot be proven.
        LimitError: There are more states than the proof can take.
    """
    depths, subject, unsolvable = manifest["depths"], manifest["subject"], manifest.get("unsolvable")
    run = Run(
        symmetry=subject["symmetry"],
        complete=manifest["complete"],
        backward=subject["backward"],
        counts=tuple((depth["states"], depth["raw_states"]) for depth in depths),
        unsolvable=(unsolvable["states"], unsolvable["raw_states"]) if unsolvable else None,
        **_ends(manifest),
    )
    count = sum(states for states, _ in run.counts)
    others = run.unsolvable[0] if run.unsolvable else 0
    try:
        if not plan.plain:
            _check_memory(folder, _needed(rules, depths, count, others), count + others, plan.memory)
            return quickly(rules, run, subject["outcomes"], table, plan.watch)
        if count + others > MOST_STATES:
            raise LimitError(
                f"the job in {folder} has {count + others:,} states, and the plain proof takes {MOST_STATES:,} at "
                "most; leave out --plain"
            )
        return prove(rules, run, _claims(rules, subject["outcomes"], table))
    except WrongError as error:
        raise CorruptError(f"{folder}: {error}; the job is wrong") from error
    except UnprovenError as error:
        raise JobError(f"the job in {folder} cannot be proven: {error}; verify it without --proof") from error


def _ends(manifest: dict[str, Any]) -> dict[str, Any]:
    """The claims of a manifest about the ends of all states, as arguments of `Run`; none if the values lack them."""
    stage = manifest.get("values") or {"distances": False}
    if not stage["distances"] or stage.get("counted") or len(stage["depths"]) < len(manifest["depths"]):
        return {}
    ends = tuple((end["win"], end["loss"]) for end in stage.get("ends", ()))
    longest = stage.get("longest")
    return {"ends": ends, "longest": longest and Longest(longest["depth"], longest["wins"], longest["moves"])}


def _needed(rules: dict[str, Any], depths: list[dict[str, Any]], count: int, others: int) -> int:
    """The bytes that the quick program takes for `count` states, and `others` that cannot be solved."""
    cells, (of_state, of_move) = len(rules["start"]), ENDLESS_BYTES
    needed = count * (cells + BYTES) + others * (2 * cells + UNSOLVABLE_BYTES)
    if (rules.get("score") or {}).get("endless") is not None:
        needed += count * of_state + sum(depth["generated"] for depth in depths) * of_move
    return needed


def _check_memory(folder: str, needed: int, count: int, memory: int | str | None) -> None:
    """Checks that a proof of `count` states, which takes `needed` bytes, fits the memory.

    Raises:
        LimitError: It needs more.
    """
    limit = memory_limit(memory) - held_bytes()
    if needed > limit:
        raise LimitError(
            f"a proof of the {count:,} states in {folder} takes {needed:,} bytes of memory, and there are "
            f"{max(limit, 0):,}; give more with --memory, or prove it on a larger machine"
        )


def quickly(rules: dict[str, Any], run: Run, outcomes: list[str], table: Table, watch: Watch | None) -> Proven:
    """Proves the claims of a job with the quick program.

    Raises:
        WrongError: A claim is false.
        UnprovenError: A claim cannot be proven.
    """
    try:
        states = sum(states for states, _ in run.counts)
        prover = new_prover(json.dumps(rules), states, outcomes, symmetry=run.symmetry)
        stream = table.stream()
        while (batch := stream.buffers()) is not None:
            prover.take(batch)
    except (CorruptError, RulesError) as error:
        raise WrongError(str(error)) from error
    proof = prover.prove(run.complete, run.backward, list(run.counts), run.unsolvable, looked(watch))
    if proof.wrong is not None:
        raise WrongError(proof.wrong)
    if proof.unproven is not None:
        raise UnprovenError(proof.unproven)
    if run.ends is not None:
        ends = prover.ends()
        check_ends(run, Ends(tuple(ends.wins), tuple(ends.losses), ends.longest_win, ends.longest_loss))
    return Proven(proof.states, proof.raw_states, proof.moves, proof.values)


def rules_of(definition: str, found: str) -> dict[str, Any]:
    """The rules in a job's definition. If their symmetries are `"auto"`, those of the JSON `found` are put in."""
    rules: dict[str, Any] = json.loads(definition)["rules"]
    if rules["symmetries"] == "auto":
        rules["symmetries"] = json.loads(found)["symmetries"]
    return rules


def _claims(rules: dict[str, Any], outcomes: list[str], table: Table) -> Iterator[Claim]:
    bits = bits_of(len(rules["symbols"]))
    again = any(move.get("again") for move in rules["moves"])
    cells = len(rules["start"]) + again  # where a move may keep the turn, the last cell is the player to move
    words = ("win", "draw", "loss") if len(rules["players"]) == 2 else ("solvable", "unsolvable")
    for batch in table:
        states, count = batch["state"], len(batch["depth"])
        wide = states.ndim > 1
        size = (states.shape or (0, 0))[1] if wide else 8
        shifts, data = shifts_of(cells, bits, size), states.tobytes() if wide else b""
        for row in range(count):
            word = int.from_bytes(data[row * size : (row + 1) * size], "big") if wide else states[row]
            outcome, value, distance = batch["outcome"][row], None, None
            if "value" in batch:
                value = words[batch["value"][row]]
            if "distance" in batch and batch["distance"][row] >= 0:
                distance = batch["distance"][row]
            held = bytes(word >> shift & (2**bits - 1) for shift in shifts)
            yield Claim(
                held[: len(rules["start"])],
                batch["depth"][row],
                batch["orbit_size"][row],
                outcomes[outcome] if outcome >= 0 else None,
                value,
                distance,
                batch["score"][row] if "score" in batch else None,
                held[-1] if again else None,
            )
