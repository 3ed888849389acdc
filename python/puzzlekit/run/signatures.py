"""Finds out which arguments a plugin's solver or scrambler takes. It need not take all that puzzlekit can give."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from puzzlekit.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def arguments_by_name(
    function: Callable[..., object], what: str, given: int, names: Sequence[str], remedy: str
) -> list[str]:
    """Returns those of several arguments that a function takes by name.

    >>> arguments_by_name(lambda puzzle, state, budget: [], "the solver", 2, ["budget", "watch"], "let it take them")
    ['budget']

    Args:
        function: The function.
        what: The name of the function in messages.
        given: How many arguments are given by position.
        names: The names of the arguments that could be given by name.
        remedy: The end of the message if the function cannot be called like that.

    Raises:
        PluginError: The function cannot be called like that.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError) as error:
        raise PluginError(f"{what} is {function!r}, which has no signature; {remedy}") from error
    every = any(parameter.kind is parameter.VAR_KEYWORD for parameter in signature.parameters.values())
    takes = [name for name in names if every or name in signature.parameters]
    try:
        signature.bind(*[None] * given, **dict.fromkeys(takes))
    except TypeError as error:
        raise PluginError(f"{what} takes {signature}; {remedy}") from error
    return takes


def arguments_of_solver(function: Callable[..., object], name: str) -> list[str]:
    """The arguments that a solver takes by name; see `puzzlekit.run.solver.as_solver`.

    Raises:
        PluginError: The function cannot be called as a solver.
    """
    remedy = "let it take the puzzle and the state, and, if it needs them, budget and watch by name"
    return arguments_by_name(function, f'the solver "{name}"', 2, ["budget", "watch"], remedy)


def arguments_of_scrambler(function: Callable[..., object], name: str) -> list[str]:
    """The arguments that a scrambler takes by name; see `puzzlekit.run.scrambler.as_scrambler`.

    Raises:
        PluginError: The function cannot be called as a scrambler.
    """
    remedy = "let it take the puzzle and the random numbers, and, if it needs them, seed and moves by name"
    return arguments_by_name(function, f'the scrambler "{name}"', 2, ["seed", "moves"], remedy)
