"""@public: tools/public_names.py finds names in the sources, and the package finds them by it."""

import importlib
import subprocess
import sys
from pathlib import Path

import penstock as tf
import pytest
from penstock import _api

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
