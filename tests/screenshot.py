"""Writes the pictures of the page that the README and its page show; `python -m tests.screenshot`, with chromium.

The moving one needs Pillow, which nothing else needs: `uv run --with pillow python -m tests.screenshot`.
"""

from __future__ import annotations

import io

from playwright.sync_api import sync_playwright

from tests import browsers, web

MOVING = web.ROOT / "docs" / "pictures" / "page.gif"
PICTURE = web.ROOT / "docs" / "pictures" / "page.png"
SIZE = {"width": 1200, "height": 760}


# The part of the page that moves, and its size in the moving picture.
CLIP = {"x": 15, "y": 125, "width": 550, "height": 535}
SHOWN = (440, 428)

# The moments of a motion that are frames, in milliseconds, and how long each frame stays.
MOMENTS, STAYS, RESTS = (50, 100), 50, 420

# Holds all motions at a moment, so that a slow machine takes the same frames.
HOLD = "t => document.getAnimations().forEach(motion => { motion.pause(); motion.currentTime = t; })"
FINISH = "() => document.getAnimations().forEach(motion => motion.finish())"


def picture(driver) -> None:
    """Makes two presses on a board of FlipIT, asks for a hint, and takes the picture."""
    with web.serving("flipit") as served:
        browser = driver.chromium.launch(executable_path=browsers.find_browser(), args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, reduced_motion="reduce")
        player = browsers.Player(page, served).open("flipit", "#daily=2026-11-22")
        for move in player.solution()["moves"][:2]:
            player.click(move)
        page.locator("#hint2").click()
        player.settle()
        page.locator("#counts").get_by_text("The fewest: 3.").wait_for()
        page.mouse.move(0, 0)
        page.screenshot(path=PICTURE)
        browser.close()


def moving_picture(driver) -> None:
    """Solves a board of Rotation, and keeps each turn as a few frames of a GIF."""
    from PIL import Image

    frames: list[tuple[bytes, int]] = []
    with web.serving("rotation") as served:
        browser = driver.chromium.launch(executable_path=browsers.find_browser(), args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, reduced_motion="no-preference")
        player = browsers.Player(page, served).open("rotation", "#daily=2026-11-22")

        def shoot(stays: int) -> None:
            frames.append((page.screenshot(clip=CLIP), stays))

        shoot(3 * RESTS)
        for move in player.solution()["moves"]:
            player.click(move)
            for moment in MOMENTS:
                page.evaluate(HOLD, moment)
                shoot(STAYS)
            page.evaluate(FINISH)
            shoot(RESTS)
        frames[-1] = (frames[-1][0], 6 * RESTS)
        browser.close()
    pictures = [Image.open(io.BytesIO(data)).convert("RGB").resize(SHOWN) for data, _ in frames]
    colours = pictures[0].quantize(48)  # the same for all, so that a frame holds only what has changed
    images = [each.quantize(palette=colours, dither=Image.Dither.NONE) for each in pictures]
    images[0].save(
        MOVING, save_all=True, append_images=images[1:], duration=[stays for _, stays in frames], loop=0, optimize=True
    )


def main() -> None:
    """Writes both pictures."""
    with sync_playwright() as driver:
        picture(driver)
        moving_picture(driver)


if __name__ == "__main__":
    main()
