"""Check the pinned versions for known vulnerabilities, and the environment against the pins.

With network access, pip-audit queries PyPI. Without it, pass a folder of advisories in OSV format
(https://osv-vulnerabilities.storage.googleapis.com/PyPI/all.zip, unpacked) with --advisories.
With neither, the script says so and only checks offline that the environment matches the pins and
that no installed file was modified.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import subprocess
import sys
from importlib import metadata
from pathlib import Path

from components import normal, read_pins
from packaging.version import InvalidVersion, Version

ROOT = Path(__file__).resolve().parent.parent
OWN = {"segboost", "pip", "setuptools", "wheel"}


def main() -> int:
    """Run the audit; return 1 if it found a problem, else 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--constraints", type=Path, default=ROOT / "constraints.txt")
    parser.add_argument("--advisories", type=Path, help="folder of OSV files")
    options = parser.parse_args()
    pins = read_pins(options.constraints.read_text())
    problems = check_environment(pins)
    say(f"offline: {len(pins)} pins; {len(problems)} deviating packages or modified files")
    if options.advisories:
        found, n_files = match_advisories(pins, options.advisories)
        say(f"advisories: {n_files} files in {options.advisories}, {len(found)} matches")
        problems += found
    else:
        audited, found = ask_index(options.constraints)
        problems += found
        if audited:
            say(f"index: {audited} of {len(pins)} packages audited, {len(found)} vulnerabilities")
        else:
            say("index: NOT REACHED, no advisories were checked; run this with network access, or "
                "pass a folder of OSV files with --advisories")  # fmt: skip
    for problem in problems:
        say(f"  {problem}")
    return 1 if problems else 0


def check_environment(pins: dict[str, str]) -> list[str]:
    """Return the installed packages that deviate from the pins, and modified files."""
    problems = []
    for package in metadata.distributions():
        name = normal(package.metadata["Name"])
        if name in OWN:
            continue
        if pins.get(name, package.version) != package.version:
            problems.append(f"{name} {package.version} is installed, but {pins[name]} is pinned")
        problems += [f"{name}: {path} was modified" for path in changed_files(package)]
    return problems


def changed_files(package: metadata.Distribution) -> list[str]:
    """Return the Python files and libraries whose digest differs from the recorded one."""
    wrong = []
    for file in package.files or []:
        if file.hash is None or file.suffix not in (".py", ".so") or file.hash.mode != "sha256":
            continue
        try:
            digest = hashlib.sha256(Path(str(file.locate())).read_bytes()).digest()
        except OSError:
            wrong.append(str(file))
            continue
        if base64.urlsafe_b64encode(digest).decode().rstrip("=") != file.hash.value:
            wrong.append(str(file))
    return wrong


def ask_index(constraints: Path) -> tuple[int, list[str]]:
    """Return the number of packages that the index knows, and the vulnerabilities it reports."""
    command = [sys.executable, "-m", "pip_audit", "--requirement", str(constraints), "--no-deps"]
    command += ["--disable-pip", "--format", "json", "--progress-spinner", "off", "--timeout", "5"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        packages = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError, subprocess.TimeoutExpired):
        return 0, []
    # If a proxy answers instead of the index, pip-audit skips every package without an error.
    known = [p for p in packages if "vulns" in p and "skip_reason" not in p]
    found = [f"{p['name']} {p['version']}: {v['id']}" for p in known for v in p["vulns"]]
    return len(known), found


def match_advisories(pins: dict[str, str], folder: Path) -> tuple[list[str], int]:
    """Return the advisories in a folder that affect a pinned version, and the number of files."""
    files = sorted(folder.rglob("*.json"))
    found = []
    for file in files:
        advisory = json.loads(file.read_text())
        for entry in advisory.get("affected", []):
            package = entry.get("package", {})
            name = normal(package.get("name", ""))
            here = package.get("ecosystem") == "PyPI" and name in pins
            if here and "withdrawn" not in advisory and is_affected(pins[name], entry):
                found.append(f"{name} {pins[name]}: {advisory.get('id', file.stem)}")
    return sorted(set(found)), len(files)


def is_affected(version: str, entry: dict[str, object]) -> bool:
    """Return whether an OSV entry lists a version or covers it by a range."""
    if version in entry.get("versions", []):
        return True
    return any(
        _in_range(Version(version), r["events"])
        for r in entry.get("ranges", [])
        if r.get("type") == "ECOSYSTEM"
    )


def _in_range(version: Version, events: list[dict[str, str]]) -> bool:
    inside = False
    for event in events:
        ((kind, text),) = event.items()
        try:
            limit = Version(text)
        except InvalidVersion:
            return True  # rather a false alarm than a missed advisory
        if kind == "introduced" and version >= limit:
            inside = True
        if (kind == "fixed" and version >= limit) or (kind == "last_affected" and version > limit):
            inside = False
    return inside


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
