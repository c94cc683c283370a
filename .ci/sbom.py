"""Write the software bill of materials of segboost with the extras in `EXTRAS` (CycloneDX 1.6).

It is read from the installed packages; the same packages give the same bytes.
"""

from __future__ import annotations

import argparse
import json
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

from components import closure

EXTRAS = frozenset({"cluster", "images", "label", "track"})
"""Extras for users, whose packages are listed too; `make sbom` installs them with the extra dev."""


def main() -> int:
    """Write the document; return 1 if it does not conform to the format."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, required=True)
    output = parser.parse_args().output
    text = json.dumps(describe(), indent=1, sort_keys=True) + "\n"
    problem = validate(text)
    if problem:
        sys.stderr.write(f"not a valid CycloneDX document: {problem}\n")
        return 1
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(text)
    sys.stdout.write(f"{output}: {len(json.loads(text)['components'])} components\n")
    return 0


def describe(root: str = "segboost", extras: frozenset[str] = EXTRAS) -> dict[str, Any]:
    """Return the CycloneDX document."""
    graph = closure(root, extras)
    parts = {name: component(name) for name in sorted(graph)}
    product = parts.pop(root) | {"type": "application"}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": product},
        "components": list(parts.values()),
        "dependencies": [
            {"ref": reference(name), "dependsOn": sorted(map(reference, graph[name]))}
            for name in sorted(graph)
        ],
    }


def component(name: str) -> dict[str, Any]:
    """Return the component entry of an installed package."""
    package = metadata.distribution(name)
    entry: dict[str, Any] = {
        "type": "library",
        "bom-ref": reference(name),
        "name": name,
        "version": package.version,
        "purl": reference(name),
    }
    licence = package.metadata.get("License-Expression")
    if licence:
        entry["licenses"] = [{"expression": licence}]
    else:
        named = [c for c in package.metadata.get_all("Classifier") or [] if c.startswith("License")]
        if named:
            entry["licenses"] = [{"license": {"name": n.split(" :: ")[-1]}} for n in named]
    return entry


def reference(name: str) -> str:
    """Return the package URL of an installed package."""
    return f"pkg:pypi/{name}@{metadata.version(name)}"


def validate(text: str) -> str:
    """Return what is wrong with a document; "" if valid or if no validator is installed."""
    try:
        from cyclonedx.schema import SchemaVersion
        from cyclonedx.validation.json import JsonStrictValidator
    except ImportError:
        return ""
    return str(JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) or "")


if __name__ == "__main__":
    sys.exit(main())
