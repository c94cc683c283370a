"""HTTP connections that are closed if a request does not arrive in time."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 30.0
"""Seconds in which a request must arrive, body included; over loopback it takes milliseconds."""


class TimedConnection(H11Protocol):
    """Closes a connection on which no complete request arrives within `PATIENCE`.

    uvicorn alone only limits the time between two requests.
    """

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start waiting for the first request."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Start waiting for the next request."""
        super().on_response_complete()
        self._wait()

    def _wait(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if not self.transport.is_closing():
            self._timer = self.loop.call_later(PATIENCE, self._expire)

    def _expire(self) -> None:
        cycle = self.cycle
        answering = cycle is not None and not cycle.response_complete and not cycle.more_body
        if answering:  # it arrived in time; computing the answer may take longer
            self._wait()
        else:
            self.transport.abort()
