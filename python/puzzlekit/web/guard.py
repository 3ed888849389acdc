"""The checks before every request: who may send it, from which page; and the headers for browsers on every answer.

docs/serve.md, "Safety", says what is refused and why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse

from puzzlekit.web.policy import SERVED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "Content-Security-Policy": SERVED,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}

LOOPBACK = ("localhost", "127.0.0.1", "::1")
"""The names of this machine. A request may always use them in its `Host` header."""

READING = ("GET", "HEAD")
"""The methods that change nothing and cost little."""


class Guard:
    """Refuses requests that pages of other sites could make, and adds headers to every answer.

    Args:
        app: The application that answers.
        hosts: The names by which the server may be called.
        lasting: The beginning of the addresses whose files never change.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str], lasting: str) -> None:
        self._app = app
        self._lasting = f"{lasting}/"
        self._hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, or refuses it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                # Files whose address has a digest of their contents may be kept for good. Browsers may keep other
                # files, too, but must ask each time whether these have changed. They keep nothing else.
                path, found = scope["path"], message["status"] in (200, 304)
                lasting = found and path.startswith(self._lasting)
                kept = "no-cache" if found and path.startswith("/static/") else "no-store"
                headers["Cache-Control"] = "public, max-age=31536000, immutable" if lasting else kept
            await send(message)

        refused = self._refused(scope)
        await (refused or self._app)(scope, receive, send_guarded)

    def _refused(self, scope: Scope) -> JSONResponse | None:
        """The answer that refuses a request; `None` if it may pass."""
        headers = Headers(scope=scope)
        asked = host_name(headers.get("host", ""))
        # Another site may point its name at this machine (DNS rebinding). Then its pages could read everything here.
        if asked is None or asked not in self._hosts:
            return refusal(421, "this server is not called by that name; start it with --allow-host NAME")
        foreign = headers.get("sec-fetch-site", "none") not in ("same-origin", "none")
        if scope["method"] in READING:
            # A user may follow a link from another site. But the pages of that site may not load anything from here.
            if foreign and headers.get("sec-fetch-mode") != "navigate":
                return refusal(403, "a page of another site may link to this server, and load nothing from it")
            return None
        if foreign:
            return refusal(403, "a page of another site may not ask this server to compute")
        origin = headers.get("origin")
        if origin is not None and not _is_same(origin, headers.get("host", "")):
            return refusal(403, "a page of another origin may not ask this server to compute")
        return None


def refusal(status: int, message: str) -> JSONResponse:
    """An answer that says in a sentence why the request is refused."""
    return JSONResponse({"error": message}, status_code=status)


def host_name(host: str) -> str | None:
    """The name in a `Host` header, without the port; `None` if there is none.

    >>> host_name("LOCALHOST:8000"), host_name("[::1]:8000"), host_name("user@localhost")
    ('localhost', '::1', None)
    """
    if not host or any(character in host for character in "@/\\?# \t,"):
        return None
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port
        return parts.hostname
    except ValueError:
        return None


def _is_same(origin: str, host: str) -> bool:
    """Returns `True` if an `Origin` header names the server that the `Host` header names."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()
