"""Run the benchmarks: ``python -m tests.benchmarks [NAME ...] [--output DIR] [--publish]``.

Every ``bench_NAME.py`` in a folder beside this module has a TITLE and ``run() -> list[Figure]``.
Each runs in its own process with one thread, so that CPU times are comparable. With ``--publish``
the figures replace older ones in ``docs/benchmarks.json``, and the page is rewritten from there.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from segboost.storage.whole_file import write_whole
from tests.benchmarks.results.machine import describe
from tests.benchmarks.results.page import render

HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs"
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)


def modules() -> dict[str, str]:
    """Return the module of every benchmark by its name, in the order of the names."""
    found = {path.stem.removeprefix("bench_"): path for path in HERE.glob("*/bench_*.py")}
    return {
        name: f"tests.benchmarks.{path.parent.name}.{path.stem}"
        for name, path in sorted(found.items())
    }


def run_one(name: str) -> None:
    """Run one benchmark in this process and print its figures as one JSON line."""
    import importlib

    module = importlib.import_module(modules()[name])
    figures = [asdict(f) for f in module.run()]
    print(json.dumps({"name": name, "title": module.TITLE, "figures": figures}))


def table(result: dict) -> str:
    rows = [
        f"  {f['name']:<58} {f['value']:>10.4g} {f['unit']:<8} {f['target']:<16}"
        f" {'' if f['met'] is None else 'met' if f['met'] else 'MISSED'}"
        for f in result["figures"]
    ]
    return "\n".join([result["title"], *rows])


def publish(results: list[dict[str, Any]], folder: Path) -> None:
    """Replace older results of these benchmarks and rewrite the page.

    Every result names its machine: those of different machines are not comparable.
    """
    place = folder / "benchmarks.json"
    before = json.loads(place.read_text())["benchmarks"] if place.exists() else []
    known = {result["name"]: result for result in before}
    known |= {result["name"]: result for result in results if result["figures"]}
    document = {"benchmarks": [known[name] for name in sorted(known)]}
    write(place, document)
    write_whole(folder / "benchmarks.md", render(document).encode())


def write(path: Path, document: dict[str, Any]) -> None:
    """Write JSON atomically."""
    write_whole(path, (json.dumps(document, indent=1) + "\n").encode())


def main() -> int:
    known = modules()
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument(
        "names", nargs="*", help=f"benchmarks to run (default: all): {', '.join(known)}"
    )
    parser.add_argument("--output", type=Path, default=Path("bench-results"))
    parser.add_argument("--publish", action="store_true", help="rewrite docs/benchmarks.md")
    parser.add_argument("--in-process", metavar="NAME", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.in_process:
        run_one(args.in_process)
        return 0
    unknown = sorted(set(args.names) - known.keys())
    if unknown:
        parser.error(f"no benchmark named {', '.join(unknown)}; available: {', '.join(known)}")
    results, failed = [], []
    args.output.mkdir(parents=True, exist_ok=True)
    target = args.output / "benchmarks.json"
    for name in args.names or known:
        result = measure(name)
        if result is None:
            failed.append(name)
            continue
        results.append(result)
        print(table(result), flush=True)
        # Write after each one: all of them take more than an hour, and the next one may fail.
        write(target, {"benchmarks": results})
        if args.publish:
            publish([result], DOCS)
    missed = [f for r in results for f in r["figures"] if f["met"] is False]
    print(f"\nwritten to {target}; {len(missed)} targets missed")
    if failed:
        print(f"failed: {', '.join(failed)}")
    return 1 if missed or failed else 0


def measure(name: str) -> dict[str, Any] | None:
    """Run one benchmark in a separate process; return None if it fails."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks", "--in-process", name],
        env={**os.environ, **ONE_THREAD},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        return None
    today = datetime.now(UTC).date().isoformat()
    found = json.loads(done.stdout.strip().splitlines()[-1])
    return {**found, "measured": today, "machine": describe()}


if __name__ == "__main__":
    sys.exit(main())
