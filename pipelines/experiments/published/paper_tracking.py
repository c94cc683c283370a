"""Published tracking figures: the paper's, and those measured on the boxes of OTB."""

from __future__ import annotations

SEQUENCES = ("Coke", "Tiger2", "David", "Girl", "Sylvester")

PAPER_OVERLAP: dict[str, tuple[float, ...]] = {
    "structboost": (0.79, 0.74, 0.86, 0.74, 0.66),
    "adaboost": (0.47, 0.46, 0.34, 0.41, 0.52),
    "struck": (0.55, 0.59, 0.82, 0.80, 0.69),
    "fragments": (0.07, 0.16, 0.18, 0.65, 0.61),
    "mil": (0.36, 0.63, 0.59, 0.56, 0.66),
    "boosting": (0.10, 0.35, 0.28, 0.43, 0.47),
    "vtd": (0.10, 0.19, 0.29, 0.63, 0.58),
}
"""Mean overlap by method, in the order of SEQUENCES, from the paper's table; ``boosting`` is OAB
with one positive per frame. The paper used older annotations, some of them of other frames."""

PAPER_CENTRE_ERROR: dict[str, tuple[float, ...]] = {
    "structboost": (3.7, 5.2, 5.2, 14.3, 9.1),
    "adaboost": (9.3, 12.7, 43.0, 47.1, 14.7),
    "struck": (8.3, 8.7, 7.7, 10.1, 8.4),
    "fragments": (69.5, 38.5, 73.8, 23.0, 12.2),
    "mil": (17.8, 7.5, 19.6, 31.6, 9.4),
    "boosting": (34.7, 20.5, 51.0, 43.3, 32.9),
    "vtd": (46.8, 38.0, 66.1, 18.4, 21.6),
}
"""Mean centre error in pixels, from the paper's table."""

PUBLISHED_OVERLAP: dict[str, tuple[float, ...]] = {
    "struck": (0.673, 0.544, 0.239, 0.745, 0.723),
    "struck, second run": (0.673, 0.544, 0.525, 0.745, 0.723),
    "mil": (0.202, 0.458, 0.428, 0.398, 0.529),
    "fragments": (0.039, 0.118, 0.169, 0.454, 0.584),
    "boosting": (0.330, 0.151, 0.387, 0.721, 0.560),
    "vtd": (0.142, 0.303, 0.558, 0.551, 0.619),
}
"""Mean overlap on the boxes of OTB, from the results published with it. Struck's two results
differ on David; ``boosting`` is OAB."""


def paper_figure(table: dict[str, tuple[float, ...]], method: str, sequence: str) -> float | None:
    """Return a figure from a table, or None if the table does not have it."""
    if method not in table or sequence not in SEQUENCES:
        return None
    return table[method][SEQUENCES.index(sequence)]
