"""tools/op_knowledge.py finds ops that are named outside of src/ops, and leaves the rest alone."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import op_knowledge  # noqa: E402


@pytest.fixture
def tree(tmp_path):
    """A repository with two ops; a call adds a file to it and gives the messages."""
    ops = tmp_path / "src" / "ops"
    ops.mkdir(parents=True)
    (ops / "matmul.cc").write_text(
        'PEN_OP_DEF(matmul) = {\n    .name = "MatMul",\n};\n'
        'PEN_OP_DEF(trace) = {.name = "Trace"};\nauto other = find_op("Trace");\n'
    )

    def check(path, text):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return op_knowledge.check_tree(tmp_path)

    return check


@pytest.mark.parametrize("path", ["src/exec/run/x.cc", "src/graph/x.h", "python/src/x.cc"])
@pytest.mark.parametrize(
    "line",
    [
        'if (op.name == "MatMul") return;',
        'find_op("MatMul");',
        'fail("[MatMul] is too large");',
        'const char* names[] = {"other", "MatMul"};',
    ],
)
def test_names_of_ops_are_refused(tree, path, line):
    [message] = tree(path, f"\n{line}\n")
    assert message == f"{path}:2: names the op MatMul: make it a trait or a field of its OpDef"


@pytest.mark.parametrize(
    "line",
    [
        '// "MatMul" in a comment',
        '/* "MatMul" */',
        'const char* text = "a MatMul and more";',
        'const char* text = "MatMulish";',
        "matmul(a, b);",
        "graph.add_op(matmul_op, inputs);",
        'char c = \'"\'; // "MatMul"',
        '#include "MatMul.h"',
    ],
)
def test_what_is_not_a_name_is_let_through(tree, line):
    assert tree("src/exec/x.cc", line + "\n") == []


def test_the_ops_may_name_each_other(tree):
    assert tree("src/ops/other.cc", 'find_op("MatMul");\n') == []
    assert tree("include/penstock/ops/x.h", '"MatMul"\n') == []


@pytest.mark.parametrize(
    "line", ["if (node.op == &matmul_op) {}", "x = &call.op != &matmul_op;", "&matmul_op == op;"]
)
def test_comparisons_with_an_op_are_refused(tree, line):
    [message] = tree("src/graph/passes/x.cc", f"{line}\n")
    assert "compares with a certain op, matmul_op" in message


def test_comparisons_of_other_things_are_let_through(tree):
    assert tree("src/graph/x.cc", "if (find_op == &other_op || scalar_op != nullptr) {}\n") == []


def test_an_exception_must_be_needed(tree):
    path = "python/src/function_object.cc"
    assert tree(path, 'class_<Trace>(module, "Trace");\n') == []
    [message] = tree(path, "")
    assert "see OTHER_WORDS" in message


def test_exceptions_are_few_and_have_reasons():
    assert len(op_knowledge.OTHER_WORDS) <= 2
    assert all(len(reason) > 10 for reason in op_knowledge.OTHER_WORDS.values())


def test_this_tree():
    ops = op_knowledge.read_ops(ROOT / "src" / "ops")
    assert len(ops) > 400
    assert op_knowledge.check_tree(ROOT) == []
