"""``segboost demo``: fit and draw something small, on this machine, in half a minute."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder for pictures, figures and page.")
    ] = Path("demo"),
    seed: Annotated[int, typer.Option(min=0, help="Draws the data.")] = 0,
) -> None:
    """Fit StructBoost on graphs, digits and a ranking; write a page about what it learned."""
    if output.exists() and not output.is_dir():
        raise typer.BadParameter(f"{output} is a file: name a folder", param_hint="--output")
    from segboost.pipelines.demo import run_demo

    page = run_demo(output, seed, lambda text: typer.echo(text, err=True))
    typer.echo(f"open {page}")
