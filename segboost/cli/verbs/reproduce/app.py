"""``segboost reproduce``: re-run the paper's experiments."""

from __future__ import annotations

import typer

from segboost.cli.verbs.reproduce import classes, hierarchy, segmentation, tables, tracking

app = typer.Typer(
    help="Re-run the paper's experiments.", no_args_is_help=True, rich_markup_mode=None
)
app.command("auc")(tables.auc)
app.command("multiclass")(tables.multiclass)
app.command("classes")(classes.classes)
app.command("hierarchy")(hierarchy.hierarchy)
app.command("tracking")(tracking.tracking)
app.command("segmentation")(segmentation.segmentation)


@app.callback()
def reproduce() -> None:
    """Re-run the paper's experiments."""
