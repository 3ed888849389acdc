"""The part of the suite about the view: every state can be drawn, and every legal move can be made by hand."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from puzzlekit.errors import PuzzlekitError
from puzzlekit.testing.subject import Looked, Subject, fail
from puzzlekit.view.view import View, view_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from puzzlekit.view.layout import Spot

DRAWN = 20
"""The number of states that are drawn. Gestures are tried in all states."""


def views(subject: Subject) -> Looked:
    """Checks that gestures, such as clicks, make exactly the legal moves, and that the pictures are well-formed."""
    puzzle = subject.puzzle
    try:
        view = view_of(puzzle)
    except PuzzlekitError as error:
        fail(str(error))
    notation = puzzle.engine.notation
    if len(view.spots) != notation.cells or view.symbols != notation.symbols or len(view.looks) != len(view.symbols):
        fail(
            f"view of {puzzle.id} has {len(view.spots)} cells and {len(view.looks)} looks, and the rules have "
            f"{notation.cells} cells and {len(notation.symbols)} symbols; make it of self.rules()"
        )
    for state in subject.walked:
        legal = puzzle.legal_moves(state)
        live = view.live(state, legal)
        made = {move for it in live if view.gestures[it.gesture].kind != "key" for move in it.moves}
        for move in legal:
            if move not in made:
                fail(
                    f'view of {puzzle.id} has no gesture for the move "{move}" in {state}; leave the gestures to the '
                    "rules, or report it"
                )
    drawn = subject.sample(DRAWN)
    for state in drawn:
        ElementTree.fromstring(view.draw(state))
    return Looked(len(subject.walked) + len(drawn), (*_covered(view), *_notes(view)))


def _covered(view: View) -> Iterator[str]:
    """Names two cells of which one covers the middle of the other, and says how many such pairs there are."""
    pairs = [(one, other) for one, other in combinations(view.spots, 2) if _covers(one, other) or _covers(other, one)]
    if pairs:
        one, other = pairs[0]
        more = f", and so do {len(pairs) - 1:,} other pairs" if len(pairs) > 1 else ""
        yield (
            f"the cells {one.cell} and {other.cell} lie over each other in pictures{more}, so one hides the other; "
            "give them other places"
        )


def _covers(one: Spot, other: Spot) -> bool:
    """Returns `True` if one cell covers the middle of the other."""
    across, down = abs(one.x - other.x), abs(one.y - other.y)
    away = max(across, down) if one.shape == "square" else math.hypot(across, down)
    return away < one.size / 2


def _notes(view: View) -> Iterator[str]:
    """Notes on symbols that differ only in colour. Black and white may differ so: everybody can distinguish them."""
    seen: dict[object, str] = {}
    for symbol, look in zip(view.symbols, view.looks, strict=True):
        shown = (look.shape, look.text, look.colour if look.colour in ("black", "white") else "")
        if shown in seen:
            yield (
                f"the symbols {seen[shown]} and {symbol} differ in colour alone, which not everybody sees; give one of "
                "them a text or another shape"
            )
        seen[shown] = symbol
