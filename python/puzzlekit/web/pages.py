"""The HTML pages, made from templates that escape every text. The scripts in `static/` make them interactive."""

from __future__ import annotations

import asyncio
import datetime
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse

from puzzlekit.web.rendering import STATIC, digest, environment

if TYPE_CHECKING:
    from jinja2 import Environment
    from starlette.requests import Request
    from starlette.responses import Response

    from puzzlekit.web.service import Service

LASTING = f"/static/{digest((path.name, path.read_bytes()) for path in sorted(STATIC.iterdir()))}"
"""The address of the scripts, styles and pictures of the pages. It has a digest of their contents, so browsers may keep
them for good."""


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
    return _page("home.html", {"puzzles": found, "today": today})


async def play(request: Request) -> Response:
    """The page on which a puzzle is played."""
    return _page("play.html", {"puzzle": await _described(request)})


async def explore(request: Request) -> Response:
    """The page on which the states of a puzzle are counted."""
    return _page("explore.html", {"puzzle": await _described(request)})


def fault(status: int, message: str) -> Response:
    """The page that says what went wrong."""
    return _page("fault.html", {"message": message}, status)


async def _described(request: Request) -> dict[str, Any]:
    service: Service = request.app.state.service
    found = await service.describe(request.path_params["puzzle"])
    if "error" in found:
        raise HTTPException(404, found["error"])
    return found


def _page(name: str, context: dict[str, Any], status: int = 200) -> HTMLResponse:
    return HTMLResponse(templates().get_template(name).render(context), status_code=status)
