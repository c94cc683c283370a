"""scikit-learn's estimator checks."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from segboost import (
    HierarchicalStructBoostClassifier,
    StructBoostClassifier,
    StructBoostOrdinal,
    StructBoostRanker,
)

EXPECTED_FAILURES = {
    f"check_sample_weight_equivalence_on_{kind}_data": (
        "the LP has several optima: objectives are equal (tested with the tasks), scores differ"
    )
    for kind in ("dense", "sparse")
}
QUICK = {"n_iterations": 10, "C": 20.0}


@parametrize_with_checks(
    [
        StructBoostClassifier(**QUICK),
        StructBoostClassifier(probability=True, n_iterations=3, C=20.0),
        HierarchicalStructBoostClassifier(**QUICK),
        HierarchicalStructBoostClassifier(coding="augmented", **QUICK),
        StructBoostOrdinal(**QUICK),
        StructBoostRanker(**QUICK),
    ],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
def test_estimator(estimator, check):
    check(estimator)
