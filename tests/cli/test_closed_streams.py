"""Commands whose standard streams are closed: ``segboost … 2>&-``."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

COMMAND = f"{sys.executable} -c 'from segboost.cli.main import main; main()'"


@pytest.mark.parametrize("closed", ["2>&-", "0<&-", "0<&- 1>&- 2>&-"])
def test_commands_succeed_and_write_intact_files(tmp_path, closed):
    Image.fromarray(np.zeros((20, 20, 3), np.uint8)).save(tmp_path / "a.png")
    work = f"{COMMAND} features show a.png -o picture.png {closed}"
    done = subprocess.run(["sh", "-c", work], cwd=tmp_path, capture_output=True, timeout=120)
    assert done.returncode == 0
    with Image.open(tmp_path / "picture.png") as picture:
        picture.load()


@pytest.mark.parametrize("closed", ["2>&-", "0<&- 1>&- 2>&-"])
@pytest.mark.parametrize(
    ("arguments", "status"), [("segment --model none nothing.png -o out", 1), ("dmeo", 2)]
)
def test_errors_still_set_the_exit_status(tmp_path, closed, arguments, status):
    # An uncaught exception also exits with 1, but then the file is not written.
    code = "import sys; from segboost.cli.main import run; status = run()"
    keep = 'print(status, file=open("status", "w")); sys.exit(status)'
    work = f"{sys.executable} -c '{code}; {keep}' {arguments} {closed}"
    done = subprocess.run(["sh", "-c", work], cwd=tmp_path, capture_output=True, timeout=120)
    assert done.returncode == status
    assert [path.name for path in tmp_path.iterdir()] == ["status"]
    assert (tmp_path / "status").read_text() == f"{status}\n"
    assert done.stdout + done.stderr == b""
