"""`penstock run` tells a program of TensorFlow 1 by its source, and says so."""

import subprocess
import sys
from pathlib import Path

import penstock as tf
import pytest
from penstock._base import source_version as _source_version

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "recorded"))
import record_names  # noqa: E402

GRAPH = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None])
total = tf.reduce_sum(x)
with tf.Session() as sess:
    print(sess.run(total, {x: [1.0, 2.0]}))
"""
EAGER = "import tensorflow as tf\n\nprint(tf.reduce_sum([1.0, 2.0]).numpy())\n"

# Programs of TensorFlow 1, and the name that tells.
OLD = {
    "attribute": ("import tensorflow as tf\ntf.placeholder(tf.float32)", "tf.placeholder"),
    "no alias": ("import tensorflow\ntensorflow.Session()", "tf.Session"),
    "other alias": ("import tensorflow as T\nT.get_variable('w', [2])", "tf.get_variable"),
    "in a module": ("import tensorflow as tf\ntf.train.AdamOptimizer()", "tf.train.AdamOptimizer"),
    "from": ("from tensorflow import float32, placeholder\nplaceholder(float32)", "tf.placeholder"),
    "from a module": ("from tensorflow.train import Saver", "tf.train.Saver"),
    "a module by name": ("from tensorflow import nn\nnn.dynamic_rnn", "tf.nn.dynamic_rnn"),
    "assigned": ("import tensorflow as tf\ntrain = tf.train\ntrain.Saver()", "tf.train.Saver"),
    "star": ("from tensorflow import *\nx = placeholder(float32)", "tf.placeholder"),
    "contrib": ("import tensorflow.contrib.slim as slim", "tf.contrib"),
    "in a function": ("def f():\n    import tensorflow as tf\n    tf.Session()", "tf.Session"),
    "eager": (
        "import tensorflow as tf\ntf.enable_eager_execution()\nwith tf.GradientTape(): pass",
        "tf.enable_eager_execution",
    ),
    "compat for one thing": (
        "import tensorflow as tf\ntf.compat.v1.logging.set_verbosity(40)\ntf.Session()",
        "tf.Session",
    ),
    "a program in a try": (
        "import tensorflow as tf\ntry:\n    x = 1\n    tf.Session()\nexcept Exception: pass",
        "tf.Session",
    ),
    "more old than new": (
        "import tensorflow as tf\ntf.Session()\ntf.placeholder(tf.float32)\ntf.nn.gelu(1.0)",
        "tf.Session",
    ),
}
# Programs of TensorFlow 2, of both, and of neither.
NEW = {
    "eager": EAGER,
    "compat": "import tensorflow as tf\ntf.compat.v1.placeholder(tf.float32)",
    "compat as a module": "import tensorflow.compat.v1 as tf\ntf.placeholder(tf.float32)",
    "compat from": "from tensorflow.compat import v1 as tf\ntf.placeholder(tf.float32)",
    "compat where there is one": (
        "try:\n    import tensorflow.compat.v1 as tf\nexcept ImportError:\n"
        "    import tensorflow as tf\ntf.placeholder(tf.float32)"
    ),
    "compat assigned": "import tensorflow as tf\ntf = tf.compat.v1\ntf.Session()",
    "compat under a condition": (
        "import tensorflow as tf\nif hasattr(tf, 'compat'):\n    tf = tf.compat.v1\ntf.Session()"
    ),
    "a choice by version": (
        "import tensorflow as tf\n"
        "if tf.__version__.startswith('1'):\n    tf.Session()\nelse:\n    tf.function(print)"
    ),
    "a choice by a flag": (
        "import tensorflow as tf\nIS_OLD = int(tf.__version__[0]) < 2\n"
        "s = tf.Session() if IS_OLD else None"
    ),
    "a choice by hasattr": (
        "import tensorflow as tf\nif hasattr(tf, 'placeholder'):\n    tf.placeholder(tf.float32)"
    ),
    "a choice by return": (
        "import tensorflow as tf\ndef session(new):\n"
        "    if new: return tf.compat.v1.Session()\n    return tf.Session()"
    ),
    "a name that may be missing": (
        "import tensorflow as tf\n"
        "try:\n    tf.logging.set_verbosity(40)\nexcept AttributeError:\n    pass"
    ),
    "one call in a bare try": (
        "import tensorflow as tf\ntry:\n    tf.logging.set_verbosity(40)\nexcept:\n    pass"
    ),
    "names put in place": (
        "import tensorflow as tf\ntf.Session = tf.compat.v1.Session\ntf.Session()"
    ),
    "a mistake": (
        "import tensorflow as tf\n@tf.function\ndef f(x):\n    return tf.log(x)\n"
        "with tf.GradientTape(): pass"
    ),
    "penstock": "import penstock as tf\ntf.placeholder(tf.float32)",
    "other modules": "import math as tf\ntf.log(2.0)",
    "names of others": "from tensorflow import *\nlog = print\nlog(1)",
    "a text": "import tensorflow as tf\nprint('tf.placeholder')  # tf.Session()",
    "Python 2": "import tensorflow as tf\nprint 'x', tf.placeholder(tf.float32)",
    "nothing": "",
    "a null byte": "import tensorflow as tf\ntf.Session()\0",
}


def sign_of(tmp_path, text, name="script.py"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return _source_version.find_version_1(str(path))


@pytest.mark.parametrize("case", OLD)
def test_programs_of_tensorflow_1(case, tmp_path):
    text, name = OLD[case]
    assert sign_of(tmp_path, text).name == name


@pytest.mark.parametrize("case", NEW)
def test_other_programs(case, tmp_path):
    assert sign_of(tmp_path, NEW[case]) is None


def test_the_first_line_is_named(tmp_path):
    sign = sign_of(tmp_path, "import tensorflow as tf\n\n\ntf.Session()\ntf.placeholder\n")
    assert sign == ("tf.Session", "script.py", 4)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8-sig", "utf-8"])
def test_encodings(encoding, tmp_path):
    text = "# größer\nimport tensorflow as tf\ntf.Session()\n"
    if encoding == "latin-1":
        text = "# -*- coding: latin-1 -*-\n" + text
    assert sign_of(tmp_path, text.encode(encoding)).name == "tf.Session"


def test_bytes_that_are_no_text(tmp_path):
    assert sign_of(tmp_path, b"\xff\xfe import tensorflow") is None


def test_a_deep_expression(tmp_path):
    text = "import tensorflow as tf\nx = " + "+".join(["1"] * 2000) + "\ntf.Session()\n"
    assert sign_of(tmp_path, text) is not None
    assert sign_of(tmp_path, "x = " + "(" * 5000 + ")" * 5000) is None


def test_warnings_are_left_to_the_run(tmp_path, recwarn):
    assert sign_of(tmp_path, 'import tensorflow as tf\n"\\d"\ntf.Session()\n') is not None
    assert not recwarn.list


def test_modules_of_the_folder(tmp_path):
    (tmp_path / "nets").mkdir()
    (tmp_path / "nets" / "__init__.py").write_text("from .dense import layer\n")
    (tmp_path / "nets" / "dense.py").write_text(
        "import tensorflow as tf\nfrom .. import nets\nlayer = tf.layers.dense\n"
    )
    assert sign_of(tmp_path, "import nets\n") == ("tf.layers", "nets/dense.py", 3)
    assert sign_of(tmp_path, "from nets.dense import layer\n").file == "nets/dense.py"
    # A module elsewhere, or one that is not there, says nothing.
    assert sign_of(tmp_path, "import numpy, nowhere\nfrom . import nothing\n") is None


def test_the_script_decides_before_its_modules(tmp_path):
    (tmp_path / "legacy.py").write_text("import tensorflow as tf\ntf.Session, tf.placeholder\n")
    assert sign_of(tmp_path, "import tensorflow as tf, legacy\ntf.random.set_seed(1)\n") is None
    assert sign_of(tmp_path, "import tensorflow as tf, legacy\ntf.ones([1])\n") is not None


def test_a_folder_with_a_main(tmp_path):
    (tmp_path / "__main__.py").write_text(GRAPH)
    assert _source_version.find_version_1(str(tmp_path)).name == "tf.placeholder"
    assert _source_version.find_version_1(str(tmp_path / "none.py")) is None


def test_the_names_follow_from_the_recorded_ones():
    lines = record_names.DATA.read_text(encoding="utf-8").splitlines()
    names = {where: each for where, *each in map(str.split, lines[1:])}
    assert record_names.VERSIONS.read_text() == record_names.version_names(names)


def penstock(folder, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "penstock", *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=300,
    )


def test_run_says_so(tmp_path):
    (tmp_path / "old.py").write_text(GRAPH)
    (tmp_path / "new.py").write_text(EAGER)
    done = penstock(tmp_path, "run", "old.py")
    assert done.stdout == "3.0\n"
    assert done.stderr == (
        "penstock: old.py is a TensorFlow 1 program (tf.placeholder at old.py:3) and runs as one; "
        "--no-tf1 prevents this\n"
    )
    done = penstock(tmp_path, "run", "--tf1", "old.py")
    assert (done.stdout, done.stderr) == ("3.0\n", "")
    done = penstock(tmp_path, "run", "new.py")
    assert (done.stdout, done.stderr) == ("3.0\n", "")


def test_run_without(tmp_path):
    (tmp_path / "old.py").write_text(GRAPH)
    done = penstock(tmp_path, "run", "--no-tf1", "old.py")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "AttributeError: module 'penstock' has no attribute 'placeholder': it is TensorFlow 1's. "
        "Run the program with `penstock run --tf1 SCRIPT`, or write `import penstock.compat.v1 as "
        "tf` and, for graphs, `tf.disable_v2_behavior()`."
    )


def test_an_eager_program_of_tensorflow_1(tmp_path):
    (tmp_path / "eager.py").write_text(
        "import tensorflow as tf\n"
        "tf.enable_eager_execution()\n"
        "print(tf.to_float([1, 2]).numpy(), tf.__version__)\n"
    )
    assert penstock(tmp_path, "run", "eager.py").stdout == "[1. 2.] 1.15.5\n"


def test_doctor_and_top(tmp_path):
    (tmp_path / "old.py").write_text(GRAPH)
    done = penstock(tmp_path, "doctor", "old.py")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("old.py is a TensorFlow 1 program") == 1
    assert penstock(tmp_path, "doctor", "--no-tf1", "old.py").returncode == 2
    done = penstock(tmp_path, "top", "--once", "old.py")
    assert done.returncode == 0
    assert "3.0\n" in done.stdout
    done = penstock(tmp_path, "top", "--once", "--no-tf1", "old.py")
    assert "it is TensorFlow 1's" in done.stdout


@pytest.mark.parametrize(
    ("module", "name", "says"),
    [
        (tf, "Session", "it is TensorFlow 1's. Run"),
        (tf, "log", "it is TensorFlow 1's (today: tf.math.log). Run"),
        (tf.train, "AdamOptimizer", "penstock run --tf1 SCRIPT"),
        (tf.nn, "rnn_cell", "import penstock.compat.v1 as tf"),
        (tf, "contrib", "it is TensorFlow 1's, and penstock does not have it (yet)."),
    ],
)
def test_a_missing_name_of_tensorflow_1(module, name, says):
    with pytest.raises(AttributeError) as caught:
        getattr(module, name)
    assert says in str(caught.value)
    assert not hasattr(module, name)


def test_a_missing_module_of_tensorflow_1(tmp_path):
    (tmp_path / "old.py").write_text("from tensorflow.layers import dense\n")
    done = penstock(tmp_path, "run", "--no-tf1", "old.py")
    assert "No module named 'tensorflow.layers': it is TensorFlow 1's. Run" in done.stderr
