"""AdaBoostStumps against other packages: 1000 rounds of stumps on 20,000 × 200 float32."""

from __future__ import annotations

import tracemalloc

import lightgbm
import numpy as np
from sklearn.ensemble import AdaBoostClassifier, HistGradientBoostingClassifier
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

from segboost.baselines import AdaBoostStumps
from segboost.baselines.boosting_rounds import boost, boost_numpy
from segboost.weak.binning import bin_features
from tests.benchmarks.figures import Figure, at_least, at_most, cpu_seconds

TITLE = "AdaBoost of stumps, 1000 rounds, 20,000 x 200 float32"

ROUNDS = 1000
PEER_ROUNDS = 30  # of scikit-learn, which takes minutes for all of them
TWIN_ROUNDS = 200


def noisy_table(n: int, d: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw two classes from many weak, partly non-linear and correlated features, and noise."""
    rng = np.random.default_rng(seed)
    hidden = rng.standard_normal((n, 20))
    features = rng.standard_normal((n, d)) + 0.5 * hidden @ rng.standard_normal((20, d)) / 4
    margin = features @ (rng.standard_normal(d) * (rng.random(d) < 0.6))
    margin += np.sin(2 * features[:, : d // 4]).sum(axis=1)
    labels = margin + margin.std() * rng.standard_normal(n) > 0
    return features.astype(np.float32), labels.astype(int)


def same_stumps(X: np.ndarray, y: np.ndarray) -> float:
    """Return the share of stump parameters in which the kernel equals its NumPy twin."""
    binned = bin_features(X, 255)
    signed = np.where(y == 1, 1.0, -1.0)
    fast, plain = boost(binned, signed, TWIN_ROUNDS), boost_numpy(binned, signed, TWIN_ROUNDS)
    names = ("feature", "cut", "polarity")
    return float(np.mean([getattr(fast, k) == getattr(plain, k) for k in names]))


def extra_memory(X: np.ndarray, y: np.ndarray) -> float:
    """Return the peak memory that a fit allocates, as a multiple of the binned matrix."""
    tracemalloc.start()
    AdaBoostStumps(20).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / X.size


def run() -> list[Figure]:
    X, y = noisy_table(25_000, 200, seed=0)
    X, X_test, y, y_test = X[:20_000], X[20_000:], y[:20_000], y[20_000:]
    AdaBoostStumps(2).fit(X, y)  # compiles
    ours, model = cpu_seconds(lambda: AdaBoostStumps(ROUNDS).fit(X, y))
    stump = DecisionTreeClassifier(max_depth=1)
    part, _ = cpu_seconds(lambda: AdaBoostClassifier(stump, n_estimators=PEER_ROUNDS).fit(X, y))
    sklearn = part * ROUNDS / PEER_ROUNDS
    settings = {"n_estimators": ROUNDS, "num_leaves": 2, "n_jobs": 1, "verbose": -1}
    light, peer = cpu_seconds(lambda: lightgbm.LGBMClassifier(**settings).fit(X, y))
    histogram = HistGradientBoostingClassifier(
        max_iter=ROUNDS, max_leaf_nodes=2, early_stopping=False, random_state=0
    )
    hist, third = cpu_seconds(lambda: histogram.fit(X, y))
    extreme = XGBClassifier(n_estimators=ROUNDS, max_depth=1, tree_method="hist", n_jobs=1)
    xgb, fourth = cpu_seconds(lambda: extreme.fit(X, y))
    return [
        Figure("AdaBoostStumps", ours, "s"),
        Figure("scikit-learn AdaBoost, extrapolated from 30 rounds", sklearn, "s"),
        Figure("LightGBM, num_leaves=2", light, "s"),
        Figure("HistGradientBoosting, max_leaf_nodes=2", hist, "s"),
        Figure("XGBoost, max_depth=1", xgb, "s"),
        at_least("faster than scikit-learn", sklearn / ours, 100, "times"),
        at_least("faster than LightGBM", light / ours, 2, "times"),
        at_least("faster than HistGradientBoosting", hist / ours, 2, "times"),
        at_least("faster than XGBoost", xgb / ours, 2, "times"),
        at_least(
            f"share of stumps equal to the NumPy version's, {TWIN_ROUNDS} rounds",
            same_stumps(X, y),
            1,
            "",
        ),
        at_most("peak extra memory / binned matrix", extra_memory(X, y), 1.5, "times"),
        Figure("test accuracy of AdaBoostStumps", model.score(X_test, y_test), ""),
        Figure("test accuracy of LightGBM", float(np.mean(peer.predict(X_test) == y_test)), ""),
        Figure("test accuracy of HistGradientBoosting", third.score(X_test, y_test), ""),
        Figure("test accuracy of XGBoost", fourth.score(X_test, y_test), ""),
    ]
