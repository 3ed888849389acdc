"""`puzzlekit site`: the folder that it writes; and its page in a browser, which answers as a server does."""

import datetime
import json
import random
import re
import string
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

import puzzlekit
from puzzlekit import Grid, Puzzle, Rules, cycle
from puzzlekit.errors import PluginError, UsageError
from puzzlekit.run.engine.machine import __version__
from puzzlekit.web.policy import SERVED, WRITTEN
from puzzlekit.web.site import entries, finding
from puzzlekit.web.site.boards import boards
from puzzlekit.web.site.entries import name_of
from puzzlekit.web.site.leaves import leaves
from puzzlekit.web.site.writing import MARK, check_place, write_site
from tests import browsers, web
from tests.test_web_hostile import TEXTS
from tests.test_web_pages import Reader

TODAY = datetime.date(2026, 11, 25)
MAGIC = b"\0asm and more"


@pytest.fixture
def engine(monkeypatch):
    """An engine that cannot compute, for tests of what is written."""
    point = SimpleNamespace(name="engine", dist=None, load=lambda: lambda: MAGIC)
    monkeypatch.setattr(finding, "entry_points", lambda **_: [point])
    return point


# The folder


@pytest.mark.usefixtures("engine")
def test_a_site_is_written(command, tmp_path):
    place = tmp_path / "a" / "site"
    done = command("site", "slider:2,3", "tictactoe", "--to", str(place), "--title", "Our <b>", "--embed", "--json")
    assert (done.code, done.err) == (0, "")
    told = json.loads(done.out)
    assert told["schema"] == "puzzlekit.site/1"
    assert told["pages"]["slider:rows=2,columns=3"] == "play/slider-rows-2-columns-3.html"
    assert "slider:rows=4,columns=4" in told["pages"], "its usual sizes are there, too"
    files = {path.relative_to(place).as_posix(): path for path in place.rglob("*") if path.is_file()}
    mark = json.loads(files.pop(MARK).read_text())
    assert (mark["files"], mark["version"]) == (sorted(files), __version__)
    assert (told["files"], told["bytes"]) == (len(files), sum(path.stat().st_size for path in files.values()))
    assert sum(path.startswith("embed/") for path in files) == len(told["pages"])
    home = files["index.html"].read_text()
    assert "<h1>Our &lt;b&gt;</h1>" in home
    assert home.count("<article") == 2, "the first page has what was named"


@pytest.mark.usefixtures("engine")
def test_links_have_pictures_where_the_address_is_known(command, tmp_path):
    pytest.importorskip("resvg_py")
    place = tmp_path / "site"
    done = command("site", "slider:2,3", "tictactoe", "--to", str(place), "--address", "https://p.example/a")
    assert done.code == 0, done.err
    for path, name in (
        ("index", "slider"),
        ("play/slider-rows-4-columns-4", "slider"),
        ("explore/tictactoe", "tictactoe"),
    ):
        elements = Reader((place / f"{path}.html").read_text()).elements
        shown = [each["content"] for _, each in elements if each.get("property") == "og:image"]
        assert shown == [f"https://p.example/a/pictures/{name}.png"]
        assert (place / "pictures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert "pictures/" not in (place / "service-worker.js").read_text().split("const SITE = ")[1].split("\n")[0]
    done = command("site", "slider:2,3", "--to", str(place), "--address", "javascript:alert(1)")
    assert (done.code, "give one such as https://" in done.err) == (2, True)


@pytest.mark.usefixtures("engine")
def test_addresses_are_relative_and_lead_to_files(command, tmp_path):
    place = tmp_path / "site"
    assert command("site", "flipit", "tictactoe", "river", "skewb", "--to", str(place), "--embed").code == 0
    pages = sorted(place.rglob("*.html"))
    assert len(pages) > 40
    for page in pages:
        read = Reader(page.read_text(encoding="utf-8"))
        named = [value for _, given in read.elements for name, value in given.items() if name in ("href", "src")]
        assert len(named) > 8
        for address in named:
            path = urlsplit(address).path
            assert not re.match(r"\w+:|/", address), (page, address)
            assert not path or (page.parent / path).resolve().is_relative_to(place), (page, address)
            assert not path or (page.parent / path).is_file(), (page, address)
    for script in place.rglob("*.js"):
        assert "/api/" not in script.read_text(encoding="utf-8") or script.name == "ask.js"
    manifest = json.loads((place / "manifest.webmanifest").read_text())
    assert (place / manifest["icons"][0]["src"]).is_file()
    assert (manifest["start_url"], manifest["scope"]) == ("index.html", "./")


def test_scripts_load_what_is_there():
    found = {path for path in leaves([], MAGIC, "x", embed=False) if path.startswith("static/")}
    at = next(iter(found)).rpartition("/")[0]
    folders = (web.ROOT / "python/puzzlekit/web/static", web.ROOT / "python/puzzlekit/web/engine")
    texts = {path.name: path.read_text(encoding="utf-8") for folder in folders for path in folder.glob("*.js")}
    assert len(texts) == sum(len(list(folder.glob("*.js"))) for folder in folders), "no two have one name"
    for name, text in texts.items():
        assert text.startswith("// "), name
        for loaded in re.findall(r"(?:from|import\(|new URL\() ?\"\./([^\"]+)\"", text):
            assert f"{at}/{loaded}" in found or loaded == "", (name, loaded)
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text), (
            name
        )


