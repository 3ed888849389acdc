"""Drives the page as a person does, with real clicks, drags and keys; the puzzle's view tells each move's gesture."""

import json
import os
import re
import shutil
from collections import Counter
from contextlib import contextmanager
from urllib.parse import unquote

import pytest

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The programs that are looked for. The first has no windows at all, and a new page takes it half the time."""
REQUIRED = "PUZZLEKIT_BROWSER"
"""If this variable is set, as CI does, a browser must be there."""


def find_browser() -> str:
    """The path of the browser. Without a browser, the tests that need one are skipped with a line that says so."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        reason = "there is no chromium, so the page is not tried in a browser; to add it: apt-get install chromium"
        if os.environ.get(REQUIRED):
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason, allow_module_level=True)
    return found


USUAL = {"width": 1100, "height": 900}
"""The size of a window in which a page is tried."""


@contextmanager
def desk(browser):
    """A page that tests share one after another: a page of its own takes each test half a second of the processor.

    It moves nothing, since the frames of a motion cost more than the move. It has no service worker, which would load
    a whole site for each test.
    """
    with browser.new_context(viewport=USUAL, reduced_motion="reduce", service_workers="block") as context:
        context.set_default_timeout(30_000)
        yield context.new_page()


@contextmanager
def visiting(page, served, *, color_scheme="light", viewport=None):
    """A player on a shared page, on which nothing is left of the test before. Any error of the browser is a fault."""
    page.set_viewport_size(viewport or USUAL)
    page.emulate_media(color_scheme=color_scheme, reduced_motion="reduce")
    page.goto(served.still)
    page.evaluate("localStorage.clear()")
    player = Player(page, served)
    try:
        yield player
        assert not player.troubles, player.troubles
    finally:
        player.leave()


def family(moves: list[str]) -> bool:
    """Returns `True` if all names begin with the first one, as the names of the turns of a face do: `U`, `U'`, `U2`."""
    return len(moves) > 1 and all(move.startswith(moves[0]) for move in moves)


