"""Train a CRF on your own potentials and plot the learned functions."""

import numpy as np
from matplotlib.figure import Figure

from segboost import CRFInstance, CRFStructBoost
from segboost.baselines import CRFStructuredSVM
from segboost.datasets.synthetic.graphs import POTENTIALS, grid_graphs

graphs = grid_graphs(30, np.random.default_rng(0))
data = [CRFInstance(g.unary, g.edges, g.pairwise, g.labels) for g in graphs]
train, choose, test = data[:12], data[12:18], data[18:]


def right(model, graphs):
    return np.mean([np.mean(model.predict(g) == g.labels) for g in graphs])


def best(models):
    """Return the model that is best on held-out graphs."""
    return max((model.fit(train) for model in models), key=lambda model: right(model, choose))


choices = (0.3, 1, 3)
boosted = best([CRFStructBoost(C=C, n_iterations=40, random_state=0) for C in choices])
linear = best([CRFStructuredSVM(C=C) for C in choices])
scores = {"linear CRF": right(linear, test), "StructBoost": right(boosted, test)}
print("correct nodes:", ", ".join(f"{name} {score:.1%}" for name, score in scores.items()))
assert scores["StructBoost"] > scores["linear CRF"]

figure = Figure(figsize=(9, 5), layout="constrained")
top, bottom = figure.subplots(2, 4)
g = graphs[-1]
alone = g.unary[:, 0] < 0
shown = (g.labels, alone, linear.predict(test[-1]), boosted.predict(test[-1]))
titles = ("truth", "first potential alone", *(f"{n}: {s:.1%}" for n, s in scores.items()))
for ax, labels, title in zip(top, shown, titles, strict=True):
    ax.imshow(np.reshape(labels, g.shape), cmap="gray_r")
    ax.set_title(title)
    ax.set_axis_off()

# The learned function of a potential: its contribution to the energy of label 1 minus label 0.
e = boosted.ensemble_
for k, (ax, name) in enumerate(zip(bottom, POTENTIALS, strict=True)):
    values = np.linspace(
        *np.quantile(np.concatenate([d.unary[:, k] for d in data]), [0.01, 0.99]), 200
    )
    table = np.zeros((200, len(POTENTIALS) + 1))
    table[:, k] = values
    members = [
        j for j in np.flatnonzero(e.weights) if e.channel[j] == 0 and e.hypotheses[j].feature == k
    ]
    cost = sum(
        e.weights[j] * (e.hypotheses[j].predict(table) - e.hypotheses[j].predict(-table))
        for j in members
    )
    ax.plot(values, cost + np.zeros(200), color="tab:blue")
    ax.axhline(0, color="0.7", lw=0.8)
    ax.set_title(f"learned: {name}")
figure.savefig("crf.png", dpi=90)
