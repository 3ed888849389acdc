"""Boards in characters, for terminals: lines between cells, and a character or a word for each symbol.

A board is made of glyphs, which have colours. It can be read without the colours, too.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING

from puzzlekit.view.joins import joined_sides
from puzzlekit.view.layout import LINES as DRAWN_LINES
from puzzlekit.view.looks import DARK, PILED, Look

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence

    from puzzlekit.view.captions import Caption
    from puzzlekit.view.layout import Spot
    from puzzlekit.view.view import View

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
LINES = " ╵╷│╴┘┐┤╶└┌├─┴┬┼"
"""The characters of lines, by the directions in which lines leave a place: `LINES[UP | RIGHT]` is a corner."""

SIGNS = {"cross": "X", "ring": "O", "lamp": "*", "wall": "#", "box": "■", "person": "@", "tile": "■"}
"""The characters of looks that have no text."""

LEAST_WIDTH = 3
WIDEST_LABEL = 16
"""Cells are made as wide as their labels, up to this many characters. A label that does not fit is left out."""

WIDEST_GAP = 4.0
"""The largest distance between columns or rows of cells, in cells. Wider gaps are shown as wide as this."""

HOLE = "░"
"""The character that fills a hole with cells all around it, which would look like an empty cell."""

MOST_PLACES = 2**16
"""On a board of more places than this, with its holes, no holes are filled."""

HIGH = 2
"""A row of cells takes this many lines of a terminal: one for the cells, and one for the frame below them."""

INK, PAPER, MARKED, LINE, BUTTON = "#111111", "#e4dcc8", "#ffe08a", "#7a7262", "#bdeaf5"


@dataclass(frozen=True)
class Glyph:
    """Characters of one colour.

    Attributes:
        text: The characters.
        ink: The colour of the characters as `#rrggbb`; empty for that of the terminal.
        paper: The colour behind the characters; empty for that of the terminal.
    """

    text: str
    ink: str = ""
    paper: str = ""


def board(
    view: View, state: str, moves: Iterable[str] = (), names: Mapping[int, str] = MappingProxyType({})
) -> list[list[Glyph]]:
    """A state line by line, for a terminal.

    >>> import puzzlekit
    >>> print(plain(board(puzzlekit.load("rotation").view(), "213/456/789")))
    ┌───┬───┬───┐
    │ 2 │ 1 │ 3 │
    ├───A───B───┤
    │ 4 │ 5 │ 6 │
    ├───C───D───┤
    │ 7 │ 8 │ 9 │
    └───┴───┴───┘

    Args:
        view: The view.
        state: The state, as puzzlekit writes it.
        moves: The moves that led to it, if they are to be marked.
        names: For some cells, the name of the move that is made there. An empty cell shows the name.
    """
    symbols, _ = view.read(state)
    if view.spots[0].shape == "stack":
        return _piles(view, symbols)
    marked = set(view.marked(moves))
    looks = dict(zip(view.symbols, view.looks, strict=True))
    canvas = _Canvas(view)
    joined = joined_sides(view.joins, view.spots, symbols) if canvas.framed else {}
    if canvas.framed:
        for spot in view.spots:
            canvas.frame(spot, joined.get(spot.cell, ()))
            canvas.label(spot)
        for x, y in _enclosed(view.spots):
            canvas.hole(x, y)
    for spot, symbol in zip(view.spots, symbols, strict=True):
        if spot.shape in DRAWN_LINES:
            canvas.line(spot, looks[symbol], names.get(spot.cell, ""))
            continue
        canvas.bridge(spot, looks[symbol], joined.get(spot.cell, ()))
        around = "[]" if spot.cell in marked else "()" if spot.cell in view.targets else ""
        canvas.fill(spot, looks[symbol], around, names.get(spot.cell, ""))
    for gesture in view.gestures:
        if gesture.kind == "point":
            canvas.point(gesture.x or 0, gesture.y or 0, gesture.label)
    for caption in view.captions:
        canvas.beside(caption)
    return canvas.lines()


def _enclosed(spots: Sequence[Spot]) -> list[tuple[float, float]]:
    """The middles of the holes of a grid that have cells all around them."""
    left, top = min(spot.x for spot in spots), min(spot.y for spot in spots)
    cells = {(round(spot.x - left), round(spot.y - top)) for spot in spots}
    wide, high = max(x for x, _ in cells) + 1, max(y for _, y in cells) + 1
    if len(cells) == wide * high or wide * high > MOST_PLACES:
        return []
    outside = [(-1, -1)]  # and all places that can be reached from there without crossing a cell
    seen = {*cells, *outside}
    for x, y in outside:
        for beside in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)):
            if beside not in seen and -1 <= beside[0] <= wide and -1 <= beside[1] <= high:
                seen.add(beside)
                outside.append(beside)
    places = ((x, y) for y in range(high) for x in range(wide))
    return [(left + x, top + y) for x, y in places if (x, y) not in seen]


def _piles(view: View, cells: Sequence[str]) -> list[list[Glyph]]:
    """Pieces in piles, one for each symbol. The last cell has the widest piece."""
    piles = [[cell for cell, held in enumerate(cells) if held == symbol] for symbol in view.symbols]
    wide = 2 * len(cells) + 3
    lines = []
    for height in range(len(cells), 0, -1):
        words = [
            ("▄" * (2 * pile[-height] + 3), PILED[pile[-height] % 2]) if len(pile) >= height else ("│", LINE)
            for pile in piles
        ]
        lines.append([Glyph(text.center(wide), ink) for text, ink in words])
    return lines


def plain(lines: Sequence[Sequence[Glyph]]) -> str:
    """The characters of a board without their colours."""
    return "\n".join("".join(glyph.text for glyph in line).rstrip() for line in lines)


def shown(text: str) -> str:
    r"""A text in which each character that could do more on a terminal than show itself is replaced.

    >>> shown("a\x1bb")
    'a\ufffdb'
    """
    return "".join(character if character.isprintable() else "\ufffd" for character in text)


def width(text: str) -> int:
    """The number of columns that a text takes on a terminal.

    >>> width("ab"), width("漢")
    (2, 2)
    """
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


def word(look: Look) -> str:
    """The character or word of a look."""
    if look.text:
        return shown(look.text)
    if look.shape == "disk":
        return "○" if look.colour == "white" else "●"
    return SIGNS.get(look.shape, "")


def squeezed(middles: Sequence[float]) -> Callable[[float], float]:
    """Maps places along one side of a board so that no gap between its cells is wider than `WIDEST_GAP`.

    A board whose cells lie closer stays as it is.

    >>> place = squeezed([0.5, 1.5, 101.5])
    >>> place(0.5), place(1.5), place(101.0), place(101.5)
    (0.5, 1.5, 5.0, 5.5)

    Args:
        middles: Where the middles of the cells lie.
    """
    ordered = sorted(set(middles))
    # All parts of a cell must move as far as its middle. So a wide gap is shortened half way between two cells.
    cuts = [(after, after - before - WIDEST_GAP) for before, after in pairwise(ordered) if after - before > WIDEST_GAP]

    def place(at: float) -> float:
        return at - sum(cut for after, cut in cuts if at > after - WIDEST_GAP / 2 - cut / 2)

    return place


class _Canvas:
    """A board that is drawn on a terminal step by step: methods such as `fill` add to it, `lines` returns it.

    In a grid, neighbours share the line between them. Other boards have no lines: the cells of a ring lie on a circle.
    """

    def __init__(self, view: View) -> None:
        words = [width(word(look)) for look in view.looks]
        # Round buttons lie on the edges of cells, where labels would be.
        has_labels = not any(gesture.kind == "point" for gesture in view.gestures)
        self._labels = {spot.cell: shown(spot.label) for spot in view.spots if has_labels}
        labels = (width(text) for text in self._labels.values())
        self._wide = max(
            LEAST_WIDTH, *(length + 2 for length in words), *(wide for wide in labels if wide <= WIDEST_LABEL)
        )
        left, top = min(spot.x for spot in view.spots), min(spot.y for spot in view.spots)
        self.framed = all(
            spot.shape == "square" and spot.size == 1 and not (spot.x - left) % 1 and not (spot.y - top) % 1
            for spot in view.spots
        )
        # Rows of hexagons lie closer than rows of squares. Each gets a line of its own.
        rows = sorted({spot.y for spot in view.spots})
        hexagons = all(spot.shape == "hexagon" for spot in view.spots)
        self._rows = {y: row for row, y in enumerate(rows)} if hexagons else {}
        if hexagons:
            self._wide += (self._wide + 1) % 2  # odd, so that half of a cell with its line is a whole number of places
        self._across = squeezed([spot.x for spot in view.spots])
        self._down = squeezed([spot.y for spot in view.spots])
        self._lines: dict[tuple[int, int], int] = {}
        self._buttons: dict[int, list[tuple[int, int]]] = {}
        """For each line of the terminal, where its round buttons begin and end."""
        self._glyphs: dict[tuple[int, int], Glyph] = {}

    def _at(self, x: float, y: float) -> tuple[int, int]:
        """Turns a place of the view into a column and a line of the terminal."""
        if self._rows:
            row = self._rows[min(self._rows, key=lambda middle: abs(middle - y))]
            return round(self._across(x) * (self._wide + 1)), row
        return round(self._across(x) * (self._wide + 1)), round(self._down(y) * HIGH)

    def frame(self, spot: Spot, joined: Container[str]) -> None:
        """Draws the edges of a cell, except on the sides on which its tile is joined to the next cell."""
        left, top = self._at(spot.x - 0.5, spot.y - 0.5)
        right, bottom = self._at(spot.x + 0.5, spot.y + 0.5)
        for row, side in ((top, "up"), (bottom, "down")):
            for column in range(left, right + 1) if side not in joined else ():
                self._join(column, row, (LEFT if column > left else 0) | (RIGHT if column < right else 0))
        for column, side in ((left, "left"), (right, "right")):
            for row in range(top, bottom + 1) if side not in joined else ():
                self._join(column, row, (UP if row > top else 0) | (DOWN if row < bottom else 0))

    def label(self, spot: Spot) -> None:
        """Writes the label of a cell into its upper edge, if it is not too long."""
        text = self._labels.get(spot.cell, "")
        if text and width(text) <= self._wide:
            left, top = self._at(spot.x - 0.5, spot.y - 0.5)
            self._glyphs[left + 1 + (self._wide - width(text)) // 2, top] = Glyph(text, LINE, PAPER)

    def bridge(self, spot: Spot, look: Look, joined: Container[str]) -> None:
        """Fills the gap to the right of a cell, or below it, if the tile in the cell goes on in the next cell there."""
        left, row = self._at(spot.x - 0.5, spot.y)
        right, bottom = self._at(spot.x + 0.5, spot.y + 0.5)
        paper = look.fill
        if "right" in joined:
            self._glyphs[right, row] = Glyph(" ", "", paper)
        if "down" in joined:
            self._glyphs[left + 1, bottom] = Glyph(" " * self._wide, "", paper)
        if "right" in joined and "down" in joined:
            self._glyphs[right, bottom] = Glyph(" ", "", paper)

    def _join(self, column: int, row: int, ways: int) -> None:
        self._lines[column, row] = self._lines.get((column, row), 0) | ways

    def fill(self, spot: Spot, look: Look, around: str, name: str = "") -> None:
        """Draws a symbol in a cell, maybe with brackets around it. A marked cell has another colour as well.

        An empty cell has its name instead, if there is one.
        """
        named = bool(name) and look.shape == "none" and width(shown(name)) <= self._wide
        text = shown(name) if named else word(look)
        space = self._wide - width(text)
        before = space // 2
        paper = MARKED if around == "[]" else PAPER
        ink = INK
        if look.shape in ("lamp", "box", "tile") or (look.text and look.shape == "disk"):
            paper, ink = look.fill, look.ink
        elif look.colour in DARK:
            ink = look.fill  # light colours could not be read, and are not needed: shapes differ, too
        if named:
            ink = LINE
        elif not self.framed and look.shape == "none":
            text, before, space = "·", (self._wide - 1) // 2, self._wide - 1
        parts = [" " * before, text, " " * (space - before)]
        if around:
            parts = [around[0] + parts[0][1:], text, parts[2][:-1] + around[1]]
        column, _ = self._at(spot.x - 0.5, spot.y)
        _, row = self._at(spot.x, spot.y)
        self._glyphs[column + 1, row] = Glyph("".join(parts), ink, paper)

    def hole(self, x: float, y: float) -> None:
        """Fills a hole, with its edges to other holes."""
        left, row = self._at(x - 0.5, y)
        self._glyphs[left + 1, row] = Glyph(HOLE * self._wide, LINE)

    def line(self, spot: Spot, look: Look, name: str) -> None:
        """Draws a line between two dots. If the cell is empty, its name stands there."""
        column, row = self._at(spot.x, spot.y)
        (left, top), (right, bottom) = (
            self._at(spot.x + way * spot.size / 2 * across, spot.y + way * spot.size / 2 * down)
            for across, down in [(1, 0) if spot.shape == "across" else (0, 1)]
            for way in (-1, 1)
        )
        self._glyphs[left, top] = self._glyphs[right, bottom] = Glyph("•")
        if look.shape == "none":
            text = shown(name)
            if text:
                self._glyphs[column - (width(text) - 1) // 2, row] = Glyph(text, LINE)
        elif spot.shape == "across":
            self._glyphs[left + 1, row] = Glyph("─" * (right - left - 1))
        else:
            for place in range(top + 1, bottom):
                self._glyphs[column, place] = Glyph("│")

    def point(self, x: float, y: float, label: str) -> None:
        """Draws a round button. Its label covers a part of the frame, and has no ellipsis at its end."""
        column, row = self._at(x, y)
        text = shown(label).removesuffix("…") or "…"
        column -= (width(text) - 1) // 2
        # Two buttons that touch would read as one. The second one is shifted until there is a place between them.
        while any(left - width(text) <= column <= right for left, right in self._buttons.get(row, ())):
            column += 1
        self._buttons.setdefault(row, []).append((column, column + width(text)))
        self._glyphs[column, row] = Glyph(text, INK, BUTTON)

    def beside(self, caption: Caption) -> None:
        """Writes a text beside the cells. It leaves out what would cover something."""
        column, row = self._at(caption.x, caption.y)
        if self._rows:  # rows of hexagons have a line each, and what lies beyond them has the next one
            row += (caption.y > max(self._rows) + 0.5) - (caption.y < min(self._rows) - 0.5)
        text = shown(caption.text)
        column -= width(text) // 2
        taken = [(left, left + width(glyph.text)) for (left, at), glyph in self._glyphs.items() if at == row]
        taken += [(left, left + 1) for left, at in self._lines if at == row]
        if not any(begin < column + width(text) and column < end for begin, end in taken):
            self._glyphs[column, row] = Glyph(text)

    def lines(self) -> list[list[Glyph]]:
        """The lines of the terminal, with all that was drawn."""
        taken: dict[int, list[tuple[int, Glyph]]] = {}
        for (column, row), glyph in self._glyphs.items():
            taken.setdefault(row, []).append((column, glyph))
        frames: dict[int, dict[int, int]] = {}
        for (column, row), ways in self._lines.items():
            frames.setdefault(row, {})[column] = ways
        rows = range(min([*taken, *frames]), max([*taken, *frames]) + 1)
        left = min(column for column, _ in [*self._glyphs, *self._lines])
        return [_line(sorted(taken.get(row, []), key=lambda item: item[0]), frames.get(row, {}), left) for row in rows]


def _line(glyphs: Sequence[tuple[int, Glyph]], frame: dict[int, int], left: int) -> list[Glyph]:
    """One line of a terminal: each glyph at its column, and between the glyphs the frame, from the column `left` on."""
    found: list[Glyph] = []
    column = left

    def fill_to(end: int) -> None:
        nonlocal column
        for place in range(column, end):
            line = LINES[frame.get(place, 0)]
            about = ("", "") if line == " " else (LINE, PAPER)
            if found and (found[-1].ink, found[-1].paper) == about:
                line = found.pop().text + line
            found.append(Glyph(line, *about))
        column = max(column, end)

    for place, glyph in glyphs:
        fill_to(place)
        found.append(glyph)
        column = max(column, place) + width(glyph.text)
    fill_to(max(frame, default=column - 1) + 1)
    return found
