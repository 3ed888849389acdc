"""Reads the body of a request, and refuses a body that is of a wrong type, too long, too late or nested too deep."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

if TYPE_CHECKING:
    from starlette.requests import Request

    from puzzlekit.web.limits import Limits


async def read_json(request: Request, limits: Limits) -> Any:  # noqa: ANN401 - any JSON; `request_fields` checks it
    """The JSON in a body.

    Raises:
        HTTPException: 415 if the body is of another type, 413 if it is too long, 408 if it does not arrive in time, and
            400 if it is no JSON.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(415, f"the body is of the type {kind[:80]!a}; give application/json")
    told = request.headers.get("content-length", "")
    if told.isdecimal() and (len(told) > 12 or int(told) > limits.body_bytes):
        raise _too_long(limits)
    body = bytearray()
    try:
        async with asyncio.timeout(limits.request_seconds):
            async for part in request.stream():
                body += part
                if len(body) > limits.body_bytes:
                    raise _too_long(limits)
    except TimeoutError:
        raise HTTPException(408, "the body did not arrive in time; send it faster") from None
    except ClientDisconnect:
        raise HTTPException(400, "the connection was closed before the body was whole; send it again") from None
    try:
        # Python refuses numbers of more than 4,300 digits, and lists in lists that are nested too deep.
        return json.loads(body.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise HTTPException(400, "the body is no JSON in UTF-8; give an object with the fields") from None


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _too_long(limits: Limits) -> HTTPException:
    return HTTPException(413, f"the body has more than {limits.body_bytes:,} bytes; send less")
