"""Boards as SVG: a state, or several after each other as a strip."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from puzzlekit.draw.svg import INK, PAPER, Element, document, element, group, number, shown, words

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from puzzlekit.view.gestures import Gesture
    from puzzlekit.view.layout import Spot
    from puzzlekit.view.looks import Look

SCALE = 48.0
"""The length of the side of a cell, in units of the picture."""

MARGIN = 6.0
CAPTION = 22.0
GAP = 14.0
LEAST_WIDTH = 60.0
"""The least width of a board with a caption."""

FIELD = "#efeae0"
TRAY = "#ddd5c5"
MARKED = "#ffe08a"
LINE = 1.5

FIELD_PART = 0.94
"""The part of a cell's side that its ground takes. The tray is seen between the grounds."""

TILE_PART = 0.94
"""The part of a cell's side that a tile takes."""

ROUND = 0.12
"""The radius of the corners of a ground or a tile, in cells."""

MOST_LETTERS = 6
"""The most characters of a text at its usual width. Longer texts are squeezed into their cells."""

BUTTON = 0.2
"""The radius of a round button, in cells."""


@dataclass(frozen=True)
class Scene:
    """The parts of a picture that all states of a puzzle have in common.

    Attributes:
        width: The board's width, in cells.
        height: The board's height, in cells.
        spots: Where the cells lie.
        looks: What each symbol looks like.
        points: The round buttons.
        outlines: Cells that a line is drawn around.
        targets: The cells that the goal is about.
    """

    width: float
    height: float
    spots: Sequence[Spot]
    looks: Mapping[str, Look]
    points: Sequence[Gesture] = ()
    outlines: Sequence[Sequence[int]] = ()
    targets: Sequence[int] = ()


@dataclass(frozen=True)
class Frame:
    """One state in a picture.

    Attributes:
        cells: The symbol of each cell.
        marked: The cells that are marked.
        caption: What stands under the board; empty for nothing.
        heading: What stands above the board; empty for nothing.
        changed: The cells that have just changed, which get a thick line.
        joined: The sides on which the tile of a cell goes on in the next cell.
    """

    cells: Sequence[str]
    marked: Sequence[int] = ()
    caption: str = ""
    heading: str = ""
    changed: Sequence[int] = ()
    joined: Mapping[int, Container[str]] = field(default_factory=dict)


def picture(scene: Scene, frames: Sequence[Frame], title: str, across: int = 1) -> str:
    """One or several states as the text of an SVG.

    Args:
        scene: The parts of the picture that all states have in common.
        frames: The states.
        title: What the picture shows, for people who do not see it.
        across: How many states stand beside each other.
    """
    below = CAPTION if any(frame.caption for frame in frames) else 0.0
    above = CAPTION if any(frame.heading for frame in frames) else 0.0
    wide = max(scene.width * SCALE, LEAST_WIDTH if above or below else 0.0) + 2 * MARGIN
    high = scene.height * SCALE + 2 * MARGIN + above + below
    across = min(across, len(frames))
    down = math.ceil(len(frames) / across)
    boards: list[Element] = []
    for place, frame in enumerate(frames):
        row, column = divmod(place, across)
        left, top = column * (wide + GAP), row * (high + GAP)
        board = _board(scene, frame)
        shift = left + (wide - scene.width * SCALE) / 2
        board.set("transform", f"translate({number(shift)} {number(top + above + MARGIN)})")
        boards.append(board)
        for text, y in ((frame.heading, top + CAPTION / 2 + 2), (frame.caption, top + high - CAPTION / 2 - 2)):
            if text:
                boards.append(words(text, left + wide / 2, y, min(14.0, 1.7 * wide / len(text)), class_="caption"))
    return shown(document(across * (wide + GAP) - GAP, down * (high + GAP) - GAP, title, *boards))


