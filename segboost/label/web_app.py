"""The HTTP endpoints of the labelling page, for one user on this machine."""

from __future__ import annotations

import gzip
import hmac
import json
from collections.abc import Callable
from importlib import resources
from typing import Any

import numpy as np
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from segboost.io.errors import ImageFileError
from segboost.label.images import FolderImage
from segboost.label.masks import ConflictError, unpack_runs
from segboost.label.session import LabelSession

SCRIPTS = (
    "canvas",
    "editor",
    "keyboard",
    "labels",
    "list",
    "page",
    "painting",
    "refresh",
    "saving",
    "server",
    "state",
    "tools",
    "training",
)
STATIC = {
    "page.css": "text/css",
    **{f"{name}.js": "text/javascript" for name in SCRIPTS},
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
MOST_BYTES = 16 * 2**20
"""Maximum size of a request body; run-length encoded masks are smaller."""


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


def make_app(session: LabelSession, token: str, hosts: set[str]) -> ASGIApp:
    """Return the ASGI application of a session."""
    page = Page(session)

    def at(path: str, endpoint: Callable[..., Any], method: str = "GET") -> Route:
        return Route(f"/{{token}}{path}", endpoint, methods=[method])

    routes = [
        at("/", page.index),
        at("/static/{name}", page.static),
        at("/api/state", page.state),
        at("/api/thumbnail/{key}", page.thumbnail),
        at("/api/image/{key}", page.image),
        at("/api/superpixels/{key}", page.superpixels),
        at("/api/prediction/{key}", page.prediction),
        at("/api/mask/{key}", page.mask),
        at("/api/mask/{key}", page.save, "PUT"),
        at("/api/focus/{key}", page.focus, "POST"),
        at("/api/train", page.train, "POST"),
        at("/api/stop", page.stop, "POST"),
        at("/api/export", page.export, "POST"),
    ]
    handlers: Any = {404: _missing, 405: _missing}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), token, hosts)


