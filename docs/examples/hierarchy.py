"""Classes in a taxonomy: a mistake within a group costs less than one between groups."""

import numpy as np
from matplotlib.figure import Figure

from segboost import HierarchicalStructBoostClassifier, StructBoostClassifier

# Nine classes in three groups: what a group has in common is easier to see than the class.
rng = np.random.default_rng(0)
groups = rng.normal(0, 1.0, (3, 16))
centres = groups.repeat(3, axis=0) + rng.normal(0, 0.8, (9, 16))
y = rng.integers(0, 9, 1600)
X = centres[y] + rng.normal(0, 1.6, (1600, 16))
X_train, X_test, y_train, y_test = X[:200], X[200:], y[:200], y[200:]

tree = {"all": {"first": [0, 1, 2], "second": [3, 4, 5], "third": [6, 7, 8]}}
options = {"C": 30, "n_iterations": 30, "random_state": 0}
models = {
    "flat": StructBoostClassifier(**options),
    "taxonomy": HierarchicalStructBoostClassifier(tree, **options),
}
figure = Figure(figsize=(9, 4.6), layout="constrained")
losses = {}
for ax, (name, model) in zip(figure.subplots(1, 2), models.items(), strict=True):
    answer = model.fit(X_train, y_train).predict(X_test)
    far = np.mean(answer // 3 != y_test // 3)
    near = np.mean(answer != y_test) - far
    losses[name] = 2 * far + near  # the height of the first common ancestor
    print(f"{name}: {far:.1%} in another group, {near:.1%} within, tree loss {losses[name]:.3f}")
    counts = np.array([[np.sum((y_test == t) & (answer == a)) for a in range(9)] for t in range(9)])
    np.fill_diagonal(counts, 0)
    ax.imshow(counts, cmap="Blues", vmax=40)
    ax.set(title=f"{name}: tree loss {losses[name]:.2f}")
    ax.set(xlabel="answer", ylabel="truth", xticks=range(9), yticks=range(9))
    for edge in (2.5, 5.5):
        ax.axhline(edge, color="tab:orange")
        ax.axvline(edge, color="tab:orange")
assert losses["taxonomy"] < losses["flat"]
figure.suptitle("Mistakes on new rows; those outside of the three squares cost double")
figure.savefig("hierarchy.png", dpi=90)
