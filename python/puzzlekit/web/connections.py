"""Connections that end when a client takes too long: to send a request, or to read an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio

    from puzzlekit.web.limits import Limits

WAITED_FOR = (h11.IDLE, h11.SEND_BODY)
"""The states of a connection in which the server waits for more from the client."""


class PatientProtocol(H11Protocol):
    """Uvicorn's protocol, with time limits for the client.

    Uvicorn ends a connection that is silent between two requests. But it waits for ever for headers that never end, for
    a body that nobody reads, and for a client that does not read its answer. Here a request must have arrived whole
    within some seconds of its first byte, and an answer must be read.
    """

    limits: Limits

    def __init__(self, *given: Any, **named: Any) -> None:  # noqa: ANN401 - those of uvicorn
        super().__init__(*given, **named)
        self._request_end: asyncio.TimerHandle | None = None
        self._reader_end: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begins to wait for a request."""
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        """Takes what the client sent."""
        try:
            super().data_received(data)
        except h11.LocalProtocolError:  # the client sends nonsense while an answer is being sent
            self.transport.abort()
        self._expect()

    def on_response_complete(self) -> None:
        """Waits for the rest of the request that was answered, or for the next one."""
        super().on_response_complete()
        self._expect(silent=not self.conn.trailing_data[0])

    def pause_writing(self) -> None:
        """Begins to wait for the client to read."""
        super().pause_writing()
        self._reader_end = self.loop.call_later(self.limits.reader_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Stops the wait for the client to read, since it has read."""
        super().resume_writing()
        self._reader_end = self._forget(self._reader_end)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forgets the connection."""
        self._request_end = self._forget(self._request_end)
        self._reader_end = self._forget(self._reader_end)
        super().connection_lost(exc)

    def _expect(self, *, silent: bool = False) -> None:
        """Starts the timer of an incomplete request, if it has none. Stops the timer when the request is whole.

        Args:
            silent: Whether nothing of the next request has arrived. Then uvicorn's own timer for idle connections runs.
        """
        waits = self.conn.their_state in WAITED_FOR and not (silent and self.conn.their_state is h11.IDLE)
        if not waits:
            self._request_end = self._forget(self._request_end)
        elif self._request_end is None and not self.transport.is_closing():
            self._request_end = self.loop.call_later(self.limits.request_seconds, self.transport.abort)

    @staticmethod
    def _forget(timer: asyncio.TimerHandle | None) -> None:
        if timer is not None:
            timer.cancel()
