"""The ``--scheduler`` option, shared by the verbs that can run on a dask cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Annotated

import typer

Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Run on a dask cluster: the scheduler's address (tcp://HOST:8786) or file.",
    ),
]


@contextmanager
def chosen_cluster(address: str | None) -> Iterator[None]:
    """Run on the cluster at this address within a ``with`` block; locally if it is None."""
    if address is None:
        yield
        return
    from segboost.pipelines.runtime.cluster import ClusterError, connect
    from segboost.pipelines.runtime.parallel_map import use_cluster

    with ExitStack() as stack:
        try:
            client = stack.enter_context(connect(address))
        except ClusterError as error:
            raise typer.BadParameter(str(error), param_hint="--scheduler") from None
        stack.enter_context(use_cluster(client))
        yield
