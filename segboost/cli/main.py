"""The command ``segboost``: registers the verbs, turns errors into one line and an exit status.

The modules of the verbs import nothing heavy at the top, so that ``segboost --help`` is fast.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from segboost._interrupt import is_interrupt
from segboost._version import __version__
from segboost.cli.display.warning_lines import plain_warnings
from segboost.cli.help.examples import attach_examples
from segboost.cli.verbs import (
    cache,
    datasets,
    demo,
    evaluate,
    features,
    fit,
    label,
    predict,
    report,
    segment,
    track,
    train,
)
from segboost.cli.verbs.reproduce.app import app as reproduce_app
from segboost.storage.ownership import ForeignFileError
from segboost.storage.whole_file import NotReplaceableError

FAILED, MISUSE, INTERRUPTED = 1, 2, 130

app = typer.Typer(
    name="segboost",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("train")(train.train)
app.command("segment")(segment.segment)
app.command("evaluate")(evaluate.evaluate)
app.command("label")(label.label)
app.command("report")(report.report)
app.command("fit")(fit.fit)
app.command("predict")(predict.predict)
app.command("track")(track.track)
app.add_typer(reproduce_app, name="reproduce")
app.command("demo")(demo.demo)
app.add_typer(features.app, name="features")
app.add_typer(datasets.app, name="datasets")
app.add_typer(cache.app, name="cache")


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"segboost {__version__}")
        raise typer.Exit


@app.callback()
def segboost(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Boosting for structured prediction and image segmentation.

    Segment images (label, train, segment, evaluate, report), learn from tables (fit, predict),
    track objects in videos (track), or re-run the paper's experiments (reproduce). New here? Start
    with segboost demo, which needs no data. Data sets are read from $SEGBOOST_DATA. Each command
    has its own help: segboost COMMAND --help.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with 0 (done), 1 (failed), 2 (usage error) or 130 (Ctrl-C)."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status.

    An error is reported in one line on standard error, or with a traceback if ``SEGBOOST_DEBUG``
    is set.
    """
    _open_standard_streams()
    command = attach_examples(typer.main.get_command(app))
    given = None if arguments is None else list(arguments)
    try:
        with plain_warnings():
            # This exits with 1 by itself if the reader of standard output is gone.
            status = command.main(given, prog_name="segboost", standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        return _complain("interrupted", INTERRUPTED)
    except Exception as error:
        if is_interrupt(error):
            return _complain("interrupted", INTERRUPTED)
        if os.environ.get("SEGBOOST_DEBUG"):
            raise
        return _complain(*_explain(error))
    # Some versions of click turn Ctrl-C into an exit status themselves.
    if status == INTERRUPTED:
        return _complain("interrupted", INTERRUPTED)
    return status if isinstance(status, int) else 0


def _open_standard_streams() -> None:
    """Connect closed standard streams (``2>&-``) to the null device.

    Otherwise the next file that is opened would get the messages of a library.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, os.O_RDWR)
            os.dup2(opened, number)
            if opened == number:
                os.set_inheritable(number, True)
            else:
                os.close(opened)
        if getattr(sys, name) is None:
            mode = "r" if number == 0 else "w"
            stream = os.fdopen(number, mode, encoding="utf-8", closefd=False)
            setattr(sys, name, stream)


def _explain(error: Exception) -> tuple[str, int]:
    """Return the message and the exit status for an error."""
    usage: Any = getattr(error, "format_message", None)
    if usage is not None:
        path = getattr(getattr(error, "ctx", None), "command_path", "segboost")
        # The same wording for options and commands in every version of click.
        message = re.sub(r" \(Possible options: (.+)\)$", r". Did you mean \1?", str(usage()))
        # Without arguments the message is the whole help text: print it as it is.
        if "\n" in message:
            return message, MISUSE
        joint = " See" if message.endswith("?") else "; see"
        text = f"{message.rstrip('.')}{joint} {path} --help"
        return text, getattr(error, "exit_code", MISUSE)
    message = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, (ForeignFileError, NotReplaceableError)):
        return message, MISUSE
    if isinstance(error, (ValueError, OSError)):
        return message, FAILED
    return f"{type(error).__name__}: {message}; set SEGBOOST_DEBUG=1 for the traceback", FAILED


def _complain(message: str, status: int) -> int:
    name = typer.style("segboost:", fg="red", bold=True) if _has_colours() else "segboost:"
    try:
        typer.echo(message if "\n" in message else f"{name} {message}", err=True)
    except BrokenPipeError:
        # Nobody reads the message: keep the status, also when Python flushes the stream at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    return status


def _has_colours() -> bool:
    """Return whether standard error is a terminal whose user wants colours."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not plain and sys.stderr.isatty()
