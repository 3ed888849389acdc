"""The puzzles of a site, each with its sizes: the data for the pages, and the data for the engine in the page."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from puzzlekit.describe.kept_rules import board_data
from puzzlekit.errors import UsageError
from puzzlekit.play.introduction import introduction
from puzzlekit.run import overridable
from puzzlekit.view.view import view_of
from puzzlekit.web.limits import Limits
from puzzlekit.web.offers import Shelf, offers
from puzzlekit.web.pool import Setting
from puzzlekit.web.service import Service
from puzzlekit.web.shown import pictured
from puzzlekit.web.site.boards import Boards, boards

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable, Sequence

    from puzzlekit.plugins.loader import Plugins
    from puzzlekit.puzzle.puzzle import Puzzle
    from puzzlekit.view.gestures import Option
    from puzzlekit.view.view import View

SOLVER = "optimal"
"""The name of the only solver that a page without a server has: the engine's own."""

SECONDS = {"short": 10, "long": 60}
"""The seconds that a search may take in the page, as on a server."""

WIDEST = 256
"""The most bits of a state that the engine in the page can hold."""

READY = ("1", "2", "3", "4")
"""The seeds of the boards with which a page can begin before the engine has started."""

LONGEST_NAME = 60
"""The most characters of a text id that go into the name of a file."""


@dataclass(frozen=True)
class Entry:
    """A puzzle of a site, with its parameters.

    Attributes:
        text: The text id.
        name: The name of its files, without an ending.
        shown: The data that the pages show: the answer of `describe` in docs/web-api.md.
        asked: The data that the engine in the page needs.
        first: Whether the user named this puzzle, so that it is on the first page. Its other sizes are not.
        picture: A board as SVG.
        ready: The boards with which its page can begin before the engine has started; see `Service.ready`.
    """

    text: str
    name: str
    shown: dict[str, Any]
    asked: dict[str, Any]
    first: bool
    picture: str
    ready: list[dict[str, Any]]


def entries(
    plugins: Plugins,
    named: Sequence[str],
    today: datetime.date,
    warn: Callable[[str], None],
    *,
    no_plugins: bool = False,
) -> list[Entry]:
    """The puzzles that the user named, and their other sizes. A size that cannot be made is left out.

    Raises:
        PuzzlekitError: A puzzle that was named cannot be shown.
    """
    offered = offers(plugins, named)
    shelf = Shelf(offered, plugins)
    texts = [offer.text for offer in offered]
    shown, ready = asyncio.run(_described(Setting(offered, Limits(), no_plugins), texts))
    found: dict[str, Entry] = {}
    for text, data in shown.items():
        error = data.get("error") or _too_wide(shelf.puzzle(text))
        if not error:
            found[text] = _entry(shelf, text, data, ready[text], today, first=text in texts)
        elif text in texts:
            raise UsageError(error)
        else:
            warn(f"warning: the size {text} is left out of the sizes that its page offers: {error}")
    for entry in found.values():
        entry.shown["presets"] = [each for each in entry.shown["presets"] if each["puzzle"] in found]
    names = [entry.name for entry in found.values()]
    if len(set(names)) < len(names):
        raise UsageError("two of the puzzles have files of one name; write them into two folders")
    return list(found.values())


def _too_wide(puzzle: Puzzle) -> str | None:
    """The message that refuses a puzzle whose states are too wide for the engine in the page; `None` if they fit."""
    if puzzle.engine.word_bits <= WIDEST:
        return None
    return (
        f"a state of {puzzle} takes more than the {WIDEST} bits that the engine in a page holds; take fewer cells or "
        "symbols, or puzzlekit serve"
    )


async def _described(
    setting: Setting, texts: Sequence[str]
) -> tuple[dict[str, dict[str, Any]], dict[str, list[dict[str, Any]]]]:
    """The descriptions of puzzles and of their sizes, by their text ids, and the boards with which they can begin.

    If a description cannot be made, `error` says why.

    Separate processes make the descriptions, as on a server. So if a size takes for ever, or takes all memory, it is
    just left out.
    """
    service = Service(setting)
    await service.start()
    try:
        first = await asyncio.gather(*map(service.describe, texts))
        found = dict(zip(texts, first, strict=True))
        sizes = [preset["puzzle"] for data in first for preset in data.get("presets", ())]
        others = [text for text in dict.fromkeys(sizes) if text not in found]
        found |= dict(zip(others, await asyncio.gather(*map(service.describe, others)), strict=True))
        right = {text: data for text, data in found.items() if "error" not in data}
        boards = await asyncio.gather(*(service.ready(data, READY, None) for data in right.values()))
        return found, dict(zip(right, boards, strict=True))
    finally:
        await service.close()


