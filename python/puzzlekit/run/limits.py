"""The limits of a search for an answer, in words: which one was reached, and which option raises it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from puzzlekit.errors import LimitError

if TYPE_CHECKING:
    from puzzlekit.run.solver import Budget

_NAMES = {"states": "max_states", "searched": "effort"}
"""The engine's names of those limits that have another name for people."""

LIMITS = ("seconds", "max_states", "memory", "effort", "watch")
"""The limits that can keep an answer from being found or proven, by name.

`effort` is the work that a search for shorter answers does if no time is given. `watch` is a person's watch, or
Ctrl-C."""

TECHNIQUES = {
    "algebra": ("algebra", "the moves commute, or make a group"),
    "both ends": ("search from both ends", "it ended within the limits"),
    "deepening": ("iterative deepening", "the rules give lower bounds, and storing states would take too many"),
    "shortening": ("beam search", "a proof was not to be expected within the limits"),
    "phases": ("search in phases", "the moves have subgroups of few cosets"),
    "words": ("words of moves", "the moves have no subgroups of few cosets"),
    "retrograde": ("retrograde analysis", "all positions that can follow are listed"),
    "alpha-beta": ("alpha-beta", "only some of the positions that can follow are needed"),
    "look ahead": ("look ahead", "more positions can follow than the limits allow"),
}
"""For each technique of the engine: its name for people, and the reason for which it is chosen."""


def named(limit: str | None, in_time: bool) -> str | None:
    """The name for people of a limit of the engine. If the time is over (not `in_time`), `watch` means `seconds`."""
    if limit == "watch" and not in_time:
        return "seconds"
    return _NAMES.get(limit or "", limit)


def told(limit: str, budget: Budget, memory: int) -> str:
    """The limit that was reached, in words.

    >>> from puzzlekit.run.solver import Budget
    >>> told("max_states", Budget(max_states=5000), 2**30)
    '5,000 states'
    """
    if limit == "seconds":
        return f"{budget.seconds:g} seconds" if budget.seconds is not None else "the time"
    return {
        "max_states": f"{budget.max_states:,} states",
        "memory": f"{memory:,} bytes of memory",
        "effort": "the effort of a run without a time",
    }.get(limit, "what a person had the patience for")


def remedy(limit: str) -> str:
    """Says what to do about a limit, for a message: give more with the option that raises it.

    >>> remedy("max_states")
    'give more with --max-states'
    """
    if limit == "effort":
        return "give a time with --seconds"
    return f"give more with --{limit.replace(chr(95), chr(45))}" if limit in LIMITS[:3] else "let it go on for longer"


def limit_error(text: str, limit: str, budget: Budget, memory: int, bound: int) -> LimitError:
    """Makes the error for a limit that was reached before there was an answer for a state.

    Args:
        text: The state.
        limit: The limit, one of `LIMITS`.
        budget: All limits of the search.
        memory: How many bytes of memory there were.
        bound: A number of moves that is proven to be needed; 0 or 1 if none is known.
    """
    needed = f"; if moves lead to the goal, at least {bound} are needed" if bound > 1 else ""
    reached = f"stopped before there was an answer for {text}"
    within = None if limit == "watch" else told(limit, budget, memory)
    if within is not None:
        reached = f"no answer for {text} within {within}; {remedy(limit)}, or another solver"
    error = LimitError(f"{reached}{needed}")
    error.lower_bound = bound if needed else None
    error.within = within
    return error
