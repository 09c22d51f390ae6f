"""What several test files share: the samples of all ops, written by one run of op_check.

The binary is taken from $PENSTOCK_BUILD or build/release.
"""

import os
import subprocess
from pathlib import Path

import op_reference
import pytest

ROOT = Path(__file__).resolve().parents[2]
OP_CHECK = Path(os.environ.get("PENSTOCK_BUILD", ROOT / "build" / "release")) / "op_check"


@pytest.fixture(scope="session")
def dump(tmp_path_factory):
    """The folder of samples, and their lines by op."""
    if not OP_CHECK.exists():
        pytest.fail(f"{OP_CHECK} is not there: make build, or set PENSTOCK_BUILD")
    folder = tmp_path_factory.mktemp("op_samples")
    subprocess.run([OP_CHECK, "--mode", "dump", "--out", folder], check=True, capture_output=True)
    by_op = {}
    for line in op_reference.read_lines(folder):
        by_op.setdefault(line["id"], []).append(line)
    return folder, by_op
