"""@public: tools/public_names.py finds names in the sources, and the package finds them by it."""

import builtins
import importlib
import inspect
import pickle
import re
import subprocess
import sys
from pathlib import Path

import penstock as tf
import pytest
from penstock import _api
from penstock._dev import stubs

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import public_names  # noqa: E402


def test_names_in_a_source():
    text = """
from penstock._api import public

@public("math.add_n", "add_n")
@other
def add_n(): ...

@public("A")
class A:
    @public("never")
    def method(self): ...

made = public("v1.made")(
    make(1)
)
first, second = make(2)
public("first")(first)
call(public)("x")
"""
    assert [*public_names.public_names(text)] == [
        ("add_n", ["math.add_n", "add_n"]),
        ("A", ["A"]),
        ("made", ["v1.made"]),
        ("first", ["first"]),
    ]


def test_a_name_is_public_once(tmp_path):
    (tmp_path / "a.py").write_text('@public("x", "y")\ndef f(): ...\n')
    (tmp_path / "b.py").write_text('@public("y")\ndef g(): ...\n')
    text, complaints = public_names.make_index(tmp_path)
    assert text == public_names.HEAD + "x y | a.f\ny | b.g\n"
    assert complaints == ["y is public twice: a.f and b.g"]


def test_public_modules_list_no_names(tmp_path):
    (tmp_path / "penstock" / "_ops").mkdir(parents=True)
    files = {
        "_ops/maths.py": '__all__ = ["f"]\ndef f(): ...\n',
        "math.py": "from penstock._ops.maths import f\n",
        "nn.py": '__all__ = ["g"]\ndef g(): ...\n',
        "train.py": "from penstock import nn\nfrom penstock._ops.maths import f as _f\n",
        "types.py": "__all__ = [name for name in globals() if name not in hidden]\n",
    }
    for name, text in files.items():
        (tmp_path / "penstock" / name).write_text(text)
    assert [*public_names.check_public_modules(tmp_path / "penstock")] == [
        "penstock/math.py:1: shows f of penstock._ops.maths, where @public should name it",
        "penstock/nn.py:1: __all__ repeats names: @public says them where they are made",
    ]
    assert [*public_names.check_public_modules(ROOT / "python" / "penstock")] == []


