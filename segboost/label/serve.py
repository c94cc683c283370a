"""Serve a labelling session on the loopback interface until interrupted."""

from __future__ import annotations

import secrets
import socket
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from segboost.label.export import remove_unfinished
from segboost.label.project import LabelProject
from segboost.label.session import LabelSession
from segboost.pipelines.runtime.folder_lock import FolderLock
from segboost.storage.leftovers import remove_leftovers

ADDRESS = "127.0.0.1"


def serve(
    folder: Path,
    port: int,
    n_workers: int,
    tell: Callable[[str], Any],
    settings: Mapping[str, Any] | None = None,
) -> None:
    """Serve the labelling page for a folder of images.

    Parameters
    ----------
    folder : Path
    port : int
        0 picks a free one.
    n_workers : int
    tell : callable
        Called with the URL once the server is ready.
    settings : mapping, optional
        Training settings to override.

    Raises
    ------
    OSError
        If the port is in use, or another server is using the folder.
    """
    from segboost.label.web_app import make_app

    token = secrets.token_urlsafe(24)
    listening = _listen(port)
    port = listening.getsockname()[1]
    hosts = {f"{ADDRESS}:{port}", f"localhost:{port}"}
    project = LabelProject(folder.resolve())
    # What Pillow has to say about a file is shown on the page if it matters.
    warnings.filterwarnings("ignore", module=r"PIL\.")
    with listening, FolderLock(project.work):
        remove_unfinished(project)
        remove_leftovers(project.work, project.masks)
        session = LabelSession(project.folder, n_workers, settings)
        app = make_app(session, token, hosts)
        server = _announcing(server_config(app), lambda: tell(f"http://{ADDRESS}:{port}/{token}/"))
        session.start()
        try:
            server.run(sockets=[listening])
        finally:
            session.close()


def server_config(app: Any) -> Any:
    """Return the uvicorn configuration: no websockets, access log or server header."""
    import uvicorn

    from segboost.label.connection import TimedConnection

    return uvicorn.Config(
        app,
        http=TimedConnection,
        log_level="error",  # strangers' requests are not worth a line each
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
    )


def _listen(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((ADDRESS, port))
        listening.listen(128)
    except OSError:
        listening.close()
        raise OSError(f"port {port} is already in use: choose another --port or omit it") from None
    return listening


def _announcing(config: Any, started: Callable[[], Any]) -> Any:
    """Return a server that calls `started` once it is ready."""
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            started()

    return Server(config)
