"""Serving a session on loopback until it is interrupted."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from segboost.label.project import LabelProject
from segboost.label.session import LabelSession
from segboost.pipelines.runtime.folder_lock import FolderLock

ADDRESS = "127.0.0.1"


def serve(
    folder: Path,
    port: int,
    n_workers: int,
    tell: Callable[[str], Any],
    settings: Mapping[str, Any] | None = None,
) -> None:
    """Serve the page of a folder of images.

    Parameters
    ----------
    folder : Path
    port : int
        0 takes a free one.
    n_workers : int
    tell : callable
        Called with the address once requests are answered.
    settings : mapping, optional
        Changes of the settings that models are trained with.

    Raises
    ------
    OSError
        Where the port is taken, or another server has the folder.
    """
    from segboost.label.web_app import make_app

    token = secrets.token_urlsafe(24)
    listening = _listen(port)
    port = listening.getsockname()[1]
    hosts = {f"{ADDRESS}:{port}", f"localhost:{port}"}
    with listening, FolderLock(LabelProject(folder.resolve()).work):
        session = LabelSession(folder.resolve(), n_workers, settings)
        app = make_app(session, token, hosts)
        server = _telling(server_config(app), lambda: tell(f"http://{ADDRESS}:{port}/{token}/"))
        session.start()
        try:
            server.run(sockets=[listening])
        finally:
            session.close()


def server_config(app: Any) -> Any:
    """Return how uvicorn serves the page: without sockets, logs of requests or its name."""
    import uvicorn

    return uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, lifespan="off", ws="none"
    )


def _listen(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((ADDRESS, port))
        listening.listen(128)
    except OSError:
        listening.close()
        raise OSError(f"port {port} is taken: name another --port, or leave it out") from None
    return listening


def _telling(config: Any, started: Callable[[], Any]) -> Any:
    """Return a server that says when it has started."""
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            started()

    return Server(config)