def test_the_file_is_up_to_date():
    text, complaints = public_names.make_index(ROOT / "python" / "penstock")
    assert complaints == []
    assert text == (ROOT / "python/penstock/_api/names.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("public", _api._places())
def test_every_name_is_found_where_it_is_said_to_be(public):
    namespace, _, name = public.rpartition(".")
    namespace = f"compat.{namespace}" if namespace.split(".")[0] == "v1" else namespace
    module = importlib.import_module(f"penstock.{namespace}".rstrip("."))
    assert getattr(module, name) is _api.find_public(public)
    assert name in dir(module)


def public_objects():
    """The public functions and classes, each once, with a name to reach it by."""
    found = {}
    for module in stubs.modules().values():
        for name in stubs.public_names(module):
            value = getattr(module, name)
            if inspect.isclass(value) or inspect.isfunction(value) or hasattr(value, "_op"):
                found.setdefault(id(value), (f"{module.__name__}.{name}", value))
    return dict(found.values())


def test_functions_and_classes_show_public_modules():
    objects = public_objects()
    assert len(objects) > 1500
    strangers = [
        f"{name} says that it is {value.__module__}.{value.__qualname__}"
        for name, value in objects.items()
        if any(part.startswith("_") for part in value.__module__.split("."))
        or getattr(importlib.import_module(value.__module__), value.__qualname__, None) is not value
    ]
    assert strangers == []


def test_the_shown_name_is_the_own_one_of_several():
    assert tf.truediv.__name__ == "divide"
    assert tf.truediv.__module__ == "penstock"
    assert tf.math.add_n.__module__ == "penstock"
    assert tf.compat.v1.gfile.Exists.__module__ == "penstock.io.gfile"
    assert tf.compat.v1.train.AdamOptimizer.__module__ == "penstock.compat.v1.train"
    identity = tf.compat.v1.initializers.identity
    assert (identity.__module__, identity.__name__) == (
        "penstock.compat.v1.initializers",
        "identity",
    )
    assert "penstock.optimizers.Adam" in repr(tf.optimizers.Adam())


@pytest.mark.parametrize("first", ["math.reduce_sum", "reduce_sum"])
def test_an_op_shows_the_same_module_whatever_is_asked_first(first):
    program = f"import penstock as tf; tf.{first}; print(tf.reduce_sum.__module__)"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout == "penstock.math\n"


VALUES = {
    "a shape": lambda: tf.TensorShape([2, None]),
    "a spec": lambda: tf.TensorSpec([2, None], tf.int32, "x"),
    "a tensor": lambda: tf.constant([1.5, 2.5], tf.bfloat16),
    "a variable": lambda: tf.Variable([1, 2], name="w", trainable=False),
    "a dtype": lambda: tf.float16,
    "a function": lambda: tf.clip_by_norm,
    "an op": lambda: tf.math.reduce_sum,
    "a class": lambda: tf.optimizers.Adam,
    "an enum": lambda: tf.UnconnectedGradients.ZERO,
}


@pytest.mark.parametrize("what", VALUES)
def test_pickles_name_public_modules_alone(what):
    value = VALUES[what]()
    pickled = pickle.dumps(value, 0)  # the protocol in plain text: cMODULE\nNAME\n
    homes = [line[1:] for line in re.findall(rb"^c\w[\w.]*$", pickled, re.M)]
    ours = [home.decode() for home in homes if home.startswith(b"penstock")]
    assert ours
    assert not [home for home in ours if "._" in home]
    copy = pickle.loads(pickled)
    if what == "a tensor":
        assert (copy.dtype, copy.numpy().tolist()) == (value.dtype, value.numpy().tolist())
    elif what == "a variable":
        assert (copy.name, copy.trainable, copy.dtype) == (value.name, False, value.dtype)
        assert copy.numpy().tolist() == [1, 2]
    else:
        assert copy == value


def test_a_pickle_with_a_public_path_loads():
    program = """
import pickle
print(pickle.loads(b"cpenstock\\nTensorShape\\n((lI2\\natR."))
print(pickle.loads(b"cpenstock.optimizers\\nAdam\\n."))
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout == "(2,)\n<class 'penstock.optimizers.Adam'>\n"


def test_modules_stay_unread_until_they_are_asked_for():
    program = """
import sys, penstock as tf
def has(module): return "penstock." + module in sys.modules
assert not has("_ops.create") and not has("_variables.variable") and not has("_autodiff.tape")
assert tf.nn.conv2d.__name__ == "conv2d" and has("_ops.convolutions") and not has("_ops.samplers")
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_star_import_gives_all_names():
    names = {}
    exec("from penstock.math import *", names)
    assert names["add_n"] is tf.math.add_n is tf.add_n
    assert names["sin"] is tf.math.sin
    exec("from penstock import *", names)
    assert names["zeros"] is tf.zeros
    assert names["float32"] is tf.float32
    exec("from penstock.compat.v1.train import *", names)
    assert names["AdamOptimizer"] is tf.compat.v1.train.AdamOptimizer


@pytest.mark.parametrize("module", ["penstock", "penstock.compat.v1"])
def test_a_star_import_hides_the_builtins_that_tensorflow_hides(module):
    names = {}
    exec(f"from {module} import *", names)
    hidden = {name for name in names if hasattr(builtins, name)}
    assert hidden == {
        *["abs", "bool", "complex", "pow", "print", "range", "round", "slice", "tuple"]
    }
    assert names["zeros"] is tf.zeros
    assert ("Session" in names) == module.endswith("v1")
