"""Classify digits with a certificate: the optimum lies between two converging bounds."""

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from segboost import StructBoostClassifier

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)

figure = Figure(figsize=(9, 3.6), layout="constrained")
left, right = figure.subplots(1, 2)
for learner, rounds in (("perceptron", 14), ("stump", 60)):
    model = StructBoostClassifier(
        C=30, n_iterations=rounds, weak_learner=learner, random_state=0
    ).fit(X_train, y_train)
    errors = [np.mean(predictions != y_test) for predictions in model.staged_predict(X_test)]
    left.plot(
        np.arange(1, len(errors) + 1), 100 * np.array(errors), label=f"{learner}s: {errors[-1]:.1%}"
    )
    print(f"{learner}s: test error {errors[-1]:.1%}, gap {model.certificate_.global_gap:.2%}")
    assert errors[-1] < 0.12

rounds = [step.iteration for step in model.history_]
upper = [step.objective for step in model.history_]
lower = [step.global_bound for step in model.history_]
assert all(low <= high * (1 + 1e-9) for low, high in zip(lower, upper, strict=True))
right.fill_between(rounds, lower, upper, alpha=0.2)
right.plot(rounds, upper, label="objective")
right.plot(rounds, lower, label="lower bound over all stumps")
left.set(xlabel="rounds", ylabel="test error, %", ylim=(0, 40), title="Error on new digits")
right.set(xlabel="rounds", ylim=(0, None), title="Stumps: the optimum is in the band")
for ax in (left, right):
    ax.legend(frameon=False)
figure.savefig("multiclass.png", dpi=90)
