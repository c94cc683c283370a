"""The demonstration's page: one HTML file with everything in it, segmentation first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from segboost.pipelines.demo_html import chart, legend, page, panels, table
from segboost.pipelines.demo_labellers import ALONE, CRF
from segboost.pipelines.demo_panels import FALSE, FOUND, MISSED

Panels = Mapping[str, Mapping[str, bytes]]
"""The pictures of scenes, by scene and caption."""


def render_page(
    figures: Mapping[str, Any], scenes: Panels, pictures: Mapping[str, Mapping[str, bytes]]
) -> str:
    """Return the page as HTML; it needs no other file and no network."""
    introduction = (
        f"segboost {figures['version']}, seed {figures['seed']}, {figures['seconds']:.0f} s for "
        "everything on this page. The same figures are in <code>demo.json</code>. They "
        "illustrate, with drawn scenes and settings for a short look; <code>segboost reproduce "
        "segmentation</code> measures on photographs."
    )
    sections = [
        _scenes(figures["scenes"], scenes, pictures["scenes"]),
        _digits(figures["digits"], pictures["digits"]),
        _ranking(figures["ranking"], pictures["ranking"]),
    ]
    return page("What segboost learned on this machine", introduction, sections)


def _scenes(part: Mapping[str, Any], scenes: Panels, picture: Mapping[str, bytes]) -> str:
    scores = part["scores"]
    names = ("mean_iou", "iou_foreground", "break_even")
    rows = [(name, *(f"{found[k]:.1%}" for k in names)) for name, found in scores.items()]
    best = max(scores, key=lambda name: scores[name]["mean_iou"])
    shown = "\n".join(panels(pictures, name) for name, pictures in scenes.items())
    colours = {"found": FOUND, "missed": MISSED, "wrongly taken": FALSE}
    head = ("labeller", "mean IoU", "foreground IoU", "precision = recall")
    return f"""<section>
<h2>Objects in scenes that were not trained on</h2>
<p>Striped and checked objects on ground that resembles them: learned from {part["n_train"]} drawn
images with their masks, tested on {part["n_test"]} others, of which the first {len(scenes)} are
shown. Superpixels are scored by boosted classifiers of colour, words and texture; the CRF, whose
weights StructBoost learned, makes neighbours agree. {_gain(scores)}</p>
{legend(colours)}
{shown}
{table(head, rows, best)}
{chart(picture, "Precision and recall of the labellers; foreground share by probability")}
<p class="soft">Probabilities are calibrated on out-of-fold scores: on the test images they are off
by {part["calibration_error"]:.1%} on average. Masks are cut where training images had the best mean
IoU, here at probability {part["probability_cut"]:.2f}. Training took
{part["train_seconds"]:.0f} s, C = {part["C"]:g} was chosen on validation images; a mask takes
{part["segment_seconds"]:.2f} s of processor time.</p>
<p>The model is real: segment images with it, or train one on your own.</p>
<pre>segboost segment --model {part["folder"]}/model IMAGE... --output masks --overlay
segboost train --images photos --masks masks --output my-model</pre>
</section>"""


def _gain(scores: Mapping[str, Mapping[str, float]]) -> str:
    """Return what the CRF did to the scores, whichever way they went."""
    gain = 100 * (scores[CRF]["mean_iou"] - scores[ALONE]["mean_iou"])
    if gain <= 0:
        return f"Here it does not help: {-gain:.1f} points of mean IoU below its unaries alone."
    return f"That is worth {gain:.1f} points of mean IoU over the same classifiers alone."


def _digits(part: Mapping[str, Any], picture: Mapping[str, bytes]) -> str:
    curves = part["curves"]
    rows = [
        (f"StructBoost, {c['weak_learner']}s, {len(c['test_error'])} rounds", c["test_error"][-1])
        for c in curves
    ]
    rows.append(("AdaBoost.MH, 200 stumps", part["adaboost_mh_error"]))
    best = min(rows, key=lambda row: row[1])[0]
    shown: Sequence[Sequence[str]] = [(name, f"{error:.1%}") for name, error in rows]
    gap = curves[-1]["certificate"]["global_gap"]
    return f"""<section>
<h2>The same solver: ten digits, and a certificate</h2>
<p>Half of scikit-learn's digits ({part["n_train"]}) to learn from, half ({part["n_test"]}) to test.
Boosting here solves a linear programme, so that it knows how far it is from the best possible
combination of all stumps: {gap:.2%} at the end.</p>
{chart(picture, "Test error by rounds; upper and lower bound of the objective by rounds")}
{table(("method", "test error"), shown, best)}
</section>"""


def _ranking(part: Mapping[str, Any], picture: Mapping[str, bytes]) -> str:
    mean, learners = part["mean_auc"], part["mean_learners"]
    rows = [(name, f"{mean[name]:.3f}", f"{learners[name]:.0f}") for name in mean]
    return f"""<section>
<h2>The same solver: rare cases first</h2>
<p>Order tumours so that malignant ones come first, learned from {part["train_positive"]} malignant
and {part["train_negative"]} benign cases of breast_cancer, on {part["splits"]} random splits.
The ranker minimises a bound on wrongly ordered pairs and keeps few stumps; AdaBoost minimises one
on wrong classes and keeps them all. {_verdict(mean, learners)}</p>
{chart(picture, "Area under the ROC curve of both methods on every split")}
{table(("method", "mean AUC", "stumps"), rows, max(mean, key=mean.__getitem__))}
</section>"""


def _verdict(mean: Mapping[str, float], learners: Mapping[str, float]) -> str:
    """Return what the figures say, whichever way they fell."""
    ours, theirs = mean["StructBoostRanker"], mean["AdaBoostStumps"]
    share = learners["StructBoostRanker"] / learners["AdaBoostStumps"]
    if ours >= theirs:
        return f"The ranker is ahead, with {share:.0%} of the stumps."
    lead = theirs - ours
    return f"AdaBoost is ahead by {lead:.3f} here; the ranker needs {share:.0%} of its stumps."
