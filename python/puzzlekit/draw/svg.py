"""The elements of an SVG: every text is escaped, and numbers are short."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from puzzlekit.errors import PuzzlekitError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike

Element = ElementTree.Element

FONT = "system-ui, 'DejaVu Sans', sans-serif"
INK = "#111111"
PAPER = "#ffffff"

PACE = 0.7
"""The seconds for which a GIF shows each state, if the caller does not say; `puzzlekit draw` has the same number."""

# Characters that XML 1.0 cannot hold, even escaped: most control characters, surrogates, U+FFFE and U+FFFF.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def number(value: float) -> str:
    """A length as SVG writes it, with at most two digits after the point.

    >>> number(12.0), number(1 / 3)
    ('12', '0.33')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".").replace("-0", "-0" if round(value, 2) else "0")


def clean(text: str) -> str:
    r"""A text that XML can hold. A mark for a lost character replaces each character that it cannot hold.

    >>> clean("a\x00b")
    'a\ufffdb'
    """
    return _FORBIDDEN.sub("\ufffd", text)


def element(tag: str, text: str = "", /, **attributes: str | float) -> Element:
    """An element. A `_` in the name of an attribute becomes `-`, and one at the end is left out, as in `class_`.

    >>> shown(element("text", "<&", x=1.5, font_size=2, class_="a"))
    '<text x="1.5" font-size="2" class="a">&lt;&amp;</text>'
    """
    made = ElementTree.Element(tag)
    for name, value in attributes.items():
        written = clean(value) if isinstance(value, str) else number(value)
        made.set(name.rstrip("_").replace("_", "-"), written)
    if text:
        made.text = clean(text)
    return made


def group(*children: Element, **attributes: str | float) -> Element:
    """An element that holds others, and gives its attributes to all of them."""
    made = element("g", **attributes)
    made.extend(children)
    return made


def words(text: str, x: float, y: float, size: float, **attributes: str | float) -> Element:
    """A text with its middle at `x` and `y`."""
    about: dict[str, str | float] = {"text_anchor": "middle", "fill": INK, **attributes}
    return element("text", text, x=x, y=y + 0.35 * size, font_size=size, **about)


def document(width: float, height: float, title: str, *children: Element) -> Element:
    """A whole picture, with its title for people who do not see it."""
    box = " ".join(map(number, (0, 0, width, height)))
    made = element(
        "svg", xmlns="http://www.w3.org/2000/svg", viewBox=box, width=width, height=height, role="img", font_family=FONT
    )
    made.append(element("title", title))
    made.append(element("rect", width=width, height=height, fill=PAPER, class_="paper"))
    made.extend(children)
    return made


def shown(made: Element) -> str:
    """An element as text."""
    return ElementTree.tostring(made, encoding="unicode")


def check_file(path: str) -> None:
    """Refuses a place that holds something else than a file, such as a named pipe, whose reader may never come.

    Raises:
        PuzzlekitError: Such a thing is there.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        raise PuzzlekitError(f"{path} is there already and is no file; give another name")


class Picture:
    """A picture as SVG. Jupyter shows it; `str` gives its text, and `save` writes it to a file, also as PNG or GIF.

    >>> import puzzlekit
    >>> picture = puzzlekit.load("rotation").picture("213/456/789")
    >>> str(picture)[:5], picture
    ('<svg ', <Picture of rotation: 213/456/789>)
    """

    def __init__(self, svg: str, name: str = "", frames: Callable[[], Sequence[str]] | None = None) -> None:
        self.svg = svg
        self._name = name
        self._frames = frames or (lambda: [svg])

    def __str__(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Picture of {self._name}>"

    def _repr_svg_(self) -> str:
        """The picture as Jupyter shows it."""
        return self.svg

    def save(self, path: str | PathLike[str], pace: float = PACE) -> None:
        """Writes the picture to a file.

        Args:
            path: The file. If it ends in `.png` or `.gif`, that is what it becomes (extra `pictures`); else SVG. In a
                GIF the states of a strip follow each other.
            pace: For how many seconds a GIF shows each state.

        Raises:
            LimitError: The picture is too large for pixels.
            PuzzlekitError: The file cannot be written.
            UsageError: The extra `pictures` is missing, or the pace makes no sense.
        """
        check_file(os.fspath(path))
        data = self._as_file(os.fspath(path).lower(), pace)
        try:
            with open(path, "wb") as file:
                file.write(data)
        except (OSError, ValueError) as error:  # the second one for a null character in the path
            reason = getattr(error, "strerror", None) or error
            raise PuzzlekitError(f"{path!s} cannot be written: {reason}; give another file") from error

    def _as_file(self, name: str, pace: float) -> bytes:
        from puzzlekit.draw import pixels

        if name.endswith(".png"):
            return pixels.png(self.svg)
        if name.endswith(".gif"):
            return pixels.gif(self._frames(), pace)
        return f"{self.svg}\n".encode()
