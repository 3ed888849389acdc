"""Malicious requests: none brings the server down, none is answered with 500, and none costs much.

The quick tests send some hundreds of such requests. `make test-long` sends 10,000, and checks the memory of the server.
"""

import json
import random
import socket
import string
import struct
import time
from contextlib import suppress

import pytest

from puzzlekit.web.guard import HEADERS, host_name
from puzzlekit.web.limits import Limits
from puzzlekit.web.offers import Offer
from puzzlekit.web.policy import SERVED as POLICY
from puzzlekit.web.pool import Setting
from puzzlekit.web.service import Service
from tests import web

OFFERS = [Offer("rotation", "rotation"), Offer("tictactoe", "tictactoe"), Offer("evil", "evil", f"{web.EVIL}:Evil")]
TEXTS = [
    *("", " ", ":", "rotation", "rotation:", "tictactoe:99,99,99", "tictactoe:rows=1,rows=1", "evil", "evil:4"),
    *("../../etc/passwd", "/etc/passwd", "x.py", "rotation:/tmp/x.py", "file:///etc/passwd", "%2e%2e/"),
    *("<script>alert(1)</script>", "'; DROP TABLE", "{{7*7}}", "${7*7}", "\0", "\r\nX: y", "\u202e", "é" * 100),
    *("213456789", "213/456/789", "X" * 3999, "X" * 5000, "\uff11\uff12", "🂡" * 50, "NaN", "-1", "1e999"),
]
ODD = [None, True, False, 0, -1, 2**63, 10**40, 1.5, float("inf"), [], {}, [[]], {"a": 1}, ["A"] * 3000, [None], [1]]
FIELDS = ("puzzle", "state", "moves", "seed", "daily", "number", "line", "strength", "solver", "skill", "history", "x")
VERBS = (
    *("describe", "picture", "scramble", "play", "words", "fewest", "hint", "solve", "values", "reply", "explore"),
    *("nothing", "..", "%00", "%C3%A9"),
)


def any_value(chance):
    kind = chance.random()
    if kind < 0.5:
        return chance.choice(TEXTS)
    if kind < 0.8:
        return chance.choice(ODD)
    if kind < 0.9:
        return [chance.choice(TEXTS) for _ in range(chance.randrange(5))]
    return "".join(chance.choices(string.printable + "äß\u2028日", k=chance.randrange(60)))