def name_of(text: str) -> str:
    """The name of the files of a text id, without an ending: letters, digits and dashes alone, for every system.

    >>> name_of("slider"), name_of("slider:rows=4,columns=4")
    ('slider', 'slider-rows-4-columns-4')
    >>> name_of("mine:text=A b")
    'mine-text-a-b-b2f60278'
    """
    name = re.sub(r"[^a-z0-9_]+", "-", text.lower()).strip("-")[:LONGEST_NAME]
    if re.fullmatch(r"[a-z0-9_]+(:[a-z0-9_=,]+)?", text) and len(text) <= LONGEST_NAME:
        return name
    return f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _entry(  # noqa: PLR0913 - each is a part of an entry
    shelf: Shelf,
    text: str,
    described: dict[str, Any],
    ready: list[dict[str, Any]],
    today: datetime.date,
    *,
    first: bool,
) -> Entry:
    puzzle = shelf.puzzle(text)
    drawn = boards(puzzle, today)
    shown = described | {
        "solvers": [SOLVER],
        "default_solver": SOLVER,
        "job": False,
        "seconds": SECONDS,
        "numbered": drawn.counted,
        "seeds": len(drawn.seeds),
    }
    shown["view"] = shown["view"] | {"solver": None}
    for board in ready:
        if not drawn.counted:
            board["moment"]["number"] = None  # this page tells no numbers
    picture = view_of(puzzle).draw(pictured(puzzle))
    return Entry(str(puzzle), name_of(str(puzzle)), shown, _asked(puzzle, drawn), first, picture, ready)


def _asked(puzzle: Puzzle, drawn: Boards) -> dict[str, Any]:
    """The data for the engine in the page: the rules, the notation of states, the gestures with guards, and boards."""
    engine, rules, view = puzzle.engine, overridable.rules(puzzle), view_of(puzzle)
    board = board_data(rules)
    return {
        "schema": "puzzlekit.site-puzzle/1",
        "puzzle": str(puzzle),
        "id": puzzle.id,
        "rules": json.loads(engine.rules_json),
        "symbols": list(engine.notation.symbols),
        "players": list(engine.notation.players),
        "rows": list(engine.notation.row_lengths),
        "holes": board["holes"] if board else 0,
        "hole_marks": board["hole_marks"] if board else "",
        "picture": board["picture"] if board else None,
        "start": puzzle.start,
        "goal": engine.goal,
        "has_goal": engine.has_goal,
        "toggles": engine.toggles is not None,
        "introduction": introduction(puzzle),
        "states": None if (states := overridable.count_reachable(puzzle)) is None else str(states),
        "gestures": _gestures(view),
        "cells": [spot.name for spot in view.spots],
        "period": view.period,
        "drawn": drawn.drawn,
        "mixed": drawn.mixed,
        "seeds": drawn.seeds,
        "days": drawn.days,
        "counted": drawn.counted,
    }


def _gestures(view: View) -> list[dict[str, Any]]:
    """The gestures of a view, with the guard of each move; parts that are empty are left out."""
    return [
        {
            "kind": gesture.kind,
            "cells": list(gesture.cells),
            "key": gesture.key,
            "label": gesture.label,
            "moves": list(gesture.moves),
            "options": [_option(option) for option in gesture.options],
        }
        for gesture in view.gestures
    ]


def _option(option: Option) -> dict[str, Any]:
    data: dict[str, Any] = {
        "move": option.move,
        "player": option.player,
        "when": [[cell, list(held)] for cell, held in option.when],
        "equal": [list(pair) for pair in option.equal],
        "different": [list(pair) for pair in option.different],
    }
    return {name: value for name, value in data.items() if value}
