"""Boards as SVG: a state, or several after each other as a strip."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import dataclass, field, replace
from string import ascii_letters
from typing import TYPE_CHECKING

from puzzlekit.draw.svg import INK, Element, document, element, group, number, shown, words
from puzzlekit.view.layout import DOT, LINES, THICK, THIN, Spot, piled
from puzzlekit.view.looks import MOST_PIPS, PILED

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from puzzlekit.view.captions import Caption
    from puzzlekit.view.gestures import Gesture
    from puzzlekit.view.looks import Look
    from puzzlekit.view.sides import Side

SCALE = 48.0
"""The length of the side of a cell, in units of the picture."""

MARGIN = 6.0
CAPTION = 22.0
GAP = 14.0
INKED = ("tile", "disk", "lamp", "box")
"""The shapes on which a text stands."""

SOLID = ("tile", "lamp", "box")
"""The shapes that fill a whole cell."""

_FAINT: dict[str, str | float] = {"fill": "none", "stroke": "#000000", "stroke_opacity": 0.3, "stroke_width": 2.0}
SIGNS: Mapping[str, Sequence[tuple[str, Mapping[str, str | float]]]] = {
    "cross": [
        (
            "M-25 -25L25 25M25 -25L-25 25",
            {"fill": "none", "stroke": "fill", "stroke_width": 6.2, "stroke_linecap": "round"},
        )
    ],
    "lamp": [("M-26 0C-26 -34 26 -34 26 0C26 34 -26 34 -26 0Z", {"fill": "#ffffff", "fill_opacity": 0.45})],
    "box": [("M-33 -33L33 -33L33 33L-33 33ZM-33 -33L33 33M33 -33L-33 33", _FAINT)],
    "person": [
        ("M0 -36C19 -36 19 -7 0 -7C-19 -7 -19 -36 0 -36Z", {"fill": "fill"}),
        ("M-30 34C-30 -14 30 -14 30 34Z", {"fill": "fill"}),
    ],
}
"""The drawing of each shape: SVG paths in hundredths of a cell from its middle; `fill` stands for the look's colour."""

LEAST_WIDTH = 60.0
"""The least width of a board with a caption."""

FIELD = "#ece6da"
TRAY, WALLS = "#b5a996", "#57503f"
PEG = "#7d7362"
FULL = 0.98  # a pile's pieces lie on each other: the part of its room that a piece is high
MARK = "#767066"
TARGET, TARGET_EDGE = "#fff6d6", "#3a3428"
TURN, TURN_EDGE = "#ffffff", "#31405a"
LINE = 1.5

SEAM = 0.5
"""The parts of a block overlap by this much, in units of the picture, so that no gap is seen between them."""

PART = 0.92
"""The width of a cell's ground, or of a tile on it, in cells. The tray is seen between the grounds."""

HOLE = 0.84
"""The width of a round hole, in cells. A disk in it is a little smaller."""

ROUND = 0.12
"""The radius of the corners of a ground or a tile, in cells."""

BRIM = 4.0
"""The width of the tray beyond its cells, in units of the picture."""

BORDER = 6.0
"""The width of the line along a side that belongs to a symbol, in units of the picture."""

DEEP = 1.8
"""The depth to which the dark edge of a piece is seen below it, in units of the picture."""

MOST_LETTERS = 6
"""The most characters of a text at its usual width. Longer texts are squeezed into their cells."""

