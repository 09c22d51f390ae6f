"""What tf.compat.v1 has besides graphs: flags and app, logging, gfile, collections, optimizers."""

import subprocess
import sys

import numpy as np
import penstock as tf
import pytest

v1 = tf.compat.v1


def run(code, *arguments, name="program.py"):
    code = f"import sys; sys.argv[0] = {name!r}\n{code}"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=60
    )


PROGRAM = """
import penstock.compat.v1 as tf

flags = tf.app.flags
flags.DEFINE_integer("steps", 10, "How many steps to train.", lower_bound=1)
flags.DEFINE_bool("fast", False, "Whether to hurry.")
flags.DEFINE_string("name", None, "Its name.")
FLAGS = flags.FLAGS

def main(argv):
    print(FLAGS.steps, FLAGS.fast, FLAGS.name, argv)
    return 3

tf.app.run()
"""


def test_app_run():
    done = run(PROGRAM, "--steps=5", "--fast", "more", "--other=1")
    assert done.stdout == "5 True None ['program.py', 'more', '--other=1']\n"
    assert done.returncode == 3
    done = run(PROGRAM, "--steps=0")
    assert done.returncode == 1
    assert "flag --steps=0: 0 is not an integer >= 1" in done.stderr
    done = run(PROGRAM, "--help")
    assert done.returncode == 1
    assert "--steps: How many steps to train.\n    (default: 10)" in done.stdout
    assert "--[no]fast: Whether to hurry.\n    (default: false)" in done.stdout


def test_flags_are_read_when_first_asked_for():
    code = PROGRAM.replace("tf.app.run()", "print(FLAGS.steps)")
    assert run(code, "--steps", "7").stdout == "7\n"
    done = run(code, "--stepz", "7")
    assert "UnrecognizedFlagError: Unknown command line flag 'stepz'. Did you mean: steps ?" in (
        done.stderr
    )


def test_nothing_is_imported_before_it_is_asked_for():
    code = "import penstock.compat.v1 as tf; tf.log; print(*sys.modules)"
    loaded = [name for name in run(code).stdout.split() if name.startswith("penstock.compat.v1.")]
    assert loaded == ["penstock.compat.v1._names"]


def test_a_name_that_is_missing():
    with pytest.raises(AttributeError, match=r"no attribute 'reduce_summ'.*reduce_sum"):
        _ = v1.reduce_summ
    with pytest.raises(AttributeError, match=r"compat\.v1\.nn.*drop_out.*dropout"):
        _ = v1.nn.drop_out


def test_every_name_is_there():
    for module in (v1, *(getattr(v1, name) for name in v1._MODULES)):
        for name in dir(module):
            assert getattr(module, name) is not None, (module, name)


def test_logging(caplog):
    log = v1.logging
    before = log.get_verbosity()
    log.set_verbosity(log.INFO)
    try:
        log.info("step %d", 1)
        log.debug("hidden")
        for i in range(5):
            log.log_every_n(log.WARN, "every %d", 2, i)
            log.log_first_n(log.ERROR, "first %d", 1, i)
        log.log_if(log.INFO, "no", False)
    finally:
        log.set_verbosity(before)
    assert [record.getMessage() for record in caplog.records] == [
        "step 1",
        "every 0",
        "first 0",
        "every 2",
        "every 4",
    ]


def test_print(capfd):
    x = tf.constant([1.0, 2.5, -3.0, 4.0])
    assert v1.Print(x, [x, x[:1], "text", True, 123456789.0, [[1, 2], [3, 4]]], "x: ") is x
    v1.Print(x, [x], summarize=-1)
    assert capfd.readouterr().err == (
        "x: [1 2.5 -3...][1][text][1][123456792][[1 2][3...]...]\n[1 2.5 -3 4]\n"
    )


def test_gfile(tmp_path):
    gfile, folder = v1.gfile, str(tmp_path / "a" / "b")
    gfile.MakeDirs(folder)
    with gfile.FastGFile(folder + "/text", "w") as file:
        file.write("hello")
    assert gfile.Exists(folder + "/text")
    assert gfile.IsDirectory(folder)
    assert gfile.GFile(folder + "/text").read() == "hello"
    assert gfile.ListDirectory(folder) == ["text"]
    assert gfile.Glob(folder + "/*") == [folder + "/text"]
    gfile.Rename(folder + "/text", folder + "/other")
    assert [files for _, _, files in gfile.Walk(folder)] == [["other"]]
    gfile.Remove(folder + "/other")
    gfile.DeleteRecursively(str(tmp_path / "a"))
    with pytest.raises(tf.errors.NotFoundError):
        gfile.Remove(folder)


def test_collections():
    v1.add_to_collections(["one", "two"], 1)
    v1.add_to_collection("one", 2)
    assert v1.get_collection("one") == [1, 2]
    v1.get_collection("one").append(3)  # a copy
    v1.get_collection_ref("two").append(4)
    assert v1.get_collection("one") == [1, 2]
    assert v1.get_collection("two") == [1, 4]


@pytest.mark.parametrize(
    "make",
    [
        lambda: v1.train.GradientDescentOptimizer(0.1),
        lambda: v1.train.MomentumOptimizer(0.1, 0.9),
        lambda: v1.train.AdamOptimizer(0.1),
        lambda: v1.train.AdagradOptimizer(0.1),
        lambda: v1.train.RMSPropOptimizer(0.1, centered=True),
        lambda: v1.train.FtrlOptimizer(0.1),
    ],
)
def test_optimizers_in_functions_are_those_of_eager_programs(make):
    def trained(wrap):
        w, step = tf.Variable([1.0, -2.0]), tf.Variable(0)
        optimizer = make()
        loss = wrap(lambda: optimizer.minimize(lambda: tf.reduce_sum(w**4), step, var_list=[w]))
        for _ in range(3):
            loss()
        return [w.numpy(), step.numpy(), *(each.numpy() for each in optimizer.variables())]

    for found, expected in zip(trained(tf.function), trained(lambda run: run), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_a_constraint_holds_after_every_step():
    w = tf.Variable([1.0, -0.05], constraint=lambda value: tf.maximum(value, 0.0))
    v1.train.GradientDescentOptimizer(0.1).minimize(lambda: tf.reduce_sum(w), var_list=[w])
    np.testing.assert_allclose(w, [0.9, 0.0])


def test_functions_take_what_is_known_later_only():
    @tf.function(input_signature=[tf.TensorSpec([]), tf.TensorSpec([4, 3])])
    def loss(keep_prob, x):
        kept = v1.nn.dropout(x, keep_prob)
        return v1.losses.mean_squared_error(x, kept, weights=[[1.0]] * 4)

    x = np.ones([4, 3], np.float32)
    assert loss(1.0, x) == 0
    tf.random.set_seed(1)
    assert loss(0.5, x) == 1  # an element is 0 or 2


def test_global_step():
    train = v1.train
    step = train.get_or_create_global_step()
    try:
        assert train.get_global_step() is step
        assert (step.name, step.dtype) == ("global_step:0", tf.int64)
        with pytest.raises(ValueError, match="already exists"):
            train.create_global_step()
    finally:
        v1.get_collection_ref(v1.GraphKeys.GLOBAL_STEP).clear()
    with pytest.raises(TypeError, match="does not have integer type"):
        train.assert_global_step(tf.Variable(1.0))
