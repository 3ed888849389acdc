"""Symbols that are parts of one block: found from moves that always take them together."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from puzzlekit.view.gestures import Act
    from puzzlekit.view.layout import Spot

SIDES = {(1, 0): ("right", "left"), (0, 1): ("down", "up")}
"""For each step to a neighbour: the side of the cell on which the neighbour lies, and the opposite side."""


@dataclass(frozen=True)
class Join:
    """Two symbols that are parts of one block wherever they lie beside each other in this way.

    Attributes:
        first: The symbol on the left, or above.
        second: The symbol beside it.
        across: 1 if the second symbol lies to the right of the first; else 0.
        down: 1 if the second symbol lies below the first; else 0.
    """

    first: str
    second: str
    across: int
    down: int


class _Board:
    """Finds the neighbours of cells by their places."""

    def __init__(self, spots: Sequence[Spot]) -> None:
        self._spots = spots
        self._cells = {(spot.x, spot.y): spot.cell for spot in spots}

    def beside(self, cell: int, across: int, down: int) -> int | None:
        """The cell one step from a cell; `None` if there is none."""
        return self._cells.get((self._spots[cell].x + across, self._spots[cell].y + down))


def joins(acts: Sequence[Act], start: Sequence[str], spots: Sequence[Spot], empty: str | None) -> tuple[Join, ...]:
    """The joins of rules in which every move shifts one block, which may be a single cell; none for other rules.

    Take a block of two parts, `<` and `>`. Every move of a `<` takes the `>` to its right with it, so these are joined.
    A `>` and the `<` of another block to its right are not joined: one of them moves without the other. Nor are a
    keeper and the box that he pushes, since he also walks without it.

    Args:
        acts: What the moves do.
        start: The symbol of each cell at the start.
        spots: Where the cells lie.
        empty: The symbol of a cell in which nothing is.
    """
    board = _Board(spots)
    blocks = [_block(act, spots, empty) for act in acts]
    if not all(blocks):
        return ()
    found = {
        Join(symbol, block[other], across, down)
        for block in blocks
        for cell, symbol in block.items()
        for across, down in SIDES
        if (other := board.beside(cell, across, down)) in block
    }
    totals = Counter(start)
    kept = [
        join
        for join in found
        if all(_together(join, act, block, board, totals) for act, block in zip(acts, blocks, strict=True))
    ]
    return tuple(sorted(kept, key=lambda join: (join.first, join.second, join.across)))


def _block(act: Act, spots: Sequence[Spot], empty: str | None) -> dict[int, str]:
    """The cells of the block that a move shifts, with their symbols; empty if the move does not shift one block."""
    cells = {*act.guard, *act.then}
    old = {cell: held for cell in cells if (held := act.before(cell)) not in (None, empty)}
    new = {cell: held for cell in cells if (held := act.after(cell)) not in (None, empty)}
    before = sorted((held or "", cell) for cell, held in old.items())
    after = sorted((held or "", cell) for cell, held in new.items())
    known = all(isinstance(source, str) or act.before(source) is not None for source in act.then.values())
    if not known or [held for held, _ in before] != [held for held, _ in after]:
        return {}
    moves = {
        (spots[to].x - spots[cell].x, spots[to].y - spots[cell].y)
        for (_, cell), (_, to) in zip(before, after, strict=True)
    }
    return {cell: held for held, cell in before} if len(moves) == 1 and (0, 0) not in moves else {}


def _together(join: Join, act: Act, block: Mapping[int, str], board: _Board, totals: Mapping[str, int]) -> bool:
    """Returns `True` if a move never takes one of two joined symbols without the other."""
    for symbol, other, sign in ((join.first, join.second, 1), (join.second, join.first, -1)):
        all_taken = sum(held == other for held in block.values()) == totals[other]
        for cell, held in block.items():
            beside = board.beside(cell, sign * join.across, sign * join.down)
            if held != symbol or beside is None or block.get(beside) == other or all_taken:
                continue
            if beside not in act.guard or other in act.guard[beside]:
                return False
    return True


def joined_sides(joins: Sequence[Join], spots: Sequence[Spot], symbols: Sequence[str]) -> dict[int, set[str]]:
    """For each cell of a state that is joined to neighbours, the sides on which these lie.

    Args:
        joins: The joins.
        spots: Where the cells lie.
        symbols: The symbol of each cell.
    """
    sides: dict[int, set[str]] = {}
    if not joins:
        return sides
    board, known = _Board(spots), set(joins)
    for spot in spots:
        for (across, down), (side, back) in SIDES.items():
            other = board.beside(spot.cell, across, down)
            if other is not None and Join(symbols[spot.cell], symbols[other], across, down) in known:
                sides.setdefault(spot.cell, set()).add(side)
                sides.setdefault(other, set()).add(back)
    return sides
