"""Connections that are shut down when the time for an answer is over, even while the host is sending."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection

if TYPE_CHECKING:
    from types import TracebackType


class Clock:
    """The sockets that an answer needs, which are shut down when the time for it is over.

    Then code that waits for a byte gets an error at once. A time limit for each byte would not be enough, since a host
    could send one byte at a time for ever.

    Attributes:
        over: Whether the time is over.
    """

    def __init__(self) -> None:
        self.over = False
        self._sockets: list[socket.socket] = []
        self._lock = threading.Lock()

    def hold(self, wire: socket.socket) -> None:
        """Notes a socket that is to be shut down when the time is over."""
        with self._lock:
            self._sockets.append(wire)
        if self.over:
            self.stop()

    def stop(self) -> None:
        """Shuts all sockets down, and those that are noted later."""
        self.over = True
        with self._lock:
            for wire in self._sockets:
                with suppress(OSError):  # it is closed
                    socket.socket.shutdown(wire, socket.SHUT_RDWR)  # of TLS, too: the connection below it

    def __enter__(self) -> Clock:
        self._before = _CLOCK.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        _CLOCK.reset(self._before)


_CLOCK: ContextVar[Clock | None] = ContextVar("_CLOCK", default=None)
"""The clock of the answer that this thread is waiting for; `None` if it waits for none."""


def _hold(wire: socket.socket | None) -> None:
    clock = _CLOCK.get()
    if clock is not None and wire is not None:
        clock.hold(wire)


class _Held(HTTPConnection):
    """A connection that notes its sockets in the clock, so that the clock can shut them down."""

    def _new_conn(self) -> socket.socket:
        made = super()._new_conn()
        _hold(made)
        return made

    def getresponse(self) -> Any:  # noqa: ANN401 - as in urllib3
        _hold(self.sock)
        return super().getresponse()


class _HeldSafe(_Held, HTTPSConnection):
    """A `_Held` connection that uses TLS."""


class _PlainPool(urllib3.HTTPConnectionPool):
    ConnectionCls = _Held


class _SafePool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _HeldSafe


def pools(proxy: str) -> urllib3.PoolManager:
    """Makes the object that opens connections, through a proxy if one is named.

    The user and the password in the proxy's address are sent only to the proxy.

    Raises:
        HTTPError, ValueError: `proxy` is no address.
    """
    made: urllib3.PoolManager
    if proxy:
        parts = urlsplit(proxy)
        user = None if parts.username is None else f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers = urllib3.make_headers(proxy_basic_auth=user)
        made = urllib3.ProxyManager(proxy.replace(f"{parts.netloc.rpartition('@')[0]}@", ""), proxy_headers=headers)
    else:
        made = urllib3.PoolManager()
    made.pool_classes_by_scheme = {"http": _PlainPool, "https": _SafePool}
    return made
