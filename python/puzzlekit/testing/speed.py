"""The part of the suite that says why a puzzle cannot be counted in the fastest way, and what would change that.

The fastest way needs a perfect index: a formula that numbers the states. `docs/rules.md`, "What makes rules fast",
lists the shapes of rules that have one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from puzzlekit.errors import PuzzlekitError
from puzzlekit.testing.subject import Looked, Subject, fail

if TYPE_CHECKING:
    from collections.abc import Callable

PLACE = 'the page "Rules" (docs/rules.md), "What makes rules fast"'
"""The places where the shapes are listed: in the documentation on the web, and in the repository."""

WORDS = (32, 64, 128)
"""The numbers of bits that one word may have, which holds a packed state. Wider states are arrays of words."""


def reasons(subject: Subject) -> Looked:
    """Says which store the engine takes, and why; and what would change that if it is not the dense one."""
    puzzle = subject.puzzle
    try:
        plan = puzzle.plan()
    except PuzzlekitError as error:
        fail(str(error))
    notes, data = [], puzzle.rules().to_data()
    if "no perfect index" in plan.store_reason:
        notes += [f"the sparse store is taken: {plan.store_reason}", *_nearest(data)]
    elif "the limit leaves" in plan.store_reason:
        notes.append(f"the sparse store is taken: {plan.store_reason}; with --memory it may have more")
    bits = puzzle.engine.notation.cells * max(1, (len(data["symbols"]) - 1).bit_length())
    if bits > WORDS[-1]:
        notes.append(
            f"a state takes {bits} bits, which is more than one word; with at most {WORDS[-1]} (fewer cells, or fewer "
            "symbols) it would be one"
        )
    return Looked(len(data["moves"]), tuple(notes))


def _nearest(data: dict[str, Any]) -> list[str]:
    """Says why the rules have no perfect index: the first move without the shape that most moves have."""
    shapes: dict[str, Callable[[dict[str, Any]], str | None]] = {
        "only permute cells": _not_permuting,
        "permute cells, with pieces that twist": _not_twisting,
        "fill an empty cell": _not_filling,
        "flip cells of two symbols": lambda move: _not_flipping(move, data["symbols"]),
    }
    broken = {
        name: [(move["name"], why) for move in data["moves"] if (why := _conditional(move) or shape(move)) is not None]
        for name, shape in shapes.items()
    }
    name, faults = min(broken.items(), key=lambda item: len(item[1]))
    moves = len(data["moves"])
    if not faults:
        return [f"all moves {name}; {PLACE}, says what else that shape asks for"]
    which, why = faults[0]
    if 2 * len(faults) > moves:
        return [
            f'few moves have one of the shapes that can be numbered ({PLACE}), as the move "{which}" shows: it {why}'
        ]
    return [
        f'{moves - len(faults)} of {moves} moves {name}, but the move "{which}" {why}; '
        "without such moves the states could be numbered"
    ]


def _conditional(move: dict[str, Any]) -> str | None:
    """A condition of the move that no shape allows; `None` if there is none."""
    whys = {"counts": "counts cells", "unless": "forbids a pattern", "connected": "asks for a path"}
    return next((f"has a guard that {why}" for kind, why in whys.items() if move.get(kind)), None)


def _not_permuting(move: dict[str, Any]) -> str | None:
    then = dict(move["then"])
    for cell, source in then.items():
        if isinstance(source, str):
            return f'writes the symbol "{source}" into cell {cell}'
        if source.get("map"):
            return f"turns symbols into others on the way to cell {cell}"
    sources = [source["copy"] for source in then.values()]
    if sorted(sources) != sorted(then):
        return f"copies cell {sources[0]} without moving what it overwrites"
    if len(move["when"]) > 1 or any(len(allowed) > 1 for _, allowed in move["when"]):
        return "is guarded by more than one symbol in one cell"
    return None


def _not_twisting(move: dict[str, Any]) -> str | None:
    then = dict(move["then"])
    written = next((cell for cell, source in then.items() if isinstance(source, str)), None)
    if written is not None:
        return f'writes the symbol "{then[written]}" into cell {written}'
    sources = [source["copy"] for source in then.values()]
    if sorted(sources) != sorted(then):
        return f"copies cell {sources[0]} without moving what it overwrites"
    return "has a guard" if move["when"] or move.get("equal") or move.get("different") else None


def _not_filling(move: dict[str, Any]) -> str | None:
    then = dict(move["then"])
    if len(then) != 1 or not isinstance(next(iter(then.values())), str):
        return "does more than put a mark into one cell"
    guarded = dict(move["when"])
    if set(guarded) != set(then):
        return f"is not guarded by the cell {next(iter(then))} that it fills alone"
    return None


def _not_flipping(move: dict[str, Any], symbols: list[str]) -> str | None:
    if len(symbols) != 2:
        return f"changes cells of {len(symbols)} symbols"
    if move["when"]:
        return "has a guard"
    flip = {symbols[0]: symbols[1], symbols[1]: symbols[0]}
    for cell, source in move["then"]:
        if isinstance(source, str) or source["copy"] != cell or source.get("map") != flip:
            return f"does not flip cell {cell}"
    return None
