"""Examples that ``--help`` shows below the options of each command."""

from __future__ import annotations

from typing import Any

from segboost.cli.help.metavars import set_metavars

WIDTH = 60
"""Column where comments begin, unless the command is longer."""

EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "segboost": (
        ("segboost demo", "no data needed: train, then open the report"),
        ("segboost train --images photos --masks masks -o model", "your own images"),
        ("segboost report model", "see how well it works"),
        ("segboost segment --model model new/*.jpg -o out", "segment new images"),
        ("segboost train --help", "help for one command"),
        ("segboost --install-completion", "set up shell completion"),
    ),
    "segboost train": (
        ("segboost train", "try it on synthetic scenes"),
        ("segboost train --images photos --masks masks -o model", "your own images"),
        ("segboost train --images photos --masks masks --classes legend.csv", "named classes"),
        ("segboost train --images photos --masks masks --C 20", "skip the search for C"),
        ("segboost train --dataset graz02 --category bike", "data in $SEGBOOST_DATA"),
        ("segboost train -o model --resume", "resume an interrupted run"),
    ),
    "segboost segment": (
        ("segboost segment --model model photo.jpg -o out", "out/photo.png; 255 is foreground"),
        ("segboost segment --model model photos -o out --overlay", "a folder, with overlays"),
        ("segboost segment --model model 'new/*.jpg' -o out -j 4", "four processes"),
    ),
    "segboost evaluate": (
        ("segboost evaluate --model model --images new --masks new-masks", ""),
        ("segboost evaluate --model model --dataset graz02 --category bike --json", ""),
    ),
    "segboost report": (
        ("segboost report model", "writes model/report.html"),
        ("segboost report model -o bikes.html --title Bikes", ""),
        ("segboost report reproduce/segmentation", "compare all methods"),
    ),
    "segboost label": (
        ("segboost label photos", "then open the address it prints"),
        ("segboost label photos --port 8000 -j 1", ""),
    ),
    "segboost fit": (
        ("segboost fit train.csv -o model", "classification"),
        ("segboost fit clicks.csv --task auc --positive yes", "ranking, for rare positives"),
        ("segboost fit animals.csv --task hierarchy --taxonomy tree.json", ""),
        ("segboost fit train.libsvm.gz --weak-learner perceptron --C 30", ""),
    ),
    "segboost predict": (
        ("segboost predict --model model new.csv -o predictions.csv", ""),
        ("segboost predict --model model test.libsvm --json", "with scores if it has labels"),
    ),
    "segboost track": (
        ("segboost track --frames film.mp4 --box 130,80,64,78 -o out", ""),
        ("segboost track --frames FOLDER --box 130,80,64,78 --overlay video -o out", ""),
        ("segboost track --dataset otb --sequence David -o out", "with scores"),
    ),
    "segboost demo": (
        ("segboost demo", "then open demo/index.html"),
        ("segboost demo --seed 3 -o other -j 1", "other scenes, one process"),
    ),
    "segboost reproduce": (
        ("segboost reproduce segmentation --quick", "smoke test"),
        ("segboost reproduce auc --json", "the paper's figures and ours"),
    ),
    "segboost reproduce segmentation": (
        ("segboost reproduce segmentation -o results", "takes hours; can be resumed"),
        ("segboost reproduce segmentation --preset paper --json", ""),
        ("segboost report results", "write a report"),
    ),
    "segboost reproduce auc": (("segboost reproduce auc --json", ""),),
    "segboost reproduce multiclass": (("segboost reproduce multiclass --quick", ""),),
    "segboost reproduce classes": (
        ("segboost reproduce classes -o results", "CamVid; can be resumed"),
        ("segboost reproduce classes --dataset synthetic-classes --quick", "no data needed"),
    ),
    "segboost reproduce hierarchy": (("segboost reproduce hierarchy --json", ""),),
    "segboost reproduce tracking": (("segboost reproduce tracking --json", ""),),
    "segboost features": (("segboost features show photo.jpg", "superpixels and groups"),),
    "segboost features show": (("segboost features show photo.jpg", ""),),
    "segboost cache": (
        ("segboost cache show", "size and age of the caches of models, demo and reproduce"),
        ("segboost cache clean model --older-than 30", "remove results older than 30 days"),
    ),
    "segboost cache show": (("segboost cache show model", ""),),
    "segboost cache clean": (
        ("segboost cache clean model --dry-run", "print what would be removed"),
        ("segboost cache clean model --older-than 30", ""),
    ),
    "segboost datasets": (
        ("segboost datasets list", ""),
        ("segboost datasets info graz02", "layout, protocol and source"),
        ("segboost datasets verify folders --images photos --masks masks", ""),
    ),
    "segboost datasets list": (("segboost datasets list", ""),),
    "segboost datasets info": (("segboost datasets info graz02", ""),),
    "segboost datasets verify": (
        ("segboost datasets verify graz02 --category bike", ""),
        ("segboost datasets verify folders --images photos --masks masks", ""),
    ),
}


def show_examples(path: str) -> str:
    r"""Return the examples of a command as text that ``--help`` does not wrap.

    Examples
    --------
    >>> print(show_examples("segboost demo").replace("\b", ""))
    <BLANKLINE>
    Examples:
      segboost demo                         # then open demo/index.html
      segboost demo --seed 3 -o other -j 1  # other scenes, one process
    """
    lines = EXAMPLES[path]
    width = min(WIDTH, max(len(command) for command, _ in lines))
    shown = [
        f"  {command.ljust(width)}  # {note}" if note else f"  {command}" for command, note in lines
    ]
    return "\n".join(["\b", "Examples:" if len(lines) > 1 else "Example:", *shown])


def attach_examples(command: Any, path: str = "segboost") -> Any:
    """Add examples and placeholders to a command and its subcommands; return the command."""
    set_metavars(command, path)
    if path in EXAMPLES:
        command.epilog = show_examples(path)
    for name, below in getattr(command, "commands", {}).items():
        attach_examples(below, f"{path} {name}")
    return command
