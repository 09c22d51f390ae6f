"""Every op's samples against its NumPy reference. op_check runs once, for all of them.

The binary is taken from $PENSTOCK_BUILD or build/release.
"""

import os
import re
import subprocess
from pathlib import Path

import op_reference
import pytest

ROOT = Path(__file__).resolve().parents[2]
OP_CHECK = Path(os.environ.get("PENSTOCK_BUILD", ROOT / "build" / "release")) / "op_check"
OPS = re.findall(r"^PEN_OP\((\w+)\)", (ROOT / "src/ops/op_list.inc").read_text(), re.MULTILINE)


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


@pytest.mark.parametrize("op", OPS)
def test_op(op, dump):
    folder, by_op = dump
    failures = op_reference.check_lines(by_op.get(op, []), folder)
    assert op in by_op, f"op_check does not know {op}: it is older than op_list.inc"
    assert not failures, "\n".join(f"{call}: {problem}" for call, problem in failures)
