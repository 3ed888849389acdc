"""Helpers for the tests of the page: a server in a process of its own, and short ways to ask it."""

import asyncio
import datetime
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import pytest

from puzzlekit.errors import UsageError
from puzzlekit.plugins.loader import Plugins
from puzzlekit.web import serving as serving_module
from puzzlekit.web.app import build
from puzzlekit.web.limits import Limits
from puzzlekit.web.offers import Offer
from puzzlekit.web.pool import Setting
from puzzlekit.web.service import Service
from puzzlekit.web.site import finding
from puzzlekit.web.site.entries import Entry, entries
from puzzlekit.web.site.leaves import leaves
from puzzlekit.web.site.writing import write_site
from tests.support import alone

ROOT = Path(__file__).parent.parent
GALLERY = (
    *("hanoi", "knights", "pancakes", "lights_out", "river", "sokoban", "cube2_stickers"),
    *("connect_four", "mu_torere", "hexapawn", "klotski", "rush_hour", "cube3"),
    *("othello", "dots_and_boxes", "hex", "pegs"),
)
"""The puzzles of the gallery that are served beside those that are installed."""

EVIL = ROOT / "tests" / "fixtures" / "evil.py"
"""A puzzle whose texts are markup, and whose other boards loop, crash and take all memory."""


ENGINE = "PUZZLEKIT_ENGINE"
"""If this variable is set, as CI does, the engine for pages must be there."""


class Listening:
    """A server that is asked over the network."""

    port: int
    address: str
    is_server = True

    @property
    def still(self) -> str:
        """The address of something to look at that does nothing."""
        return f"{self.address}/static/icon.svg"

    def page(self, puzzle="", path="play"):
        """The address of a page."""
        return f"{self.address}/{path + '/' + quote(puzzle) if puzzle else ''}"

    def request(self, method, path, body=None, headers=None, timeout=60):
        """The status, the headers and the body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def ask(self, verb, **fields):
        """The status and the data of an answer."""
        status, _, body = self.request("POST", f"/api/{verb}", json.dumps(fields), {"Content-Type": "application/json"})
        return status, json.loads(body)

    def connect(self) -> socket.socket:
        """A socket that is connected to the server."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)


@dataclass
class Served(Listening):
    """A server that runs in a process of its own."""

    process: subprocess.Popen
    address: str
    lines: list[str] = field(default_factory=list)

    @property
    def port(self) -> int:
        return urlsplit(self.address).port

    def children(self) -> list[int]:
        """The ids of the processes that answer."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                parent = re.search(r"^PPid:\s*(\d+)", (folder / "status").read_text(), re.MULTILINE)
            except OSError:
                continue
            if parent and int(parent[1]) == self.process.pid:
                found.append(int(folder.name))
        return found

    def held(self) -> int:
        """The bytes of memory that the server's main process holds."""
        text = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(re.search(r"VmRSS:\s*(\d+)", text)[1]) * 1024


SERVE = """
import functools
from puzzlekit.cli import main
from puzzlekit.web import limits

limits.Limits = functools.partial(limits.Limits, **{chosen})
main()
"""
"""The command line, with other limits."""

FEW = {"quick_workers": 1, "long_workers": 1}
"""The limits of a server that answers one after another: each process takes a fifth of a second to start."""


