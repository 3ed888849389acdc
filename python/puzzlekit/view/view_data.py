"""Writes a view as plain data, as a job keeps it, and makes the view again from the data."""

from __future__ import annotations

import math
from dataclasses import MISSING, asdict, fields, is_dataclass
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

from puzzlekit.errors import CorruptError, PuzzlekitError
from puzzlekit.view.gestures import KINDS
from puzzlekit.view.view import View

if TYPE_CHECKING:
    from collections.abc import Iterable

FARTHEST = 10**6
"""The largest length in a view, in cells. Data with a larger one are refused."""


def view_data(view: View) -> dict[str, Any]:
    """A view as plain data, with all of its attributes."""
    return asdict(view)


def view_of_data(data: object, symbols: Iterable[str], cells: int) -> View:
    """The view that `view_data` wrote, for rules with the given symbols and so many cells.

    >>> import json, puzzlekit
    >>> view = puzzlekit.load("slider").view()
    >>> view_of_data(json.loads(json.dumps(view_data(view))), view.symbols, 9) == view
    True

    Raises:
        CorruptError: The data is no view of such rules.
    """
    try:
        view: View = _read(View, data)
        fits = _fits(view, tuple(symbols), cells)
    except (TypeError, ValueError, KeyError, PuzzlekitError) as error:
        raise CorruptError(f"puzzle.json has a view that cannot be read ({error}); the job is damaged") from error
    if not fits:
        raise CorruptError("puzzle.json has a view that is not one of its rules; the job is damaged")
    return view


def _read(kind: Any, data: Any) -> Any:  # noqa: ANN401 - any type that the fields of a view have
    """Makes a value of the type `kind` from plain data."""
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        # A part that is newer than the data has its usual value.
        older = {each.name for each in fields(kind) if each.default is not MISSING}
        if not isinstance(data, dict) or not set(hints) - older <= set(data) <= set(hints):
            raise TypeError(f"{data!r:.40} has other parts")
        return kind(**{name: _read(hints[name], value) for name, value in data.items()})  # type: ignore[operator]
    if get_origin(kind) is tuple:
        items = get_args(kind)
        each = [items[0]] * len(data) if items[-1] is Ellipsis else items
        return tuple(_read(item, value) for item, value in zip(each, data, strict=True))
    if get_origin(kind) is UnionType:
        return None if data is None else _read(next(item for item in get_args(kind) if item is not NoneType), data)
    if kind is float and isinstance(data, int | float) and not isinstance(data, bool):
        if not math.isfinite(data) or abs(data) > FARTHEST:
            raise ValueError(f"{data} is no length")
        return float(data)
    if type(data) is not kind:
        raise TypeError(f"{data!r:.40} is no {kind.__name__}")
    return data


def _fits(view: View, symbols: tuple[str, ...], cells: int) -> bool:
    """Returns `True` if a view names only symbols and cells that the rules have."""
    known = range(cells)
    named = [cell for gesture in view.gestures for cell in gesture.cells]
    named += [cell for gesture in view.gestures for option in gesture.options for cell, _ in option.when]
    pairs = [
        pair for gesture in view.gestures for option in gesture.options for pair in option.equal + option.different
    ]
    named += [cell for pair in pairs for cell in pair]
    named += [cell for region in view.regions for cell in region.cells]
    return (
        view.symbols == symbols
        and [spot.cell for spot in view.spots] == list(known)
        and len(view.looks) == len(symbols)
        and all(gesture.kind in KINDS for gesture in view.gestures)
        and all(cell in known for cell in (*named, *view.targets))
        and {side.symbol for side in view.sides} <= set(symbols)
        and len(view.body) in (0, cells)
        and all(facet.corners for facet in view.body)
        and min(view.width, view.height) > 0
    )
