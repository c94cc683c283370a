"""Assemble the page: one self-contained HTML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files

from segboost._version import __version__
from segboost.report.run_data.class_data import ClassReportData
from segboost.report.run_data.load_runs import Run
from segboost.report.run_data.report_data import ReportData
from segboost.report.sections import classes as by_class
from segboost.report.sections.html_elements import percent, section
from segboost.report.sections.images import by_image, images
from segboost.report.sections.potentials import potentials
from segboost.report.sections.run import configuration, timings
from segboost.report.sections.scores import TITLES, curves, headline

MEASURES = {
    "mean_iou": "mean IoU",
    "iou_foreground": "foreground IoU",
    "break_even": "precision = recall",
}
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
"""Content security policy: the page cannot load anything from the network."""
CLASS_MEASURES = {
    "mean_iou": "mean IoU",
    "mean_recall": "mean recall",
    "accuracy": "accuracy",
}
LINKS = {
    "images": "Images",
    "classes": "Classes",
    "confusion": "Confusion",
    "curves": "Curves",
    "model": "Learned functions",
    "by-image": "Errors per image",
    "time": "Timings",
    "settings": "Settings",
}
"""The names of the sections in the menu, by the prefix of their anchor."""
AnyData = ReportData | ClassReportData

Paper = Mapping[tuple[str, str], Mapping[str, float]]


def render(title: str, sets: Sequence[AnyData], paper: Paper) -> str:
    """Return the page.

    Parameters
    ----------
    title : str
    sets : sequence of ReportData or ClassReportData
        One per data set.
    paper : mapping
        The paper's figures by method and category, in percent; may be empty.
    """
    several = len(sets) > 1
    body, links = [], []
    runs = [run for found in sets for run in found.runs]
    if len(runs) > 1:
        body.append(method_table(sets, paper))
        links.append(("methods", "Methods"))
    for number, found in enumerate(sets):
        key = str(number)
        if several:
            name = escape(found.main.dataset)
            body.append(f'<h2 class="set" id="set-{key}">{name}</h2>{_headline(found)}')
            links.append((f"set-{key}", found.main.dataset))
        for place, drawn in _sections(found, key).items():
            body.append(drawn)
            if drawn and not several:
                links.append((f"{place}-{key}", LINKS[place]))
    head = "" if several else _headline(sets[0])
    return frame(title, _subtitle(sets), head, links, "\n".join(body))


def _headline(found: AnyData) -> str:
    if isinstance(found, ClassReportData):
        return by_class.class_headline(found)
    return headline(found)


def _sections(found: AnyData, key: str) -> dict[str, str]:
    """Return the sections on a data set, in order, by the prefix of their anchor."""
    if isinstance(found, ClassReportData):
        own = {
            "images": by_class.class_images(found, key),
            "classes": by_class.class_bars(found, key),
            "confusion": by_class.confusion(found, key),
            "curves": by_class.class_curves(found, key),
            "by-image": by_class.images_by_score(found, key),
        }
    else:
        own = {
            "images": images(found, key),
            "curves": curves(found, key),
            "model": potentials(found, key),
            "by-image": by_image(found, key),
        }
    return {
        **own,
        "time": timings(found.main, key),
        "settings": configuration(found.main, key),
    }


def method_table(sets: Sequence[AnyData], paper: Paper) -> str:
    """Return the scores of every method on every data set, the best per column in bold."""
    methods = list(dict.fromkeys(run.method for found in sets for run in found.runs))
    columns = [(found, measure) for found in sets for measure in _measures(found)]
    best = [_best(found.runs, measure) for found, measure in columns]
    top = "".join(
        f'<th colspan="{len(_measures(found))}" scope="colgroup">{escape(found.main.dataset)}</th>'
        for found in sets
    )
    names = "".join(f'<th scope="col">{escape(_measures(f)[m])}</th>' for f, m in columns)
    rows = []
    for method in methods:
        cells = []
        for i, (found, measure) in enumerate(columns):
            run = next((r for r in found.runs if r.method == method), None)
            value = None if run is None or run.scores is None else getattr(run.scores, measure)
            theirs = paper.get((method, found.main.dataset.partition("/")[2]))
            note = "" if theirs is None else f" <small>({theirs[measure]:.1f})</small>"
            # Compare as printed, so that both of two equal figures are bold.
            mark = ' class="best"' if value is not None and percent(value) == best[i] else ""
            cells.append(f"<td{mark}>{percent(value)}{note}</td>")
        rows.append(f'<tr><th scope="row">{escape(TITLES[method])}</th>{"".join(cells)}</tr>')
    text = (
        "Percentages on the same test images, with the same features and unary classifiers; the "
        "best in bold."
    )
    if paper:
        text += " In brackets: the figures of the StructBoost paper."
    body = (
        '<div class="wide" tabindex="0" role="region" aria-label="comparison of methods">'
        "<table><thead>"
        f"{f'<tr><th></th>{top}</tr>' if len(sets) > 1 else ''}<tr><th></th>{names}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )
    return section("methods", "Comparison of methods", text, body)


def _measures(found: AnyData) -> dict[str, str]:
    return CLASS_MEASURES if isinstance(found, ClassReportData) else MEASURES


def _best(runs: Sequence[Run], measure: str) -> str:
    """Return the largest value as printed; an empty string if there is none."""
    values = [getattr(r.scores, measure) for r in runs if r.scores is not None]
    known = [value for value in values if value == value]
    return percent(max(known)) if known else ""


def _subtitle(sets: Sequence[AnyData]) -> str:
    if len(sets) > 1:
        names = ", ".join(found.main.dataset for found in sets)
        return f"{len(sets)} data sets: {names}"
    run = sets[0].main
    parts = [TITLES[run.method], f"{run.document['n_train']} training images"]
    if isinstance(run.document.get("C"), int | float):
        parts.append(f"C = {run.document['C']:g}")
    if run.document.get("preset"):
        parts.append(f"preset {run.document['preset']}")
    if run.events:
        parts.append(str(run.events[0].get("time", ""))[:10])
    return " · ".join(parts)


def frame(title: str, subtitle: str, head: str, links: Sequence[tuple[str, str]], body: str) -> str:
    """Return the whole page: header, menu, sections and footer.

    Parameters
    ----------
    title, subtitle : str
    head : str
        HTML below the title.
    links : sequence of (str, str)
        Anchors in the page and their names.
    body : str
        HTML of the sections.
    """
    here = files("segboost.report")
    style = (here / "page.css").read_text("utf-8")
    script = (here / "page.js").read_text("utf-8")
    menu = "".join(f'<a href="#{place}">{escape(text)}</a>' for place, text in links)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="segboost {__version__}">
<title>{escape(title)} – segboost report</title>
<style>{style}</style>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top"><p class="kind">Segmentation report</p><h1>{escape(title)}</h1>
<p class="soft">{escape(subtitle)}</p>{head}</header>
<nav aria-label="sections of the report"><div>{menu}<button type="button" id="theme"
 aria-pressed="false">Light / dark</button></div></nav>
<main id="main">
{body}
</main>
<footer>Made by segboost {__version__}. This page is self-contained and works offline.</footer>
<script>{script}</script>
</body>
</html>
"""
