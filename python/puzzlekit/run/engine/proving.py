"""The program in Rust that proves a job: a quick twin of the one in Python. docs/proof.md explains both."""

from __future__ import annotations

from puzzlekit import _core


def new_prover(rules: str, states: int, outcomes: list[str], *, symmetry: bool) -> _core.Prover:
    """A prover with room for `states` states. The rules are JSON, and the outcomes are in the order of the job."""
    return _core.Prover(rules, states, outcomes, symmetry)
