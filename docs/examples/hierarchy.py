"""Classes in a taxonomy: a mistake within a group costs less than one between groups."""

import numpy as np
from matplotlib.figure import Figure

from segboost import HierarchicalStructBoostClassifier, StructBoostClassifier

# Nine classes in three groups; groups are easier to recognise than classes.
rng = np.random.default_rng(0)
groups = rng.normal(0, 1.0, (3, 16))
centres = groups.repeat(3, axis=0) + rng.normal(0, 0.8, (9, 16))
y = rng.integers(0, 9, 1600)
X = centres[y] + rng.normal(0, 1.6, (1600, 16))
(X_train, X_choose, X_test), (y_train, y_choose, y_test) = (np.split(a, [200, 400]) for a in (X, y))

tree = {"all": {"first": [0, 1, 2], "second": [3, 4, 5], "third": [6, 7, 8]}}
options = [{"C": C, "n_iterations": 30, "random_state": 0} for C in (20, 30, 50, 100)]
models = {
    "flat": [StructBoostClassifier(**o) for o in options],
    "taxonomy": [HierarchicalStructBoostClassifier(tree, **o) for o in options],
}


def shares(truth, predictions):
    """Return the shares of mistakes within the group and between groups."""
    far = np.mean(predictions // 3 != truth // 3)
    return np.mean(predictions != truth) - far, far


def tree_loss(model, X, truth):
    """Return the mean height of the first common ancestor."""
    return np.dot((1, 2), shares(truth, model.predict(X)))


figure = Figure(figsize=(9, 4.6), layout="constrained")
losses = {}
for ax, (name, tried) in zip(figure.subplots(1, 2), models.items(), strict=True):
    # C is chosen by the tree loss on held-out rows, for both models.
    fitted = [model.fit(X_train, y_train) for model in tried]
    model = min(fitted, key=lambda model: tree_loss(model, X_choose, y_choose))
    predictions = model.predict(X_test)
    near, far = shares(y_test, predictions)
    losses[name] = tree_loss(model, X_test, y_test)
    print(f"{name}: {far:.1%} in another group, {near:.1%} within, tree loss {losses[name]:.3f}")
    counts = np.array(
        [[np.sum((y_test == t) & (predictions == a)) for a in range(9)] for t in range(9)]
    )
    np.fill_diagonal(counts, 0)
    ax.imshow(counts, cmap="Blues", vmax=40)
    ax.set(title=f"{name}: tree loss {losses[name]:.2f}")
    ax.set(xlabel="prediction", ylabel="truth", xticks=range(9), yticks=range(9))
    for edge in (2.5, 5.5):
        ax.axhline(edge, color="tab:orange")
        ax.axvline(edge, color="tab:orange")
assert losses["taxonomy"] < losses["flat"]
figure.suptitle("Mistakes on new rows; those outside the three squares cost double")
figure.savefig("hierarchy.png", dpi=90)
