"""Access control: the token, Host and Origin of every request."""

from __future__ import annotations

import hmac

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from segboost.label.responses import HEADERS


class Guard:
    """Rejects requests without the token, or with a foreign Host or Origin header.

    The token is the first part of every path, and pages of other sites cannot know it. Checking
    the host defeats DNS rebinding: foreign names that resolve to this machine are not in `hosts`.

    Parameters
    ----------
    app : ASGI application
    token : str
    hosts : set of str
        Allowed values of the Host header.
    """

    def __init__(self, app: ASGIApp, token: str, hosts: set[str]) -> None:
        self.app = app
        self.token = token
        self.hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request, or answer 403."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        if not self._allowed(scope):
            answer = PlainTextResponse(
                "403: open the address that segboost label printed\n", 403, HEADERS
            )
            await answer(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _allowed(self, scope: Scope) -> bool:
        headers = {k.decode("latin-1"): v.decode("latin-1") for k, v in scope["headers"]}
        host = headers.get("host", "")
        origin = headers.get("origin")
        given = str(scope["path"]).removeprefix("/").split("/")[0]
        return (
            host in self.hosts
            and origin in (None, f"http://{host}")
            and hmac.compare_digest(given.encode(), self.token.encode())
        )
