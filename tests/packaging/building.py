"""Copy the repository, and build distributions from the copies."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LINKS = ("features", "pipelines", "datasets")
SOURCES = ("segboost", *LINKS, "pyproject.toml", "README.md", "LICENSE")


def copy_sources(target: Path, links: bool) -> Path:
    """Copy the files that a build reads, with or without the links inside the package."""
    target.mkdir()
    ignore = shutil.ignore_patterns("__pycache__", "*.tmp")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target / name, symlinks=True, ignore=ignore)
        else:
            shutil.copy(ROOT / name, target / name)
    if not links:
        for name in LINKS:
            (target / "segboost" / name).unlink()
    return target


def build(source: Path, target: Path, *options: str) -> Path:
    """Build distributions into a folder; warnings of setuptools are failures."""
    command = [sys.executable, "-m", "build", "--outdir", target, *options, source]
    printed = run(command, stderr=subprocess.STDOUT)
    assert "Successfully built" in printed
    for sign in ("would be ignored", "Deprecat", "is absent from"):
        assert sign not in printed, printed
    return target


def run(command: list[str | Path], **options: object) -> str:
    """Run a command without this repository on its path; show the output on failure."""
    clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    done = subprocess.run([str(part) for part in command], text=True, env=clean, **streams)
    assert done.returncode == 0, done.stdout + (done.stderr or "")
    return done.stdout
