"""The looks of symbols: a shape, a text and a colour that people with any kind of colour vision can distinguish."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from puzzlekit.errors import RulesError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SHAPES = ("none", "text", "tile", "disk", "cross", "ring", "lamp", "wall", "box", "person", "pips")
"""The shapes of a look: nothing; a text alone; a tile, a disk, a lamp that glows, or a box, each maybe with a text; a
cross; a ring; a wall; a person; or pips, as many as the number that is the text."""

MOST_PIPS = 16
"""The most pips that are drawn. A larger number stands as a text."""

COLOURS: Mapping[str, str] = {
    "white": "#ffffff",
    "black": "#111111",
    "plain": "#e9e4d8",
    "grey": "#8c8c8c",
    "orange": "#e69f00",
    "sky": "#56b4e9",
    "green": "#009e73",
    "yellow": "#f0e442",
    "blue": "#0072b2",
    "red": "#d55e00",
    "purple": "#cc79a7",
}
"""The palette by name. The seven colours are those of Okabe and Ito (2008), made for all kinds of colour vision."""

DARK = frozenset({"black", "blue"})
"""The colours of the palette on which texts are white. On all other colours of the palette, texts are black."""

INK, BLACK, WHITE, TILE_INK = "#111111", "#000000", "#ffffff", "#14202b"
"""The colours of texts. On any colour, black or white has a contrast of at least 4.5. On light colours of the palette,
texts have the softer `INK` instead of black, and on others `TILE_INK` where that has such a contrast, too."""

LEAST_CONTRAST = 4.5
"""The least contrast of a text with what is below it."""

SHADES = (0.88, 0.64)
"""The lightness of the first and of the last column of `home_colour`, in OKLCH: light enough for `TILE_INK`."""

CHROMA = 0.12
"""The chroma of the colours of `home_colour`, in OKLCH."""

FIRST_HUE, HUES = 255.0, 300.0
"""The hue of the first row in `home_colour`, in degrees of OKLCH, and how far the last row's hue is from it."""

CLASSES = ("blue", "orange", "green", "red", "sky", "yellow", "purple")
"""The colours of symbols without another colour: the first symbol gets the first one, and so on."""

MARKS = ("blue", "red")
"""The colours of a cross and of a ring, whose lines are seen on light and on dark boards."""

WALLS = ("#", "x", "X", "█")
"""Names that people give to a symbol for a wall."""

PILED = ("#4379bd", "#aa641f", "#008d66", "#af5675", "#837b04", "#8366b4", "#b3594c")
"""The colours of pieces in piles, in turn: hues that are seen on light and on dark boards."""

EMPTY = (".", "_", "-", "·")
"""Names that people give to a symbol for nothing."""

ROUND = ("o", "O", "0", "*", "●")
"""Names that people give to a piece which looks like a disk."""


