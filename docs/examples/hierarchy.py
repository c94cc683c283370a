"""Classes in a taxonomy: a mistake within a group costs less than one between groups."""

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from segboost import HierarchicalStructBoostClassifier, StructBoostClassifier

# Digits by how they are drawn.
tree = {"digit": {"straight": [1, 4, 7], "loops": [0, 6, 8, 9], "bows": [2, 3, 5]}}
group = {digit: name for name, digits in tree["digit"].items() for digit in digits}

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.6, random_state=1)

options = {"C": 30, "n_iterations": 40, "random_state": 0}
models = {
    "flat": StructBoostClassifier(**options),
    "taxonomy": HierarchicalStructBoostClassifier(tree, **options),
}
figure = Figure(figsize=(9, 4.4), layout="constrained")
order = [digit for digits in tree["digit"].values() for digit in digits]
for ax, (name, model) in zip(figure.subplots(1, 2), models.items(), strict=True):
    answer = model.fit(X_train, y_train).predict(X_test)
    far = np.mean([group[a] != group[b] for a, b in zip(answer, y_test, strict=True)])
    near = np.mean(answer != y_test) - far
    loss = 2 * far + near  # the height of the first common ancestor
    print(f"{name}: {far:.1%} in another group, {near:.1%} within, tree loss {loss:.3f}")
    counts = np.array([[np.sum((y_test == t) & (answer == a)) for a in order] for t in order])
    np.fill_diagonal(counts, 0)
    ax.imshow(counts, cmap="Blues", vmax=20)
    ax.set(xticks=range(10), xticklabels=order, yticks=range(10), yticklabels=order)
    ax.set(title=f"{name}: tree loss {loss:.3f}", xlabel="answer", ylabel="truth")
    for edge in (2.5, 6.5):
        ax.axhline(edge, color="tab:orange")
        ax.axvline(edge, color="tab:orange")
    assert loss < 0.4
figure.suptitle("Mistakes; those outside of the squares between orange lines cost double")
figure.savefig("hierarchy.png", dpi=90)
