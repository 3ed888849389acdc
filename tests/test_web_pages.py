"""The pages that the server sends, the command `serve`, and the files of the pages."""

import asyncio
import gzip
import json
import re
import signal
import socket
import subprocess
import sys
import time
from html.parser import HTMLParser

import pytest

import puzzlekit
from puzzlekit.web.limits import Limits
from puzzlekit.web.offers import Offer
from puzzlekit.web.pages import LASTING
from puzzlekit.web.policy import SERVED as POLICY
from puzzlekit.web.pool import LateError, Setting
from puzzlekit.web.service import MOST_KEPT, Service
from tests import web

PAGE = web.ROOT / "python" / "puzzlekit" / "web"
STATIC = sorted((PAGE / "static").iterdir())
TEMPLATES = sorted((PAGE / "templates").iterdir())
MOST_SCRIPT = 80_000
"""The most bytes of script that a page may load."""


class Reader(HTMLParser):
    """The elements of a page, and the data in it."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.data, self._open = [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self._open = tag

    def handle_data(self, data):
        if self._open == "script":
            self.data.append(data)

    def handle_endtag(self, tag):
        self._open = None if tag == self._open else self._open


@pytest.fixture(scope="module")
def client():
    ids = [Offer(name, name) for name in puzzlekit.puzzles()]
    offers = [
        *ids,
        Offer("evil", "evil", f"{web.EVIL}:Evil"),
        Offer("hanoi", "hanoi:disks=3,pegs=3", "python/puzzlekit/gallery/hanoi.py"),
    ]
    with web.InProcess(Service(Setting(offers, Limits())), ["testserver"]) as made:
        yield made


def test_the_first_page_has_every_puzzle(client):
    answer = client.get("/")
    assert (answer.status, answer.headers["content-security-policy"]) == (200, POLICY)
    page = Reader(answer.content.decode())
    links = {given["href"] for tag, given in page.elements if tag == "a"}
    assert {f"/play/{name}" for name in puzzlekit.puzzles()} <= links
    assert "/play/hanoi%3Adisks%3D3%2Cpegs%3D3" in links
    found = {json.loads(data)["id"] for data in page.data if data.strip()}
    assert found == {*puzzlekit.puzzles(), "evil", "hanoi"}


def test_the_data_of_a_page_is_what_describe_says(client):
    page = Reader(client.get("/play/slider%3Arows%3D3%2Ccolumns%3D4").content.decode())
    ready, data = [json.loads(data) for data in page.data if data.strip()]
    assert data == client.post("/api/describe", {"puzzle": "slider:3,4"}).json()
    assert data["view"]["width"] == 4
    (board,) = ready
    state = client.post("/api/scramble", {"puzzle": "slider:3,4", **board.pop("label")}).json()["state"]
    assert board == client.post("/api/play", {"puzzle": "slider:3,4", "state": state}).json(), "it need not ask again"


def test_a_board_that_takes_long_does_not_hold_its_page_up(client, monkeypatch):
    monkeypatch.setattr(Service.ready, "__defaults__", (0.0,))
    page = Reader(client.get("/play/slider").content.decode())
    assert next(json.loads(data) for data in page.data if data.strip()) == []


def test_links_have_pictures(client, monkeypatch):
    """Programs that show a link are told the whole address of a picture, as people reach this server."""
    pytest.importorskip("resvg_py")
    named = {"host": "testserver", "x-forwarded-proto": "https"}
    for path, shown in (
        ("/", "flipit"),
        ("/play/slider:3,4", "slider%3Arows%3D3%2Ccolumns%3D4"),
        ("/explore/hanoi", ""),
    ):
        page = Reader(client.get(path, named).content.decode())
        (address,) = [given["content"] for _, given in page.elements if given.get("property") == "og:image"]
        assert re.fullmatch(rf"https://testserver/picture/{shown or '.*'}\.png", address)
        answer = client.get(address.removeprefix("https://testserver"))
        assert (answer.status, answer.headers["content-type"]) == (200, "image/png")
        assert answer.content.startswith(b"\x89PNG")
    assert client.get("/picture/nothing.png").status == 404
    monkeypatch.setattr("puzzlekit.draw.pixels.is_installed", lambda: False)
    assert b"og:image" not in client.get("/").content


@pytest.mark.parametrize("path", ["/", "/play/evil", "/explore/evil", "/play/evil:4", "/play/%3Cscript%3E"])
def test_texts_of_puzzles_are_escaped(client, path):
    answer = client.get(path, {"accept": "text/html"})
    text = answer.content.decode()
    assert answer.headers["content-type"].startswith("text/html")
    page = Reader(text)
    for tag, given in page.elements:
        assert not [name for name in given if name.startswith("on") or name == "style"], (tag, given)
        assert tag not in ("img", "b", "style", "iframe") or given.get("src").endswith("/icon.svg")
        if tag == "script":
            assert given.get("src", "/static/").startswith("/static/")
            assert "src" in given or given["type"] == "application/json"
    for data in page.data:
        json.loads(data or "null")
    assert "<script>alert" not in text
    assert "alert(1)" in text or "script" in path


def test_what_is_not_there(client):
    for path, status in [("/nothing", 404), ("/play/nothing", 404), ("/play/slider:99", 404), ("/static/nothing", 404)]:
        answer = client.get(path, {"accept": "text/html"})
        assert (answer.status, "<h1>" in answer.content.decode()) == (status, True), path
        assert json.loads(client.get(path).content)["error"]
    assert client.get("/static/../app.py").status == 404
    assert client.get("/static/%2e%2e/app.py").status == 404
    assert client.request("POST", "/").status == 405


def test_descriptions_are_kept_and_not_too_many():
    service = Service(Setting([Offer("slider", "slider")], Limits(**web.FEW)))
    with web.InProcess(service, ["testserver"]) as client:
        for rows in (2, 3):
            for columns in range(2, 11):
                assert client.get(f"/play/slider:{rows},{columns}").status == 200
        assert client.get("/play/slider:99").status == 404
        assert len(service._described) == 18
        for at in range(2 * MOST_KEPT):
            service._described[str(at)] = {}
        client.get("/play/slider")
        assert len(service._described) == MOST_KEPT


def test_a_puzzle_that_takes_for_ever_holds_the_first_page_up_once():
    limits = Limits(quick_seconds=2.5)
    evil = Offer("evil", "evil:kind=1,text=a", f"{web.EVIL}:Evil")
    with web.InProcess(Service(Setting([evil, Offer("slider", "slider")], limits)), ["testserver"]) as client:
        for _ in range(2):
            text = client.get("/").content.decode()
            assert "more than 2.5 seconds" in text
            assert 'href="/play/slider"' in text
        begun = time.monotonic()
        for _ in range(20):
            client.get("/")
        assert time.monotonic() - begun < 9, "it is not asked again"


def test_what_may_be_kept_by_a_browser(client):
    answer = client.get("/static/play.js")
    assert answer.headers["cache-control"] == "no-cache"
    again = client.get("/static/play.js", {"if-none-match": answer.headers["etag"]})
    assert (again.status, again.content) == (304, b"")
    for path in ("/", "/play/slider", "/static/nothing"):
        assert client.get(path).headers["cache-control"] == "no-store"


def test_files_have_lasting_addresses_and_are_packed(client):
    page = client.get("/play/slider", {"accept-encoding": "gzip"})
    assert page.headers["content-encoding"] == "gzip"
    text = gzip.decompress(page.content).decode()
    named = re.findall(r'(?:src|href)="(/static/[^"]+)"', text)
    assert len(named) > 15
    assert {path.rpartition("/")[2] for path in named} >= {"style.css", "theme.js", *scripts("play.html")}
    for path in named:
        answer = client.get(path)
        assert (answer.status, answer.headers["cache-control"]) == (200, "public, max-age=31536000, immutable")
    gone = client.get(f"{LASTING}/nothing.js")
    assert (gone.status, gone.headers["cache-control"]) == (404, "no-store")
    assert '<meta property="og:title" content="Slider - puzzlekit">' in text
    manifest = next(path for path in named if path.endswith(".webmanifest"))
    assert client.get(manifest).json()["name"] == "puzzlekit"


def test_every_file_is_used_and_nothing_comes_from_elsewhere():
    texts = {path.name: path.read_text(encoding="utf-8") for path in [*STATIC, *TEMPLATES]}
    whole = "\n".join([*texts.values(), (PAGE / "pages.py").read_text(encoding="utf-8")])
    for name, text in texts.items():
        assert re.search(rf"[\"'/]{re.escape(name)}[\"']", whole), f"{name} is used nowhere"
        without_names = text.replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?:|//[a-z]+\.|@import|url\(", without_names), f"{name} loads from elsewhere"
        if name.endswith(".html"):
            assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:|\|\s*safe", text), name
        if name.endswith(".js"):
            assert not re.search(
                r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text
            ), name


def scripts(page):
    """The scripts that a page loads."""
    pending = set(re.findall(r'src="{{ static }}/(\w+\.js)"', (PAGE / "templates" / page).read_text(encoding="utf-8")))
    found = set()
    while pending:
        name = pending.pop()
        found.add(name)
        pending |= set(re.findall(r'from "\./([^"]+)"', (PAGE / "static" / name).read_text(encoding="utf-8"))) - found
    return found


@pytest.mark.parametrize("page", ["home.html", "play.html", "explore.html"])
def test_pages_load_little_script(page):
    sizes = {name: (PAGE / "static" / name).stat().st_size for name in scripts(page)}
    assert len(sizes) > 2
    assert sum(sizes.values()) < MOST_SCRIPT, sizes


def test_each_script_says_what_is_in_it():
    for path in STATIC:
        first = path.read_text(encoding="utf-8").splitlines()[0]
        assert first.startswith({".js": "// ", ".css": "/* ", ".svg": "<svg ", ".webmanifest": "{"}[path.suffix]), path


# The command


def test_without_the_extra_it_says_what_to_install():
    for missing in ("starlette", "uvicorn", "jinja2"):
        program = (
            f"import sys; sys.modules[{missing!r}] = None\nfrom puzzlekit.cli.app import run\nsys.exit(run(['serve']))"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
        assert done.returncode == 2
        words = f'puzzlekit: error: serve needs {missing}; install it with pip install "puzzlekit-core[web]"'
        assert done.stderr.strip() == words


def test_what_cannot_be_served(command):
    assert command("serve", "nothing").err.startswith('puzzlekit: error: there is no puzzle "nothing"')
    assert "there is no file ./nothing.py" in command("serve", "./nothing.py").err
    assert "install puzzlekit-core[puzzles]" in command("--no-plugins", "serve").err
    assert "give --allow-host NAME" in command("serve", "--host", "0.0.0.0").err
    assert "cannot listen on nowhere.invalid" in command("serve", "--host", "nowhere.invalid").err
    with socket.create_server(("127.0.0.1", 0)) as taken:
        found = command("serve", "--port", str(taken.getsockname()[1]))
    assert (found.code, "give another --host or --port" in found.err) == (2, True)


def test_a_file_is_served_by_its_id_and_by_the_names_that_are_allowed():
    with web.serving("--allow-host", "puzzles.example", "python/puzzlekit/gallery/hanoi.py:5", **web.FEW) as served:
        assert "serving hanoi:disks=5,pegs=3 at http://127.0.0.1:" in served.lines[-1]
        assert served.request("GET", "/", headers={"Host": "puzzles.example"})[0] == 200
        assert served.request("GET", "/", headers={"Host": "other.example"})[0] == 421
        assert served.ask("play", puzzle="slider")[0] == 400


@pytest.mark.skipif(sys.platform == "win32", reason="the browser is a script of the shell")
def test_the_page_is_opened(tmp_path, monkeypatch):
    browser, opened = tmp_path / "browser", tmp_path / "opened"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {opened}.new && mv {opened}.new {opened}\n', encoding="utf-8")
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{browser} %s")
    with web.serving("rotation", "--open", **web.FEW) as served:
        end = time.monotonic() + 20
        while not opened.exists():
            assert time.monotonic() < end, "no browser was started"
            time.sleep(0.02)
        assert opened.read_text(encoding="utf-8") == f"{served.address}/"


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_it_ends_with_all_its_processes(number, code):
    with web.serving("rotation") as served:
        children = served.children()
        assert len(children) == Limits().quick_workers + Limits().long_workers
        served.process.send_signal(number)
        assert served.process.wait(20) == code
        end = time.monotonic() + 10
        while left := [child for child in children if alive(child)]:
            assert time.monotonic() < end, f"still running: {left}"
            time.sleep(0.05)
    assert not any("Traceback" in line for line in served.lines), served.lines


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them")
def test_a_server_that_is_killed_leaves_no_process_behind():
    with web.serving("rotation") as served:
        children = served.children()
        served.process.kill()
        end = time.monotonic() + 10
        while left := [child for child in children if alive(child)]:
            assert time.monotonic() < end, f"still running: {left}"
            time.sleep(0.05)


def alive(process):
    try:
        with open(f"/proc/{process}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_description_that_takes_too_long_says_what_was_not_made():
    class Slow:
        async def answer(self, _request):
            raise LateError(10)

    service = object.__new__(Service)
    service._described, service._quick = {}, Slow()
    known = asyncio.run(service.describe("slow:9"))
    late = "to describe its rules and its board took more than 10 seconds; take a smaller size"
    assert known == {"puzzle": "slow:9", "error": f"slow:9: {late}"}
    assert service._described == {"slow:9": known}
