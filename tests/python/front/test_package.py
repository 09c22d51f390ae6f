"""The package as a whole: its start, the command, penstock in TensorFlow's place."""

import inspect
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import penstock as tf
import pytest

PROGRAMS = Path(__file__).parent / "programs"


def run(*arguments):
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_version_and_info():
    root = Path(__file__).parents[3]
    assert f"project(penstock VERSION {tf.__version__} " in (root / "CMakeLists.txt").read_text()
    done = run("-m", "penstock", "info")
    assert done.returncode == 0, done.stderr
    assert f"penstock {tf.__version__}" in done.stdout
    assert run("-m", "penstock", "--version").stdout == f"penstock {tf.__version__}\n"


def test_import_is_light():
    loaded = run("-c", "import sys, penstock; print(*sys.modules)").stdout.split()
    for lazy in ("penstock.random", "penstock.config", "penstock.compat", "ml_dtypes"):
        assert lazy not in loaded


def program_cases():
    for path in sorted(PROGRAMS.glob("*.py")):
        marks = [pytest.mark.slow] if path.stem == "eager_loop" else []
        yield pytest.param(path, id=path.stem, marks=marks)


@pytest.mark.parametrize("program", program_cases())
def test_programs(program):
    """Programs written for TensorFlow, unchanged: they print what is in the file beside them (where
    `...` is a time), and end with the bytes they began with."""
    check = (
        "import runpy, sys, gc, penstock\n"
        "info = penstock.config.experimental.get_memory_info\n"
        "penstock.install_as_tensorflow()\n"
        "before = info()['current']\n"
        f"names = runpy.run_path({str(program)!r}, run_name='__main__')\n"
        "names.clear(); gc.collect()\n"
        "assert info()['current'] == before, info()\n"
    )
    done = run("-m", "penstock", "run", program)
    assert done.returncode == 0, done.stderr
    expected = program.with_suffix(".txt").read_text()
    pattern = re.escape(expected).replace(re.escape("..."), r"\d+\.\d+")
    assert re.fullmatch(pattern, done.stdout), done.stdout
    checked = run("-c", check)
    assert checked.returncode == 0, checked.stderr


def test_run_passes_arguments(tmp_path):
    script = tmp_path / "script.py"
    (tmp_path / "neighbour.py").write_text("value = 7\n")
    script.write_text(
        "import sys\n"
        "import tensorflow as tf\n"
        "import tensorflow.compat.v1 as tf1\n"
        "from tensorflow import constant, math\n"
        "from tensorflow.math import reduce_sum\n"
        "import neighbour\n"
        "print(sys.argv[1:], __name__, neighbour.value)\n"
        "print(int(reduce_sum(constant([1, 2]))), tf1.executing_eagerly(), tf.__version__)\n"
        "sys.exit(3)\n"
    )
    done = run("-m", "penstock", "run", script, "--depth", "2")
    assert done.stdout.splitlines() == [
        "['--depth', '2'] __main__ 7",
        f"3 True {tf.version.VERSION}",
    ]
    assert done.returncode == 3
    assert run("-m", "penstock", "run", tmp_path / "none.py").returncode == 2


def test_run_shows_the_script_only(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import tensorflow as tf\n\ntf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))\n")
    done = run("-m", "penstock", "run", script)
    assert done.returncode == 1
    assert done.stderr.startswith(
        f'Traceback (most recent call last):\n  File "{script}", line 3, in <module>\n'
    )
    assert "InvalidArgumentError: Matrix size-incompatible" in done.stderr.splitlines()[-1]


def test_install_refuses_the_real_one():
    code = (
        "import sys, types\n"
        "sys.modules['tensorflow'] = types.ModuleType('tensorflow')\n"
        "import penstock\n"
        "penstock.install_as_tensorflow()\n"
    )
    assert "RuntimeError: the real tensorflow" in run("-c", code).stderr


def test_missing_modules():
    code = "import penstock; penstock.install_as_tensorflow(); import tensorflow.keras"
    assert "penstock does not have penstock.keras" in run("-c", code).stderr


def test_functions_have_signatures():
    assert str(inspect.signature(tf.reduce_sum)) == (
        "(input_tensor, axis=None, keepdims=False, name=None)"
    )
    assert tf.matmul.__name__ == "matmul"
    assert tf.matmul.__doc__
    assert "reduce_sum" in dir(tf)
    assert "reduce_sum" in dir(tf.math)
    assert tf.math.reduce_sum(input_tensor=[1, 2], axis=0, name="sum").numpy() == 3
    assert str(inspect.signature(tf.raw_ops.Sum)) == "(input, axis=None, keepdims=False, name=None)"


def test_classes_made_from_functions_have_signatures():
    assert str(inspect.signature(tf.losses.SparseCategoricalCrossentropy)) == (
        "(from_logits=False, ignore_class=None, reduction='sum_over_batch_size', axis=-1, "
        "name='sparse_categorical_crossentropy', dtype=None)"
    )
    assert [*inspect.signature(tf.metrics.TopKCategoricalAccuracy).parameters] == [
        "k", "name", "dtype",
    ]  # fmt: skip
    assert tf.losses.MeanSquaredError("sum")([1.0, 2.0], [2.0, 4.0]).numpy() == 2.5
    with pytest.raises(TypeError, match="unexpected keyword argument 'fuzz'"):
        tf.metrics.Accuracy(fuzz=1)


def test_dir_has_public_names_only():
    for module in (tf.random, tf.losses, tf.metrics):
        assert not {"raw_ops", "dtypes", "cast", "next_seeds", "pause"} & {*dir(module)}


def test_help_shows_signatures():
    for function in (tf.matmul, tf.nn.relu, tf.raw_ops.AddV2, tf.raw_ops.Sum):
        text = pydoc.plain(pydoc.render_doc(function))
        name, parameters = function.__name__, inspect.signature(function)
        first = function.__doc__.partition("\n")[0]
        assert f"{name}{parameters}\n    {first}" in text


def test_functions_are_not_bound_to_instances():
    class Layer:
        activation = tf.nn.relu

    assert Layer().activation(-1.0).numpy() == 0


def test_the_table_names_real_parameters():
    """Every function of the table whose op is there can be made."""
    from penstock import _api

    for public in _api._table:
        namespace, _, name = public.rpartition(".")
        _api.find(namespace, name)


def test_random_is_tensorflows():
    tf.random.set_seed(1)
    first = tf.random.normal([3]).numpy()
    tf.random.set_seed(1)
    assert (tf.random.normal([3]).numpy() == first).all()
    assert first.round(4).tolist() == pytest.approx([-1.1013, 1.5457, 0.3838], abs=1e-3)
    numbers = tf.random.uniform([1000], 3, 7, tf.int32).numpy()
    assert set(numbers.tolist()) == {3, 4, 5, 6}
