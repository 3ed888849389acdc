"""Hosts that talk without an end, or nonsense: each is left within the time, with one clear sentence."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import contextmanager, suppress

import pytest

import puzzlekit
from puzzlekit import Library, LibraryError, LimitError, PuzzlekitError, UsageError
from puzzlekit.jobs.library import host
from puzzlekit.jobs.library.library import Libraries
from puzzlekit.run.ending import within
from puzzlekit.run.solver import Deadline


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@contextmanager
def talking(talk):
    """A host that answers each request by `talk`, which takes the connection. Gives its address, and the requests."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        asked = []

        def serve(wire):
            with wire, suppress(OSError):
                request = b""
                while not request.endswith(b"\r\n\r\n"):
                    request += wire.recv(1000)
                asked.append(request)
                talk(wire)

        def accept():
            with suppress(OSError):
                while True:
                    wire, _ = listening.accept()
                    threading.Thread(target=serve, args=(wire,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/works", asked
        with suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

ENDLESS = {
    "a line of status": (b"", b"H"),
    "a header": (b"HTTP/1.1 200 OK\r\nX: ", b"a"),
    "go on": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "a size of a chunk": (CHUNKED, b"0"),
    "trailers": (CHUNKED + b"1\r\nx\r\n0\r\n", b"T: x\r\n"),
    "content": (b"HTTP/1.1 200 OK\r\n\r\n", b"{"),
    "content of a connection that is closed": (b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", b"{"),
    "being sent on": (b"HTTP/1.1 302 Found\r\nContent-Length: 5\r\nLocation: /", b"a"),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_a_host_that_says_one_byte_at_a_time_is_left(name, monkeypatch):
    monkeypatch.setattr(host, "ANSWER_SECONDS", 1.0)
    begin, drip = ENDLESS[name]

    def talk(wire):
        wire.sendall(begin)
        while True:
            wire.sendall(drip)
            time.sleep(0.1)

    begun = time.monotonic()
    with talking(talk) as (address, _), pytest.raises(LibraryError, match=r"takes more than 1 seconds for library\.js"):
        Library(address).works()
    assert time.monotonic() - begun < 5


def test_the_time_of_a_look_up_is_that_of_the_host():
    def talk(wire):
        while True:
            wire.sendall(b"H")
            time.sleep(0.1)

    begun = time.monotonic()
    with talking(talk) as (address, _), within(Deadline(0.5, None)), pytest.raises(LimitError, match="time was over"):
        Library(address).works()
    assert time.monotonic() - begun < 4
    with talking(talk) as (address, asked), within(Deadline(0, None)), pytest.raises(LimitError, match="before"):
        Library(address).works()
    assert asked == []


SILENT = {
    "solve": lambda game, library, **limit: game.solve(game.start, library=library, **limit),
    "survey": lambda game, library, **limit: puzzlekit.survey(game, sample=2, library=library, **limit),
}


@pytest.mark.parametrize("work", SILENT)
@pytest.mark.parametrize("puzzle", ["tictactoe", "slider:4,4"])
@pytest.mark.parametrize("limit", ["seconds", "watch"])
def test_a_silent_host_is_left_in_the_first_look_up(work, puzzle, limit):
    """From the list of works on, and with several libraries, there is one time for all."""
    begun, puzzle = time.monotonic(), puzzlekit.load(puzzle)
    limits = {"seconds": 0.5} if limit == "seconds" else {"watch": lambda _: time.monotonic() > begun + 0.5}
    with talking(lambda _: time.sleep(5)) as (address, asked), suppress(LimitError):
        SILENT[work](puzzle, Libraries([Library(address), Library(address)]), **limits)
    assert time.monotonic() - begun < 2
    assert len(asked) == 1


NONSENSE = [
    "HTTP/1.1 200 OK\r\nContent-Length: \u00b2\r\n\r\n{}",
    "HTTP/1.1 200 OK\r\nContent-Length: " + "9" * 5000 + "\r\n\r\n{}",
    "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}",
    *(
        f"HTTP/1.1 302 Found\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n"
        for place in (
            "http://[bad",
            "http://a:99999999/",
            "http:///x",
            "http://\u00ff/",
            "\x1b[31mred://x",
            "//",
            "http://a b/",
        )
    ),
    "HTTP/1.1 200 OK\r\nContent-Encoding: \x1b[31m\r\n\r\n{}",
    "HTTP/1.1 99999 OK\r\n\r\n",
    "\0\x01\r\n\r\n",
]


@pytest.mark.parametrize("text", NONSENSE)
def test_nonsense_is_told_in_a_sentence(text):
    with (
        talking(lambda wire: wire.sendall(text.encode("latin1"))) as (address, _),
        pytest.raises(PuzzlekitError) as told,
    ):
        Library(address).works()
    assert str(told.value).isprintable()
    assert address in str(told.value)


def test_a_part_in_chunks_is_refused():
    def talk(wire):
        wire.sendall(
            b"HTTP/1.1 206 Partial Content\r\nTransfer-Encoding: chunked\r\nContent-Range: bytes 0-1/9\r\n\r\n"
            b"2\r\nab\r\n0\r\n\r\n"
        )

    with talking(talk) as (address, _), pytest.raises(LibraryError, match="in chunks"):
        host.Host(address).part("states", 0, 2, 9)


@pytest.mark.parametrize(
    "address", ["http://[::1", "http://h:99999/x", "http://h:abc/x", "http://a\nb/", "http://\x1b[31m/x", "https://"]
)
def test_addresses_that_are_none(address, command, monkeypatch):
    with pytest.raises(UsageError, match="no address of a library") as told:
        Library(address)
    assert str(told.value).isprintable()
    monkeypatch.setenv("PUZZLEKIT_LIBRARY", address)
    result = command("library", "list")
    assert (result.code, result.err.count("\n")) == (2, 1)


def test_a_safe_host_in_large_letters_does_not_send_us_to_an_unsafe_one(monkeypatch):
    class Answer:
        status, headers = 302, {"Location": "http://127.0.0.1:9/", "Content-Length": "1"}

        def close(self):
            """Nothing is open."""

    class Pool:
        def request(self, _verb, address, **_):
            assert address.startswith("https://example.org/works/")
            return Answer()

    asked = host.Host("HTTPS://example.org/works")
    monkeypatch.setattr(asked, "_pool", lambda _: Pool())
    with pytest.raises(LibraryError, match="no safe address"):
        asked.whole("library.json", 100)


def test_a_proxy_is_told_who_asks(monkeypatch):
    def talk(wire):
        wire.sendall(b"HTTP/1.1 407 Who\r\nContent-Length: 0\r\n\r\n")

    with talking(talk) as (address, asked):
        proxy = address.replace("http://", "http://me:s%3Ccret@").removesuffix("/works")
        monkeypatch.setenv("http_proxy", proxy)
        with pytest.raises(LibraryError, match="answers 407") as told:
            Library("http://example.org/works").works()
    assert b"proxy-authorization: basic bwu6czxjcmv0\r\n" in asked[0].lower()
    assert "cret" not in str(told.value)
