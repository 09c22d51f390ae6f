"""The type stubs: every public name is in them, and a type checker reads them as a user would."""

import ast
import inspect
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import penstock as tf
import pytest
from penstock._dev import stubs as _stubs

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = """
import numpy as np
import penstock as tf
from penstock.math import reduce_sum


class Linear(tf.Module):
    def __init__(self, size: int) -> None:
        super().__init__(name="linear")
        self.w = tf.Variable(tf.random.normal([size, 1], stddev=0.1), name="w")

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return x @ self.w - 1.0


model, x = Linear(3), tf.constant(np.ones([4, 3]), tf.float32)
optimizer = tf.optimizers.Adam(learning_rate=0.1)
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(model(x) ** 2)
gradients = tape.gradient(loss, model.trainable_variables)
slope: np.ndarray = tape.gradient(loss, model.w).numpy()
model.w.assign_add(tape.gradient(loss, [model.w])[0]).assign(model.w).read_value().numpy()
optimizer.apply_gradients(zip(gradients, model.trainable_variables))
halves: list[tf.Tensor] = tf.split(tf.nn.relu(2 * x), 2)
total: float = float(reduce_sum(halves[0], axis=[0, 1], keepdims=True))
places = tf.unique([1, 2, 1]).idx.numpy().tolist()
names = [tf.cast(x, "int32").dtype.name, tf.bool.name, str(x.shape.as_list())]
try:
    tf.raw_ops.TopKV2(input=x, k=2).values
except tf.errors.InvalidArgumentError as error:
    names.append(error.message)



@tf.function
def doubled(value: tf.Tensor) -> tf.Tensor:
    return value * 2


@tf.function(reduce_retracing=True)
def halved(value: tf.Tensor) -> tf.Tensor:
    return value / 2


halved(doubled(x)).numpy()
doubled.get_concrete_function(tf.TensorSpec([None], tf.float32))

tf.sum(x)  # attr-defined
doubled(x, x)  # call-arg
doubled(x).nump()  # attr-defined
halved(x).nump()  # attr-defined
tape.gradient(loss, model.w).nump()  # attr-defined
tape.gradient(loss, [model.w]).numpy()  # attr-defined
model.w.assign_add(x).nump()  # attr-defined
tf.matmul(x, x, transpose_c=True)  # call-arg
x.nump()  # attr-defined
tf.constant(1, dtype=3.5)  # arg-type
number: int = tf.reduce_sum(x)  # assignment
"""


@pytest.fixture(scope="module")
def stubs():
    return {name: ast.parse(text) for name, text in _stubs.texts().items()}


def defined(tree):
    """name → the node that defines it."""
    found = {}
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = node
        elif isinstance(node, ast.AnnAssign):
            found[node.target.id] = node
        elif isinstance(node, ast.ImportFrom):
            found |= {alias.asname: node for alias in node.names if alias.asname}
    return found


def parameters(node):
    arguments = node.args
    plain = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return {each.arg for each in (*plain, arguments.vararg, arguments.kwarg) if each}


def test_every_public_name_is_there(stubs):
    assert {*dir(tf)} - {"__version__"} <= {*defined(stubs["penstock"])}
    assert {f"penstock.{name}" for name in tf._MODULES} <= {*stubs}
    for name, module in _stubs.modules().items():
        assert {*_stubs.public_names(module)} <= {*defined(stubs[name])}, name


def test_functions_have_their_parameters(stubs):
    for name, module in _stubs.modules().items():
        for public, node in defined(stubs[name]).items():
            if isinstance(node, ast.FunctionDef):
                signature = inspect.signature(getattr(module, public))
                assert parameters(node) == {*signature.parameters}, public


def test_classes_have_their_members(stubs):
    for public in ("Tensor", "Variable", "GradientTape", "Module", "TensorShape", "DType"):
        cls = tf._core.EagerTensor if public == "Tensor" else getattr(tf, public)
        body = defined(stubs["penstock"])[public].body
        found = {node.name for node in body if isinstance(node, ast.FunctionDef)}
        found |= {node.target.id for node in body if isinstance(node, ast.AnnAssign)}
        assert {name for name in dir(cls) if not name.startswith("_")} <= found, public


@pytest.mark.skipif(find_spec("mypy") is None, reason="mypy is not installed")
def test_a_type_checker_reads_them(tmp_path):
    """Mistakes are found on the lines that say so, and nowhere else: the stubs included."""
    package = tmp_path / "penstock"
    for path in (ROOT / "python" / "penstock").rglob("*.py"):
        copy = package / path.relative_to(ROOT / "python" / "penstock")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.touch()
    (package / "gone.pyi").write_text(_stubs.texts()["penstock.bitwise"])
    (package / "_dev" / "typing.py").write_text(
        (ROOT / "python/penstock/_dev/typing.py").read_text()
    )
    _stubs.write(package)
    assert not (package / "gone.pyi").exists()
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    expected = [
        (number, line.rpartition("# ")[2])
        for number, line in enumerate(PROGRAM.splitlines(), start=1)
        if "# " in line
    ]
    # In a process of its own: it leaves too much behind for the garbage collector to look through.
    options = ["--strict", "--no-incremental", "--no-error-summary", "--cache-dir", tmp_path]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, program], capture_output=True, text=True
    )
    assert not done.stderr
    found = re.findall(r"^(.*?):(\d+): error: .*\[([\w-]+)\]$", done.stdout, re.M)
    assert [(int(line), kind) for path, line, kind in found if path.endswith("program.py")] == (
        expected
    ), done.stdout
    assert len(found) == len(expected), done.stdout
