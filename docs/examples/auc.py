"""Rare positives: learn the order instead of the classes, and compare with plain boosting."""

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score

from segboost import StructBoostRanker
from segboost.baselines import AdaBoostStumps

X, benign = load_breast_cancer(return_X_y=True)
y = 1 - benign
rng = np.random.default_rng(0)
ours, plain, kept = [], [], []
for _ in range(6):
    # To learn from: half of the benign cases, and one malignant case for four of them.
    ones, zeros = (rng.permutation(np.flatnonzero(y == value)) for value in (1, 0))
    n = len(zeros) // 2
    train = np.concatenate([ones[: n // 4], zeros[:n]])
    test = np.setdiff1d(np.arange(len(y)), train)
    ranker = StructBoostRanker(C=200, n_iterations=60, random_state=0).fit(X[train], y[train])
    boosted = AdaBoostStumps(100).fit(X[train], y[train])
    ours.append(roc_auc_score(y[test], ranker.decision_function(X[test])))
    plain.append(roc_auc_score(y[test], boosted.decision_function(X[test])))
    kept.append(np.count_nonzero(ranker.ensemble_.weights))
print(f"mean AUC: {np.mean(ours):.4f} by the ranker with {np.mean(kept):.0f} stumps,")
print(f"          {np.mean(plain):.4f} by AdaBoost with 100")
assert np.mean(ours) > 0.97
assert np.mean(kept) < 60

figure = Figure(figsize=(9, 3.4), layout="constrained")
ax = figure.subplots()
order, place = np.argsort(ours), np.arange(1, len(ours) + 1)
first, second = np.array(ours)[order], np.array(plain)[order]
ax.vlines(place, first, second, color="0.75")
ax.plot(place, first, "o", ms=8, label=f"ranker, {np.mean(kept):.0f} stumps: {first.mean():.4f}")
ax.plot(place, second, "s", ms=7, label=f"AdaBoost, 100 stumps: {second.mean():.4f}")
ax.set(xlabel="random split, from the ranker's worst to its best", ylabel="AUC on new cases")
ax.legend(frameon=False, loc="lower right")
figure.savefig("auc.png", dpi=90)
