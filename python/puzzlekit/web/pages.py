"""The HTML pages, made from templates that escape every text. The scripts in `static/` make them interactive."""

from __future__ import annotations

import asyncio
import datetime
import hashlib
import re
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
STATIC = Path(__file__).parent / "static"


def _lasting() -> str:
    """An address that names the contents of all files of the folder, so that browsers may keep these for good."""
    found = hashlib.sha256()
    for path in sorted(STATIC.iterdir()):
        found.update(path.name.encode() + path.read_bytes())
    return f"/static/{found.hexdigest()[:16]}"


LASTING = _lasting()
"""The address of the scripts, styles and pictures of the pages."""


@cache
def modules(name: str) -> tuple[str, ...]:
    """The scripts that a script of the page needs at once, itself included."""
    found, pending = [name], [name]
    while pending:
        text = (STATIC / pending.pop()).read_text(encoding="utf-8")
        new = [each for each in re.findall(r'from "\./([^"]+)"', text) if each not in found]
        found += new
        pending += new
    return tuple(found)


@cache
def templates() -> Jinja2Templates:
    """The templates. Every text that is put into them is escaped, whatever the file is called."""
    loader = FileSystemLoader(TEMPLATES)
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals |= {"version": __version__, "static": LASTING, "modules": modules}
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
