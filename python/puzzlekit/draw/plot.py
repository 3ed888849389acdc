"""Plots of counts: a bar for each depth, in characters for a terminal and as SVG, maybe in several parts.

The length of a bar is proportional to its number: the axis begins at 0 and is linear. A number that is not 0 is always
seen. Parts differ in pattern as well as in colour.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from puzzlekit.draw.svg import INK, Element, Picture, document, element, group, shown, words

if TYPE_CHECKING:
    from collections.abc import Sequence

EIGHTHS = "▏▎▍▌▋▊▉█"
"""Characters that are filled by an eighth, two eighths, and so on. A bar of a single part ends with one of these."""

BLOCKS = "█▒░▓"
"""The characters that bars with several parts are made of: the first one for the first part, and so on."""

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")
"""The colours of parts, which people with any kind of colour vision can distinguish (Okabe and Ito 2008)."""

LEAST_BAR = 10
"""The longest bar has at least this many characters, even if that makes a line longer than the terminal."""

WIDTH, HEIGHT, LEFT, TOP, BOTTOM, RIGHT = 640.0, 300.0, 76.0, 40.0, 46.0, 16.0
MOST_TICKS = 5
LETTER = 7.0
"""The approximate width of a character of the smallest text."""


@dataclass(frozen=True)
class Bar:
    """A bar of a plot, with one number or several.

    Attributes:
        label: What the bar stands for, such as a depth.
        parts: The number of each part.
    """

    label: str
    parts: tuple[int, ...]

    @property
    def total(self) -> int:
        """All parts together."""
        return sum(self.parts)


@dataclass(frozen=True)
class Bars:
    r"""A plot: its bars, and the words at them.

    >>> plot = Bars("four states", "depth", "states", ("states",), (Bar("0", (1,)), Bar("1", (3,))))
    >>> print("\n".join(plot.lines(24)))
    four states
    depth  states
        0       1  ███▍
        1       3  ██████████

    Attributes:
        title: What the plot shows.
        axis: What a bar stands for, such as `depth`.
        unit: What is counted, such as `states`.
        names: What the parts are called.
        bars: The bars.
        beside: Whether the parts of a bar stand beside each other, and not on each other.
    """

    title: str
    axis: str
    unit: str
    names: tuple[str, ...]
    bars: tuple[Bar, ...]
    beside: bool = False

    @property
    def most(self) -> int:
        """The number of the longest bar, or of the longest part if parts stand beside each other; at least 1."""
        lengths = (max(bar.parts, default=0) if self.beside else bar.total for bar in self.bars)
        return max(lengths, default=0) or 1

    def lines(self, columns: int) -> list[str]:
        """The plot in characters.

        Args:
            columns: How many characters a line may have. Labels and numbers are never cut off.
        """
        labels = max(len(self.axis), *(len(bar.label) for bar in self.bars), 0)
        numbers = max(len(self.unit), len(f"{self.most:,}"))
        room = max(LEAST_BAR, columns - labels - numbers - 4)
        found = [self.title]
        if len(self.names) > 1:
            found.append("  ".join(f"{_block(place)} {name}" for place, name in enumerate(self.names)))
        found.append(f"{self.axis:>{labels}}  {self.unit:>{numbers}}")
        for bar in self.bars:
            for place, (number, blocks) in enumerate(self._rows(bar, room)):
                label = bar.label if place == 0 else ""
                found.append(f"{label:>{labels}}  {number:>{numbers},}  {blocks}".rstrip())
        return found

    def _rows(self, bar: Bar, room: int) -> list[tuple[int, str]]:
        """The lines of a bar, each as its number and its characters. Parts beside each other have a line each."""
        if not self.beside:
            return [(bar.total, self._bar(bar, room))]
        shown = [(part, _block(place) * -(-part * room // self.most)) for place, part in enumerate(bar.parts) if part]
        return shown or [(0, "")]

    def _bar(self, bar: Bar, room: int) -> str:
        """A bar in characters. The longest bar of the plot has `room` characters."""
        if len(self.names) == 1:
            eighths = -(-bar.total * room * 8 // self.most)  # rounded up, so that every number but 0 is seen
            return EIGHTHS[-1] * (eighths // 8) + (EIGHTHS[eighths % 8 - 1] if eighths % 8 else "")
        text, so_far = "", 0
        for place, part in enumerate(bar.parts):
            so_far += part
            end = -(-so_far * room // self.most)
            if part:
                text += _block(place) * max(1, end - len(text))
        return text

    def picture(self) -> Picture:
        """The plot as SVG. Pointing at a bar shows its numbers. The largest number stands above its bar."""
        wide = (WIDTH - LEFT - RIGHT) / max(1, len(self.bars))
        high = HEIGHT - TOP - BOTTOM
        made: list[Element] = [
            _patterns(),
            words(self.title, WIDTH / 2, 14, min(14.0, 1.7 * WIDTH / (len(self.title) + 1)), font_weight="600"),
        ]
        for tick in _ticks(self.most):
            y = TOP + high * (1 - tick / self.most)
            made.append(element("path", d=f"M{LEFT:g} {y:.2f}H{WIDTH - RIGHT:g}", stroke="#d8d8d8"))
            made.append(element("text", f"{tick:,}", x=LEFT - 6, y=y + 4, font_size=12, text_anchor="end", fill=INK))
        every = 1 + int(max((len(bar.label) for bar in self.bars), default=1) * LETTER // wide)
        for place, bar in enumerate(self.bars):
            left = LEFT + place * wide
            made.append(self._column(bar, left + wide * 0.1, wide * 0.8, high))
            if place % every == 0:
                made.append(words(bar.label, left + wide / 2, HEIGHT - BOTTOM + 12, 12))
        made.append(
            element("text", self.axis, x=WIDTH - RIGHT, y=HEIGHT - 8, font_size=12, text_anchor="end", fill=INK)
        )
        made.append(element("text", self.unit, x=LEFT - 6, y=TOP - 10, font_size=12, text_anchor="end", fill=INK))
        made += self._legend()
        return Picture(shown(document(WIDTH, HEIGHT, self.title, *made)), self.title)

    def _column(self, bar: Bar, left: float, wide: float, high: float) -> Element:
        """A bar of the SVG, with a tooltip that has its numbers."""
        numbers = [f"{name} {part:,}" for name, part in zip(self.names, bar.parts, strict=True)]
        column = group(element("title", f"{self.axis} {bar.label}: {', '.join(numbers)}"), class_="bar")
        so_far, each = 0, wide / len(self.names) if self.beside else wide
        for place, part in enumerate(bar.parts):
            so_far = part if self.beside else so_far + part
            if part:
                # Every value but 0 is at least one pixel high.
                tall = max(1.0, high * part / self.most)
                top = min(TOP + high * (1 - so_far / self.most), TOP + high - tall)
                x = left + each * place if self.beside else left
                about: dict[str, str | float] = {"x": x, "y": top, "width": each, "height": tall}
                column.extend(element("rect", **about, fill=fill) for fill in _fills(place))
        largest = max(bar.parts, default=0) if self.beside else bar.total
        if largest == self.most:
            column.append(words(f"{largest:,}", left + wide / 2, TOP - 8, 12))
        return column

    def _legend(self) -> list[Element]:
        """The names of the parts, in one line under the bars."""
        if len(self.names) == 1:
            return []
        made: list[Element] = []
        x = LEFT
        for place, name in enumerate(self.names):
            about: dict[str, str | float] = {"x": x, "y": HEIGHT - 18, "width": 12, "height": 12}
            made.extend(element("rect", **about, fill=fill) for fill in _fills(place))
            made.append(element("text", name, x=x + 16, y=HEIGHT - 8, font_size=12, fill=INK))
            x += 30 + LETTER * len(name)
        return made


HATCHES = ("M0 0", "M0 6L6 0", "M0 0L6 6", "M0 3H6", "M3 0V6")
"""The SVG paths of the patterns over the parts of a bar; the first part has an empty one."""


def _block(place: int) -> str:
    return BLOCKS[place % len(BLOCKS)]


def _fills(place: int) -> list[str]:
    """The fills of a part, one over the other: its colour and, except for the first part, a pattern."""
    return [COLOURS[place % len(COLOURS)], f"url(#hatch-{place % len(HATCHES)})"][: 2 if place else 1]


def _patterns() -> Element:
    patterns = []
    for place, path in enumerate(HATCHES):
        pattern = element("pattern", id=f"hatch-{place}", width=6, height=6, patternUnits="userSpaceOnUse")
        pattern.append(element("path", d=path, stroke="#ffffff", stroke_width=1.5))
        patterns.append(pattern)
    made = element("defs")
    made.extend(patterns[1:])
    return made


def _ticks(most: int) -> Sequence[int]:
    """Round numbers at equal distances from 0 up to `most`, at most `MOST_TICKS` besides 0.

    >>> list(_ticks(37)), list(_ticks(1))
    ([0, 10, 20, 30], [0, 1])
    """
    step = 1
    while most // step > MOST_TICKS:
        step = step * 5 // 2 if str(step)[0] == "2" else step * 2
    return range(0, most + 1, step)
