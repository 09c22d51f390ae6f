"""Every op's samples against its NumPy reference."""

import re
from pathlib import Path

import op_reference
import pytest

ROOT = Path(__file__).resolve().parents[2]
OPS = re.findall(r"^PEN_OP\((\w+)\)", (ROOT / "src/ops/op_list.inc").read_text(), re.MULTILINE)


@pytest.mark.parametrize("op", OPS)
def test_op(op, dump):
    folder, by_op = dump
    failures = op_reference.check_lines(by_op.get(op, []), folder)
    assert op in by_op, f"op_check does not know {op}: it is older than op_list.inc"
    assert not failures, "\n".join(f"{call}: {problem}" for call, problem in failures)
