"""Pinned requirements, the audit for vulnerabilities, and the list of components."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys

import pytest

from tests.packaging.building import ROOT

TOOLS = ROOT / ".ci"


def tool(name):
    sys.path.insert(0, str(TOOLS))
    try:
        spec = importlib.util.spec_from_file_location(name, TOOLS / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.remove(str(TOOLS))


def test_direct_and_indirect_requirements_are_pinned():
    components = tool("components")
    pins = components.read_pins((ROOT / "constraints.txt").read_text())
    needed = components.closure("segboost", frozenset({"dev", "cluster"}))
    assert needed.keys() - {"segboost", "setuptools"} <= pins.keys()
    assert "locket" in needed  # required by partd, which dask requires


def advisory(folder, name, affected):
    document = {"id": name, "affected": [affected]}
    (folder / f"{name}.json").write_text(json.dumps(document))


def test_advisories_in_a_folder_are_matched(tmp_path):
    audit = tool("audit")
    pillow = {"package": {"ecosystem": "PyPI", "name": "Pillow"}}

    def between(first, fixed):
        return {"type": "ECOSYSTEM", "events": [{"introduced": first}, {"fixed": fixed}]}

    advisory(tmp_path, "LISTED", {**pillow, "versions": ["11.0"]})
    advisory(tmp_path, "WITHIN", {**pillow, "ranges": [between("0", "11.1")]})
    advisory(tmp_path, "FIXED", {**pillow, "ranges": [between("0", "11.0")]})
    advisory(tmp_path, "LATER", {**pillow, "ranges": [between("11.0.1", "12")]})
    advisory(tmp_path, "OTHER", {"package": {"ecosystem": "npm", "name": "pillow"}})
    found, n_files = audit.match_advisories({"pillow": "11.0"}, tmp_path)
    assert found == ["pillow 11.0: LISTED", "pillow 11.0: WITHIN"]
    assert n_files == 5


def test_the_audit_says_when_no_advisories_were_checked(monkeypatch, capsys):
    audit = tool("audit")
    monkeypatch.setattr(sys, "argv", ["audit"])
    monkeypatch.setattr(audit, "check_environment", lambda pins: [])
    skipped = {"name": "a", "skip_reason": "Dependency not found on PyPI"}
    answer = json.dumps({"dependencies": [skipped]})
    done = subprocess.CompletedProcess([], 0, stdout=answer, stderr="")
    monkeypatch.setattr(audit.subprocess, "run", lambda *a, **k: done)
    assert audit.main() == 0
    assert "no advisories were checked" in capsys.readouterr().out


def test_vulnerabilities_fail_the_audit(monkeypatch, capsys):
    audit = tool("audit")
    monkeypatch.setattr(sys, "argv", ["audit"])
    monkeypatch.setattr(audit, "check_environment", lambda pins: [])
    vulnerable = {"name": "a", "version": "1", "vulns": [{"id": "PYSEC-1"}]}
    answer = json.dumps({"dependencies": [vulnerable]})
    done = subprocess.CompletedProcess([], 1, stdout=answer, stderr="")
    monkeypatch.setattr(audit.subprocess, "run", lambda *a, **k: done)
    assert audit.main() == 1
    assert "a 1: PYSEC-1" in capsys.readouterr().out


def test_a_changed_file_is_reported():
    from importlib import metadata

    audit = tool("audit")
    package = metadata.distribution("iniconfig")
    assert audit.changed_files(package) == []

    class Changed:
        files = (next(f for f in package.files if f.suffix == ".py"),)

    file = Changed.files[0]
    file.hash.value = "AAAA"
    assert audit.changed_files(Changed) == [str(file)]


@pytest.fixture(scope="module")
def listed():
    return tool("sbom").describe()


def test_the_list_of_components_is_complete(listed):
    names = {c["name"] for c in listed["components"]}
    assert {"numpy", "highspy", "pillow", "llvmlite"} <= names
    assert {"distributed", "starlette", "zarr", "opencv-contrib-python-headless"} <= names
    assert not {"pytest", "ruff", "segboost"} & names
    known = {c["bom-ref"] for c in listed["components"]}
    known.add(listed["metadata"]["component"]["bom-ref"])
    assert {d["ref"] for d in listed["dependencies"]} == known
    assert all(set(d["dependsOn"]) <= known for d in listed["dependencies"])


def test_the_list_follows_the_format(listed):
    pytest.importorskip("cyclonedx", reason="the extra audit is not installed")
    sbom = tool("sbom")
    assert sbom.validate(json.dumps(listed)) == ""
    assert sbom.validate(json.dumps({**listed, "specVersion": 3})) != ""