def test_the_policy_of_files_is_that_of_the_server_and_the_engine():
    assert WRITTEN.split("; ")[0] == "default-src 'none'"
    more = set(WRITTEN.split("; ")) - set(SERVED.split("; "))
    assert more == {"script-src 'self' 'wasm-unsafe-eval'", "worker-src 'self'"}
    assert "unsafe" not in WRITTEN.replace("'wasm-unsafe-eval'", "")


@pytest.mark.usefixtures("engine")
def test_an_older_site_is_replaced_and_nothing_else(command, tmp_path):
    place = tmp_path / "site"
    assert command("site", "rotation", "--to", str(place)).code == 0
    assert command("site", "tictactoe:2,2,2", "--to", str(place)).code == 0
    assert not (place / "play" / "rotation.html").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["site"], "nothing is left beside it"
    (place / "CNAME").write_text("puzzles.example")
    before = sorted(place.rglob("*"))
    done = command("site", "rotation", "--to", str(place))
    assert (done.code, sorted(place.rglob("*"))) == (2, before)
    assert f"{place} holds a site, and CNAME besides, which would be lost" in done.err


@pytest.mark.parametrize(
    ("there", "words"),
    [
        ({"letter.txt": "dear"}, "holds other files, such as letter.txt; give a new or an empty folder"),
        ({MARK: "{}"}, "cannot be read as the list of a site"),
        (None, "is no folder"),
    ],
)
@pytest.mark.usefixtures("engine")
def test_what_is_there_stays(command, tmp_path, there, words):
    place = tmp_path / "place"
    if there is None:
        place.write_text("a file")
    else:
        place.mkdir()
        for name, text in there.items():
            (place / name).write_text(text)
    done = command("site", "rotation", "--to", str(place))
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert place.read_text() == "a file" if there is None else {path.name for path in place.iterdir()} == set(there)


def test_a_site_that_cannot_be_written_leaves_nothing(tmp_path, monkeypatch):
    place = tmp_path / "site"
    write_site(place, {"index.html": b"old"}, {})

    def full(self, content):
        del self, content
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(puzzlekit.DiskError, match="No space left on device; free some space"):
            write_site(place, {"index.html": b"new"}, {})
    assert (place / "index.html").read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["site"]
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", full)
        with pytest.raises(puzzlekit.DiskError):
            write_site(place, {"index.html": b"new"}, {})
    assert (place / "index.html").read_bytes() == b"old"
    (tmp_path / "empty").mkdir()
    check_place(tmp_path / "empty")


@pytest.mark.usefixtures("engine")
def test_a_size_that_takes_for_ever_is_left_out(command, tmp_path):
    done = command("site", str(web.EVIL), "--to", str(tmp_path / "site"))
    assert done.code == 0, done.err
    assert "the size evil:kind=1," in done.err
    assert "is left out" in done.err
    assert command("site", f"{web.EVIL}:4", "--to", str(tmp_path / "other")).code == 2