def _board(scene: Scene, frame: Frame) -> Element:
    fields = [_field(spot, spot.cell in frame.marked, spot.cell in scene.targets) for spot in scene.spots]
    pieces = [
        piece
        for spot, symbol in zip(scene.spots, frame.cells, strict=True)
        for piece in _piece(scene.looks[symbol], spot, frame.joined.get(spot.cell, ()))
    ]
    labels = [_label(spot) for spot in scene.spots if spot.label]
    lines = [_line(scene.spots, cells) for cells in scene.outlines]
    changed = [
        _rim(scene.spots[cell], fill="none", stroke=INK, stroke_width=3, class_="changed") for cell in frame.changed
    ]
    ground = group(*_tray(scene), *fields, fill=FIELD)
    return group(ground, *lines, *pieces, *labels, *changed, *map(_point, scene.points), class_="board")


def _tray(scene: Scene) -> list[Element]:
    """The tray in which the cells of a whole rectangle of squares lie."""
    if any(spot.shape != "square" or spot.size != 1 for spot in scene.spots):
        return []
    if len(scene.spots) < round(scene.width) * round(scene.height):
        return []
    wide, high = scene.width * SCALE, scene.height * SCALE
    return [element("rect", x=-3, y=-3, width=wide + 6, height=high + 6, rx=9, fill=TRAY, class_="tray")]


def _field(spot: Spot, marked: bool, target: bool) -> Element:
    """A cell without its symbol. A marked cell has another colour and a dashed line, and a target a double edge."""
    made = group(_rim(spot, FIELD_PART), class_="cell marked" if marked else "cell", data_cell=str(spot.cell))
    if marked:
        made.set("fill", MARKED)
        made.append(_rim(spot, 0.9, fill="none", stroke=INK, stroke_width=2, stroke_dasharray="5 3"))
    if target:
        made.append(_rim(spot, 0.92, fill="none", stroke="#009e73", stroke_width=2, class_="target"))
    return made


def _label(spot: Spot) -> Element:
    """The label in the corner of a square, or at the top of another cell. A light edge makes it readable."""
    half = spot.size / 2 * SCALE
    x, y = spot.x * SCALE - (half - 4 if spot.shape == "square" else 0), spot.y * SCALE - half + 12
    anchor = "start" if spot.shape == "square" else "middle"
    edge: dict[str, str | float] = {"stroke": PAPER, "stroke_width": 3, "paint_order": "stroke"}
    return element("text", spot.label, x=x, y=y, font_size=11, fill=INK, text_anchor=anchor, class_="label", **edge)


def _rim(spot: Spot, part: float = 1.0, **attributes: str | float) -> Element:
    """The edge of a cell, or a part of it around the same middle."""
    x, y, half = spot.x * SCALE, spot.y * SCALE, spot.size * part * SCALE / 2
    if spot.shape == "disk":
        return element("circle", cx=x, cy=y, r=half, **attributes)
    if spot.shape == "hexagon":
        far = 2 * half / math.sqrt(3)
        corners = [(math.pi / 3 * at + math.pi / 6) for at in range(6)]
        points = " ".join(f"{number(x + far * math.cos(at))},{number(y + far * math.sin(at))}" for at in corners)
        return element("polygon", points=points, **attributes)
    return element("rect", x=x - half, y=y - half, width=2 * half, height=2 * half, rx=ROUND * SCALE, **attributes)