@dataclass(frozen=True)
class Look:
    """The look of a symbol. Two symbols differ in shape or text, or are black and white: never in colour alone.

    >>> Look("disk", colour="black", name="black").shape
    'disk'

    Attributes:
        shape: One of `"none"`, `"text"`, `"tile"`, `"disk"`, `"cross"`, `"ring"`, `"lamp"`, `"wall"`, `"box"`,
            `"person"` and `"pips"`.
        text: The text in the shape, at most a few characters; empty for none. For pips, their number, maybe
            after a letter.
        colour: A name of the palette, such as `"blue"`, or any colour as `"#rrggbb"`.
        name: What the symbol is called aloud; if it is empty, the symbol itself is read.
    """

    shape: str
    text: str = ""
    colour: str = "plain"
    name: str = ""

    def __post_init__(self) -> None:
        if self.shape not in SHAPES:
            raise RulesError(f"a look has the shape {self.shape!r}; give one of {', '.join(SHAPES)}")
        if self.shape == "pips" and not re.fullmatch("[a-zA-Z]?[0-9]{1,3}", self.text):
            raise RulesError(
                f"a look of pips has the text {self.text!r}; give their number, from 0 to 999, maybe after a letter"
            )
        if self.colour not in COLOURS and not re.fullmatch("#[0-9a-f]{6}", self.colour):
            raise RulesError(f"a look has the colour {self.colour!r}; give #rrggbb or one of {', '.join(COLOURS)}")

    @property
    def fill(self) -> str:
        """The colour as `#rrggbb`."""
        return COLOURS.get(self.colour, self.colour)

    @property
    def ink(self) -> str:
        """The colour of a text on it: dark, or if that is hard to read, black or white.

        >>> Look("tile", "a", "#20304a").ink, Look("tile", "a", "orange").ink
        ('#ffffff', '#111111')
        """
        if self.colour in COLOURS:
            return WHITE if self.colour in DARK else INK
        if contrast(TILE_INK, self.fill) >= LEAST_CONTRAST:
            return TILE_INK
        return max(BLACK, WHITE, key=lambda ink: contrast(ink, self.fill))


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, from 1 to 21, as the Web Content Accessibility Guidelines define it.

    >>> round(contrast("#ffffff", "#000000"))
    21
    """

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def home_colour(row: float, column: float) -> str:
    """The colour of a piece by its home: a hue for the row, and a shade for the column.

    So a mixed board looks mixed, and a solved one is a gradient. The colours are those of OKLCH (B. Ottosson, "A
    perceptual color space for image processing", 2020), in which equal steps look equal.

    >>> home_colour(0, 0), home_colour(1, 1)
    ('#a1dbff', '#00a2a3')

    Args:
        row: How far down the home is: 0 is the first row and 1 the last one.
        column: How far to the right the home is: 0 is the first column and 1 the last one.
    """
    light = SHADES[0] + (SHADES[1] - SHADES[0]) * column
    hue = math.radians(FIRST_HUE + HUES * row)
    a, b = CHROMA * math.cos(hue), CHROMA * math.sin(hue)
    long, middle, short = (
        (light + 0.3963377774 * a + 0.2158037573 * b) ** 3,
        (light - 0.1055613458 * a - 0.0638541728 * b) ** 3,
        (light - 0.0894841775 * a - 1.2914855480 * b) ** 3,
    )
    linear = (
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    )
    parts = [12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055 for part in linear]
    return "#" + "".join(f"{round(255 * min(max(part, 0.0), 1.0)):02x}" for part in parts)


def looks(symbols: Sequence[str], start: Sequence[str], players: Sequence[str], moves: Sequence[Any]) -> list[Look]:
    """The look of each symbol, chosen from what the rules do with it.

    >>> [look.shape for look in looks(".XO", ".........", "XO", [])]
    ['none', 'cross', 'ring']

    Args:
        symbols: The symbols.
        start: The symbol of each cell at the start.
        players: The names of the players.
        moves: The moves, as `Rules.to_data` has them.
    """
    flips = _flips(symbols, moves)
    blank = None if flips else empty(symbols, start, moves)
    others = [symbol for symbol in symbols if symbol != blank]
    if flips and not any(symbol.isalnum() for symbol in symbols):
        return [Look("disk", "", colour, colour) for colour in ("white", "black")]
    if others and all(symbol in ROUND for symbol in others) and len(others) == 1:
        piece = Look("disk", "", "blue", "piece")
        return [Look("none", name="empty") if symbol == blank else piece for symbol in symbols]
    # If all tiles differ, they all get one colour: there are not enough colours, and their texts show which is which.
    same = len(others) > len(CLASSES) or (len(set(start)) == len(start) and not players)
    found = []
    for symbol in symbols:
        if symbol == blank:
            found.append(Look("none", name="empty"))
            continue
        colour = "plain" if same else CLASSES[others.index(symbol)]
        if symbol in players and symbol in ("X", "x"):
            found.append(Look("cross", "", MARKS[0]))
        elif symbol in players and symbol in ("O", "o"):
            found.append(Look("ring", "", MARKS[1]))
        else:
            found.append(Look("disk" if symbol in players else "tile", symbol, colour, spoken(symbol)))
    return found


def spoken(symbol: str) -> str:
    """The name of a sign for screen readers; empty for letters and numbers, which can be read aloud themselves.

    >>> spoken("$"), spoken("a1")
    ('dollar sign', '')
    """
    return unicodedata.name(symbol, "").lower() if len(symbol) == 1 and not symbol.isalnum() else ""


def _flips(symbols: Sequence[str], moves: Sequence[Any]) -> bool:
    """Returns `True` if there are two symbols, and all moves turn cells over from one to the other."""
    over = {symbols[0]: symbols[1], symbols[1]: symbols[0]} if len(symbols) == 2 else {}
    return bool(over and moves) and all(
        isinstance(source, dict) and source["copy"] == cell and source["map"] == over
        for move in moves
        for cell, source in move["then"]
    )


def empty(symbols: Sequence[str], start: Sequence[str], moves: Sequence[Any]) -> str | None:
    """The symbol of a cell in which nothing is; `None` if the rules show none.

    Four kinds of symbols mean nothing: one with a name such as `.`; the blank that changes places with any neighbour;
    one that fills the whole start and is overwritten by several others; and the one that all pieces leave behind.

    >>> empty("012", "012", [{"when": ((0, ("0",)),), "then": [(0, {"copy": 1, "map": {}})]}])
    '0'
    """
    for symbol in symbols:
        if symbol in EMPTY:
            return symbol
    guards = [dict(move["when"]) for move in moves]
    for symbol in symbols:
        # A blank exists once. The guard of each move wants it in one cell, and says nothing of any other cell.
        blank = (symbol,)
        if moves and list(start).count(symbol) == 1 and all(list(guard.values()) == [blank] for guard in guards):
            return symbol
    put = {source for move in moves for _, source in move["then"] if isinstance(source, str)}
    copied = any(not isinstance(source, str) for move in moves for _, source in move["then"])
    if len(set(start)) == 1 and start[0] not in put and len(put) > 1 and not copied:
        return start[0]
    left = [_left_behind(move, guard) for move, guard in zip(moves, guards, strict=True)]
    for symbol in symbols:
        # If every move writes one certain symbol into some cell, pieces leave that symbol behind, such as `o` in a yard
        # of cars.
        if left and all(symbol in some for some in left) and list(start).count(symbol) > 1:
            others = [other for other in symbols if other != symbol and all(other in some for some in left)]
            if not others:
                return symbol
    return None


def _left_behind(move: Any, guard: Mapping[int, tuple[str, ...]]) -> set[str]:  # noqa: ANN401 - plain data
    """The symbols that a move writes into a cell that held another symbol."""
    return {
        source for cell, source in move["then"] if isinstance(source, str) and guard.get(cell, (source,)) != (source,)
    }