def any_body(chance):
    """The bytes of a random body. It is JSON most of the time, but rarely a valid request."""
    kind = chance.random()
    if kind < 0.7:
        fields = {name: any_value(chance) for name in chance.sample(FIELDS, chance.randrange(5))}
        if chance.random() < 0.7:
            fields["puzzle"] = chance.choice(("rotation", "tictactoe", "evil"))
        return json.dumps(fields, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")
    return chance.choice(
        [
            b"",
            b"null",
            b"[" * 30_000,
            b'{"a":' * 10_000,
            b'{"puzzle": "rotation", "strength": ' + b"9" * 6000 + b"}",
            b"\xff\xfe\x00",
            b'{"puzzle": "\\ud800"}',
            b"{" + b'"a":1,' * 9_000 + b'"a":1}',
            b"x" * 70_000,
            bytes(chance.randrange(256) for _ in range(200)),
        ]
    )


def any_request(chance):
    """The method, the path, the headers and the body of a request."""
    headers = {"content-type": chance.choice(["application/json"] * 6 + ["text/plain", "application/json; a=b", "é"])}
    if chance.random() < 0.2:
        headers[chance.choice(["accept", "origin", "sec-fetch-site", "cookie", "x-forwarded-for", "range"])] = (
            chance.choice(
                ["application/x-ndjson", "text/html", "http://evil.example", "cross-site", "null", "a" * 3000]
            )
        )
    if chance.random() < 0.85:
        return "POST", f"/api/{chance.choice(VERBS)}", headers, any_body(chance)
    paths = [
        "/",
        "/play/rotation",
        "/explore/evil",
        "/static/play.js",
        "/static/../web/app.py",
        "/static/%2e%2e/app.py",
    ]
    paths += [f"/{kind}/{text}{end}" for kind, end in (("play", ""), ("picture", ".png")) for text in TEXTS]
    paths += ["//", "/api/play", "/static/", "/play/", "/%ff", "/play/%00", "/picture/rotation.png", "/picture/.png"]
    path = chance.choice(paths)
    method = chance.choice(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"])
    return (
        method,
        "".join(c if c.isascii() and c.isprintable() and c not in ' "<>' else "%20" for c in path),
        headers,
        b"",
    )


def check(status, headers, body, request):
    """Checks that an answer is a page, data, or a sentence that says why there is none."""
    assert status < 500 or status == 503, (request, status, body[:300])
    assert b"Traceback" not in body
    assert headers["content-security-policy"] == POLICY
    if status >= 400 and headers.get("content-type") == "application/json" and body:
        words = json.loads(body)["error"]
        assert words, request
        assert str(web.ROOT) not in words, "a message names no path of this machine"


def limits(**changed):
    return Limits(quick_seconds=5, long_seconds=2, short_seconds=1, states=20_000, memory=2**28, **changed)


@pytest.fixture(scope="module")
def client():
    with web.InProcess(Service(Setting(OFFERS, limits())), ["testserver"]) as made:
        yield made


def send(client, count, seed):
    chance, statuses = random.Random(seed), {}
    for _ in range(count):
        request = any_request(chance)
        method, path, headers, body = request
        headers = {name: value.encode("utf-8") for name, value in headers.items()}
        answer = client.request(method, path, headers, body)
        check(answer.status, answer.headers, answer.content, request)
        statuses[answer.status] = statuses.get(answer.status, 0) + 1
    return statuses


def test_some_hundreds(client):
    statuses = send(client, 400, 1)
    assert {200, 400, 403, 404, 405, 413, 415} <= set(statuses)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_ten_thousand():
    """The server is a process of its own, asked over the network. The memory of its main process must not grow."""
    with web.serving("rotation", "tictactoe", str(web.EVIL)) as served:
        chance, held, statuses = random.Random(2), [], {}
        for turn in range(10_000):
            request = any_request(chance)
            method, path, headers, body = request
            headers = {name: value.encode("utf-8") for name, value in headers.items()}
            status, found, text = served.request(method, path, body, headers)
            if status != 400 or "content-security-policy" in found:  # h11 itself refuses what is no HTTP
                check(status, found, text, request)
            statuses[status] = statuses.get(status, 0) + 1
            if turn % 1000 == 999:
                held.append(served.held())
        print(statuses, [bytes_ // 2**20 for bytes_ in held])
        assert held[-1] < held[1] + 16 * 2**20
        assert not any("Traceback" in line for line in served.lines), served.lines


# Who may ask


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"origin": "http://testserver"}, 200),
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"sec-fetch-site": "none"}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://testserver:81"}, 403),
        ({"origin": "http://testserver.evil.example"}, 403),
        ({"origin": "http://["}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"sec-fetch-site": "same-origin", "origin": "http://evil.example"}, 403),
        ({"host": "evil.example"}, 421),
        ({"host": "testserver.evil.example"}, 421),
        ({"host": "127.0.0.1"}, 421),
        ({"host": ""}, 421),
        ({"host": "TESTSERVER:8000"}, 200),
        ({"host": "testserver:99999999"}, 421),
        ({"host": "x@testserver"}, 421),
    ],
)
def test_who_may_ask(client, headers, status):
    answer = client.post("/api/play", {"puzzle": "rotation"}, headers)
    assert answer.status == status
    assert {name.lower() for name in HEADERS} <= set(answer.headers)
    if status == 421:
        assert client.get("/", headers).status == 421, "reading is refused, too"


@pytest.mark.parametrize(
    ("site", "mode", "status"),
    [
        ("cross-site", "navigate", 200),
        ("cross-site", "no-cors", 403),
        ("same-site", "cors", 403),
        ("same-origin", "cors", 200),
        ("none", "navigate", 200),
    ],
)
def test_other_sites_may_link_and_load_nothing(client, site, mode, status):
    for path in ("/play/rotation", "/static/play.js"):
        assert client.get(path, {"sec-fetch-site": site, "sec-fetch-mode": mode}).status == status


def test_the_policy_has_no_exception():
    assert "unsafe" not in POLICY
    assert "*" not in POLICY
    assert "data:" not in POLICY
    assert POLICY.startswith("default-src 'none'")


def test_names_of_hosts():
    assert host_name("localhost:80") == "localhost"
    assert host_name("[::1]:80") == "::1"
    for wrong in ("", ":80", "a b", "a/b", "a\\b", "a@b", "a:b", "[::1"):
        assert host_name(wrong) is None, wrong


def test_forms_of_other_types_compute_nothing(client):
    for kind in ("application/x-www-form-urlencoded", "multipart/form-data", "text/plain", ""):
        assert client.post("/api/play", {"puzzle": "rotation"}, {"content-type": kind}).status == 415


# Bytes that are no requests, and clients that take their time


RAW = [
    b"\r\n\r\n",
    b"GET / HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"GET / HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET /\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"CONNECT evil.example:443 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    b"GET /\xff\xfe HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"a" * 40_000 + b"\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"X: y\r\n" * 10_000 + b"\r\n",
    b"POST /api/play HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\n\r\n",
    b"POST /api/play HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
    b"POST /api/play HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b"Content-Length: 99999999999999999999\r\n\r\nabc",
    b"POST /api/play HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b"Transfer-Encoding: chunked\r\n\r\nZZ\r\nabc",
    b"POST /api/play HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n4\r\nabcd\r\n0\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n\x00\x01garbage in the middle of an answer\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 50,
    b"HEAD / HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n",
    bytes(range(256)) * 50,
]


