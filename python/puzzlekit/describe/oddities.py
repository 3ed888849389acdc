"""Oddities of rules, which are no errors: a goal that always holds, and moves that never change anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def oddities(data: Mapping[str, Any]) -> list[str]:
    """Returns what is odd in rules, which are given as data, in sentences for their author.

    >>> from puzzlekit import Rules, put
    >>> oddities(Rules(".o", "..", [put(0, "o").when({0: "o"})], goal={}).to_data())
    ['a goal has no condition, so each state is solved; name what must hold', 'the move "0" never changes anything']
    """
    found = []
    if not data["moves"]:
        found.append("there are no moves")
    if any(not goal for goal in data["goal"]):
        found.append("a goal has no condition, so each state is solved; name what must hold")
    # A move of a game that changes nothing is a pass.
    idle = [] if data["players"] else [move["name"] for move in data["moves"] if _is_idle(move)]
    if idle:
        more = f", and {len(idle) - 1:,} more do not either" if len(idle) > 1 else ""
        found.append(f'the move "{idle[0]}" never changes anything{more}')
    return found


def _is_idle(move: Mapping[str, Any]) -> bool:
    """Returns `True` if each cell that a move writes gets the symbol that it has."""
    held = {cell: symbols[0] for cell, symbols in move["when"] if len(symbols) == 1}
    same = {frozenset(pair) for pair in move.get("equal", ())}

    def stays(cell: int, source: Any) -> bool:  # noqa: ANN401 - a symbol, or an object with a copied cell
        if isinstance(source, str):
            return held.get(cell) == source
        became = source.get("map", {})
        if source["copy"] == cell or frozenset((source["copy"], cell)) in same:
            return all(before == after for before, after in became.items())
        copied = held.get(source["copy"])
        return copied is not None and held.get(cell) == became.get(copied, copied)

    return all(stays(cell, source) for cell, source in move["then"])
