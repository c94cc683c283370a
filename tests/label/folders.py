"""Small folders of images, and a server on them in a thread of this process."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from PIL import Image

from segboost.datasets import load_synthetic
from tests.pipelines.segmentation.tiny_models import SETTINGS

HEIGHT, WIDTH = 72, 96


def scenes(count=5):
    return load_synthetic(count, 0, height=HEIGHT, width=WIDTH).train


def write_images(folder: Path, count=5) -> list[str]:
    folder.mkdir(parents=True, exist_ok=True)
    names = [f"scene_{k}.png" for k in range(count)]
    for name, item in zip(names, scenes(count), strict=True):
        Image.fromarray(item.image()).save(folder / name)
    return names


def tiny_settings(path: Path) -> Path:
    path.write_text(json.dumps({**SETTINGS, "C": 10.0}))
    return path


def runs(mask: np.ndarray) -> bytes:
    """Return the request body for a mask, encoded independently of the page."""
    flat = mask.ravel()
    ends = np.append(np.flatnonzero(np.diff(flat)) + 1, flat.size)
    starts = np.append(0, ends[:-1])
    return b"".join(
        bytes([flat[s]]) + int(e - s).to_bytes(4, "little")
        for s, e in zip(starts.tolist(), ends.tolist(), strict=True)
    )


@dataclass
class Answer:
    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def json(self):
        return json.loads(self.body)


@dataclass
class Client:
    """Sends requests as a browser would, or as an attacker would."""

    port: int
    token: str

    def ask(self, path, method="GET", body=None, token=None, **headers) -> Answer:
        place = self.token if token is None else token
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/{place}{path}",
            method=method,
            data=body,
            headers={k.replace("_", "-"): v for k, v in headers.items()},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as found:
                return Answer(found.status, found.read(), dict(found.headers))
        except urllib.error.HTTPError as error:
            return Answer(error.code, error.read(), dict(error.headers))

    def state(self):
        return self.ask("/api/state").json

    def key(self, name):
        return next(i["key"] for i in self.state()["images"] if i["name"] == name)


@contextmanager
def serving(session, token="secret-token"):
    """Serve a session without its background processes."""
    import uvicorn

    from segboost.label.serve import _listen, server_config
    from segboost.label.web_app import make_app

    listening = _listen(0)
    port = listening.getsockname()[1]
    app = make_app(session, token, {f"127.0.0.1:{port}", f"localhost:{port}"})
    server = uvicorn.Server(server_config(app))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield Client(port, token)
    finally:
        server.should_exit = True
        thread.join(30)
        listening.close()
