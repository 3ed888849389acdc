"""PNG and GIF: the pictures show the states asked for; if the extra is missing, one sentence says what to do."""

import sys
from io import BytesIO
from itertools import pairwise
from xml.etree import ElementTree

import pytest
import resvg_py
from PIL import Image

import puzzlekit
from puzzlekit import LimitError, UsageError
from puzzlekit.draw import pixels
from puzzlekit.view.looks import Look

SVG = "{http://www.w3.org/2000/svg}"
SIDE, MARGIN = 48, 6
ROTATION = puzzlekit.load("rotation")


def colours(image, zoom=2):
    """The colours in the upper left corners of the nine cells of a board, inside the rim of a cell that has changed."""
    inside = [round(zoom * (MARGIN + SIDE * at + 9)) for at in range(3)]
    return [image.convert("RGB").getpixel((x, y)) for y in inside for x in inside]


def expected(state):
    view = ROTATION.view()
    looks = dict(zip(view.symbols, view.looks, strict=True))
    fills = {symbol: fill_of(look) for symbol, look in looks.items()}
    return [fills[symbol] for symbol in state.replace("/", "")]


def fill_of(look: Look):
    """The colour of a tile as it is drawn."""
    drawn = str(ROTATION.picture("123/456/789"))
    for group in ElementTree.fromstring(drawn).iter(f"{SVG}g"):
        parts = list(group)
        for before, after in pairwise(parts):
            if after.tag == f"{SVG}text" and after.text == look.text and before.get("fill", "").startswith("#"):
                return tuple(bytes.fromhex(before.get("fill")[1:]))
    raise AssertionError(look)


def alike(found, wanted):
    """Colours of a GIF are among 256, which are a little off."""
    return all(
        abs(one - other) <= 4 for pair in zip(found, wanted, strict=True) for one, other in zip(*pair, strict=True)
    )


def test_a_png_shows_the_state(command, tmp_path):
    file = tmp_path / "board.png"
    told = command("draw", "rotation", "213/456/789", "--to", str(file))
    assert (told.code, told.out, told.err) == (0, f"{file}: 1 picture of rotation\n", "")
    with Image.open(file) as image:
        assert (image.format, image.size) == ("PNG", (312, 312))
        assert colours(image) == expected("213/456/789")
        assert colours(image) != expected("123/456/789")


def test_a_gif_shows_each_state_after_the_other(command, tmp_path):
    file = tmp_path / "way.gif"
    told = command("draw", "rotation", "213/456/789", "--moves", "B B D", "--pace", "0.3", "--to", str(file))
    assert (told.code, told.out) == (0, f"{file}: 4 pictures of rotation\n")
    state, states = "213/456/789", ["213/456/789"]
    for move in "BBD":
        state = ROTATION.apply(state, move)
        states.append(state)
    with Image.open(file) as film:
        assert (film.format, film.n_frames, film.info["loop"]) == ("GIF", 4, 0)
        for place, shown in enumerate(states):
            film.seek(place)
            assert film.info["duration"] == (300 if place < 3 else 2000)
            assert alike(colours(film), expected(shown)), shown


def test_a_strip_is_saved_as_a_film_and_a_plot_as_png(command, tmp_path):
    puzzlekit.strip(ROTATION, "213/456/789", "BBB").save(tmp_path / "a.GIF")
    puzzlekit.strip(ROTATION, "213/456/789", "BBB").save(tmp_path / "a.png")
    with Image.open(tmp_path / "a.GIF") as film, Image.open(tmp_path / "a.png") as whole:
        assert film.n_frames == 4
        assert whole.width > 4 * film.width - 100
    assert command("enumerate", "slider:2,2", "--plot", str(tmp_path / "plot.png")).code == 0
    with Image.open(tmp_path / "plot.png") as plot:
        assert (plot.format, len(plot.convert("RGB").getcolors(10**6)) > 2) == ("PNG", True)


def test_letters_are_drawn_on_a_machine_without_fonts(monkeypatch):
    """Without a font, resvg leaves out letters, and says nothing. Pillow's own one is there."""
    drawn, render = str(ROTATION.picture("123/456/789")), resvg_py.svg_to_bytes

    def without_fonts(**given):
        return render(**given, skip_system_fonts=True)

    blank = Image.open(BytesIO(without_fonts(svg_string=drawn, zoom=2.0))).convert("RGB")
    monkeypatch.setattr(resvg_py, "svg_to_bytes", without_fonts)
    written = Image.open(BytesIO(pixels.png(drawn))).convert("RGB")
    assert colours(blank) == colours(written)
    middles = [2 * (MARGIN + SIDE * at) for at in range(3)]
    boxes = [(x + 30, y + 30, x + 66, y + 66) for y in middles for x in middles]
    assert all(len(blank.crop(box).getcolors()) == 1 for box in boxes)
    assert all(len(written.crop(box).getcolors()) > 1 for box in boxes)


def test_very_large_pictures_have_smaller_cells_or_are_refused(monkeypatch):
    drawn = str(ROTATION.picture("123/456/789"))
    monkeypatch.setattr(pixels, "MOST_PIXELS", 156 * 156)
    assert Image.open(BytesIO(pixels.png(drawn))).size == (156, 156)
    monkeypatch.setattr(pixels, "MOST_PIXELS", 1000)
    with pytest.raises(LimitError, match=r"would have 1,521 pixels at the least, and 1,000 may be; give \.svg"):
        pixels.png(drawn)
    monkeypatch.setattr(pixels, "MOST_PIXELS_IN_ALL", 1000)
    with pytest.raises(LimitError, match="give fewer moves"):
        pixels.gif([drawn, drawn], 1)
    with pytest.raises(UsageError, match=r"the pace of a GIF is 0 seconds; give 0\.02 to 60"):
        pixels.gif([drawn], 0)


@pytest.mark.parametrize("missing", ["resvg_py", "PIL"])
def test_without_the_extra_a_sentence_says_what_to_install(missing, command, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, missing, None)
    for name in ("a.png", "a.gif"):
        told = command("draw", "rotation", "--to", str(tmp_path / name))
        assert (told.code, told.out) == (2, "")
        assert told.err == (
            "puzzlekit: error: PNG and GIF need resvg-py and Pillow; install them with pip install "
            '"puzzlekit-core[pictures]", or give a file that ends in .svg\n'
        )
        assert not (tmp_path / name).exists()
    assert command("draw", "rotation", "--to", str(tmp_path / "a.svg")).code == 0


def test_other_kinds_and_places_are_refused(command, tmp_path):
    told = command("draw", "rotation", "--to", "a.jpg")
    assert (told.code, "--to is a.jpg; give a file that ends in .svg, .png or .gif" in told.err) == (2, True)
    told = command("draw", "rotation", "--to", str(tmp_path / "none" / "a.png"))
    assert (told.code, "cannot be written: No such file or directory" in told.err) == (1, True)