@contextmanager
def serving(*arguments: str, **chosen: float) -> Iterator[Served]:
    """A server, until the end of the block. Some of its limits may be others than those of the command."""
    program = ["-c", SERVE.format(chosen=chosen)] if chosen else ["-m", "puzzlekit"]
    command = [sys.executable, *program, "serve", "--port", "0", *arguments]
    environment = os.environ | {"PYTHONWARNINGS": "error", "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment, cwd=ROOT) as process:
        lines: list[str] = []
        for line in process.stderr:
            lines.append(line)
            if " at http://" in line:
                break
        else:
            raise AssertionError(f"the server did not start: {''.join(lines)}")
        served = Served(process, re.search(r"at (http://\S+)/;", lines[-1])[1], lines)
        reader = threading.Thread(target=lambda: lines.extend(process.stderr), daemon=True)
        reader.start()
        try:
            yield served
        finally:
            process.terminate()
            process.wait(20)
            reader.join(5)


def gallery() -> list[str]:
    """The files of the gallery that are served."""
    return [f"python/puzzlekit/gallery/{name}.py" for name in GALLERY]


@dataclass
class Files:
    """A folder that `puzzlekit site` has written, behind a server that sends files alone, below some address.

    What a test asks besides the page, a real server of the same puzzles answers.
    """

    folder: Path
    address: str
    server: Served
    is_server = False

    @property
    def still(self) -> str:
        """The address of something to look at that does nothing."""
        return f"{self.address}/puzzlekit-site.json"

    def page(self, puzzle="", path="play"):
        """The address of a page."""
        if not puzzle:
            return f"{self.address}/index.html"
        return f"{self.address}/{path}/{self.names[self.ask('describe', puzzle=puzzle)[1]['puzzle']]}.html"

    @property
    def names(self) -> dict[str, str]:
        """The name of the files of each text id."""
        return json.loads((self.folder / "puzzlekit-site.json").read_text(encoding="utf-8"))["pages"]

    def ask(self, verb, **fields):
        """The status and the data of an answer of the server."""
        return self.server.ask(verb, **fields)


def find_engine() -> None:
    """Skips the tests that need the engine for pages, if it is not built; if CI requires it, they fail."""
    try:
        finding.find_engine()
    except UsageError as error:
        if os.environ.get(ENGINE):
            pytest.fail(str(error), pytrace=False)
        pytest.skip(str(error))


def shown_on_a_site(puzzles: Iterable[str]) -> list[Entry]:
    """The puzzles of a site, with their sizes."""
    today = datetime.datetime.now(datetime.UTC).date()
    with ThreadPoolExecutor(1) as apart:  # a test in a browser has an event loop in this thread already
        return apart.submit(entries, Plugins.discover(), [*puzzles], today, lambda _: None).result()


def is_quick(session: pytest.Session) -> bool:
    """Returns `True` if no slow test is run, so that a site need not have the puzzles that only slow tests ask for."""
    return not any(item.get_closest_marker("slow") for item in session.items)


def shared(factory: pytest.TempPathFactory, name: str) -> Path:
    """A folder that the processes of a run of tests share, so that what takes long is written once."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    folder.mkdir(exist_ok=True)
    return folder


@contextmanager
def files(folder: Path, server: Served, puzzles: Iterable[str], sizes: Iterable[str] = ()) -> Iterator[Files]:
    """A site of puzzles, until the end of the block. It lies below an address, not at the top of its host.

    Args:
        folder: Where it is written, unless it is there already.
        server: A server of the same puzzles.
        puzzles: The puzzles.
        sizes: Other sizes, which do not stand on the first page.
    """
    find_engine()
    top = folder / "top"
    place = top / "some" / "where"
    with alone(folder):
        if not place.exists():
            shown, plugins = tuple(puzzles), Plugins.discover()
            first = {str(plugins.parse(name)) for name in shown}
            found = [replace(each, first=each.text in first) for each in shown_on_a_site([*shown, *sizes])]
            written = leaves(found, finding.find_engine(), "Puzzles and games", embed=True)
            write_site(place, written, {each.text: each.name for each in found})
    with sending(top) as address:
        yield Files(place, f"{address}/some/where", server)


@contextmanager
def sending(folder: Path) -> Iterator[str]:
    """The address of a server that sends the files of a folder, until the end of the block."""

    class Sender(SimpleHTTPRequestHandler):
        def __init__(self, *given):
            super().__init__(*given, directory=str(folder))

        def log_message(self, *_given):
            """Nothing is logged."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Sender) as sender:
        thread = threading.Thread(target=sender.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{sender.server_port}"
        finally:
            sender.shutdown()
            thread.join(10)


@dataclass
class Threaded(Listening):
    """A server in a thread of this process, so that its limits can be chosen."""

    server: serving_module.Server
    port: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def connections(self) -> int:
        return len(self.server.server_state.connections)


@contextmanager
def threaded(limits: Limits, *puzzles: Offer) -> Iterator[Threaded]:
    """A server in a thread, until the end of the block."""
    ready = threading.Event()
    listener = serving_module.bind("127.0.0.1", 0)
    setting = Setting(puzzles or (Offer("rotation", "rotation"),), limits)
    server = serving_module.server(setting, ["127.0.0.1"], ready.set)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        assert ready.wait(30), "the server did not start"
        yield Threaded(server, listener.getsockname()[1])
    finally:
        server.should_exit = True
        thread.join(30)
        listener.close()


@dataclass
class Answer:
    """An answer of the application."""

    status: int
    headers: dict[str, str]
    content: bytes

    def json(self):
        return json.loads(self.content)


class InProcess:
    """The application without a network: requests go in as ASGI, in this process.

    An exception that the application lets through is raised here.
    """

    def __init__(self, service: Service, hosts: list[str]) -> None:
        self._app = build(service, hosts)
        self._service = service
        self._runner = asyncio.Runner()

    def __enter__(self):
        self._runner.run(self._service.start())
        return self

    def __exit__(self, *_):
        self._runner.run(self._service.close())
        self._runner.close()

    def request(self, method, path, headers=None, content=b"") -> Answer:
        """The answer to a request. `path` is as it stands in a request, with `%` and all."""
        given = {"host": "testserver", **(headers or {})}
        raw = [
            (name.lower().encode(), value if isinstance(value, bytes) else value.encode())
            for name, value in given.items()
        ]
        path, _, query = path.partition("?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": raw,
            "client": ("127.0.0.1", 1),
            "server": ("testserver", 80),
        }
        return self._runner.run(self._answer(scope, content))

    async def _answer(self, scope, content) -> Answer:
        sent, asked, ever = [], [], asyncio.Event()

        async def receive():
            if asked:
                await ever.wait()  # the client never closes the connection
            asked.append(True)
            return {"type": "http.request", "body": content, "more_body": False}

        async def send(message):
            sent.append(message)

        await self._app(scope, receive, send)
        head = next(each for each in sent if each["type"] == "http.response.start")
        body = b"".join(each.get("body", b"") for each in sent if each["type"] == "http.response.body")
        return Answer(head["status"], {name.decode(): value.decode() for name, value in head["headers"]}, body)

    def get(self, path, headers=None) -> Answer:
        return self.request("GET", path, headers)

    def post(self, path, data, headers=None) -> Answer:
        return self.request(
            "POST", path, {"content-type": "application/json", **(headers or {})}, json.dumps(data).encode()
        )
