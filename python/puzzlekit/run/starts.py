"""The same game begun by the other player, and the outcome class, which follows from both beginnings."""

from __future__ import annotations

from typing import Any

CLASSES = {("win", "win"): "N", ("loss", "loss"): "P", ("win", "loss"): "L", ("loss", "win"): "R"}
"""The outcome class, by the value of the start if the first player begins, and its value if the second player does:
each for the player who begins."""


def begun_by_other(data: dict[str, Any]) -> dict[str, Any]:
    """The rules of a game in which the second player begins.

    The players change their order. Points count for the first player. So the sign of points changes, unless they name
    their player.

    >>> rules = {"players": ["X", "O"], "ends": [{"when": [], "score": 5}], "score": {"sums": [], "endless": 1}}
    >>> begun_by_other(rules)
    {'players': ['O', 'X'], 'ends': [{'when': [], 'score': -5}], 'score': {'sums': [], 'endless': -1}}

    Args:
        data: The rules as data, as `Rules.to_data` makes them.
    """
    turned = data | {"players": data["players"][::-1], "ends": [_turned(end, "score") for end in data["ends"]]}
    return turned | {"score": _turned(data["score"], "endless")} if data.get("score") else turned


def _turned(data: dict[str, Any], points: str) -> dict[str, Any]:
    """A copy of `data` in which the number under the key `points` is negated, if there is one."""
    return data if data.get(points) is None else data | {points: -data[points]}


def class_in_words(name: str, players: tuple[str, ...]) -> str:
    """An outcome class as a clause.

    >>> class_in_words("L", ("X", "O"))
    'X wins, whoever begins'
    """
    first, second = players
    return {
        "N": "whoever begins wins",
        "P": "whoever begins loses",
        "L": f"{first} wins, whoever begins",
        "R": f"{second} wins, whoever begins",
    }[name]
