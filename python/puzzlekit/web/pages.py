"""The HTML pages, made from templates that escape every text. The scripts in `static/` make them interactive."""

from __future__ import annotations

import asyncio
import datetime
import gzip
import secrets
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from puzzlekit.draw import pixels
from puzzlekit.errors import PuzzlekitError
from puzzlekit.web.rendering import STATIC, digest, environment

if TYPE_CHECKING:
    from jinja2 import Environment
    from starlette.requests import Request

    from puzzlekit.web.service import Service

FILES = {path.name: path.read_bytes() for path in sorted(STATIC.iterdir())}
"""The scripts, styles and pictures of the pages."""

LASTING = f"/static/{digest(FILES.items())}"
"""The address of these files. It has a digest of their contents, so browsers may keep them for good."""

TYPES = {
    "js": "text/javascript",
    "css": "text/css",
    "svg": "image/svg+xml",
    "webmanifest": "application/manifest+json",
}
"""The media type of each kind of file."""


@cache
def templates() -> Environment:
    """The templates, with the addresses of this server."""
    made = environment()
    made.globals |= {
        "static": LASTING,
        "home": "/",
        "manifest": f"{LASTING}/manifest.webmanifest",
        "page": lambda kind, text: f"/{kind}/{quote(text)}",
        "site": None,
        "embedded": False,
    }
    return made


async def home(request: Request) -> Response:
    """The page that lists the puzzles."""
    service: Service = request.app.state.service
    found = await asyncio.gather(*(service.describe(offer.text) for offer in service.setting.offers))
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    return _page("home.html", {"puzzles": found, "today": today, **_pictured(request, found[0]["puzzle"])})


async def play(request: Request) -> Response:
    """The page on which a puzzle is played."""
    service: Service = request.app.state.service
    found = await _described(request)
    ready = await service.ready(found, [secrets.token_hex(4)])
    return _page("play.html", {"puzzle": found, "ready": ready, **_pictured(request, found["puzzle"])})


async def explore(request: Request) -> Response:
    """The page on which the states of a puzzle are counted."""
    found = await _described(request)
    return _page("explore.html", {"puzzle": found, **_pictured(request, found["puzzle"])})


async def picture(request: Request) -> Response:
    """A picture of a puzzle, which other programs show beside a link to its page."""
    service: Service = request.app.state.service
    try:
        return Response(await service.picture(request.path_params["puzzle"]), media_type="image/png")
    except PuzzlekitError as error:
        raise HTTPException(404, str(error)) from None


async def lasting(request: Request) -> Response:
    """A file of the pages. It is packed once: a visit asks for fifteen of them before the first board is seen."""
    name = request.path_params["name"]
    if name not in FILES:
        raise HTTPException(404)
    kind, headers = TYPES[name.rpartition(".")[2]], {"Vary": "Accept-Encoding"}
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(FILES[name], headers=headers, media_type=kind)
    return Response(_packed(name), headers=headers | {"Content-Encoding": "gzip"}, media_type=kind)


@cache
def _packed(name: str) -> bytes:
    return gzip.compress(FILES[name], mtime=0)


def fault(status: int, message: str) -> Response:
    """The page that says what went wrong."""
    return _page("fault.html", {"message": message}, status)


async def _described(request: Request) -> dict[str, Any]:
    service: Service = request.app.state.service
    found = await service.describe(request.path_params["puzzle"])
    if "error" in found:
        raise HTTPException(404, found["error"])
    return found


def _pictured(request: Request, text: str) -> dict[str, str]:
    """The whole address of the picture of a puzzle; nothing if no pictures can be made.

    A server that stands before this one says in a header whether browsers reach it by https.
    """
    if not pixels.is_installed():
        return {}
    scheme = "https" if request.headers.get("x-forwarded-proto") == "https" else request.url.scheme
    return {"picture": f"{scheme}://{request.url.netloc}/picture/{quote(text)}.png"}


def _page(name: str, context: dict[str, Any], status: int = 200) -> HTMLResponse:
    return HTMLResponse(templates().get_template(name).render(context), status_code=status)
