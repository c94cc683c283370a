"""Rewrite the expected fingerprints after an intended change of predictions."""

from __future__ import annotations

import json
import os
import platform
from importlib.metadata import version

from tests.fingerprints import data_cases, image_cases, old_cases, table_cases  # noqa: F401
from tests.fingerprints.cache_keys import cache_keys
from tests.fingerprints.fingerprint import CASES, FILE, fingerprint, rounding

PACKAGES = ("numpy", "scipy", "scikit-image", "scikit-learn", "highspy", "numba", "PyMaxflow")


def main():
    if "SEGBOOST_DATA" not in os.environ:
        raise SystemExit("set SEGBOOST_DATA: two cases need real images")
    cases = {}
    for name, run in CASES.items():
        cases[name] = {key: fingerprint(array) for key, array in run().items()}
        print(name)
    made_with = {"python": platform.python_version(), **{p: version(p) for p in PACKAGES}}
    made_with["rounding"] = rounding()
    document = {"made_with": made_with, "cache_keys": cache_keys(), "cases": cases}
    FILE.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