@pytest.mark.usefixtures("engine")
def test_a_state_that_is_too_wide_for_the_page_is_refused_and_such_a_size_left_out(command, tmp_path, monkeypatch):
    done = command("site", "slider:10,10", "--to", str(tmp_path / "refused"))
    assert done.code == 2
    assert "a state of slider:rows=10,columns=10 takes more than the 256 bits" in done.err
    assert not (tmp_path / "refused").exists()
    monkeypatch.setattr(entries, "WIDEST", 64)
    done = command("site", "slider", "--to", str(tmp_path / "site"))
    assert done.code == 0, done.err
    assert "the size slider:rows=5,columns=5 is left out of the sizes that its page offers: a state of" in done.err
    pages = json.loads((tmp_path / "site" / "puzzlekit-site.json").read_text(encoding="utf-8"))["pages"]
    assert "slider:rows=4,columns=4" in pages
    assert "slider:rows=5,columns=5" not in pages


def test_names_of_files():
    texts = ["a", "a:b=1", "a:b=-1", "a:b=1,c=x", "A", "a:t=<script>", "a:t=../../x", "a:t=日本", "a:" + "x" * 200]
    names = [name_of(text) for text in texts]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9_-]{1,80}", name) for name in names)


# The engine


def test_without_the_engine_it_says_what_to_install(command, tmp_path, monkeypatch):
    monkeypatch.setattr(finding, "entry_points", lambda **_: [])
    done = command("site", "rotation", "--to", str(tmp_path / "site"))
    assert (done.code, list(tmp_path.iterdir())) == (2, [])
    assert 'install it with pip install "puzzlekit-core[site]"' in done.err


def test_an_engine_that_does_not_fit(engine):
    assert finding.find_engine() == MAGIC
    engine.dist = SimpleNamespace(version="0.0.1")
    with pytest.raises(UsageError, match=rf"is of version 0.0.1, and puzzlekit of {re.escape(__version__)}"):
        finding.find_engine()
    engine.dist = None
    engine.load = lambda: lambda: b"something else"
    with pytest.raises(PluginError, match="is no WebAssembly"):
        finding.find_engine()
    engine.load = lambda: lambda: Path("nowhere.wasm").read_bytes()
    with pytest.raises(UsageError, match="make site-engine"):
        finding.find_engine()
    engine.load = lambda: 1 / 0
    with pytest.raises(PluginError, match="ZeroDivisionError"):
        finding.find_engine()


# Boards


@dataclass(frozen=True)
class Plain(Puzzle):
    """Numbers in a ring of four; its boards are drawn by the engine."""

    id = "plain"

    def rules(self):
        return Rules(symbols="1234", start="1234", goal="1234", moves=[cycle(*Grid(1, 4))])


class Same(Plain):
    """Its method makes the same boards as the engine."""

    id = "same"

    def scramble(self, seed=None, *, moves=None, scrambler=None):
        return super().scramble(seed, moves=moves, scrambler=scrambler)


class Own(Plain):
    """It begins with a board of its own."""

    id = "own"

    def scramble(self, seed=None, *, moves=None, scrambler=None):
        del moves, scrambler
        return puzzlekit.ScrambleReport(str(self), "2341", seed, None, "always the same")


def test_boards_are_drawn_by_the_engine_if_it_draws_the_same_ones():
    for kind in (Plain, Same):
        found = boards(kind(), TODAY)
        assert (found.drawn, found.mixed, found.seeds, found.days, found.counted) == (True, True, [], {}, False)
    found = boards(Own(), TODAY)
    assert (found.drawn, found.mixed, set(found.seeds)) == (False, False, {"2341"})
    assert next(iter(found.days)) == "2026-10-16"
    assert found.days["2027-12-30"] == "2341"


def test_boards_that_the_engine_does_not_draw_are_listed():
    flipit = puzzlekit.load("flipit")
    found = boards(flipit, TODAY)
    assert (found.drawn, found.mixed, found.counted) == (False, True, True)
    assert found.seeds[6] == flipit.scramble("7").state
    assert found.days["2026-11-25"] == flipit.daily("2026-11-25").state
    assert boards(puzzlekit.load("rotate"), TODAY).drawn


# In a browser

PUZZLES = {
    "flipit": 40,
    "rotation": 30,
    "rotate": 30,
    "slider": 30,
    "tictactoe": 9,
    "hanoi": 30,
    "river": 12,
    "sokoban": 12,
    "mu_torere": 14,
    "cube2_stickers": 20,
    "connect_four:4,4,4": 12,
    "rush_hour": 12,
    "evil": 9,
    "hexes": 12,
    "chomp": 4,
}
"""Puzzles whose answers are compared, and the most moves of a walk."""

