"""Takes pictures of the page for people who judge its looks: `python -m tests.shots DIR [NAME...]`, with chromium.

Each page, or each that is named, is taken in light and dark, on a desk and on a phone. DIR/README.md says what each
picture shows.
"""

from __future__ import annotations

import datetime
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from playwright.sync_api import sync_playwright

from tests import browsers, web

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DAY = "#daily=2026-11-22"
TURNED = "#state=412%2F653%2F789"
DEVICES = {
    "desk": {"viewport": {"width": 1280, "height": 800}},
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "device_scale_factor": 2,
        "has_touch": True,
        "is_mobile": True,
    },
}


class Shot(NamedTuple):
    """A picture: what it shows, the page, and what is done there before."""

    words: str
    puzzle: str
    link: str = ""
    path: str = "play"
    act: Callable[[browsers.Player], None] | None = None


def begun(count: int) -> Callable[[browsers.Player], None]:
    """Makes the first moves of the shortest solution."""

    def act(player: browsers.Player) -> None:
        for move in player.solution()["moves"][:count]:
            player.click(move)

    return act


def solved(player: browsers.Player) -> None:
    """Solves the board, and shows the card at the end."""
    begun(100)(player)
    player.page.locator("#way li").first.wait_for()
    player.settle()


def reviewed(player: browsers.Player) -> None:
    """Solves the board with a detour, and has the moves judged."""
    player.click("B")
    solved(player)
    player.page.locator("#judge").click()
    player.settle()


def counted(player: browsers.Player) -> None:
    """Counts the states."""
    button = player.page.locator("#count")
    if button.is_visible():
        button.click()
    player.page.locator("#hardest li").first.wait_for()


def hinted(player: browsers.Player) -> None:
    """Makes a move, and asks for the best one."""
    begun(1)(player)
    player.page.locator("#hint3").click()
    player.settle()


def set_up(player: browsers.Player) -> None:
    """Sets up a board: exchanges two pieces."""
    player.more()
    player.page.locator("#edit").click()
    player.settle()
    for cell in (0, 1):
        player.cell(cell).click()
    player.page.locator("#setup-words").get_by_text("The fewest").wait_for()
    player.page.locator("#setup").scroll_into_view_if_needed()


def archived(player: browsers.Player) -> None:
    """Opens the boards of other days, some of which were solved."""
    today = datetime.datetime.now(datetime.UTC).date()
    days = {(today - datetime.timedelta(days=at)).isoformat(): at % 3 + 2 for at in (1, 2, 3, 5, 6, 9, 10, 11, 14, 20)}
    kept = {"flipit": {"solved": len(days), "days": days}}
    player.page.evaluate("(kept) => localStorage.setItem('puzzlekit-played', JSON.stringify(kept))", kept)
    player.page.reload()
    player.settle()
    player.more()
    player.unfold("archive")
    player.page.locator("#days").scroll_into_view_if_needed()


def asked(player: browsers.Player) -> None:
    """Asks for the values of all moves."""
    player.page.locator("#values").check()
    player.page.locator("#board .worth").first.wait_for()


SHOTS = {
    "home": Shot("the first page: what is installed, and some of the gallery", ""),
    "flipit": Shot(
        "FlipIT: today's board, one of three presses made, and the strongest hint", "flipit", DAY, act=hinted
    ),
    "rotate": Shot("Rotate: a board by its seed", "rotate", "#seed=7"),
    "rotation": Shot("Rotation: two turns made", "rotation", TURNED, act=begun(2)),
    "slider": Shot("Slider: the fifteen, mixed; tiles have the colour of their home", "slider:4,4", "#seed=7"),
    "tictactoe": Shot(
        "Tic-tac-toe: the values of all moves",
        "tictactoe",
        "#state=XX.%2FOO.%2F...%3AX",
        act=asked,
    ),
    "hanoi": Shot("Hanoi: disks on stacks, some moves made", "hanoi:disks=4,pegs=3", act=begun(5)),
    "river": Shot("River crossing: counters on two banks, and buttons for moves", "river", act=begun(2)),
    "klotski": Shot("Klotski: blocks with outlines", "klotski"),
    "sokoban": Shot("Sokoban: walls, boxes, the keeper", "sokoban"),
    "pegs": Shot("Peg solitaire: a board with holes", "pegs"),
    "cube3": Shot("The cube: a net, and a body beside it", "cube3", "#seed=7"),
    "connect_four": Shot(
        "Connect four: the values of all columns", "connect_four", "#state=..../..../X.../OXXO%3AO", act=asked
    ),
    "end": Shot(
        "the card at the end of play, with the way", "slider", "#state=1%2C2%2C5%2C3%2C4%2C0%2C6%2C7%2C8", act=solved
    ),
    "review": Shot("the review: what each move has cost", "rotation", TURNED, act=reviewed),
    "edit": Shot("a board that is set up: two pieces have changed places", "rotation", TURNED, act=set_up),
    "archive": Shot("the boards of other days, and which of them were solved", "flipit", act=archived),
    "explore": Shot("Explore: states by depth, and the hardest", "rotation", path="explore", act=counted),
}


SCROLLED = (solved, reviewed, set_up, archived)
"""After these, the page is left where it has scrolled to."""


def main(folder: Path, names: Sequence[str]) -> None:
    """Writes the pictures of these names, or all, and the list of what they show."""
    folder.mkdir(parents=True, exist_ok=True)
    ids = ("flipit", "rotate", "rotation", "slider", "tictactoe")
    lines = ["# Pictures of the page", ""]
    with web.serving(*ids, *web.gallery()) as served, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=browsers.find_browser(), args=["--no-sandbox"])
        for device, options in DEVICES.items():
            for scheme in ("light", "dark"):
                context = browser.new_context(color_scheme=scheme, reduced_motion="reduce", **options)
                player = browsers.Player(context.new_page(), served)
                for name in names or SHOTS:
                    shot = SHOTS[name]
                    player.open(shot.puzzle, shot.link, shot.path)
                    if shot.act:
                        shot.act(player)
                    if shot.act not in SCROLLED:
                        player.page.evaluate("scrollTo(0, 0)")
                    player.page.mouse.move(0, 0)
                    player.page.wait_for_timeout(400)  # figures that are not waited for
                    file = f"{name}-{device}-{scheme}.png"
                    player.page.screenshot(path=folder / file)
                    lines.append(f"- `{file}`: {shot.words} ({device}, {scheme})")
                context.close()
        browser.close()
    (folder / "README.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
