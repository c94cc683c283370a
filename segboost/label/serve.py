"""Serve a labelling session on the loopback interface until interrupted."""

from __future__ import annotations

import contextlib
import socket
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from segboost.label.address import Address, keep_address, read_address
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
    on_ready: Callable[[str], Any],
    settings: Mapping[str, Any] | None = None,
) -> None:
    """Serve the labelling page for a folder of images.

    Parameters
    ----------
    folder : Path
    port : int
        0 picks the port of the last session, so that a page that is still open finds the server,
        or else a free one.
    n_workers : int
    on_ready : callable
        Called with the URL once the server is ready.
    settings : mapping, optional
        Training settings to override.

    Raises
    ------
    OSError
        If the port is in use, or another server is using the folder.
    """
    from segboost.label.web_app import make_app

    project = LabelProject(folder.resolve())
    kept = read_address(project.work)
    listening = _listen_again(port, kept.port)
    port = listening.getsockname()[1]
    hosts = {f"{ADDRESS}:{port}", f"localhost:{port}"}
    # Problems of a file are shown on the page; Pillow's warnings would only fill the terminal.
    warnings.filterwarnings("ignore", module=r"PIL\.")
    with listening, FolderLock(project.work):
        keep_address(project.work, Address(port, kept.token))
        remove_unfinished(project)
        remove_leftovers(project.work, project.masks)
        session = LabelSession(project.folder, n_workers, settings)
        app = make_app(session, kept.token, hosts)
        url = f"http://{ADDRESS}:{port}/{kept.token}/"
        server = _announcing(server_config(app), lambda: on_ready(url))
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
        log_level="error",  # invalid requests of others are not logged
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
    )


def _listen_again(port: int, last: int) -> socket.socket:
    """Listen on a port or, if any will do, on the last one unless it is taken."""
    if port == 0 and last:
        with contextlib.suppress(OSError):
            return _listen(last)
    return _listen(port)


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
