"""Pictures of pixels, made from SVG: PNG, and GIF that shows one picture after another. They need the extra `pictures`.

resvg renders the SVG and Pillow writes the GIF; docs/adr/0004 says why these two.
"""

from __future__ import annotations

import math
import os
import re
from importlib.util import find_spec
from io import BytesIO
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from puzzlekit.errors import LimitError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from PIL.Image import Image

ZOOM = 2.0
"""The pixels for each unit of an SVG, in each direction: a cell has 96, which is sharp on most screens."""

LEAST_ZOOM = 0.25
"""The fewest pixels for each unit: a cell has 12. In a smaller cell, no number could be read."""

MOST_PIXELS = 60_000_000
"""The most pixels of a picture: 240 MB while it is made. Beyond some gigabytes resvg would end the process."""

MOST_PIXELS_IN_ALL = 400_000_000
"""The most pixels of all pictures of a GIF together, which Pillow holds until the file is written."""

HELD = 2.0
"""A GIF shows its last picture for this many seconds, or for the usual pace if that is longer. Then it begins again."""

COLOURS = 255
"""The most colours of each picture of a GIF. Their numbers are 0 to 254; 255 marks a pixel that does not change."""

_SIDES = re.compile(r'^<svg [^>]*\bwidth="([\d.]+)" height="([\d.]+)"')


def is_installed() -> bool:
    """Returns `True` if the extra `pictures` is installed."""
    return all(find_spec(name) for name in ("resvg_py", "PIL"))


def png(svg: str) -> bytes:
    """A picture as PNG.

    Raises:
        LimitError: It is too large.
        UsageError: The extra `pictures` is not installed.
    """
    return next(_rendered([svg], _zoom(svg, MOST_PIXELS, ".svg")))


def gif(svgs: Sequence[str], pace: float) -> bytes:
    """Pictures of one size as GIF, which shows each for `pace` seconds, and begins again at the end.

    Raises:
        LimitError: They are too large, or too many.
        UsageError: The extra `pictures` is not installed, or the pace makes no sense.
    """
    if not 0.02 <= pace <= 60:
        raise UsageError(f"the pace of a GIF is {pace:g} seconds; give 0.02 to 60")
    zoom = _zoom(svgs[0], min(MOST_PIXELS, MOST_PIXELS_IN_ALL // len(svgs)), "fewer moves")
    each = round(1000 * pace)
    first, *others = map(_in_colours, _rendered(svgs, zoom))
    file = BytesIO()
    first.save(
        file,
        "GIF",
        save_all=True,
        append_images=others,
        duration=[each] * len(others) + [max(each, round(1000 * HELD))],
        loop=0,
    )
    return file.getvalue()


def _zoom(svg: str, pixels: int, instead: str) -> float:
    """The pixels across a unit of an SVG, if a picture may have `pixels` at most. An error suggests `instead`."""
    sides = _SIDES.match(svg)
    assert sides is not None, "puzzlekit's own pictures say how large they are"
    wide, high = map(float, sides.groups())
    zoom = min(ZOOM, math.sqrt(pixels / (wide * high)))
    if zoom < LEAST_ZOOM:
        raise LimitError(
            f"the picture would have {wide * high * LEAST_ZOOM**2:,.0f} pixels at the least, and {pixels:,} may be; "
            f"give {instead}"
        )
    return zoom


def _rendered(svgs: Sequence[str], zoom: float) -> Iterator[bytes]:
    """SVGs as PNGs. If the machine has no font that an SVG names, its texts get the font that comes with Pillow."""
    try:
        import resvg_py
        from PIL import ImageFont
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("resvg_py", "PIL"):
            raise
        raise UsageError(
            'PNG and GIF need resvg-py and Pillow; install them with pip install "puzzlekit-core[pictures]", '
            "or give a file that ends in .svg"
        ) from None
    font = ImageFont.load_default(10)
    with TemporaryDirectory(prefix="puzzlekit-") as folder:
        files, family = [], None
        if isinstance(font, ImageFont.FreeTypeFont) and isinstance(font.path, BytesIO):
            files, family = [os.path.join(folder, "font.ttf")], font.getname()[0]
            with open(files[0], "wb") as file:
                file.write(font.path.getvalue())
        for svg in svgs:
            yield resvg_py.svg_to_bytes(
                svg_string=svg, zoom=zoom, font_files=files, sans_serif_family=family, serif_family=family
            )


def _in_colours(rendered: bytes) -> Image:
    """A PNG as a picture of at most `COLOURS` colours, without dithering."""
    from PIL import Image

    with Image.open(BytesIO(rendered)) as whole:
        return whole.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
