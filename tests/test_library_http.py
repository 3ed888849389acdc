"""A library on a host: the same answers as near, few bytes, and one clear sentence for each wrong answer of a host."""

from __future__ import annotations

import gzip
import http.server
import re
import shutil
import socket
import sys
import threading
from contextlib import contextmanager

import pytest

import puzzlekit
from puzzlekit import CorruptError, Library, LibraryError, LibraryWarning, UsageError
from puzzlekit.jobs.library import host
from tests.test_library import files


class Server(http.server.ThreadingHTTPServer):
    """A host of files, whose answers a test may spoil."""

    daemon_threads = True

    def __init__(self, folder, spoil=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder, self.spoil, self.asked = folder, spoil, []

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_address[1]}/works"

    def handle_error(self, request, client_address):
        """Says nothing: a client that goes away is part of a test."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format, *arguments):  # noqa: A002 - the name of the library
        """Says nothing."""

    def do_GET(self):
        path = self.path.removeprefix("/works/")
        wanted = self.headers.get("Range")
        self.server.asked.append((path, wanted))
        file = self.server.folder / path
        if not file.is_file():
            self.answer(404, b"there is no such page", {})
            return
        content, status, headers = file.read_bytes(), 200, {"Content-Type": "application/octet-stream"}
        if wanted:
            begin, end = map(int, re.fullmatch(r"bytes=(\d+)-(\d+)", wanted).groups())
            headers["Content-Range"] = f"bytes {begin}-{end}/{len(content)}"
            content, status = content[begin : end + 1], 206
        if self.server.spoil is not None and self.server.spoil(self, path, status, content, headers):
            return
        self.answer(status, content, headers)

    def answer(self, status, content, headers, length=None):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content) if length is None else length))
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def serving(folder, spoil=None):
    with Server(folder, spoil) as server:
        thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.02), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def works(tmp_path_factory):
    base = tmp_path_factory.mktemp("host")
    for name, text in (("game", "tictactoe:3,2,2"), ("slider", "slider:2,4")):
        puzzlekit.load(text).values(out=base / name)
        Library(base / "works").add(base / name)
    return base / "works"


SLIDER = puzzlekit.load("slider:2,4")
STATE = "7654/3210"


def test_answers_are_those_of_the_folder(works):
    near, game = Library(works), puzzlekit.load("tictactoe:3,2,2")
    with serving(works) as server:
        far = Library(server.address)
        assert far.works() == near.works()
        assert far.verify() == near.works()
        for puzzle, states in (
            (SLIDER, [STATE, *(SLIDER.scramble(str(seed)).state for seed in range(20))]),
            (game, [game.start, "XO/../..:X", "XO/X./..:O"]),
        ):
            rows = puzzle.arrays.encode(states)
            assert [list(each) for each in far.of(puzzle).look_up(rows)] == [
                list(each) for each in near.of(puzzle).look_up(rows)
            ]
            for state in states[:5]:
                one, other = (puzzle.solve(state, library=library) for library in (near, far))
                assert (one.moves, one.value, one.best) == (other.moves, other.value, other.best)
                assert other.library == server.address


@pytest.mark.parametrize("size", ["2,4", pytest.param("2,5", marks=pytest.mark.slow)])
def test_few_bytes_are_moved(size, tmp_path):
    """The first look-up reads the list, the manifest, the top, a part of the index and a block; others, a block."""
    big = puzzlekit.load(f"slider:{size}")
    big.values(out=tmp_path / "job")
    Library(tmp_path / "works").add(tmp_path / "job")
    states = [big.scramble(str(seed)).state for seed in range(30)]
    with serving(tmp_path / "works") as server:
        library = Library(server.address)
        library.of(big).look_up(big.arrays.encode(states[:1]))
        place = library._place
        assert [path.rpartition("/")[2] for path, _ in server.asked] == [
            "library.json",
            "manifest.json",
            "top",
            "index",
            "states",
        ]
        assert (place.requests, place.moved < 100_000) == (5, True)
        for state in states[1:]:
            before, requests = place.moved, place.requests
            library.of(big).look_up(big.arrays.encode([state]))
            assert place.requests - requests <= 1
            assert place.moved - before <= 2**14
        solved = Library(server.address)
        length = big.solve(states[0], library=solved).length
        assert solved._place.moved < 100_000 + 2 * length * 2**14


def test_connections_are_kept(works):
    connections = set()

    def look(handler, *_):
        connections.add(handler.client_address)

    with serving(works, look) as server:
        SLIDER.solve(STATE, library=Library(server.address))
        assert len(server.asked) > 5
    assert len(connections) == 1


def page(handler, _path, _status, _content, _headers):
    handler.answer(200, b"<!doctype html><title>Log in</title>", {"Content-Type": "text/html; charset=utf-8"})
    return True


def only(name, spoil):
    """Spoils the answers about one file."""
    return lambda handler, path, *more: path.rpartition("/")[2] == name and spoil(handler, path, *more)


def cut(handler, _path, status, content, headers):
    handler.answer(status, content[:-1], headers, length=len(content))
    handler.close_connection = True
    return True


def short(handler, _path, status, content, headers):
    handler.answer(status, content[:-1], headers)
    return True


def longer(handler, _path, status, content, headers):
    handler.answer(status, content + b"x", headers)
    return True


def flipped(handler, _path, status, content, headers):
    handler.answer(status, bytes([content[0] ^ 1]) + content[1:], headers)
    return True


def endless(handler, _path, status, _content, headers):
    """Says nothing of the length, and sends and sends."""
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.send_header("Connection", "close")
    handler.end_headers()
    handler.close_connection = True
    try:
        for _ in range(10_000):
            handler.wfile.write(b"x" * 10_000)
    except OSError:
        pass
    else:
        raise AssertionError("all of it was read")
    return True


def giant(handler, _path, status, content, headers):
    handler.answer(status, content, headers, length=10**15)
    return True


def nonsense_length(handler, _path, status, content, headers):
    handler.answer(status, content, headers, length="many")
    handler.close_connection = True
    return True


PACKED = gzip.compress(bytes(10**6)) * 100
"""A hundred megabytes of zeros, as a hundred parts that are alike: to pack them all takes a hundred times as long."""


def bomb(handler, _path, status, _content, headers):
    handler.answer(status, PACKED, {**headers, "Content-Encoding": "gzip"})
    return True


def other_range(handler, _path, status, content, headers):
    handler.answer(status, content, {**headers, "Content-Range": "bytes 0-0/5"})
    return True


def loop(handler, path, _status, _content, _headers):
    handler.answer(302, b"", {"Location": f"/works/{path}"})
    return True


def many_digits(handler, _path, status, content, headers):
    handler.answer(status, content, headers, length="9" * 5000)
    handler.close_connection = True
    return True


def to_nonsense(handler, _path, _status, _content, _headers):
    handler.answer(301, b"", {"Location": "http://[nonsense"})
    return True


def to_a_file(handler, _path, _status, _content, _headers):
    handler.answer(301, b"", {"Location": "file:///etc/passwd"})
    return True


def nowhere(handler, _path, _status, _content, _headers):
    handler.answer(302, b"", {})
    return True


def error_500(handler, _path, _status, _content, _headers):
    handler.answer(500, b"sorry", {})
    return True


def refused(handler, _path, _status, _content, _headers):
    handler.answer(416, b"", {})
    return True


def silent(handler, _path, _status, _content, _headers):
    handler.server.stop.wait(5)
    return True


def dripping(handler, _path, status, content, headers):
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    for byte in content:
        handler.wfile.write(bytes([byte]))
        handler.wfile.flush()
        if handler.server.stop.wait(0.1):
            break
    return True


def gone(handler, _path, _status, _content, _headers):
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)
    return True


def no_http(handler, _path, _status, _content, _headers):
    handler.wfile.write(b"SSH-2.0-example\r\n")
    handler.close_connection = True
    return True


EVERY = ("library.json", "manifest.json", "top", "index", "states")
PARTS = ("index", "states")

WRONG = [
    (page, EVERY, LibraryError, "sends a page in place of|sends whole files"),
    (cut, EVERY, (LibraryError, CorruptError), "breaks off|sent [0-9,]+ bytes, and there should be more"),
    (short, EVERY[1:], CorruptError, "is not what was written|sent [0-9,]+ bytes, and there should be more"),
    (longer, EVERY[1:], CorruptError, "the host sends [0-9,]+ bytes, and [0-9,]+ are the most"),
    (flipped, EVERY, CorruptError, "is not what was written|are not what was written|is no list of works"),
    (endless, EVERY[1:], CorruptError, "sends more than"),
    (giant, EVERY, CorruptError, "the host sends 1000000000000000 bytes, and [0-9,]+ are the most"),
    (nonsense_length, EVERY, (LibraryError, CorruptError), "the host sends many bytes|breaks off"),
    (bomb, EVERY, LibraryError, r"packs what it sends \(gzip\)"),
    (other_range, PARTS, CorruptError, 'sent "bytes 0-0/5"'),
    (loop, EVERY, LibraryError, "sends us on more than 5 times"),
    (many_digits, ("top", "states"), CorruptError, "the host sends 9{80}... bytes"),
    (to_nonsense, ("top", "states"), LibraryError, r"sends us on to http://\[nonsense, which is no safe address"),
    (to_a_file, EVERY, LibraryError, "sends us on to file:///etc/passwd, which is no safe address"),
    (nowhere, EVERY, LibraryError, "sends us on"),
    (error_500, EVERY, LibraryError, "answers 500 for"),
    (refused, PARTS, LibraryError, "answers 416 for"),
    (silent, EVERY, LibraryError, "does not answer in time"),
    (dripping, EVERY[1:], LibraryError, "takes more than 1 seconds"),
    (gone, EVERY, LibraryError, "breaks off"),
    (no_http, EVERY, LibraryError, "breaks off"),
]


def wrong():
    """Each wrong answer about each file. The quick run has one file for each answer, and all files in turn."""
    for at, (spoil, names, error, told) in enumerate(WRONG):
        for name in names:
            quick = name == names[at % len(names)]
            yield pytest.param(spoil, name, error, told, marks=() if quick else pytest.mark.slow)


@pytest.mark.parametrize(
    ("spoil", "name", "error", "told"),
    [*wrong()],
    ids=lambda value: getattr(value, "__name__", None) if callable(value) else value if value in EVERY else "",
)
def test_each_wrong_answer_is_told_and_the_search_goes_on(spoil, name, error, told, works, monkeypatch):
    monkeypatch.setattr(host, "READ_SECONDS", 0.5 if spoil is silent else 30.0)
    monkeypatch.setattr(host, "ANSWER_SECONDS", 1.0 if spoil is dripping else 60.0)
    with serving(works, only(name, spoil)) as server:
        server.stop = threading.Event()
        try:
            rows = SLIDER.arrays.encode([STATE])
            with pytest.raises(error, match=told) as raised:
                Library(server.address).of(SLIDER).look_up(rows)
            message = str(raised.value)
            assert server.address in message
            assert "\n" not in message
            assert "; " in message  # and what to do
            warned = []
            report = SLIDER.solve(STATE, library=Library(server.address, warn=warned.append))
            assert (report.solver, report.library, report.optimal) == ("optimal", None, True)
            assert len(warned) == 1
            assert warned[0].endswith("; now it is searched without the library")
            assert server.address in warned[0]
        finally:
            server.stop.set()


def test_a_host_without_ranges(works, monkeypatch):
    def whole(handler, path, status, _content, headers):
        if status == 206:
            del headers["Content-Range"]
            handler.answer(200, (handler.server.folder / path).read_bytes(), headers)
            return True
        return False

    with serving(works, whole) as server:
        # Files are small, so they are taken whole.
        assert SLIDER.solve(STATE, library=Library(server.address)).library == server.address
        monkeypatch.setattr(host, "MOST_WHOLE", 1000)
        with pytest.raises(LibraryError, match=r"sends whole files when it is asked for a part of them \(no ranges\)"):
            Library(server.address).of(SLIDER).look_up(SLIDER.arrays.encode([STATE]))


def test_an_address_that_moved_is_followed(works):
    def moved(handler, path, *_):
        if handler.path.startswith("/works/") and "moved" not in handler.headers.get("User-Agent", ""):
            handler.answer(301, b"", {"Location": f"http://127.0.0.1:{other.server_address[1]}/works/{path}"})
            return True
        return False

    with serving(works) as other, serving(works, moved) as server:
        report = SLIDER.solve(STATE, library=Library(server.address))
        assert report.library == server.address
        assert other.asked


def test_a_file_that_is_not_there(works, tmp_path):
    shutil.copytree(works, tmp_path / "works")
    rules = SLIDER.engine.fingerprint
    for name in ("states", "index", "top", "manifest.json"):
        (tmp_path / "works" / rules / name).unlink()
        with serving(tmp_path / "works") as server, pytest.raises(CorruptError, match=f"{name}.*is not there"):
            Library(server.address).of(SLIDER).look_up(SLIDER.arrays.encode([STATE]))
    (tmp_path / "works" / "library.json").unlink()
    with serving(tmp_path / "works") as server, pytest.raises(LibraryError, match=r"has no library\.json"):
        Library(server.address).works()


def test_a_library_that_changed_meanwhile(works, tmp_path):
    shutil.copytree(works, tmp_path / "works")
    with serving(tmp_path / "works") as server:
        library = Library(server.address)
        library.of(SLIDER)
        states = tmp_path / "works" / SLIDER.engine.fingerprint / "states"
        states.write_bytes(states.read_bytes() + b"more")
        with pytest.raises(CorruptError, match="its list is of another day"):
            library.of(SLIDER).look_up(SLIDER.arrays.encode([STATE]))


def test_a_host_is_asked_again_after_a_while(works):
    from puzzlekit.jobs.library import library as module

    broken = [True]

    def spoil(handler, *more):
        return broken[0] and error_500(handler, *more)

    warned = []
    with serving(works, spoil) as server:
        library = Library(server.address, warn=warned.append)
        assert SLIDER.solve(STATE, library=library).library is None
        broken[0] = False
        assert SLIDER.solve(STATE, library=library).library is None  # it is not asked again so soon
        assert len(warned) == 1
        library._silent_until -= module.SILENT_SECONDS
        assert SLIDER.solve(STATE, library=library).library == server.address


def test_a_host_that_is_not_there():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/works"
    with pytest.raises(LibraryError, match=rf"{address} cannot be reached; try again later"):
        Library(address).works()
    with pytest.warns(LibraryWarning, match="cannot be reached"):
        SLIDER.solve(STATE, library=Library(address))


@pytest.mark.parametrize(
    "address",
    [
        "http://",
        "http://[",
        "https:///works",
        "http://host/works?list",
        "http://host/works#top",
        "http://me:secret@host/works",
    ],
)
def test_addresses_that_make_no_sense(address):
    with pytest.raises(UsageError, match="is no address") as raised:
        Library(address)
    assert "secret" not in str(raised.value)


def test_a_host_is_only_read(works):
    with serving(works) as server:
        before = files(works)
        for change in (lambda: Library(server.address).add(works), lambda: Library(server.address).remove("x")):
            with pytest.raises(puzzlekit.PuzzlekitError):
                change()
        assert files(works) == before


def test_a_proxy_is_asked(works, monkeypatch):
    with serving(works) as server:
        # A proxy is asked for a whole address, and this one, which is the host itself, has nothing of that name.
        monkeypatch.setenv("http_proxy", server.address.removesuffix("/works"))
        with pytest.raises(LibraryError, match=r"has no library\.json"):
            Library("http://example.org/works").works()
        assert server.asked == [("http://example.org/works/library.json", None)]
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        assert len(Library(server.address).works()) == 2
        monkeypatch.setenv("http_proxy", "nonsense://")
        with pytest.raises(UsageError, match="proxy"):
            Library("http://example.org/works").works()


def test_commands(command, works):
    with serving(works) as server:
        assert f"2 works in {server.address}" in command("library", "list", server.address).out
        assert command("library", "verify", server.address).code == 0
        found = command("solve", "slider:2,4", STATE, "--library", server.address)
        assert f"proven by the library at {server.address}, looked up in" in found.err
    for spoil, code, told in ((error_500, 1, "answers 500"), (page, 1, "sends a page"), (flipped, 4, "list of works")):
        with serving(works, only("library.json", spoil)) as server:
            for verb in ("list", "verify"):
                result = command("library", verb, server.address)
                assert (result.code, result.out) == (code, "")
                assert told in result.err
            result = command("solve", "slider:2,4", STATE, "--library", server.address)
            assert result.code == 0
            assert result.err.count("puzzlekit: warning: ") == 1


def test_the_client_is_asked_for(command, monkeypatch):
    monkeypatch.setitem(sys.modules, "urllib3", None)
    result = command("library", "list", "https://example.org/works")
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert (
        'https://example.org/works is an address, which needs urllib3; pip install "puzzlekit-core[library]"'
        in result.err
    )