class Page:
    """The endpoints. Those that are not coroutines run in threads."""

    def __init__(self, session: LabelSession) -> None:
        self.session = session

    def index(self, request: Request) -> Response:
        """Return the HTML page."""
        return Response(_file("page.html"), headers=HEADERS, media_type="text/html")

    def static(self, request: Request) -> Response:
        """Return a static file of the page."""
        name = request.path_params["name"]
        if name not in STATIC:
            return _missing(request, None)
        return Response(_file(name), headers=HEADERS, media_type=STATIC[name])

    def state(self, request: Request) -> Response:
        """Return `LabelSession.state`."""
        return _json(self.session.state())

    def thumbnail(self, request: Request) -> Response:
        """Return the thumbnail of an image."""
        return self._jpeg(request, self.session.thumbnail)

    def image(self, request: Request) -> Response:
        """Return an image for the editor."""
        return self._jpeg(request, self.session.picture)

    def superpixels(self, request: Request) -> Response:
        """Return the superpixel map as little-endian 32-bit integers, row by row."""

        def answer(image: FolderImage) -> Response:
            return _bytes(self.session.superpixels(image).astype("<i4").tobytes())

        return self._about(request, answer)

    def prediction(self, request: Request) -> Response:
        """Return the label and probability of every superpixel; 404 if not computed yet."""

        def answer(image: FolderImage) -> Response:
            found = self.session.prediction(image)
            if found is None:
                return _problem("there is no prediction for this image yet", 404)
            shares = np.rint(found.probability * 1000) / 1000
            labels = {"label": found.label.tolist(), "probability": shares.tolist()}
            return _json({**labels, "uncertainty": found.uncertainty})

        return self._about(request, answer)

    def mask(self, request: Request) -> Response:
        """Return the mask, one byte per pixel, with its version."""

        def answer(image: FolderImage) -> Response:
            shown, version = self.session.masks.shown(image)
            return _bytes(shown.tobytes(), {"etag": f'"{version}"'})

        return self._about(request, answer)

    async def save(self, request: Request) -> Response:
        """Save a mask if ``If-Match`` names its current version; 409 otherwise.

        The query is the stamp of the image that was painted on: 410 if the file was replaced.
        """
        from starlette.concurrency import run_in_threadpool

        body, size = bytearray(), 0
        try:
            async for chunk in request.stream():
                size += len(chunk)
                if size <= MOST_BYTES:
                    body += chunk
                elif size > 4 * MOST_BYTES:
                    break
        except ClientDisconnect:
            return _problem("the mask was not sent completely", 400)
        if size > MOST_BYTES:
            # Some excess is read and dropped: a client that is still sending would miss the answer.
            return _problem("the mask is too large", 413)
        return await run_in_threadpool(self._save, request, bytes(body))

    def _save(self, request: Request, body: bytes) -> Response:
        version = request.headers.get("if-match", "").strip('"')

        def answer(image: FolderImage) -> Response:
            if request.url.query not in ("", image.stamp):
                return _problem(f"{image.name} was replaced while it was open", 410)
            height, width = image.shown_shape
            mask = unpack_runs(body, height * width).reshape(height, width)
            try:
                return _json({"version": self.session.masks.save(image, mask, version)})
            except ConflictError as conflict:
                return _json({"problem": str(conflict), "version": conflict.version}, 409)

        return self._about(request, answer, self.session.images.current)

    def focus(self, request: Request) -> Response:
        """Process an image first in the background."""

        def answer(image: FolderImage) -> Response:
            self.session.processes.focus([image.path.name])
            return _json({})

        return self._about(request, answer)

    def train(self, request: Request) -> Response:
        """Start training."""
        try:
            self.session.train()
        except (ValueError, RuntimeError) as error:
            return _problem(str(error), 409)
        return _json({})

    def stop(self, request: Request) -> Response:
        """Stop training."""
        self.session.processes.stop_training()
        return _json({})

    def export(self, request: Request) -> Response:
        """Export images and masks for `segboost train`."""
        try:
            made = self.session.export()
        except (ValueError, OSError) as error:
            return _problem(str(error), 409)
        model = self.session.project.model if self.session.processes.model_key else None
        places = {"images": str(made.images), "masks": str(made.masks), "command": made.command}
        return _json({"count": made.count, "model": model and str(model), **places})

    def _jpeg(self, request: Request, make: Callable[[FolderImage], bytes]) -> Response:
        def answer(image: FolderImage) -> Response:
            # The URL changes with the file, so browsers may cache it.
            fresh = {**HEADERS, "cache-control": "private, max-age=86400"}
            return Response(make(image), headers=fresh, media_type="image/jpeg")

        return self._about(request, answer)

    def _about(
        self,
        request: Request,
        answer: Callable[[FolderImage], Response],
        find: Callable[[str], FolderImage] | None = None,
    ) -> Response:
        """Answer a request about an image, with its problem if it has one."""
        try:
            image = (find or self.session.images.get)(request.path_params["key"])
        except KeyError:
            return _problem("the image was deleted", 404)
        if image.problem:
            return _problem(image.problem, 422)
        try:
            return answer(image)
        except ImageFileError as error:
            return _problem(str(error), 422)
        except (ValueError, OSError) as error:
            return _problem(str(error), 400)


def _file(name: str) -> bytes:
    return (resources.files("segboost.label") / "static" / name).read_bytes()


def _json(values: dict[str, Any], status: int = 200) -> Response:
    text = json.dumps(values, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # File names may hold bytes that are not text; the page shows a question mark for each.
    return Response(text.encode("utf-8", "replace"), status, HEADERS, "application/json")


def _problem(text: str, status: int) -> Response:
    return _json({"problem": text}, status)


def _bytes(data: bytes, headers: dict[str, str] | None = None) -> Response:
    """Return gzip-compressed bytes: label maps shrink a hundredfold."""
    packed = {**HEADERS, **(headers or {}), "content-encoding": "gzip"}
    return Response(gzip.compress(data, 1), 200, packed, "application/octet-stream")


def _missing(request: Request, error: Any) -> Response:
    return PlainTextResponse("404: not found\n", 404, HEADERS)
