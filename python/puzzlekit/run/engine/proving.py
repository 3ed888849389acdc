"""The quick program that proves a job; docs/proof.md explains it."""

from __future__ import annotations

from puzzlekit import _core


def new_prover(rules: str, states: int, outcomes: list[str], *, symmetry: bool) -> _core.Prover:
    """The quick program with room for so many states, for rules as JSON and the outcomes in the order of the job."""
    return _core.Prover(rules, states, outcomes, symmetry)
