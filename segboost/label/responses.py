"""Responses of the server, with their common headers."""

from __future__ import annotations

import gzip
import json
from importlib import resources
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

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


def static_file(name: str) -> bytes:
    """Return a file of the page, or one of its scripts."""
    folder = "scripts" if name.endswith(".js") else "static"
    return (resources.files("segboost.label") / folder / name).read_bytes()


def json_response(values: dict[str, Any], status: int = 200) -> Response:
    """Return values as JSON."""
    text = json.dumps(values, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # File names may hold bytes that are not text; the page shows a question mark for each.
    return Response(text.encode("utf-8", "replace"), status, HEADERS, "application/json")


def problem(text: str, status: int) -> Response:
    """Return an error message for the page to show."""
    return json_response({"problem": text}, status)


def packed_bytes(data: bytes, headers: dict[str, str] | None = None) -> Response:
    """Return gzip-compressed bytes: label maps shrink a hundredfold."""
    packed = {**HEADERS, **(headers or {}), "content-encoding": "gzip"}
    return Response(gzip.compress(data, 1), 200, packed, "application/octet-stream")


def missing(request: Request, error: Any) -> Response:
    """Return a response with status 404."""
    return PlainTextResponse("404: not found\n", 404, HEADERS)
