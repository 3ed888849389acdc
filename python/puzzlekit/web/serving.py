"""Runs the server: opens its socket, finds the names by which it may be called, and reports when it is ready."""

from __future__ import annotations

import logging
import os
import socket
from typing import TYPE_CHECKING

import uvicorn

from puzzlekit.errors import PuzzlekitError, UsageError
from puzzlekit.web.app import build
from puzzlekit.web.connections import PatientProtocol
from puzzlekit.web.guard import LOOPBACK
from puzzlekit.web.service import Service

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from puzzlekit.web.pool import Setting

ANYWHERE = ("0.0.0.0", "::", "")
"""Addresses that mean all addresses of a machine. A request cannot use them as a name."""

BACKLOG = 256
"""The number of connections that may wait until they are accepted."""


def bind(host: str, port: int) -> socket.socket:
    """Opens a socket that listens at an address.

    Raises:
        UsageError: The address is not this machine's, or something else listens there.
    """
    listener = None
    try:
        kind = socket.SOCK_STREAM
        family, _, _, _, address = socket.getaddrinfo(host, port, type=kind, flags=socket.AI_PASSIVE)[0]
        # The protocol is named, because asyncio sends small parts at once (TCP_NODELAY) only for sockets that name it.
        # Otherwise each answer waits for 40 ms.
        listener = socket.socket(family, kind, socket.IPPROTO_TCP)
        if os.name == "posix":  # on Windows, this option would let other programs listen at the same address
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except (OSError, UnicodeError) as error:
        if listener is not None:
            listener.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"cannot listen on {host} port {port}: {reason}; give another --host or --port") from None
    listener.setblocking(False)
    return listener


def names(host: str, allowed: Sequence[str]) -> list[str]:
    """The names by which the server may be called.

    Raises:
        UsageError: It listens on all addresses, and no name is given.
    """
    if host in ANYWHERE and not allowed:
        raise UsageError(
            f"--host {host} lets other machines in; also give --allow-host NAME, the name by which they call this one"
        )
    return [*LOOPBACK, *(() if host in ANYWHERE else (host,)), *allowed]


class Server(uvicorn.Server):
    """Uvicorn's server, with a function that it calls when it is ready."""

    def __init__(self, config: uvicorn.Config, service: Service, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._service, self._ready = service, ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begins to listen.

        Raises:
            PuzzlekitError: The processes that answer cannot be started.
        """
        log = logging.getLogger("uvicorn.error")
        level = log.level
        log.setLevel(logging.CRITICAL)  # if the processes cannot be started, a sentence tells it, and no traceback
        try:
            await super().startup(sockets)
        except SystemExit:
            raise PuzzlekitError(str(self._service.fault or "the server did not start")) from self._service.fault
        finally:
            log.setLevel(level)
        if self.started:
            self._ready()


def server(setting: Setting, hosts: Sequence[str], ready: Callable[[], None] = lambda: None) -> Server:
    """A server for the pages of some puzzles. Its method `run`, with a socket of `bind`, starts it.

    Args:
        setting: The puzzles and the limits.
        hosts: The names by which it may be called.
        ready: Called when the first page can be asked for.
    """
    limits = setting.limits
    protocol = type("BoundProtocol", (PatientProtocol,), {"limits": limits})
    service = Service(setting)
    config = uvicorn.Config(
        build(service, hosts),
        http=protocol,
        ws="none",
        lifespan="on",
        loop="asyncio",
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=limits.connections,
        h11_max_incomplete_event_size=limits.header_bytes,
        timeout_graceful_shutdown=2,
    )
    return Server(config, service, ready)
