"""Rules with another goal, or with fewer moves: what `solve --goal` and `solve --only-moves` ask about."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from puzzlekit.describe.drawing import read_drawing
from puzzlekit.errors import StateError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from puzzlekit.describe.rules import Rules

ANY = "?"
"""The character in a goal that stands for any symbol."""


def aimed(rules: Rules, goal: str | None, only_moves: Sequence[str] | None) -> Rules:
    """The rules of a puzzle with another goal, or with only some of its moves, or both.

    The new rules have no symmetries, since those of the puzzle need not keep the new goal.

    >>> from puzzlekit import Rules, cycle
    >>> rules = Rules(symbols="AB", start="AAB", moves=[cycle(0, 1, 2).named("on"), cycle(2, 1, 0).named("back")])
    >>> fewer = aimed(rules, "?B?", ["on"])
    >>> fewer.goal, [move.name for move in fewer.moves]
    (({1: 'B'},), ['on'])

    Args:
        rules: The rules.
        goal: A state in which `?` stands for any symbol; `None` for the goal of the rules.
        only_moves: The names of the moves that may be made; `None` for all.

    Raises:
        UsageError: The rules are those of a game, or no move has a given name.
        StateError: The goal has another number of cells, or an unknown symbol.
    """
    if len(tuple(rules.players)) > 1:
        raise UsageError("a game has no goal to reach and needs all its moves; leave goal and only_moves out")
    changed = replace(rules, symmetries=())
    if goal is not None:
        changed = replace(changed, goal=(read_goal(rules, goal),))
    if only_moves is not None:
        named = [move if move.name is not None else move.named(name) for move, name in rules.named_moves()]
        known = [str(move.name) for move in named]
        for name in only_moves:
            if name not in known:
                raise UsageError(f'there is no move "{name}"; the moves are {", ".join(dict.fromkeys(known))}')
        changed = replace(changed, moves=tuple(move for move in named if move.name in only_moves))
    return changed


def read_phases(
    rules: Rules, symbols: Sequence[str], phases: Sequence[str]
) -> Iterator[tuple[dict[int, int], dict[int, int]]]:
    """For each phase, the patterns that hold before it and after it. A pattern has the number of a symbol by cell.

    Raises:
        StateError: A phase is no pattern of these rules.
        UsageError: A phase wants another symbol in a cell than a phase before it.
    """
    pattern: dict[int, int] = {}
    for text in phases:
        added = {cell: symbols.index(symbol) for cell, symbol in read_goal(rules, text).items()}
        for cell, symbol in added.items():
            if pattern.get(cell, symbol) != symbol:
                raise UsageError(
                    f'the phase "{text}" wants {symbols[symbol]} in cell {cell}, where a phase before it wants '
                    f"{symbols[pattern[cell]]}; give patterns that can be met together"
                )
        before, pattern = pattern, pattern | added
        yield before, pattern


def read_goal(rules: Rules, goal: str) -> dict[int, str]:
    """Reads a goal: the symbol that each cell must hold. Cells with `?` are left out.

    Raises:
        StateError: The goal has another number of cells, or an unknown symbol.
        UsageError: The rules have a symbol `?`.
    """
    symbols = [str(symbol) for symbol in rules.symbols]
    if ANY in symbols:
        raise UsageError(
            f'the rules have a symbol "{ANY}", so it cannot stand for any symbol; write the goal in the rules'
        )
    cells = [cell for row in read_drawing(goal, [*symbols, ANY], rules.board) for cell in row]
    if len(cells) != rules.cells:
        raise StateError(f'the goal "{goal}" has {len(cells)} cells; give {rules.cells}, with {ANY} for any symbol')
    for cell in cells:
        if cell not in symbols and cell != ANY:
            raise StateError(f'the goal "{goal}" has "{cell}"; the symbols are {" ".join(symbols)}, and {ANY} for any')
    return {place: cell for place, cell in enumerate(cells) if cell != ANY}
