"""Looks by the part that symbols play in the rules: pieces by their home, parts of blocks, walls, and lamps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from puzzlekit.view.looks import CLASSES, WALLS, Look, home_colour, spoken

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from puzzlekit.view.joins import Join
    from puzzlekit.view.layout import Spot


def at_home(found: Sequence[Look], data: Mapping[str, Any], where: Sequence[Spot]) -> tuple[Look, ...]:
    """Colours each piece by its place in the goal, if all pieces of a puzzle differ."""
    start = data["start"]
    if len(data["players"]) > 1 or len(set(start)) < len(start):
        return tuple(found)
    homes = {symbol: cell for cell, symbol in enumerate(start)}
    patterns = [pattern_of(goal) for goal in data["goal"]]
    if len(patterns) == 1:
        homes |= {symbols[0]: cell for cell, symbols in patterns[0] if len(symbols) == 1}
    rows, columns = sorted({round(spot.y, 3) for spot in where}), sorted({round(spot.x, 3) for spot in where})
    coloured = []
    for symbol, look in zip(data["symbols"], found, strict=True):
        if look.shape != "tile" or look.colour != "plain" or symbol not in homes:
            coloured.append(look)
            continue
        spot = where[homes[symbol]]
        row = rows.index(round(spot.y, 3)) / max(len(rows) - 1, 1)
        column = columns.index(round(spot.x, 3)) / max(len(columns) - 1, 1)
        # By the row, all pieces of a single row would have one hue. So the hue is chosen by the column.
        coloured.append(replace(look, colour=home_colour(row, column) if len(rows) > 1 else home_colour(column, 0.3)))
    return tuple(coloured)


def by_block(found: Sequence[Look], data: Mapping[str, Any], blocks: Sequence[Join]) -> tuple[Look, ...]:
    """Colours the looks of a puzzle of blocks: one colour for all parts of a block, and red for blocks of the goal.

    A picture shows no text on parts of a block. If the blocks of one cell all have the same symbol, they show no text
    either.
    """
    symbols = data["symbols"]
    group = {symbol: symbol for symbol in symbols}
    for join in blocks:
        old, new = group[join.second], group[join.first]
        group = {symbol: new if name == old else name for symbol, name in group.items()}
    pieces = [symbol for symbol, look in zip(symbols, found, strict=True) if look.shape == "tile"]
    if not blocks or not pieces:
        return tuple(found)
    wanted = {group[symbols[0]] for goal in data["goal"] for _, symbols in pattern_of(goal) if len(symbols) == 1}
    joined = {symbol for join in blocks for symbol in (join.first, join.second)}
    alone = [symbol for symbol in pieces if symbol not in joined]
    names = list(dict.fromkeys(group[symbol] for symbol in pieces))
    others = [name for name in names if name not in wanted]
    few = [colour for colour in CLASSES if colour != "red"]
    colours = few if len(others) <= len(few) else [home_colour(at * 0.382 % 1, at % 3 / 2) for at in range(len(others))]
    colour = dict(zip(others, colours, strict=False)) | dict.fromkeys(wanted, "red")

    def look(symbol: str, now: Look) -> Look:
        text = "" if [symbol] == alone else now.text
        return replace(now, colour=colour[group[symbol]], text=text, name=f"block {names.index(group[symbol]) + 1}")

    return tuple(look(symbol, now) if symbol in pieces else now for symbol, now in zip(symbols, found, strict=True))


def pattern_of(goal: Any) -> Sequence[tuple[int, Sequence[str]]]:  # noqa: ANN401 - plain data
    """The pattern of a goal: cells, and the symbols that the goal wants in them."""
    found: Sequence[tuple[int, Sequence[str]]] = goal.get("when", ()) if isinstance(goal, dict) else goal
    return found


def walls(found: Sequence[Look], data: Mapping[str, Any]) -> tuple[Look, ...]:
    """Draws a symbol with a name for walls, such as `#`, as a wall, if no move writes it or takes it away."""
    put = {source for move in data["moves"] for _, source in move["then"] if isinstance(source, str)}
    guards = [(dict(move["when"]), move["then"]) for move in data["moves"]]
    taken = {symbol for when, then in guards for cell, _ in then for symbol in when.get(cell, data["symbols"])}
    fixed = {*data["start"]} - put - taken
    wall = Look("wall", "", "#57503f", "wall")
    return tuple(
        wall if symbol in fixed and symbol in WALLS else look
        for symbol, look in zip(data["symbols"], found, strict=True)
    )


def lamps(found: Sequence[Look], data: Mapping[str, Any]) -> tuple[Look, ...]:
    """Draws the symbols of a puzzle of presses as lamps, if the goal wants one symbol, the dark one, in all cells."""
    goals = [pattern_of(goal) for goal in data["goal"]]
    wanted = {tuple(symbols) for goal in goals for _, symbols in goal}
    whole = len(goals) == 1 and len(goals[0]) == len(data["start"]) and len(wanted) == 1
    dark = next(iter(wanted))[0] if whole else None
    if dark is None or any(look.shape != "tile" for look in found) or len(found) > len(CLASSES):
        return tuple(found)
    several = len(found) > 2
    looks = []
    for symbol, look in zip(data["symbols"], found, strict=True):
        lit = Look("lamp", symbol if several else "", look.colour if several else "#ffd257", "lit")
        named = replace(lit, name=f"lit, {spoken(symbol) or symbol}") if several else lit
        looks.append(Look("tile", "", "#4a4f5c", "dark") if symbol == dark else named)
    return tuple(looks)


def counted(found: Sequence[Look], data: Mapping[str, Any]) -> tuple[Look, ...]:
    """Draws symbols as numbers of pips, if moves count them up in a cell: the first is 0, the next one 1, and so on.

    A move that changes a symbol by a map must read it from the same cell, and raise all symbols by the same number. If
    the symbols are called 0, 1 and so on, the last ones may go on with 0, which is for states that never come.
    """
    symbols = data["symbols"]
    around = len(symbols) if tuple(symbols[:2]) == ("0", "1") else 0
    raised = set()
    for move in data["moves"]:
        for cell, source in move["then"]:
            changes = {} if isinstance(source, str) else {a: b for a, b in source["map"].items() if a != b}
            steps = {symbols.index(b) - symbols.index(a) for a, b in changes.items()}
            steps = {step % around for step in steps} if around else steps
            if changes and (source["copy"] != cell or len(steps) != 1 or min(steps) < 0):
                return tuple(found)
            raised |= steps
    if not raised or any(look.shape != "tile" for look in found):
        return tuple(found)
    return tuple(Look("pips", str(number), "orange", str(number)) for number in range(len(symbols)))
