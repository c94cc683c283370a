"""The HTTP endpoints of the labelling page, for one user on this machine."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from segboost.io.errors import ImageFileError
from segboost.label.classes import PaintedClassError
from segboost.label.export import Exported, segment_command
from segboost.label.guard import Guard
from segboost.label.images import FolderImage
from segboost.label.masks import ConflictError, unpack_runs
from segboost.label.responses import (
    HEADERS,
    json_response,
    missing,
    packed_bytes,
    problem,
    static_file,
)
from segboost.label.session import LabelSession

SCRIPTS = (
    "canvas",
    "classes",
    "editor",
    "export",
    "keyboard",
    "labels",
    "layers",
    "list",
    "page",
    "painting",
    "prediction",
    "refresh",
    "saving",
    "server",
    "shapes",
    "state",
    "tools",
    "training",
    "view_settings",
)
STATIC = {
    **{f"{name}.css": "text/css" for name in ("page", "dialogs")},
    **{f"{name}.js": "text/javascript" for name in SCRIPTS},
}
MOST_BYTES = 16 * 2**20
"""Maximum size of a request body; run-length encoded masks are smaller."""
MOST_JSON = 2**16


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
        at("/api/stretched/{key}", page.stretched),
        at("/api/superpixels/{key}", page.superpixels),
        at("/api/prediction/{key}", page.prediction),
        at("/api/mask/{key}", page.mask),
        at("/api/mask/{key}", page.save, "PUT"),
        at("/api/focus/{key}", page.focus, "POST"),
        at("/api/classes", page.classes, "PUT"),
        at("/api/live", page.live, "PUT"),
        at("/api/train", page.train, "POST"),
        at("/api/stop", page.stop, "POST"),
        at("/api/export", page.export, "POST"),
    ]
    handlers: Any = {404: missing, 405: missing}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), token, hosts)


class Page:
    """The endpoints. Those that are not coroutines run in threads."""

    def __init__(self, session: LabelSession) -> None:
        self.session = session

    def index(self, request: Request) -> Response:
        """Return the HTML page."""
        return Response(static_file("page.html"), headers=HEADERS, media_type="text/html")

    def static(self, request: Request) -> Response:
        """Return a static file of the page."""
        name = request.path_params["name"]
        if name not in STATIC:
            return missing(request, None)
        return Response(static_file(name), headers=HEADERS, media_type=STATIC[name])

    def state(self, request: Request) -> Response:
        """Return `LabelSession.state`."""
        return json_response(self.session.state())

    def thumbnail(self, request: Request) -> Response:
        """Return the thumbnail of an image."""
        return self._jpeg(request, self.session.thumbnail)

    def image(self, request: Request) -> Response:
        """Return an image for the editor."""
        return self._jpeg(request, self.session.picture)

    def superpixels(self, request: Request) -> Response:
        """Return the superpixel map as little-endian 32-bit integers, row by row."""

        def answer(image: FolderImage) -> Response:
            return packed_bytes(self.session.superpixels(image).astype("<i4").tobytes())

        return self._about(request, answer)

    def stretched(self, request: Request) -> Response:
        """Return an image for the editor, stretched between two percentiles."""
        return self._jpeg(request, self.session.stretched)

    def prediction(self, request: Request) -> Response:
        """Return `LabelSession.prediction`."""
        return self._about(request, lambda image: json_response(self.session.prediction(image)))

    def mask(self, request: Request) -> Response:
        """Return the mask, one byte per pixel, with its version."""

        def answer(image: FolderImage) -> Response:
            shown, version = self.session.masks.shown(image)
            return packed_bytes(shown.tobytes(), {"etag": f'"{version}"'})

        return self._about(request, answer)

    async def save(self, request: Request) -> Response:
        """Save a mask if ``If-Match`` names its current version; 409 otherwise.

        The query is the stamp of the image that was painted on: 410 if the file was replaced.
        """
        body = await _read(request, MOST_BYTES, "the mask is too large")
        if isinstance(body, Response):
            return body
        return await run_in_threadpool(self._save, request, body)

    def _save(self, request: Request, body: bytes) -> Response:
        version = request.headers.get("if-match", "").strip('"')

        def answer(image: FolderImage) -> Response:
            if request.url.query not in ("", image.stamp):
                return problem(f"{image.name} was replaced while it was open", 410)
            height, width = image.shown_shape
            mask = unpack_runs(body, height * width).reshape(height, width)
            try:
                saved, number = self.session.save(image, mask, version)
                return json_response({"version": saved, "live": number})
            except ConflictError as conflict:
                return json_response({"problem": str(conflict), "version": conflict.version}, 409)

        return self._about(request, answer, self.session.images.current)

    def focus(self, request: Request) -> Response:
        """Process an image first in the background."""

        def answer(image: FolderImage) -> Response:
            self.session.open(image)
            return json_response({})

        return self._about(request, answer)

    async def classes(self, request: Request) -> Response:
        """Replace the classes; 409 if they were changed since ``revision``.

        Also 409 if removed classes have strokes and are not in ``erase``; ``painted`` in the answer
        lists their values, so that the page can ask for confirmation.
        """

        def change(asked: dict[str, Any]) -> Response:
            entries = asked.get("classes")
            if not isinstance(entries, list):
                raise ValueError("expected a list of classes")
            erase = asked.get("erase", [])
            if not isinstance(erase, list) or not all(isinstance(v, int) for v in erase):
                raise ValueError("expected erase to be a list of values")
            try:
                self.session.change_classes(entries, str(asked.get("revision")), erase)
            except ConflictError:
                return problem("the classes were changed in another tab", 409)
            except PaintedClassError as error:
                return json_response({"problem": str(error), "painted": error.values}, 409)
            return json_response({})

        return await _with_object(request, change)

    async def live(self, request: Request) -> Response:
        """Switch the live model on or off."""

        def change(asked: dict[str, Any]) -> Response:
            self.session.set_live(asked.get("on") is True)
            return json_response({})

        return await _with_object(request, change)

    def train(self, request: Request) -> Response:
        """Start training."""
        try:
            self.session.train()
        except (ValueError, RuntimeError) as error:
            return problem(str(error), 409)
        return json_response({})

    def stop(self, request: Request) -> Response:
        """Stop training."""
        self.session.processes.stop_training()
        return json_response({})

    async def export(self, request: Request) -> Response:
        """Run the requested exports: ``masks`` at once, the others in the background."""

        def start(asked: dict[str, Any]) -> Response:
            what = asked.get("what", ["masks"])
            if not isinstance(what, list) or not what:
                raise ValueError("choose something to export")
            made = self.session.export() if "masks" in what else None
            others = [str(name) for name in what if name != "masks"]
            number = self.session.export_predictions(others) if others else 0
            return json_response({"number": number, **self._exported(made)})

        return await _with_object(request, start, 409)

    def _exported(self, made: Exported | None) -> dict[str, Any]:
        shown: dict[str, Any] = {}
        if made is not None:
            shown = {"count": made.count, "command": made.command}
            shown |= {"images": str(made.images), "masks": str(made.masks)}
        if self.session.processes.model_key:
            model = self.session.project.model
            shown |= {"model": str(model), "segment": segment_command(model)}
        return shown

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
            return problem("the image was deleted", 404)
        if image.problem:
            return problem(image.problem, 422)
        try:
            return answer(image)
        except ImageFileError as error:
            return problem(str(error), 422)
        except (ValueError, OSError) as error:
            return problem(str(error), 400)


async def _read(request: Request, most: int, too_large: str) -> bytes | Response:
    """Return the body of a request, or the answer to one that is too large or incomplete.

    Parameters
    ----------
    request : Request
    most : int
        Maximum size in bytes.
    too_large : str
        The answer to a larger body.
    """
    body, size = bytearray(), 0
    try:
        async for chunk in request.stream():
            size += len(chunk)
            if size <= most:
                body += chunk
            elif size > 4 * most:
                break
    except ClientDisconnect:
        return problem("the request was not sent completely", 400)
    if size > most:
        # Some excess is read and dropped: a client that is still sending would miss the answer.
        return problem(too_large, 413)
    return bytes(body)


async def _with_object(
    request: Request, act: Callable[[dict[str, Any]], Response], refused: int = 400
) -> Response:
    """Answer a request whose body is a JSON object or empty; errors are shown by the page."""
    body = await _read(request, MOST_JSON, "request too large")
    if isinstance(body, Response):
        return body
    try:
        asked = json.loads(body or b"{}")
        if not isinstance(asked, dict):
            raise ValueError("expected an object")
    except (ValueError, RecursionError):
        return problem("the body is not a JSON object", 400)
    try:
        return await run_in_threadpool(act, asked)
    except (ValueError, RuntimeError, OSError) as error:
        return problem(str(error), refused)
