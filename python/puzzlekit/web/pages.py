"""The HTML pages, made from templates that escape every text. The scripts in `static/` make them interactive."""

from __future__ import annotations

import asyncio
import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.exceptions import HTTPException
from starlette.templating import Jinja2Templates

from puzzlekit.run.engine.machine import __version__

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import HTMLResponse, Response

    from puzzlekit.web.service import Service

TEMPLATES = Path(__file__).parent / "templates"


@cache
def templates() -> Jinja2Templates:
    """The templates. Every text that is put into them is escaped, whatever the file is called."""
    loader = FileSystemLoader(TEMPLATES)
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals["version"] = __version__
    return Jinja2Templates(env=environment)


async def home(request: Request) -> Response:
    """The page that lists the puzzles."""
    service: Service = request.app.state.service
    found = await asyncio.gather(*(service.describe(offer.text) for offer in service.setting.offers))
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    return _page(request, "home.html", {"puzzles": found, "today": today})


async def play(request: Request) -> Response:
    """The page on which a puzzle is played."""
    return _page(request, "play.html", {"puzzle": await _described(request)})


async def explore(request: Request) -> Response:
    """The page on which the states of a puzzle are counted."""
    return _page(request, "explore.html", {"puzzle": await _described(request)})


def fault(request: Request, status: int, message: str) -> Response:
    """The page that says what went wrong."""
    return _page(request, "fault.html", {"message": message}, status)


async def _described(request: Request) -> dict[str, Any]:
    service: Service = request.app.state.service
    found = await service.describe(request.path_params["puzzle"])
    if "error" in found:
        raise HTTPException(404, found["error"])
    return found


def _page(request: Request, name: str, context: dict[str, Any], status: int = 200) -> HTMLResponse:
    return templates().TemplateResponse(request, name, context, status_code=status)