class Player:
    """A page on which a puzzle is played."""

    def __init__(self, page, served):
        self.page = page
        self.served = served
        self.troubles = []
        self.listeners = {
            "console": lambda message: self.hear(message.type, message.text, message.location.get("url", "")),
            "pageerror": lambda error: self.troubles.append(str(error)),
        }
        for event, listener in self.listeners.items():
            page.on(event, listener)

    def hear(self, kind, text, url=""):
        """Notes an error or a warning of the browser. That it keeps no site is as the tests want it.

        For a file that names no icon, such as `still`, the browser asks for `/favicon.ico`, which no server here has.
        """
        expected = "Service Worker registration blocked" in text or url.endswith("/favicon.ico")
        if kind in ("error", "warning") and not expected:
            self.troubles.append(f"{text} {url}".strip())

    def leave(self):
        """Leaves the page to the next test: nobody listens any more."""
        for event, listener in self.listeners.items():
            self.page.remove_listener(event, listener)
        self.page.unroute_all(behavior="ignoreErrors")

    # Where we are

    def open(self, puzzle="", link="", path="play"):
        """Goes to a page, and waits until it is ready."""
        self.page.goto(f"{self.served.page(puzzle, path)}{link}")
        if path == "play" and puzzle:
            self.settle()
            self.puzzle = json.loads(self.page.locator("#puzzle").text_content())
        return self

    def settle(self):
        """Waits until the page has all answers that it has asked the server for."""
        self.page.locator("html[data-busy='0']").wait_for(state="attached")
        return self

    def status(self):
        return self.page.locator("#status").text_content()

    def counts(self):
        return self.page.locator("#counts").text_content()

    def link(self):
        return re.sub(r"^[^#]*", "", self.page.url)

    def state(self):
        """The state that the page shows. The server tells it, from the moves in the page's address."""
        return self.moment()["state"]

    def moment(self):
        return self.position()["moment"]

    def position(self):
        """The server's answer to `play` for the state and the moves in the page's address."""
        puzzle = self.puzzle["puzzle"]
        parts = dict(part.split("=", 1) for part in self.link().lstrip("#").split("&") if part)
        moves = [unquote(move) for move in parts.pop("moves", "").split(",") if move]
        label = {name: unquote(value) for name, value in parts.items() if name not in ("second", "opponent")}
        if "state" not in label:
            label = {"state": self.served.ask("scramble", puzzle=puzzle, **label)[1]["state"]}
        status, data = self.served.ask("play", puzzle=puzzle, moves=moves, **label)
        assert status == 200, data
        return data

    def solution(self):
        status, data = self.served.ask("solve", puzzle=self.puzzle["puzzle"], state=self.state())
        assert status == 200, data
        return data

    def more(self):
        """Opens the forms for more boards."""
        self.unfold("more")

    def unfold(self, name):
        """Opens a part of the page that is closed at first."""
        self.page.locator(f"#{name} > summary").click()

    # By mouse

    def cell(self, at):
        return self.page.locator(f"#board [data-cell='{at}']")

    def gesture(self, move):
        """A gesture that makes a move now, and `True` if the move has to be chosen among several of that gesture."""
        for chance in self.position()["chances"]:
            gesture = self.puzzle["view"]["gestures"][chance["gesture"]]
            if move in chance["moves"] and gesture["kind"] != "key":
                same = [
                    each["moves"]
                    for each in self.position()["chances"]
                    if self.alike(self.puzzle["view"]["gestures"][each["gesture"]], gesture)
                ]
                return gesture, len({name for names in same for name in names}) > 1
        raise AssertionError(f"no gesture makes {move}")

    @staticmethod
    def alike(one, other):
        return all(one[name] == other[name] for name in ("kind", "cells", "x", "y", "label"))

    def click(self, move):
        """Makes a move with the mouse."""
        gesture, several = self.gesture(move)
        # A left click makes the first move of a family. A right click asks which move to make.
        button = "right" if several and family(gesture["moves"]) else "left"
        if gesture["kind"] == "press":
            self.cell(gesture["cells"][0]).click(button=button)
        elif gesture["kind"] == "drag":
            (x, y), (to_x, to_y) = (self.middle(cell) for cell in gesture["cells"])
            self.page.mouse.move(x, y)
            self.page.mouse.down()
            self.page.mouse.move((x + to_x) / 2, (y + to_y) / 2)
            self.page.mouse.move(to_x, to_y)
            self.page.mouse.up()
        elif gesture["kind"] == "point":
            self.page.get_by_role("button", name=self.turn(gesture), exact=True).click(button=button)
        else:
            self.page.locator("#buttons").get_by_role("button", name=gesture["label"], exact=True).click()
        if several:
            self.page.locator("#choices").get_by_role("button", name=move, exact=True).click()
        self.settle()

    @staticmethod
    def turn(gesture):
        """The spoken name of a round button."""
        first, *others = gesture["moves"]
        if family(gesture["moves"]):
            return f"Turn {first}; with Shift {others[0]}"
        return f"Turn {gesture['label'] or first}"

    def middle(self, cell):
        box = self.cell(cell).bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    # By keys alone

    def type(self, move):
        """Makes a move with the keyboard: moves the focus to the cell or the button, and presses a key there."""
        gesture, several = self.gesture(move)
        menu = "ContextMenu" if several and family(gesture["moves"]) else ""
        if gesture["kind"] in ("press", "drag"):
            for cell in gesture["cells"][: 2 if gesture["kind"] == "drag" else 1]:
                self.walk(cell)
                self.page.keyboard.press(menu or "Enter")
        else:
            words = self.turn(gesture) if gesture["kind"] == "point" else gesture["label"]
            self.tab(
                f"[document.activeElement.ariaLabel, document.activeElement.textContent].includes({json.dumps(words)})"
            )
            self.page.keyboard.press(menu or "Space")
        if several:
            self.tab(f"document.activeElement.textContent === {json.dumps(move)}")
            self.page.keyboard.press("Enter")
        self.settle()

    def tab(self, until):
        """Presses the tab key until the focus is where it should be."""
        for _ in range(80):
            if self.page.evaluate(until):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"the tab key does not reach {until}")

    def walk(self, cell):
        """Goes to a cell with the arrows."""
        self.tab("document.activeElement.dataset.cell !== undefined")
        spots = self.puzzle["view"]["cells"]
        shift = "Shift+" if any(each["key"].startswith("Arrow") for each in self.puzzle["view"]["gestures"]) else ""
        tried: Counter[tuple[int, str]] = Counter()
        for _ in range(60):
            here = int(self.page.evaluate("document.activeElement.dataset.cell"))
            if here == cell:
                return
            across, down = (spots[cell][way] - spots[here][way] for way in "xy")
            along = {"Right": across, "Left": -across, "Down": down, "Up": -down}
            # Takes the arrow that leads nearest to the cell. If that leads around in a circle, takes another one.
            key = min(along, key=lambda name: (tried[here, name], -along[name]))
            tried[here, key] += 1
            self.page.keyboard.press(f"{shift}Arrow{key}")
        raise AssertionError(f"the arrows do not reach the cell {cell}")
