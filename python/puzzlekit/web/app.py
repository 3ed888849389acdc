"""The web application: its routes, and the answers to requests that fail."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from puzzlekit.web import api, pages
from puzzlekit.web.guard import Guard, refusal
from puzzlekit.web.rendering import STATIC

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from starlette.requests import Request
    from starlette.responses import Response

    from puzzlekit.web.service import Service


def build(service: Service, hosts: Iterable[str]) -> Starlette:
    """Makes the application of a service. `hosts` are the names by which the server may be called."""

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        await service.start()
        try:
            yield
        finally:
            await service.close()

    packed = [Middleware(GZipMiddleware, minimum_size=500)]
    app = Starlette(
        routes=[
            Route("/", pages.home, middleware=packed),
            Route("/play/{puzzle:path}", pages.play, middleware=packed),
            Route("/explore/{puzzle:path}", pages.explore, middleware=packed),
            Route("/picture/{puzzle:path}.png", pages.picture),
            Route("/api/{verb}", api.answer, methods=["POST"]),
            Route(f"{pages.LASTING}/{{name}}", pages.lasting),
            Mount("/static", StaticFiles(directory=STATIC), middleware=packed),
        ],
        middleware=[Middleware(Guard, hosts=tuple(hosts), lasting=pages.LASTING)],
        exception_handlers={HTTPException: failed, 404: failed, 405: failed, 500: failed},
        lifespan=lifespan,
    )
    app.state.service = service
    return app


async def failed(request: Request, error: Exception) -> Response:
    """The answer to a request that failed: an HTML page for browsers, JSON for programs."""
    status, message = 500, "this is a fault of puzzlekit; the terminal of the server says more"
    if isinstance(error, HTTPException):
        status, message = error.status_code, error.detail
        if (status, message) == (404, "Not Found"):
            message = f"there is no page {request.url.path[:80]!a} here; the puzzles are on the first page"
    if request.url.path.startswith("/api/") or "text/html" not in request.headers.get("accept", ""):
        return refusal(status, message)
    return pages.fault(status, message)
