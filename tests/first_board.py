"""Times how soon a board is there: `python -m tests.first_board`, with chromium and the engine for pages.

Each visit is a new browser with an empty profile, so that nothing is kept from the visit before. The time is from the
call of the address to the first frame that has a board; "window" is the same with the new window.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Playwright, sync_playwright

from tests import browsers
from tests.web import files, gallery, serving

PUZZLES = ("flipit", "rotate", "rotation", "slider", "slider:4,4", "tictactoe")
VISITS = 5

DRAWN = """() => {
  const look = () => {
    if (!document.querySelector("#board svg:not(.room) *")) return requestAnimationFrame(look);
    const frame = new MessageChannel();  // its message comes after the frame is drawn
    frame.port1.onmessage = () => (document.documentElement.dataset.there = performance.now());
    requestAnimationFrame(() => frame.port2.postMessage(0));
  };
  requestAnimationFrame(look);
}"""


def visit(driver: Playwright, address: str) -> tuple[float, float, float]:
    """The seconds until the first paint, the board, and the board with a new window, of somebody who is new."""
    with tempfile.TemporaryDirectory() as profile:
        context = driver.chromium.launch_persistent_context(
            profile, executable_path=browsers.find_browser(), args=["--no-sandbox"], viewport=browsers.USUAL
        )
        context.add_init_script(f"({DRAWN})()")
        begun = time.perf_counter()
        page = context.new_page()
        page.goto(address, wait_until="commit")
        board = float(page.locator("html[data-there]").get_attribute("data-there") or 0)
        whole = time.perf_counter() - begun
        paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")
        context.close()
    return paint / 1e3, board / 1e3, whole


def main() -> None:
    """Prints the tables."""
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(*PUZZLES, *gallery()) as server,
        files(Path(folder), server, PUZZLES) as site,
        sync_playwright() as driver,
    ):
        print(f"{f'seconds, the median of {VISITS}':24} {'paint':>6} {'board':>6} {'window':>6} {'board, fastest':>15}")
        for kind, place in (("server", server), ("folder", site)):
            for puzzle in PUZZLES:
                found = [visit(driver, place.page(puzzle)) for _ in range(VISITS)]
                middle = " ".join(f"{statistics.median(times):6.2f}" for times in zip(*found, strict=True))
                print(f"{kind + ' ' + puzzle:24} {middle} {min(board for _, board, _ in found):15.2f}", flush=True)


if __name__ == "__main__":
    main()