@pytest.fixture(scope="module")
def impatient():
    """A server that waits no longer than half a second for a request or a reader."""
    with web.threaded(limits(request_seconds=0.5, reader_seconds=0.5, **web.FEW)) as made:
        yield made


def alive(server):
    with server.connect() as client:
        client.sendall(b"GET /static/icon.svg HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        return client.recv(100).startswith(b"HTTP/1.1 200")


def settles(server, connections=0, seconds=8.0):
    """Returns `True` if the server has no more than `connections` connections within some seconds."""
    end = time.monotonic() + seconds
    while server.connections > connections and time.monotonic() < end:
        time.sleep(0.02)
    return server.connections <= connections


def closed_after(client, seconds=6.0):
    """After how many seconds the server closes a connection."""
    begun = time.monotonic()
    client.settimeout(seconds)
    with suppress(ConnectionError):
        while client.recv(65536):
            pass
    return time.monotonic() - begun


@pytest.mark.parametrize("raw", RAW, ids=range(len(RAW)))
def test_bytes_that_are_no_request(impatient, raw, caplog):
    with impatient.connect() as client, suppress(ConnectionError):
        client.sendall(raw)
        client.settimeout(5)
        answer = client.recv(65536)
        assert not answer or answer.startswith(b"HTTP/1.1 "), answer
        assert not answer.startswith(b"HTTP/1.1 500")
    assert alive(impatient)
    assert [record for record in caplog.records if record.exc_info] == []


def test_clients_that_break_off(impatient, caplog):
    whole = (
        b"POST /api/play HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 24\r\n\r\n"
    )
    whole += b'{"puzzle":  "rotation" }'
    for length in range(0, len(whole) + 1, 6):
        with impatient.connect() as client:
            client.sendall(whole[:length])
            if length % 4 == 0:
                client.shutdown(socket.SHUT_WR)  # half-closed: the client could still read
            elif length % 4 == 2:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # reset
    assert settles(impatient)
    assert alive(impatient)
    assert [record for record in caplog.records if record.exc_info] == []


def drip(client, first, part, seconds=6.0):
    """Sends a part again and again. Returns after how many seconds the server closes the connection."""
    begun = time.monotonic()
    with suppress(ConnectionError):
        client.sendall(first)
        while time.monotonic() < begun + seconds:
            client.sendall(part)
            time.sleep(0.05)
    return time.monotonic() - begun


HEAD = b"POST /api/play HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n"


@pytest.mark.parametrize(
    ("first", "part"),
    [
        (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n", b"X: y\r\n"),
        (b"G", b"E"),
        (HEAD, b" "),
        (HEAD.replace(b"/api/play", b"/nowhere"), b" "),
        (HEAD.replace(b"application/json", b"text/plain"), b" "),
        (HEAD.replace(b"Content-Length: 60000", b"Transfer-Encoding: chunked"), b"1\r\n \r\n"),
        (b"GET /static/icon.svg HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nG", b"E"),
    ],
)
def test_slow_requests_are_cut_off(impatient, first, part):
    with impatient.connect() as client:
        assert drip(client, first, part) < 4
    assert settles(impatient)


def test_silent_connections_are_closed(impatient):
    with impatient.connect() as client:
        assert closed_after(client) < 3


def test_a_client_that_does_not_read_is_cut_off(impatient):
    with impatient.connect() as client, suppress(ConnectionError):
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(5)
        client.sendall(b"GET /static/play.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 1500)
        assert settles(impatient)
    assert settles(impatient)
    assert alive(impatient)


def test_an_answer_may_take_longer_than_a_request(impatient):
    """The time limit is for the arrival of a request. An answer may take longer."""
    body = json.dumps({"puzzle": "rotation"}).encode()
    with impatient.connect() as client:
        client.settimeout(20)
        head = HEAD.replace(b"/api/play", b"/api/explore").replace(b"60000", str(len(body)).encode())
        client.sendall(head + body)
        answer = client.recv(65536)
    assert answer.startswith((b"HTTP/1.1 200", b"HTTP/1.1 422")), answer


def test_too_many_connections():
    with web.threaded(limits(connections=20, request_seconds=0.5, **web.FEW)) as server:
        clients = [server.connect() for _ in range(60)]
        for client in clients:
            with suppress(ConnectionError):
                client.sendall(b"GET /static/icon.svg HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        answers = []
        for client in clients:
            client.settimeout(5)
            with suppress(ConnectionError):
                answers.append(client.recv(65536)[:12])
            client.close()
        assert {b"HTTP/1.1 503"} <= set(answers) <= {b"HTTP/1.1 200", b"HTTP/1.1 503", b""}
        assert settles(server)
        assert alive(server)