QUICK = ("flipit", "rotation", "tictactoe", "sokoban", "connect_four:4,4,4", "evil", "hexes")
"""Those of the quick run: numbers, turns, two games, walls, markup and hexagons."""


def quickly(names, *quick):
    """Parameters of a test: the quick run takes some of them, and the weekly run all."""
    return [pytest.param(name, marks=() if name in quick else pytest.mark.slow) for name in names if name != "evil"]


FILES = [f"python/puzzlekit/gallery/{name.partition(':')[0]}.py" for name in PUZZLES]
ARGUMENTS = [
    *("flipit", "rotation", "rotate", "slider", "tictactoe", "tests/fixtures/hexes.py", str(web.EVIL)),
    *(path for path in FILES if (web.ROOT / path).exists() and "connect" not in path),
    "python/puzzlekit/gallery/connect_four.py:4,4,4",
]
ONLY_SLOW = {"rotate", "river", "mu_torere", "rush_hour"}
"""The puzzles that no test of the quick run asks for."""


@pytest.fixture(scope="module")
def site(request, tmp_path_factory):
    browsers.find_browser()
    web.find_engine()
    left_out = ONLY_SLOW if web.is_quick(request.session) else ()
    puzzles = [each for each in ARGUMENTS if Path(each).stem not in left_out]
    folder = web.shared(tmp_path_factory, "site")
    with web.serving(*puzzles, **web.FEW) as server, web.files(folder, server, puzzles) as made:
        yield made


