"""The demonstration's page: one HTML file with everything in it."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

STYLE = """
:root { color-scheme: light dark; --ink: #22262b; --soft: #59636e; --ground: #f4f5f7;
  --card: #ffffff; --line: #e1e4e8; --accent: #1f6fb4; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e7eb; --soft: #a3adb8;
  --ground: #121519; --card: #1b1f24; --line: #30363d; --accent: #6cb2f0; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 1060px; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem; }
h2 { font-size: 1.25rem; margin: 0 0 .3rem; }
p { margin: .4rem 0 .9rem; max-width: 46rem; }
.soft { color: var(--soft); }
section { background: var(--card); border: 1px solid var(--line); border-radius: 12px;
  padding: 1.4rem 1.5rem; margin-top: 1.5rem; }
img { display: block; width: 100%; min-width: 660px; height: auto; margin: .6rem 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .35rem 1.6rem .35rem 0; border-bottom: 1px solid var(--line); }
td + td, th + th { text-align: right; padding-right: 1.6rem; }
th { color: var(--soft); font-weight: 600; }
tr.best td { color: var(--accent); font-weight: 600; }
code { font-size: .92em; }
"""


def render_page(figures: Mapping[str, Any], pictures: Mapping[str, Mapping[str, bytes]]) -> str:
    """Return the page as HTML; it needs no other file and no network."""
    body = "\n".join(
        [
            _graphs(figures["graphs"], pictures["graphs"]),
            _digits(figures["digits"], pictures["digits"]),
            _ranking(figures["ranking"], pictures["ranking"]),
        ]
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>segboost: what it learned here</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>What segboost learned on this machine</h1>
<p class="soft">segboost {figures["version"]}, seed {figures["seed"]}, {figures["seconds"]:.0f} s
for everything on this page. The same figures are in <code>demo.json</code>. They illustrate, with
data and settings chosen by hand for a short look; <code>make bench</code> measures.</p>
{body}
</main>
</body>
</html>
"""


def _graphs(part: Mapping[str, Any], picture: Mapping[str, bytes]) -> str:
    accuracy = part["accuracy"]
    rows = [(name, f"{share:.1%}") for name, share in accuracy.items()]
    certificate = part["certificate"]
    return f"""<section>
<h2>Labels that agree with their neighbours</h2>
<p>Each picture is a graph of {part["nodes"]:,} nodes and {part["edges"]:,} edges. A node has four
noisy potentials, one of which only a non-linear function can read; an edge knows how much the
brightness changes across it, which is often clutter. Learned from {part["train_graphs"]} graphs,
tested on {part["test_graphs"]} others. Blue is shape, orange is wrong.</p>
{_image(picture, "Truth, input and the labellings of two test graphs")}
{_table(("labeller", "right nodes"), rows, max(accuracy, key=accuracy.get))}
<p class="soft">StructBoost weighs {part["weak_learners"]} weak learners of the potentials; on these
columns its objective is within {certificate["gap"]:.1%} of the optimum, provably.</p>
</section>"""


def _digits(part: Mapping[str, Any], picture: Mapping[str, bytes]) -> str:
    curves = part["curves"]
    rows = [
        (f"StructBoost, {c['weak_learner']}s, {len(c['test_error'])} rounds", c["test_error"][-1])
        for c in curves
    ]
    rows.append(("AdaBoost.MH, 200 stumps", part["adaboost_mh_error"]))
    best = min(rows, key=lambda row: row[1])[0]
    gap = curves[-1]["certificate"]["global_gap"]
    return f"""<section>
<h2>Ten digits, and a certificate</h2>
<p>Half of scikit-learn's digits ({part["n_train"]}) to learn from, half ({part["n_test"]}) to test.
Boosting here solves a linear programme, so that it knows how far it is from the best possible
combination of all stumps: {gap:.2%} at the end.</p>
{_image(picture, "Test error by rounds; upper and lower bound of the objective by rounds")}
{_table(("method", "test error"), [(name, f"{error:.1%}") for name, error in rows], best)}
</section>"""


def _ranking(part: Mapping[str, Any], picture: Mapping[str, bytes]) -> str:
    mean, learners = part["mean_auc"], part["mean_learners"]
    rows = [(name, f"{mean[name]:.3f}", f"{learners[name]:.0f}") for name in mean]
    return f"""<section>
<h2>Rare cases first</h2>
<p>Order tumours so that malignant ones come first, learned from {part["train_positive"]} malignant
and {part["train_negative"]} benign cases of breast_cancer, on {part["splits"]} random splits.
The ranker minimises a bound on wrongly ordered pairs and keeps few stumps; AdaBoost minimises one
on wrong classes and keeps them all. {_verdict(mean, learners)}</p>
{_image(picture, "Area under the ROC curve of both methods on every split")}
{_table(("method", "mean AUC", "stumps"), rows, max(mean, key=mean.get))}
</section>"""


def _verdict(mean: Mapping[str, float], learners: Mapping[str, float]) -> str:
    """Return what the figures say, whichever way they fell."""
    ours, theirs = mean["StructBoostRanker"], mean["AdaBoostStumps"]
    share = learners["StructBoostRanker"] / learners["AdaBoostStumps"]
    if ours >= theirs:
        return f"The ranker is ahead, with {share:.0%} of the stumps."
    lead = theirs - ours
    return f"AdaBoost is ahead by {lead:.3f} here; the ranker needs {share:.0%} of its stumps."


def _image(picture: Mapping[str, bytes], text: str) -> str:
    light, dark = (_data_uri(picture[theme]) for theme in ("light", "dark"))
    return f"""<div class="wide"><picture>
<source media="(prefers-color-scheme: dark)" srcset="{dark}">
<img alt="{text}" src="{light}">
</picture></div>"""


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]], best: str) -> str:
    lines = [f"<tr>{''.join(f'<th>{cell}</th>' for cell in head)}</tr>"]
    for row in rows:
        mark = ' class="best"' if row[0] == best else ""
        lines.append(f"<tr{mark}>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>")
    return f'<div class="wide"><table>{"".join(lines)}</table></div>'


def _data_uri(data: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(data).decode()}"
