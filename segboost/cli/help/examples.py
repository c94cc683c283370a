"""What ``--help`` shows below the options: examples to copy, verb by verb."""

from __future__ import annotations

from typing import Any

from segboost.cli.help.metavars import name_values

WIDTH = 60
"""Where comments begin, unless the command is longer."""

EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "segboost": (
        ("segboost demo", "no data needed: train, then open the page"),
        ("segboost train --images photos --masks masks -o model", "your own images"),
        ("segboost report model", "look at what was learned"),
        ("segboost segment --model model new/*.jpg -o out", "use it"),
        ("segboost train --help", "all about one verb"),
        ("segboost --install-completion", "teach your shell to complete all this"),
    ),
    "segboost train": (
        ("segboost train", "drawn scenes, to try it out"),
        ("segboost train --images photos --masks masks -o model", "your own images"),
        ("segboost train --images photos --masks masks --C 20", "skip the choice of C"),
        ("segboost train --dataset graz02 --category bike", "data below $SEGBOOST_DATA"),
        ("segboost train -o model --resume", "go on where it was stopped"),
    ),
    "segboost segment": (
        ("segboost segment --model model photo.jpg -o out", "out/photo.png, 255 is foreground"),
        ("segboost segment --model model photos -o out --overlay", "a folder; contours too"),
        ("segboost segment --model model 'new/*.jpg' -o out -j 4", "four processes"),
    ),
    "segboost evaluate": (
        ("segboost evaluate --model model --images held --masks held-masks", ""),
        ("segboost evaluate --model model --dataset graz02 --category bike --json", ""),
    ),
    "segboost report": (
        ("segboost report model", "writes model/report.html"),
        ("segboost report model -o bikes.html --title Bikes", ""),
        ("segboost report reproduce/segmentation", "all methods side by side"),
    ),
    "segboost label": (
        ("segboost label photos", "then open the address it prints"),
        ("segboost label photos --port 8000 -j 1", ""),
    ),
    "segboost fit": (
        ("segboost fit train.csv -o model", "classes, C chosen on a quarter of the rows"),
        ("segboost fit clicks.csv --task auc --positive yes", "order, for rare positives"),
        ("segboost fit animals.csv --task hierarchy --taxonomy tree.json", ""),
        ("segboost fit train.libsvm.gz --weak-learner perceptron --C 30", ""),
    ),
    "segboost predict": (
        ("segboost predict --model model new.csv -o answers.csv", ""),
        ("segboost predict --model model test.libsvm --json", "the scores, if it has labels"),
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
        ("segboost reproduce segmentation --quick", "does it work? not a measurement"),
        ("segboost reproduce auc --json", "the paper's value and ours, row by row"),
    ),
    "segboost reproduce segmentation": (
        ("segboost reproduce segmentation -o results", "hours; goes on where it was stopped"),
        ("segboost reproduce segmentation --preset paper --json", ""),
        ("segboost report results", "the page about it"),
    ),
    "segboost reproduce auc": (("segboost reproduce auc --json", ""),),
    "segboost reproduce multiclass": (("segboost reproduce multiclass --quick", ""),),
    "segboost reproduce hierarchy": (("segboost reproduce hierarchy --json", ""),),
    "segboost reproduce tracking": (("segboost reproduce tracking --json", ""),),
    "segboost features": (("segboost features show photo.jpg", "superpixels and groups"),),
    "segboost features show": (("segboost features show photo.jpg", ""),),
    "segboost datasets": (
        ("segboost datasets list", "what there is, and whether it is here"),
        ("segboost datasets info graz02", "layout, protocol, source"),
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
    r"""Return the examples of a verb as a text that the help does not wrap.

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
    """Give a command, and all below it, their examples and words; return the command."""
    name_values(command, path)
    if path in EXAMPLES:
        command.epilog = show_examples(path)
    for name, below in getattr(command, "commands", {}).items():
        attach_examples(below, f"{path} {name}")
    return command
