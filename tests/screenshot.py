"""Writes the picture of the page that the README shows; `python -m tests.screenshot` does it, with chromium."""

from __future__ import annotations

from playwright.sync_api import sync_playwright

from tests import browsers, web

PICTURE = web.ROOT / "docs" / "pictures" / "page.png"
SIZE = {"width": 1000, "height": 790}


def main() -> None:
    """Makes two presses on a board of FlipIT, asks for a hint, and takes the picture."""
    with web.serving("flipit") as served, sync_playwright() as driver:
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


if __name__ == "__main__":
    main()