def _piece(look: Look, spot: Spot, joined: Container[str]) -> list[Element]:
    """Draws a symbol in a cell. A tile of a block reaches the edges of the cell where it is joined, and has no text."""
    x, y, unit = spot.x * SCALE, spot.y * SCALE, spot.size * SCALE
    fill, ink = look.fill, look.ink
    made: list[Element] = []
    about: dict[str, str | float]
    edge = ((INK, 9.0), (fill, 6.0))
    if look.shape == "tile" and joined:
        made += _part(spot, fill, joined)
    elif look.shape == "tile" and spot.shape == "square":
        half = TILE_PART * unit / 2
        about = {"width": 2 * half, "height": 2 * half, "rx": ROUND * unit, "fill": fill}
        made.append(element("rect", x=x - half, y=y - half, stroke=INK, stroke_opacity=0.25, **about))
    elif look.shape == "tile":
        made.append(element("circle", cx=x, cy=y, r=0.42 * unit, fill=fill, stroke=INK, stroke_opacity=0.25))
    elif look.shape == "disk":
        made.append(element("circle", cx=x, cy=y, r=0.38 * unit, fill=fill, stroke=INK, stroke_width=LINE))
    elif look.shape == "cross":
        arm = 0.27 * unit
        path = " ".join(
            f"M{number(x - arm)} {number(y + side * arm)}L{number(x + arm)} {number(y - side * arm)}"
            for side in (-1, 1)
        )
        # Drawn twice, first wider and dark: light colours are hardly seen on a light ground without a dark edge.
        made += [element("path", d=path, stroke=of, stroke_width=wide, stroke_linecap="round") for of, wide in edge]
    elif look.shape == "ring":
        about = {"cx": x, "cy": y, "r": 0.28 * unit, "fill": "none"}
        made += [element("circle", **about, stroke=of, stroke_width=wide) for of, wide in edge]
    if look.text and not joined:
        colour = ink if look.shape in ("tile", "disk") else INK
        size = 0.48 * unit if spot.shape == "square" and look.shape != "disk" else 0.4 * unit
        squeezed: dict[str, str | float] = {}
        if len(look.text) > MOST_LETTERS:
            squeezed = {"textLength": 0.8 * unit, "lengthAdjust": "spacingAndGlyphs"}
        made.append(words(look.text, x, y, _fitting(look.text, size), fill=colour, font_weight="600", **squeezed))
    return made


def _part(spot: Spot, fill: str, joined: Container[str]) -> list[Element]:
    """Draws a tile that is a part of a block. It has a line only on the sides on which the block ends."""
    inner, outer = TILE_PART / 2 * spot.size * SCALE, 0.5 * spot.size * SCALE
    x, y = spot.x * SCALE, spot.y * SCALE
    left, right = x - (outer if "left" in joined else inner), x + (outer if "right" in joined else inner)
    top, bottom = y - (outer if "up" in joined else inner), y + (outer if "down" in joined else inner)
    corners = {"up": (left, top, right, top), "right": (right, top, right, bottom)}
    corners |= {"down": (left, bottom, right, bottom), "left": (left, top, left, bottom)}
    path = "".join(
        f"M{number(a)} {number(b)}L{number(c)} {number(d)}"
        for side, (a, b, c, d) in corners.items()
        if side not in joined
    )
    ground = element("rect", x=left, y=top, width=right - left, height=bottom - top, fill=fill, stroke="none")
    edge = element("path", d=path, stroke=INK, stroke_opacity=0.5, stroke_linecap="square")
    return [ground, edge] if path else [ground]


def _fitting(text: str, size: float) -> float:
    """The size of letters with which a text fits into a cell."""
    return size if len(text) <= 2 else max(7.0, size * 2.4 / (len(text) + 0.4))


def _point(gesture: Gesture) -> Element:
    """A round button on the board."""
    x, y = (gesture.x or 0) * SCALE, (gesture.y or 0) * SCALE
    button = element("circle", cx=x, cy=y, r=BUTTON * SCALE, fill="#bdeaf5", stroke=INK, stroke_width=LINE)
    return group(button, words(gesture.label, x, y, _fitting(gesture.label, 12)), class_="point")


def _line(spots: Sequence[Spot], cells: Sequence[int]) -> Element:
    """Draws a line around cells. For squares, it consists of the edges that belong to only one of the cells."""
    if any(spots[cell].shape != "square" for cell in cells):
        return group(*(_rim(spots[cell], fill="none", stroke=INK, stroke_width=3) for cell in cells), class_="group")
    edges: dict[tuple[str, str], int] = {}
    for cell in cells:
        spot = spots[cell]
        x, y, half = spot.x * SCALE, spot.y * SCALE, spot.size * SCALE / 2
        corners = [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]
        named = [f"{number(a)} {number(b)}" for a, b in corners]
        for a, b in zip(named, named[1:] + named[:1], strict=True):
            edge = (min(a, b), max(a, b))
            edges[edge] = edges.get(edge, 0) + 1
    path = "".join(f"M{a}L{b}" for (a, b), times in edges.items() if times == 1)
    return element("path", d=path, stroke=INK, stroke_width=3, stroke_linecap="round", class_="group")