@pytest.fixture(scope="module")
def driver():
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as made:
        browser = made.chromium.launch(executable_path=browsers.find_browser(), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def context(driver):
    """A browser of a person who was never here. It keeps the site for times without a network."""
    with driver.new_context(viewport=browsers.USUAL) as made:
        made.set_default_timeout(30_000)
        yield made


@pytest.fixture(scope="module")
def desk(driver):
    with browsers.desk(driver) as page:
        yield page


@pytest.fixture
def player(desk, site):
    with browsers.visiting(desk, site) as made:
        yield made


ASK = """
async ([verb, fields]) => {
  const { ask } = await import(document.querySelector("script[src$='/home.js']").src.replace("home.js", "ask.js"));
  try {
    return [200, await ask(verb, fields)];
  } catch (error) {
    return [400, error.message];
  }
}
"""


@pytest.fixture(scope="module")
def asked(driver, site):
    """Gives a function that asks the engine in the page, and a server: two answers.

    The first page is asked, which knows all puzzles. It stays open, since an engine is started in half a second.
    """
    with browsers.desk(driver) as page:
        page.goto(f"{site.address}/index.html")
        yield lambda verb, **fields: (page.evaluate(ASK, [verb, fields]), site.ask(verb, **fields))


def walk(name, most, seed):
    """The names of some moves from the start of a puzzle, drawn from a seed."""
    path = next((path for path in ARGUMENTS if path.partition(":")[0].endswith(f"/{name.partition(':')[0]}.py")), name)
    puzzle = puzzlekit.load(path)
    state, moves, chance = puzzle.start, [], random.Random(f"{name} {seed}")
    while len(moves) < most and (legal := puzzle.legal_moves(state)):
        moves.append(chance.choice(legal))
        state = puzzle.apply(state, moves[-1])
    return puzzle, state, moves


@pytest.mark.parametrize(
    ("name", "most"),
    [pytest.param(*item, marks=() if item[0] in QUICK else pytest.mark.slow) for item in PUZZLES.items()],
)
def test_the_page_plays_as_a_server(asked, name, most):
    """Along random walks, play stands as on a server: legal moves, gestures, marks, the end, numbers, the text."""
    for seed in range(3):
        puzzle, _, moves = walk(name, most, seed)
        for made in (0, 1, len(moves) // 2, len(moves)):
            (_, page), (_, server) = asked("play", puzzle=str(puzzle), moves=moves[:made], history=True)
            if type(puzzle).board is not Puzzle.board:
                page["board"] = server["board"]
            assert page == server
    (code, page), (status, server) = asked("play", puzzle=str(puzzle), moves=[*moves[:1], "no such move"])
    assert (code, status, page) == (400, 400, f"T{server['error'][1:]}.")
    (_, page), (_, server) = asked("play", puzzle=str(puzzle), state="nonsense")
    assert page.rstrip(".").lower() == server["error"].rstrip(".").lower()


@pytest.mark.parametrize("name", quickly(PUZZLES, "flipit", "slider", "tictactoe", "cube2_stickers"))
def test_the_page_draws_the_boards_of_a_server(asked, name):
    puzzle, _, _ = walk(name, 0, 0)
    for fields in ({"seed": "7"}, {"seed": "12"}, {"daily": "2026-11-25"}, {"seed": "5", "moves": 3}):
        (_, page), (_, server) = asked("scramble", puzzle=str(puzzle), **fields)
        server.pop("scrambler", None)
        assert page["state"] == server.get("state"), (fields, page, server)
        assert (page["cells"], page.get("number")) == (server["cells"], server.get("number"))
    (code, page), _ = asked("scramble", puzzle=str(puzzle), daily="2026-02-30")
    assert (code, page) == (400, '"2026-02-30" is no date; give one as YYYY-MM-DD.')


COMPARED = {
    "fewest": ("fewest", "at_least", "at_most", "solvable"),
    "hint": ("left", "proven", "value", "score"),
    "solve": ("length", "optimal", "value", "score", "best", "lower_bound"),
}
SOLVED = ["flipit", "rotation", "slider", "tictactoe", "hanoi", "river", "mu_torere", "connect_four:4,4,4", "chomp"]


@pytest.mark.parametrize("name", quickly(SOLVED, "rotation", "tictactoe", "hanoi", "chomp"))
def test_the_page_answers_as_a_server(asked, name):
    """Searches of the page find what those of a server find: the fewest moves, values, best moves."""
    for seed in range(2):
        puzzle, state, _ = walk(name, PUZZLES[name] // 2, seed)
        if puzzle.outcome(state) is not None or puzzle.is_solved(state):
            continue
        for verb, names in COMPARED.items():
            if verb == "fewest" and puzzle.engine.is_game:
                continue
            more = {"solver": "optimal"} if verb == "solve" else {}
            (_, page), (_, server) = asked(verb, puzzle=str(puzzle), state=state, **more)
            assert {each: page.get(each) for each in names} == {each: server.get(each) for each in names}
        (_, page), (_, server) = asked("hint", puzzle=str(puzzle), state=state, strength=3)
        if page["move"] == server["move"]:
            assert page == server, "how the move is made by hand"
        (_, page), (_, server) = asked("values", puzzle=str(puzzle), state=state)
        assert page == server
        if puzzle.engine.is_game:
            for skill in ("perfect", "weak"):
                (_, page), (_, server) = asked("reply", puzzle=str(puzzle), state=state, skill=skill, seed="3")
                assert page == server


@pytest.mark.parametrize("name", quickly(["rotation", "slider", "tictactoe", "hanoi", "river"], "slider", "tictactoe"))
def test_the_line_mode_of_the_page_says_what_that_of_a_server_says(asked, name):
    puzzle, state, moves = walk(name, 2, 1)
    legal = puzzle.legal_moves(state)
    lines = [None, "", "help", "moves", "undo", "restart", "hint 1", "hint 2", "hint", "hint 7", "solve", "show"]
    lines += ["quit", legal[0], legal[0].lower(), " ".join(legal[:1] * 2), "nonsense", f"{legal[0]} nonsense"]
    for line in lines:
        (_, page), (_, server) = asked("words", puzzle=str(puzzle), moves=moves, line=line)
        assert page == server, line


@pytest.mark.parametrize("name", quickly(["tictactoe", "slider", "hanoi", "rotation"], "tictactoe", "hanoi"))
def test_the_page_counts_what_a_server_counts(asked, name):
    puzzle, _, _ = walk(name, 0, 0)
    (_, page), (_, server) = asked("explore", puzzle=str(puzzle))
    page.pop("hardest")
    server.pop("hardest")
    assert page == server


def test_it_works_without_a_network_after_the_first_visit(site, context):
    player = browsers.Player(context.new_page(), site).open("rotation", "#state=412%2F653%2F789")
    kept = "caches.keys().then((names) => names[0] ? caches.open(names[0]).then((all) => all.keys()) : [])"
    for _ in range(200):
        addresses = player.page.evaluate(f"{kept}.then((all) => all.map(({{ url }}) => url))")
        if any(address.endswith("/explore/chomp.html") for address in addresses):
            break
        player.page.wait_for_timeout(100)
    context.set_offline(True)
    player.page.reload()
    player.settle()
    player.page.locator("#counts").get_by_text("The fewest: 6.").wait_for()
    player.page.locator("#hint3").click()
    player.settle()
    assert player.status() == "6 moves left. Turn A."
    player.page.goto(f"{site.address}/")
    player.page.locator("[data-puzzle=tictactoe] h2 a").click()
    player.settle()
    player.cell(4).click()
    player.settle()
    assert player.status().startswith("The opponent plays ")
    player.page.goto(site.page("slider", "explore"))
    player.page.evaluate("document.getElementById('count').click()")  # a busy machine does not count by itself
    player.page.locator("#rows tr").first.wait_for()
    assert player.page.locator("#status").text_content().startswith("181,440 states")
    assert player.troubles == []


def test_a_page_sees_one_version_of_a_site_that_is_replaced(context, tmp_path):
    """Until all tabs are closed, the older version is shown, whole. Pages that only the newer one has are its own."""
    web.find_engine()
    engine, place = finding.find_engine(), tmp_path / "site"
    both = web.shown_on_a_site(["rotation", "hanoi"])

    def write(puzzles, name):
        custom = bytes([0, len(name) + 1, len(name), *name.encode()])  # a section that means nothing to the engine
        write_site(place, leaves(puzzles, engine + custom, name, embed=False), {})
        return next((place / "data").iterdir()).name

    with web.sending(place) as address:
        old = write([each for each in both if each.shown["id"] == "rotation"], "old")
        page, asked = context.new_page(), []

        def hear(request):
            """Notes what a page asks for. A newer service worker, which is made meanwhile, asks for newer files."""
            if request.service_worker is None:
                asked.append(request.url.removeprefix(f"{address}/"))

        context.on("request", hear)

        def versions(path):
            """The versions of all that a page loads, until it knows the fewest moves."""
            asked.clear()
            page.goto(f"{address}/{path}")
            page.locator("html[data-busy='0']").wait_for(state="attached")
            page.locator("#counts").get_by_text(re.compile("fewest: [0-9]")).wait_for()
            return {url.split("/")[1] for url in asked if url.startswith(("static/", "data/"))}

        def keeps(path):
            names = "caches.keys().then((all) => Promise.all(all.map((name) => caches.open(name))))"
            match = f"Promise.all(all.map((each) => each.match('{path}', {{ignoreSearch: true}})))"
            return page.evaluate(f"{names}.then((all) => {match}).then((found) => found.some(Boolean))")

        def until(is_so):
            for _ in range(200):
                if is_so():
                    return
                page.wait_for_timeout(50)
            raise AssertionError(is_so)

        link = "play/rotation.html#state=412%2F653%2F789"
        assert versions(link) == {old}
        until(lambda: keeps(f"{address}/explore/rotation.html"))
        other = context.new_page()
        other.goto(f"{address}/explore/rotation.html")
        new = write(both, "new")
        assert old != new
        page.goto("about:blank")
        assert versions(link) == {old}, "it comes from the browser"
        assert versions("play/hanoi.html") == {new}
        assert not keeps(f"{address}/play/hanoi.html"), "the older version has no such page"
        until(lambda: page.evaluate("navigator.serviceWorker.ready.then((found) => found.waiting !== null)"))
        page.goto("about:blank")
        assert versions(link) == {old}, "another tab shows the older version"
        other.close()

        def is_new():
            nonlocal page
            page.close()
            page = context.new_page()
            return versions(link) == {new}

        until(is_new)


def test_a_board_inside_another_page(site, context):
    """The board is shown without the frame of the page, and played there. A link leads to the page itself."""
    outer = site.folder / "outer.html"
    outer.write_text(
        "<!doctype html><title>Outer</title><iframe title='Slider' width='420' height='600'"
        " src='embed/slider.html#state=1%2C0%2C2%2C3%2C4%2C5%2C6%2C7%2C8'></iframe>"
    )
    page = context.new_page()
    page.goto(f"{site.address}/outer.html")
    board = page.frame_locator("iframe")
    board.locator("html[data-busy='0']").wait_for(state="attached")
    assert board.locator("header").is_hidden()
    assert board.locator("footer").is_hidden()
    assert not board.locator("#archive").is_visible()
    board.locator("[data-cell='0']").click()
    board.locator("#status").get_by_text("Solved in 1 move.").wait_for()
    wide = page.frames[1].evaluate("document.documentElement.scrollWidth")
    assert wide <= 420
    board.get_by_role("link", name="Slider on a page of its own").click()
    page.wait_for_url("**/play/slider.html")
    outer.unlink()


def test_a_page_obeys_its_policy(site, context):
    """A script in the text of a page does not run, whatever writes it there; and nothing is loaded from elsewhere."""
    page = context.new_page()
    said = []
    page.on("console", lambda message: said.append(message.text))
    foreign = []
    page.on("request", lambda request: foreign.append(request.url) if site.address not in request.url else None)
    page.goto(site.page("evil"))
    page.locator("html[data-busy='0']").wait_for(state="attached")
    page.evaluate(
        """() => {
          document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.hit = 1'>");
          const script = document.createElement("script");
          script.textContent = "window.hit = 2";
          document.body.append(script);
        }"""
    )
    page.wait_for_timeout(200)
    assert page.evaluate("window.hit") is None
    assert any("Content Security Policy" in text for text in said)
    # What the test itself evaluates may do more than the page; a timer of the page may not.
    tried = "setTimeout(() => { try { found(eval('1')) } catch (error) { found(error.name) } }, 0)"
    assert page.evaluate(f"new Promise((found) => {tried})") == "EvalError"
    assert page.evaluate("fetch('https://example.org').then(() => 'loaded', () => 'refused')") == "refused"
    assert foreign == []


def test_a_search_is_stopped_and_another_one_begins(site, player):
    """Cancel ends the worker. Play goes on meanwhile, and the next search has a worker of its own."""
    text = next(text for text in site.names if text.startswith("slider:rows=5"))
    player.page.goto(f"{site.address}/play/{site.names[text]}.html#seed=3")
    player.settle()
    player.page.locator("#counts").get_by_text(re.compile(r"The fewest: [0-9]+\+, still counting")).wait_for()
    player.page.locator("#solve").click()
    player.page.locator("#cancel").click()
    player.settle()
    assert player.status() == "Cancelled."
    player.page.locator("#random").click()
    player.settle()
    player.page.locator("#counts").get_by_text("still counting").wait_for()
    for _ in range(100):
        if len(player.page.workers) == 2:  # one for play, and one for the search that runs
            break
        player.page.wait_for_timeout(100)
    assert len(player.page.workers) == 2


def test_an_engine_that_is_not_there_is_told(site, context):
    page = context.new_page()
    page.route("**/engine.bin", lambda route: route.abort())
    page.goto(site.page("rotation"))
    page.locator("#fault").get_by_text("The engine cannot be loaded. Is the network there?").wait_for()
    page.unroute("**/engine.bin")
    page.locator("#random").click()
    page.locator("#counts").get_by_text(re.compile("The fewest: [0-9]+")).wait_for()


def test_an_engine_that_the_browser_cannot_run_is_told(site, context):
    page = context.new_page()
    # The last byte begins an instruction that no browser has.
    unknown = b"\0asm\1\0\0\0" + b"\x01\x04\x01\x60\0\0" + b"\x03\x02\x01\0" + b"\x0a\x05\x01\x03\0\xff\x0b"
    page.route("**/engine.bin", lambda route: route.fulfill(body=unknown))
    page.goto(site.page("rotation"))
    page.locator("#fault").get_by_text("This browser cannot run the engine.").wait_for()


def test_two_sizes_of_one_puzzle_have_two_cards(context, tmp_path):
    """Both sizes that were named are on the first page and lead to their boards, on a server and in a folder."""
    web.find_engine()
    named = ("slider:2,3", "slider:3,3")
    with web.serving(*named, **web.FEW) as server, web.files(tmp_path, server, named) as folder:
        for served in (server, folder):
            player = browsers.Player(context.new_page(), served).open()
            links = player.page.locator(".card h2 a")
            assert links.all_text_contents() == ["Slider 2 by 3", "Slider"]
            for at, cells in ((0, 6), (1, 9)):
                links.nth(at).click()
                player.settle()
                assert player.page.locator("#board .cell").count() == cells
                player.page.go_back()
            assert player.troubles == []


# Against malice, and for everyone

VERBS = ("play", "scramble", "words", "hint")

MANY = """
async (asked) => {
  const { ask } = await import(document.querySelector("script[src$='/play.js']").src.replace("play.js", "ask.js"));
  const found = [];
  for (const [verb, fields] of asked) {
    try {
      found.push([200, Object.keys(await ask(verb, fields)).length]);
    } catch (error) {
      found.push([400, error.message]);
    }
  }
  return found;
}
"""
"""Asks the engine in the page many things; for each, how many fields the answer has, or what the error says."""


def hostile(chance, puzzle):
    """A question such as a malicious link or typed line leads to: a verb, and fields of any texts."""

    def text():
        if chance.random() < 0.7:
            return chance.choice(TEXTS)
        return "".join(chance.choices([*string.printable, "ä", "\u2028", "日", "\0"], k=chance.randrange(60)))

    verb = chance.choice(VERBS)
    fields = {"puzzle": puzzle if chance.random() < 0.9 else text()}
    for name in chance.sample(("state", "seed", "daily", "number", "line"), chance.randrange(3)):
        fields[name] = text()
    if chance.random() < 0.5:
        fields["moves"] = [text() for _ in range(chance.randrange(4))]
    return [verb, fields]


@pytest.mark.parametrize("count", [400, pytest.param(10_000, marks=[pytest.mark.slow, pytest.mark.timeout(1800)])])
def test_hostile_questions_have_answers_or_sentences(player, count):
    chance, said = random.Random(count), set()
    player.open("evil")
    for first in range(0, count, 100):
        asked = [hostile(chance, player.puzzle["puzzle"]) for _ in range(min(100, count - first))]
        for question, (status, words) in zip(asked, player.page.evaluate(MANY, asked), strict=True):
            assert words, question
            if status == 400:
                assert re.search(r"[a-z]{2,} [a-z]{2,}.*[.?!]$", words, re.DOTALL), (question, words)
                assert not re.search(r"undefined|not a function|Cannot read|\[object|unreachable", words), (
                    question,
                    words,
                )
            said.add(status)
    assert said == {200, 400}
    assert player.open("evil", "#state=%26%3C%26%26").page.locator("#fault").is_hidden(), "it still plays"


@pytest.mark.parametrize(
    "link",
    [
        "state=<img src=x onerror=alert(1)>",
        "moves=</script><script>alert(1)</script>,<b>",
        "seed=<script>alert(1)</script>&opponent=<script>",
        "number=%00%00&daily=javascript:alert(1)",
        f"state={'%F0%9F%82%A1' * 2000}",
        f"moves={'%3Cimg%20src%3Dx%3E,' * 3000}",
        "__proto__=1&constructor=2&state=__proto__",
    ],
)
def test_a_hostile_link_is_a_board_and_a_sentence(player, link):
    player.page.on("dialog", lambda dialog: player.troubles.append(dialog.message))
    player.open("evil", f"#{link}")
    assert player.page.locator("#board .cell").count() == 4
    assert player.page.locator("main img").count() == 0


@pytest.mark.parametrize(
    "puzzles", [["sokoban"], pytest.param([*PUZZLES], marks=[pytest.mark.slow, pytest.mark.timeout(600)])]
)
def test_axe_finds_nothing_on_any_page(site, player, puzzles):
    """The first page and, for each puzzle, its pages to play, to explore, and inside another page; in both colours."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page, found = player.page, []
    names = [site.names[site.ask("describe", puzzle=puzzle)[1]["puzzle"]] for puzzle in puzzles]
    paths = ["index.html", *(f"{kind}/{name}.html" for name in names for kind in ("play", "explore", "embed"))]
    for at, path in enumerate(paths):
        page.emulate_media(color_scheme=("light", "dark")[at // 3 % 2])
        page.goto(f"{site.address}/{path}")
        if not path.startswith(("index", "explore")):
            page.locator("html[data-busy='0']").wait_for(state="attached")
        found += [(path, each["id"]) for each in axe.run(page).response["violations"]]
        assert page.evaluate("document.documentElement.scrollWidth") <= 1100
    assert found == []