BESIDE = 10.0
"""The height of the letters of a text beside the cells, in units of the picture."""

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
        symbols: The symbols in the order of the rules, which is the order of piles.
        sides: The sides that belong to a symbol.
        walls: Whether walls are drawn around the cells.
        captions: Short texts beside the cells.
        frame: The colour of a frame in which the cells are round holes; empty for none.
    """

    width: float
    height: float
    spots: Sequence[Spot]
    looks: Mapping[str, Look]
    points: Sequence[Gesture] = ()
    outlines: Sequence[Sequence[int]] = ()
    targets: Sequence[int] = ()
    symbols: Sequence[str] = ()
    sides: Sequence[Side] = ()
    walls: bool = False
    captions: Sequence[Caption] = ()
    frame: str = ""


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
    room = _Room.of(scene, frames)
    across = min(across, len(frames))
    down = math.ceil(len(frames) / across)
    boards: list[Element] = []
    for place, frame in enumerate(frames):
        row, column = divmod(place, across)
        boards += _placed(scene, frame, room, column * (room.wide + GAP), row * (room.high + GAP))
    return shown(document(across * (room.wide + GAP) - GAP, down * (room.high + GAP) - GAP, title, *boards))


def pictures(scene: Scene, frames: Sequence[Frame], title: str) -> list[str]:
    """Several states, each as the text of an SVG of its own. All have the same size, so that one can replace another.

    Args:
        scene: The parts of the pictures that all states have in common.
        frames: The states.
        title: What they show, for people who do not see them.
    """
    room = _Room.of(scene, frames)
    return [shown(document(room.wide, room.high, title, *_placed(scene, frame, room, 0.0, 0.0))) for frame in frames]


@dataclass(frozen=True)
class _Room:
    """The width and height of each state in a picture, and how much of the height is for words above the board."""

    wide: float
    high: float
    above: float

    @classmethod
    def of(cls, scene: Scene, frames: Sequence[Frame]) -> _Room:
        below = CAPTION if any(frame.caption for frame in frames) else 0.0
        above = CAPTION if any(frame.heading for frame in frames) else 0.0
        wide = max(scene.width * SCALE, LEAST_WIDTH if above or below else 0.0) + 2 * MARGIN
        return cls(wide, scene.height * SCALE + 2 * MARGIN + above + below, above)


def _placed(scene: Scene, frame: Frame, room: _Room, left: float, top: float) -> list[Element]:
    """The board of a state, and what stands above and below it."""
    board = _board(scene, frame)
    shift = left + (room.wide - scene.width * SCALE) / 2
    board.set("transform", f"translate({number(shift)} {number(top + room.above + MARGIN)})")
    texts = ((frame.heading, top + CAPTION / 2 + 2), (frame.caption, top + room.high - CAPTION / 2 - 2))
    return [board] + [
        words(text, left + room.wide / 2, y, min(14.0, 1.7 * room.wide / len(text)), class_="caption")
        for text, y in texts
        if text
    ]


def _board(scene: Scene, frame: Frame) -> Element:
    if scene.spots[0].shape == "stack":
        return _piles(scene, frame)
    places, part = ([_round(spot) for spot in scene.spots], HOLE) if _has_holes(scene) else (scene.spots, PART)
    fields = [group(_rim(spot, part), class_="cell", data_cell=str(spot.cell)) for spot in places]
    marks = [_mark(scene.spots[cell], scene.looks[frame.cells[cell]]) for cell in frame.marked]
    marks += [ring for cell in scene.targets for ring in _target(scene.spots[cell], scene.looks[frame.cells[cell]])]
    pieces = [
        piece
        for spot, symbol in zip(scene.spots, frame.cells, strict=True)
        for piece in _piece(scene.looks[symbol], spot, frame.joined.get(spot.cell, ()))
    ]
    looks = [scene.looks[symbol] for symbol in frame.cells]
    size = min((_label_size(spot) for spot in scene.spots if spot.label), default=0.0)
    labels = [_label(spot, look, size) for spot, look in zip(scene.spots, looks, strict=True) if spot.label]
    lines = [_line(scene.spots, cells) for cells in scene.outlines]
    changed = [
        _rim(scene.spots[cell], fill="none", stroke=INK, stroke_width=3, class_="changed") for cell in frame.changed
    ]
    ground = group(*_tray(scene), *fields, fill=FIELD)
    owned = [_side(side, scene.looks[side.symbol]) for side in scene.sides]
    dots, points = _dots(scene.spots), map(_point, scene.points)
    beside = [words(each.text, each.x * SCALE, each.y * SCALE, BESIDE, font_weight="600") for each in scene.captions]
    over = [*dots, *marks, *labels, *changed, *points, *beside]
    return group(ground, *owned, *lines, *pieces, *over, class_="board")


def _has_holes(scene: Scene) -> bool:
    """`True` if the cells are round holes: they lie in a frame, or the pieces on squares are disks of one look."""
    shapes = sorted(look.shape for look in scene.looks.values())
    return bool(scene.frame) or (shapes == ["disk", "none"] and all(spot.shape == "square" for spot in scene.spots))


def _round(spot: Spot) -> Spot:
    """The place of a cell, as that of a round one."""
    return replace(spot, shape="disk") if spot.shape == "square" else spot


def _side(side: Side, look: Look) -> Element:
    """A side that belongs to a symbol, in its colour."""
    path = "".join(
        f"M{number(line.x1 * SCALE)} {number(line.y1 * SCALE)}L{number(line.x2 * SCALE)} {number(line.y2 * SCALE)}"
        for line in side.lines
    )
    about: dict[str, str | float] = {"stroke": look.fill, "stroke_width": BORDER, "stroke_linecap": "round"}
    return element("path", d=path, fill="none", class_="side", **about)


def _piles(scene: Scene, frame: Frame) -> Element:
    """A puzzle of piles, in which cells are pieces: draws the pegs, and each pile of pieces on its peg.

    Under each peg stands the text of its symbol.
    """
    each, floor = scene.width / len(scene.symbols) * SCALE, THICK * (len(scene.spots) + 1) * SCALE
    wide, high = scene.width * SCALE, scene.height * SCALE
    # The base is a little wider than the largest pieces on the outer pegs.
    end = max(0.0, each / 2 - max(spot.size for spot in scene.spots) / 2 * SCALE - BRIM)
    made = [
        element(
            "rect", x=-BRIM, y=-BRIM, width=wide + 2 * BRIM, height=high + 2 * BRIM, rx=9, fill=TRAY, class_="tray"
        ),
        element("rect", x=0, y=0, width=wide, height=high, rx=6, fill=FIELD),
        element("rect", x=end, y=floor, width=wide - 2 * end, height=6, rx=3, fill=PEG),
    ]
    for at, symbol in enumerate(scene.symbols):
        about: dict[str, str | float] = {"x": (at + 0.5) * each - 3, "y": 0.3 * SCALE, "width": 6, "rx": 3}
        made.append(element("rect", height=floor - 0.3 * SCALE, fill=PEG, **about))
        text = scene.looks[symbol].text or symbol
        made.append(words(text, (at + 0.5) * each, floor + 0.5 * SCALE, 10.0, font_weight="600"))
    for spot in piled(scene.spots, scene.symbols, frame.cells, scene.width):
        about = {
            "x": (spot.x - spot.size / 2) * SCALE,
            "width": spot.size * SCALE,
            "height": FULL * THICK * SCALE,
            "rx": 7,
        }
        top = (spot.y - THICK / 2) * SCALE
        piece = element(
            "rect",
            y=top + (1 - FULL) * THICK * SCALE,
            fill=PILED[spot.cell % len(PILED)],
            class_="cell",
            data_cell=str(spot.cell),
            **about,
        )
        if spot.cell in frame.changed:
            piece.set("stroke", INK)
            piece.set("stroke-width", "3")
        made.append(piece)
    return group(*made, class_="board")


def _tray(scene: Scene) -> list[Element]:
    """The tray under the cells: a rectangle if the cells fill one, else their outline; maybe with walls around it.

    Boards with disks or lines have no tray, and under hexagons lie slightly larger ones.
    """
    if any(spot.shape in ("disk", *LINES) for spot in scene.spots):
        return []

    def under(spots: Sequence[Spot], kind: str, colour: str, wide: float) -> Element:
        about: dict[str, str | float] = {"stroke": colour, "stroke_width": wide, "stroke_linejoin": "round"}
        return _outline(spots, fill=colour, class_=kind, **about)

    if scene.walls:
        around = [*scene.spots, *_walled(scene.spots)]
        return [under(around, "walls", WALLS, 2), under(scene.spots, "tray", TRAY, 2)]
    whole = not scene.captions and len(scene.spots) >= round(scene.width) * round(scene.height)
    if not whole and all(spot.shape == "square" for spot in scene.spots):
        return [under(scene.spots, "tray", scene.frame or TRAY, 2 * BRIM)]
    if not whole or any(spot.shape != "square" or spot.size != 1 for spot in scene.spots):
        return [_rim(spot, 1 + 2 * BRIM / SCALE, fill=TRAY, class_="tray") for spot in scene.spots]
    wide, high = scene.width * SCALE + 2 * BRIM, scene.height * SCALE + 2 * BRIM
    return [element("rect", x=-BRIM, y=-BRIM, width=wide, height=high, rx=9, fill=scene.frame or TRAY, class_="tray")]


def _walled(spots: Sequence[Spot]) -> list[Spot]:
    """The places around cells that are no cells, as squares."""
    known = {(spot.x, spot.y) for spot in spots}
    around = {(spot.x + across, spot.y + down): None for spot in spots for down in (-1, 0, 1) for across in (-1, 0, 1)}
    return [Spot(0, *at) for at in around if at not in known]


def _mark(spot: Spot, look: Look) -> Element:
    """The thin ring in a marked cell, round around a disk: grey, or on what fills the cell as its text."""
    line: dict[str, str | float] = {"fill": "none", "stroke": MARK, "stroke_width": 1.2}
    if look.shape in SOLID:
        line |= {"stroke": look.ink, "stroke_opacity": 0.6}
    return _rim(_round(spot) if look.shape == "disk" else spot, 0.84, class_="mark", **line)


def _target(spot: Spot, look: Look) -> list[Element]:
    """The ring of a cell that the goal is about: light with a dark edge, so that it is seen on every piece."""
    ring = spot if spot.shape in LINES else replace(spot, shape="disk")
    part = 0.82 if look.text or spot.shape in LINES else 0.34  # around a text, if there is one
    lines = ((TARGET_EDGE, 4.5), (TARGET, 2.0))
    return [_rim(ring, part, fill="none", stroke=colour, stroke_width=wide, class_="target") for colour, wide in lines]


def _label_size(spot: Spot) -> float:
    """The size of letters with which a label fits into its cell."""
    return min(10.0, 1.65 * (spot.size * SCALE - 8) / len(spot.label))


def _label(spot: Spot, look: Look, size: float) -> Element:
    """The label in the corner of a square, or at the top of another cell.

    On a tile it has the colour of the tile's text. Elsewhere, a light edge makes it readable.
    """
    half = spot.size / 2 * SCALE
    shift, lower, anchor = (5 - half, 11, "start") if spot.shape == "square" else (0, 12, "middle")
    x, y = spot.x * SCALE + shift, spot.y * SCALE - half + lower
    edge: dict[str, str | float] = {"fill": INK, "stroke": FIELD, "stroke_width": 3, "paint_order": "stroke"}
    edge["stroke_linejoin"] = "round"
    if look.shape in SOLID:
        edge = {"fill": look.ink}
    return element("text", spot.label, x=x, y=y, font_size=size, text_anchor=anchor, class_="label", **edge)


def _dots(spots: Sequence[Spot]) -> list[Element]:
    """The dots at the ends of cells that are lines."""
    ends: dict[tuple[str, str], None] = {}
    for spot in spots:
        if spot.shape in LINES:
            for end in (-spot.size / 2, spot.size / 2):
                across, down = (end, 0.0) if spot.shape == "across" else (0.0, end)
                ends[number((spot.x + across) * SCALE), number((spot.y + down) * SCALE)] = None
    return [element("circle", cx=x, cy=y, r=DOT * SCALE, fill=INK, class_="dot") for x, y in ends]


def _rim(spot: Spot, part: float = 1.0, **attributes: str | float) -> Element:
    """The outline of a cell; with `part` less than 1, a smaller outline around the same middle."""
    x, y, half = spot.x * SCALE, spot.y * SCALE, spot.size * part * SCALE / 2
    if spot.shape == "disk":
        return element("circle", cx=x, cy=y, r=half, **attributes)
    if spot.shape in LINES:
        thin = THIN / 2 * part * SCALE
        wide, high = (half, thin) if spot.shape == "across" else (thin, half)
        return element("rect", x=x - wide, y=y - high, width=2 * wide, height=2 * high, rx=thin, **attributes)
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
    if spot.shape in LINES:
        return [] if look.shape == "none" else [_rim(spot, 1.0, fill=fill)]
    if look.shape == "pips":
        return _pips(look, x, y, unit, labelled=bool(spot.label))
    if look.shape in SOLID and spot.shape == "square":
        made += [_tile(spot, DEEP, joined, fill="#000000", fill_opacity=0.22), _tile(spot, 0, joined, fill=fill)]
    elif look.shape in SOLID:
        made.append(element("circle", cx=x, cy=y, r=0.42 * unit, fill=fill))
    elif look.shape == "wall":
        made.append(_rim(spot, fill=fill))
    elif look.shape == "disk":
        about: dict[str, str | float] = {"cx": x, "r": 0.38 * unit}
        made.append(element("circle", cy=y + DEEP, fill="#000000", fill_opacity=0.22, **about))
        made.append(element("circle", cy=y, fill=fill, stroke=INK, stroke_opacity=0.3, class_="edge", **about))
    elif look.shape == "ring":
        made.append(element("circle", cx=x, cy=y, r=0.27 * unit, fill="none", stroke=fill, stroke_width=0.13 * unit))
    made += [
        element(
            "path",
            d=_lines(path, x, y, unit),
            **{name: fill if value == "fill" else value for name, value in about.items()},
        )
        for path, about in SIGNS.get(look.shape, ())
    ]
    if look.text and not joined:
        colour = ink if look.shape in INKED else INK
        size = 0.46 * unit if spot.shape == "square" and look.shape != "disk" else 0.4 * unit
        squeezed: dict[str, str | float] = {}
        if len(look.text) > MOST_LETTERS:
            squeezed = {"textLength": 0.8 * unit, "lengthAdjust": "spacingAndGlyphs"}
        lower = y + 0.1 * unit if spot.label and spot.shape == "square" else y
        made.append(words(look.text, x, lower, _fitting(look.text, size), fill=colour, font_weight="600", **squeezed))
    return made


def _pips(look: Look, x: float, y: float, unit: float, *, labelled: bool) -> list[Element]:
    """As many pips as a look says, in rows, above their number in the corner. A number that is too large stands alone.

    Under a label they are closer together.
    """
    count = int(look.text.lstrip(ascii_letters))
    if count > MOST_PIPS:
        return [words(str(count), x, y, 0.4 * unit, fill=INK, font_weight="600")]
    columns = max(1, math.ceil(math.sqrt(count)))
    rows = math.ceil(count / columns)
    step = min(0.34, 0.66 / columns) * (0.8 if labelled else 1.0) * unit
    lower = (0.06 if labelled else -0.03) * unit
    made = [words(str(count), x + 0.32 * unit, y + 0.35 * unit, 0.19 * unit, fill=INK)]
    for at in range(count):
        row, column = divmod(at, columns)
        in_row = min(columns, count - row * columns)
        place = {"cx": x + (column - (in_row - 1) / 2) * step, "cy": y + lower + (row - (rows - 1) / 2) * step}
        about: dict[str, str | float] = {"fill": look.fill, "stroke": INK, "stroke_opacity": 0.3}
        made.append(element("circle", r=0.43 * step, class_="edge", **place, **about))
    return made


def _lines(path: str, x: float, y: float, unit: float) -> str:
    """A path whose numbers are hundredths of a cell from its middle, as a path of the picture.

    >>> _lines("M-50 0L0 10", 24, 24, 48)
    'M0 24L24 28.8'
    """
    places = itertools.cycle((x, y))
    return re.sub(r"-?\d+", lambda found: number(next(places) + int(found[0]) * unit / 100), path)


def _tile(spot: Spot, lower: float, joined: Container[str], **attributes: str | float) -> Element:
    """The outline of a tile. It reaches the edges of the cell where a block goes on, and has no round corners there."""
    inner, outer = PART / 2 * spot.size * SCALE, 0.5 * spot.size * SCALE
    x, y = spot.x * SCALE, spot.y * SCALE + lower
    # Where a block goes on to the left or above, the dark edge below a tile (`lower` is not 0) stops short of the next
    # tile, since it would darken that tile.
    over, under = outer + SEAM, outer - (SEAM if lower else 0.0)
    left, right = x - (under if "left" in joined else inner), x + (over if "right" in joined else inner)
    top, bottom = y - (under if "up" in joined else inner), y + (over if "down" in joined else inner)
    if not joined:
        return element("rect", x=left, y=top, width=right - left, height=bottom - top, rx=ROUND * SCALE, **attributes)
    corners = (
        (left, top, 0, 1, "left", "up"),
        (right, top, -1, 0, "up", "right"),
        (right, bottom, 0, -1, "right", "down"),
        (left, bottom, 1, 0, "down", "left"),
    )
    path = ""
    for at, (to_x, to_y, across, down, *sides) in enumerate(corners):
        far = 0.0 if any(side in joined for side in sides) else ROUND * SCALE
        begin = (to_x + across * far, to_y + down * far)
        end = (to_x + down * far, to_y - across * far)
        path += f"{'L' if at else 'M'}{number(begin[0])} {number(begin[1])}"
        path += f"Q{number(to_x)} {number(to_y)} {number(end[0])} {number(end[1])}"
    return element("path", d=path + "Z", **attributes)


def _fitting(text: str, size: float) -> float:
    """The size of letters with which a text fits into a cell."""
    return size if len(text) <= 2 else max(7.0, size * 2.4 / (len(text) + 0.4))


def _point(gesture: Gesture) -> Element:
    """A round button on the board."""
    x, y = (gesture.x or 0) * SCALE, (gesture.y or 0) * SCALE
    button = element("circle", cx=x, cy=y, r=BUTTON * SCALE, fill=TURN, stroke=TURN_EDGE, stroke_width=LINE)
    return group(button, words(gesture.label, x, y, _fitting(gesture.label, 12)), class_="point")


def _line(spots: Sequence[Spot], cells: Sequence[int]) -> Element:
    """Draws a line around cells."""
    if any(spots[cell].shape != "square" for cell in cells):
        return group(*(_rim(spots[cell], fill="none", stroke=INK, stroke_width=3) for cell in cells), class_="group")
    line: dict[str, str | float] = {"stroke": INK, "stroke_width": 3, "stroke_linejoin": "round"}
    return _outline([spots[cell] for cell in cells], fill="none", class_="group", **line)


def _outline(spots: Sequence[Spot], **attributes: str | float) -> Element:
    """The outline of squares, made of the edges that no two of them share."""
    following: dict[str, list[str]] = {}  # for each corner, where the edges from there end; all go clockwise
    for spot in spots:
        x, y, half = spot.x * SCALE, spot.y * SCALE, spot.size * SCALE / 2
        corners = [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]
        named = [f"{number(a)} {number(b)}" for a, b in corners]
        for here, there in zip(named, named[1:] + named[:1], strict=True):
            if here in following.get(there, ()):
                following[there].remove(here)
            else:
                following.setdefault(here, []).append(there)
    path = ""
    for start, ends in following.items():
        while ends:
            path += f"M{start}"
            at = ends.pop()
            while at != start:
                path += f"L{at}"
                at = following[at].pop()
            path += "Z"
    return element("path", d=path, **attributes)
