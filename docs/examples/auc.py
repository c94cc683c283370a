"""Learn to rank when positives are rare, and compare with plain boosting."""

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from sklearn.metrics import roc_auc_score

from segboost import StructBoostRanker
from segboost.baselines import AdaBoostStumps

X, digit = load_digits(return_X_y=True)
rng = np.random.default_rng(0)


def auc(model, rows):
    return roc_auc_score(y[rows], model.decision_function(X[rows]))


ours, plain, used = [], [], []
for wanted in range(10):
    # A third for training, with 15 images of the wanted digit among 500 others; a third for
    # choosing C and the number of rounds; a third for testing.
    y = (digit == wanted).astype(int)
    part = rng.permutation(len(y)) % 3
    rare = rng.permutation(np.flatnonzero((part == 0) & (y == 1)))[:15]
    train = np.concatenate([rare, np.flatnonzero((part == 0) & (y == 0))])
    choose, test = np.flatnonzero(part == 1), np.flatnonzero(part == 2)
    rankers = [StructBoostRanker(C=C, n_iterations=40, random_state=0) for C in (10, 30, 100)]
    boosters = [AdaBoostStumps(rounds) for rounds in (50, 100, 200)]
    ranker, boosted = (
        max((model.fit(X[train], y[train]) for model in models), key=lambda m: auc(m, choose))
        for models in (rankers, boosters)
    )
    ours.append(auc(ranker, test))
    plain.append(auc(boosted, test))
    used.append((np.count_nonzero(ranker.ensemble_.weights), boosted.n_estimators))
ours, plain = np.array(ours), np.array(plain)
stumps = np.mean(used, axis=0)
labels = [
    f"ranker, {stumps[0]:.0f} stumps: {ours.mean():.4f}",
    f"AdaBoost, {stumps[1]:.0f} stumps: {plain.mean():.4f}",
]
print("mean AUC:", *labels, f"the ranker is ahead on {np.sum(ours > plain)} of 10", sep="\n  ")
assert abs(ours.mean() - plain.mean()) < 0.01
assert 2 * stumps[0] < stumps[1]

figure = Figure(figsize=(9, 3.4), layout="constrained")
ax = figure.subplots()
ax.vlines(range(10), ours, plain, color="0.75")
ax.plot(ours, "o", ms=8, label=labels[0])
ax.plot(plain, "s", ms=7, label=labels[1])
ax.set(xlabel="digit to detect", ylabel="AUC on new images", xticks=range(10))
ax.legend(frameon=False, loc="lower left")
figure.savefig("auc.png", dpi=90)
