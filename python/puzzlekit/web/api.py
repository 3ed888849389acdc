"""The JSON interface, with one address for each verb, which takes a POST; docs/web-api.md describes it."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response, StreamingResponse

from puzzlekit.errors import PuzzlekitError
from puzzlekit.web.body import read_json
from puzzlekit.web.guard import refusal
from puzzlekit.web.pool import BusyError, FailedError, LateError, LostError
from puzzlekit.web.request_fields import VERBS, read

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

    from puzzlekit.web import request_fields
    from puzzlekit.web.service import Service

LINES = "application/x-ndjson"
"""The media type of an answer with progress: a line of JSON for each report of progress, and the answer last."""

STATUS = {
    "UnsolvableError": 422,
    "LimitError": 422,
    "PluginError": 422,
    "RulesError": 422,
    "full": 422,
}
"""The HTTP status for each kind of error. All other kinds mean that the request is wrong, and give the status 400."""


async def answer(request: Request) -> Response:
    """Answers a request of any verb."""
    service: Service = request.app.state.service
    verb = request.path_params["verb"]
    if verb not in VERBS:
        raise HTTPException(404, f"there is no verb {verb[:40]!a}; the verbs are {', '.join(VERBS)}")
    try:
        checked = read(verb, await read_json(request, service.limits))
        if VERBS[verb].long and LINES in request.headers.get("accept", ""):
            return StreamingResponse(_lines(service, checked), media_type=LINES)
        return JSONResponse(await _unless_left(request, service, checked))
    except PuzzlekitError as error:
        return refusal(status_of(error), str(error))


def status_of(error: PuzzlekitError) -> int:
    """The HTTP status of an answer that says why a request failed."""
    if isinstance(error, FailedError):
        return STATUS.get(error.kind, 400)
    return {BusyError: 503, LateError: 422, LostError: 503}.get(type(error), 400)


async def _unless_left(request: Request, service: Service, checked: request_fields.Request) -> dict[str, Any]:
    """The answer to a request. If the client closes the connection, the search is stopped."""
    search = asyncio.ensure_future(service.pool(checked.verb).answer(checked))
    leaving = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait((search, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not search.done():
            raise HTTPException(400, "the connection was closed before there was an answer")
        return search.result()
    finally:
        search.cancel()
        leaving.cancel()
        await asyncio.gather(search, leaving, return_exceptions=True)


async def _left(request: Request) -> None:
    """Waits until the client closes the connection."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _lines(service: Service, checked: request_fields.Request) -> AsyncIterator[bytes]:
    """The lines of an answer with progress. Starlette stops the generator if the client closes the connection."""
    try:
        async with aclosing(service.pool(checked.verb).answers(checked)) as lines:
            async for line in lines:
                yield json.dumps(line).encode() + b"\n"
    except PuzzlekitError as error:
        yield json.dumps({"error": str(error), "status": status_of(error)}).encode() + b"\n"
