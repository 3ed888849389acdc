"""The outcomes that rules can have, so that reports count each of them, even if its count is zero."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


def possible_outcomes(data: dict[str, Any], names: Sequence[str], conserved: Sequence[int | None]) -> tuple[str, ...]:
    """The outcomes that the rules can have, in the order of `names`. They are found without a search.

    A game can be won by each of its players. An outcome of `ends` is always possible. The outcome of a state without a
    move (`"draw"` in a game; `"solved"` or `"stuck"` in a puzzle) is possible unless the guards show that there always
    is a move.

    Args:
        data: The rules, as `Rules.to_data` gives them.
        names: All outcomes that the engine knows.
        conserved: For each symbol, how many cells hold it in every reachable state, if no move changes that number.
    """
    two = len(data["players"]) == 2
    if data.get("score"):
        return tuple(names)  # the rules have a score: each player may be ahead, or none
    possible = {end.get("outcome", "") for end in data["ends"]} | set(data["players"] if two else ())
    turns = data["players"] if two else (None,)
    if not all(_always_moves(data, player, conserved) for player in turns):
        if not two:
            possible |= {"stuck", "solved"} if data["goal"] else {"stuck"}
        elif data["stuck"] in (None, "draw"):
            possible.add("draw")
    return tuple(name for name in names if name in possible)


def _always_moves(data: dict[str, Any], player: str | None, conserved: Sequence[int | None]) -> bool:
    """Returns `True` if guards show that a player has a move in every state. Only guards of at most one cell are read.

    Guards show it in three cases: a move has no guard; some cell allows a move whatever symbol it holds; or a symbol
    that is always on the board (the blank of a slide) allows a move wherever it is.
    """
    symbols = list(map(str, data["symbols"]))
    allowed: list[set[str]] = [set() for _ in data["start"]]
    for move in data["moves"]:
        if player is not None and move["player"] not in (None, player):
            continue
        if any(move.get(more) for more in ("forced", "equal", "different", "counts", "unless", "connected")):
            continue  # whether such a condition holds in every state is not known
        if not move["when"]:
            return True
        if len(move["when"]) == 1:
            ((cell, held),) = move["when"]
            allowed[cell].update(held)
    everywhere = set(symbols).intersection(*allowed)
    there = {symbol for symbol, count in zip(symbols, conserved, strict=True) if count}
    return any(cell.issuperset(symbols) for cell in allowed) or bool(everywhere & there)
