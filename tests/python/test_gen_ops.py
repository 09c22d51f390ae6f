"""What tools/gen_ops.py reads from the sources is what the registry holds."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def load_gen_ops():
    spec = importlib.util.spec_from_file_location("gen_ops", ROOT / "tools" / "gen_ops.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_reads_what_the_registry_holds(dump):
    _, by_op = dump
    ops = load_gen_ops().read_ops(ROOT / "src/ops/op_list.inc", ROOT / "src/ops")
    assert [op["id"] for op in ops]
    for op in ops:
        for line in by_op[op["id"]]:
            assert op["name"] == line["op"]
            assert [name for _, name, _ in op["attrs"]] == list(line["attrs"])
            takes_many = any(kind == "many" for kind, _ in op["inputs"])
            count = len(line["inputs"])
            assert count >= len(op["inputs"]) if takes_many else count == len(op["inputs"])
            assert op["many"] or len(op["outputs"]) == len(line["outputs"])


def test_refuses_what_it_cannot_read(tmp_path):
    gen_ops = load_gen_ops()
    (tmp_path / "op_list.inc").write_text("PEN_OP(one)\n")
    op = 'PEN_OP_DEF(%s) = {\n    .name = "One",\n    .doc = "d",\n    .inputs = {%s},\n};\n'
    for text, problem in [
        ("", "without a PEN_OP_DEF: one"),
        (op % ("one", 'in("x", kAnyType)') + op % ("two", ""), "does not list: two"),
        (op % ("one", '{"x"}'), "expected a call"),
    ]:
        (tmp_path / "one.cc").write_text(text)
        with pytest.raises(gen_ops.Bad, match=problem):
            gen_ops.read_ops(tmp_path / "op_list.inc", tmp_path)
